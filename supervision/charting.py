"""What is drawn on a time axis, as plain figures: columns of time, values in them, clock times on a vertical scale.

Times are seconds on the Site's clock. Everything is a pure function; a column of which nothing is known holds None,
which is never the same as 0.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import ceil, floor

import msgspec

from supervision.clocktext import DAYS, MONTHS, local_time

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
ZOOMS = (10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 12 * HOUR)
"""Seconds that a zoomed axis has; beyond them there is the whole run."""
STEPS = (
    *(10.0, 20.0, 30.0),
    *(MINUTE * minutes for minutes in (1, 2, 5, 10, 15, 20, 30)),
    *(HOUR * hours for hours in (1, 2, 3, 4, 6, 12)),
    *(DAY * days for days in (1, 2, 7, 14, 28, 56, 112, 224, 448)),
)
"""Seconds between two lines of a scale or two ticks of an axis, as people count them."""
TICK = 9
"""Cells that a tick of the axis needs with its label."""


class Axis(msgspec.Struct, frozen=True):
    """The time from `start` to `end` in equal `columns`, in a zone that is `zone` seconds from UTC."""

    start: float
    end: float
    columns: int
    zone: int = 0

    @property
    def width(self) -> float:
        """Seconds of a column."""
        return max(1e-6, (self.end - self.start) / max(1, self.columns))

    def column(self, at: float) -> int | None:
        """Where a time is; None where it is outside."""
        if not self.start <= at <= self.end:
            return None
        return min(self.columns - 1, int((at - self.start) / self.width))

    def edge(self, column: int) -> float:
        """When a column begins."""
        return self.start + column * self.width


class Sample(msgspec.Struct, frozen=True):
    """A value that held from `start` to `end`."""

    start: float
    end: float
    value: float


class Forecast(msgspec.Struct, frozen=True):
    """What was said at `at` of the finish, in clock times; None without a figure. `state` is how it stood."""

    at: float
    state: str
    low: float | None = None
    mid: float | None = None
    high: float | None = None


class Band(msgspec.Struct, frozen=True):
    """The forecasts of one column: `mid` as it was said last, and from the lowest to the highest that was said."""

    low: float
    mid: float
    high: float


class Judged(msgspec.Struct, frozen=True):
    """How good forecasts were: the part of the time in which the truth was inside, and the last error (s, + late)."""

    inside: float | None
    error: float | None


def zooms(seconds: float) -> tuple[float, ...]:
    """The zooms that show less than a run of that many seconds; the last one is the whole of it."""
    whole = max(seconds, ZOOMS[0])
    return (*(zoom for zoom in ZOOMS if zoom < whole), whole)


def axis_of(began: float, now: float, zoom: int, columns: int, *, until: float | None = None, zone: int = 0) -> Axis:
    """The axis of a run that began then: `zoom` is a place in `zooms`, `until` its end where it was moved from now.

    A zoomed axis begins at a whole number of columns, so that what is drawn stands still while time goes on.
    """
    columns = max(1, columns)
    steps = zooms(now - began)
    span = steps[max(0, min(zoom, len(steps) - 1))]
    if zoom >= len(steps) - 1:
        return Axis(began, began + span, columns, zone)
    width = span / columns
    last = min(now, max(began + span, now if until is None else until))
    end = ceil(round(last / width, 6)) * width
    return Axis(end - span, end, columns, zone)


def ticks(axis: Axis) -> list[tuple[int, str]]:
    """Columns of round times with their labels: the day where a day begins."""
    most = max(1, axis.columns // TICK)
    span = axis.end - axis.start
    step = next((step for step in STEPS if span / step <= most), STEPS[-1])
    found = []
    first = ceil(round((axis.start + axis.zone) / step, 6))
    for number in range(first, first + most + 2):
        at = number * step - axis.zone
        column = axis.column(at)
        if column is not None:
            found.append((column, tick_text(at, axis.zone, step)))
    return found


def tick_text(at: float, zone: int, step: float) -> str:
    """`19:40`, `19:40:20` where steps are shorter than minutes, `Fri 7` at the beginning of a day."""
    then = local_time(at, zone)
    if step >= DAY or (then.hour == then.minute == then.second == 0):
        return f"{then.day} {MONTHS[then.month - 1]}" if step >= 7 * DAY else f"{DAYS[then.weekday()]} {then.day}"
    return then.strftime("%H:%M:%S" if step < MINUTE else "%H:%M")


def held(points: Iterable[tuple[float, float]], longest: float, now: float) -> list[Sample]:
    """Values that hold until the next one, but never longer than `longest` seconds and not beyond `now`."""
    known = list(points)
    ends = [at for at, _value in known[1:]] + [now]
    return [
        Sample(at, min(end, at + longest, now), value)
        for (at, value), end in zip(known, ends, strict=True)
        if min(end, now) > at
    ]


def rates(points: Iterable[tuple[float, float]]) -> list[Sample]:
    """The rate (a second) between each two points of a counter; none where it went back."""
    return [
        Sample(first, last, (after - before) / (last - first))
        for (first, before), (last, after) in pairwise(points)
        if last > first and after >= before
    ]


def means(samples: Sequence[Sample], axis: Axis) -> tuple[float | None, ...]:
    """The mean over the time of each column that is known."""
    return _gathered(samples, axis, lambda parts: sum(v * s for v, s in parts) / sum(s for _v, s in parts))


def most(samples: Sequence[Sample], axis: Axis) -> tuple[float | None, ...]:
    """The highest value in each column: what was bad for a moment stays in sight."""
    return _gathered(samples, axis, lambda parts: max(value for value, _seconds in parts))


def _gathered(
    samples: Sequence[Sample], axis: Axis, gather: Callable[[list[tuple[float, float]]], float]
) -> tuple[float | None, ...]:
    parts: list[list[tuple[float, float]]] = [[] for _ in range(axis.columns)]
    first = max(0, bisect_right(samples, axis.start, key=lambda sample: sample.start) - 1)
    for sample in samples[first:]:
        if sample.start >= axis.end:
            break
        low = max(0, int((sample.start - axis.start) / axis.width))
        high = min(axis.columns - 1, int((sample.end - axis.start) / axis.width))
        for column in range(low, high + 1):
            seconds = min(sample.end, axis.edge(column + 1)) - max(sample.start, axis.edge(column))
            if seconds > 1e-6:
                parts[column].append((sample.value, seconds))
    return tuple(gather(found) if found else None for found in parts)


def bands(forecasts: Sequence[Forecast], axis: Axis, now: float) -> tuple[Band | None, ...]:
    """The forecasts on an axis: each holds until the next one, and none beyond now."""
    found: list[Band | None] = [None] * axis.columns
    for forecast, end in _lasting(forecasts, now):
        if forecast.low is None or forecast.mid is None or forecast.high is None:
            continue
        for column in _columns(axis, forecast.at, end):
            before = found[column]
            low = min(before.low, forecast.low) if before else forecast.low
            high = max(before.high, forecast.high) if before else forecast.high
            found[column] = Band(low, forecast.mid, high)
    return tuple(found)


def states(forecasts: Sequence[Forecast], axis: Axis, now: float, worst: Sequence[str] = ()) -> tuple[str, ...]:
    """How it stood in each column: what was said last, but of those in `worst` the first that was said at all."""
    found = [""] * axis.columns
    for forecast, end in _lasting(forecasts, now):
        for column in _columns(axis, forecast.at, end):
            both = (found[column], forecast.state)
            found[column] = next((state for state in worst if state in both), forecast.state)
    return tuple(found)


def _lasting(forecasts: Sequence[Forecast], now: float) -> Iterable[tuple[Forecast, float]]:
    ends = [forecast.at for forecast in forecasts[1:]] + [now]
    return ((forecast, min(end, now)) for forecast, end in zip(forecasts, ends, strict=True) if forecast.at <= now)


def _columns(axis: Axis, start: float, end: float) -> range:
    """The columns that a time touches; one that only ends where a column begins does not touch it."""
    if end < axis.start or start > axis.end:
        return range(0)
    first = max(0, int((start - axis.start) / axis.width))
    last = max(first, ceil(round((end - axis.start) / axis.width, 6)) - 1)
    return range(min(first, axis.columns - 1), min(last, axis.columns - 1) + 1)


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


def judged(forecasts: Sequence[Forecast], truth: float, now: float) -> Judged:
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


def place(marks: Sequence[tuple[float, str]], axis: Axis, rows: int) -> list[dict[int, tuple[str, ...]]]:
    """Marks (time, kind) in rows of columns: those of one column stand above each other, the rest share the last row.

    A kind that comes more than once in a column stands there once.
    """
    stacks: dict[int, list[str]] = {}
    for at, kind in marks:
        column = axis.column(at)
        if column is not None and kind not in stacks.setdefault(column, []):
            stacks[column].append(kind)
    height = max(1, min(rows, max((len(stack) for stack in stacks.values()), default=1)))
    lines: list[dict[int, tuple[str, ...]]] = [{} for _ in range(height)]
    for column, stack in stacks.items():
        for row, kind in enumerate(stack[: height - 1]):
            lines[row][column] = (kind,)
        if rest := stack[height - 1 :]:
            lines[height - 1][column] = tuple(rest)
    return lines
