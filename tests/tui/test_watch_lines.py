"""What `restripe watch` tells of a scan: one notice a change, and which of them are urgent."""

from __future__ import annotations

import json

import msgspec
import pytest

from remote.events import Decided, Exact, Header, JobsListed, LogRead
from remote.jobs import JobState, JobStatus
from supervision.filesystem import Counter, Finish, Phase, Progress
from supervision.gpfs import GpfsFileSystem
from supervision.happenings import Happening
from supervision.reducer import reduce
from supervision.state import Job, State
from tests.supervision import gpfs_states as made
from tests.supervision.gpfs_states import FS, NOW, job
from tests.supervision.probelines import begin, steady
from tui.exits import Exit
from tui.watch import ended
from tui.watchlines import Notice, Teller, as_object, as_text

RUNNING = Progress(Phase.RUNNING, counter=Counter("inodes", 100, 1000), tool_percent=96.5)


class Scripted(GpfsFileSystem):
    """A file system whose progress is as a test says."""

    told = RUNNING

    def progress(self, state: State, job: Job) -> Progress:
        return self.told


def teller(*, each_line: bool = False) -> tuple[Teller, Scripted]:
    fs = Scripted(FS, "n1")
    return Teller(fs, each_line=each_line), fs


def finish(low: float, mid: float, high: float) -> Finish:
    return Finish(NOW + low, NOW + mid, NOW + high, "by inodes")


def seen(notices: list[Notice]) -> list[tuple[str, str, str]]:
    return [(notice.event, notice.phase, notice.urgent) for notice in notices]


def test_the_same_state_twice_tells_nothing_the_second_time() -> None:
    telling, _fs = teller()
    state = made.state(jobs=(job(),))
    assert seen(telling.look(state, job())) == [("watching", "", ""), ("phase", "running", "")]
    assert telling.look(state, job()) == []
    assert telling.look(state, None) == []


def test_a_twentieth_of_the_work_is_a_line_and_less_is_none() -> None:
    telling, fs = teller()
    state = made.state(jobs=(job(),))
    telling.look(state, job())
    lines = []
    for done in (120, 149, 150, 199, 201, 90):
        fs.told = msgspec.structs.replace(RUNNING, counter=Counter("inodes", done, 1000))
        lines += [notice.done for notice in telling.look(state, job())]
    assert lines == [150, 201]


def test_with_each_line_every_new_line_is_told() -> None:
    telling, _fs = teller(each_line=True)
    telling.look(made.state(jobs=(job(),)), job())
    logs = made.scanning(3)
    assert seen(telling.look(made.state(jobs=(job(),), logs=(logs,)), job())) == [("progress", "running", "")]
    assert telling.look(made.state(jobs=(job(),), logs=(logs,)), job()) == []


def test_a_forecast_is_told_again_when_its_middle_leaves_the_range_that_was_told() -> None:
    telling, fs = teller()
    state = made.state(jobs=(job(),))
    told = []
    for times in ((3600, 5400, 7200), (3000, 3601, 4000), (3000, 3500, 4000), (3000, 4000, 5000)):
        fs.told = msgspec.structs.replace(RUNNING, finish=finish(*times), moved=(NOW, "QoS: slower"))
        told += [(notice.urgent, notice.text) for notice in telling.look(state, job()) if notice.event == "forecast"]
    assert told == [
        ("", "finish 14:46 to 15:46, likely 15:16 (QoS: slower)"),
        ("forecast", "finish 14:36 to 14:53, likely 14:45; it was 14:46 to 15:46 (QoS: slower)"),
    ]


@pytest.mark.parametrize(
    ("phase", "word", "urgent"),
    [
        (Phase.FINISHED, JobState.FINISHED, "finish"),
        (Phase.FAILED, JobState.FINISHED, "failure"),
        (Phase.STOPPED, JobState.FINISHED, "failure"),
        (Phase.LOST, JobState.LOST, "unknown"),
        (Phase.LOST, JobState.UNKNOWN, ""),  # its host cannot be reached for the moment
        (Phase.STALLED, JobState.RUNNING, "stall"),
        (Phase.QUIET, JobState.RUNNING, ""),
        (Phase.WAITING, JobState.RUNNING, ""),
    ],
)
def test_what_somebody_is_called_for(phase: Phase, word: JobState, urgent: str) -> None:
    telling, fs = teller()
    state = made.state(jobs=(job(),))
    telling.look(state, job())
    fs.told = msgspec.structs.replace(RUNNING, phase=phase, why="so it is")
    assert seen(telling.look(state, job(word))) == [("phase", phase.value, urgent)]


def test_decisions_and_happenings_are_told_once_also_where_nothing_is_watched() -> None:
    telling, _fs = teller()
    state = msgspec.structs.replace(
        made.state(),
        decisions=(Decided(NOW - 5, "restripe", "watches it"),),
        happened=(Happening(NOW - 4, "n2", "qos", "QoS: on"),),
    )
    first = telling.look(state, None)
    assert [(notice.at, notice.event, notice.text, notice.host, notice.urgent) for notice in first] == [
        (NOW - 5, "decision", "watches it [restripe]", "", ""),
        (NOW - 4, "qos", "QoS: on", "n2", ""),
    ]
    assert telling.look(msgspec.structs.replace(state, at=NOW + 1), None) == []


