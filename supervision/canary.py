"""What the logs of each host complain of: counts by the minute and kind, from tails that overlap.

Each line is counted once. A new tail is laid over the one before by the lines themselves, so the last second is neither
lost nor doubled, and a clock that is set back does no harm. It is part of the state, so a replay has it at every
moment. Rates and what to think of them are in `supervision.canary_rates`, charts in `supervision.canary_trend`.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from remote.linux.log_entries import ERROR, GRAVE, NAMES
from remote.linux.log_tails import LogEntry, LogTail, LogTails
from supervision import hostclock
from supervision.facts import Fact
from supervision.reading import Change

DAY = 24
"""Hours of which each minute is kept; what is older is kept by the hour."""
HOURS = 31 * 24
NODES = 64
"""Nodes that are kept by name in one count."""
GAPS = 50
NEWEST = 5
"""Lines that are kept of each kind on each host."""
TOLD = 120
"""Characters of a line that are told as a happening, and how many happenings one look may be."""
GRAVEST = 5


class Count(msgspec.Struct, frozen=True, gc=False):
    """Lines of one kind: errors, warnings, and the nodes that they name, or stand on where they name none."""

    errors: int = 0
    warnings: int = 0
    nodes: tuple[str, ...] = ()


class Heard(msgspec.Struct, frozen=True, gc=False):
    """A line as it was told: when (Site's clock), on which host, in which log, how bad, and how many it stands for."""

    at: float
    host: str
    log: str
    kind: str
    severity: int
    count: int
    text: str


Bucket = Mapping[str, Count]
"""Counts by kind."""


class Place(msgspec.Struct, frozen=True, gc=False):
    """How far a log was read: the marks of its last lines, packed, the time of the last one by the host's clock, and
    the texts of that instant that are counted.
    """

    marks: bytes
    last_at: float | None
    last: tuple[str, ...] = ()


class Listening(msgspec.Struct, frozen=True):
    """What was heard of one host. All times are on the Site's clock, in seconds.

    `minutes` are by their number since 1970 within the number of their hour, `hours` by theirs; they hold those with
    anything in them. `since` says from when on each log is known, `gaps` between which times lines of it were lost.
    `newest` are the last lines of each kind, the newest last; `places` how far each log was read, and `looked` when
    that was asked for.
    """

    minutes: Mapping[int, Mapping[int, Bucket]] = {}
    hours: Mapping[int, Bucket] = {}
    since: Mapping[str, float] = {}
    gaps: tuple[tuple[float, float], ...] = ()
    newest: Mapping[str, tuple[Heard, ...]] = {}
    places: Mapping[str, Place] = {}
    looked: Mapping[str, float] = {}

    def between(self, begins: float, ends: float) -> Iterator[tuple[float, float, Bucket]]:
        """Start, length and counts of what overlaps a time, minute by minute where they are known so."""
        for hour in _within(self.hours, begins, ends, 3600.0):
            yield hour * 3600.0, 3600.0, self.hours[hour]
        for hour in _within(self.minutes, begins, ends, 3600.0):
            for number in _within(self.minutes[hour], begins, ends, 60.0):
                yield number * 60.0, 60.0, self.minutes[hour][number]


def _within(numbers: Mapping[int, object], begins: float, ends: float, seconds: float) -> list[int]:
    first, last = int(begins // seconds), int(ends // seconds)
    if last - first < len(numbers):
        return [number for number in range(first, last + 1) if number in numbers]
    return [number for number in numbers if first <= number <= last]


def noted(before: Listening | None, host: str, was: Mapping[str, Fact], facts: Mapping[str, Fact]) -> Listening | None:
    """What was heard of a host after its fact `logs HOST` has changed; the facts are those before and after."""
    fact = facts.get(f"logs {host}")
    told = fact.parsed.model if fact and fact.parsed else None
    if fact is None or not isinstance(told, LogTails):
        return before
    now, ahead = fact.at + fact.took, hostclock.ahead(facts, host)
    heard = _looked_again(before or Listening(), was.get(f"logs {host}"))
    for tail in told.tails:
        if not tail.why:
            heard = _taken_in(heard, host, tail, fact.at, now, ahead)
    return _folded(heard, now)


def _looked_again(heard: Listening, was: Fact | None) -> Listening:
    """The same tails may have been told again since: until then nothing is lost."""
    told = was.parsed.model if was and was.parsed else None
    if was is None or not isinstance(told, LogTails):
        return heard
    again = {
        tail.name: was.at
        for tail in told.tails
        if not tail.why and (place := heard.places.get(tail.name)) and place.marks == _packed(tail)
    }
    return msgspec.structs.replace(heard, looked={**heard.looked, **again})


def _taken_in(heard: Listening, host: str, tail: LogTail, asked_at: float, now: float, ahead: float) -> Listening:
    place = heard.places.get(tail.name)
    since, gaps = heard.since, heard.gaps
    if place is None:
        fresh: Sequence[LogEntry] = tail.entries
        since = {**since, tail.name: min(asked_at, _begins(tail, asked_at + ahead) - ahead)}
    else:
        fresh, lost = unseen(place, tail)
        if lost:
            begins = min(now, max(heard.looked[tail.name], (tail.first_at or now) - ahead))
            gaps = (*gaps, (heard.looked[tail.name], begins))[-GAPS:]
    minutes = {**heard.minutes}
    newest = dict(heard.newest)
    for entry in fresh:
        at = min(now, entry.at - ahead)
        number = int(at // 60)
        hour = {**minutes.get(number // 60, {})}
        hour[number] = added(hour.get(number, {}), {entry.kind: _counted(entry, host)})
        minutes[number // 60] = hour
        line = Heard(at, host, tail.name, entry.kind, entry.severity, entry.count, entry.text)
        newest[entry.kind] = (*newest.get(entry.kind, ()), line)[-NEWEST:]
    return msgspec.structs.replace(
        heard,
        minutes=minutes,
        since=since,
        gaps=gaps,
        newest=newest,
        places={**heard.places, tail.name: read_to(tail)},
        looked={**heard.looked, tail.name: asked_at},
    )


def read_to(tail: LogTail) -> Place:
    """The end of a tail."""
    last = tuple(entry.text for entry in tail.entries if entry.at == tail.last_at)
    return Place(_packed(tail), tail.last_at, last)


def _packed(tail: LogTail) -> bytes:
    return struct.pack(f"<{len(tail.marks)}I", *tail.marks)


def _begins(tail: LogTail, asked_at: float) -> float:
    """From when on a tail knows everything, by the host's clock."""
    if tail.first_at is None or (tail.booted is not None and not tail.cut and tail.via in ("journalctl", "dmesg")):
        return asked_at if tail.cut or tail.booted is None else tail.booted
    return tail.first_at


def _counted(entry: LogEntry, host: str) -> Count:
    node = (_short(entry.node) or _short(host),)
    bad = entry.severity >= ERROR
    return Count(entry.count, 0, node) if bad else Count(0, entry.count, node)


def _short(name: str) -> str:
    """A node's name without its domain; addresses stay."""
    return name if name.replace(".", "").isdecimal() else name.partition(".")[0].lower()


def added(one: Bucket, other: Bucket) -> dict[str, Count]:
    """Two buckets as one."""
    total = dict(one)
    for kind, count in other.items():
        held = total.get(kind)
        if held is None:
            total[kind] = count
            continue
        nodes = tuple(dict.fromkeys((*held.nodes, *count.nodes)))[:NODES]
        total[kind] = Count(held.errors + count.errors, held.warnings + count.warnings, nodes)
    return total


def _folded(heard: Listening, now: float) -> Listening:
    """What is older than a day goes into its hour, and what is older than a month is forgotten."""
    first = int(now // 3600) - DAY
    first_hour = int(now // 3600) - HOURS
    old = [hour for hour in heard.minutes if hour < first]
    if not old and not any(hour < first_hour for hour in heard.hours):
        return heard
    hours = {hour: bucket for hour, bucket in heard.hours.items() if hour >= first_hour}
    for hour in old:
        for bucket in heard.minutes[hour].values() if hour >= first_hour else ():
            hours[hour] = added(hours.get(hour, {}), bucket)
    minutes = {hour: buckets for hour, buckets in heard.minutes.items() if hour >= first}
    return msgspec.structs.replace(heard, minutes=minutes, hours=hours)


def changes(before: LogTails, after: LogTails) -> tuple[Change, ...]:
    """Grave errors between two looks at a host, once for each node: not again while the lines before tell of it."""
    found = []
    for tail in after.tails:
        last = before.get(tail.name)
        if last is None or last.why or tail.why:
            continue
        told = {(entry.kind, entry.node) for entry in last.entries}
        for entry in unseen(read_to(last), tail)[0]:
            if entry.kind in GRAVE and entry.severity >= ERROR and (entry.kind, entry.node) not in told:
                told.add((entry.kind, entry.node))
                found.append(Change("canary", f"{NAMES[entry.kind]}: {entry.text[:TOLD]}"))
    return tuple(found[:GRAVEST])


def unseen(place: Place, tail: LogTail) -> tuple[Sequence[LogEntry], bool]:
    """The entries of a tail that come after a place, and whether others were lost between the two."""
    known = _known(struct.unpack(f"<{len(place.marks) // 4}I", place.marks), tail.marks)
    if known is not None:
        return [entry for entry in tail.entries if entry.line >= known], False
    # another file, or it has grown by more than a tail: only the times can tell
    end = place.last_at
    if end is None or tail.first_at is None or tail.last_at is None:
        return tail.entries, False
    held = Counter(place.last)
    fresh = []
    for entry in tail.entries:
        if entry.at == end and held[entry.text] > 0:
            held[entry.text] -= 1
        elif entry.at >= end:
            fresh.append(entry)
    return fresh, tail.first_at > end or tail.last_at < end


def _known(last: tuple[int, ...], now: tuple[int, ...]) -> int | None:
    """How many lines of a tail were there when the one before was read; None where the two do not overlap."""
    if now[: len(last)] == last:
        return len(last)
    # the most lines that end as the tail before ended: backwards, that is where each begins as the other does
    both: tuple[int | None, ...] = (*reversed(last), None, *reversed(now))
    reach = [0] * len(both)
    left = right = 0
    for at in range(1, len(both)):
        length = min(right - at, reach[at - left]) if at < right else 0
        while at + length < len(both) and both[length] == both[at + length]:
            length += 1
        reach[at] = length
        if at + length > right:
            left, right = at, at + length
        known = len(both) - at
        if at > len(last) and length >= min(known, len(last)):
            return known
    return None
