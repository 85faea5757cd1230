"""The one object the commands work on: the cluster, the clock, the policies, and what runs now."""

from __future__ import annotations

import asyncio
import os
import stat
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simulator.clock import Clock
from simulator.cluster import Cluster
from simulator.dialects import Dialect
from simulator.going import Record, Run, Waiter
from simulator.hardware import Device, Host
from simulator.holding import Holds
from simulator.hostlogs import HostLogs, first_lines
from simulator.pacing import Steps
from simulator.policies import Policies
from simulator.state import FileSystem
from simulator.usage import CommandError
from simulator.users import Users

MAX_STANZA_BYTES = 1 << 20
MAX_HISTORY = 10_000
DAEMON_AGE = 41 * 86400.0
"""For how long the daemons have run when a scenario begins."""


@dataclass
class Call:
    """One command as it was given on a host.

    `emit` writes to its stdout at once, `progress` and `attention` to the stream the policies choose; `err` is
    sent when it ends. `unbuffered` tells that stdout is a terminal or that `stdbuf -oL` was used.
    """

    host: Host
    argv: list[str]
    cwd: str
    pid: int
    emit: Callable[[str], Awaitable[None]]
    err: list[str] = field(default_factory=list)
    emit_err: Callable[[str], Awaitable[None]] | None = None
    unbuffered: bool = False
    progress_on_stderr: bool = False
    attention_on_stderr: bool = False

    async def complain(self, text: str) -> None:
        """Write to stderr, at once where that is possible."""
        if self.emit_err is not None:
            await self.emit_err(text)
        else:
            self.err.append(text)

    async def progress(self, text: str) -> None:
        """Tell how far a long work is."""
        await (self.complain if self.progress_on_stderr else self.emit)(text)

    async def attention(self, text: str) -> None:
        """Print an Attention sentence; nothing for an empty text."""
        if text:
            await (self.complain if self.attention_on_stderr else self.emit)(text)

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
    powered_off: set[str] = field(default_factory=set)
    """Hosts that are down or booting."""
    quorum_lost: bool = False
    """Quorum is lost whatever the daemons say: a network split."""
    waiters: dict[str, list[Waiter]] = field(default_factory=dict)
    """Waiters that were put there, by host."""
    work: Steps = field(default_factory=Steps)
    """Seconds at full speed that restripes have worked, all of them together."""
    users: Users = field(default_factory=Users)
    holds: Holds = field(default_factory=Holds)
    load_factor: float = 1.0
    """The share of its speed that other load leaves a restripe."""
    daemons: dict[str, float] = field(default_factory=dict)
    """When daemons began that were started since the scenario began, by host; UNIX times."""
    kept_disks: set[str] = field(default_factory=set)
    """Hosts whose disks others go on to serve while they are down."""
    suspended: set[str] = field(default_factory=set)
    """Disks that were suspended because they failed (`restripeOnDiskFailure`)."""
    _exclusive: asyncio.Lock = field(default_factory=asyncio.Lock)
    background: set[asyncio.Task[None]] = field(default_factory=set)
    logs: HostLogs = field(init=False)
    booted: dict[str, float] = field(default_factory=dict)
    """When hosts were booted that were since the scenario began; UNIX times."""
    stuck_disk: str = ""
    """The disk that holds up a restripe which stands."""
    renew: Callable[[], Awaitable[None]] | None = None
    """Makes true what hosts see of their devices in files; called after a command that changes devices."""
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.logs = HostLogs(self.cluster.dialect, self._moment, self._first_lines)

    def _moment(self) -> float:
        return self.clock.now()

    def _first_lines(self, name: str, file: str) -> Iterator[tuple[float, str, str]]:
        host = self.cluster.hosts[name]
        return first_lines(self.cluster, host, file, self.daemon_of(host), self.clock.epoch)

    async def readable(self, device: Device) -> None:
        """Wait until a device can be read."""
        while device.hangs:
            await self._changed.wait()

    async def devices_changed(self) -> None:
        """Let everybody look again who waits for a device, and rewrite the hosts' files of their devices."""
        self._changed.set()
        self._changed = asyncio.Event()
        if self.renew is not None:
            await self.renew()

    def settle(self) -> None:
        """Bring the state up to now; called before anything is read."""
        if self.run is not None:
            self.run.advance()

    def set_qos(
        self,
        fs: FileSystem,
        limits: dict[str, dict[str, str]],
        scopes: dict[str, dict[str, dict[str, str]]],
        *,
        enabled: bool,
    ) -> None:
        """Change the limits; they hold at once, for a restripe that runs too."""
        self.settle()
        fs.qos.limits, fs.qos.scopes, fs.qos.enabled = limits, scopes, enabled
        if self.run is not None:
            self.run.adjust()

    def file_system(self, call: Call, name: str) -> FileSystem:
        """The file system a command names. Raises CommandError in GPFS's words."""
        fs = self.cluster.find_fs(name)
        if fs is None:
            raise CommandError(f"{call.name}: File system {name} is not known to the GPFS cluster.")
        return fs

    @property
    def dialect(self) -> Dialect:
        """The release the cluster runs."""
        return self.cluster.dialect

    @property
    def has_quorum(self) -> bool:
        """Whether enough quorum nodes are up."""
        up = [host for host in self.cluster.quorum_hosts if self._running(host)]
        return not self.quorum_lost and len(up) >= self.cluster.quorum_needed

    def _running(self, host: Host) -> bool:
        return host.name not in self.policies.down_nodes and host.name not in self.powered_off

    @property
    def cluster_manager(self) -> Host:
        """The node that leads the cluster: the first quorum node that is up, else the first of all."""
        quorum = self.cluster.quorum_hosts
        return next((host for host in quorum if self._running(host)), quorum[0])

    def daemon_state(self, host: Host) -> str:
        """`active`, `arbitrating`, `down`, or `unknown` for a host that cannot be reached."""
        if host.name in self.powered_off:
            return "unknown"
        if host.name in self.policies.down_nodes:
            return "down"
        return "active" if self.has_quorum else "arbitrating"

    def daemon_of(self, host: Host) -> tuple[float, int]:
        """Since when the daemon of a host runs, and its process id."""
        first = self.clock.epoch - DAEMON_AGE - 977 * host.number
        started = self.daemons.get(host.name, first)
        return started, 2900 + int(started) % 29989

    def need_daemon(self, call: Call) -> None:
        """Fail if the daemon on the command's host cannot serve it."""
        state = self.daemon_state(call.host)
        if state == "arbitrating":
            raise CommandError(f"{call.name}: GPFS is not ready for this command yet: the cluster has no quorum.")
        if state != "active":
            raise CommandError("Failed to connect to file system daemon: Connection refused")

    def need_configuration(self, call: Call) -> None:
        """Fail if the cluster's configuration cannot be changed: too few hosts that keep it can be reached."""
        cluster = self.cluster
        if self.dialect.at_least(4, 1):
            keepers = [host.name for host in cluster.quorum_hosts]
            needed = cluster.quorum_needed
        else:
            keepers = [cluster.primary, cluster.secondary]
            needed = 2
        if self.quorum_lost or sum(name not in self.powered_off for name in keepers) < needed:
            raise CommandError(f"{call.name}: The cluster configuration data cannot be accessed for a change.")

    def need_admin(self, call: Call) -> None:
        """Fail on a node that may not run administration commands."""
        admins = self.cluster.admins
        if admins and call.host.name not in admins:
            raise CommandError(f"{call.name}: This node may not run administration commands (adminMode is central).")

    async def acquire(self, call: Call, fs: FileSystem) -> None:
        """Have the file system to oneself; whoever calls this must see to `release`."""
        policy = self.policies.conflict
        if self.busy_with and policy == "terminate":
            raise CommandError(
                f"Terminating {call.name} on {fs.name} because a conflicting program {self.busy_with} is running."
            )
        if self.busy_with and policy == "terminate_inode_space":
            raise CommandError("Terminating because a conflicting program on the same inode space 0 is running.")
        if self.busy_with and policy == "wait":
            await call.emit(
                f"Unable to start {call.name} on '{fs.name}' because conflicting program {self.busy_with} is "
                "running. Waiting until it completes.\n"
            )
        await self.seize(call.name)

    async def seize(self, program: str) -> None:
        """Have the file system to oneself without a word, as somebody else's program."""
        await self._exclusive.acquire()
        self.busy_with = program

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
