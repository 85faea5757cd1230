"""A place in a recording, and the way on from it: decode the next event, give its answers in full, reduce.

What is read of the file is held only as long as it is worth it: the answers used last, and what was parsed of them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import msgspec

from remote.command import Command
from remote.events import Answered, Asked, Event, Reply, Unanswered, decode
from remote.parsed import Parsed
from remote.recording import Key
from remote.text import decode as text_of
from supervision import filesystems
from supervision.facts import Ahead, Fact, reader
from supervision.index import Index
from supervision.reading import Reading
from supervision.reducer import reduce
from supervision.state import State

ANSWERS = 24 << 20
"""Bytes of lines whose events are held decoded."""
READ = 12 << 20
"""Bytes of answers of which is held what was read from them; it is several times as large."""
HEAVY = 2048
"""Bytes of an answer from which on it is not held for every kept state, but read again when one goes there."""
LOST = "the recording has lost this answer"
_BAD = (msgspec.MsgspecError, ValueError, RecursionError)


class Origin(NamedTuple):
    """Where a reply stands: the batch's number, its entry, and which of its replies."""

    n: int
    entry: int
    which: int


class Told(NamedTuple):
    """What a fact was read from."""

    origin: Origin
    host: str
    command: Command


class Kept(NamedTuple):
    """A frozen place: the state after `entries`, without what `heavy` answers told."""

    entries: int
    state: State
    heavy: tuple[str, ...]
    latest: dict[Key, Origin]
    told: dict[str, Told]


Held: TypeAlias = tuple[str, Reply]


class Readings(Ahead):
    """What was read from answers, the ones used last, up to a number of bytes of the answers."""

    def __init__(self, reading: Reading, most: int) -> None:
        super().__init__(reading, 1 << 62)
        self._most_bytes = most
        self._bytes = 0
        self._weights: dict[Held, int] = {}

    def take(self, key: str, reply: Reply) -> Parsed[Any] | None:
        """What was read from an answer, as often as one likes."""
        held = self._held.get((key, reply))
        if held is not None:
            self._held.move_to_end((key, reply))
        return held

    def keep(self, key: str, reply: Reply, parsed: Parsed[Any]) -> None:
        """Hold what was read from an answer."""
        weight = len(reply.out.data)
        self._bytes += weight - self._weights.get((key, reply), 0)
        self._weights[key, reply] = weight
        self._held[key, reply] = parsed
        self._held.move_to_end((key, reply))
        while self._bytes > self._most_bytes and len(self._held) > 1:
            oldest, _ = self._held.popitem(last=False)
            self._bytes -= self._weights.pop(oldest, 0)


