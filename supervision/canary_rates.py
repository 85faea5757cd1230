"""What logs complain of now against before, and what to think of it. Pure functions of the state.

A host whose logs cannot be read, or were not asked for yet, is named: it is never counted as quiet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import partial

import msgspec

from remote.linux.log_entries import GRAVE, NAMES
from remote.linux.log_tails import LogTails
from supervision.canary import Heard, Listening
from supervision.state import State

MINUTES = 5
"""Minutes over which the rates of now are taken."""
BASELINE = 24 * 3600.0
"""Seconds before the scan that tell what is usual, as far as they are known."""
SHORTEST = 300.0
"""Seconds of which less says nothing of what is usual."""
USUAL = 2.0
"""Up to so many times the rate of before is as usual."""
STORM = 10.0
"""Errors a minute that are an alarm, whatever they are."""


class Level(Enum):
    """What to think of it."""

    CALM = "calm"
    RAISED = "raised"
    ALARM = "alarm"
    UNKNOWN = "not known"


class Rate(msgspec.Struct, frozen=True):
    """Lines a minute, of errors and of warnings."""

    errors: float = 0.0
    warnings: float = 0.0


class Sum(msgspec.Struct, frozen=True, gc=False):
    """Lines of errors and of warnings in some time, which may be shares of an hour's, and the nodes that they name."""

    errors: float = 0.0
    warnings: float = 0.0
    nodes: tuple[str, ...] = ()


class OfKind(msgspec.Struct, frozen=True):
    """One kind: its rate now and before (None where that is not known), and the nodes that it is about now."""

    kind: str
    now: Rate
    before: Rate | None
    nodes: tuple[str, ...]

    @property
    def name(self) -> str:
        """What it is called."""
        return NAMES.get(self.kind, self.kind)

    @property
    def text(self) -> str:
        """`disk: 3 nodes`, `expel: node c12`."""
        return f"{self.name}: " + (f"node {self.nodes[0]}" if len(self.nodes) == 1 else f"{len(self.nodes)} nodes")


class Canary(msgspec.Struct, frozen=True):
    """What the logs of some hosts complain of.

    `now` is over the five minutes up to the last look at each host, the oldest of which was `at` (Site's clock);
    `before` is over what is known of the day before the scan. `at_least` says that lines were lost. `unread` are hosts,
    or logs of hosts, of which nothing is known, each with the reason.
    """

    level: Level
    now: Rate
    before: Rate | None
    kinds: tuple[OfKind, ...] = ()
    at: float | None = None
    at_least: bool = False
    unread: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """`0 errors, 2 warnings/min (before: 1)   disk: 3 nodes, expel: node c12`."""
        if self.at is None:
            return "not known" + (f": {self.unread[0][0]}: {self.unread[0][1]}" if self.unread else "")
        errors, warnings = _number(self.now.errors), _number(self.now.warnings)
        words = [
            "at least " * self.at_least,
            f"{errors} error{'s' * (errors != '1')}, {warnings} warning{'s' * (warnings != '1')}/min ",
            f"(before: {_before(self.before)})",
        ]
        if self.kinds:
            words.append("   " + ", ".join(each.text for each in self.kinds))
        if self.unread:
            words.append(f"   not read: {', '.join(name for name, _ in self.unread)}")
        return "".join(words)


class _OfHost(msgspec.Struct, frozen=True):
    """What one host complains of now, and complained of before (None where too little is known), in so many seconds."""

    now: dict[str, Sum]
    seconds: float
    before: dict[str, Sum] | None
    before_seconds: float
    at_least: bool


Remember = Callable[[str, tuple[object, ...], object, Callable[[], _OfHost]], _OfHost]
"""Gives what was made under a name, made anew only if one of the sources is another object, or the time another."""


def canary(
    state: State,
    began: float | None = None,
    hosts: Sequence[str] | None = None,
    remember: Remember | None = None,
) -> Canary:
    """What the logs complain of now. `began` is when the scan began (Site's clock); None: the time up to now is usual.

    `hosts` are all of the session unless given. With `remember` only hosts that were read again are gone through: a day
    of a noisy host takes milliseconds.
    """
    hosts = state.hosts if hosts is None else hosts
    unread = tuple(_unread(state, hosts))
    read = [
        (host, heard, until)
        for host in hosts
        if (heard := state.heard.get(host)) and heard.since and (until := _until(state, host)) is not None
    ]
    if not read:
        return Canary(Level.UNKNOWN, Rate(), None, unread=unread)
    now: dict[str, Rate] = {}
    before: dict[str, Rate] = {}
    nodes: dict[str, dict[str, None]] = {}
    usual = 0
    at_least = False
    for host, heard, until in read:
        make = partial(_of_host, heard, until, began)
        told = remember(f"canary {host}", (heard, state.facts[f"logs {host}"]), began, make) if remember else make()
        _add(now, told.now, told.seconds)
        for kind, count in told.now.items():
            nodes.setdefault(kind, {}).update(dict.fromkeys(count.nodes))
        at_least = at_least or told.at_least
        if told.before is not None:
            usual += 1
            _add(before, told.before, told.before_seconds)
    scale = len(read) / usual if usual else 0.0
    scaled = {kind: Rate(rate.errors * scale, rate.warnings * scale) for kind, rate in before.items()}
    kinds = tuple(
        OfKind(kind, now[kind], scaled.get(kind, Rate()) if usual else None, tuple(nodes[kind]))
        for kind in sorted(now, key=_gravity)
        if now[kind].errors or now[kind].warnings
    )
    total = _total(scaled.values()) if usual else None
    at = min(state.facts[f"logs {host}"].at for host, _, _ in read)
    return Canary(_level(kinds, total), _total(now.values()), total, kinds, at, at_least, unread)


