"""Progress of a scan: each phase, and what is told in it."""

from __future__ import annotations

import math

import msgspec
import pytest

from remote.events import JobChanged, Launching
from remote.gpfs.commands import mmrestripefs
from remote.gpfs.models import Snapshot, Snapshots
from remote.jobs import JobSpec, JobState, JobStatus
from supervision.filesystem import Phase, Progress
from supervision.gpfs import READING
from supervision.gpfs_progress import stall_limit
from supervision.logs import Log, append
from supervision.reducer import reduce
from supervision.state import Job
from tests.supervision import gpfs_states as made
from tests.supervision.gpfs_states import DONE, FS, NOW, PHASE_1, USER_FILES, counted, job, log, scanning

SPACE = {f"space {FS}": made.space(made.disk_space("a"))}
"""A million allocated inodes, 900,000 of them used."""


def told(a_job: Job, *logs: Log, at: float = NOW, speed: float = 1.0) -> Progress:
    state = made.state(SPACE, jobs=(a_job,), logs=logs, at=at, speed=speed)
    return made.file_system().progress(state, a_job)


def test_no_counted_line_yet_is_starting() -> None:
    assert told(job(began=NOW - 10)).phase is Phase.STARTING
    in_metadata = told(
        job(began=NOW - 60), log((NOW - 50, PHASE_1), (NOW - 10, " 5 % complete on Thu Jun  6 15:46:38 2013"))
    )
    assert in_metadata.phase is Phase.STARTING
    assert in_metadata.phases == (("metadata 1", "running"), ("user files", "to come"))
    assert in_metadata.tool_percent == 5.0
    assert in_metadata.counter is not None
    assert (in_metadata.counter.done, in_metadata.counter.fraction, in_metadata.finish) == (None, None, None)


def test_between_two_phases_is_starting() -> None:
    assert told(job(), log((NOW - 50, PHASE_1), (NOW - 10, DONE))).phase is Phase.STARTING


def test_a_launch_that_was_not_heard_of_is_starting_and_a_lost_host_is_not() -> None:
    spec = JobSpec("j1", "t", "o", mmrestripefs(FS, ["n1"]))
    state = reduce(made.state(), Launching(NOW, "n1", spec))
    fs = made.file_system()
    launched = fs.scan_job(state)
    assert launched is not None
    assert fs.progress(state, launched).phase is Phase.STARTING
    assert fs.problems(state) == ()
    lost = JobStatus("j1", JobState.UNKNOWN, note="n1: the connection was lost")
    state = reduce(state, JobChanged(NOW + 9, "n1", lost))
    unreachable = fs.scan_job(state)
    assert unreachable is not None
    progress = fs.progress(state, unreachable)
    assert progress.phase is Phase.LOST
    assert "connection was lost" in progress.why
    assert "it goes on, as far as one knows" in progress.why
    assert [line.label for line in fs.problems(state)] == ["Jobs"]


def test_a_lost_host_makes_an_old_scan_no_newer() -> None:
    fs = made.file_system()
    state = made.state()
    for at, job_id in ((NOW, "older"), (NOW + 50, "newer")):
        state = reduce(state, Launching(at, "n1", JobSpec(job_id, "t", "o", mmrestripefs(FS, ["n1"]))))
    state = reduce(state, JobChanged(NOW + 90, "n1", JobStatus("older", JobState.UNKNOWN, note="lost")))
    found = fs.scan_job(state)
    assert found is not None
    assert found.status.id == "newer"


def test_waiting_names_the_conflict() -> None:
    line = (
        f"mmrestripefs: 6027-2763 Unable to start restripefs on '{FS}' because conflicting program deldisk is running."
    )
    progress = told(job(), log((NOW - 5000, line)))
    assert progress.phase is Phase.WAITING
    assert "deldisk" in progress.why


def test_running_tells_work_rate_trend_and_finish() -> None:
    progress = told(job(), scanning(10, gap=100, step=10_000))
    assert progress.phase is Phase.RUNNING
    assert progress.phases == (("metadata 1", "done"), ("user files", "running"))
    assert progress.counter is not None
    assert (progress.counter.done, progress.counter.total, progress.counter.fraction) == (100_000, 1_000_000, 0.1)
    assert progress.rate == pytest.approx(100.0)
    assert progress.trend == pytest.approx((100.0,) * 9)
    assert (progress.last_line_at, progress.usual_gap) == (NOW - 50, 100.0)
    assert progress.finish is not None
    # 900,000 inodes are left at 100 a second, from the last line on; the rate was steady: the least range
    assert progress.finish.mid == pytest.approx(NOW - 50 + 9000, abs=1.0)
    assert progress.finish.low == pytest.approx(NOW - 50 + 9000 * math.exp(-1.85 * 0.3), abs=60.0)
    assert progress.finish.high == pytest.approx(NOW - 50 + 9000 * math.exp(1.25 * 0.3), abs=60.0)
    assert progress.finish.basis == "by inodes; mean 100 inodes/s"


