"""Which probe of a session tells whether it hurts, and what is said when it is there no more."""

from __future__ import annotations

import pytest

from remote.events import Exact, Header, JobsListed, LogRead
from remote.jobs import JobState, JobStatus
from supervision.impact import Standing
from supervision.probejob import hurt
from supervision.reducer import reduce
from supervision.state import State
from tests.supervision.probelines import begin, steady

HEADER = Header(1, "0", 0.0, 0.0, "fs1", ("n1", "login1"), "n1")
SCAN = JobStatus("r", JobState.RUNNING, began=1200.0, command="mmrestripefs fs1 -r")


def probe(name: str, state: JobState, began: float, directory: str = "/fs1/tmp", rc: int | None = None) -> JobStatus:
    command = f"sh /jobs/{name}/run/probe.sh {directory} 20 30 4 2419200 2"
    return JobStatus(name, state, rc=rc, began=began, command=command)


def told(name: str, *lines: str) -> list[LogRead]:
    """The lines of a job, each as it comes."""
    events, size = [], 0
    for line in lines:
        data = f"{line}\n".encode()
        events.append(LogRead(float(line.split()[2]), "login1", f"job:{name}", size, Exact(data)))
        size += len(data)
    return events


def state_of(*jobs: JobStatus, logs: dict[str, tuple[str, ...]], at: float = 1890.0) -> State:
    """After all logs were read, and all jobs were listed at that time."""
    state = State(HEADER)
    events = [event for name, lines in logs.items() for event in told(name, *lines)]
    for event in sorted(events, key=lambda event: event.t):
        state = reduce(state, event)
    state = reduce(state, JobsListed(at, "login1", jobs))
    return reduce(state, JobsListed(at, "n1", (SCAN,)))


def test_without_a_probe_nothing_is_told() -> None:
    assert hurt(state_of(logs={})) is None


def test_the_newest_probe_that_runs_tells_and_an_earlier_one_of_the_same_place_has_the_baseline() -> None:
    early = (begin(), *steady(20, 1200, 1000))
    late = (begin(1300, budget="2"), *steady(1320, 1900, 3000))
    state = state_of(
        probe("old", JobState.FINISHED, 0.0, rc=0),
        probe("other", JobState.FINISHED, 1400.0, "/fs1/elsewhere", rc=0),
        probe("new", JobState.RUNNING, 1300.0),
        logs={"old": early, "new": late},
    )
    found = hurt(state, state.job("n1", "r"))
    assert found is not None
    assert (found.probe.job.status.id, found.directory) == ("new", "/fs1/tmp")
    assert (found.impact.factor, found.impact.budget, found.impact.standing) == (3.0, 2.0, Standing.OVER)
    assert found.impact.baseline.basis == "54 probes over 18 min"


@pytest.mark.parametrize("how", [JobState.LOST, JobState.REBOOTED])
def test_of_a_probe_that_is_gone_nobody_knows_what_hangs(how: JobState) -> None:
    gone = probe("p", how, 0.0)
    found = hurt(state_of(gone, logs={"p": (begin(), *steady(20, 1890, 1000))}))
    assert found is not None
    assert (found.impact.hung, found.impact.why) == (None, f"the probe has ended: {gone.meaning}")


def test_a_probe_of_which_nothing_is_read_yet_is_no_quiet_one() -> None:
    found = hurt(state_of(probe("p", JobState.RUNNING, 0.0), logs={}))
    assert found is not None
    assert (found.impact.hung, found.impact.factor, found.impact.why) == (None, None, "no probe has told anything yet")
