"""Synthetic runs of a scan whose true end is known, in regimes that differ in what goes wrong.

A run walks over chunks of inodes. A chunk costs `a` seconds an inode plus `b` seconds a MB, and inodes that are
allocated but not used cost little. The speed varies with time, and lines are printed now and then. The percentage
that is printed follows neither, as the real one does not: it creeps or runs ahead, stops short, and jumps to 100.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

CHUNKS = 1500
STEP = 0.2 / CHUNKS

Speed = Callable[[float], float]
"""Relative speed at a fraction of the undisturbed duration; 0 while it stands still."""


class Line(NamedTuple):
    """A progress line: seconds since the phase began, the tool's percentage, and its counters where it has them."""

    at: float
    percent: float
    inodes: int | None
    mb: int | None


class Run(NamedTuple):
    """A whole run; `allocated` and `used_mb` are what the counters reach, `finish` is in seconds.

    With `snapshots` the counters pass these by far: they are of the live file system, and the scan walks on.
    """

    regime: str
    lines: list[Line]
    allocated: int | None
    used_mb: int | None
    finish: float
    snapshots: bool = False


class World(NamedTuple):
    """What a regime changes of the ordinary run."""

    weights: Callable[[random.Random], Callable[[float], float]] | None = None
    """MB an inode, as a factor over the position 0..1."""
    hidden: Callable[[random.Random], Callable[[float], float]] | None = None
    """A cost that no counter shows, as a factor over the position."""
    speed: Callable[[random.Random], Speed] | None = None
    free: tuple[float, float] = (0.02, 0.10)
    """Bounds of the share of free inodes, which stand at the end."""
    bend: tuple[float, float] = (0.55, 1.6)
    """Bounds of the power that bends the percentage."""
    counters: bool = True
    lump: int = 1
    """The counters move only every so many lines."""
    keep: float = 1.0
    """Share of the lines that reach the log."""
    by_work: bool = False
    """A line comes whenever so much work is done, and not after so much time."""
    snapshots: tuple[float, float] | None = None
    """Bounds of how many times the totals that are told the counters reach, where there are snapshots."""


def _flat(_: random.Random) -> Callable[[float], float]:
    return lambda _x: 1.0


def _qos(rng: random.Random) -> Speed:
    when, factor = rng.uniform(0.15, 0.8), rng.choice([rng.uniform(0.2, 0.6), rng.uniform(1.6, 5.0)])
    return lambda t: factor if t > when else 1.0


def _throttled(rng: random.Random) -> Speed:
    when, factor = rng.uniform(0.1, 0.7), rng.uniform(0.05, 0.3)
    return lambda t: factor if t > when else 1.0


def _two_qos(rng: random.Random) -> Speed:
    first, second = sorted((rng.uniform(0.1, 0.8), rng.uniform(0.2, 0.95)))
    factor, last = rng.uniform(0.2, 0.7), rng.uniform(0.6, 1.6)
    return lambda t: 1.0 if t < first else factor if t < second else last


def _node_lost(rng: random.Random) -> Speed:
    when, left = rng.uniform(0.1, 0.7), rng.choice([1 / 2, 2 / 3, 3 / 4])
    return lambda t: left if t > when else 1.0


def _diurnal(rng: random.Random) -> Speed:
    depth, days, shift = rng.uniform(0.3, 0.7), rng.uniform(0.4, 4.0), rng.random()
    return lambda t: 1.0 + depth * math.sin(2 * math.pi * (days * t + shift))


def _stalls(rng: random.Random) -> Speed:
    spans = [(start, start + rng.uniform(0.02, 0.15)) for start in (rng.uniform(0.05, 1.0) for _ in range(2))]
    return lambda t: 0.0 if any(begin <= t < end for begin, end in spans) else 1.0


def _rising(rng: random.Random) -> Callable[[float], float]:
    steep = rng.uniform(1.5, 4.0)
    return lambda x: math.exp(steep * (x - 0.5))


def _falling(rng: random.Random) -> Callable[[float], float]:
    steep = rng.uniform(1.5, 4.0)
    return lambda x: math.exp(steep * (0.5 - x))


def _slow_tail(rng: random.Random) -> Callable[[float], float]:
    begins, factor = rng.uniform(0.7, 0.9), rng.uniform(1.5, 4.0)
    return lambda x: factor if x > begins else 1.0


def _directories(rng: random.Random) -> Callable[[float], float]:
    log, field = 0.0, []
    for _ in range(CHUNKS):
        log = 0.97 * log + rng.gauss(0, 0.2)
        field.append(math.exp(log))
    return lambda x: field[min(CHUNKS - 1, int(x * CHUNKS))]


TUNED = {
    "steady": World(),
    "rate changed once": World(speed=_qos),
    "day and night": World(speed=_diurnal),
    "large files last": World(weights=_rising),
    "stalls": World(speed=_stalls),
    "many free inodes": World(free=(0.12, 0.3)),
    "percent only": World(counters=False, bend=(0.8, 1.25)),
    "counters in lumps": World(lump=8),
    "rate changed, a line a step": World(speed=_throttled, by_work=True),
    "percent far off": World(bend=(0.15, 0.35), free=(0.04, 0.08)),
}
"""Regimes whose runs were looked at while the rules and numbers of the estimator were chosen."""
HELD_OUT = {
    "slow tail": World(hidden=_slow_tail),
    "large files first": World(weights=_falling),
    "rate changed twice": World(speed=_two_qos),
    "cost by directory": World(hidden=_directories),
    "helper node lost": World(speed=_node_lost),
    "lines missing": World(keep=0.15),
    "snapshots": World(snapshots=(1.0, 3.0)),
}
"""Regimes that nothing was chosen on."""
REGIMES = {**TUNED, **HELD_OUT}


