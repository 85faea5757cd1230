"""One SSH server a host: public keys only, real shells, own pumps; no pty, no sftp, no forwarding.

Sessions behave like those of a real sshd without a pty: when the client goes, the shell is not killed, its pipes
close; a session ends when the shell has ended and nobody holds its output open any more.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from asyncio.streams import StreamReaderProtocol
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import IO

import asyncssh

from simulator.processes import Processes

CHUNK = 64 * 1024
LOGIN_SECONDS = 30


class _Server(asyncssh.SSHServer):
    def begin_auth(self, username: str) -> bool:
        return True


async def _reader(pipe: IO[bytes]) -> tuple[asyncio.StreamReader, asyncio.BaseTransport]:
    reader = asyncio.StreamReader(limit=CHUNK)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: StreamReaderProtocol(reader), pipe)
    return reader, transport


async def _writer(pipe: IO[bytes]) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(lambda: StreamReaderProtocol(asyncio.StreamReader()), pipe)
    return asyncio.StreamWriter(transport, protocol, None, loop)


async def _pump_out(reader: asyncio.StreamReader, writer: asyncssh.SSHWriter[bytes]) -> None:
    # One chunk at a time: whoever stops reading stops the program that writes, not this one.
    while data := await reader.read(CHUNK):
        writer.write(data)
        await writer.drain()


async def _pump_in(reader: asyncssh.SSHReader[bytes], writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            try:
                data = await reader.read(CHUNK)
            except (asyncssh.BreakReceived, asyncssh.SignalReceived, asyncssh.TerminalSizeChanged):
                # A real sshd drops signals to sessions of root, and the rest has no meaning without a pty.
                continue
            if not data:
                return
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()


class HostServer:
    """The SSH server of one host; `env` is the whole environment of its sessions, `ready` is awaited before each."""

    def __init__(
        self, processes: Processes, env: Mapping[str, str], home: Path, ready: Callable[[], Awaitable[None]]
    ) -> None:
        self._processes = processes
        self._env = env
        self._home = home
        self._ready = ready
        self._acceptor: asyncssh.SSHAcceptor | None = None

    async def start(self, host_key: asyncssh.SSHKey, client_key: asyncssh.SSHKey) -> int:
        """Listen on the loopback; returns the port."""
        public = client_key.export_public_key().decode("ascii")
        self._acceptor = await asyncssh.listen(
            "127.0.0.1",
            0,
            server_factory=_Server,
            server_host_keys=[host_key],
            authorized_client_keys=asyncssh.import_authorized_keys(public),
            password_auth=False,
            kbdint_auth=False,
            host_based_auth=False,
            gss_host=None,
            allow_pty=False,
            line_editor=False,
            agent_forwarding=False,
            x11_forwarding=False,
            allow_scp=False,
            compression_algs=None,
            login_timeout=LOGIN_SECONDS,
            encoding=None,
            process_factory=self._session,
        )
        return int(self._acceptor.get_port())

    async def stop(self) -> None:
        """Close all connections."""
        if self._acceptor is not None:
            self._acceptor.close()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(2):
                    await self._acceptor.wait_closed()

    async def _session(self, process: asyncssh.SSHServerProcess[bytes]) -> None:
        if process.subsystem is not None:
            process.exit(1)
            return
        shell = ["/bin/sh"] if process.command is None else ["/bin/sh", "-c", process.command]
        try:
            await self._ready()
            child = self._processes.spawn(shell, self._env, self._home)
        except (OSError, ValueError) as problem:
            process.stderr.write(f"cannot start a shell: {problem}\n".encode())
            process.exit(255)
            return
        try:
            code = await self._attached(process, child.pid, (child.stdin, child.stdout, child.stderr))
        finally:
            self._processes.forget(child.pid)
        with contextlib.suppress(OSError):
            if code < 0:
                process.exit_with_signal(signal.Signals(-code).name.removeprefix("SIG"))
            else:
                process.exit(code)

    async def _attached(
        self,
        process: asyncssh.SSHServerProcess[bytes],
        pid: int,
        pipes: tuple[IO[bytes] | None, IO[bytes] | None, IO[bytes] | None],
    ) -> int:
        """Carry bytes until the shell has ended and its output is closed, or the client is gone."""
        stdin, stdout, stderr = pipes
        if stdin is None or stdout is None or stderr is None:
            raise RuntimeError("a session's shell has three pipes")
        to_shell = await _writer(stdin)
        (out, out_pipe), (err, err_pipe) = await _reader(stdout), await _reader(stderr)
        exited = asyncio.ensure_future(self._processes.exit_of(pid))
        inward = asyncio.ensure_future(_pump_in(process.stdin, to_shell))
        outward = [
            asyncio.ensure_future(_pump_out(out, process.stdout)),
            asyncio.ensure_future(_pump_out(err, process.stderr)),
        ]
        gone = asyncio.ensure_future(process.channel.wait_closed())
        ended = asyncio.ensure_future(asyncio.wait({exited, *outward}))
        try:
            await asyncio.wait({ended, gone}, return_when=asyncio.FIRST_COMPLETED)
            return exited.result() if exited.done() else 0
        finally:
            tasks = [ended, gone, inward, *outward, exited]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for pipe in (to_shell, out_pipe, err_pipe):
                pipe.close()
