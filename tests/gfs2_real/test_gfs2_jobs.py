"""gfs2_edit as a detached job over real OpenSSH: its log is whole whatever is cut, and its end is named."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from remote.command import Command
from remote.gfs2 import commands
from remote.gfs2.metadata import parse_savemeta
from remote.jobs import JobSpec, JobState, JobStatus
from remote.live import LiveSite
from remote.site import Chunk, Followed, JobLog, StateSeen
from remote.text import decode
from tests.conftest import Sites
from tests.gfs2_real.far import Gfs2Host, blocks_in
from tests.waiting import until

pytestmark = pytest.mark.openssh


class Seen:
    """What a follower was told: the log, the states, and how many blocks were told to be saved, piece by piece."""

    def __init__(self, log: bytes = b"") -> None:
        self.log = log
        self.states: list[JobStatus] = []
        self.pieces = 0

    @property
    def counts(self) -> list[int]:
        """The blocks of each line of progress so far."""
        parsed = parse_savemeta(decode(self.log)).model
        return [line.saved or 0 for line in parsed.counted] if parsed else []

    async def take(self, events: AsyncGenerator[Followed, None], enough: int = 1 << 62) -> None:
        """Take in what is told, to the end or until so many lines of progress were."""
        async with aclosing(events):
            async for event in events:
                if isinstance(event, StateSeen):
                    self.states.append(event.status)
                    continue
                assert isinstance(event, Chunk)
                assert event.offset == len(self.log)
                self.log += event.data
                self.pieces += 1
                if len(self.counts) >= enough:
                    return


async def launched(site: LiveSite, host: Gfs2Host, name: str, command: Command) -> JobSpec:
    """A job that runs."""
    spec = JobSpec(name, f"{name} of {host.device}", "tests", command)
    assert (await site.launch(host.name, spec)).state is JobState.RUNNING
    return spec


async def test_a_savemeta_is_followed_live_through_a_cut_and_by_another_program(host: Gfs2Host, sites: Sites) -> None:
    output = host.output("cut.meta.gz")
    site = sites(host.server, armed=True)
    await launched(site, host, "cut", commands.savemeta(str(host.device), str(output), 9))
    first = Seen()
    await first.take(site.follow(host.name, JobLog("cut")), enough=2)
    assert 0 < first.counts[0] < first.counts[1] < host.filled.files
    assert host.tools("cut.meta.gz")
    host.server.kill_sessions()
    await first.take(site.follow(host.name, JobLog("cut"), len(first.log)), enough=4)
    assert host.tools("cut.meta.gz")
    await site.close()  # and the program that began it is gone

    other = sites(host.server)
    found = {status.id: status for status in await other.jobs(host.name)}
    assert found["cut"].state is JobState.RUNNING
    assert found["cut"].title == f"cut of {host.device}"
    rest = Seen(first.log)
    await rest.take(other.follow(host.name, JobLog("cut"), len(first.log)))
    assert rest.log == (host.server.account.home / ".local/state/restripe/cut/log").read_bytes()
    assert (rest.states[-1].state, rest.states[-1].rc) == (JobState.FINISHED, 0)
    assert rest.counts == sorted(rest.counts)
    assert blocks_in(output) == rest.counts[-1] >= host.filled.files + host.filled.indirect
    assert first.pieces + rest.pieces >= 4


async def test_a_savemeta_that_is_stopped_ends_by_term(host: Gfs2Host, sites: Sites) -> None:
    output = host.output("term.meta.gz")
    site = sites(host.server, armed=True)
    await launched(site, host, "term", commands.savemeta(str(host.device), str(output), 9))
    seen = Seen()
    following = asyncio.create_task(seen.take(site.follow(host.name, JobLog("term"))))
    await until(lambda: len(seen.counts) >= 1)
    await site.stop(host.name, "term")
    await following
    assert (seen.states[-1].state, seen.states[-1].rc) == (JobState.FINISHED, 128 + 15)
    assert not host.tools("term.meta.gz")
    assert b"Metadata saved" not in seen.log
