"""States made by hand for the GPFS file system: facts, links, jobs and logs put where the reducer would put them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from remote.command import Effect
from remote.events import Header, LinkChanged
from remote.gpfs.models import (
    Cluster,
    ClusterNode,
    Disk,
    DiskList,
    DiskSpace,
    FileSystem,
    FsAttribute,
    FsSpace,
    Inodes,
    NodeState,
    NodeStates,
    NsdDevice,
    NsdDevices,
    SpaceTotal,
)
from remote.jobs import JobState, JobStatus
from remote.linux.models import BlockDevice, BlockDevices
from remote.parsed import Parsed
from supervision.facts import Fact
from supervision.gpfs import READING, GpfsFileSystem
from supervision.logs import Log, append
from supervision.state import Job, State

FS = "fs1"
HOSTS = ("n1", "n2", "n3")
NOW = 1_000_000.0
"""The time of these states, s."""


def file_system() -> GpfsFileSystem:
    """The file system of these states."""
    return GpfsFileSystem(FS, HOSTS[0], HOSTS)


def state(
    facts: Mapping[str, Any] | None = None,
    *,
    jobs: tuple[Job, ...] = (),
    logs: tuple[Log, ...] = (),
    links: Mapping[str, str] | None = None,
    at: float = NOW,
    speed: float = 1.0,
) -> State:
    """A state of these facts (by their keys: a model asked for now, or a whole Fact)."""
    held = {key: value if isinstance(value, Fact) else fact(key, value) for key, value in (facts or {}).items()}
    return State(
        Header(1, "0", 0.0, 0.0, FS, HOSTS, HOSTS[0], speed=speed),
        at=at,
        facts=held,
        links={host: LinkChanged(at, host, word) for host, word in (links or {}).items()},
        jobs={(job.host, job.status.id): job for job in jobs},
        logs={(log.host, log.source): log for log in logs},
    )


def fact(key: str, model: object, *, at: float = NOW, failure: str = "") -> Fact:
    """A fact that was asked for at a time (s)."""
    of_host = key.startswith(("devices ", "time ", "node state ", "waiters "))
    host = key.rpartition(" ")[2] if of_host else "n1"
    parsed = None if model is None else Parsed(model)
    return Fact(key, host, f"ask {key}", at, 1.0, parsed, failure=failure, failed_at=at if failure else 0.0)


def cluster(*more: str) -> Cluster:
    """Three NSD servers, and what else is named."""
    names = (*HOSTS, *more)
    nodes = tuple(
        ClusterNode(number, f"{name}.example.com", f"10.0.0.{number}", f"{name}.example.com", "quorum-manager")
        for number, name in enumerate(names, 1)
    )
    return Cluster("c.example.com", "1", "c", "ssh", "scp", "", "", "", nodes)


def states(*words: str) -> NodeStates:
    """The state of each node's daemon, n1 first."""
    return NodeStates(tuple(NodeState(number, f"n{number}", word) for number, word in enumerate(words, 1)))


def disk(nsd: str, group: str = "1", usage: str = "YY", status: str = "ready", availability: str = "up") -> Disk:
    """A disk in pool system; `usage` is `holds metadata` and `holds data` as Y or N."""
    return Disk(nsd, "nsd", 512, group, usage[0] == "Y", usage[1] == "Y", status, availability, "system")


def disk_list(*disks: Disk, attention: tuple[str, ...] = ()) -> DiskList:
    """mmlsdisk."""
    return DiskList(disks, attention)


def disk_space(nsd: str, usage: str = "YN", free: int = 500, group: str = "1", size: int = 1000) -> DiskSpace:
    """A disk of mmdf, in KB."""
    percent = 100 * free // size
    return DiskSpace(nsd, "system", size, group, usage[0] == "Y", usage[1] == "Y", free, percent, 0, 0)


def space(*disks: DiskSpace, allocated: int = 1_000_000, used: int = 900_000) -> FsSpace:
    """mmdf."""
    total = SpaceTotal(sum(each.size_kb for each in disks), sum(each.free_blocks_kb for each in disks), 0)
    inodes = Inodes(used, allocated - used, allocated, 2 * allocated)
    return FsSpace("KB", disks, (("system", total),), None, None, total, inodes)


def attributes(**values: str) -> FileSystem:
    """mmlsfs; `m="2"` is the flag -m."""
    return FileSystem(FS, tuple(FsAttribute(f"-{name}", value, "") for name, value in values.items()))


def nsd_devices(*rows: tuple[str, str, str]) -> NsdDevices:
    """mmlsnsd -X of (NSD, device, host)."""
    made = (
        NsdDevice(nsd, "0A00000150000000", device, "generic", f"{host}.example.com", "server node")
        for nsd, device, host in rows
    )
    return NsdDevices(tuple(made))


def block(name: str, serial: str = "", **changes: Any) -> BlockDevice:
    """A whole SSD of 1 GiB."""
    empty = ("", "", "", "")
    plain = BlockDevice(
        name,
        name,
        (),
        "disk",
        1 << 30,
        False,
        False,
        "sas",
        "V",
        "M1",
        serial,
        "",
        "0:0:0:0",
        *empty,
        512,
        512,
        "running",
    )
    return msgspec.structs.replace(plain, **changes)


def blocks(*devices: BlockDevice) -> BlockDevices:
    """lsblk."""
    return BlockDevices(devices)


def job(
    word: JobState = JobState.RUNNING,
    command: str = f"mmrestripefs {FS} -r -N n1,n2",
    *,
    job_id: str = "j1",
    began: float | None = NOW - 3600,
    at: float = NOW - 3600,
    rc: int | None = None,
    size: int = 0,
    effect: Effect | None = Effect.CHANGES,
    interruptible: bool = True,
) -> Job:
    """A job on n1."""
    ended = NOW if rc is not None else None
    status = JobStatus(
        job_id, word, rc, began, ended, size, command=command, effect=effect, interruptible=interruptible
    )
    return Job("n1", status, at)


def log(*pieces: tuple[float, str], job_id: str = "j1") -> Log:
    """The log of a job, of lines that came at times (s)."""
    made = Log("n1", f"job:{job_id}")
    for at, text in pieces:
        data = f"{text}\n".encode()
        made = append(made, data, at, end=made.size + len(data), reading=READING)
    return made


def counted(inodes: int, percent: float = 50.0) -> str:
    """A line of progress with counters."""
    return f" {percent:.2f} % complete on Thu Jun  6 19:35:45 2013  ( {inodes:9} inodes  {inodes:9} MB)"


USER_FILES = "Scanning user file metadata ..."
PHASE_1 = "Scanning file system metadata, phase 1 ... "
DONE = "Scan completed successfully."


def scanning(
    count: int = 10, *, gap: float = 100.0, step: int = 10_000, last: float = NOW - 50.0, job_id: str = "j1"
) -> Log:
    """The log of a scan: metadata phase 1, then `count` counted lines, the last of them at `last`."""
    first = last - gap * (count - 1)
    lines = [(first + gap * index, counted(step * (index + 1))) for index in range(count)]
    return log((first - 2 * gap, PHASE_1), (first - gap, DONE), (first - gap, USER_FILES), *lines, job_id=job_id)
