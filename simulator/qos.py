"""What limits of QoS leave a restripe, and the rates that `mmlsqos` measures. All rates are I/O operations a second.

A limit is divided over the nodes that mount the file system, whether they take part or not; one that was set for some
nodes (`mmchqos -N`) over these. How `mmlsqos` names the latter was not seen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from simulator.fstables import Rate
from simulator.state import FileSystem
from simulator.world import World

FULL_IOPS = 2600.0
"""Those of a restripe that nothing slows, in each pool; a limit below that slows it in proportion."""

METADATA_SHARE = 0.95
"""Those of a restripe's operations that metadata takes; no limit slows them where `qos_effect` is `nothing`."""


def number(limit: str) -> float:
    """A limit as a number; infinite for none."""
    return math.inf if limit == "unlimited" else max(1.0, float(limit.lower().removesuffix("iops")))


def _allowed(world: World, fs: FileSystem, pool: str, helpers: Sequence[str]) -> float:
    """What the helpers may do together in a pool."""
    everywhere = number(fs.qos.limit(pool, "maintenance")) / max(1, len(fs.mounted_on))
    each = dict.fromkeys(helpers, everywhere)
    for scope, limits in fs.qos.scopes.get(pool, {}).items():
        nodes = scope.split(",")
        if "maintenance" in limits:
            each |= {name: number(limits["maintenance"]) / len(nodes) for name in helpers if name in nodes}
    return sum(each.values())


def allowed_share(world: World, fs: FileSystem, helpers: Sequence[str]) -> float:
    """The share of its full speed that limits leave a restripe: the narrowest pool decides; infinite for no limit."""
    if not fs.qos.enabled or world.policies.qos_effect == "nothing":
        return math.inf
    return min((_allowed(world, fs, pool, helpers) / FULL_IOPS for pool in fs.pools), default=math.inf)


def _users(moment: float, place: int) -> float:
    """Users' load goes up and down within the hour."""
    return 9000 + 4000 * math.sin((moment + 900 * place) / 1800)


def rates(world: World, fs: FileSystem, seconds: int) -> list[Rate]:
    """What was measured: every 5 s of up to a minute, or every minute of a longer time, the oldest first."""
    period = 5 if seconds <= 60 else 60
    last = int(world.clock.now()) // period * period
    found: list[Rate] = []
    for place, pool in enumerate(fs.pools):
        for end in range(last - (max(1, seconds // period) - 1) * period, last + 1, period):
            load = min(_users(end, place), number(fs.qos.limit(pool, "other")))
            found.append((pool, end, "other", f"{load:.2f}", f"{load / 800:.3f}", "0.00022791", period, _mb(load / 4)))
            work = FULL_IOPS * world.work.mean(end - period, end)
            if work > 0 or world.run is not None:
                found += _maintenance(world, fs, pool, end, work, period)
    return found


def _maintenance(world: World, fs: FileSystem, pool: str, end: int, work: float, period: int) -> list[Rate]:
    """The rates of a restripe; where limits do not bite, most of it is in a class that has none."""
    limited = fs.qos.limit(pool, "maintenance") != "unlimited" or bool(fs.qos.scopes.get(pool))
    found: list[Rate] = []
    if world.policies.qos_effect == "nothing":
        free = METADATA_SHARE * work
        found.append((pool, end, "misc", f"{free:.2f}", f"{free / 400:.3f}", "0.00000", period, _mb(free / 6)))
        work = min(work - free, number(fs.qos.limit(pool, "maintenance")))
    delay = "0.013449" if limited else "0.00000"
    return [(pool, end, "maintenance", f"{work:.2f}", f"{work / 400:.3f}", delay, period, _mb(work / 6)), *found]


def _mb(rate: float) -> str:
    return f"{rate:.3f}"