def test_a_finish_is_told_until_the_end_and_never_in_the_past() -> None:
    progress = told(job(), scanning(10, gap=100, step=99_000))
    assert progress.finish is not None
    assert NOW < progress.finish.low < progress.finish.mid < progress.finish.high


@pytest.mark.parametrize(("lines", "finish"), [(5, False), (6, True)])
def test_a_finish_needs_six_counted_lines_or_a_tenth_of_the_work(lines: int, finish: bool) -> None:
    progress = told(job(), scanning(lines, step=5_000))
    assert (progress.finish is not None) is finish
    assert progress.no_finish == ("" if finish else f"only {lines} lines of progress so far")
    assert told(job(), scanning(5, step=50_000)).finish is not None


def test_where_mmdf_cannot_be_had_it_is_by_the_percentage_alone() -> None:
    a_job = job()
    lines = [(NOW - 2000 + 200 * index, counted(10_000 * index, 5.0 * index)) for index in range(1, 10)]
    failed = {f"space {FS}": made.fact(f"space {FS}", None, failure="exit code 1: busy")}
    state = made.state(failed, jobs=(a_job,), logs=(log((NOW - 2000, USER_FILES), *lines),))
    progress = made.file_system().progress(state, a_job)
    assert progress.phase is Phase.RUNNING
    assert progress.finish is not None
    assert progress.finish.basis.startswith("by percent")
    assert progress.counter is not None
    assert (progress.counter.total, progress.counter.fraction) == (None, None)


@pytest.mark.parametrize(
    ("silent", "gap", "phase"),
    [
        (199, 100.0, Phase.RUNNING),
        (201, 100.0, Phase.QUIET),
        (599, 100.0, Phase.QUIET),
        (601, 100.0, Phase.STALLED),
        (299, 5.0, Phase.QUIET),  # never stalled before five minutes
        (301, 5.0, Phase.STALLED),
    ],
)
def test_silence_becomes_quiet_and_then_stalled(silent: float, gap: float, phase: Phase) -> None:
    progress = told(job(), scanning(gap=gap, last=NOW - silent))
    assert progress.phase is phase
    assert (progress.finish is None) is (phase is Phase.STALLED or gap == 5.0)  # nine lines in 45 s are too few
    assert bool(progress.why) is (phase is not Phase.RUNNING)


def test_nothing_is_stalled_before_two_looks_could_have_seen_a_line() -> None:
    assert stall_limit(None, 1.0) == 300.0
    assert stall_limit(100.0, 1.0) == 600.0
    assert stall_limit(None, 600.0) == 600.0


def test_a_scan_that_never_printed_a_line_is_stalled_too() -> None:
    progress = told(job(began=NOW - 3600))
    assert progress.phase is Phase.STALLED
    assert "printed nothing for 1 h" in progress.why


@pytest.mark.parametrize("last", [counted(998_000, 98.3), " 100.00 % complete on Thu Jun  6 19:41:03 2013", DONE])
def test_nearly_all_work_or_the_tools_own_end_is_finishing(last: str) -> None:
    begun = scanning(10)
    data = f"{last}\n".encode()
    progress = told(job(), append(begun, data, NOW - 5, end=begun.size + len(data), reading=READING))
    assert progress.phase is Phase.FINISHING
    assert progress.finish is None
    assert progress.why


def test_with_snapshots_as_many_inodes_as_are_allocated_are_not_nearly_all_work() -> None:
    begun = scanning(10)
    data = f"{counted(998_000, 98.3)}\n".encode()
    lines = append(begun, data, NOW - 5, end=begun.size + len(data), reading=READING)
    facts = {**SPACE, f"snapshots {FS}": Snapshots((Snapshot(FS, "s1", 1, "Valid", ""),))}
    a_job = job()
    progress = made.file_system().progress(made.state(facts, jobs=(a_job,), logs=(lines,)), a_job)
    assert progress.phase is Phase.RUNNING
    assert progress.counter is not None
    assert progress.counter.at_least


def test_100_percent_of_a_metadata_phase_is_not_the_end() -> None:
    lines = log((NOW - 60, PHASE_1), (NOW - 5, " 100.00 % complete on Thu Jun  6 15:46:38 2013"))
    assert told(job(began=NOW - 60), lines).phase is Phase.STARTING


def test_exit_code_0_is_finished_and_the_count_stays_as_it_was_told() -> None:
    progress = told(job(JobState.FINISHED, rc=0), scanning(10))
    assert progress.phase is Phase.FINISHED
    assert progress.counter is not None
    assert progress.counter.done == 100_000
    assert {word for _, word in progress.phases} == {"done"}


