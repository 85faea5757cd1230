"""A far side that answers as a test says, and keeps what it was asked."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Sequence

from remote.clock import SetClock
from remote.command import Command
from remote.errors import Trouble, UnreachableError
from remote.jobs import JobSpec, JobState, JobStatus, Place
from remote.question import Answer
from remote.site import Chunk, FileLog, Followed, HostLink, JobLog, Site, StateSeen


class StoppedClock(SetClock):
    """Time stands still: whoever sleeps sleeps until it is cancelled."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.Event().wait()


class ScriptedSite(Site):
    """`answers` are by the first word of a command; others are answered by nothing, with exit code 0."""

    def __init__(self, *hosts: str, answers: dict[str, str] | None = None, armed: bool = False) -> None:
        super().__init__(StoppedClock(1000.0), hosts, armed=armed)
        self.gate = asyncio.Event()
        """Questions are answered while it is set."""
        self.gate.set()
        self.launched: list[JobSpec] = []
        self.answers = answers or {}
        self.asked: Counter[tuple[str, str]] = Counter()
        self.away: set[str] = set()
        self.held: dict[str, tuple[JobStatus, ...]] = {}
        self.logs: dict[str, bytes] = {}
        self.followed: list[tuple[str, str]] = []
        self.retried: list[str] = []
        self.boots: dict[str, str] = {}

    def link(self, host: str, word: str) -> None:
        """The connection to a host is in a state now."""
        link = HostLink(host, word)
        self.links[host] = link
        if self.on_link:
            self.on_link(link)

    def retry(self, host: str) -> None:
        self.retried.append(host)

    async def close(self) -> None:
        return

    def _reach(self, host: str) -> None:
        if host in self.away:
            self.link(host, "waiting")
            raise UnreachableError(host, Trouble.REFUSED)
        if host not in self.links:
            self.link(host, "up")

    async def _query(self, host: str, commands: Sequence[Command]) -> tuple[Answer, ...]:
        await asyncio.sleep(0)
        for command in commands:
            self.asked[host, command.text] += 1
        await self.gate.wait()
        self._reach(host)
        return tuple(Answer(each, 0, self.answers.get(each.argv[0], "").encode(), b"") for each in commands)

    async def _jobs(self, host: str) -> tuple[JobStatus, ...]:
        await asyncio.sleep(0)
        self._reach(host)
        return self.held.get(host, ())

    async def _follow(self, host: str, source: JobLog | FileLog, offset: int) -> AsyncGenerator[Followed, None]:
        self.followed.append((host, source.name))
        if offset == 0:
            yield Chunk(0, self.logs.get(source.name, b""))
        await asyncio.Event().wait()
        yield StateSeen(JobStatus("never", JobState.LOST))

    async def _place(self, host: str) -> Place:
        self._reach(host)
        return Place("/jobs", self.boots.get(host, "boot"))

    async def _launch(self, host: str, spec: JobSpec) -> JobStatus:
        self._reach(host)
        self.launched.append(spec)
        return JobStatus(spec.id, JobState.RUNNING, command=spec.command.text)

    async def _stop(self, host: str, job_id: str, *, kill: bool) -> JobStatus:
        raise NotImplementedError

    async def _renew(self, host: str, job_id: str) -> JobStatus:
        raise NotImplementedError

    async def _seal(self, host: str, job_id: str) -> JobStatus:
        raise NotImplementedError
