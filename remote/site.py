"""The one seam: `Site` is the far side as everybody else sees it.

Read-only is enforced here and nowhere else: an unarmed Site refuses whatever changes anything, before a byte
leaves this machine. Questions are never anything but reading; what changes the far side is a detached job.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Sequence

import msgspec

from remote.clock import Clock
from remote.command import Command, Effect
from remote.errors import RefusedError, Trouble
from remote.jobs import JobSpec, JobStatus, Place
from remote.question import Answer


class JobLog(msgspec.Struct, frozen=True, tag="job"):
    """The log of a detached job."""

    id: str

    @property
    def name(self) -> str:
        """How the source is named in events and messages."""
        return f"job:{self.id}"


class FileLog(msgspec.Struct, frozen=True, tag="file"):
    """Any file on a host, and the process that writes it where that is known.

    `start` is the start time of that process as /proc tells it: another one with the same pid is not meant.
    """

    path: str
    pid: int | None = None
    start: int | None = None

    @property
    def name(self) -> str:
        """How the source is named in events and messages."""
        return f"file:{self.path}"


class Chunk(msgspec.Struct, frozen=True):
    """Bytes of a log, exactly as they are; `offset` is where they start in it."""

    offset: int
    data: bytes


class StateSeen(msgspec.Struct, frozen=True):
    """A job's state changed, or was seen for the first time."""

    status: JobStatus


class ProcessSeen(msgspec.Struct, frozen=True):
    """Whether the process that writes a followed file lives; None when the host cannot be asked."""

    alive: bool | None


class Rewound(msgspec.Struct, frozen=True):
    """The log is not what it was: `truncated`, `rotated` or `rewritten`. It is read again from its start."""

    why: str


Followed = Chunk | StateSeen | ProcessSeen | Rewound


class HostLink(msgspec.Struct, frozen=True):
    """A host's connection, as people see it: `idle`, `connecting`, `up`, `waiting`, `refused` or `closed`."""

    host: str
    state: str
    trouble: Trouble | None = None
    detail: str = ""


LinkListener = Callable[[HostLink], None]


class Site(ABC):
    """The far side. Every method that asks a host raises SiteError and nothing else when it cannot."""

    def __init__(self, clock: Clock, hosts: Sequence[str], *, armed: bool) -> None:
        self.clock = clock
        self.hosts = tuple(hosts)
        self.armed = armed
        self.on_link: LinkListener | None = None
        self.links: dict[str, HostLink] = {}

    def add_hosts(self, hosts: Sequence[str]) -> None:
        """Let more hosts belong to the site, as one learns of them; each is connected to when it is first asked."""
        self.hosts = tuple(dict.fromkeys((*self.hosts, *hosts)))

    def retry(self, host: str) -> None:  # noqa: B027  a site that gives nobody up has nothing to do
        """Try a host again that was given up because its trouble does not pass by itself (a key, a wrong setting)."""

    async def query(self, host: str, *commands: Command) -> tuple[Answer, ...]:
        """Ask reading commands, one after another, in one exec; each has its own rc, streams and deadline."""
        if not commands:
            return ()
        for command in commands:
            if command.effect is not Effect.READS:
                raise RefusedError(
                    host, f"this command {command.effect.value}, so it is no question", command=command.text
                )
        return await self._query(host, commands)

    async def place(self, host: str) -> Place:
        """Where the host keeps its jobs, and which boot it is in."""
        return await self._place(host)

    async def launch(self, host: str, spec: JobSpec) -> JobStatus:
        """Launch a detached job, at most once for its id, whatever happens to the connection meanwhile.

        The state may be `UNKNOWN` when the host could not be reached again: follow it, or seal it.
        """
        self._must_be_armed(host, spec.command.text)
        return await self._launch(host, spec)

    async def stop(self, host: str, job_id: str, *, kill: bool = False) -> JobStatus:
        """Send TERM (or KILL) to what a job runs. Refused for a command that must not be interrupted."""
        self._must_be_armed(host, f"stop {job_id}")
        for job in await self.jobs(host):
            if job.id == job_id and not job.interruptible:
                raise RefusedError(
                    host,
                    "interrupting this command can leave the cluster's configuration inconsistent",
                    command=job.command,
                    advice="Wait for it to end",
                )
        return await self._stop(host, job_id, kill=kill)

    async def seal(self, host: str, job_id: str) -> JobStatus:
        """Make sure that a job which has not started never will; tells its state if it has."""
        self._must_be_armed(host, f"seal {job_id}")
        return await self._seal(host, job_id)

    async def renew(self, host: str, job_id: str) -> JobStatus:
        """Tell a running job that somebody still watches it. Some jobs do another thing when nobody has for long."""
        self._must_be_armed(host, f"renew {job_id}")
        return await self._renew(host, job_id)

    async def jobs(self, host: str) -> tuple[JobStatus, ...]:
        """Every job on the host, whoever started it."""
        return await self._jobs(host)

    def follow(self, host: str, source: JobLog | FileLog, offset: int = 0) -> AsyncGenerator[Followed, None]:
        """Follow a log from a byte offset. Ends when the job is settled and its log is read whole.

        An unreachable host is no end: the state becomes unknown, and the log goes on where it stopped.
        """
        return self._follow(host, source, offset)

    @abstractmethod
    async def close(self) -> None:
        """Let go of the far side; no job is touched."""

    def _must_be_armed(self, host: str, command: str) -> None:
        if not self.armed:
            raise RefusedError(
                host, "this session is read-only", command=command, advice="Start it with --write to change anything"
            )

    @abstractmethod
    async def _query(self, host: str, commands: Sequence[Command]) -> tuple[Answer, ...]: ...

    @abstractmethod
    async def _place(self, host: str) -> Place: ...

    @abstractmethod
    async def _launch(self, host: str, spec: JobSpec) -> JobStatus: ...

    @abstractmethod
    async def _stop(self, host: str, job_id: str, *, kill: bool) -> JobStatus: ...

    @abstractmethod
    async def _seal(self, host: str, job_id: str) -> JobStatus: ...

    @abstractmethod
    async def _renew(self, host: str, job_id: str) -> JobStatus: ...

    @abstractmethod
    async def _jobs(self, host: str) -> tuple[JobStatus, ...]: ...

    @abstractmethod
    def _follow(self, host: str, source: JobLog | FileLog, offset: int) -> AsyncGenerator[Followed, None]: ...
