"""What stands between a host's network and its SSH server: connections that can be cut, frozen and slowed down.

A gate listens on the address the world knows and carries bytes to a port behind it. Everything is bounded: nothing is
read while what was read before has not been passed on.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from dataclasses import dataclass, field

CHUNK = 64 * 1024
MAX_CONNECTIONS = 512
MIN_RATE = 64
CLOSE_SECONDS = 10.0


@dataclass(eq=False)
class _Pair:
    """One connection through the gate."""

    outside: asyncio.StreamWriter
    inside: asyncio.StreamWriter | None = None
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    def abort(self) -> None:
        for writer in (self.outside, self.inside):
            if writer is not None:
                writer.transport.abort()


class Gate:
    """A host's connections. Rates are bytes a real second in each direction, delays real seconds for each piece."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._server: asyncio.Server | None = None
        self._pairs: set[_Pair] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._open = asyncio.Event()
        self._open.set()
        self._rate = 0
        self._delay = 0.0
        # Bound and never listening: while the gate is closed nobody else gets the port, and connections are refused.
        self._place = socket.socket()
        self.port = 0

    async def start(self) -> int:
        """Listen; the same port again after a `close`. Returns it."""
        if not self.port:
            self._place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            self._place.bind(("127.0.0.1", 0))
            self.port = int(self._place.getsockname()[1])
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port, limit=CHUNK, reuse_port=True)
        return self.port

    @property
    def listening(self) -> bool:
        """Whether connections are accepted."""
        return self._server is not None

    @property
    def connections(self) -> int:
        """Connections now."""
        return len(self._pairs)

    def close(self) -> None:
        """Refuse new connections; those that are stay."""
        if self._server is not None:
            self._server.close()
            self._server = None

    def cut(self) -> int:
        """Reset all connections; returns how many there were."""
        pairs = list(self._pairs)
        for pair in pairs:
            pair.abort()
        return len(pairs)

    def freeze(self, *, frozen: bool) -> None:
        """Pass nothing on, in no direction, and let nothing be noticed: as behind a firewall that drops packets."""
        if frozen:
            self._open.clear()
        else:
            self._open.set()

    def slow(self, rate: int, delay: float) -> None:
        """Limit the rate (0 for no limit) and hold every piece back for a while."""
        if (rate and rate < MIN_RATE) or not 0 <= delay <= 60:
            raise ValueError(f"a rate is 0 or at least {MIN_RATE} bytes a second, a delay 0 to 60 seconds")
        self._rate, self._delay = rate, delay

    async def stop(self) -> None:
        """Close everything."""
        self.close()
        self._place.close()
        self.cut()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._tasks) >= MAX_CONNECTIONS:
            writer.transport.abort()
            return
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        pair = _Pair(writer)
        self._pairs.add(pair)
        try:
            await self._open.wait()
            inner_reader, pair.inside = await asyncio.open_connection("127.0.0.1", self._target, limit=CHUNK)
            pair.tasks = [
                asyncio.ensure_future(self._pump(reader, pair.inside)),
                asyncio.ensure_future(self._pump(inner_reader, writer)),
            ]
            await asyncio.gather(*pair.tasks)
            await self._close(pair)
        except OSError:
            # A reset is not noticed on the other side either while nothing is passed on.
            await self._open.wait()
        finally:
            for task in pair.tasks:
                task.cancel()
            await asyncio.gather(*pair.tasks, return_exceptions=True)
            pair.abort()
            self._pairs.discard(pair)

    @staticmethod
    async def _close(pair: _Pair) -> None:
        """Let what was passed on still arrive."""
        for writer in (pair.outside, pair.inside):
            if writer is not None:
                writer.close()
                with contextlib.suppress(OSError, TimeoutError):
                    async with asyncio.timeout(CLOSE_SECONDS):
                        await writer.wait_closed()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(CHUNK):
            for at in range(0, len(data), self._rate or CHUNK):
                piece = data[at : at + (self._rate or CHUNK)]
                if self._delay or self._rate:
                    await asyncio.sleep(self._delay + (len(piece) / self._rate if self._rate else 0.0))
                await self._open.wait()
                writer.write(piece)
                await writer.drain()
        await self._open.wait()
        with contextlib.suppress(OSError):
            writer.write_eof()
