"""The trends of the Restripe screen: what of the state is drawn beneath the forecast, and how it is said.

What is costly to gather is kept as long as nothing is different that it was gathered from.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from screens.restripe_charts import Strip, count_text
from supervision.canary_rates import Canary
from supervision.canary_trend import Point as Complaints
from supervision.canary_trend import trend as complaints
from supervision.charting import Axis, Sample, held, means, most, rates
from supervision.filesystem import Fill, Progress
from supervision.impact import TrendPoint
from supervision.impacttext import factor_text
from supervision.logs import Point
from supervision.probejob import Hurt
from supervision.probing import STEP, WINDOW
from supervision.spaces import Look, since
from supervision.state import State

Values = tuple[float | None, ...]
LONGEST = 3600.0
"""Seconds for which a look at disks is believed."""


class Kept:
    """Values that were gathered, by name, with what they were gathered from."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[tuple[object, ...], object, Any]] = {}

    def get(self, name: str, sources: tuple[object, ...], axis: object, make: Callable[[], Any]) -> Any:
        """The value of a name, gathered anew if a source is another object, or the axis another one, than before."""
        old = self._kept.get(name)
        if old and old[1] == axis and len(old[0]) == len(sources) and all(map(_same, old[0], sources)):
            return old[2]
        made = make()
        self._kept[name] = (sources, axis, made)
        return made


def _same(one: object, other: object) -> bool:
    return one is other


def strips(
    kept: Kept,
    state: State,
    points: Sequence[Point],
    progress: Progress,
    hurt: Hurt | None,
    canary: Canary,
    fills: Sequence[Fill],
) -> Iterator[Strip]:
    """All trends of which anything is known; a rate of now only while the scan runs."""
    unit = progress.counter.unit if progress.counter else ""
    if points and unit:
        last = progress.trend[-1] if progress.trend and progress.rate and progress.finish else None
        yield rate_strip(kept, points, last)
    if hurt is not None:
        yield users_strip(kept, hurt)
    if canary.at is not None:
        yield from canary_strips(kept, state, canary)
    if state.spaces and fills:
        yield fill_strip(kept, state.spaces, fills, state.at)


def rate_strip(kept: Kept, points: Sequence[Point], last: float | None) -> Strip:
    """The rate of a counter between its points."""

    def values(axis: Axis) -> Values:
        first = max(0, bisect_left(points, axis.start, key=lambda point: point.at) - 1)
        behind = bisect_right(points, axis.end, key=lambda point: point.at) + 1
        near = rates((point.at, point.done) for point in points[first:behind] if point.done is not None)
        return means(near, axis)

    def text(rate: float) -> str:
        return f"{count_text(rate)}/s"

    return Strip("rate", "" if last is None else text(last), _keeping(kept, "rate", (points,), values), text)


def users_strip(kept: Kept, hurt: Hurt) -> Strip:
    """How many times as long as before users' operations take; what is over the budget is marked."""
    found = hurt.impact

    def values(axis: Axis) -> Values:
        return most(_factors(found.trend), axis)

    last = "?" if found.factor is None else factor_text(found.factor)
    sources = (hurt.probe.samples, found.baseline.basis)
    scale = f"max {factor_text(found.budget)}"
    gathered = _keeping(kept, "users", sources, values)
    return Strip("users", last, gathered, factor_text, found.budget, scale, limited=True)


def _factors(trend: Sequence[TrendPoint]) -> list[Sample]:
    """Each window tells of the time since the one before; where that is long ago, of no more than its own."""
    starts = [trend[0].at - STEP, *(max(one.at, other.at - WINDOW) for one, other in pairwise(trend))] if trend else []
    both = zip(starts, trend, strict=True)
    return [Sample(start, point.at, point.factor) for start, point in both if point.factor is not None]


def canary_strips(kept: Kept, state: State, canary: Canary) -> Iterator[Strip]:
    """Errors and warnings a minute."""
    for label, now, wide in (("errors", canary.now.errors, False), ("warnings", canary.now.warnings, True)):

        def values(axis: Axis, label: str = label) -> Values:
            told = kept.get("canary", (state.heard,), axis, lambda: _complaints(kept, state, axis))
            return tuple(getattr(point, label) for point in told)[: axis.columns]

        yield Strip(label, _a_minute(now), values, _a_minute, wide=wide)


def _complaints(kept: Kept, state: State, axis: Axis) -> tuple[Complaints, ...]:
    return complaints(state, axis.start, axis.end, axis.width, remember=kept.get)


def _a_minute(rate: float) -> str:
    return f"{count_text(rate)}/min"


def fill_strip(kept: Kept, looks: Sequence[Look], fills: Sequence[Fill], now: float) -> Strip:
    """How full the disks are, together, that a scan fills; or those that it empties."""
    emptied = any(fill.emptied for fill in fills)
    some = [fill for fill in fills if fill.emptied is emptied]
    size = max(1, sum(fill.size for fill in some))

    def values(axis: Axis) -> Values:
        told = since(looks, [fill.name for fill in some], axis.start)
        shares = [(at, sum(used) / size) for at, used in told]
        return means(held(shares, LONGEST, now), axis)

    label = "emptying" if emptied else "filling"
    last = _percent(sum(fill.used for fill in some) / size)
    return Strip(label, last, _keeping(kept, label, (looks,), values), _percent, 1.0, "top 100 %", wide=True)


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"


def _keeping(
    kept: Kept, name: str, sources: tuple[object, ...], values: Callable[[Axis], Values]
) -> Callable[[Axis], Values]:
    def gathered(axis: Axis) -> Values:
        found: Values = kept.get(name, sources, axis, lambda: values(axis))
        return found

    return gathered
