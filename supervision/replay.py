"""Replay: the recorded events through the same reducer, at any speed, from any moment. Nothing is asked.

The recording is folded once, from its beginning, and every few minutes of it the state is kept: any moment is a short
way from a kept one. Who needs a moment gets it at once, whatever that takes; on the screens, `load` folds in slices
between which the screens have their turn, and `reaches` tells what can be had without waiting.
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_right
from collections.abc import AsyncIterator
from pathlib import Path

from remote.events import Answered, Event, LogRead, LogRewound, Marked
from remote.recording import Recording, RecordingError
from supervision.cursor import Cursor, Kept, Tape
from supervision.filesystems import UnknownKindError
from supervision.index import Index
from supervision.replaylogs import RecordedLogs
from supervision.state import State

KEEP_SECONDS = 300.0
"""Seconds of the session between two kept states, at first."""
KEEP_EVENTS = 2000
KEEP_BYTES = 4 << 20
MOST_KEPT = 400
"""Kept states. When there are more, every second one is let go, and from then on they stand twice as far apart."""
SLICE = 0.016
"""Seconds that are folded before others have their turn, and how long a turn that is."""
PAUSE = 0.005
LOOK = 0.5
"""Seconds between two looks whether the file has grown."""
NEAR = 1 << 20
"""Bytes of a recording that are folded at once for whoever wants to go there: a small one is never waited for."""


class Replay:
    """A recording; `at` gives the state of any moment.

    With `whole=False` nothing but the first line is read: `load` does the rest, and what it has not reached is not
    reached by a Player either.
    """

    def __init__(self, path: Path, *, whole: bool = True) -> None:
        self.index = Index(path)
        self.header = self.index.header
        self.logs = RecordedLogs()
        self._lazy = not whole
        try:
            self._tape = Tape(self.index)
        except UnknownKindError as error:
            raise RecordingError(f"{path}: {error}; use a newer restripe") from None
        self._front = Cursor(self._tape)
        self._kept: list[Kept] = [self._front.freeze()]
        self._apart = 1
        self._events: tuple[Event, ...] = ()
        if whole:
            self.index.extend_whole()

    @property
    def began(self) -> float:
        """When the session began, on its Site's clock."""
        return self.header.began

    @property
    def seconds(self) -> float:
        """How long the session was, on its Site's clock."""
        return max(0.0, self.index.last - self.began)

    @property
    def marks(self) -> tuple[Marked, ...]:
        """The marks that have been found so far; all once `index.whole`."""
        return tuple(self.index.marks)

    @property
    def torn(self) -> bool:
        """Whether the last line has no end: cut off by a crash, or still being written."""
        return self.index.partial > 0

    @property
    def skipped(self) -> int:
        """How many lines were not understood, or refer to an answer that is lost."""
        self.fold_to(len(self.index))
        return self.index.skipped + len(self._tape.lost)

    @property
    def events(self) -> tuple[Event, ...]:
        """All events, decoded: only for what is small."""
        if not self._events:
            self._events = tuple(Recording(self.index.path))
        return self._events

    @property
    def end(self) -> State:
        """The state after the last event."""
        return self.state_after(len(self.index))

    @property
    def furthest(self) -> State:
        """The latest state that can be had without waiting: that of the end, as soon as all is `complete`."""
        return self._front.state if self._lazy else self.end

    @property
    def folded(self) -> float:
        """How large a part of the recording is folded, between 0 and 1."""
        return 1.0 if self.complete else self.index.share(self._front.count)

    @property
    def folded_until(self) -> float:
        """Until when it is folded (Site's clock)."""
        return self._front.state.at

    @property
    def complete(self) -> bool:
        """Whether all that is in the file is folded."""
        return self.index.whole and self._front.count >= len(self.index)

    def reaches(self, t: float) -> bool:
        """Whether a Player may go to the time `t` now, or has to wait until more is folded."""
        if not self._lazy:
            return True
        if not self.index.whole and (not len(self.index) or self.index.time(len(self.index) - 1) <= t):
            return False
        wanted = self.index_at(t)
        return wanted <= self._front.count or (self.index.offset(wanted) - self.index.offset(self._front.count) <= NEAR)

    def index_at(self, t: float) -> int:
        """How many entries there are until the time `t`."""
        return self.index.count_at(t)

    def at(self, t: float) -> State:
        """The state at the time `t` (Site's clock)."""
        return self.state_after(self.index_at(t))

    def state_after(self, count: int) -> State:
        """The state after the first `count` entries."""
        return self.cursor_at(count).state

    def cursor_at(self, count: int) -> Cursor:
        """A cursor of one's own after the first `count` entries."""
        self.fold_to(count)
        cursor = Cursor(self._tape)
        if count >= self._front.count:
            cursor.become(self._front)
            return cursor
        cursor.go(self._kept[bisect_right(self._kept, count, key=lambda kept: kept.entries) - 1])
        while cursor.count < count:
            cursor.step()
        return cursor

    def step(self, cursor: Cursor) -> Event | None:
        """Take a cursor one entry on; the event, or None when that entry tells nothing."""
        if cursor.count < self._front.count:
            return cursor.step()
        event = self._fold_one()
        cursor.become(self._front)
        return event

    def fold_to(self, count: int) -> None:
        """Fold until `count` entries are. Blocks as long as it takes."""
        while self._front.count < min(count, len(self.index)):
            self._fold_one()

    async def load(self) -> None:
        """Look through the file, fold it, and follow what is added to it; cancel it to end."""
        while True:
            await self._fold_in_slices()
            await asyncio.sleep(LOOK)
            # a network disk may take its time to tell
            await asyncio.to_thread(self.index.look)

    async def play(
        self, *, start: float | None = None, speed: float | None = None
    ) -> AsyncIterator[tuple[State, Event]]:
        """Each event from `start` on with the state after it; `speed` times as fast as it was, None at once."""
        cursor = self.cursor_at(0 if start is None else self.index_at(start))
        then = self.began if start is None else start
        while cursor.count < len(self.index):
            if speed:
                at = self.index.time(cursor.count)
                await asyncio.sleep(max(0.0, at - then) / speed)
                then = max(then, at)
            event = self.step(cursor)
            if event is not None:
                yield cursor.state, event

    async def _fold_in_slices(self) -> None:
        ends = time.perf_counter() + SLICE
        more = True
        while more or self._front.count < len(self.index):
            if more:  # first of all: where the marks are, and how far one can go
                more = self.index.extend()
            else:
                await self._read_ahead()
                self.fold_to(self._front.count + 1)
            if time.perf_counter() > ends:
                await asyncio.sleep(PAUSE)
                ends = time.perf_counter() + SLICE

    async def _read_ahead(self) -> None:
        """Read the next answer in slices, if it is a large one. Somebody else may fold it meanwhile."""
        event = self._tape.event(self._front.count)
        asked = self._front.state.pending.get(event.n) if isinstance(event, Answered) else None
        if isinstance(event, Answered) and asked:
            for command, reply in zip(asked.commands, event.replies, strict=False):
                await self._tape.readings.read(asked.host, command, reply)

    def _fold_one(self) -> Event | None:
        front = self._front
        event = front.step()
        if isinstance(event, LogRead | LogRewound):
            self.logs.take(front.count, event)
        last = self._kept[-1]
        if (
            front.state.at - last.state.at >= KEEP_SECONDS * self._apart
            or front.count - last.entries >= KEEP_EVENTS * self._apart
            or self.index.offset(front.count) - self.index.offset(last.entries) >= KEEP_BYTES * self._apart
        ):
            self._kept.append(front.freeze())
            if len(self._kept) > MOST_KEPT:
                self._kept = self._kept[::2]
                self._apart *= 2
        return event
