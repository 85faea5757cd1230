"""Playing a recording: play, pause, speed, seek, to marks and to the next event. Nothing is asked of anybody."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from remote.events import Event, Marked
from supervision.replay import Replay
from supervision.state import State, reduce

FRAME = 0.1
"""Real seconds between two looks at the clock while it plays."""


class Player:
    """Holds the state of the replayed moment. Listeners are told of each event, and with None after a jump."""

    def __init__(self, replay: Replay, *, speed: float = 1.0) -> None:
        self.replay = replay
        self.speed = speed
        self.playing = False
        self.position = replay.began
        self._count = 0
        self.state: State = replay.state_after(0)
        self._listeners: list[Callable[[State, Event | None], None]] = []

    @property
    def ended(self) -> bool:
        """Whether every event has been played."""
        return self._count >= len(self.replay.events)

    @property
    def fraction(self) -> float:
        """How far it is, between 0 and 1."""
        return (self.position - self.replay.began) / self.replay.seconds if self.replay.seconds else 1.0

    def listen(self, listener: Callable[[State, Event | None], None]) -> Callable[[], None]:
        """Call `listener` after each event and each jump; call what is returned to stop that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def seek(self, t: float) -> None:
        """Jump to a time on the Site's clock."""
        self.position = min(max(t, self.replay.began), self.replay.began + self.replay.seconds)
        self._count = self.replay.index_at(self.position)
        self.state = self.replay.state_after(self._count)
        self._tell(None)

    def advance(self, seconds: float) -> None:
        """Play that many seconds of the Site's clock at once."""
        self.position = min(self.position + seconds, self.replay.began + self.replay.seconds)
        events = self.replay.events
        while self._count < len(events) and events[self._count].t <= self.position:
            self._play(events[self._count])
        if self.ended:
            self.playing = False

    def next_event(self) -> None:
        """Play the next event, however far it is."""
        if not self.ended:
            event = self.replay.events[self._count]
            self.position = max(self.position, event.t)
            self._play(event)

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
        """Advance while it plays, for ever; cancel it to end."""
        loop = asyncio.get_running_loop()
        then = loop.time()
        while True:
            await asyncio.sleep(FRAME)
            now = loop.time()
            if self.playing:
                self.advance((now - then) * self.speed)
            then = now

    def _play(self, event: Event) -> None:
        self.state = reduce(self.state, event)
        self._count += 1
        self._tell(event)

    def _tell(self, event: Event | None) -> None:
        for listener in tuple(self._listeners):
            listener(self.state, event)
