"""How a guided migration stands, step by step, and telling of it: states, results, and what stopped it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import msgspec

from remote.checked import Check, Outcome
from remote.errors import AnswerLostError, SiteError, StillAskedError
from remote.events import Acknowledged, StepChanged
from supervision.checking import acknowledgeable, stops
from supervision.guide_truth import WAITING, Standing
from supervision.migration import Ending, StepResult, StepState, StopError, ending_of
from supervision.recipe import GuidedStep
from supervision.state import State
from supervision.supervisor import Supervisor

_STATES = {Ending.REFUSED: StepState.BLOCKED, Ending.UNREACHABLE: StepState.BLOCKED, Ending.FAILED: StepState.FAILED}


class Telling:
    """Tells the journal of each state, and keeps what was done.

    `command`, `rc` and `launched` are of the step that is worked on: whether anything of it was launched, or followed.
    """

    def __init__(
        self, supervisor: Supervisor, steps: Mapping[int, GuidedStep], operator: str, host: Callable[[], str]
    ) -> None:
        self._supervisor = supervisor
        self._operator = operator
        self._steps = steps
        self._host = host
        self.standings: dict[int, Standing] = dict.fromkeys(steps, WAITING)
        self.results: list[StepResult] = []
        self.warnings: list[str] = []
        self.command = ""
        self.rc: int | None = None
        self.launched = False

    @property
    def _state(self) -> State:
        return self._supervisor.store.state

    def tell(
        self,
        number: int,
        state: StepState,
        detail: str = "",
        *,
        command: str = "",
        host: str = "",
        rc: int | None = None,
    ) -> None:
        """Tell of a step's state, unless just that was told last."""
        self.standings[number] = Standing(state, detail, rc)
        self.command = command or self.command
        self.rc = rc if rc is not None else self.rc
        spec, now = self._steps[number].spec, self._supervisor.site.clock.now()
        where = host or self._host()
        event = StepChanged(now, number, spec.name, state.value, spec.title, where, command, detail, rc)
        before = self._state.steps.get(number)
        if before is None or not _same(before, event):
            self._supervisor.journal.emit(event)

    def stands(self, number: int, found: Standing, *, always: bool) -> None:
        """Tell how it stands with a step, where that is news; `always` also where nobody has been told anything."""
        told = number in self._state.steps
        if self.standings[number] != found or (always and not told):
            self.tell(number, found.state, found.detail, rc=found.rc)

    def acknowledged(self, number: int) -> tuple[Check, ...]:
        """The warnings of a step's last check that somebody has acknowledged."""
        return tuple(check for check in self._warnings(number) if (number, check.key) in self._state.acknowledged)

    def to_acknowledge(self, number: int) -> tuple[Check, ...]:
        """Those that nobody has."""
        return tuple(check for check in self._warnings(number) if (number, check.key) not in self._state.acknowledged)

    def acknowledge(self, number: int, key: str) -> None:
        """Note that the operator has seen a warning. Raises ValueError for what is no warning of the step."""
        if key not in [check.key for check in self._warnings(number)]:
            raise ValueError(f"step {number} has no warning {key!r}")
        now = self._supervisor.site.clock.now()
        self._supervisor.journal.emit(Acknowledged(now, number, key, self._operator))
        self.judged(number)

    def _warnings(self, number: int) -> tuple[Check, ...]:
        told = self._state.checked.get(number)
        return acknowledgeable(told.checks) if told else ()

    def judged(self, number: int, *, command: str = "") -> None:
        """Tell what the last checks of a step make of it, and what was acknowledged; `command` is of a look."""
        told = self._state.checked.get(number)
        why = self._why_not(number, told.checks if told else ())
        self.tell(number, StepState.BLOCKED if why else StepState.READY, why, command=command)

    def must_be_ready(self, number: int, checks: tuple[Check, ...]) -> None:
        """Raise StopError while something speaks against a step."""
        why = self._why_not(number, checks)
        if why:
            raise StopError(Ending.REFUSED, why)

    def _why_not(self, number: int, checks: tuple[Check, ...]) -> str:
        wrong = [check.told for check in stops(checks)]
        keys = [check.key for check in self.to_acknowledge(number)]
        if keys:
            wrong.append(f"to be acknowledged one by one: {', '.join(keys)}")
        return "; ".join(wrong)

    def passed_text(self, number: int) -> str:
        """What the last checks of a step came to, in a few words."""
        told = self._state.checked.get(number)
        if told is None:
            return ""
        read = [check.read for check in told.checks if check.key in self._steps[number].spec.tells]
        passed = sum(check.outcome in (Outcome.PASS, Outcome.NOTE) for check in told.checks)
        taken = len(self.acknowledged(number))
        counted = f"{passed} check{'s' if passed != 1 else ''} passed" + (f", {taken} acknowledged" if taken else "")
        return "; ".join((*read, counted))

    @contextmanager
    def of_step(self, number: int) -> Iterator[None]:
        """Around the work on a step: what stops it becomes its state, and goes on as StopError."""
        self.command, self.rc, self.launched = "", None, False
        clock, spec = self._supervisor.site.clock, self._steps[number].spec
        began, results = clock.elapsed(), len(self.results)
        self._supervisor.journal.mark(clock.now(), f"step {number}: {spec.name}")
        try:
            yield
        except StopError as stop:
            self._stopped(number, stop)
            raise
        except SiteError as error:
            raise self._stopped(number, stop_error(error, launched=self.launched)) from None
        except ValueError as error:  # of a builder: a name or path that could be taken for something else
            ending = Ending.UNKNOWN if self.launched else Ending.REFUSED
            raise self._stopped(number, StopError(ending, str(error))) from None
        finally:
            if self.standings[number].state is not StepState.READY and len(self.results) == results:
                seconds = round(clock.elapsed() - began, 1)
                self.results.append(StepResult(spec.name, self.command, self._host(), self.rc, seconds))

    def _stopped(self, number: int, stop: StopError) -> StopError:
        state = _STATES.get(stop.ending, StepState.UNKNOWN)
        self.tell(number, state, str(stop), command=self.command, rc=self.rc)
        return stop


def _same(before: StepChanged, event: StepChanged) -> bool:
    command = event.command or before.command
    return msgspec.structs.replace(event, t=before.t, command=command) == before


def stop_error(error: SiteError, *, launched: bool = False, more: str = "") -> StopError:
    """An error of the far side as the reason for stopping. Once something was launched, nobody knows how it stands."""
    if launched:
        ending = Ending.UNKNOWN
    elif isinstance(error, AnswerLostError | StillAskedError):  # a question is all that is lost: ask again
        ending = Ending.UNREACHABLE
    else:
        ending = ending_of(error)
    return StopError(ending, f"{error}{more}")


def told_of_log(state: State, host: str, job_id: str) -> str:
    """What the log of a job says of its failure: its last words."""
    log = state.job_log(host, job_id)
    told = log.scan.failures if log else ()
    lines = told[-3:] or tuple(log.tail if log else ())[-5:]
    return " / ".join(lines) or "it printed nothing"