def test_another_exit_code_is_failed_with_the_words_that_say_why() -> None:
    lines = log(
        (NOW - 90, USER_FILES),
        (NOW - 80, "Not enough space for the desired number of replicas."),
        *((NOW - 70 + number, f"line {number}") for number in range(3)),
        (NOW - 10, "mmrestripefs: Command failed. Examine previous error messages to determine cause."),
    )
    progress = told(job(JobState.FINISHED, rc=1), lines)
    assert progress.phase is Phase.FAILED
    assert progress.why.startswith("exit code 1: Not enough space for the desired number of replicas. / line 1")
    assert "Command failed" in progress.why
    assert progress.phases[-1] == ("user files", "failed")


def test_a_signal_is_named() -> None:
    assert "signal 15" in told(job(JobState.FINISHED, rc=143), scanning()).why
    assert "not been read" in told(job(JobState.FINISHED, rc=1)).why


@pytest.mark.parametrize(
    ("word", "phase"),
    [
        (JobState.UNKNOWN, Phase.LOST),
        (JobState.LOST, Phase.LOST),
        (JobState.REBOOTED, Phase.LOST),
        (JobState.ERROR, Phase.UNKNOWN),
    ],
)
def test_what_cannot_be_known_is_lost_or_unknown_and_says_which(word: JobState, phase: Phase) -> None:
    progress = told(job(word), scanning())
    assert progress.phase is phase
    assert progress.why.startswith(job(word).status.meaning)
    assert progress.finish is None
    assert progress.phases[-1][1] == "not known"


def test_a_scan_whose_runner_was_killed_goes_on_and_says_what_will_never_be_known() -> None:
    progress = told(job(JobState.ORPHAN), scanning())
    assert progress.phase is Phase.RUNNING
    assert progress.why == job(JobState.ORPHAN).status.meaning
    assert progress.finish is not None
    assert told(job(JobState.ORPHAN), scanning(last=NOW - 2000)).phase is Phase.STALLED


def test_a_log_that_was_not_read_is_unknown() -> None:
    assert told(job(size=100)).phase is Phase.UNKNOWN
    assert told(job(size=100, began=NOW - 2, at=NOW - 1)).phase is Phase.STARTING  # it is only just being read


def test_a_count_that_falls_begins_the_rate_anew() -> None:
    lines = [(NOW - 1000 + 100 * number, counted(500_000 + number)) for number in range(5)]
    lines += [(NOW - 400 + 100 * number, counted(1000 * (number + 1))) for number in range(4)]
    assert told(job(), log((NOW - 1100, USER_FILES), *lines)).rate == pytest.approx(10.0)


def test_a_stop_that_was_asked_is_said() -> None:
    a_job = job()
    state = made.state(SPACE, jobs=(a_job,), logs=(scanning(),))
    asked = msgspec.structs.replace(state, stops={("n1", "j1"): NOW - 5})
    assert "asked to stop" in made.file_system().progress(asked, a_job).why


def test_the_scan_is_the_newest_job_that_scans_this_file_system() -> None:
    jobs = (
        job(job_id="old", began=NOW - 9000),
        job(job_id="new", command=f"mmdeldisk {FS} a", began=NOW - 10),
        job(job_id="other", command="mmrestripefs fs2 -r -N n1", began=NOW),
        job(job_id="change", command=f"mmchdisk {FS} change -F f", began=NOW),
        job(job_id="broken", command=f"mmrestripefs {FS} 'unclosed", began=NOW - 99),
    )
    fs = made.file_system()
    found = fs.scan_job(made.state(jobs=jobs))
    assert found is not None
    assert found.status.id == "new"
    starting = job(job_id="start", command=f"mmchdisk /dev/{FS} start -a", began=NOW)
    assert fs.scan_job(made.state(jobs=(*jobs, starting))) == starting
    assert fs.scan_job(made.state(jobs=jobs[2:4])) is None


@pytest.mark.parametrize("word", [JobState.FINISHED, JobState.LOST, JobState.ENDED, JobState.ERROR])
def test_a_scan_that_runs_is_never_hidden_by_a_later_one_that_does_not(word: JobState) -> None:
    runs = job(job_id="weeks", began=NOW - 900_000)
    later = job(word, f"mmdelsnapshot {FS} old", job_id="later", began=NOW - 10)
    assert made.file_system().scan_job(made.state(jobs=(runs, later))) == runs
    unheard = msgspec.structs.replace(runs, status=msgspec.structs.replace(runs.status, state=JobState.UNKNOWN))
    assert made.file_system().scan_job(made.state(jobs=(unheard, later))) == unheard


def test_what_was_counted_before_a_restart_is_not_taken_for_nearly_all_work() -> None:
    again = log(
        *((NOW - 900 + 60 * line, text) for line, text in enumerate((PHASE_1, DONE, USER_FILES, counted(999_000)))),
        *((NOW - 300 + 60 * line, text) for line, text in enumerate((PHASE_1, DONE, USER_FILES))),
    )
    progress = told(job(), again)
    assert (progress.phase, progress.why) == (Phase.STARTING, "")
    assert progress.counter is not None
    assert progress.counter.done is None
