"""Replay: the recorded events through the same reducer, at any speed, from any moment. Nothing is asked."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import AsyncIterator
from pathlib import Path

from remote.events import Event, Marked
from remote.recording import Recording
from supervision.state import State, reduce

KEEP_EVERY = 1000
"""Events between two states that are kept for seeking."""


class Replay:
    """A recording, folded once; `at` gives the state of any moment."""

    def __init__(self, path: Path) -> None:
        recording = Recording(path)
        self.header = recording.header
        self.events: tuple[Event, ...] = tuple(recording)
        self.torn = recording.torn
        self.skipped = recording.skipped
        self._times = [event.t for event in self.events]
        self._kept: list[State] = []
        state = State(self.header, at=self.header.began)
        for index, event in enumerate(self.events):
            if index % KEEP_EVERY == 0:
                self._kept.append(state)
            state = reduce(state, event)
        self.end = state
        self.marks = tuple(event for event in self.events if isinstance(event, Marked))

    @property
    def began(self) -> float:
        """When the session began, on its Site's clock."""
        return self.header.began

    @property
    def seconds(self) -> float:
        """How long the session was, on its Site's clock."""
        return max(0.0, self.end.at - self.began)

    def index_at(self, t: float) -> int:
        """How many events had happened at the time `t`."""
        return bisect_right(self._times, t)

    def at(self, t: float) -> State:
        """The state at the time `t` (Site's clock)."""
        return self.state_after(self.index_at(t))

    def state_after(self, count: int) -> State:
        """The state after the first `count` events."""
        if not self._kept:
            return self.end
        kept = min(count // KEEP_EVERY, len(self._kept) - 1)
        state = self._kept[kept]
        for event in self.events[kept * KEEP_EVERY : count]:
            state = reduce(state, event)
        return state

    async def play(
        self, *, start: float | None = None, speed: float | None = None
    ) -> AsyncIterator[tuple[State, Event]]:
        """Each event from `start` on with the state after it; `speed` times as fast as it was, None at once."""
        first = 0 if start is None else self.index_at(start)
        state = self.state_after(first)
        then = self.began if start is None else start
        for event in self.events[first:]:
            if speed:
                await asyncio.sleep(max(0.0, event.t - then) / speed)
                then = max(then, event.t)
            state = reduce(state, event)
            yield state, event
