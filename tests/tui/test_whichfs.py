"""Which file system is meant where none was named."""

from __future__ import annotations

import msgspec
import pytest

from remote.jobs import JobState
from remote.linux.scans import Goes, Output, RunningScan, RunningScans
from supervision.state import State
from tests.supervision import gpfs_states as made
from tests.supervision.gpfs_states import NOW, job
from tui.whichfs import named_by


def scan(pid: int, fs: str, age: float, log: str = "", in_job: str = "") -> RunningScan:
    outputs = (Output(Goes.FILE, log, "tee", pid, 3, (1,)),) if log else ()
    return RunningScan(pid, 1, 5, age, argv=("/x/mmrestripefs", fs, "-r"), outputs=outputs, job=in_job)


def state() -> State:
    """Two jobs, of which one has ended, and three scans by processes: of a job, old, and new."""
    ended = job(JobState.FINISHED, "mmrestripefs last -r", job_id="j1", began=NOW - 10, rc=0)
    running = job(JobState.RUNNING, "mmdeldisk /dev/ours x", job_id="j2", began=NOW - 900)
    other = job(JobState.RUNNING, "du -s /x", job_id="j3", began=NOW - 1)
    told = (scan(7, "ours", 800, in_job="/jobs/j2"), scan(8, "old", 5000, "/old.log"), scan(9, "new", 700, "/new.log"))
    return made.state({"scans n1": RunningScans(NOW, told)}, jobs=(ended, running, other))


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ({}, "new"),
        ({"job_id": "j2"}, "ours"),
        ({"job_id": "j1"}, "last"),
        ({"job_id": "j3"}, ""),
        ({"job_id": "nope"}, ""),
        ({"log": "/old.log"}, "old"),
        ({"log": "/nope.log"}, ""),
        ({"log": "/nope.log", "pid": 9}, "new"),
    ],
)
def test_the_scan_that_is_meant_names_its_file_system(wanted: dict[str, object], name: str) -> None:
    assert named_by(state(), "n1", **wanted) == ("gpfs", name)  # type: ignore[arg-type]


def test_one_that_runs_comes_before_one_that_ended_later() -> None:
    without = msgspec.structs.replace(state(), facts={})
    assert named_by(without, "n1") == ("gpfs", "ours")


def test_a_savemeta_names_its_device_with_our_guard_around_it_or_without() -> None:
    words = "sh /var/tmp/x/guarded.sh 9 -- gfs2_edit savemeta -z1 /dev/vg0/data /out.gz"
    guarded = job(JobState.RUNNING, words, job_id="j9", began=NOW)
    assert named_by(made.state({}, jobs=(guarded,)), "n1") == ("gfs2", "/dev/vg0/data")
    by_hand = RunningScan(9, 1, 5, 7.0, argv=("/usr/sbin/fsck.gfs2", "-n", "/dev/mapper/vg0-data"))
    told = made.state({"scans n1": RunningScans(NOW, (by_hand,))})
    assert named_by(told, "n1") == ("gfs2", "/dev/mapper/vg0-data")
