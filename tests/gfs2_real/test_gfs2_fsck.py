"""fsck.gfs2 as a guarded job over real OpenSSH: what it complains of is counted on the host, and it ends by TERM."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from remote.command import Command
from remote.gfs2 import commands
from remote.gfs2.commands import Fsck
from remote.jobs import JobSpec
from supervision.filesystem import Phase
from tests.gfs2_real.conftest import FastHost
from tests.gfs2_real.far import Gfs2Host
from tests.gfs2_real.session import OPERATOR, Time, Watched, watched
from tests.waiting import until

pytestmark = pytest.mark.openssh
OF_EACH = ("Found unlinked inode", "Unlinked inode has zero size", "Unlinked inode left unlinked")
"""How the lines begin that it prints of each file that is in no directory."""
KEPT = 1 << 20
"""Bytes of them that are kept as they are."""
HOLD_AWK = """#!/bin/sh
while [ -e {hold} ] && [ "$2" != version ]; do sleep 0.05; done
exec /usr/bin/awk "$@"
"""


async def launch_fsck(session: Watched, name: str) -> None:
    """A check that only looks, below our guard."""
    host = session.host
    place = await session.supervisor.site.place(host.name)
    check = commands.fsck(str(host.device), Fsck.LOOK)
    words = ("sh", place.file(name, "guarded.sh"), "--", *check.argv)
    script = (files("remote") / "gfs2" / "guarded.sh").read_text(encoding="utf-8")
    command = Command(words, check.effect, deadline=check.deadline)
    spec = JobSpec(name, f"fsck of {host.device}", OPERATOR, command, (("guarded.sh", script),))
    await session.supervisor.site.launch(host.name, spec)
    session.supervisor.follow(host.name, name)


def log_of(session: Watched, name: str) -> str:
    """The log of a job as it was read."""
    log = session.logs.get(session.host.name, f"job:{name}")
    return log.read(0, log.size).decode()


def complaints(log: str) -> dict[str, int]:
    """How often each line was printed: those that are in the log, and those that were counted in its stead."""
    lines, counted = re.split("[\r\n]+", log), log.rpartition("bytes, in all:\n")[2]
    return {
        text: sum(line.startswith(text) for line in lines)
        + sum(int(number) for number in re.findall(rf"^guarded: ([0-9]+) x {text}", counted, re.MULTILINE))
        for text in OF_EACH
    }


async def test_a_check_that_finds_very_much_leaves_a_short_log_and_every_finding_is_counted(fast: FastHost) -> None:
    async with watched(*fast) as session:
        await session.watch.begin()
        await launch_fsck(session, "fsck")
        await until(lambda: "bytes, in all:" in log_of(session, "fsck"), 60)
        end = await session.phase("fsck.gfs2", Phase.FINISHED, Phase.FAILED)
        assert (end.phase, end.why) == (Phase.FINISHED, "exit code 4: errors were left as they are")
        assert {word for _, word in end.phases} == {"done"}
        assert {"pass1", "pass2", "pass3", "pass4"} <= {name for name, _ in end.phases}
        log = log_of(session, "fsck")
        assert complaints(log) == dict.fromkeys(OF_EACH, fast.host.filled.files)
        assert f"{fast.host.filled.files:,} x {OF_EACH[1]}" in {line.value for line in end.evidence}
        (more,) = re.findall(r"^guarded: [0-9]+ lines more, ([0-9]+) bytes, in all:$", log, re.MULTILINE)
        assert KEPT < len(log) < 1.1 * KEPT
        assert int(more) > 9 * KEPT
        assert "fsck.gfs2 complete" in log


async def test_a_check_is_stopped_by_term_and_what_it_complained_of_until_then_is_told(host: Gfs2Host) -> None:
    """Its complaints are not taken for a while, so that it is still at work when it is stopped."""
    hold = host.output("hold")
    hold.touch()
    host.server.account.script("bin/awk", HOLD_AWK.format(hold=hold))
    async with watched(host, Time(10.0)) as session:
        await launch_fsck(session, "held")
        await until(lambda: host.tools("fsck.gfs2"), 60)
        await until(lambda: "Starting pass4" in log_of(session, "held"), 60)  # only there it begins to complain
        await session.supervisor.site.stop(host.name, "held")
        await until(lambda: not host.tools("fsck.gfs2"), 60)
        hold.unlink()
        end = await session.phase("fsck.gfs2", Phase.STOPPED, Phase.FAILED, Phase.FINISHED)
        assert end.phase is Phase.STOPPED
        assert end.why.startswith("exit code 143 (ended by TERM)")
        log = log_of(session, "held")
        assert "guarded: fsck.gfs2 was ended by signal 15 (SIGTERM)" in log
        assert 0 < complaints(log)[OF_EACH[0]] < host.filled.files
        assert "fsck.gfs2 complete" not in log
