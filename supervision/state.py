"""The state: frozen, built from events by one reducer, owned by one store.

The same events give the same state, live or from a recording. Nothing else changes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from remote.events import (
    Acknowledged,
    Asked,
    Checked,
    Decided,
    Header,
    LinkChanged,
    Marked,
    StepChanged,
)
from remote.jobs import JobSpec, JobStatus, Place
from remote.linux.host_time import HostTime
from supervision import adopting, canary, filesystems, io_history
from supervision.eta_rates import Calibration, Known
from supervision.facts import Fact
from supervision.happenings import Happening
from supervision.logs import Log
from supervision.reading import Reading
from supervision.sightings import Sighting
from supervision.spaces import Look as SpaceLook
from supervision.works import Works

COMMANDS = 1000
"""Commands kept in the command log; the recording has them all."""
DECISIONS = 1000


LINK_BACK = "it can be reached again"


def log_source(job_id: str) -> str:
    """The name of the log of a job; of a file that is followed for somebody else's process, that of the file."""
    return job_id if job_id.startswith("file:") else f"job:{job_id}"


class Ran(msgspec.Struct, frozen=True):
    """A command that the program ran, for the command log.

    `took` is None while it runs; `rc` is None then, and when it is unknown: `failure` says why. Beside an exit code it
    says why that is none of the question's: only its form was refused. A signal to a job has no exit code of its own.
    """

    host: str
    command: str
    asked_at: float
    took: float | None = None
    rc: int | None = None
    failure: str = ""
    job: str = ""


class Job(msgspec.Struct, frozen=True):
    """A job as its host last told it; `spec` where this program launched it, `pid` and `start` of a process that
    somebody else started (`supervision.adopting`).

    `at` is when it was told last, `settled_at` when it was first told that it had ended (both Site's clock).
    """

    host: str
    status: JobStatus
    at: float
    spec: JobSpec | None = None
    settled_at: float | None = None
    pid: int | None = None
    start: int | None = None

    @property
    def adopted(self) -> bool:
        """Whether somebody else started it, outside restripe."""
        return adopting.is_adopted(self.status.id)


class State(msgspec.Struct, frozen=True):
    """Everything known, at the time `at` (Site's clock). Mappings are never changed in place."""

    header: Header
    revision: int = 0
    at: float = 0.0
    links: Mapping[str, LinkChanged] = MappingProxyType({})
    facts: Mapping[str, Fact] = MappingProxyType({})
    places: Mapping[str, Place] = MappingProxyType({})
    jobs: Mapping[tuple[str, str], Job] = MappingProxyType({})
    logs: Mapping[tuple[str, str], Log] = MappingProxyType({})
    alive: Mapping[tuple[str, str], bool | None] = MappingProxyType({})
    steps: Mapping[int, StepChanged] = MappingProxyType({})
    step_times: Mapping[int, tuple[float, float]] = MappingProxyType({})
    checked: Mapping[int, Checked] = MappingProxyType({})
    """What the checks of each step said last."""
    proven: Mapping[int, Checked] = MappingProxyType({})
    """What was read back after each step last, against what it had promised."""
    acknowledged: Mapping[tuple[int, str], Acknowledged] = MappingProxyType({})
    """The warnings that somebody took note of, by step and key."""
    pending: Mapping[int, Asked] = MappingProxyType({})
    commands: tuple[Ran, ...] = ()
    decisions: tuple[Decided, ...] = ()
    marks: tuple[Marked, ...] = ()
    stops: Mapping[tuple[str, str], float] = MappingProxyType({})
    """When each job (by host and id) was last told to end."""
    listed: Mapping[str, float] = MappingProxyType({})
    """When each host last told of all its jobs."""
    sightings: Mapping[str, tuple[Sighting, ...]] = MappingProxyType({})
    """The history of each host's devices, the last look last."""
    happened: tuple[Happening, ...] = ()
    """What changed while it was watched, the oldest first."""
    calibrations: Mapping[str, Calibration] = MappingProxyType({})
    """What finished runs teach of the range of the next, by the kind of run."""
    heard: Mapping[str, canary.Listening] = MappingProxyType({})
    """What the logs of each host complain of."""
    disk_counters: Mapping[str, io_history.History] = MappingProxyType({})
    """What the disks of each host had read and written, now and then."""
    spaces: tuple[SpaceLook, ...] = ()
    """How much was on each disk, look after look."""
    works: Mapping[str, Works] = MappingProxyType({})
    """The processes of each host that work, and when their counters moved."""
    closed: bool = False

    @property
    def utc_offset(self) -> int:
        """Seconds from UTC in the zone that the entry host lives in, as its logs print times.

        Until it has told that itself, the zone that the recording begins with: of a session that opened while it was
        still connecting, the one of the machine here.
        """
        fact = self.facts.get(f"time {self.header.entry}")
        told = fact.parsed.model if fact and fact.parsed else None
        return told.utc_offset if isinstance(told, HostTime) else self.header.utc_offset

    @property
    def hosts(self) -> tuple[str, ...]:
        """All hosts of the session: those it began with, and those that were watched since."""
        return tuple(dict.fromkeys((*self.header.hosts, *self.links)))

    @property
    def reading(self) -> Reading:
        """How answers and logs of the session's file system are read."""
        return filesystems.reading(self.header.kind)

    def job(self, host: str, job_id: str) -> Job | None:
        """A job by host and id."""
        return self.jobs.get((host, job_id))

    def job_log(self, host: str, job_id: str) -> Log | None:
        """What has been read of a job's log; that of somebody else's process has the source itself for its id."""
        return self.logs.get((host, log_source(job_id)))

    def known(self, host: str, source: str) -> Known:
        """What is known of the scan of a log besides its lines."""
        job = self.jobs.get((host, source.removeprefix("job:")))
        command = job.status.command if job else ""
        known = self.reading.known(self._told, self.header.file_system, command)
        taught = self.calibrations.get(self.reading.run_kind(command))
        return msgspec.structs.replace(known, calibration=taught) if taught else known

    def _told(self, key: str) -> object:
        fact = self.facts.get(key)
        return fact.parsed.model if fact and fact.parsed else fact.failure if fact and fact.failure else None
