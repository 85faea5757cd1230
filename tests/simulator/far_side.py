"""A running simulator and an SSH connection to it, for the tests that go all the way."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncssh

from simulator.client import Simulation


@dataclass
class FarSide:
    """A simulator with connections that are opened when first needed and closed by the fixture."""

    sim: Simulation
    connections: dict[str, asyncssh.SSHClientConnection] = field(default_factory=dict)

    async def connect(self, host: str) -> asyncssh.SSHClientConnection:
        """A new connection, as a client makes it that knows only the configuration file."""
        return await asyncssh.connect(host, config=[str(self.sim.ssh_config)], compression_algs=None)

    async def connection(self, host: str = "pollux1") -> asyncssh.SSHClientConnection:
        """The connection to a host that all share."""
        if host not in self.connections:
            self.connections[host] = await self.connect(host)
        return self.connections[host]

    async def run(self, command: str, host: str = "pollux1", stdin: bytes = b"") -> tuple[int, str, str]:
        """Run a shell command; its exit status, stdout and stderr."""
        connection = await self.connection(host)
        async with asyncio.timeout(30):
            done = await connection.run(command, input=stdin, encoding=None)
        assert isinstance(done.stdout, bytes)
        assert isinstance(done.stderr, bytes)
        out, err = (text.decode("utf-8", "surrogateescape") for text in (done.stdout, done.stderr))
        return int(done.returncode or 0), out, err

    async def put(self, name: str, text: str, host: str = "pollux1") -> None:
        """A file in the host's home directory."""
        code, _, err = await self.run(f"cat > {name}", host, text.encode())
        assert (code, err) == (0, "")

    async def facts(self) -> dict[str, Any]:
        """The control interface's facts."""
        return await self.sim.control("facts")

    async def close(self) -> None:
        """Close all connections."""
        for connection in self.connections.values():
            connection.close()
            await connection.wait_closed()


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = 20) -> None:
    """Wait for a state; fails when it does not come."""
    async with asyncio.timeout(seconds):
        while not await condition():
            await asyncio.sleep(0.005)


def processes_of(directory: Path) -> list[str]:
    """The command lines of all processes whose environment or arguments name a directory."""
    mark = os.fsencode(directory)
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            command = (entry / "cmdline").read_bytes()
            if mark in command or mark in (entry / "environ").read_bytes():
                found.append(command.replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return found


@asynccontextmanager
async def far_side(scenario: str = "seed", *, speed: float) -> AsyncIterator[FarSide]:
    """A fresh simulator; it leaves no process behind."""
    async with Simulation.start(scenario, speed=speed) as sim:
        side = FarSide(sim)
        try:
            yield side
        finally:
            await side.close()
    assert processes_of(sim.directory) == []
