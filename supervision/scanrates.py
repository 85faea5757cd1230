"""How fast a scan counts: from the points that its log told of. Pure."""

from __future__ import annotations

from itertools import pairwise
from statistics import median

from supervision.logs import Point

PARTS = 18
"""Parts of the trend."""
RECENT = 100
"""Gaps that the usual one is taken from."""


def counted_points(points: tuple[Point, ...]) -> list[Point]:
    """The points with a count since it last began anew: a restripe that was restarted counts from the start."""
    counted: list[Point] = []
    for point in points:
        if point.done is None:
            continue
        if counted and point.done < (counted[-1].done or 0) * 0.99:
            counted = []
        counted.append(point)
    return counted


def usual_gap(points: tuple[Point, ...]) -> float | None:
    """The median time (s) between two lines of this phase; None before the third line."""
    gaps = [later.at - earlier.at for earlier, later in pairwise(points[-RECENT - 1 :])]
    return median(gaps) if len(gaps) >= 2 else None


def mean_rate(counted: list[Point]) -> float | None:
    """Units a second from the first counted line of the phase to the last."""
    if len(counted) < 2:
        return None
    seconds = counted[-1].at - counted[0].at
    return _between(counted[0], counted[-1]) / seconds if seconds > 0 else None


def _between(first: Point, last: Point) -> int:
    return max(0, (last.done or 0) - (first.done or 0))


def rate_trend(counted: list[Point]) -> tuple[float, ...]:
    """Units a second in equal parts of the phase's time, at most one part for each pair of lines."""
    if len(counted) < 2 or counted[-1].at <= counted[0].at:
        return ()
    parts = min(PARTS, len(counted) - 1)
    start, width = counted[0].at, (counted[-1].at - counted[0].at) / parts
    marks = []
    index = 0
    for part in range(parts + 1):
        at = start + part * width
        while index < len(counted) - 2 and counted[index + 1].at < at:
            index += 1
        marks.append(_count_at(counted[index], counted[index + 1], at))
    return tuple(max(0.0, later - earlier) / width for earlier, later in pairwise(marks))


def _count_at(first: Point, last: Point, at: float) -> float:
    """The count at a time between two points, on the straight line between them."""
    seconds = last.at - first.at
    part = min(1.0, max(0.0, (at - first.at) / seconds)) if seconds > 0 else 1.0
    return (first.done or 0) + part * _between(first, last)
