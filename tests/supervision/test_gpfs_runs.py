"""Which runs of GPFS are kept for the next forecasts, and as what."""

from __future__ import annotations

import pytest

from remote.jobs import JobState
from supervision.eta_rates import Known
from supervision.gpfs import READING
from supervision.gpfs_runs import finished_run
from supervision.gpfs_view import View
from supervision.logs import Log, append
from supervision.state import Job
from tests.supervision.gpfs_states import DONE, FS, NOW, USER_FILES, cluster, counted, job, state

BEGAN = NOW - 10_000.0
END = "100.00 % complete on Thu Jun  6 19:41:03 2013"
SITE = "c.example.com"


def read(*, last: int = 99, ends: bool = True) -> Log:
    """100 inodes a second of a million, a line each 100 s, and the end."""
    lines = [(BEGAN, USER_FILES), *((BEGAN + 100.0 * n, counted(10_000 * n)) for n in range(1, last + 1))]
    lines += [(NOW, END), (NOW, DONE)] if ends else []
    made = Log("n1", "job:j1")
    for at, text in lines:
        data = f"{text}\n".encode()
        made = append(made, data, at, end=made.size + len(data), reading=READING, known=Known(1_000_000))
    return made


def view(one: Job, text: Log, *, known: bool = True) -> View:
    return View(state({"cluster": cluster()} if known else {}, jobs=(one,), logs=(text,)), FS, ("n1",))


def test_a_run_that_ended_well_is_kept_with_where_its_end_was_in_each_forecast() -> None:
    """The rate never changed, so each middle was the end."""
    one = job(JobState.FINISHED, began=BEGAN, rc=0)
    found = finished_run(view(one, read()), one)
    assert found is not None
    assert (found.kind, found.site, found.ended, found.seconds) == ("mmrestripefs -r", SITE, NOW, 10_000.0)
    assert 20 <= len(found.residuals) <= 24
    assert found.residuals == pytest.approx((0.0,) * len(found.residuals), abs=0.01)


@pytest.mark.parametrize(
    ("word", "rc", "ends", "kept"),
    [
        (JobState.FINISHED, 0, True, True),
        (JobState.FINISHED, 1, True, False),
        (JobState.RUNNING, None, True, False),
        (JobState.LOST, None, False, False),
        (JobState.ENDED, None, True, True),  # somebody else's: its last words tell
        (JobState.ENDED, None, False, False),
    ],
)
def test_only_what_ended_well_teaches(word: JobState, rc: int | None, *, ends: bool, kept: bool) -> None:
    one = job(word, began=BEGAN, rc=rc)
    assert (finished_run(view(one, read(ends=ends)), one) is not None) is kept


def test_a_run_of_an_unknown_cluster_and_one_that_scans_nothing_are_not_kept() -> None:
    one = job(JobState.FINISHED, began=BEGAN, rc=0)
    assert finished_run(view(one, read(), known=False), one) is None
    other = job(JobState.FINISHED, "mmlsdisk fs1", began=BEGAN, rc=0)
    assert finished_run(view(other, read()), other) is None
