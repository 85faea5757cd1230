"""The true end of a recorded scan: what the recording tells of it later, and how good the forecasts were by that."""

from __future__ import annotations

from pathlib import Path

from remote.events import Closed, Header, JobChanged
from remote.jobs import JobState, JobStatus
from remote.recording import Writer
from supervision.clocktext import time_of_day
from supervision.eta import State
from supervision.forecasts import Told
from supervision.replay import Replay
from supervision.truth import Truth, true_end, truth_text
from tests.screens.seedapp import replay

NOON = 1370520000.0
JOB = "mss1-20130606T152037-6-mmrestripefs-1"
TOLD = (
    Told(NOON, State.STARTING),
    Told(NOON + 100, State.ESTIMATE, "inodes", NOON + 900, NOON + 1200, NOON + 1500),
    Told(NOON + 200, State.ESTIMATE, "inodes", NOON + 1100, NOON + 1300, NOON + 1500),
)


def recorded(path: Path, *events: JobChanged) -> Replay:
    writer = Writer(path / "r.jsonl", Header(1, "0", 0.0, NOON, "fs", ("a",), "a"))
    for event in events:
        writer.write(event)
    writer.write(Closed(NOON + 3600))
    writer.close()
    return Replay(writer.path)


def test_the_seed_was_over_when_its_host_says_so_and_its_log_too() -> None:
    end = replay().end
    truth = true_end(replay(), "pollux1", JOB)
    assert truth.at is not None
    assert time_of_day(truth.at, end.utc_offset) == "19:27:11"
    log = end.job_log("pollux1", JOB)
    assert log is not None
    assert "19:27:11" in log.tail[-2]


def test_a_job_whose_end_nobody_recorded_has_none(tmp_path: Path) -> None:
    running = JobChanged(NOON, "a", JobStatus("j", JobState.RUNNING, began=NOON))
    assert true_end(recorded(tmp_path, running), "a", "j") == Truth(why="the recording ends before it does")
    assert true_end(recorded(tmp_path / "2"), "a", "other") == Truth(why="the recording ends before it does")


def test_without_its_hosts_word_it_was_over_when_that_was_first_seen(tmp_path: Path) -> None:
    gone = JobChanged(NOON + 50, "a", JobStatus("j", JobState.LOST, began=NOON))
    assert true_end(recorded(tmp_path, gone), "a", "j") == Truth(NOON + 50)


def test_what_is_not_read_yet_is_not_waited_for(tmp_path: Path) -> None:
    ended = JobChanged(NOON + 50, "a", JobStatus("j", JobState.FINISHED, began=NOON, ended=NOON + 40, rc=0))
    path = recorded(tmp_path, ended).index.path
    lazy = Replay(path, whole=False)
    assert true_end(lazy, "a", "j").at is None
    assert true_end(lazy, "a", "j").why.startswith("not known yet: ")
    lazy.index.extend_whole()
    lazy.fold_to(len(lazy.index))
    assert true_end(lazy, "a", "j") == Truth(NOON + 40)


def test_it_is_said_how_far_off_the_forecast_of_now_is_and_how_often_its_range_held() -> None:
    truth = Truth(NOON + 1000)
    assert truth_text(truth, TOLD, NOON + 150, 0) == ("12:16:40; forecast now 3 min late; in range 100 % of the time")
    assert truth_text(truth, TOLD, NOON + 300, 0).endswith("forecast now 5 min late; in range 50 % of the time")
    assert truth_text(truth, TOLD, NOON + 2000, 0) == "12:16:40; in range 11 % of the time"
    assert truth_text(Truth(NOON + 1190), TOLD[:2], NOON + 150, 0).startswith("12:19:50; forecast now right;")
    assert truth_text(truth, TOLD[:1], NOON + 50, 0) == "12:16:40"
    assert (
        truth_text(Truth(why="the recording ends before it does"), TOLD, NOON, 0) == "the recording ends before it does"
    )
