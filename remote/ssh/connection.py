"""One open connection: few channels on it, every one always drained, none given away before the server closed it.

Everything is bytes: one byte that is no UTF-8 would otherwise end a connection. `Connection.run` sends a script to a
shell and returns both streams.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine, Sequence
from typing import Any

import asyncssh
import msgspec

from remote.errors import MAY_RUN, AnswerLostError, Trouble, UnreachableError
from remote.ssh.settings import CHANNELS
from remote.text import one_line

STDERR_KEPT = 8 << 20
"""The most of stderr that is kept, in bytes: its first half and its last, where the marks of an answer stand."""


class Output(msgspec.Struct, frozen=True):
    """What a script wrote, and the exit status of the shell that ran it.

    `cut` is set when stdout was longer than its limit and the rest was thrown away.
    """

    stdout: bytes
    stderr: bytes
    cut: bool
    exit_status: int


class Connection:
    """One open connection: at most `CHANNELS` scripts at once, each in a channel of its own."""

    def __init__(self, host: str, connection: asyncssh.SSHClientConnection) -> None:
        self.host = host
        self.raw = connection
        self._channels = asyncio.Semaphore(CHANNELS)
        self._closing: set[asyncio.Task[None]] = set()

    def abort(self) -> None:
        """Cut it."""
        self.raw.abort()

    async def wait_closed(self) -> None:
        """Wait until it has ended, whoever ended it."""
        await self.raw.wait_closed()

    async def run(
        self, shell: str, script: str, *, limit: int, what: str, places: Sequence[asyncio.Semaphore] = ()
    ) -> Output:
        """Run `script` on the standard input of the remote command `shell`, and return what it wrote.

        `places` are taken before a channel is, and given back when the server has closed the channel.
        """
        held: list[asyncio.Semaphore] = []
        try:
            for place in (*places, self._channels):
                await place.acquire()
                held.append(place)
        except asyncio.CancelledError:
            _release(held)
            raise
        process: asyncssh.SSHClientProcess[bytes] | None = None
        opening = asyncio.ensure_future(self._open(shell))
        try:
            process = await asyncio.shield(opening)
            return await self._exchange(process, script, limit, what)
        finally:
            self._later(self._give_back(process, opening, held))

    async def _open(self, shell: str) -> asyncssh.SSHClientProcess[bytes]:
        for wait in (0.2, 0.5, 1.0, 0.0):
            try:
                return await self.raw.create_process(shell, encoding=None, request_pty=False)
            except asyncssh.ChannelOpenError as error:
                if self.raw.is_closed():  # whoever waited for a channel of it is told that, and not "busy"
                    raise UnreachableError(self.host, Trouble.LOST) from None
                if error.code == asyncssh.OPEN_REQUEST_SESSION_FAILED:  # it has channels, but runs nothing in them
                    raise UnreachableError(self.host, Trouble.PROTOCOL, "the server runs no commands") from None
                if not wait:
                    raise UnreachableError(self.host, Trouble.BUSY, one_line(str(error))) from None
                await asyncio.sleep(wait)
            except (asyncssh.Error, OSError) as error:
                raise UnreachableError(self.host, Trouble.LOST, one_line(str(error))) from None
        raise AssertionError

    async def _exchange(self, process: asyncssh.SSHClientProcess[bytes], script: str, limit: int, what: str) -> Output:
        # both streams are read while the script is sent: a host that fills one of them would stall the others
        sending = asyncio.create_task(_send(process, script.encode()))
        out = asyncio.create_task(_drain(process.stdout, limit))
        err = asyncio.create_task(_drain(process.stderr, STDERR_KEPT // 2, STDERR_KEPT // 2))
        try:
            (stdout, cut), (stderr, _) = await asyncio.gather(out, err)
            await process.wait()
            if process.exit_status is None:
                raise ConnectionResetError("it ended in the middle")
        except (asyncssh.Error, OSError) as error:
            raise AnswerLostError(
                self.host,
                f"the connection was lost before the answer was whole: {one_line(str(error))}",
                command=what,
                advice=MAY_RUN,
            ) from None
        finally:
            for task in (sending, out, err):
                task.cancel()
        if process.exit_signal:  # what it had started may live on
            raise AnswerLostError(
                self.host,
                f"the shell that ran it was ended by signal {one_line(process.exit_signal[0])}",
                command=what,
                advice=MAY_RUN,
            )
        return Output(stdout, stderr, cut, process.exit_status)

    async def _give_back(
        self,
        process: asyncssh.SSHClientProcess[bytes] | None,
        opening: asyncio.Future[asyncssh.SSHClientProcess[bytes]],
        held: Sequence[asyncio.Semaphore],
    ) -> None:
        """Close the channel, and free its place only when the server has closed it too.

        A server keeps the session of a command that still runs: giving its place away early makes the next
        channel the one too many. A channel that nobody waits for any more is closed as soon as it is open.
        """
        try:
            process = process or await opening
            process.close()
            await process.wait_closed()
        except (UnreachableError, asyncssh.Error, OSError):
            pass
        finally:
            _release(held)

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """Cut it, and leave no task behind."""
        self.raw.abort()
        await self.raw.wait_closed()
        await asyncio.gather(*self._closing, return_exceptions=True)


def _release(places: Sequence[asyncio.Semaphore]) -> None:
    for place in places:
        place.release()


async def _send(process: asyncssh.SSHClientProcess[bytes], data: bytes) -> None:
    # a host that ends before it has read its script is told by what it answered, not by this
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        for start in range(0, len(data), 65536):
            process.stdin.write(data[start : start + 65536])
            await process.stdin.drain()
        process.stdin.write_eof()


async def _drain(reader: asyncssh.SSHReader[bytes], limit: int, keep_last: int = 0) -> tuple[bytes, bool]:
    """Read to the end; keep the first `limit` bytes and the last `keep_last`, and tell whether any were left out."""
    first, last = bytearray(), bytearray()
    left_out = 0
    while data := await reader.read(65536):
        room = limit - len(first)
        first += data[:room]
        last += data[max(0, room) :]
        if len(last) > keep_last:
            left_out += len(last) - keep_last
            del last[: len(last) - keep_last]
    if left_out and keep_last:
        first += f"\n[{left_out} bytes are left out here]\n".encode()
    return bytes(first + last), bool(left_out)
