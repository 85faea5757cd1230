"""Forecasts from what is on the disks: how full a scan makes them, and when those that empty or fill are done.

`looks` are as `supervision.spaces` keeps them, `began` is when the run began; all times are of the Site's clock.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from supervision.eta import Estimator, Observation
from supervision.spaces import Look, since

EARLY = 0.1
"""Part of the work before which nothing is said of how full disks will be."""
ROUGH = "by how full disks are alone, and what they will hold is an assumption: rough"


class Filling(msgspec.Struct, frozen=True):
    """A disk that a scan fills: KB before it, now, and as forecast for its end."""

    name: str
    size_kb: int
    before_kb: int
    now_kb: int
    end_kb: int

    @property
    def full(self) -> float:
        """The part of it that will be in use, above 1 where it does not fit."""
        return self.end_kb / self.size_kb if self.size_kb > 0 else 0.0


def fillings(
    looks: Sequence[Look], names: Sequence[str], began: float, counted: Sequence[tuple[float, int]], total: int | None
) -> tuple[Filling, ...]:
    """How full each disk will be: what came on it so far, by how much of the work was done when that was told.

    `counted` is what the scan's counter said, as (time, count) with the times rising, of `total`. Nothing while it is
    too early, or where nobody looked at the disks before the run: then what it wrote is not known.
    """
    told = since(looks, names, began)
    if len(told) < 2 or told[0][0] > began or not total:
        return ()
    (_, before), (at, now) = told[0], told[-1]
    done = _count_at(at, [(began, 0), *counted])
    if done is None or done < EARLY * total:
        return ()
    distinct = {id(look.places): look.places for look in looks}  # most looks share them
    places = {place.name: place for some in reversed(distinct.values()) for place in reversed(some)}
    return tuple(
        Filling(name, places[name].size_kb, old, new, round(old + (new - old) * total / done))
        for name, old, new in zip(names, before, now, strict=True)
    )


def emptied(looks: Sequence[Look], names: Sequence[str], began: float) -> Estimator | None:
    """When disks that are leaving will be empty: the work is the KB on them when it began, or was first looked at."""
    told = [(at, sum(used)) for at, used in since(looks, names, began)]
    if not told or told[0][1] <= 0:
        return None
    whole = told[0][1]
    return _fed(Estimator(kb=whole), [(at, whole - left) for at, left in told], began)


def filled(looks: Sequence[Look], names: Sequence[str], target_kb: int, began: float) -> Estimator | None:
    """When disks will hold together what they are expected to, `target_kb`: rough, and said to be."""
    told = [(at, sum(used)) for at, used in since(looks, names, began)]
    if not told or told[0][1] >= target_kb:
        return None
    first = told[0][1]
    estimator = Estimator(kb=target_kb - first, rough=ROUGH)
    return _fed(estimator, [(at, used - first) for at, used in told], began)


def evened_out(look: Look) -> dict[str, int]:
    """KB that each disk holds once it is as full as the others of its pool."""
    sizes: dict[str, int] = defaultdict(int)
    used: dict[str, int] = defaultdict(int)
    for place, kb in zip(look.places, look.used_kb, strict=True):
        sizes[place.pool] += place.size_kb
        used[place.pool] += kb
    return {
        place.name: round(place.size_kb * used[place.pool] / sizes[place.pool]) if sizes[place.pool] > 0 else 0
        for place in look.places
    }


def _fed(estimator: Estimator, moved: Sequence[tuple[float, int]], began: float) -> Estimator:
    """The estimator after looks: counting begins with the first, at the beginning of the run if that came later."""
    estimator.begin(max(began, moved[0][0]))
    for at, kb in moved[1:]:
        estimator.observe(Observation(at, kb=max(0, kb)))
    return estimator


def _count_at(at: float, counted: Sequence[tuple[float, int]]) -> float | None:
    """The count at a time, straight between two lines and after the last as it was there; None before it counted."""
    index = bisect_right(counted, at, key=lambda point: point[0])
    if index == 0:
        return None
    before, done = counted[index - 1]
    if index == len(counted):
        return float(done)
    after, then = counted[index]
    return done + (then - done) * (at - before) / (after - before)
