"""What the past of a phase says of its rest: the work unit, the rate that counts, and how sure that is.

A point is a mark as a pair: seconds of active time, and the part of the work done, 0 to 1.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from itertools import pairwise
from operator import attrgetter
from statistics import fmean, median, pstdev

import msgspec

from supervision.eta_history import History, Mark, Unit

Point = tuple[float, float]

LEAST_SECONDS = 120.0
"""Active time of a phase before a finish is told, where lines come every minute or two."""

BLOCKS = 24
"""Equal times that the past is cut into when a change of rate is looked for."""
BLOCKS_BEFORE, BLOCKS_AFTER = 3, 2
FEWEST_BLOCKS = 8
SURE = 10.0
"""The step in the rate by which a change is believed, in steps that are usual between blocks."""
CHANGED = 1.5
"""The ratio of rates that is worth believing it."""
POINTS_AFTER = 7
"""Points, and seconds, after a change before its rate is taken."""
SECONDS_AFTER = 120.0
PARTS = 5
"""Equal times whose rates tell how steady the work is."""
UNKNOWN_SPREAD = 0.4
LEAST_SPREAD = 0.3
MOST_SPREAD = 1.5
"""What the spread of log(truth / middle) is taken for, in the least and in the worst case."""
RECENT = 0.5
"""Part of the past whose rate counts where only the percentage is known: it bends, so its beginning is no guide."""
OVER = 1.01
"""A counter this far past its total shows that it is not its total."""
BOTH, ONE, PERCENT = (1.4, 0.8), (1.85, 1.25), (2.2, 1.55)
"""How many spreads the range reaches below and above the middle."""
FURTHEST = 12.0
"""The logarithm of the largest ratio between an end of the range and its middle."""
SNAPSHOTS_TIMES = 3.0
"""With snapshots, the most inodes that a scan passes, in allocated ones. An assumption: their number is not told."""
LEAST_TIMES, NO_MORE = 3.0, 1 / 3
"""The most blocks there may be, in those that there are at least, and the part of all runs that have no more than that.
Assumptions: GFS2 images made for tests had 1.0 times as many, the two real file systems that are published 2.07 times.
"""
_AT_LEAST = "{total:,} blocks are a lower bound: taken for 1 to {times:g} times as many"
_SNAPSHOTS = "with snapshots more inodes are passed than are allocated: taken for 1 to {times:g} times as many"


_COUNTS: dict[Unit, Callable[[Mark], float | None]] = {
    Unit.INODES: attrgetter("inodes"),
    Unit.MB: attrgetter("mb"),
    Unit.KB: attrgetter("kb"),
    Unit.BLOCKS: attrgetter("blocks"),
    Unit.PERCENT: attrgetter("percent"),
}


class Rules(msgspec.Struct, frozen=True):
    """The rules, each of which can be left out to see what it is worth."""

    inodes: bool = True
    mb: bool = True
    change: bool = True
    stalls: bool = True
    spread: bool = True
    recent: bool = True
    snapshots: bool = True


class Calibration(msgspec.Struct, frozen=True):
    """What the ends of earlier runs say of the range: factors of how far it reaches below and above the middle."""

    below: float = 1.0
    above: float = 1.0
    runs: int = 0


class Known(msgspec.Struct, frozen=True):
    """What is known of a run besides its past: the totals, None where not known, and what widens its range.

    `kb` is the work in KB where disks are emptied or filled; `rough` says why what is counted is no good measure.
    `blocks` are those there are to be counted, with `at_least` a lower bound of them.
    `snapshots` tells that there are some: then more inodes are passed than are allocated. `awaited` says that totals
    are asked for, and no percentage is to stand in for them meanwhile.

    `unit` is what the lines of its log count. Where that is blocks, the tool's percentage is no work and is not used.
    `least_seconds` is how long there must have been progress before a finish is told.
    """

    allocated: int | None = None
    used_mb: int | None = None
    kb: int | None = None
    snapshots: bool = False
    rough: str = ""
    calibration: Calibration = Calibration()
    awaited: bool = False
    blocks: int | None = None
    at_least: bool = False
    unit: Unit = Unit.INODES
    least_seconds: float = LEAST_SECONDS

    @property
    def totals(self) -> dict[Unit, int | None]:
        """By what they are totals of."""
        return {Unit.INODES: self.allocated, Unit.MB: self.used_mb, Unit.KB: self.kb, Unit.BLOCKS: self.blocks}


class Basis(msgspec.Struct, frozen=True):
    """What a forecast rests on.

    `work` is the part done, `passed` the part done while it was watched; low, mid and high are seconds from the last
    mark, 0 without progress. `changed` tells that an earlier rate was found to hold no more; `open_ended` that the work
    may be more than the whole, `past` that it is, by nobody knows how much.
    """

    units: tuple[Unit, ...] = ()
    work: float = 0.0
    passed: float = 0.0
    low: float = 0.0
    mid: float = 0.0
    high: float = 0.0
    changed: bool = False
    open_ended: bool = False
    past: bool = False
    notes: tuple[str, ...] = ()

    @property
    def unit(self) -> str:
        """As one writes it: `inodes`, `inodes+MB`; empty for none."""
        return "+".join(self.units)


def basis(history: History, known: Known, rules: Rules) -> Basis:
    """What can be said now."""
    totals, notes = _totals(history, known, rules)
    snapshots = known.snapshots and rules.snapshots and bool({Unit.INODES, Unit.MB} & totals.keys())
    if snapshots:
        notes += (_SNAPSHOTS.format(times=SNAPSHOTS_TIMES),)
    times, open_ended = (1.0, 1.0, 1.0), snapshots
    if snapshots:
        times = _range(SNAPSHOTS_TIMES)
    elif known.at_least and Unit.BLOCKS in totals:
        times, open_ended = _range(LEAST_TIMES, NO_MORE), True
        notes += (_AT_LEAST.format(total=known.blocks, times=LEAST_TIMES),)
    points = _points(history.marks, totals)
    if not points:
        past = known.at_least and _passed(history, Unit.BLOCKS, known.blocks)
        return Basis(past=past, notes=notes)
    since, changed = _since(points, history.change, rules, percent=Unit.PERCENT in totals)
    spent, done = (last - first for last, first in zip(points[-1], points[since], strict=True))
    work = points[-1][1]
    found = Basis(tuple(totals), work, work - points[0][1], changed=changed, open_ended=open_ended, notes=notes)
    if done <= 0 or spent <= 0:
        return found
    low, left, high = (one - work for one in times)
    mid = left * spent / done
    if left <= 0 or not math.isfinite(mid):
        return found
    below, above = PERCENT if Unit.PERCENT in totals or known.rough else BOTH if len(totals) == 2 else ONE
    spread = _spread(points[since:], rules)
    low = max(low, left * math.exp(-FURTHEST))
    # two things that have nothing to do with each other: how the rate varies, and how much there is to do
    below = _reach(math.hypot(below * spread, math.log(left / low)), known.calibration.below)
    above = _reach(math.hypot(above * spread, math.log(high / left)), known.calibration.above)
    return msgspec.structs.replace(found, low=mid * math.exp(-below), mid=mid, high=mid * math.exp(above))


def _range(most: float, alone: float = 0.0) -> tuple[float, float, float]:
    """A range of ratios with its middle: a part of all is 1 alone, of the rest every one up to `most` as likely as its
    like.
    """
    low, mid, high = (most ** max(0.0, (part - alone) / (1.0 - alone)) for part in (0.1, 0.5, 0.9))
    return low, mid, high


def _reach(usual: float, factor: float) -> float:
    """How far a range reaches, as a logarithm; sound whatever factor a recording holds."""
    return max(0.0, min(FURTHEST, usual * factor))


def _totals(history: History, known: Known, rules: Rules) -> tuple[dict[Unit, float], tuple[str, ...]]:
    """The units to count in with their totals, and why one of them is not used."""
    if not history.marks:
        return {}, ()
    totals: dict[Unit, float] = {}
    notes: list[str] = []
    last, told = history.marks[-1], known.totals
    for unit, use in ((Unit.INODES, rules.inodes), (Unit.MB, rules.mb), (Unit.KB, True), (Unit.BLOCKS, True)):
        count, total = last.count(unit), told[unit]
        if not history.counted or count is None or not total or total < 0 or not use:
            continue
        if not _passed(history, unit, total):
            totals[unit] = max(total, count)
        elif known.at_least and unit is Unit.BLOCKS:
            notes.append(f"more {unit} than the {total:,} that there are at least: how many more, nobody knows")
        else:
            notes.append(f"there are more {unit} than the {total:,} it was told of: not counted by them any more")
    if not totals and last.percent is not None:
        totals[Unit.PERCENT] = 100.0
    return totals, tuple(notes)


def _passed(history: History, unit: Unit, total: int | None) -> bool:
    """Whether a counter is so far past its total that this is none."""
    count = history.marks[-1].count(unit) if history.marks else None
    return count is not None and total is not None and count > OVER * total


def _points(marks: list[Mark], totals: dict[Unit, float]) -> list[Point]:
    """The marks that have all of the units: of several, the mean counts."""
    # column by column, and no function called for each mark: a long log that is read at once has hundreds of forecasts
    columns = [
        [None if count is None else count / whole for count in map(_COUNTS[unit], marks)]
        for unit, whole in totals.items()
    ]
    points = []
    for mark, *parts in zip(marks, *columns, strict=True):
        told = [part for part in parts if part is not None]
        if told and len(told) == len(parts):
            points.append((mark.at, sum(told) / len(told)))
    return points


def _since(points: list[Point], told: float, rules: Rules, *, percent: bool) -> tuple[int, bool]:
    """The index of the point from which on the rate counts, and whether a change was found there."""
    start = bisect_left(points, (told,))
    if not _enough(points, start):
        start = 0
    if percent and rules.recent:
        half = points[-1][0] - RECENT * (points[-1][0] - points[start][0])
        return max(0, min(bisect_left(points, (half,)), len(points) - 2)), False
    change = _change(points[start:]) if rules.change else None
    index = bisect_left(points, (change,)) if change is not None else start
    return (index, True) if index > start and _enough(points, index) else (start, False)


def _enough(points: list[Point], index: int) -> bool:
    return len(points) - index >= POINTS_AFTER and points[-1][0] - points[index][0] >= SECONDS_AFTER


def _change(points: list[Point]) -> float | None:
    """When the rate changed most, if it did beyond doubt; None otherwise."""
    count = min(BLOCKS, len(points) - 1)
    logs = _log_rates(points, count) if count >= FEWEST_BLOCKS else []
    if not logs:
        return None
    usual = 1.05 * median([abs(later - earlier) for earlier, later in pairwise(logs)]) + 0.02
    best, where = SURE, 0
    for split in range(BLOCKS_BEFORE, count - BLOCKS_AFTER + 1):
        step = abs(median(logs[:split]) - median(logs[split:]))
        score = step / usual * math.sqrt(split * (count - split) / count)
        if step > math.log(CHANGED) and score > best:
            best, where = score, split
    return points[0][0] + where * (points[-1][0] - points[0][0]) / count if where else None


def _spread(points: list[Point], rules: Rules) -> float:
    """How far log(truth / middle) is expected to spread: by how unsteady the rate has been."""
    if not rules.spread:
        return LEAST_SPREAD
    logs = _log_rates(points, PARTS) if len(points) > PARTS else []
    return min(MOST_SPREAD, math.hypot(LEAST_SPREAD, pstdev(logs) if logs else UNKNOWN_SPREAD))


def _log_rates(points: list[Point], parts: int) -> list[float]:
    """Logarithms of the work in equal times, with a floor; empty without time or progress.

    Not of the work a second: only their differences count, and a time may be too short to divide by.
    """
    begin, width = points[0][0], (points[-1][0] - points[0][0]) / parts
    if width <= 0 or points[-1][1] <= points[0][1]:
        return []
    done, index = [], 0
    for part in range(parts + 1):
        at = begin + part * width
        while index < len(points) - 2 and points[index + 1][0] < at:
            index += 1
        done.append(_between(points[index], points[index + 1], at))
    work = [max(0.0, later - earlier) for earlier, later in pairwise(done)]
    floor = 0.05 * fmean(work)
    return [math.log(max(part, floor)) for part in work] if floor > 0 else []


def _between(first: Point, last: Point, at: float) -> float:
    """The work done at a time between two points, on the straight line."""
    seconds = last[0] - first[0]
    share = min(1.0, max(0.0, (at - first[0]) / seconds)) if seconds > 0 else 1.0
    return first[1] + share * (last[1] - first[1])
