"""A file system that is not GPFS, modelled on GFS2: one device, no parts, no list of servers, a scan over blocks.

It is a whole kind: the module that `supervision.filesystems.KINDS` would name. Its commands are invented, the form of
its progress lines is that of `gfs2_edit savemeta`. Its total is a lower bound, and not known until somebody has asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

import msgspec

from remote.command import Command, Effect
from remote.jobs import JobState
from remote.linux.commands import lsblk
from remote.linux.models import BlockDevices
from remote.parsed import Parsed, Problem
from supervision.brake import USUAL, Brake, Hours, Plan, Terms
from supervision.eta_runs import FinishedRun
from supervision.facts import Fact
from supervision.filesystem import Aftermath, Choosing, Counter, FileSystem, Fill, Phase, Preview, Progress, Words
from supervision.filesystems import Sites
from supervision.logs import Scan
from supervision.reading import Counted, Parser, Reading, ScanEvent
from supervision.running import job_lines
from supervision.state import Job, State
from supervision.supervisor import Cadence
from supervision.tables import Cell, Column, Line, Row, Severity, Table

RGRPS = Command(("blockfs-rgrps", "/dev/vg0/data"), Effect.READS)
MOUNTS = Command(("blockfs-mounts", "data"), Effect.READS)
_LINE = re.compile(r"(?P<saved>[0-9]{1,18}) blocks saved \((?P<percent>[0-9]{1,3})% complete\)\Z")


class Rgrps(msgspec.Struct, frozen=True):
    """Resource groups of the device, summed: its blocks, those that are free, and the dinodes (all in blocks)."""

    blocks: int
    free: int
    dinodes: int


class Mounted(msgspec.Struct, frozen=True):
    """The hosts that have it mounted."""

    hosts: tuple[str, ...]


def parse_rgrps(stdout: str, _stderr: str) -> Parsed[Rgrps | None]:
    """`blocks free dinodes`, or no model."""
    words = stdout.split()
    if len(words) != 3 or not all(word.isdecimal() for word in words):
        return Parsed(None, problems=(Problem(1, stdout, "not three numbers"),))
    return Parsed(Rgrps(*(int(word) for word in words)))


def parse_mounts(stdout: str, _stderr: str) -> Parsed[Mounted]:
    """A host a line."""
    return Parsed(Mounted(tuple(stdout.split())))


class BlockReading(Reading):
    """How it is read."""

    def reader(self, host: str, command: Command) -> tuple[str, Parser] | None:
        del host
        if command.argv == RGRPS.argv:
            return "rgrps", parse_rgrps
        return ("mounts", parse_mounts) if command.argv == MOUNTS.argv else None

    def scan_event(self, line: str) -> ScanEvent | None:
        found = _LINE.match(line.strip())
        return Counted(float(found["percent"]), int(found["saved"])) if found else None


T = TypeVar("T")

READING = BlockReading()


def open_file_system(name: str, entry: str, hosts: Sequence[str], sites: Sites) -> FileSystem:
    """What `supervision.filesystems.Kind` asks for; it has no use for sites."""
    del sites
    return BlockFileSystem(name, entry, hosts)


class BlockFileSystem:
    """Implements `supervision.filesystem.FileSystem`."""

    def __init__(self, name: str, entry: str, hosts: Sequence[str]) -> None:
        self.name = name
        self.words = Words("BlockFS", "device", "savemeta", "host", "Parts")
        self._entry = entry
        self._hosts = tuple(hosts)

    def questions(self) -> tuple[Command, ...]:
        return (RGRPS, MOUNTS)

    def costly(self) -> tuple[Command, ...]:
        return ()

    def hosts(self, state: State, entry: str) -> tuple[str, ...]:
        del entry
        mounted = _model(state.facts.get("mounts"), Mounted)
        return tuple(host for host in (mounted.hosts if mounted else ()) if host not in state.hosts)

    def cadences(self, entry: str) -> tuple[Cadence, ...]:
        return (Cadence("rgrps", 600.0, entry, (RGRPS,)),)

    def host_cadences(self, host: str) -> tuple[Cadence, ...]:
        return (Cadence(f"devices {host}", 1800.0, host, (lsblk(),)),)

    def facts(self, state: State) -> tuple[Line, ...]:
        fact = state.facts.get("rgrps")
        told = _model(fact, Rgrps)
        if fact is None or told is None:
            return ()
        return (
            Line("Device", RGRPS.argv[1], at=fact.at),
            Line("Blocks", f"{told.blocks:,}, {told.free:,} free", at=fact.at),
            Line("Dinodes", f"{told.dinodes:,} at least", at=fact.at),
        )

    def nodes(self, state: State) -> Table:
        fact = state.facts.get("mounts")
        mounted = _model(fact, Mounted)
        rows = (Row(host, (Cell(host), Cell("mounted"))) for host in (mounted.hosts if mounted else ()))
        columns = (Column("host", "host"), Column("state", "state"))
        return Table(columns, tuple(rows), fact.at if fact and mounted else None)

    def pools(self, state: State) -> Table:
        del state
        return Table((), absent="BlockFS has no parts with a use of their own")

    def disks(self, state: State) -> Table:
        fact = state.facts.get("rgrps")
        told = _model(fact, Rgrps)
        columns = (
            Column("device", "device"),
            Column("size", "blocks", right=True),
            Column("free", "free", right=True),
        )
        if fact is None or told is None:
            return Table(columns, failure=fact.failure if fact else "")
        cells = (Cell(RGRPS.argv[1]), Cell(f"{told.blocks:,}", told.blocks), Cell(f"{told.free:,}", told.free))
        detail = (("dinodes", f"{told.dinodes:,}"),)
        return Table(columns, (Row("device", cells, detail=detail),), fact.at, fact.failure)

    def totals(self, state: State) -> Table:
        del state
        return Table((), absent="BlockFS has one device and no sums over several")

    def device_owners(self) -> tuple[Command, ...]:
        return ()

    def device_questions(self) -> tuple[Command, ...]:
        return ()

    def alike(self, state: State, key: str) -> tuple[str, ...]:
        return (key,)

    def preview(self, state: State, choosing: Choosing) -> Preview | None:
        return None

    def devices(self, state: State) -> Table:
        columns = (Column("host", "host"), Column("name", "name"), Column("size", "size", right=True))
        rows, asked = [], []
        for host in state.hosts:
            fact = state.facts.get(f"devices {host}")
            told = _model(fact, BlockDevices)
            if fact is None or told is None:
                continue
            asked.append(fact.at)
            for device in told.devices:
                cells = (Cell(host), Cell(device.name), Cell(f"{device.size_bytes:,}", device.size_bytes))
                rows.append(Row(f"{host} {device.kname}", cells))
        return Table(columns, tuple(rows), min(asked, default=None))

    def device_steps(self, state: State) -> Iterator[None]:
        del state
        return iter(())

    def problems(self, state: State) -> tuple[Line, ...]:
        lost = [link.host for link in state.links.values() if link.state in ("waiting", "refused")]
        return tuple(Line("Hosts", f"{host} is not reached", Severity.WARNING, "It is tried again") for host in lost)

    def running(self, state: State) -> tuple[Line, ...]:
        return tuple(job_lines(self, state))

    def is_scan(self, job: Job) -> bool:
        return "savemeta" in job.status.command.split()

    def scan_job(self, state: State) -> Job | None:
        scans = [job for job in state.jobs.values() if self.is_scan(job)]
        return max(scans, key=lambda job: job.status.began or job.at, default=None)

    def progress(self, state: State, job: Job) -> Progress:
        log = state.job_log(job.host, job.status.id)
        scan = log.scan if log else Scan()
        counted = [point for point in scan.points if point.done is not None]
        rate = None
        if len(counted) > 1 and counted[-1].at > counted[0].at:
            rate = ((counted[-1].done or 0) - (counted[0].done or 0)) / (counted[-1].at - counted[0].at)
        gaps = [later.at - earlier.at for earlier, later in pairwise(scan.points)]
        phase = Phase.UNKNOWN
        if job.status.state is JobState.RUNNING:
            phase = Phase.RUNNING if scan.points else Phase.STARTING
        elif job.status.rc is not None:
            phase = Phase.FAILED if job.status.rc else Phase.FINISHED
        return Progress(
            phase,
            counter=self.counter(state, scan),
            tool_percent=scan.percent,
            rate=rate,
            last_line_at=log.last_at if log and log.size else None,
            usual_gap=max(gaps, default=None),
        )

    def counter(self, state: State, scan: Scan) -> Counter:
        told = _model(state.facts.get("rgrps"), Rgrps)
        return Counter("blocks", scan.done, told.dinodes if told else None, at_least=True)

    def site(self, state: State) -> str:
        del state
        return ""  # it learns nothing

    def finished_run(self, state: State, job: Job) -> FinishedRun | None:
        del state, job
        return None

    def aftermath(self, state: State, job: Job) -> Aftermath | None:
        del state, job
        return None  # it ends with its process

    def fills(self, state: State) -> Sequence[Fill]:
        del state
        return ()

    def brake(self, state: State, terms: Terms = USUAL) -> Brake | None:
        return None

    def ease(self, state: State, iops: float, terms: Terms = USUAL) -> Plan:
        return Plan(refused="there are no limits of I/O on it")

    def schedule(self, state: State, iops: float, hours: Hours, job_id: str, terms: Terms = USUAL) -> Plan:
        return Plan(refused="there are no limits of I/O on it")

    def brake_questions(self) -> tuple[Command, ...]:
        return ()

    def release(self, state: State) -> Plan:
        return Plan(refused="there are no limits of I/O on it")

    def may_run(self, argv: Sequence[str]) -> str:
        return "" if argv[0] == "true" else f"{argv[0]} is not known to leave {self.name} alone"

    def may_stop(self, job: Job) -> str:
        return "" if self.is_scan(job) else "only a savemeta may be stopped"

    def stop_leaves(self, job: Job) -> str:
        del job
        return "A file that holds a part of the metadata."


def _model(fact: Fact | None, kind: type[T]) -> T | None:
    model = fact.parsed.model if fact and fact.parsed else None
    return model if isinstance(model, kind) else None
