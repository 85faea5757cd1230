"""Following a job as a campaign does, in this process or in a client of its own."""

from __future__ import annotations

import msgspec

from remote.jobs import JobSpec, JobStatus
from remote.live import LiveSite
from remote.site import Chunk, JobLog, StateSeen

POLL_SECONDS = 0.1


class Errand(msgspec.Struct):
    """What the client of its own process is told: where to launch what."""

    config: str
    host: str
    spec: JobSpec


class Seen(msgspec.Struct):
    """What a follower saw of a job."""

    log: bytes = b""
    states: list[JobStatus] = msgspec.field(default_factory=list)
    trouble: str = ""

    @property
    def last(self) -> JobStatus | None:
        """The last state that was told."""
        return self.states[-1] if self.states else None


async def follow(site: LiveSite, host: str, job_id: str, seen: Seen) -> None:
    """Follow a job to its end; what is odd about it is trouble."""
    async for event in site.follow(host, JobLog(job_id)):
        if isinstance(event, Chunk):
            if event.offset != len(seen.log):
                seen.trouble = f"a chunk began at {event.offset} instead of {len(seen.log)}"
            seen.log += event.data
        elif isinstance(event, StateSeen):
            seen.states.append(event.status)
        else:
            seen.trouble = f"the log changed under the follower: {event}"
