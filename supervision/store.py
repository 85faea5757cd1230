"""The owner of the state of a session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from remote.events import (
    Event,
    Header,
)
from supervision.facts import Ahead
from supervision.reducer import reduce
from supervision.state import State


class Store:
    """Owns the state. `apply` is called in the loop; listeners are told after each event and must be quick."""

    def __init__(self, header: Header) -> None:
        self.state = State(header, at=header.began)
        self.ahead = Ahead(self.state.reading)
        self._listeners: list[Callable[[State, Event], None]] = []
        self._changed = asyncio.Event()

    def apply(self, event: Event) -> None:
        """Take an event in."""
        self.state = reduce(self.state, event, self.ahead)
        self._changed.set()
        for listener in tuple(self._listeners):
            listener(self.state, event)

    def listen(self, listener: Callable[[State, Event], None]) -> Callable[[], None]:
        """Call `listener` with the state after each event; call what is returned to stop that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def until(self, wanted: Callable[[State], bool]) -> State:
        """Wait until the state is as wanted."""
        while not wanted(self.state):
            self._changed.clear()
            await self._changed.wait()
        return self.state
