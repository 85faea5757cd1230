"""Bad days: hosts that say nothing, say garbage or stop half-way, and the watch that nothing of ours suffers by it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import asyncssh

from remote.clock import WallClock
from remote.command import Command, Effect
from remote.errors import SiteError
from remote.live import LiveOptions, LiveSite
from remote.ssh.settings import SshSettings
from tests.openssh import Server
from tests.waiting import until

WORST_DELAY = 0.5
"""Seconds that the event loop may be late; generous, because tests of others share the machine."""

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def asks(*argv: str, deadline: float = 60.0, privileged: bool = False) -> Command:
    """A reading command."""
    return Command(argv, Effect.READS, deadline=deadline, privileged=privileged)


def named(error: SiteError, *words: str) -> None:
    """An error names the host and the command, and says what to do; nothing in it steers a terminal."""
    text = str(error)
    assert text.startswith(f"{error.host}: "), text
    assert error.command, text
    assert f"(command: {error.command})" in text
    assert error.advice, text
    assert text.endswith(error.advice)
    for word in words:
        assert word in text
    assert text.isprintable() or "\n" in text
    assert "\x1b" not in text


class Watch:
    """How late the loop was at worst, and how often a healthy host has answered meanwhile."""

    def __init__(self) -> None:
        self.worst = 0.0
        self.answered = 0


@contextlib.asynccontextmanager
async def watched(site: LiveSite, healthy: str) -> AsyncIterator[Watch]:
    """Whatever happens meanwhile delays no timer and no answer of `healthy`, and leaves no task behind.

    `site` is closed at the end.
    """
    await site.query(healthy, asks("true"))  # connected, and what is imported late is there
    before = asyncio.all_tasks()
    watch = Watch()

    async def tick() -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(0.005)  # what is measured: how late the loop comes back to it
            watch.worst = max(watch.worst, time.perf_counter() - began - 0.005)

    async def ask() -> None:
        while True:
            (answer,) = await site.query(healthy, asks("echo", "healthy"))
            assert answer.stdout == b"healthy\n"
            watch.answered += 1
            await asyncio.sleep(0.05)  # a question now and then, not a flood; nothing waits for it

    tasks = [asyncio.create_task(tick()), asyncio.create_task(ask())]
    try:
        yield watch
        so_far = watch.answered
        await until(lambda: watch.answered > so_far or tasks[1].done())
        assert not tasks[1].done(), tasks[1].exception()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await site.close()
    await until(lambda: asyncio.all_tasks() - before <= {asyncio.current_task()})
    assert watch.worst < WORST_DELAY


def reset(writer: asyncio.StreamWriter) -> None:
    """Close as a crash or a firewall does: with a RST, not with a FIN."""
    raw = writer.get_extra_info("socket")
    if raw is not None:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


class RawHost:
    """A TCP port with a host of our own making behind it; `seen` counts its connections."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self.seen = 0
        self.port = 0
        self._server: asyncio.Server | None = None
        self._talks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> RawHost:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server
        self._server.close()
        for task in self._talks:
            task.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.seen += 1
        task = asyncio.current_task()
        assert task
        self._talks.add(task)
        try:
            await self._talk(reader, writer)
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            self._talks.discard(task)
            writer.transport.abort()


class Wire(RawHost):
    """A network between us and a server, that can be cut with a RST and frozen."""

    def __init__(self, address: str, port: int) -> None:
        super().__init__(self._pump)
        self._to = (address, port)
        self._writers: list[asyncio.StreamWriter] = []
        self.passed = 0
        self.flows = asyncio.Event()
        self.flows.set()

    def reset(self) -> None:
        """Cut every connection as a firewall does that has forgotten it."""
        for writer in self._writers:
            reset(writer)
        self._writers.clear()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(*self._to)
        self._writers += [writer, far_writer]
        try:
            await asyncio.gather(self._copy(reader, far_writer), self._copy(far_reader, writer))
        finally:
            far_writer.transport.abort()

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            await self.flows.wait()
            writer.write(data)
            await writer.drain()
            self.passed += len(data)
        writer.close()


class Client:
    """A client with a healthy host and whatever else a test makes."""

    def __init__(self, server: Server, directory: Path) -> None:
        self.config = directory / "config"
        self.known_hosts = directory / "known_hosts"
        self.healthy = server.host
        self.server = server
        server.write_config(self.config, server.farm.known_hosts)

    def site(
        self,
        *hosts: str,
        connect: float = 0.8,
        keepalive: float = 15.0,
        armed: bool = False,
        sudo: bool = False,
        base: Path | str = "",
    ) -> LiveSite:
        """A Site of the healthy host and others."""
        ssh = SshSettings(config_files=(self.config,), connect_seconds=connect, keepalive_seconds=keepalive)
        options = LiveOptions(ssh=ssh, poll_seconds=0.05, sudo=sudo, job_base=str(base))
        return LiveSite([self.healthy, *hosts], WallClock(), armed=armed, options=options)

    def server_of(self, name: str, **options: Any) -> Server:
        """Another OpenSSH server that this client knows."""
        server = self.server.farm.server(name, **options)
        server.write_config(self.config, server.farm.known_hosts)
        return server

    @contextlib.asynccontextmanager
    async def wire(self, server: Server, name: str = "wired") -> AsyncIterator[Wire]:
        """The same server behind a network that can be cut."""
        wire = Wire(server.address, server.port)
        async with wire:
            text = server.write_config(self.config.parent / "wire", self.known_hosts).read_text()
            text = text.replace(f"Port {server.port}", f"Port {wire.port}").replace(
                f"Host {server.host}", f"Host {name}"
            )
            with self.config.open("a") as file:
                file.write(text)
            with self.known_hosts.open("a") as file:
                file.write(f"[{server.address}]:{wire.port} {server.public_key}\n")
            yield wire


Process = asyncssh.SSHServerProcess[bytes]


class Hostile(asyncssh.SSHServer):
    """An SSH server that lets everybody in."""

    def begin_auth(self, username: str) -> bool:
        """Nobody has to prove anything."""
        return False


@contextlib.asynccontextmanager
async def ssh_host(
    serve: Callable[[Process], Awaitable[None]] | None = None,
    server: Callable[[], asyncssh.SSHServer] = Hostile,
) -> AsyncIterator[tuple[int, str]]:
    """A server of asyncssh whose sessions are `serve`; its port and the public key of its host."""
    key = asyncssh.generate_private_key("ssh-ed25519")
    acceptor = await asyncssh.listen(
        "127.0.0.1", 0, server_factory=server, server_host_keys=[key], process_factory=serve, encoding=None
    )
    try:
        yield acceptor.get_port(), key.export_public_key().decode().strip()
    finally:
        acceptor.close()
        await acceptor.wait_closed()


def describe(config: Path, known_hosts: Path, name: str, port: int, public_key: str = "") -> None:
    """Write how to reach a host of ours into a client's files."""
    with config.open("a", encoding="utf-8") as file:
        file.write(
            f"Host {name}\n  HostName 127.0.0.1\n  Port {port}\n  User somebody\n  IdentityAgent none\n"
            f"  UserKnownHostsFile {known_hosts}\n  GlobalKnownHostsFile none\n"
        )
    if public_key:
        with known_hosts.open("a", encoding="utf-8") as file:
            file.write(f"[127.0.0.1]:{port} {public_key}\n")
