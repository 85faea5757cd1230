"""Where events go: into the state, and into the recording."""

from __future__ import annotations

from collections.abc import Sequence

from remote.command import Command
from remote.events import Decided, Event, Marked, Reply
from remote.recording import Writer
from supervision.store import Store


class Journal:
    """Takes every event of a session, in order."""

    def __init__(self, store: Store, writer: Writer | None = None) -> None:
        self.store = store
        self.writer = writer

    def emit(self, event: Event) -> None:
        """Record an event and build the state from it."""
        if self.writer:
            self.writer.write(event)
        self.store.apply(event)

    async def prepare(self, host: str, commands: Sequence[Command], replies: Sequence[Reply]) -> None:
        """Read large answers in slices before they are learned, so that no turn of the loop is long."""
        for command, reply in zip(commands, replies, strict=False):
            await self.store.ahead.read(host, command, reply)

    def decide(self, at: float, who: str, what: str) -> None:
        """Record a decision."""
        self.emit(Decided(at, who, what))

    def mark(self, at: float, label: str) -> None:
        """Put a mark into the recording."""
        self.emit(Marked(at, label))
