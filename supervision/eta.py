"""When a scan will be over: a range with a middle, or a word for why there is none.

It is fed with what each progress line says and knows no file system. Work is what the counters have passed of their
totals; the tool's percentage is taken only for want of better, because it does not follow the work. Nothing here
raises, whatever it is fed with; times are seconds, and only their differences count.

The range is meant to hold four ends of five. How well it does, and what each rule is worth: docs/eta.md.
"""

from __future__ import annotations

from copy import copy
from enum import StrEnum
from typing import TypeVar

import msgspec

from supervision.clocktext import LATEST, duration_text
from supervision.eta_history import History, Mark, Unit
from supervision.eta_rates import LEAST_SECONDS, Basis, Calibration, Known, Rules, basis

Number = TypeVar("Number", int, float)

LEAST_WORK = 0.01
"""Part of the work that must be done before that."""
LEAST_LINES = 6
"""Lines that told of progress before that,"""
ENOUGH_WORK = 0.1
"""unless this part of the work was done: the middle of a log may be missing."""
NEARLY = 0.998
"""Part of the counted work from which on it may end at any moment; the last stage is not counted."""
CREEPS = 0.98
"""Percentage, as a part, from which on it creeps for long or jumps to 100, and tells nothing."""
JUMP = 0.25
"""A middle that moves by more than this part of the time that was left is a jump, and its reason is told."""
LEAST_JUMP = 15.0
"""Seconds of a jump that nobody minds."""
OTHER = 0.02
"""Part of a total by which it differs where it is said to be another one: users write all the time."""
LONGEST = 10 * 366 * 86_400.0
"""Seconds; a forecast of more than ten years is none."""
OTHER_TOTALS = "the totals are other ones now"
_LAST_STAGE = "may end at any moment; its last stage is not counted"
_CREEPS = "a percentage alone tells nothing so near its end: it creeps, or jumps to 100"
_AWAITED = "what its counters run up to is not known yet"
_NOT_COUNTED_YET = "the phase that counts has not begun; the percentage is of this phase alone"


class State(StrEnum):
    """How it stands with a forecast. UNKNOWN is that nothing can be told, now or ever, of what is known."""

    UNKNOWN = "unknown"
    STARTING = "starting"
    WAITING = "waiting"
    ESTIMATE = "estimate"
    STALLED = "stalled"
    FINISHING = "finishing"


class Observation(msgspec.Struct, frozen=True):
    """What a progress line says: seconds, the tool's percentage of the phase, and its counters if it has them.

    `kb` is no tool's: how much was moved off disks, or onto them, since the work began. `blocks` are those done.
    """

    at: float
    percent: float | None = None
    inodes: int | None = None
    mb: int | None = None
    kb: int | None = None
    blocks: int | None = None


class Span(msgspec.Struct, frozen=True):
    """Seconds, low <= mid <= high: four ends of five are meant to be between `low` and `high`."""

    low: float
    mid: float
    high: float


class Estimate(msgspec.Struct, frozen=True):
    """A forecast. `remaining` is there in the state ESTIMATE only.

    `why` says why there is no figure, or what happened since the last forecast: always, if that made it jump.
    """

    state: State
    unit: str
    remaining: Span | None
    why: str


class _Shown(msgspec.Struct, frozen=True):
    """What the last forecast rested on, to tell why the next one differs."""

    finish: float
    mid: float
    units: tuple[Unit, ...]
    totals: tuple[int | None, ...]
    changed: bool
    lines: int