def run(regime: str, seed: int) -> Run:
    """One run of a regime; the same seed gives the same run."""
    world, rng = REGIMES[regime], random.Random(f"{regime}/{seed}")
    allocated = int(math.exp(rng.uniform(math.log(2e6), math.log(2e9))))
    inodes = allocated / CHUNKS
    field = _mb_field(world, rng)
    used = int(CHUNKS * (1 - rng.uniform(*world.free)))
    per_inode = math.exp(rng.uniform(math.log(0.05), math.log(10.0)))
    mb = [per_inode * inodes * value if index < used else 0.0 for index, value in enumerate(field)]
    course = _course(world, rng, mb, used)
    finish = course[-1][0]
    done_mb = [0.0]
    for value in mb:
        done_mb.append(done_mb[-1] + value)
    gap = max(math.exp(rng.uniform(math.log(20), math.log(180))), finish / 700)
    bend, end = rng.uniform(*world.bend), rng.uniform(97.5, 99.9)
    lines: list[Line] = []
    count = 0
    shown = (0.0, 0.0)
    for at in _work_times(course, gap) if world.by_work else _clock_times(finish, gap, rng):
        position = _position(course, at)
        count += 1
        if count % world.lump == 0 or not lines:
            shown = (position / CHUNKS, _between(done_mb, position) / done_mb[-1])
        percent = round(end * (0.5 * shown[0] + 0.5 * shown[1]) ** bend, 2)
        if rng.random() > world.keep:
            continue
        counted = (int(shown[0] * allocated), int(shown[1] * done_mb[-1])) if world.counters else (None, None)
        lines.append(Line(float(round(at)), percent, *counted))
    times = rng.uniform(*world.snapshots) if world.snapshots else 1.0
    totals = (int(allocated / times), int(done_mb[-1] / times)) if world.counters else (None, None)
    return Run(regime, lines, *totals, finish, world.snapshots is not None)


def _clock_times(finish: float, gap: float, rng: random.Random) -> Iterator[float]:
    at = 0.0
    while (at := at + gap * rng.uniform(0.8, 1.2)) < finish:
        yield at


def _work_times(course: list[tuple[float, float]], gap: float) -> Iterator[float]:
    """As many lines as there would be with that gap, each after the same number of inodes."""
    step = CHUNKS * gap / course[-1][0]
    wanted = step
    for (before, first), (after, last) in pairwise(course):
        while first < wanted <= last:
            yield before + (after - before) * (wanted - first) / (last - first)
            wanted += step


def _mb_field(world: World, rng: random.Random) -> list[float]:
    """MB an inode along the scan: correlated, over some orders of magnitude."""
    weights = (world.weights or _flat)(rng)
    spread, log, field = rng.uniform(0.02, 0.08), 0.0, []
    for index in range(CHUNKS):
        log = 0.99 * log + rng.gauss(0, spread)
        field.append(math.exp(log) * weights(index / CHUNKS))
    mean = sum(field) / CHUNKS
    return [value / mean for value in field]


def _course(world: World, rng: random.Random, mb: list[float], used: int) -> list[tuple[float, float]]:
    """Seconds and how many chunks are done then, straight in between; the last one is the end."""
    share, total_mb = rng.uniform(0.1, 0.7), sum(mb)
    hidden, speed = (world.hidden or _flat)(rng), (world.speed or _flat)(rng)
    free_cost, noise = rng.uniform(0.1, 0.6), 0.0
    duration = math.exp(rng.uniform(math.log(1.5 * 3600), math.log(60 * 3600)))
    costs = []
    for index, value in enumerate(mb):
        noise = 0.95 * noise + rng.gauss(0, 0.06)
        cost = (1 - share) / CHUNKS * (1.0 if index < used else free_cost) + share * value / total_mb
        costs.append(cost * math.exp(noise) * hidden(index / CHUNKS))
    whole = sum(costs)
    course, now = [(0.0, 0.0)], 0.0
    for index, cost in enumerate(costs):
        need = left = cost / whole
        while left > 1e-12 * need:  # the speed may change within a chunk
            rate = speed(now)
            took = STEP if rate <= 0 else min(STEP, left / rate)
            now, left = now + took, max(0.0, left - took * rate)
            course.append((now * duration, index + 1 - left / need))
    return course


def _position(course: list[tuple[float, float]], at: float) -> float:
    """How many chunks are done at a time."""
    index = min(max(1, bisect_left(course, (at,))), len(course) - 1)
    (before, first), (after, last) = course[index - 1 : index + 1]
    return first + (last - first) * ((at - before) / (after - before) if after > before else 1.0)


def _between(sums: list[float], position: float) -> float:
    index = min(int(position), len(sums) - 2)
    return sums[index] + (position - index) * (sums[index + 1] - sums[index])
