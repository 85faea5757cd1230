"""Playing a recording: play, pause, speed, seek, to marks and to the next event. Nothing is asked of anybody."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from remote.events import Event, Marked
from supervision.replay import Replay
from supervision.replaylogs import PlayedLogs
from supervision.state import State

FRAME = 0.1
"""Real seconds between two looks at the clock while it plays."""
BUDGET = 0.05
"""Real seconds of a frame that may be spent on playing; what is not reached is played in the next one."""


class Player:
    """Holds the state of the replayed moment. Listeners are told of each event, and with None after a jump.

    `wanted` is set while a jump waits for the recording to be folded that far (Site's clock). `following` is set at
    the end of a recording that is still being written: what is added is played as it comes, unless it is paused.
    `driven` is whether `run` runs.
    """

    def __init__(self, replay: Replay, *, speed: float = 1.0) -> None:
        self.replay = replay
        self.speed = speed
        self.playing = False
        self.following = False
        self.driven = False
        self.wanted: float | None = None
        self.position = replay.began
        self._cursor = replay.cursor_at(0)
        self.logs = PlayedLogs(replay.logs, lambda: self._cursor.count)
        self._seen = (0, 0.0)
        self._listeners: list[Callable[[State, Event | None], None]] = []

    @property
    def state(self) -> State:
        """The state of the replayed moment."""
        return self._cursor.state

    @property
    def played_all(self) -> bool:
        """Whether every event that is in the file has been played."""
        return self.replay.index.whole and self._cursor.count >= len(self.replay.index)

    @property
    def ended(self) -> bool:
        """Whether every event has been played, and no more is to come."""
        return self.played_all and not self.replay.index.live

    @property
    def fraction(self) -> float:
        """How far it is, between 0 and 1."""
        seconds = self.replay.seconds
        return min(1.0, max(0.0, (self.position - self.replay.began) / seconds)) if seconds else 1.0

    @property
    def word(self) -> str:
        """What there is to say of the recording itself, or nothing."""
        if self.replay.index.trouble:
            return self.replay.index.trouble
        if self.wanted is not None:
            return f"this moment is not read yet: {self.replay.folded:.0%} of the recording is; it is shown when it is"
        return ""

    def listen(self, listener: Callable[[State, Event | None], None]) -> Callable[[], None]:
        """Call `listener` after each event and each jump; call what is returned to stop that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def seek(self, t: float) -> None:
        """Jump to a time on the Site's clock; where that is not folded yet, as soon as it is."""
        end = self.replay.began + self.replay.seconds
        self.position = min(max(t, self.replay.began), end)
        self.wanted = None if self.replay.reaches(self.position) else self.position
        self.following = False
        if self.wanted is None:
            self._cursor = self.replay.cursor_at(self.replay.index_at(self.position))
            if t >= end and self.played_all and self.replay.index.live:
                self.following = self.playing = True
            self._tell(None)

    def advance(self, seconds: float, *, budget: float | None = None) -> None:
        """Play that many seconds of the Site's clock at once, but no longer than `budget` real ones."""
        self._play_until(min(self.position + seconds, self.replay.began + self.replay.seconds), budget)
        if self.played_all:
            self.following = self.playing and self.replay.index.live
            self.playing = self.following

    def next_event(self) -> None:
        """Play the next event, however far it is."""
        index = self.replay.index
        while self.wanted is None and self._cursor.count < len(index):
            self.position = max(self.position, index.time(self._cursor.count))
            if self._play():
                break

    def to_mark(self, step: int) -> Marked | None:
        """Jump to the next mark (1) or the one before (-1); None when there is none."""
        marks = self.replay.marks
        later = [mark for mark in marks if mark.t > self.position]
        before = [mark for mark in marks if mark.t < self.position]
        found = (later[0] if later else None) if step > 0 else (before[-1] if before else None)
        if found:
            self.seek(found.t)
        return found

    async def run(self) -> None:
        """Read the recording and advance while it plays, for ever; cancel it to end."""
        loading = asyncio.create_task(self.replay.load())
        self.driven = True
        loop = asyncio.get_running_loop()
        then = loop.time()
        try:
            while not loading.done():
                await asyncio.sleep(FRAME)
                now = loop.time()
                self._frame(now - then, now)
                then = now
            loading.result()
        finally:
            self.driven = False
            loading.cancel()

    def _frame(self, seconds: float, now: float) -> None:
        if self.wanted is not None:
            if self.replay.reaches(self.wanted):
                self.seek(self.wanted)
        elif self.playing and self.following:
            self._follow(now)
        elif self.playing:
            self.advance(seconds * self.speed, budget=BUDGET)

    def _follow(self, now: float) -> None:
        """Be where the session is that is being recorded: between its events, its clock goes on."""
        self._play_until(float("inf"), BUDGET)
        if self._seen[0] != self._cursor.count:
            self._seen = (self._cursor.count, now)
        end = self.replay.began + self.replay.seconds
        self.position = max(self.position, end + (now - self._seen[1]) * max(0.0, self.replay.header.speed))
        if not self.replay.index.live:
            self.following = self.playing = False
            self.position = end

    def _play_until(self, goal: float, budget: float | None) -> None:
        index = self.replay.index
        ends = time.perf_counter() + budget if budget is not None else None
        while self._cursor.count < len(index) and index.time(self._cursor.count) <= goal:
            if ends is not None and time.perf_counter() > ends:
                goal = index.time(self._cursor.count - 1) if self._cursor.count else self.position
                break
            self._play()
        if not index.whole or goal == float("inf"):
            goal = min(goal, self._cursor.state.at)  # more may stand in the file before that time
        self.position = max(self.position, goal)

    def _play(self) -> bool:
        """Play an entry; whether it was an event."""
        event = self.replay.step(self._cursor)
        if event is not None:
            self._tell(event)
        return event is not None

    def _tell(self, event: Event | None) -> None:
        for listener in tuple(self._listeners):
            listener(self.state, event)
