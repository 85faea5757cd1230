"""Alive or not, and what happens meanwhile, on a simulated cluster over real SSH: each state and event of a scan."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import msgspec

from remote.command import Command
from remote.gpfs import commands as gpfs
from remote.jobs import JobSpec
from remote.linux.commands import logs
from remote.linux.host_time import host_time
from simulator.client import Simulation
from supervision.filesystem import Phase, Progress
from supervision.gpfs import GpfsFileSystem, own_daemon
from supervision.state import State
from tests.supervision.cluster import OPERATOR, Session, kill_runner, session, until_so
from tests.waiting import until

FS = "mss1"
NODES = ("foo1", "foo2", "foo3")
SPEED = 400
"""A usual gap between two lines, 140 s, is a third of a real second."""
STILL = (
    r"no line for \d+ min, where \d min is usual\. "
    r"Longest waiter: NSDThread on pollux2 for \d+ min: for I/O completion on disk sdc"
)


@dataclass
class Alive:
    """A session with a scan."""

    sim: Simulation
    live: Session
    fs: GpfsFileSystem

    @property
    def state(self) -> State:
        return self.live.store.state

    @property
    def progress(self) -> Progress:
        return self.progress_at(self.state.at)

    def progress_at(self, moment: float) -> Progress:
        """By what is known now, as it would have been told at a moment."""
        job = self.fs.scan_job(self.state)
        assert job is not None
        return self.fs.progress(msgspec.structs.replace(self.state, at=moment), job)

    async def launch(self, job_id: str, mode: gpfs.Restripe) -> None:
        spec = JobSpec(job_id, "a restripe", OPERATOR, gpfs.mmrestripefs(FS, NODES, mode))
        await self.live.supervisor.site.launch(self.sim.entry, spec)
        self.live.supervisor.follow(self.sim.entry, job_id)

    async def ask(self, *commands: Command, host: str = "") -> None:
        await self.live.supervisor.ask(host or self.sim.entry, *commands)

    async def until(self, *phases: Phase, ask: Command | None = None) -> Progress:
        """Look, and ask every host, until it is in one of these phases."""

        found: list[Progress] = []

        async def look() -> bool:
            if ask:
                await asyncio.gather(*(self.ask(ask, host=host) for host in self.sim.hosts))
            found.append(self.progress)
            return found[-1].phase in phases

        await until_so(look)
        return found[-1]

    async def changed(self, kind: str, question: Command, op: str, *, of: str = "", **what: Any) -> list[str]:
        """What is noted of a kind when something happens between two answers to a question."""
        await self.ask(question, host=of)
        before = len(self.state.happened)
        await self.sim.control(op, **what)

        async def noted() -> list[str]:
            await self.ask(question, host=of)
            return [each.text for each in self.state.happened[before:] if each.kind == kind]

        return await until(noted)


@asynccontextmanager
async def alive(scenario: str, speed: float = SPEED) -> AsyncIterator[Alive]:
    async with Simulation.start(scenario, speed=speed) as sim, session(sim) as live:
        fs = GpfsFileSystem(FS, sim.entry, sim.hosts)
        await live.supervisor.ask(sim.entry, host_time(), *fs.questions(), gpfs.mmdf(FS))
        yield Alive(sim, live, fs)


async def test_a_scan_waits_runs_is_quiet_stands_still_and_goes_on() -> None:
    async with alive("seed-5.2") as at:
        await at.sim.control("occupy", program="mmdeldisk", seconds=1000)
        await at.launch("scan-1", gpfs.Restripe.COMPARE)
        told = await at.until(Phase.WAITING)
        assert told.why.startswith("waits until mmdeldisk on mss1 ends")
        assert told.why.endswith("so far), then begins by itself (6027-2763)")
        assert told.finish is None

        # one that goes: nothing to explain, and soon a finish; the truth is the cluster's own
        await at.until(Phase.RUNNING)
        await until(lambda: at.progress.finish is not None)
        told, truth = at.progress, (await at.sim.control("facts"))["restripe"]["ends"]
        assert (told.why, told.evidence) == ("", ())
        assert told.finish is not None
        assert told.finish.low < truth < told.finish.high

        # nothing moves: the longest waiter is named; a moment before that the silence was none to speak of
        await at.sim.control("stall", disk="foo2_nsd3")
        told = await at.until(Phase.STALLED, ask=gpfs.mmdiag_waiters())
        assert re.fullmatch(STILL, told.why)
        assert told.finish is None
        assert [line.label for line in told.evidence][:2] == ["process", "waiters"]
        assert told.last_line_at is not None
        quiet = at.progress_at(told.last_line_at + 500.0)
        assert (quiet.phase, quiet.why[:11]) == (Phase.QUIET, "no line for")
        assert quiet.finish is not None

        # it goes on, and it is told why the end is later now
        before = told.told[-1]
        await at.sim.control("stall", release=True)
        await at.until(Phase.RUNNING)
        await until(lambda: at.progress.finish is not None)
        told = at.progress
        assert told.finish is not None
        assert before.mid is not None
        assert told.finish.mid > before.mid + 600
        assert told.moved is not None
        assert re.fullmatch(r"it stood still for \d+ min, or the clock was set", told.moved[1])


async def test_what_happens_meanwhile_is_noted_and_a_failed_disk_begins_a_scan_again_or_ends_it() -> None:
    async with alive("seed-5.2") as at:
        await at.launch("scan-1", gpfs.Restripe.COMPARE)
        await until(lambda: at.state.jobs and at.progress.finish is not None)
        there, back = {"host": "pollux3", "state": "down", "disks": "stay"}, {"host": "pollux3", "state": "up"}
        told = await at.changed("node", own_daemon(), "daemon", of="pollux3", **there)
        assert told == ["GPFS on pollux3 is down, was active"]
        told = await at.changed("daemon", logs(), "daemon", of="pollux3", **back)
        assert told == ["GPFS was started on pollux3"]
        told = await at.changed("manager", gpfs.mmlsmgr(), "manager", host="pollux2")
        assert told == ["the manager of mss1 is pollux2, was pollux1"]
        limit = "QoS: switched on; maintenance/all_local of system 1300IOPS, was unlimited"
        told = await at.changed("qos", gpfs.mmlsqos(FS), "qos", limits="pool=system,maintenance=1300IOPS")
        assert told == [limit]
        moved = at.progress.moved
        assert moved is not None
        assert limit in moved[1]

        await at.sim.control("config", parameter="restripeOnDiskFailure", value="yes")
        counted = (await at.sim.control("facts"))["restripe"]["inodes"]
        told = await at.changed("disk", gpfs.mmlsdisk(FS), "disk", disk="foo2_nsd4", availability="down")
        holds = "holding metadata and data"
        assert told[0] == f"foo2_nsd4: now to be emptied down, {holds}, was ready up, {holds}"
        await until(lambda: [each.text for each in at.state.happened if each.kind == "restart"])
        assert (await at.sim.control("facts"))["restripe"]["inodes"] < counted
        assert at.progress.phase in (Phase.STARTING, Phase.RUNNING)

        await at.sim.control("config", parameter="restripeOnDiskFailure", value="")
        await at.sim.control("disk", disk="foo2_nsd4", availability="up")
        await at.sim.control("disk", disk="foo1_nsd2", availability="down")
        failed = await at.until(Phase.FAILED)
        assert re.fullmatch(r"exit code 1: .*Scan failed on \d+ user or system files\..*", failed.why)
        assert failed.finish is None

        await at.sim.control("disk", disk="foo1_nsd2", availability="up")
        await at.sim.control("pace", factor=100)
        await at.launch("scan-2", gpfs.Restripe.ALL)
        finished = await at.until(Phase.FINISHED)
        assert (finished.why, finished.finish) == ("", None)


async def test_a_scan_is_lost_while_its_host_is_away_and_for_good_when_its_runner_was_killed() -> None:
    async with alive("seed-5.2") as at:
        await at.launch("scan-1", gpfs.Restripe.COMPARE)
        await at.until(Phase.STARTING, Phase.RUNNING)
        await at.sim.control("freeze", host=at.sim.entry)
        await at.sim.control("cut", host=at.sim.entry)
        away = await at.until(Phase.LOST)
        assert away.why.endswith("; it goes on, as far as one knows")
        assert away.finish is None
        await at.sim.control("freeze", host=at.sim.entry, frozen=False)
        await at.until(Phase.STARTING, Phase.RUNNING)
        assert kill_runner(at.sim, "scan-1")
        gone = await at.until(Phase.LOST)
        assert gone.why == (
            "its runner is gone without leaving an exit code: how the command ended cannot be known from here"
        )
