"""The logs of a host: GPFS's own (`mmfs`) and syslog's with the kernel's lines (`messages`). No files, no I/O.

The forms of GPFS's lines are public for 3.x and 4.x; of the texts some are from memory, and so are their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from simulator.clock import MST, ctime
from simulator.cluster import Cluster
from simulator.dialects import Dialect
from simulator.hardware import Host

MMFS, MESSAGES = "mmfs", "messages"
FILES = (MMFS, MESSAGES)
PEERS = 4
"""Other nodes that the first lines of a log name."""
MAX_BYTES = 1 << 20
"""Of one file; what would be longer begins a new one, and one older file is kept."""


@dataclass(frozen=True)
class Event:
    """What is written when something happens: `severity` is empty for the kernel's lines, `number` 0 if unknown."""

    file: str
    severity: str
    number: int
    text: str


EVENTS = {
    "disk_failure": Event(MMFS, "E", 680, "Disk failure.  Volume {fs}. rc = 5. Physical volume {disk}."),
    "lease": Event(
        MMFS, "N", 2715, "Node {address} ({node}) lease renewal is overdue. Pinging to check if it is alive"
    ),
    "expel": Event(MMFS, "E", 2710, "Node {address} ({node}) is being expelled due to expired lease."),
    "reconnect": Event(
        MMFS, "W", 1711, "Close connection to {address} {node} (Connection reset by peer). Attempting reconnect."
    ),
    "connected": Event(MMFS, "N", 1709, "Accepted and connected to {address} {node}"),
    "manager": Event(MMFS, "N", 630, "Node {address} ({node}) appointed as manager for {fs}."),
    "takeover": Event(MMFS, "N", 643, "Node {address} ({node}) completed take over for {fs}."),
    "starting": Event(MMFS, "N", 310, "mmfsd initializing. {{Version: {version}}} ..."),
    "ready": Event(MMFS, "N", 300, "mmfsd ready"),
    "stopping": Event(MMFS, "N", 341, "Normal shutdown"),
    "quorum": Event(MMFS, "E", 2706, "Lost membership in cluster {cluster}. Unmounting file systems."),
    "waiter": Event(
        MMFS,
        "A",
        0,
        "Unexpected long waiter detected: waiting {seconds:.1f} seconds on node {node}: {thread}: {reason}",
    ),
    "hung_task": Event(MESSAGES, "", 0, "INFO: task mmfsd:{pid} blocked for more than 120 seconds."),
    "io_error": Event(MESSAGES, "", 0, "{request}: I/O error, dev {device}, sector {sector}"),
    "link": Event(MESSAGES, "", 0, "bnx2x 0000:02:00.0: eth2: NIC Link is Down"),
}


def build(dialect: Dialect) -> str:
    """The version with its fix level, as the daemon tells it."""
    return dialect.version.partition("(")[2].rstrip(")")


def first_lines(
    cluster: Cluster, host: Host, file: str, daemon: tuple[float, int], epoch: float
) -> Iterator[tuple[float, str, str]]:
    """The lines of an ordinary day: when, program, text. `daemon` is since when it runs, and its process id."""
    started, pid = daemon
    if file == MESSAGES:
        yield epoch - 3000, "kernel", "bnx2x 0000:02:00.0: eth2: NIC Link is Up, 10000 Mbps full duplex"
        yield epoch - 1900, "CROND[24411]", "(root) CMD (run-parts /etc/cron.hourly)"
        yield epoch - 700, "kernel", f"mmfslinux: module loaded for mmfsd {pid}"
        yield epoch - 60, "ntpd[1997]", "synchronized to 140.252.1.1, stratum 2"
        return
    yield started, "", f"mmfsd initializing. {{Version: {build(cluster.dialect)}}} ..."
    others = [each for each in cluster.hosts.values() if each is not host][:PEERS]
    for index, other in enumerate(others):
        yield started + 2 + index, "", f"Connected to {other.address} {other.daemon_name.partition('.')[0]}"
    yield started + 9, "", "mmfsd ready"
    yield started + 14, "", f"Command: mount {cluster.fs.name}"


@dataclass
class LogFile:
    """One file; `watch` is told of each text that is appended, and of a new file by None."""

    lines: list[str] = field(default_factory=list)
    size: int = 0
    previous: list[str] = field(default_factory=list)
    watch: Callable[[str | None], None] | None = None

    def append(self, line: str) -> None:
        """Add a line."""
        if self.size + len(line) > MAX_BYTES:
            self.rotate()
        self.lines.append(line)
        self.size += len(line)
        if self.watch is not None:
            self.watch(line)

    def rotate(self) -> None:
        """Begin a new file; the one before it is kept, those before that are gone."""
        self.previous, self.lines, self.size = self.lines, [], 0
        if self.watch is not None:
            self.watch(None)


def mmfs_line(dialect: Dialect, when: float, severity: str, number: int, text: str) -> str:
    """A line of GPFS's log, in the form of the release."""
    milliseconds = int(when * 1000) % 1000
    if dialect.at_least(4, 1):
        local = datetime.fromtimestamp(int(when), MST)
        mark = f"[{severity}] " if severity else ""
        return f"{local:%Y-%m-%d_%H:%M:%S}.{milliseconds:03d}-0700: {mark}{text}\n"
    date = ctime(when)
    told = f"6027-{number} " if number else ""
    mark = f"[{severity}] " if severity in ("E", "W", "X", "A") else ""
    return f"{date[:-5]}.{milliseconds:03d} {date[-4:]} GPFS: {told}{mark}{text}\n"


def syslog_line(host: str, when: float, program: str, text: str) -> str:
    """A line of /var/log/messages."""
    return f"{ctime(when)[4:19]} {host} {program}: {text}\n"


class HostLogs:
    """The logs of all hosts, by host and file. `now` is the simulated time, `first` gives a host's first lines."""

    def __init__(
        self, dialect: Dialect, now: Callable[[], float], first: Callable[[str, str], Iterable[tuple[float, str, str]]]
    ) -> None:
        self._dialect = dialect
        self._now = now
        self._first = first
        self._files: dict[tuple[str, str], LogFile] = {}

    def file(self, host: str, name: str) -> LogFile:
        """One log; a few ordinary lines are in it from the beginning."""
        if name not in FILES:
            raise ValueError(f"file is one of {', '.join(FILES)}")
        if (host, name) not in self._files:
            self._files[host, name] = LogFile()
            for when, program, text in self._first(host, name):
                self.write(host, name, text, severity="N", program=program, when=when)
        return self._files[host, name]

    def write(
        self,
        host: str,
        name: str,
        text: str,
        *,
        severity: str = "",
        number: int = 0,
        program: str = "kernel",
        when: float | None = None,
    ) -> None:
        """Write a line with the present time, or another; errors of GPFS go to syslog too."""
        when = self._now() if when is None else when
        if name == MESSAGES:
            self.file(host, name).append(syslog_line(host, when, program, text))
            return
        self.file(host, name).append(mmfs_line(self._dialect, when, severity, number, text))
        if severity in ("E", "X", "A"):
            self.file(host, MESSAGES).append(syslog_line(host, when, "mmfs", f"[{severity}] {text}"))

    def event(self, host: str, kind: str, fields: dict[str, object], when: float | None = None) -> None:
        """Write what a host says of something that happened. ValueError for a kind that does not exist."""
        event = EVENTS.get(kind)
        if event is None:
            raise ValueError(f"kind is one of {', '.join(EVENTS)}")
        text = event.text.format_map(fields)
        self.write(host, event.file, text, severity=event.severity, number=event.number, when=when)
