"""The one object the commands work on: the cluster, the clock, the policies, and what runs now."""

from __future__ import annotations

import asyncio
import os
import stat
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from simulator.clock import Clock
from simulator.hardware import Host
from simulator.state import Cluster, FileSystem
from simulator.usage import CommandError

MAX_STANZA_BYTES = 1 << 20
MAX_HISTORY = 10_000


@dataclass
class Call:
    """One command as it was given on a host. `emit` writes to its stdout at once; `err` is sent when it ends."""

    host: Host
    argv: list[str]
    cwd: str
    pid: int
    emit: Callable[[str], Awaitable[None]]
    err: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The command's bare name."""
        return self.argv[0]

    def path(self, name: str) -> Path:
        """A file as the command's process names it; its own descriptors are reached through /proc."""
        for own in ("/dev/fd/", "/proc/self/fd/"):
            if name.startswith(own):
                return Path(f"/proc/{self.pid}/fd") / Path(name).name
        if name == "/dev/stdin":
            return Path(f"/proc/{self.pid}/fd/0")
        return Path(os.path.normpath(Path(self.cwd) / name))

    def read_file(self, name: str) -> str:
        """The text of a file given to the command. Raises CommandError if it is no readable regular file."""
        try:
            # O_NONBLOCK: opening a pipe must not hold up everybody else.
            handle = os.open(self.path(name), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    raise OSError("not a regular file")
                data = os.read(handle, MAX_STANZA_BYTES + 1)
            finally:
                os.close(handle)
        except (OSError, ValueError):
            raise CommandError(f"{self.name}: File {name} does not exist or cannot be read.") from None
        if len(data) > MAX_STANZA_BYTES:
            raise CommandError(f"{self.name}: File {name} is too large.")
        return data.decode("utf-8", "surrogateescape")

    def write_file(self, name: str, text: str) -> None:
        """Replace a file the command was given."""
        self.path(name).write_bytes(text.encode("utf-8", "surrogateescape"))


@dataclass
class Policies:
    """Switches for what public sources leave open, and for faults."""

    client_death: str = "abort"
    """What a restripe does when its command is killed: `abort` within a minute, or `continue`."""
    conflict: str = "wait"
    """What a second command does while a restripe runs: `wait` (6027-2763) or `terminate` (6027-2764)."""
    down_nodes: list[str] = field(default_factory=list)
    """Hosts whose daemon is down."""

    def change(self, name: str, value: Any, hosts: set[str]) -> None:
        """Set one policy; ValueError for a name or value that does not exist."""
        allowed = {"client_death": ("abort", "continue"), "conflict": ("wait", "terminate")}
        if name in allowed:
            if value not in allowed[name]:
                raise ValueError(f"{name} is one of {', '.join(allowed[name])}")
        elif name != "down_nodes":
            raise ValueError(f"no policy {name!r}")
        elif not isinstance(value, list) or not set(value) <= hosts:
            raise ValueError(f"down_nodes is a list of {', '.join(sorted(hosts))}")
        setattr(self, name, value)


class Run(Protocol):
    """A restripe that is running in the daemons."""

    def advance(self) -> None:
        """Bring the disks up to the present moment."""

    def report(self) -> dict[str, Any]:
        """How far it is, for the control interface."""


@dataclass
class Record:
    """One command of the history; times are simulated UNIX times, `rc` is None while it runs or if it was killed."""

    host: str
    argv: list[str]
    pid: int
    start: float
    end: float | None = None
    rc: int | None = None


@dataclass
class World:
    """Everything there is."""

    cluster: Cluster
    clock: Clock
    policies: Policies = field(default_factory=Policies)
    history: deque[Record] = field(default_factory=lambda: deque(maxlen=MAX_HISTORY))
    running: list[Record] = field(default_factory=list)
    run: Run | None = None
    configuration: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by a command that changes the cluster's configuration; a second one waits without a word."""
    busy_with: str = ""
    """The program that has the file system to itself; a second one waits or ends, as the policy says."""
    _exclusive: asyncio.Lock = field(default_factory=asyncio.Lock)
    background: set[asyncio.Task[None]] = field(default_factory=set)

    def settle(self) -> None:
        """Bring the state up to now; called before anything is read."""
        if self.run is not None:
            self.run.advance()

    def file_system(self, call: Call, name: str) -> FileSystem:
        """The file system a command names. Raises CommandError in GPFS's words."""
        fs = self.cluster.find_fs(name)
        if fs is None:
            raise CommandError(f"{call.name}: File system {name} is not known to the GPFS cluster.")
        return fs

    def need_daemon(self, call: Call) -> None:
        """Fail if the daemon on the command's host is down."""
        if call.host.name in self.policies.down_nodes:
            raise CommandError("Failed to connect to file system daemon: Connection refused")

    async def acquire(self, call: Call, fs: FileSystem) -> None:
        """Have the file system to oneself; whoever calls this must see to `release`."""
        if self.busy_with and self.policies.conflict == "terminate":
            raise CommandError(
                f"Terminating {call.name} on {fs.name} because a conflicting program {self.busy_with} is running."
            )
        if self.busy_with:
            await call.emit(
                f"Unable to start {call.name} on '{fs.name}' because conflicting program {self.busy_with} is "
                "running. Waiting until it completes.\n"
            )
        await self._exclusive.acquire()
        self.busy_with = call.name

    def release(self) -> None:
        """Let the next one have the file system."""
        self.busy_with = ""
        self._exclusive.release()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something that outlives the command that began it."""
        task = asyncio.create_task(work)
        self.background.add(task)
        task.add_done_callback(self.background.discard)

    async def stop(self) -> None:
        """Cancel what runs in the background."""
        tasks = list(self.background)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