def _of_host(heard: Listening, until: float, began: float | None) -> _OfHost:
    """What a host that was read up to a time complains of."""
    begins = (until // 60 - MINUTES + 1) * 60
    known = min(heard.since.values())
    ends = begins if began is None else min(began, begins)
    starts = max(known, ends - BASELINE)
    seconds = ends - starts - sum(max(0.0, min(ends, end) - max(starts, gap)) for gap, end in heard.gaps)
    return _OfHost(
        _between(heard, begins, until + 60, nodes=True),
        max(60.0, until - max(begins, known)),
        _between(heard, starts, ends) if seconds >= SHORTEST else None,
        seconds,
        any(end > begins for _, end in heard.gaps),
    )


def newest(state: State, kind: str, hosts: Sequence[str] | None = None, most: int = 5) -> tuple[Heard, ...]:
    """The last lines of a kind, the newest first."""
    found = [
        line
        for host in (state.hosts if hosts is None else hosts)
        if (heard := state.heard.get(host))
        for line in heard.newest.get(kind, ())
    ]
    return tuple(sorted(found, key=lambda line: -line.at)[:most])


def _unread(state: State, hosts: Sequence[str]) -> Iterator[tuple[str, str]]:
    for host in hosts:
        fact = state.facts.get(f"logs {host}")
        told = fact.parsed.model if fact and fact.parsed else None
        if fact is None or fact.failure or not isinstance(told, LogTails):
            yield host, (fact.failure if fact else "") or "not asked yet"
            continue
        if not told.tails:
            yield host, "its answer was not understood"
        for tail in told.tails:
            if tail.why:
                log = "GPFS log" if tail.name == "mmfs" else f"{tail.name} log"
                yield f"{log} of {host}", tail.why


def _until(state: State, host: str) -> float | None:
    """When a host was last read; None where the last look failed, or none of its logs could be read."""
    fact = state.facts.get(f"logs {host}")
    told = fact.parsed.model if fact and fact.parsed else None
    if fact is None or fact.failure or not isinstance(told, LogTails) or all(tail.why for tail in told.tails):
        return None
    return fact.at + fact.took


def _between(heard: Listening, begins: float, ends: float, *, nodes: bool = False) -> dict[str, Sum]:
    """The lines of each kind between two times; of what is only in part between them that part."""
    found: dict[str, Sum] = {}
    for start, width, bucket in heard.between(begins, ends):
        share = (min(ends, start + width) - max(begins, start)) / width
        if share <= 0:
            continue
        for kind, count in bucket.items():
            held = found.get(kind, Sum())
            names = tuple(dict.fromkeys((*held.nodes, *count.nodes))) if nodes else ()
            found[kind] = Sum(held.errors + count.errors * share, held.warnings + count.warnings * share, names)
    return found


def _add(rates: dict[str, Rate], counts: Mapping[str, Sum], seconds: float) -> None:
    for kind, count in counts.items():
        held = rates.get(kind, Rate())
        rates[kind] = Rate(held.errors + count.errors * 60 / seconds, held.warnings + count.warnings * 60 / seconds)


def _total(rates: Iterable[Rate]) -> Rate:
    listed = list(rates)
    return Rate(sum(rate.errors for rate in listed), sum(rate.warnings for rate in listed))


def _gravity(kind: str) -> tuple[int, str]:
    return (tuple(NAMES).index(kind) if kind in NAMES else len(NAMES), kind)


def _level(kinds: Sequence[OfKind], before: Rate | None) -> Level:
    now = _total([each.now for each in kinds])
    usual = before or Rate()
    for each in kinds:
        held = each.before or Rate()
        if each.kind in GRAVE and each.now.errors > USUAL * held.errors:
            return Level.ALARM
    if now.errors >= STORM and now.errors > USUAL * usual.errors:
        return Level.ALARM
    if now.errors > USUAL * usual.errors or (now.warnings >= 1 and now.warnings > USUAL * usual.warnings):
        return Level.RAISED
    return Level.CALM


def _before(rate: Rate | None) -> str:
    if rate is None:
        return "not known"
    errors, warnings = _number(rate.errors), _number(rate.warnings)
    return warnings if errors == "0" else f"{errors} and {warnings}"


def _number(rate: float) -> str:
    """A rate a minute; what is there is never 0."""
    if rate >= 10 or rate == 0:
        return f"{rate:.0f}"
    return f"{rate:.1f}".removesuffix(".0") if rate >= 0.05 else "<0.1"
