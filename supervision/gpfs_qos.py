"""What QoS tells of a GPFS file system: whether it is on, its limits with what they leave the helpers, and the rates.

GPFS divides a limit equally over the nodes for which it is and that mount the file system, whether they work or not.
"""

from __future__ import annotations

import math
from itertools import pairwise

import msgspec

from remote.gpfs.models import Mounts, Qos
from remote.gpfs.qos import iops_of, scope_of
from supervision.brake import Limit, Power, Rate
from supervision.gpfs_view import View
from supervision.jobwords import words_of
from supervision.state import Job

MAINTENANCE, OTHER, MISC = "maintenance", "other", "misc"
"""The classes: `misc` is GPFS's own and cannot be limited; the manual of 6.0 has metadata read and written in it."""
LOCAL = ("all_local",)
EVERYWHERE = ("", "all")
_BY_DEFAULT = {"mmchdisk": OTHER}


class Mounted(msgspec.Struct, frozen=True):
    """Where the file system is mounted: nodes of the cluster itself by daemon name, and how many there are in all."""

    own: frozenset[str] = frozenset()
    count: int | None = None
    at: float | None = None


def power(view: View) -> tuple[Power, str]:
    """Whether QoS is on, and why that is not known or cannot be."""
    fact, qos = view.facts.fact(Qos), view.facts.get(Qos)
    if fact is None:
        return Power.UNKNOWN, "not asked yet"
    if fact.never:
        return Power.ABSENT, fact.failure
    if qos is None or qos.enabled is None:
        return Power.UNKNOWN, fact.failure or "mmlsqos does not say whether QoS is on"
    return (Power.ENABLED if qos.enabled else Power.OFF), fact.failure


def mounted(view: View) -> Mounted:
    """Where it is mounted, as far as that is known."""
    told = view.facts.get(Mounts)
    where = view.remember("mounted", (told, view.cluster), lambda: _mounted(view, told))
    return msgspec.structs.replace(where, at=view.at(Mounts))


def _mounted(view: View, told: Mounts | None) -> Mounted:
    mounts = told.of(view.name) if told else None
    if mounts is None:
        return Mounted()
    own = set()
    for node in mounts.nodes:
        found = view.node(node.address) or view.node(node.name)
        if found:
            own.add(found.daemon_name)
    count = max(mounts.count, len(mounts.nodes))
    return Mounted(frozenset(own), count)


def class_of(job: Job) -> str:
    """The class of I/O in which a scan runs: by its own word, else the default of its command."""
    words = words_of(job)
    named = [after for before, after in pairwise(words) if before == "--qos"]
    program = words[0].rpartition("/")[2] if words else ""
    return named[-1] if named else _BY_DEFAULT.get(program, MAINTENANCE)


def helpers(view: View, job: Job) -> tuple[str, ...] | None:
    """The nodes that scan, by daemon name: those of -N, else all that mount; None where that cannot be told."""
    named = [after for before, after in pairwise(words_of(job)) if before == "-N"]
    if not named:
        return tuple(sorted(mounted(view).own)) or None
    nodes: dict[str, None] = {}
    for word in named[-1].split(","):
        found = _nodes(view, word)
        if not found:
            return None
        nodes.update(dict.fromkeys(sorted(found)))
    return tuple(nodes)


def _nodes(view: View, word: str) -> frozenset[str]:
    """The nodes that a word of -N means; none for a class whose members no question has told."""
    node = view.node(word)
    if node:
        return frozenset((node.daemon_name,))
    match word:
        case "all" | "all_local":
            return frozenset(each.daemon_name for each in view.cluster.nodes) if view.cluster else frozenset()
        case "mount":
            return mounted(view).own
        case "nsdNodes":
            return frozenset(view.nsds_by_node)
    return frozenset()


def divided_over(view: View, scope: str) -> int | None:
    """The number of nodes over which a limit of that scope is divided; None while that is not known."""
    where = mounted(view)
    if scope in EVERYWHERE:
        return where.count
    if where.count is None:
        return None
    if scope in LOCAL:
        return len(where.own) or None
    return len(nodes_of_scope(view, scope) & where.own) or None


