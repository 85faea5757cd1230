"""What runs on a GPFS file system: our jobs with how far they are, and what shows of other people's work."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from remote.events import JobsListed
from remote.gpfs.commands import mmdiag_waiters
from remote.gpfs.models import Waiter, Waiters
from remote.jobs import JobState
from simulator.client import Simulation
from supervision.filesystems import file_system as opened
from supervision.reducer import reduce
from supervision.running import unasked
from supervision.tables import Line, Severity
from tests.supervision import gpfs_states as made
from tests.supervision.cluster import session
from tests.supervision.cluster import until_so as until
from tests.supervision.gpfs_states import FS, NOW, fact, file_system, job, log, scanning, space, state

WAITS = "Unable to start mmrestripefs on fs1 because conflicting program mmdeldisk is running."


def waiters(*names: str) -> Waiters:
    return Waiters(tuple(Waiter("0x1", name, 0.04, "", None, "", "for I/O completion") for name in names))


def running(*args: object, **known: object) -> list[Line]:
    return list(file_system().running(state(*args, **known)))  # type: ignore[arg-type]


def test_nothing_runs_where_nothing_is_known_to() -> None:
    assert running() == []
    idle = {f"waiters {host}": waiters("NSDThread", "SGExceptionLogBufferFullThread") for host in made.HOSTS}
    assert running(idle) == []
    assert running(jobs=(job(JobState.FINISHED, rc=0), job(JobState.SEALED, job_id="j2"))) == []


def test_a_scan_of_ours_tells_how_far_it_is_by_work_and_owns_its_threads() -> None:
    """Its ten lines count to 100,000; 200,000 are allocated."""
    facts = {f"space {FS}": space(made.disk_space("d1"), allocated=200_000), "waiters n2": waiters("PitWorkerThread")}
    (line,) = running(facts, jobs=(job(began=NOW - 7200.0),), logs=(scanning(10),))
    assert line.label == "running"
    assert line.value.startswith(f"mmrestripefs {FS} -r -N n1,n2 on n1, since ")
    assert line.value.endswith(", 50.0 % of the work")
    assert line.severity is Severity.NORMAL


def test_other_jobs_are_told_without_a_share_and_what_is_not_certain_stands_out() -> None:
    first = job(command="sleep 60", job_id="a", began=NOW - 100)
    lost = job(JobState.UNKNOWN, command="mmbackup fs1", job_id="b", began=None, at=NOW - 50)
    lines = running(jobs=(lost, first))
    assert [(line.label, line.severity) for line in lines] == [
        ("running", Severity.NORMAL),
        ("unknown", Severity.WARNING),
    ]
    assert "%" not in "".join(line.value for line in lines)
    assert lines[1].value == "mmbackup fs1 on n1"


@pytest.mark.parametrize("thread", ["PitWorkerThread", "PITcontrol"])
def test_threads_that_scan_without_a_job_of_ours_are_somebody_s(thread: str) -> None:
    facts = {"waiters n1": waiters("NSDThread", thread), "waiters n2": waiters(thread), "waiters n3": waiters()}
    (line,) = running(facts)
    assert line.value == "GPFS scans: threads wait on n[1-2]; nobody's job here: started outside restripe"
    assert (line.label, line.severity, line.at) == ("outside", Severity.WARNING, NOW)
    assert line.advice


def test_threads_seen_while_our_own_scan_still_ended_are_not_put_down_to_others() -> None:
    """The daemons go on for a while; what was asked after that is another's."""
    ended = job(JobState.FINISHED, rc=0)
    ended = msgspec.structs.replace(ended, status=msgspec.structs.replace(ended.status, ended=NOW - 30))
    seen = {"waiters n1": waiters("PitWorkerThread")}
    assert running(seen, jobs=(ended,)) == []
    earlier = msgspec.structs.replace(ended, status=msgspec.structs.replace(ended.status, ended=NOW - 600))
    (line,) = running(seen, jobs=(earlier,))
    assert line.label == "outside"


def test_threads_that_a_lost_job_may_have_left_are_not_blamed_on_others_alone() -> None:
    lost = job(JobState.LOST, job_id="night-6", at=NOW - 600)
    (line,) = running({"waiters n1": waiters("PitWorkerThread")}, jobs=(lost,))
    assert "or left by job night-6" in line.value


def test_a_killed_scan_whose_threads_go_on_is_ours_and_still_stopping() -> None:
    killed = job(JobState.FINISHED, rc=143)
    killed = msgspec.structs.replace(killed, status=msgspec.structs.replace(killed.status, ended=NOW - 100))
    (line,) = running({"waiters n2": waiters("PitWorkerThread")}, jobs=(killed,))
    assert (line.label, line.severity) == ("stopping", Severity.WARNING)


def test_a_scan_that_waits_tells_for_whom() -> None:
    ours, other = running(jobs=(job(),), logs=(log((NOW - 50, WAITS)),))
    assert ours.value.endswith(", waiting")
    assert other.value == f"mmdeldisk runs on {FS}, says the log of job j1; it is nobody's job here"
    assert (other.label, other.at) == ("outside", NOW - 50)
    deleting = job(command=f"mmdeldisk {FS} d1", job_id="j0", began=NOW - 9000)
    both = running(jobs=(job(), deleting), logs=(log((NOW - 50, WAITS)),))
    assert [line.label for line in both] == ["stalled", "running"]  # silent for two hours and a half


def test_hosts_that_have_not_told_are_named() -> None:
    told = state(links={"n1": "up", "n2": "up", "n3": "waiting"})
    assert unasked(told) == made.HOSTS
    for host in ("n1", "n3"):
        told = reduce(told, JobsListed(NOW, host, ()))
    assert unasked(told) == ("n2", "n3")  # n3 told once, and is away now


def test_an_answer_that_failed_is_no_sign_of_anybody() -> None:
    assert running({"waiters n1": fact("waiters n1", None, failure="exit code 1")}) == []


async def test_a_restripe_in_somebody_s_screen_is_seen_on_a_simulated_cluster() -> None:
    async with Simulation.start("seed", speed=10) as sim, session(sim, armed=False) as live:
        fs = opened(live.store.state.header)
        ask = live.supervisor.ask
        await ask(sim.entry, mmdiag_waiters())
        assert fs.running(live.store.state) == ()
        answer = await sim.control("outsider", host="pollux3")
        assert answer["command"].startswith("mmrestripefs")

        async def scans() -> bool:
            return (await sim.control("facts"))["restripe"] is not None

        await until(scans)
        await asyncio.gather(*(ask(host, mmdiag_waiters()) for host in sim.hosts))
        (line,) = fs.running(live.store.state)
        assert line.value.startswith("GPFS scans: threads wait on pollux[1-3]; nobody's job here")
        assert unasked(live.store.state) == sim.hosts
        for host in sim.hosts:
            await live.supervisor.site.jobs(host)
        assert unasked(live.store.state) == ()
