"""What is concluded of a step from its job and the cluster's tables: neither alone, and never more than they tell."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from remote.errors import AnswerLostError, GarbledError, SiteError, StillAskedError, Trouble, UnreachableError
from remote.jobs import JobState, JobStatus
from supervision.guide_jobs import Attempt, split_id
from supervision.guide_telling import stop_error
from supervision.guide_truth import standing, was_undone
from supervision.migration import Ending, StepState
from supervision.recipe import Happened
from supervision.recipes.metadata_to_ssd.restriping import RestripeAll
from tests.supervision.gpfs_states import FS, disk, disk_list, job, state
from tests.supervision.test_gpfs_problems import NOT_REPLICATED
from tests.supervision.test_plan import PLAN

NO, PARTLY, YES, UNKNOWN = Happened.NO, Happened.PARTLY, Happened.YES, Happened.UNKNOWN


def attempt(state: JobState, rc: int | None = None, *, began: float = 10.0, ended: float | None = None) -> Attempt:
    return Attempt(4, 1, "n1", JobStatus("p-4-mmcrnsd-1", state, rc, began, ended))


@pytest.mark.parametrize(
    ("latest", "tells", "state"),
    [
        (None, NO, StepState.WAITING),
        (None, PARTLY, StepState.WAITING),
        (None, UNKNOWN, StepState.WAITING),
        (None, YES, StepState.DONE),  # by hand, from the runbook
        (attempt(JobState.ABSENT), NO, StepState.WAITING),
        (attempt(JobState.RUNNING), NO, StepState.RUNNING),
        (attempt(JobState.RUNNING), YES, StepState.RUNNING),
        (attempt(JobState.FINISHED, 0), YES, StepState.DONE),
        (attempt(JobState.FINISHED, 0), NO, StepState.FAILED),
        (attempt(JobState.FINISHED, 0), PARTLY, StepState.FAILED),
        (attempt(JobState.FINISHED, 0), UNKNOWN, StepState.UNKNOWN),
        (attempt(JobState.FINISHED, 1), NO, StepState.FAILED),
        (attempt(JobState.FINISHED, 1), YES, StepState.FAILED),
        (attempt(JobState.LOST), YES, StepState.DONE),
        (attempt(JobState.LOST), NO, StepState.FAILED),
        (attempt(JobState.LOST), PARTLY, StepState.FAILED),
        (attempt(JobState.LOST), UNKNOWN, StepState.UNKNOWN),
        (attempt(JobState.REBOOTED), NO, StepState.FAILED),
        (attempt(JobState.ORPHAN), NO, StepState.UNKNOWN),  # its command goes on
        (attempt(JobState.ORPHAN), YES, StepState.DONE),
        (attempt(JobState.UNKNOWN), NO, StepState.UNKNOWN),  # it may begin, or go on, for all one knows
        (attempt(JobState.UNKNOWN), YES, StepState.DONE),
    ],
)
def test_a_step_stands_as_its_job_and_the_tables_say_together(
    latest: Attempt | None, tells: Happened, state: StepState
) -> None:
    assert standing(latest, tells, back=False, undone=False).state is state


def test_that_nothing_is_there_to_take_back_is_no_proof_that_it_was_taken_back() -> None:
    assert standing(None, YES, back=True, undone=False).state is StepState.WAITING


def test_a_step_that_was_taken_back_is_undone_and_no_failure() -> None:
    done = attempt(JobState.FINISHED, 0, began=10.0, ended=20.0)
    back = attempt(JobState.FINISHED, 0, began=30.0, ended=40.0)
    assert was_undone(done, [back])
    assert standing(done, NO, back=False, undone=True).state is StepState.UNDONE
    assert standing(done, YES, back=False, undone=True).state is StepState.DONE
    again = attempt(JobState.FINISHED, 0, began=50.0, ended=60.0)
    assert not was_undone(again, [back])
    assert not was_undone(done, [attempt(JobState.FINISHED, 1, began=30.0, ended=40.0)])


@pytest.mark.parametrize(
    ("told", "plan", "parts"),
    [
        ("mss1-1-4-mmcrnsd-1", "mss1-1", (4, "mmcrnsd", 1)),
        ("mss1-1-9-mmchdisk-back-12", "mss1-1", (9, "mmchdisk-back", 12)),
        ("mss1-1-4-mmcrnsd-1", "mss1", (1, "4-mmcrnsd", 1)),  # no step is called so
        ("mss1-1-4-mmcrnsd-1", "mss1-2", None),
        ("mss1-1", "mss1-1", None),
        ("mss1-1-4-mmcrnsd", "mss1-1", None),
    ],
)
def test_the_id_of_a_job_tells_step_and_attempt(told: str, plan: str, parts: tuple[int, str, int] | None) -> None:
    assert split_id(told, plan) == parts


@pytest.mark.parametrize(
    ("changes", "tells"),
    [
        ([("6-mmchdisk-1", 100.0)], UNKNOWN),
        ([("6-mmchdisk-1", 100.0), ("9-mmchdisk-back-1", 300.0), ("6-mmchdisk-2", 400.0)], NO),
        ([("6-mmchdisk-1", 100.0), ("9-mmchdisk-back-1", 300.0)], NO),
        ([("9-mmchdisk-back-1", 90.0), ("6-mmchdisk-1", 100.0)], UNKNOWN),
    ],
)
def test_a_restripe_is_not_believed_that_began_before_the_old_disks_were_changed_last(
    changes: list[tuple[str, float]], tells: Happened
) -> None:
    """With --metadata-only the tables do not tell, and its exit code 0 would be taken for another one's."""
    plan = replace(PLAN, options=replace(PLAN.options, metadata_only=True))
    old = disk(plan.old_disks[0].nsd, usage="NY")
    jobs = [job(JobState.FINISHED, job_id=f"{plan.id}-7-mmrestripefs-1", began=200.0, rc=0)]
    jobs += [job(JobState.FINISHED, job_id=f"{plan.id}-{rest}", began=began, rc=0) for rest, began in changes]
    known = state({f"disks {FS}": disk_list(old, attention=(NOT_REPLICATED,))}, jobs=tuple(jobs))
    assert RestripeAll().happened(known, replace(plan, file_system=FS), 0.0) is tells


@pytest.mark.parametrize(
    ("error", "ending"),
    [
        (UnreachableError("n1", Trouble.LOST), Ending.UNREACHABLE),
        (AnswerLostError("n1", "the connection was lost"), Ending.UNREACHABLE),
        (StillAskedError("n1", "the same question still runs there"), Ending.UNREACHABLE),
        (GarbledError("n1", "nothing came back"), Ending.UNKNOWN),
    ],
)
def test_a_question_that_was_lost_may_be_asked_again_but_what_was_launched_is_unknown(
    error: SiteError, ending: Ending
) -> None:
    assert stop_error(error).ending is ending
    assert stop_error(error, launched=True).ending is Ending.UNKNOWN
