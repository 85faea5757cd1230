"""Where a migration stands, concluded from its jobs and the cluster's own tables. Pure.

Neither is believed alone: an exit code 0 without the promised state is a failure, and a job that was lost is decided by
what the tables show.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from remote.jobs import JobState
from supervision.guide_jobs import Attempt
from supervision.migration import StepState
from supervision.recipe import Happened


class Standing(msgspec.Struct, frozen=True):
    """How it stands with a step, and what there is to say of it."""

    state: StepState
    detail: str = ""
    rc: int | None = None


WAITING = Standing(StepState.WAITING)
_LOST = (JobState.LOST, JobState.REBOOTED, JobState.ENDED)


def standing(latest: Attempt | None, tells: Happened, *, back: bool, undone: bool) -> Standing:
    """How it stands with a step that runs a command, by its last try and what the tables tell.

    `back` is of a step that takes others back: that nothing is there to take back is no proof that it ran. `undone`
    tells that such a step has run since.
    """
    if latest is None or latest.status.state is JobState.ABSENT:
        if tells is Happened.YES and not back:
            return Standing(StepState.DONE, "the cluster's tables show it, and no job of this plan did it")
        return WAITING
    status = latest.status
    where = f"job {status.id} on {latest.host}"
    if status.state is JobState.RUNNING:
        return Standing(StepState.RUNNING, f"{where} runs")
    if status.state is JobState.FINISHED:
        return _finished(status.rc, tells, where, undone=undone)
    if tells is Happened.YES:
        return Standing(StepState.DONE, f"{where}: {status.meaning}; the cluster's tables show that it happened")
    if status.state in _LOST and tells is not Happened.UNKNOWN:
        if undone:
            return Standing(StepState.UNDONE)
        return Standing(StepState.FAILED, f"{where}: {status.meaning}. {after_loss(tells)}")
    return Standing(StepState.UNKNOWN, f"{where}: {status.meaning}. {how_to_find_out(latest)}")


def _finished(rc: int | None, tells: Happened, where: str, *, undone: bool) -> Standing:
    if tells is Happened.YES and rc == 0:
        return Standing(StepState.DONE, f"{where} ended with exit code 0, and the cluster's tables show it", rc)
    if tells is Happened.UNKNOWN:
        return Standing(StepState.UNKNOWN, f"{where} ended with exit code {rc}; its result was not read back yet", rc)
    if undone and tells is Happened.NO:
        return Standing(StepState.UNDONE, "", rc)
    if tells is Happened.YES:
        text = f"{where} ended with exit code {rc}, although the cluster's tables show that it happened"
    elif tells is Happened.PARTLY:
        text = f"{where} ended with exit code {rc}, and the cluster's tables show only a part of what was promised"
    else:
        text = f"{where} ended with exit code {rc}, and the cluster's tables do not show what was promised"
    return Standing(StepState.FAILED, text, rc)


def after_loss(tells: Happened) -> str:
    """What a lost job leaves, as the tables show it."""
    if tells is Happened.PARTLY:
        return "The cluster's tables show only a part of what it was to do: the rest may be done, or all taken back"
    return "The cluster's tables show that it did not happen: it may be run again"


def how_to_find_out(attempt: Attempt) -> str:
    """What a person does about a job of which nothing certain is known."""
    return (
        f"Look at the cluster's own tables before anything is run again; `restripe show jobs {attempt.host}` tells of "
        "the job. Once its host can be asked, or the tables can be read, it is decided by them"
    )


def looks_done(number: int, forward: Sequence[int], standings: Mapping[int, Standing], begun: Iterable[int]) -> bool:
    """Whether a step that only looks is over: a later one has begun, or is done."""
    later = {each for each in forward if each > number}
    return bool(later & set(begun)) or any(
        standings[each].state is not StepState.WAITING for each in later if each in standings
    )


def was_undone(latest: Attempt | None, back: Iterable[Attempt]) -> bool:
    """Whether a step that takes back has ended after the last try of a step began."""
    ended = [each for each in back if each.status.state is JobState.FINISHED and each.status.rc == 0]
    if latest is None or not ended:
        return False
    return any((each.status.ended or 0.0) >= (latest.status.began or 0.0) for each in ended)
