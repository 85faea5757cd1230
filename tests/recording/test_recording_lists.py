"""Lists of jobs in a recording: what ended long ago is told once, and every reader knows of it all the same."""

from __future__ import annotations

import msgspec

from remote.answering import AnsweringSite
from remote.clock import SetClock
from remote.events import Event, Header, JobsListed
from remote.jobs import JobState, JobStatus
from remote.recorder import RecordingSite
from supervision.reducer import END_LOST, reduce
from supervision.state import State
from tests.recording.counting_site import SPEC, CountingSite

HOST = "pollux1"
HEADER = Header(1, "0", 1000.0, 1000.0, "mss1", (HOST,))
RUNS = JobStatus("runs", JobState.RUNNING, began=990.0, size=10, free_kb=500, title="t", command="mmdf mss1")
ENDED = JobStatus(SPEC.id, JobState.FINISHED, 0, 900.0, 950.0, 20, 500, title="t", command="mmchdisk mss1 change")


def later(status: JobStatus, free_kb: int) -> JobStatus:
    """The same at another look: others have written to the file system of its log."""
    return msgspec.structs.replace(status, free_kb=free_kb)


def state_of(*events: Event) -> State:
    state = State(HEADER)
    for event in events:
        state = reduce(state, event)
    return state


async def recorded(*looks: tuple[JobStatus, ...]) -> list[Event]:
    """What is recorded when the jobs of the host are listed each minute."""
    inner, events = CountingSite(armed=True), list[Event]()
    site = RecordingSite(inner, events.append)
    for minute, jobs in enumerate(looks):
        assert isinstance(inner.clock, SetClock)
        inner.clock.at = 1000.0 + 60 * minute
        inner.held = jobs
        assert await site.jobs(HOST) == jobs
    return [event for event in events if isinstance(event, JobsListed)]


async def test_a_job_that_has_ended_is_listed_in_full_once_and_by_its_id_from_then_on() -> None:
    ends = JobStatus("runs", JobState.FINISHED, 1, 990.0, 1050.0, 12, 480, title="t", command="mmdf mss1")
    events = await recorded(
        (RUNS, ENDED), (later(RUNS, 490), later(ENDED, 490)), (ends, ENDED), (later(ends, 3), ENDED)
    )
    assert events == [
        JobsListed(1000.0, HOST, (RUNS, ENDED)),
        JobsListed(1060.0, HOST, (later(RUNS, 490),), (SPEC.id,)),
        JobsListed(1120.0, HOST, (ends,), (SPEC.id,)),
        JobsListed(1180.0, HOST, (), ("runs", SPEC.id)),
    ]
    whole = state_of(*(JobsListed(1000.0 + 60 * minute, HOST, (ends, ENDED)) for minute in range(4)))
    state = state_of(*events)
    assert {key: (job.status, job.at) for key, job in state.jobs.items()} == {
        key: (job.status, job.at) for key, job in whole.jobs.items()
    }
    assert state.listed == whole.listed == {HOST: 1180.0}
    assert [state_of(*events).jobs[HOST, name].settled_at for name in ("runs", SPEC.id)] == [1120.0, 1000.0]


async def test_a_job_that_was_told_of_otherwise_is_listed_in_full_again() -> None:
    inner, events = CountingSite(armed=True, jobs=(ENDED,)), list[Event]()
    site = RecordingSite(inner, events.append)
    await site.jobs(HOST)
    await site.seal(HOST, SPEC.id)
    await site.jobs(HOST)
    assert events[-1] == JobsListed(1000.0, HOST, (ENDED,))
    await site.jobs(HOST)
    assert events[-1] == JobsListed(1000.0, HOST, (), (SPEC.id,))


def test_where_a_recording_has_lost_how_a_job_ended_that_is_unknown() -> None:
    runs = msgspec.structs.replace(ENDED, state=JobState.RUNNING, rc=None)
    state = state_of(JobsListed(1000.0, HOST, (runs,)), JobsListed(1060.0, HOST, (), (SPEC.id, "never told of")))
    (job,) = state.jobs.values()
    assert (job.status.state, job.status.note, job.at) == (JobState.UNKNOWN, END_LOST, 1060.0)


async def test_a_site_that_answers_from_a_recording_lists_all_jobs() -> None:
    answering = AnsweringSite(HEADER, await recorded((ENDED,), (RUNS, ENDED), (RUNS, ENDED)))
    answering.clock = SetClock(1100.0)
    assert set(await answering.jobs(HOST)) == {RUNS, ENDED}