class Estimator:
    """The forecast of one run.

    `allocated` inodes, `used_mb` (MB of data in use), `kb` (to be moved) and `blocks` are the totals of the counters,
    None where not known. These, `at_least`, `snapshots`, `rough`, `calibration` and `least_seconds` are as in `Known`;
    all may be set anew at any time.
    """

    def __init__(
        self,
        allocated: int | None = None,
        used_mb: int | None = None,
        rules: Rules | None = None,
        *,
        kb: int | None = None,
        blocks: int | None = None,
        at_least: bool = False,
        snapshots: bool = False,
        rough: str = "",
        calibration: Calibration | None = None,
    ) -> None:
        self.allocated, self.used_mb, self.kb = allocated, used_mb, kb
        self.blocks, self.at_least = blocks, at_least
        self.snapshots, self.rough, self.awaited = snapshots, rough, False
        self.least_seconds = LEAST_SECONDS
        self.calibration = calibration or Calibration()
        self._rules = rules or Rules()
        self.history = self._new(None)
        """What was seen of the present phase."""
        self._more_to_come = False
        self._waits_for = ""
        self._shown: _Shown | None = None
        self._told: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Estimator) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def copy(self) -> Estimator:
        """Another one that goes on from here by itself, made in microseconds."""
        other = copy(self)
        other.history = self.history.copy()  # nothing else is changed in place
        return other

    def begin(self, at: float | None, *, last: bool = True) -> None:
        """A phase begins with its counters at zero; `at` is None where the time is not known.

        With `last` False another phase follows that takes most of the time: the end of this one is not told.
        """
        if self._shown is not None:
            self._told = (*self._told, "another phase began")
        self.history = self._new(_time(at))
        self._more_to_come, self._waits_for = not last, ""

    def wait(self, program: str) -> None:
        """The command waits until another one ends."""
        self._waits_for = program or "another command"

    def tell(self, what: str) -> None:
        """The rate is known to change now, as by a limit that was set: `what` is the reason that is shown."""
        self.history.changed()
        self._told = (*self._told, what)

    def observe(self, line: Observation) -> None:
        """A progress line."""
        self._waits_for = ""
        at = _time(line.at)
        if at is None:
            return
        mark = Mark(
            at, _sound(line.percent, 100.0), _sound(line.inodes), _sound(line.mb), _sound(line.kb), _sound(line.blocks)
        )
        if mark.counted and self._more_to_come:  # the header of the phase that counts is not in the log
            self.begin(self.history.last_at)
        self.history.add(mark)

    def estimate(self, now: float | None = None) -> Estimate:
        """The forecast in seconds from `now` on; None is the time of the last line."""
        if self._waits_for:
            return Estimate(State.WAITING, "", None, f"waits until {self._waits_for} ends")
        if self._more_to_come:
            return Estimate(State.STARTING, "", None, _NOT_COUNTED_YET)
        if self.awaited and self.history.counted:
            return Estimate(State.STARTING, "", None, _AWAITED)
        history, now = self.history, _time(now)
        known = Known(
            self.allocated,
            self.used_mb,
            self.kb,
            self.snapshots,
            self.rough,
            self.calibration,
            blocks=self.blocks,
            at_least=self.at_least,
        )
        found = basis(history, known, self._rules)
        idle = history.idle(now)
        if over := _over(history, found):
            return Estimate(State.FINISHING, found.unit, None, over)
        if idle > history.stall_limit():
            return Estimate(State.STALLED, found.unit, None, f"no progress for {duration_text(idle)}")
        if found.past:
            return Estimate(State.UNKNOWN, "", None, "; ".join(found.notes))
        if short := _too_little(history, found, self.least_seconds):
            return Estimate(State.STARTING, found.unit, None, short)
        span = Span(*(_later(seconds, idle) for seconds in (found.low, found.mid, found.high)))
        return Estimate(State.ESTIMATE, found.unit, span, self._reason(span.mid, now, found))

    def _new(self, at: float | None) -> History:
        return History(at, cut_stalls=self._rules.stalls)

    def _reason(self, mid: float, now: float | None, found: Basis) -> str:
        """What happened since the last forecast; if it jumped, at least that the last lines were not as usual."""
        totals = (self.allocated, self.used_mb, self.kb, self.blocks, int(self.snapshots))
        finish = self.history.clock(now) + mid
        reasons = [*self._told, *self.history.events]
        last = self._shown
        if last is not None:
            reasons += [text for text, differs in _differences(last, totals, found) if differs]
            moved = finish - last.finish
            if not reasons and abs(moved) > max(LEAST_JUMP, JUMP * last.mid):
                slower = f"the last lines were {'slower' if moved > 0 else 'faster'} than those before"
                reasons.append(slower if self.history.lines != last.lines else OTHER_TOTALS)
        self._shown = _Shown(finish, mid, found.units, totals, found.changed, self.history.lines)
        self._told = ()
        self.history.events.clear()
        return "; ".join(dict.fromkeys(filter(None, (*reasons, *found.notes, self.rough))))


def _differences(last: _Shown, totals: tuple[int | None, ...], found: Basis) -> list[tuple[str, bool]]:
    return [
        (OTHER_TOTALS, any(map(_differs, totals, last.totals))),
        (f"it is counted by {found.unit} now", found.units != last.units),
        ("the rate has changed: only the time since then counts", found.changed and not last.changed),
        ("the change of rate is not believed any more", last.changed and not found.changed),
    ]


def _differs(now: int | None, before: int | None) -> bool:
    """Whether a total is another one, and not only a little more, as users write."""
    if not now or not before:
        return now != before
    return abs(now - before) > OTHER * before


def _over(history: History, found: Basis) -> str:
    """Why the end is near and no figure is told any more; empty when it is not so."""
    if history.percent is not None and history.percent >= 100.0:
        return _LAST_STAGE
    if Unit.PERCENT in found.units:
        return _CREEPS if found.work >= CREEPS else ""
    return _LAST_STAGE if found.work >= NEARLY and not found.open_ended else ""


def _too_little(history: History, found: Basis, least_seconds: float) -> str:
    """Why it is too early for a figure; empty when it is not."""
    if not found.units:
        return "how much there is to be counted is not known" if history.counted else "nothing is counted yet"
    if history.active < least_seconds:
        return f"only {duration_text(history.active)} of progress so far"
    if found.passed < LEAST_WORK:
        return f"only {found.passed * 100:.1f} % of the work was seen so far"
    if history.lines < LEAST_LINES and found.passed < ENOUGH_WORK:
        return f"only {history.lines} lines of progress so far"
    if found.mid <= 0:
        return "no progress yet"
    return "the rate so far leads nowhere" if found.high > LONGEST else ""


def _later(seconds: float, idle: float) -> float:
    """What is left of a time when nothing was heard for a while: less by that, but never quite nothing."""
    return seconds * seconds / (seconds + idle) if seconds > 0 else 0.0


def _time(value: float | None) -> float | None:
    return value if value is not None and abs(value) <= LATEST else None


def _sound(value: Number | None, most: float = 1e18) -> Number | None:
    return value if value is not None and 0 <= value <= most else None
