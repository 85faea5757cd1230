"""Does it hurt? What users' operations take now, against what they took before a scan began.

Pure: from what a probe told (supervision.probing). Times are seconds on the Site's clock, latencies microseconds;
docs/impact.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from statistics import median

import msgspec

from supervision.clocktext import duration_text
from supervision.probing import WINDOW, Level, Samples, Setup, Spread, Spreads, spreads, window

STEPS = ("create", "stat", "unlink", "all three")
"""The first is held against the budget. A client answers most of stat by itself, and unlink is measured coarsely: it
takes a process, which on a busy host is slow whatever the file system does."""
LEAST_BEFORE = 20
"""Probes before the scan below which there is no baseline."""
FLOOR = 100.0
"""Microseconds below which nothing is compared: a shell measures no finer than that."""
NEAR = 0.8
"""Part of the budget from which on it is nearly reached."""
BUDGET = 3.0
"""How many times as long as before users' operations may take, where nobody has set it."""
SILENCE = 120.0
"""Seconds without a line from which on a probe is not taken for alive, when its own times are no longer than that."""
NONE: Spreads = (None, None, None, None)


class Standing(Enum):
    """How it stands with the budget."""

    UNKNOWN = "unknown"
    WITHIN = "within"
    NEAR = "near"
    OVER = "over"


class Change(msgspec.Struct, frozen=True):
    """One kind of operation, before and now; None where too few probes tell of it."""

    name: str
    before: Spread | None = None
    now: Spread | None = None

    @property
    def factor(self) -> float | None:
        """How many times as long the usual one takes; at least, where probes hang."""
        return _ratio(self.before.p50, self.now.p50) if self.before and self.now else None

    @property
    def tail_factor(self) -> float | None:
        """The same of the slowest of twenty."""
        return _ratio(self.before.p95, self.now.p95) if self.before and self.now else None


class Baseline(msgspec.Struct, frozen=True):
    """What operations took before: the median over all windows of their p50 and of their p95, by step.

    `count` is of the probes behind it. `basis` says what it rests on, or why there is none.
    """

    basis: str
    count: int = 0
    spreads: Spreads = NONE


class TrendPoint(msgspec.Struct, frozen=True):
    """The window that ends at `at`: the judged factor, that of the slowest of twenty, and how many probes hung."""

    at: float
    factor: float | None
    tail_factor: float | None
    hung: int | None


class Impact(msgspec.Struct, frozen=True):
    """What a scan does to users. `changes` are in the order of STEPS.

    `hung` are the probes that hang now, None where that is not known; `heard_at` is when the probe last said anything.
    `why` tells why nothing is known of now, or what is wrong with the probe; empty where nothing is.
    """

    changes: tuple[Change, ...]
    baseline: Baseline
    budget: float
    standing: Standing
    over_since: float | None
    hung: int | None
    hung_since: float | None
    trend: tuple[TrendPoint, ...]
    heard_at: float | None
    why: str = ""

    @property
    def judged(self) -> Change:
        """What is held against the budget."""
        return self.changes[0]

    @property
    def factor(self) -> float | None:
        """How many times as long as before it takes; None where that is not known."""
        return self.judged.factor


def baseline(samples: Samples, until: float, since: float = -math.inf) -> Baseline:
    """What operations took between two times, by the windows that lie within them as a whole."""
    if not samples.levels:
        return Baseline("no baseline: no probe has told anything")
    first = samples.levels[0].at
    if first > until:
        return Baseline("no baseline: the probe began only after the scan")
    levels = [level for level in samples.levels if since <= max(first, level.at - WINDOW) and level.at <= until]
    before = max((level.ended for level in samples.levels if level.at <= since), default=0)
    count = levels[-1].ended - before if levels else 0
    if count < LEAST_BEFORE:
        return Baseline(f"no baseline: it needs {LEAST_BEFORE} probes, and has {count}", count)
    over = levels[-1].at - max(first, since)
    return Baseline(f"{count:,} probes over {duration_text(over)}", count, _medians(levels))


