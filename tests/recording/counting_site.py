"""A far side that only counts what reaches it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from remote.clock import SetClock
from remote.command import Command, Effect
from remote.jobs import JobSpec, JobState, JobStatus, Place
from remote.question import Answer
from remote.site import Chunk, FileLog, Followed, JobLog, Site, StateSeen

READING = Command(("mmlsdisk", "mss1"), Effect.READS)
CHANGING = Command(("mmchdisk", "mss1", "change"), Effect.CHANGES)
DESTROYING = Command(("mmcrnsd", "-F", "f"), Effect.DESTROYS)
SPEC = JobSpec("p-1-a-1", "title", "ops@desk", CHANGING, (("a.stanza", "%nsd: nsd=x\n"),))


class CountingSite(Site):
    """`reached` lists the inner methods that were called, in order."""

    def __init__(self, *, armed: bool, jobs: Sequence[JobStatus] = ()) -> None:
        super().__init__(SetClock(1000.0), ("pollux1",), armed=armed)
        self.reached: list[str] = []
        self.held = tuple(jobs)
        self.closed = False

    async def close(self) -> None:
        self.closed = True

    async def _query(self, host: str, commands: Sequence[Command]) -> tuple[Answer, ...]:
        self.reached.append("query")
        return tuple(Answer(command, 0, b"out\n", b"err\n") for command in commands)

    async def _place(self, host: str) -> Place:
        self.reached.append("place")
        return Place("/var/lib/restripe", "boot-1")

    async def _launch(self, host: str, spec: JobSpec) -> JobStatus:
        self.reached.append("launch")
        return JobStatus(spec.id, JobState.RUNNING)

    async def _stop(self, host: str, job_id: str, *, kill: bool) -> JobStatus:
        self.reached.append("kill" if kill else "stop")
        return JobStatus(job_id, JobState.RUNNING)

    async def _seal(self, host: str, job_id: str) -> JobStatus:
        self.reached.append("seal")
        return JobStatus(job_id, JobState.SEALED)

    async def _renew(self, host: str, job_id: str) -> JobStatus:
        self.reached.append("renew")
        return JobStatus(job_id, JobState.RUNNING)

    async def _jobs(self, host: str) -> tuple[JobStatus, ...]:
        self.reached.append("jobs")
        return self.held

    async def _follow(self, host: str, source: JobLog | FileLog, offset: int) -> AsyncGenerator[Followed, None]:
        self.reached.append("follow")
        yield Chunk(0, b"a line\n")
        yield StateSeen(JobStatus("p-1-a-1", JobState.FINISHED, 0))