class Tape:
    """The events of an index, decoded when they are wanted. `lost` are entries that turned out to tell nothing."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.reading = filesystems.reading(index.header.kind)
        self.readings = Readings(self.reading, READ)
        self.lost: set[int] = set()
        self._answers: OrderedDict[int, tuple[int, Answered]] = OrderedDict()
        self._bytes = 0

    def event(self, entry: int) -> Event | None:
        """An event as it stands in the file."""
        held = self._answers.get(entry)
        if held is not None:
            self._answers.move_to_end(entry)
            return held[1]
        line = self.index.line(entry)
        try:
            event = decode(line)
        except _BAD:
            self.lost.add(entry)
            return None
        if isinstance(event, Answered) and any(not reply.same for reply in event.replies):
            self._answers[entry] = (len(line), event)
            self._bytes += len(line)
            while self._bytes > ANSWERS and len(self._answers) > 1:
                self._bytes -= self._answers.popitem(last=False)[1][0]
        return event

    def reply(self, origin: Origin) -> Reply | None:
        """A reply that stands in full in the file."""
        event = self.event(origin.entry)
        if isinstance(event, Answered) and origin.which < len(event.replies):
            return event.replies[origin.which]
        return None  # the file was cut or written over


class Cursor:
    """The state after the first `count` entries. `latest` is where the last full answer to each question stands."""

    def __init__(self, tape: Tape) -> None:
        header = tape.index.header
        self._tape = tape
        self.count = 0
        self.state = State(header, at=header.began)
        self._latest: dict[Key, Origin] = {}
        self._told: dict[str, Told] = {}
        self._shared = False

    def become(self, other: Cursor) -> None:
        """Stand where another stands."""
        other._shared = self._shared = True
        self.count, self.state, self._latest, self._told = other.count, other.state, other._latest, other._told

    def step(self) -> Event | None:
        """Go on by one entry; its event with its answers in full, or None when it tells nothing."""
        entry, self.count = self.count, self.count + 1
        event = self._tape.event(entry)
        if event is None:
            return None
        if not isinstance(event, Answered):
            self.state = reduce(self.state, event)
            return event
        asked = self.state.pending.get(event.n)
        whole = self._in_full(entry, event, asked)
        if whole is None:
            self._tape.lost.add(entry)
            lost = Unanswered(event.t, event.n, LOST)
            self.state = reduce(self.state, lost)
            return lost
        answered, origins = whole
        self.state = reduce(self.state, answered, self._tape.readings)
        if asked:
            self._note(asked, answered, origins)
        return answered

    def _in_full(self, entry: int, event: Answered, asked: Asked | None) -> tuple[Answered, list[Origin]] | None:
        """The same as a reader of the whole recording does, which holds all answers; None for what is lost."""
        if asked is None or len(asked.commands) != len(event.replies):
            return None if any(reply.same for reply in event.replies) else (event, [])
        replies, origins = [], []
        for index, (command, reply) in enumerate(zip(asked.commands, event.replies, strict=True)):
            key = (asked.host, command.argv)
            if not reply.same:
                self._own()
                self._latest[key] = Origin(event.n, entry, index)
                found: Reply | None = reply
            else:
                latest = self._latest.get(key)
                found = self._tape.reply(latest) if latest and latest.n == reply.same else None
            if found is None:
                return None
            replies.append(found)
            origins.append(self._latest[key])
        if any(reply.same for reply in event.replies):
            event = msgspec.structs.replace(event, replies=tuple(replies))
        return event, origins

    def _note(self, asked: Asked, event: Answered, origins: list[Origin]) -> None:
        """Remember where the facts are from, and hold what was read."""
        for command, reply, origin in zip(asked.commands, event.replies, origins, strict=False):
            known = reader(self._tape.reading, asked.host, command)
            fact = self.state.facts.get(known[0]) if known else None
            if fact is None or fact.source is not reply or fact.parsed is None:
                continue
            if len(reply.out.data) < HEAVY:
                continue
            before = self._told.get(fact.key)
            if before is None or before.origin != origin:
                self._own()
                self._told[fact.key] = Told(origin, asked.host, command)
                self._tape.readings.keep(fact.key, reply, fact.parsed)

    def _own(self) -> None:
        """Have the tables for oneself before they are changed: kept places share them."""
        if self._shared:
            self._latest, self._told, self._shared = dict(self._latest), dict(self._told), False

    def freeze(self) -> Kept:
        """This place, to come back to."""
        self._shared = True
        facts: dict[str, Fact] = dict(self.state.facts)
        heavy = []
        for key, fact in self.state.facts.items():
            if fact.source is None or len(fact.source.out.data) < HEAVY or key not in self._told:
                continue
            heavy.append(key)
            facts[key] = msgspec.structs.replace(fact, source=None, parsed=None)
            # what holds at every kept place is what one will want again, whichever one goes to
            self._tape.readings.take(key, fact.source)
        state = msgspec.structs.replace(self.state, facts=MappingProxyType(facts)) if heavy else self.state
        return Kept(self.count, state, tuple(heavy), self._latest, self._told)

    def go(self, kept: Kept) -> None:
        """Stand at a kept place."""
        self.count, self._latest, self._told, self._shared = kept.entries, kept.latest, kept.told, True
        self.state = kept.state
        if kept.heavy:
            facts: Mapping[str, Fact] = {
                **kept.state.facts,
                **{key: self._read(kept.state.facts[key], kept.told[key]) for key in kept.heavy},
            }
            self.state = msgspec.structs.replace(kept.state, facts=MappingProxyType(facts))

    def _read(self, fact: Fact, told: Told) -> Fact:
        """A fact with what its answer told."""
        reply, known = self._tape.reply(told.origin), reader(self._tape.reading, told.host, told.command)
        if reply is None or known is None:
            return msgspec.structs.replace(fact, failure=LOST, failed_at=fact.at)
        parsed = self._tape.readings.take(fact.key, reply)
        if parsed is None:
            parsed = known[1](text_of(reply.out.data), text_of(reply.err.data))
            self._tape.readings.keep(fact.key, reply, parsed)
        return msgspec.structs.replace(fact, source=reply, parsed=parsed)
