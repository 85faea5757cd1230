"""Forecasts on a time axis: how the finish that was told moved, on a scale of clock times, and how good that was.

Times are seconds on the Site's clock. Everything is a pure function; a column without a forecast holds None.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import floor

import msgspec

from supervision.charting import DAY, MINUTE, STEPS, Axis, columns_between
from supervision.clocktext import DAYS, MONTHS, local_time
from supervision.eta import State
from supervision.forecasts import Told

MOVED = 0.05
"""Part of the time that is left by which a forecast moves before that is worth a word,"""
LEAST_MOVED = 60.0
"""and seconds."""


class Band(msgspec.Struct, frozen=True):
    """The forecasts of one column: `mid` as it was said last, and from the lowest to the highest that was said."""

    low: float
    mid: float
    high: float


class Judged(msgspec.Struct, frozen=True):
    """How good forecasts were: the part of the time in which the truth was inside, and the last error (s, + late)."""

    inside: float | None
    error: float | None


def bands(forecasts: Sequence[Told], axis: Axis, now: float) -> tuple[Band | None, ...]:
    """The forecasts on an axis: each holds until the next one, and none beyond now."""
    found: list[Band | None] = [None] * axis.columns
    for forecast, end in _lasting(forecasts, now):
        if forecast.low is None or forecast.mid is None or forecast.high is None:
            continue
        for column in columns_between(axis, forecast.at, end):
            before = found[column]
            low = min(before.low, forecast.low) if before else forecast.low
            high = max(before.high, forecast.high) if before else forecast.high
            found[column] = Band(low, forecast.mid, high)
    return tuple(found)


def states(forecasts: Sequence[Told], axis: Axis, now: float, worst: Sequence[str] = ()) -> tuple[str, ...]:
    """How it stood in each column: what was said last, but of those in `worst` the first that was said at all."""
    found = [""] * axis.columns
    for forecast, end in _lasting(forecasts, now):
        for column in columns_between(axis, forecast.at, end):
            both = (found[column], forecast.state)
            found[column] = next((state for state in worst if state in both), forecast.state)
    return tuple(found)


def _lasting(forecasts: Sequence[Told], now: float) -> Iterable[tuple[Told, float]]:
    ends = [*(forecast.at for forecast in forecasts[1:]), now]
    return ((forecast, min(end, now)) for forecast, end in zip(forecasts, ends, strict=False) if forecast.at <= now)


class Clock(msgspec.Struct, frozen=True):
    """A vertical scale of clock times in so many rows: the lowest begins at `low`, each is `step` seconds high."""

    low: float
    step: float
    rows: int
    zone: int = 0

    @property
    def high(self) -> float:
        """Where the uppermost row ends."""
        return self.low + self.step * self.rows

    def level(self, at: float) -> int:
        """In which third of a row a time is, counted from the lowest row on; outside, it is below 0 or too high."""
        return floor(round((at - self.low) / self.step * 3, 6))

    def label(self, row: int, now: float) -> str:
        """When a row begins, the lowest being row 0; with its day where that is not today's."""
        at = self.low + row * self.step
        then = local_time(at, self.zone)
        if self.step >= DAY:
            return f"{then.day} {MONTHS[then.month - 1]}"
        clock = then.strftime("%H:%M:%S" if self.step < MINUTE else "%H:%M")
        if then.date() == local_time(now, self.zone).date() or self.step < MINUTE:
            return clock
        return f"{DAYS[then.weekday()]} {clock}"


def clock_of(
    shown: Sequence[Band | None], rows: int, *, zone: int = 0, truth: float | None = None, rare: float = 0.05
) -> Clock | None:
    """A scale on which the middles of the bands have room, and the range of the last one; None where there is none.

    Of the middles the `rare` part that is furthest off at either side may be outside: one wild word in the beginning
    must not flatten all others.
    """
    known = [band for band in shown if band is not None]
    if not known:
        return None
    mids = sorted(band.mid for band in known)
    spare = int(len(mids) * rare)
    wanted = [mids[spare], mids[-1 - spare], known[-1].low, known[-1].high]
    if truth is not None:
        wanted.append(truth)
    low, high = min(wanted), max(wanted)
    for step in STEPS:
        first = floor((low + zone) / step)
        needed = floor((high + zone) / step) - first + 1
        if needed <= rows:
            first -= (rows - needed) // 2
            return Clock(first * step - zone, step, rows, zone)
    return Clock(low, max(1.0, (high - low) / rows * 1.001), rows, zone)


def with_silences(told: Sequence[Told], lines: Sequence[float], limit: float, now: float) -> list[Told]:
    """The forecasts with the times between in which nothing was told, for there was no line for longer than `limit`.

    `lines` are the times of the lines, the oldest first; after the last of them the silence lasts until now.
    """
    silent = [(one + limit, other) for one, other in pairwise([*lines, now]) if other - one > limit]
    found = list(told)
    for begins, ends in silent:
        before = [one for one in found if one.at <= begins]
        if not before:
            continue
        after = [one for one in found if one.at >= ends]
        again = [] if ends >= now or (after and after[0].at == ends) else [msgspec.structs.replace(before[-1], at=ends)]
        found = [*before, Told(begins, State.STALLED, why="no line came"), *again, *after]
    return found


def moves(told: Sequence[Told]) -> list[Told]:
    """The forecasts that were not what the one before had led to expect, or stood otherwise; the oldest first."""
    found = []
    for before, after in pairwise(told):
        if before.state is not after.state or _apart(before.mid, after.mid, after.at):
            found.append(after)
    return found


def moved_at(told: Sequence[Told], mid: float, at: float) -> bool:
    """Whether the forecast moved at a time worth a word; `mid` is the one that it has since."""
    before = [one for one in told if one.at < at]
    after = next((one.mid for one in told if one.at >= at and one.mid is not None), mid)
    return bool(before) and _apart(before[-1].mid, after, at)


def _apart(before: float | None, after: float | None, at: float) -> bool:
    if before is None or after is None:
        return False
    return abs(after - before) >= max(LEAST_MOVED, MOVED * abs(after - at))


def judged(forecasts: Sequence[Told], truth: float, now: float) -> Judged:
    """How good the forecasts until now were, for whom the true end is known; each counts as long as it stood."""
    inside = whole = 0.0
    error = None
    for forecast, end in _lasting(forecasts, min(now, truth)):
        if forecast.low is None or forecast.mid is None or forecast.high is None:
            error = None
            continue
        error = forecast.mid - truth
        whole += end - forecast.at
        inside += (end - forecast.at) * (forecast.low <= truth <= forecast.high)
    return Judged(inside / whole if whole > 0 else None, error)
