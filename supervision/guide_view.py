"""The steps of a guided migration as they are shown: the same of a live one and of a recording. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from remote.checked import Check
from remote.events import Acknowledged
from remote.jobs import JobState
from supervision.checking import acknowledgeable
from supervision.guide import numbered
from supervision.guide_jobs import MARKER, split_id
from supervision.jobtimes import ran_seconds
from supervision.plan import FILE, Plan, PlanError, decode
from supervision.recipe import Act, GuidedStep, Recipe, StepSpec
from supervision.state import Job, State

BUSY = ("checking", "confirmed", "launching", "running", "verifying")
"""States of a step that something is done with now."""
_OWN = (FILE, MARKER)


class Shown(msgspec.Struct, frozen=True):
    """A step. `spec` is None where no plan is known, as in older recordings; `title` is then what was told of it.

    `seconds` is how long it took, or takes so far; `back` is of one that takes others back. `command` is what it runs,
    or ran, on `host`, with `files` as (name, content).
    """

    number: int
    name: str
    title: str
    state: str
    detail: str = ""
    rc: int | None = None
    seconds: float | None = None
    spec: StepSpec | None = None
    back: bool = False
    checks: tuple[Check, ...] = ()
    proven: tuple[Check, ...] = ()
    acknowledged: Mapping[str, Acknowledged] = {}
    command: str = ""
    host: str = ""
    files: tuple[tuple[str, str], ...] = ()

    @property
    def to_acknowledge(self) -> tuple[Check, ...]:
        """The warnings of its last check that nobody took note of."""
        return tuple(check for check in acknowledgeable(self.checks) if check.key not in self.acknowledged)


def shown(
    state: State, steps: Mapping[int, GuidedStep], acts: Mapping[int, Act], *, now: float, host: str = ""
) -> tuple[Shown, ...]:
    """All steps in order; of those that take back only what was begun.

    `steps` are those of the recipe by number, where that is known; `acts` what each would run, `host` where.
    """
    forward = [number for number, step in steps.items() if not _goes_back(step, steps)]
    back = [number for number in steps if number not in forward and _begun(state, number)]
    return tuple(
        _shown(state, number, steps.get(number), acts.get(number), now, host, back=number in back)
        for number in sorted({*forward, *back, *(state.steps if not steps else ())})
    )


def steps_of(plan: Plan | None, recipe: Callable[[str], Recipe]) -> Mapping[int, GuidedStep]:
    """The steps of a plan by number, as a guide counts them; none without a plan, or of a recipe that is not known."""
    if plan is None:
        return {}
    try:
        return numbered(recipe(plan.recipe).steps(plan))
    except ValueError:
        return {}


def _goes_back(step: GuidedStep, steps: Mapping[int, GuidedStep]) -> bool:
    return any(step.spec.name == each.spec.name for other in steps.values() for each in other.undo)


def _begun(state: State, number: int) -> bool:
    told = state.steps.get(number)
    return number in state.checked or (told is not None and told.state != "waiting")


def _shown(
    state: State, number: int, step: GuidedStep | None, act: Act | None, now: float, host: str, *, back: bool
) -> Shown:
    told = state.steps.get(number)
    word = told.state if told else "waiting"
    spec = step.spec if step else None
    name = spec.name if spec else told.name if told else ""
    job = job_of(state, number, name)
    command, where, files = (act.command.text, host, act.files) if act else ("", "", ())
    if job and job.spec and (act is None or word not in ("waiting", "checking", "blocked", "ready", "undone")):
        command, where, files = job.spec.command.text, job.host, job.spec.files
    elif told and told.command and not command:
        command, where = told.command, told.host
    checked, proven = state.checked.get(number), state.proven.get(number)
    return Shown(
        number,
        name,
        spec.title if spec else told.title if told else "",
        word,
        told.detail if told else "",
        told.rc if told else None,
        _seconds(state, number, job, word, now, guided=step is not None),
        spec,
        back,
        checked.checks if checked else (),
        proven.checks if proven else (),
        {key: event for (where, key), event in state.acknowledged.items() if where == number},
        command,
        where,
        tuple(each for each in files if each[0] not in _OWN),
    )


def _seconds(state: State, number: int, job: Job | None, word: str, now: float, *, guided: bool) -> float | None:
    """How long its command has run, or did; of what has none how long it is looked at, or was in older recordings."""
    times, told = state.step_times.get(number), state.steps.get(number)
    if times is None or told is None or word == "waiting":
        return None
    if job is not None and word not in ("checking", "blocked", "ready", "undone"):
        return ran_seconds(state, job, now)
    if word in BUSY:
        return max(0.0, now - (told.t if guided else times[0]))
    return None if guided else max(0.0, times[1] - times[0])


def job_of(state: State, number: int, name: str) -> Job | None:
    """The last job of a step that was launched, as far as this session knows of one."""
    plan = state.header.plan
    found = []
    for job in state.jobs.values():
        parts = split_id(job.status.id, plan) if plan else _split(job.status.id)
        if parts and parts[:2] == (number, name) and job.status.state is not JobState.SEALED:
            found.append((parts[2], job))
    return max(found, key=lambda each: each[0])[1] if found else None


def _split(told: str) -> tuple[int, str, int] | None:
    """The same of any plan's job: the session may have begun without one."""
    parts = told.split("-")
    for at in range(len(parts) - 2, 0, -1):
        if parts[at].isdigit() and len(parts[at]) <= 3:
            return split_id(told, "-".join(parts[:at]))
    return None


def recorded_plan(state: State) -> Plan | None:
    """The plan that lies beside a job that was launched in this session; None where there is none, or none is read."""
    for job in state.jobs.values():
        for name, text in job.spec.files if job.spec else ():
            if name == FILE:
                try:
                    return decode(text)
                except PlanError:
                    return None
    return None
