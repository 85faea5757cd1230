"""What is drawn on a time axis, as plain figures: columns of time, and the values and events in them.

Times are seconds on the Site's clock. Everything is a pure function; a column of which nothing is known holds None,
which is never the same as 0.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import ceil

import msgspec

from supervision.clocktext import DAYS, MONTHS, local_time

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
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
    ends = [*(at for at, _value in known[1:]), now]
    return [
        Sample(at, min(end, at + longest, now), value)
        for (at, value), end in zip(known, ends, strict=False)
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


def columns_between(axis: Axis, start: float, end: float) -> range:
    """The columns that a time touches; one that only ends where a column begins does not touch it."""
    if end < axis.start or start > axis.end:
        return range(0)
    first = max(0, int((start - axis.start) / axis.width))
    last = max(first, ceil(round((end - axis.start) / axis.width, 6)) - 1)
    return range(min(first, axis.columns - 1), min(last, axis.columns - 1) + 1)


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
