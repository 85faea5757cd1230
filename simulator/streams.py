"""What becomes of a command's words on their way: numbers, the stream they take, and buffering."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from simulator.numbering import numbered

BLOCK = 4096
"""Bytes that a program's stdout keeps back when it is no terminal (policy `buffering`)."""

Emit = Callable[[str], Awaitable[None]]


class Streams:
    """The two streams of one command: `out` may be buffered, `err` never is."""

    def __init__(self, command: str, out: Emit, err: Emit, *, numbers: bool, buffered: bool) -> None:
        self._command = command
        self._out = out
        self._err = err
        self._numbers = numbers
        self._buffered = buffered
        self._kept: list[str] = []
        self._size = 0

    def words(self, text: str) -> str:
        """A text as it is printed."""
        return numbered(self._command, text) if self._numbers else text

    async def out(self, text: str) -> None:
        """Print on stdout."""
        text = self.words(text)
        if not self._buffered:
            await self._out(text)
            return
        self._kept.append(text)
        self._size += len(text)
        if self._size >= BLOCK:
            whole = "".join(self._kept)
            # As stdio does it: full blocks go out, wherever a line may end.
            cut = len(whole) // BLOCK * BLOCK
            self._kept, self._size = [whole[cut:]], len(whole) - cut
            await self._out(whole[:cut])

    async def err(self, text: str) -> None:
        """Print on stderr."""
        await self._err(self.words(text))

    async def flush(self) -> None:
        """Print what was kept back; a command that is killed never comes here."""
        if self._kept:
            whole = "".join(self._kept)
            self._kept, self._size = [], 0
            await self._out(whole)