def test_another_scan_begins_anew() -> None:
    telling, _fs = teller()
    state = made.state(jobs=(job(), job(job_id="j2")))
    telling.look(state, job())
    assert seen(telling.look(state, job(job_id="j2"))) == [("watching", "", ""), ("phase", "running", "")]


def test_a_line_has_the_day_and_what_is_watched_has_its_command_host_and_time() -> None:
    telling, fs = teller()
    fs.told = msgspec.structs.replace(RUNNING, finish=finish(60, 120, 180), why="why", no_finish="")
    watching, running, forecast = telling.look(made.state(jobs=(job(),)), job())
    assert as_text(watching, 0) == ("1970-01-12 13:46:40  watching    mmrestripefs fs1 -r -N n1,n2 on n1, since 12:46")
    assert as_text(running, 3600) == (
        "1970-01-12 14:46:40  running     10.0 % of the work (100 of 1,000 inodes); the tool says 96.50 %; "
        "finish 13:47 to 13:49, likely 13:48; why"
    )
    assert as_text(forecast, 0).endswith("  forecast    finish 13:47 to 13:49, likely 13:48 (by inodes)")


def test_the_object_has_figures_where_they_are_known() -> None:
    told = json.loads(as_object(Notice(NOW, "qos", "QoS: on\u202e", "n2"), 0))
    assert told == {
        "time": NOW,
        "local": "1970-01-12T13:46:40",
        "event": "qos",
        "text": "QoS: on\u202e",
        "host": "n2",
    }
    telling, fs = teller()
    fs.told = msgspec.structs.replace(RUNNING, finish=finish(60, 120, 180))
    phase = json.loads(as_object(telling.look(made.state(jobs=(job(),)), job())[1], 0))
    assert (phase["phase"], phase["work"], phase["done"], phase["total"], phase["unit"], phase["tool_percent"]) == (
        "running", 0.1, 100, 1000, "inodes", 96.5,
    )  # fmt: skip
    assert (phase["finish"]["low"], phase["finish"]["mid"], phase["finish"]["high"]) == (NOW + 60, NOW + 120, NOW + 180)


@pytest.mark.parametrize(
    ("job_id", "phase", "read", "code"),
    [
        ("j1", Phase.FINISHED, False, Exit.DONE),
        ("j1", Phase.FAILED, True, Exit.FAILED),
        ("j1", Phase.STOPPED, True, Exit.FAILED),
        ("j1", Phase.STOPPING, True, None),
        ("j1", Phase.LOST, False, Exit.UNKNOWN),
        ("file:/a", Phase.FINISHED, False, Exit.WARNINGS),
        ("file:/a", Phase.FAILED, False, Exit.FAILED),
        ("file:/a", Phase.LOST, False, None),
        ("file:/a", Phase.LOST, True, Exit.UNKNOWN),
        ("file:/a", Phase.FINISHING, False, None),
    ],
)
def test_the_exit_status_tells_how_it_ended(job_id: str, phase: Phase, read: bool, code: Exit | None) -> None:
    assert ended(Job("n1", JobStatus(job_id, JobState.ENDED), NOW), Progress(phase), read=read) is code


def test_what_finished_with_something_left_to_look_at_ends_with_a_warning() -> None:
    job = Job("n1", JobStatus("j1", JobState.FINISHED, 0), NOW)
    assert ended(job, Progress(Phase.FINISHED, warned=True), read=True) is Exit.WARNINGS
    assert ended(job, Progress(Phase.FAILED, warned=True), read=True) is Exit.FAILED


def felt(us: int, until: int) -> State:
    """A probe that found operations of 1 ms until 1200 s, and of `us` microseconds since; and when they were told."""
    lines = (begin(budget="2"), *steady(20, 1200, 1000), *steady(1220, until, us))
    data = "".join(f"{line}\n" for line in lines).encode()
    scan = JobStatus("r", JobState.RUNNING, began=1200.0, command=f"mmrestripefs {FS} -r")
    status = JobStatus("p", JobState.RUNNING, began=0.0, command=f"sh /jobs/p/run/probe.sh /{FS}/tmp 20 30 4 2419200 2")
    state = State(Header(1, "0", 0.0, 0.0, FS, ("n1",), "n1"))
    for event in (LogRead(float(until), "n1", "job:p", 0, Exact(data)), JobsListed(float(until), "n1", (scan, status))):
        state = reduce(state, event)
    return state


def test_users_who_are_slowed_down_too_much_are_told_of_and_so_is_the_end_of_it() -> None:
    telling, _fs = teller()
    told = []
    for state in (felt(1500, 1900), felt(3000, 2900), felt(3000, 2901), felt(3000, 3900), felt(1500, 4900)):
        told += [notice for notice in telling.look(state, state.job("n1", "r")) if notice.event == "users"]
    assert [(notice.at, notice.urgent) for notice in told] == [(2900.0, "over-budget"), (4900.0, "")]
    assert told[0].text.startswith("create 1.0 ms, 3.0 ms now, 3x (OVER the budget of 2x since ")
    assert told[1].text == "create 1.0 ms, 1.5 ms now, 1.5x (budget 2x) hung probes 0"