def impact(
    samples: Samples,
    now: float,
    began: float | None = None,
    *,
    budget: float | None = None,
    before: tuple[float, float] | None = None,
    earlier: Iterable[Samples] = (),
    speed: float = 1.0,
) -> Impact:
    """What a scan that began at `began` does, by what is known at `now`.

    `budget` is a factor; without it the one that the probe was started with. `before` is a time that a person chose for
    the baseline, from and to, instead of all before the scan. Without a scan all that was is the baseline. `earlier`
    are probes of the same place that have ended, the newest first, for when this one began too late. `speed` is the
    simulation's, 1 for a real cluster.
    """
    since, until = before or (-math.inf, now if began is None else began)
    base = baseline(samples, until, since)
    if base.spreads == NONE:
        others = (baseline(other, until, since) for other in earlier)
        base = next((other for other in others if other.spreads != NONE), base)
    after = max(now - WINDOW, -math.inf if began is None else began)
    changes = _changes(base, spreads(window(samples.recent, after, now)))
    setup = samples.setup or Setup()
    allowed = budget or setup.budget or BUDGET
    silent = samples.heard_at is not None and now - samples.heard_at > _patience(setup, speed)
    known = not samples.over and not silent
    made = Impact(
        changes,
        base,
        allowed,
        Standing.UNKNOWN,
        None,
        samples.hung if known else None,
        samples.hung_since if known else None,
        tuple(_trend(samples.levels, base)),
        samples.heard_at,
        _why(samples, changes[0], now, silent=silent),
    )
    standing = _standing(made.factor, allowed)
    over_since = _over_since(made.trend, allowed, now) if standing is Standing.OVER else None
    return msgspec.structs.replace(made, standing=standing, over_since=over_since)


def _ratio(before: float, now: float) -> float | None:
    return now / before if before >= FLOOR else None


def _changes(base: Baseline, present: Spreads) -> tuple[Change, ...]:
    return tuple(map(Change, STEPS, base.spreads, present))


def _medians(levels: Sequence[Level]) -> Spreads:
    create, stat, unlink, whole = (_median(told) for told in zip(*(level.spreads for level in levels), strict=True))
    return create, stat, unlink, whole


def _median(told: Iterable[Spread | None]) -> Spread | None:
    """The median of windows; those that tell nothing are left out."""
    known = [spread for spread in told if spread is not None]
    if not known:
        return None
    return Spread(
        median(spread.p50 for spread in known),
        median(spread.p95 for spread in known),
        sum(spread.count for spread in known),
    )


def _trend(levels: Sequence[Level], base: Baseline) -> Iterator[TrendPoint]:
    """A point for each window, those before the scan too: they show what is usual."""
    for level in levels:
        judged = _changes(base, level.spreads)[0]
        yield TrendPoint(level.at, judged.factor, judged.tail_factor, level.hung)


def _standing(factor: float | None, budget: float) -> Standing:
    if factor is None:
        return Standing.UNKNOWN
    if factor > budget:
        return Standing.OVER
    return Standing.NEAR if factor >= NEAR * budget else Standing.WITHIN


def _over_since(trend: Sequence[TrendPoint], budget: float, now: float) -> float:
    """Since when it has been over without a break; a window that tells nothing is none."""
    since = now
    for point in reversed(trend):
        if point.factor is not None and point.factor <= budget:
            break
        if point.factor is not None:
            since = point.at
    return since


def _patience(setup: Setup, speed: float) -> float:
    """Seconds of silence after which a probe is no more alive. Its own times are real ones in a simulation, too."""
    return max(SILENCE, speed * max(6 * (setup.mean or 0.0), 2 * (setup.deadline or 0.0), 2.0))


def _why(samples: Samples, judged: Change, now: float, *, silent: bool) -> str:
    """What is wrong with the probe, or why nothing is known of now."""
    if samples.heard_at is None:
        return "no probe has told anything yet"
    if samples.left:
        return f"the probe has ended and left {samples.left} behind: remove it with rmdir once nothing hangs there"
    if samples.trouble:
        return f"the probe tells no times: {samples.trouble}"
    if samples.over:
        return "the probe has ended"
    if silent:
        return f"nothing was heard of the probe for {duration_text(now - samples.heard_at)}"
    return "" if judged.now else "too few probes have ended of late"
