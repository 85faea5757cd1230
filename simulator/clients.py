"""Clients of a socket, a task each and not too many, all of them gone when it is closed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Clients:
    """`accept` is what a stream server calls; beyond `most` clients at once it closes the connection."""

    def __init__(self, serve: Serve, most: int) -> None:
        self._serve = serve
        self._most = most
        self._tasks: set[asyncio.Task[None]] = set()
        self.server: asyncio.Server | None = None

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a client in a task of its own."""
        if len(self._tasks) >= self._most:
            writer.close()
            return
        task = asyncio.create_task(self._run(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._serve(reader, writer)

    async def stop(self) -> None:
        """Close the socket, and end everybody's task."""
        if self.server is not None:
            self.server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