def nodes_of_scope(view: View, scope: str) -> frozenset[str]:
    """The nodes that a limit names; none for a class of nodes whose members no question has told."""
    return frozenset().union(*(_nodes(view, word) for word in scope.replace("+", ",").split(",")))


def pools(view: View) -> tuple[str, ...]:
    """The pools, as the limits and the disks tell of them."""
    qos, listed = view.facts.get(Qos), view.disks

    def found() -> tuple[str, ...]:
        told = [row.pool for row in qos.limits] if qos else []
        disks = [disk.pool for disk in listed.disks] if listed else []
        return tuple(dict.fromkeys(pool for pool in (*told, *disks) if pool and pool != "*"))

    return view.remember("pools of limits", (qos, listed), found)


def limits(view: View, scans: tuple[str, ...] | None, name: str = MAINTENANCE) -> tuple[Limit, ...]:
    """What limits a class in each pool: where there are several, that for some nodes before that for all."""
    found = []
    for pool in pools(view):
        told = _limits(view, pool, scans, name)
        if told:
            found.append(min(told, key=_precedence)[1])
    return tuple(found)


def _precedence(told: tuple[str, Limit]) -> tuple[bool, bool, float]:
    """A limit that names nodes comes first, of these what leaves the helpers least; what is not known comes last."""
    scope, limit = told
    worth = limit.iops if limit.effective is None else limit.effective
    return limit.effective is None, scope in (*LOCAL, *EVERYWHERE), worth


def _limits(view: View, pool: str, scans: tuple[str, ...] | None, name: str) -> list[tuple[str, Limit]]:
    qos = view.facts.get(Qos)
    rows = [row for row in qos.limits if row.pool == pool] if qos else []
    users = min((iops_of(row.limit) or math.inf for row in rows if scope_of(row.name)[0] == OTHER), default=math.inf)
    made = []
    for row in rows:
        base, scope = scope_of(row.name)
        number = iops_of(row.limit)
        if base != name or number is None:
            continue
        named = frozenset() if scope in (*LOCAL, *EVERYWHERE) else nodes_of_scope(view, scope)
        mine = [node for node in scans if not named or node in named] if scans else None
        if mine == []:
            continue  # it is for others
        count = None if mine is None else len(mine)
        alone = named == frozenset(scans or ("",))
        made.append((scope, Limit(pool, number, divided_over(view, scope), count, users, alone)))
    return made


def knows_scopes(view: View) -> bool:
    """Whether the release tells for which nodes a limit is: then it can be for some of them."""
    qos = view.facts.get(Qos)
    return bool(qos and any(scope_of(row.name)[1] for row in qos.limits))


def rates(qos: Qos | None, *, after: float = -math.inf, host_zone: int = 0, at: float = 0.0) -> tuple[Rate, ...]:
    """What each class does in each pool, the mean of the intervals that ended later than `after` (the host's clock).

    `at` (when it was asked) and `host_zone` (s from UTC) date the human form, which prints a time of day alone.
    """
    sums: dict[tuple[str, str], dict[str, list[tuple[float, float | None, float | None]]]] = {}
    for stat in qos.stats if qos else ():
        time = stat.time if stat.time is not None else _dated(stat.clock, at, host_zone)
        if stat.iops is None or (time is not None and time <= after) or (time is None and after > -math.inf):
            continue
        base = scope_of(stat.name)[0]
        sums.setdefault((stat.pool, base), {}).setdefault(stat.name, []).append((stat.iops, stat.delayed, stat.mb_s))
    return tuple(
        Rate(
            pool,
            base,
            sum(_mean([row[0] for row in rows]) or 0.0 for rows in names.values()),
            _mean([row[1] for rows in names.values() for row in rows]),
            _mean([row[2] for rows in names.values() for row in rows]),
        )
        for (pool, base), names in sorted(sums.items(), key=lambda item: item[0])
    )


def _mean(values: list[float | None] | list[float]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _dated(clock: str, at: float, zone: int) -> float | None:
    """A time of day as the time nearest to `at`; None for what is none."""
    words = clock.split(":")
    if len(words) != 3 or not all(word.isdigit() and len(word) <= 2 for word in words):
        return None
    seconds = int(words[0]) * 3600 + int(words[1]) * 60 + int(words[2])
    day = 86400
    past = (at + zone - seconds) % day
    return at - past if past <= day / 2 else at + day - past
