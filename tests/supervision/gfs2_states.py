"""States made by hand for a GFS2 device: its facts from exact texts, jobs, logs and what a host tells of processes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from remote.command import Effect
from remote.events import Header
from remote.gfs2.parsers import parse_rgs, parse_sb, parse_statfs
from remote.jobs import JobState, JobStatus
from remote.linux.blkid import Probed
from remote.linux.work import Work, Worker, Written
from remote.parsed import Parsed
from supervision import works
from supervision.facts import Fact
from supervision.gfs2 import READING, Gfs2FileSystem
from supervision.logs import Log, append
from supervision.state import Job, State
from tests.gfs2.gfs2texts import told

DEVICE = "/dev/vg0/data"
HOST = "n1"
OUT = "/var/tmp/data.meta.gz"
SAVEMETA = f"gfs2_edit savemeta -z1 {DEVICE} {OUT}"
NOW = 1_000_000.0
"""The time of these states, s."""
LEAST = 88_900 + 1 + 8 * 5 + 1
"""The dinodes of the 2 GiB image, the headers of its nine resource groups, and the superblock."""
SAVED = 91_251
"""What savemeta saved of it."""


def device_facts() -> dict[str, Any]:
    """What is known of the device: the resource groups of the 2 GiB image, superblock and statfs of a smaller one."""
    return {
        f"blkid {DEVICE}": (Probed(DEVICE, "gfs2"),),
        f"sb {DEVICE}": parse_sb(told("sb_350")).model,
        f"statfs {DEVICE}": parse_statfs(told("statfs_350")).model,
        f"rgs {DEVICE}": parse_rgs(told("rgs_350")).model,
    }


def file_system() -> Gfs2FileSystem:
    """The file system of these states."""
    return Gfs2FileSystem(DEVICE, HOST)


def fact(key: str, model: object, *, at: float = NOW, failure: str = "", host: str = HOST) -> Fact:
    """A fact that was asked for at a time (s); `model` is what was read, or a whole result of a parser."""
    parsed = model if isinstance(model, Parsed) else None if model is None else Parsed(model)
    return Fact(key, host, f"ask {key}", at, 0.0, parsed, failure=failure, failed_at=at if failure else 0.0)


def state(
    facts: Mapping[str, Any] | None = None,
    *,
    jobs: tuple[Job, ...] = (),
    logs: tuple[Log, ...] = (),
    looks: tuple[tuple[float, Worker | None], ...] = (),
    at: float = NOW,
) -> State:
    """A state of these facts (a model asked for now, or a whole Fact), after these looks at the host's processes."""
    held = {key: value if isinstance(value, Fact) else fact(key, value) for key, value in (facts or {}).items()}
    seen: works.Works | None = None
    for when, worker in looks:
        look = fact(f"work {HOST}", Work("boot", when, (worker,) if worker else ()), at=when)
        held[look.key] = look
        seen = works.noted(seen, look)
    return State(
        Header(1, "0", 0.0, 0.0, DEVICE, (HOST,), HOST, kind="gfs2"),
        at=at,
        facts=held,
        jobs={(job.host, job.status.id): job for job in jobs},
        logs={(log.host, log.source): log for log in logs},
        works={HOST: seen} if seen else {},
    )


def job(
    state: JobState = JobState.RUNNING,
    command: str = SAVEMETA,
    *,
    rc: int | None = None,
    size: int = 0,
    began: float = NOW - 100,
    ended: float | None = None,
) -> Job:
    """A job of ours on the host, told of now."""
    status = JobStatus(
        "j1", state, rc, began, ended, size, title="t", operator="o", command=command, effect=Effect.CHANGES
    )
    return Job(HOST, status, NOW, settled_at=NOW if state.settled else None)


def log(*pieces: tuple[float, str], known: Mapping[str, Any] | None = None) -> Log:
    """The log of that job after pieces that came at these times, with what was known of the device."""
    facts = known or {}
    made = Log(HOST, "job:j1")
    for at, text in pieces:
        data = text.encode()
        found = READING.known(facts.get, DEVICE, SAVEMETA)
        made = append(made, data, at, end=made.size + len(data), reading=READING, known=found)
    return made


def worker(
    *, state: str = "R", cpu: float = 1.0, chars: int = 1000, written: int = 0, size: int = 0, peak_kb: int = 62_000
) -> Worker:
    """The process of that job, as a look tells it."""
    words = tuple(SAVEMETA.split())
    files = (Written(OUT, size, 4),)
    return Worker(77, 1, 5, state, cpu, 90.0, words, chars, written, 0, written, peak_kb, 40_000, files, job="/jobs/j1")
