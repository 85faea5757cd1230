"""How far forecasts are from the truth, at up to sixty lines of each run from 3 % to 98.5 % of its time."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from benchmarks.eta.rivals import RIVALS, Rival
from benchmarks.eta.worlds import Run
from supervision.eta import Estimator, Observation, Span
from supervision.eta_rates import Calibration, Rules
from supervision.eta_runs import calibrated, finished

POINTS = 60
FIRST, LAST = 0.03, 0.985
UNITS = ("%", "inodes")
RIVAL_NAMES = [f"{name} {unit}" for unit in UNITS for name in RIVALS]


class Told(NamedTuple):
    """What was told at a line, where `truth` seconds were left: by us, and by the others."""

    truth: float
    ours: Span | None
    theirs: dict[str, float | None]

    def error(self, name: str) -> float | None:
        """|told - truth| / truth of a rival, or of us with the name `ours`."""
        told = (self.ours.mid if self.ours else None) if name == "ours" else self.theirs.get(name)
        return None if told is None else abs(told - self.truth) / self.truth


def points(run: Run) -> set[int]:
    """Indexes of the lines that are scored."""
    able = [index for index, line in enumerate(run.lines) if FIRST < line.at / run.finish < LAST]
    if len(able) <= POINTS:
        return set(able)
    return {able[part * len(able) // POINTS] for part in range(POINTS)}


def play(run: Run, rules: Rules | None = None, *, rivals: bool = True) -> Iterator[Told]:
    """A run through our estimator, and through the others."""
    estimator = Estimator(run.allocated, run.used_mb, rules, snapshots=run.snapshots)
    estimator.begin(0.0)
    others: dict[str, Rival] = {f"{name} {unit}": rule() for unit in UNITS for name, rule in RIVALS.items()}
    scored = points(run)
    for index, line in enumerate(run.lines):
        estimator.observe(Observation(line.at, line.percent, line.inodes, line.mb))
        theirs: dict[str, float | None] = {}
        for name, other in others.items() if rivals else ():
            done = line.percent / 100 if name.endswith("%") else _share(line.inodes, run.allocated)
            theirs[name] = None if done is None else other.left(line.at, done)
        if index in scored:
            yield Told(run.finish - line.at, estimator.estimate().remaining, theirs)


def _share(inodes: int | None, allocated: int | None) -> float | None:
    """None as well for more than the whole: nobody can make a time left of that."""
    return inodes / allocated if inodes is not None and allocated and inodes <= allocated else None


def taught(runs: Iterable[Run]) -> Calibration:
    """What these runs teach once they are over."""
    kept = []
    for run in runs:
        forecasts = [(run.finish - told.truth, told.ours) for told in play(run, rivals=False) if told.ours]
        if over := finished(run.regime, "synthetic", 0.0, run.finish, forecasts):
            kept.append(over.residuals)
    return calibrated(kept)


def after(told: Iterable[Told], calibration: Calibration) -> list[Told]:
    """What would have been told with that: the middle is the same, the range another one."""
    return [each._replace(ours=_widened(each.ours, calibration)) for each in told]


def _widened(span: Span | None, calibration: Calibration) -> Span | None:
    if span is None:
        return None
    low, high = span.low / span.mid, span.high / span.mid
    return Span(span.mid * low**calibration.below, span.mid, span.mid * high**calibration.above)


class Score(NamedTuple):
    """Of some points: errors' median and 90th percentile and the share that got a figure; None without any."""

    median: float
    p90: float
    answered: float


def score(told: Iterable[Told], name: str) -> Score | None:
    """How well somebody did."""
    errors = [each.error(name) for each in told]
    known = sorted(error for error in errors if error is not None)
    if not known:
        return None
    return Score(statistics.median(known), known[int(0.9 * len(known))], len(known) / len(errors))


class Promise(NamedTuple):
    """Of our range: the share of truths inside, before and after it, and the median of (high - low) / mid."""

    inside: float
    before: float
    after: float
    width: float


def promise(told: Iterable[Told]) -> Promise | None:
    """How well the range kept its word."""
    ranges = [(each.truth, each.ours) for each in told if each.ours]
    if not ranges:
        return None
    before = sum(truth < span.low for truth, span in ranges) / len(ranges)
    after = sum(truth > span.high for truth, span in ranges) / len(ranges)
    width = statistics.median((span.high - span.low) / span.mid for _, span in ranges)
    return Promise(1 - before - after, before, after, width)
