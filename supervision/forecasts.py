"""The forecast of a scan, fed by its log line by line, and how it moved: part of the state, so a replay has it too.

`Forecasts` is frozen like all state: what takes something in returns another one. The estimator in it is copied before
it is fed.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from supervision.eta import Estimate, Estimator, Observation, State
from supervision.eta_history import Unit
from supervision.eta_rates import Known
from supervision.reading import Counted, PhaseBegun, ScanEvent, WaitsFor

MOST = 400
"""Forecasts kept of a run; beyond that every second one is dropped."""
LEAST_APART = 30.0
"""Seconds that two kept forecasts are apart at least, unless something else than the figures is different,"""
APART = 1 / 150
"""and this part of the time since the first."""
MOST_AT_ONCE = 60
"""Forecasts that are made of lines that come together: weeks of a log that is read at once are to hold nobody up."""


class Told(msgspec.Struct, frozen=True):
    """A forecast as it was at the time `at`; the finish in the Site's clock, None where no figure was told."""

    at: float
    state: State
    unit: str = ""
    low: float | None = None
    mid: float | None = None
    high: float | None = None
    why: str = ""


class Forecasts(msgspec.Struct, frozen=True):
    """The forecast of one log, and those before it, the oldest first."""

    estimator: Estimator | None = None
    told: tuple[Told, ...] = ()


Moment = tuple[float | None, ScanEvent]
"""What a line told of a scan, and when; None where nobody knows."""


def advanced(before: Forecasts, moments: Sequence[Moment], known: Known) -> Forecasts:
    """The forecasts after lines of a log."""
    wanted = [moment for moment in moments if isinstance(moment[1], PhaseBegun | Counted | WaitsFor)]
    if not wanted:
        return before
    estimator = before.estimator.copy() if before.estimator else Estimator()
    _use(estimator, known)
    told = list(before.told)
    times = [at for at, _ in wanted if at is not None]
    apart = (times[-1] - times[0]) / MOST_AT_ONCE if times else 0.0
    for at, event in wanted:
        match event:
            case PhaseBegun(_, number):
                # numbered phases are those over metadata: short, and the one that counts comes after them
                estimator.begin(at, last=number is None)
            case WaitsFor(program):
                estimator.wait(program)
            case Counted():
                if at is not None:
                    estimator.observe(_observation(at, event, known))
        if at is not None and _due(told, at, apart, waits=isinstance(event, WaitsFor)):
            _keep(told, as_told(estimator.estimate(at), at))
    return Forecasts(estimator, tuple(told))


def _observation(at: float, said: Counted, known: Known) -> Observation:
    """What a line tells of work, in the unit that it counts in."""
    if known.unit is Unit.BLOCKS:
        return Observation(at, blocks=said.done)
    return Observation(at, said.percent, said.done, said.mb)


def changed(before: Forecasts, what: str) -> Forecasts:
    """The forecasts after it was told that the rate changes now; `what` is the reason that is shown."""
    if before.estimator is None:
        return before
    estimator = before.estimator.copy()
    estimator.tell(what)
    return Forecasts(estimator, before.told)


def earlier(before: Forecasts, seconds: float) -> Forecasts:
    """The same where all that was told of turns out to have been that many seconds earlier."""

    def moved(at: float | None) -> float | None:
        return None if at is None else at - seconds

    estimator = before.estimator.copy() if before.estimator else None
    if estimator:
        estimator.history.earlier(seconds)
    told = tuple(
        Told(one.at - seconds, one.state, one.unit, moved(one.low), moved(one.mid), moved(one.high), one.why)
        for one in before.told
    )
    return Forecasts(estimator, told)


def forecast(held: Forecasts, now: float, known: Known) -> Estimate | None:
    """How it stands at the time `now`; None before anything was told of a scan."""
    if held.estimator is None:
        return None
    estimator = held.estimator.copy()
    _use(estimator, known)
    return estimator.estimate(now)


def _use(estimator: Estimator, known: Known) -> None:
    """Let an estimator know what is known now."""
    estimator.allocated, estimator.used_mb, estimator.kb = known.allocated, known.used_mb, known.kb
    estimator.snapshots, estimator.rough, estimator.calibration = known.snapshots, known.rough, known.calibration
    estimator.awaited, estimator.least_seconds = known.awaited, known.least_seconds
    estimator.blocks, estimator.at_least = known.blocks, known.at_least


def as_told(estimate: Estimate, at: float) -> Told:
    """A forecast with its times on the clock, made at the time `at`."""
    span = estimate.remaining
    if span is None:
        return Told(at, estimate.state, estimate.unit, why=estimate.why)
    return Told(at, estimate.state, estimate.unit, at + span.low, at + span.mid, at + span.high, estimate.why)


def steady_since(told: Sequence[Told], low: float, high: float) -> float | None:
    """Since when the middle of every forecast has lain between these times; None without a forecast that does."""
    since = None
    for one in reversed(told):
        if one.mid is None or not low <= one.mid <= high:
            break
        since = one.at
    return since


def _due(told: Sequence[Told], at: float, apart: float, *, waits: bool) -> bool:
    if not told or waits or told[-1].state is State.WAITING:
        return True
    return at - told[-1].at >= max(apart, LEAST_APART, APART * (at - told[0].at))


def _keep(told: list[Told], one: Told) -> None:
    """Take in a forecast; one that tells the same as that before it, without figures, is not worth it."""
    if told and one.mid is None and msgspec.structs.replace(one, at=told[-1].at) == told[-1]:
        return
    told.append(one)
    if len(told) > MOST:
        told[:] = [told[0], *(old for index, old in enumerate(told[1:-1]) if index % 2), told[-1]]
