"""How a change of limits is carried out, what is done without a person, and a release that has no limits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec
import pytest

from remote.clock import SetClock
from remote.command import Command
from remote.events import Adopted, Header, ProcessChanged
from remote.gpfs import commands as gpfs
from remote.gpfs.schedule import SCRIPT
from remote.jobs import JobState, JobStatus
from remote.question import Answer
from remote.recorder import RecordingSite
from remote.recording import VERSION
from supervision.brake import Power
from supervision.braking import RENEW, RESTORING, Restoring, change
from supervision.gpfs import GpfsFileSystem
from supervision.journal import Journal
from supervision.store import Store
from supervision.supervisor import Cadence, Supervisor
from tests.supervision import gpfs_states as made
from tests.supervision.scripted_site import ScriptedSite
from tests.supervision.test_gpfs_brake import EVERYWHERE, SCAN, SET, TITLE, qos
from tests.supervision.test_gpfs_brake import change as changed
from tests.waiting import until

FS = made.FS


class Turns(SetClock):
    """A clock that sleeps at once, some times; then for ever. Keeps how long."""

    def __init__(self, turns: int) -> None:
        super().__init__(made.NOW)
        self.turns = turns
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        if len(self.slept) >= self.turns:
            await asyncio.Event().wait()
        self.slept.append(seconds)
        await asyncio.sleep(0)


class Far(ScriptedSite):
    """A far side that remembers signs of life, and may have no mmlsqos."""

    def __init__(self, *, turns: int = 3, lacks: bool = False, armed: bool = True) -> None:
        super().__init__("n1", armed=armed)
        self.clock = Turns(turns)
        self.lacks = lacks
        self.renewed: list[str] = []

    async def _query(self, host: str, commands: Sequence[Command]) -> tuple[Answer, ...]:
        answers = await super()._query(host, commands)
        return tuple(
            Answer(each.command, 127, b"", b"sh: mmlsqos: not found\n") if self.lacks else each for each in answers
        )

    async def _renew(self, host: str, job_id: str) -> JobStatus:
        self.renewed.append(job_id)
        return JobStatus(job_id, JobState.RUNNING)


@asynccontextmanager
async def supervised(site: Far) -> AsyncIterator[tuple[Supervisor, GpfsFileSystem]]:
    header = Header(VERSION, "0", 0.0, made.NOW, FS, ("n1",), "n1")
    journal = Journal(Store(header))
    async with Supervisor(RecordingSite(site, journal.emit), journal, fs=FS, entry="n1") as supervisor:
        yield supervisor, GpfsFileSystem(FS, "n1")


def put(supervisor: Supervisor, *jobs: object, **facts: object) -> None:
    """Let these be known."""
    told = made.state({"cluster": made.cluster(), f"mounts {FS}": EVERYWHERE, **facts})
    held = {(job.host, job.status.id): job for job in jobs}  # type: ignore[attr-defined]
    store = supervisor.store
    store.state = msgspec.structs.replace(store.state, facts=told.facts, jobs=held, at=made.NOW)


async def test_a_release_without_qos_is_asked_once_and_never_again_by_itself() -> None:
    site = Far(lacks=True)
    async with supervised(site) as (supervisor, fs):
        supervisor.watch((Cadence("qos", 120.0, "n1", (gpfs.mmlsqos(FS),)),))
        await until(lambda: isinstance(site.clock, Turns) and len(site.clock.slept) == 3)
        assert site.asked == {("n1", f"mmlsqos {FS} --seconds 60 -Y"): 1}
        brake = fs.brake(supervisor.store.state)
        assert (brake.power, brake.why) == (Power.ABSENT, "this release has no QoS: there is no mmlsqos")
        assert not [line for line in fs.problems(supervisor.store.state) if "mmlsqos" in line.value]


async def test_a_host_that_does_not_answer_is_sent_nothing() -> None:
    site = Far()
    async with supervised(site) as (supervisor, fs):
        put(supervisor, SCAN, **{f"qos {FS}": qos(SET)})
        site.away.add("n1")
        outcome = await change(supervisor, fs, lambda state: fs.ease(state, 650.0), "ops@desk")
        assert not outcome.good
        assert site.launched == []
        assert supervisor.store.state.decisions == ()


@pytest.mark.parametrize("armed", [True, False])
async def test_a_schedule_is_told_that_somebody_watches_by_an_armed_session_alone(armed: bool) -> None:
    site = Far(turns=2, armed=armed)
    async with supervised(site) as (supervisor, fs):
        command = f"sh /jobs/s/run/{SCRIPT} {FS} /jobs/j1 1800 12345 0700 1900 a b c -"
        job = made.job(JobState.RUNNING, command, job_id="s")
        title = TITLE.replace("brake ease to", "brake schedule")
        job = msgspec.structs.replace(job, status=msgspec.structs.replace(job.status, title=title))
        put(supervisor, SCAN, job, **{f"qos {FS}": qos(SET)})
        assert fs.release(supervisor.store.state).stop == "s"
        Restoring(supervisor, fs)
        await until(lambda: isinstance(site.clock, Turns) and len(site.clock.slept) == 2)
        assert site.followed == [("n1", "job:s")]
        assert site.clock.slept == [RENEW, RENEW]  # type: ignore[attr-defined]
        await until(lambda: site.renewed == (["s", "s", "s"] if armed else []))


@pytest.mark.parametrize("armed", [True, False])
async def test_only_an_armed_session_brings_back_what_was_before_when_the_scan_ends(armed: bool) -> None:
    site = Far(turns=0, armed=armed)
    async with supervised(site) as (supervisor, fs):
        put(supervisor, SCAN, changed(), **{f"qos {FS}": qos(SET)})
        restoring = Restoring(supervisor, fs)
        site.held["n1"] = (SCAN.status, changed().status)
        await supervisor.look_at_jobs(("n1",))  # it runs
        assert restoring.begun == 0
        over = msgspec.structs.replace(SCAN.status, state=JobState.FINISHED, rc=0, ended=made.NOW)
        site.held["n1"] = (over, changed().status)
        await supervisor.look_at_jobs(("n1",))
        assert restoring.begun == (1 if armed else 0)
        assert supervisor.runs(RESTORING) == armed
        problems = [line.value for line in fs.problems(supervisor.store.state) if line.label == "Brake"]
        assert problems[0].startswith("limits of ours still hold")


async def test_the_end_of_a_scan_that_somebody_else_started_brings_back_what_was_before_too() -> None:
    site = Far(turns=0)
    async with supervised(site) as (supervisor, fs):
        put(supervisor, changed(), **{f"qos {FS}": qos(SET)})
        restoring = Restoring(supervisor, fs)
        status = msgspec.structs.replace(SCAN.status, id="file:/root/restripe.log")
        supervisor.journal.emit(Adopted(made.NOW, "n1", status, 4711, 99))
        assert restoring.begun == 0
        supervisor.journal.emit(ProcessChanged(made.NOW + 60, "n1", "file:/root/restripe.log", alive=False))
        assert restoring.begun == 1
        assert supervisor.runs(RESTORING)
