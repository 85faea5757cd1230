"""A Site that records: it wraps another one and tells of everything that passes, as events.

Nothing that changes the far side is done unless it can be recorded first.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing

import msgspec

from remote.command import Command
from remote.errors import RefusedError, SiteError
from remote.events import (
    Answered,
    Asked,
    Event,
    Exact,
    JobChanged,
    JobsListed,
    Launching,
    LinkChanged,
    LogRead,
    LogRewound,
    Placed,
    ProcessChanged,
    Reply,
    Signalling,
    Unanswered,
)
from remote.jobs import JobSpec, JobState, JobStatus, Place
from remote.question import Answer
from remote.recording import Writer
from remote.site import Chunk, FileLog, Followed, HostLink, JobLog, ProcessSeen, Rewound, Site, StateSeen

GIVEN_UP = "it was given up here"
"""Why a question was not answered: whoever asked it went away first."""

Prepare = Callable[[str, Sequence[Command], Sequence[Reply]], Awaitable[None]]


class RecordingSite(Site):
    """Wraps `inner`; `emit` is called with each event, in order, in the loop. `writer` may be None (no file).

    `prepare` is awaited with each answer before it is told of: whoever has to read large ones may do so there.
    """

    def __init__(
        self,
        inner: Site,
        emit: Callable[[Event], None],
        writer: Writer | None = None,
        prepare: Prepare | None = None,
    ) -> None:
        super().__init__(inner.clock, inner.hosts, armed=inner.armed)
        self._inner = inner
        self._emit = emit
        self._writer = writer
        self._prepare = prepare
        self._number = 0
        self._ended: dict[str, dict[str, JobStatus]] = {}
        """The jobs of each host that had ended when they were listed last."""
        inner.on_link = self._link_changed
        for link in inner.links.values():
            self._link_changed(link)

    def add_hosts(self, hosts: Sequence[str]) -> None:
        super().add_hosts(hosts)
        self._inner.add_hosts(hosts)

    def retry(self, host: str) -> None:
        self._inner.retry(host)

    async def close(self) -> None:
        await self._inner.close()

    def _link_changed(self, link: HostLink) -> None:
        self.links[link.host] = link
        trouble = link.trouble.value if link.trouble else ""
        self._emit(LinkChanged(self.clock.now(), link.host, link.state, trouble, link.detail))
        if self.on_link:
            self.on_link(link)

    async def _query(self, host: str, commands: Sequence[Command]) -> tuple[Answer, ...]:
        self._number += 1
        n = self._number
        self._emit(Asked(self.clock.now(), n, host, tuple(commands)))
        try:
            answers = await self._inner.query(host, *commands)
            replies = tuple(Reply(answer.rc, Exact(answer.stdout), Exact(answer.stderr)) for answer in answers)
            if self._prepare:
                await self._prepare(host, commands, replies)
        except SiteError as error:
            self._emit(Unanswered(self.clock.now(), n, str(error)))
            raise
        except asyncio.CancelledError:
            self._emit(Unanswered(self.clock.now(), n, GIVEN_UP))
            raise
        self._emit(Answered(self.clock.now(), n, replies))
        return answers

    async def _place(self, host: str) -> Place:
        place = await self._inner.place(host)
        self._emit(Placed(self.clock.now(), host, place))
        return place

    async def _launch(self, host: str, spec: JobSpec) -> JobStatus:
        place = await self._inner.place(host)
        self._emit(Launching(self.clock.now(), host, spec, place.boot_id))
        try:
            await self._on_record(host, spec.command.text)
            status = await self._inner.launch(host, spec)
        except SiteError as error:
            self._job_changed(host, JobStatus(spec.id, JobState.ERROR, note=str(error)))
            raise
        return self._job_changed(host, status)

    async def _stop(self, host: str, job_id: str, *, kill: bool) -> JobStatus:
        self._emit(Signalling(self.clock.now(), host, job_id, "KILL" if kill else "TERM"))
        await self._on_record(host, f"stop {job_id}")
        return self._job_changed(host, await self._inner.stop(host, job_id, kill=kill))

    async def _seal(self, host: str, job_id: str) -> JobStatus:
        self._emit(Signalling(self.clock.now(), host, job_id, "seal"))
        await self._on_record(host, f"seal {job_id}")
        return self._job_changed(host, await self._inner.seal(host, job_id))

    async def _renew(self, host: str, job_id: str) -> JobStatus:
        self._emit(Signalling(self.clock.now(), host, job_id, "renew"))
        await self._on_record(host, f"renew {job_id}")
        return self._job_changed(host, await self._inner.renew(host, job_id))

    async def _jobs(self, host: str) -> tuple[JobStatus, ...]:
        jobs = await self._inner.jobs(host)
        self._emit(self._listed(host, jobs))
        return jobs

    def _listed(self, host: str, jobs: Sequence[JobStatus]) -> JobsListed:
        """The list of a host's jobs, in short where they ended long ago: hosts keep hundreds, and are asked often."""
        before = self._ended.get(host, {})
        # the room beside its log is another one each time, and is nothing of a job that has ended
        ended = {job.id: msgspec.structs.replace(job, free_kb=None) for job in jobs if job.state.settled}
        same = {job_id: None for job_id, job in ended.items() if before.get(job_id) == job}
        self._ended[host] = ended
        return JobsListed(self.clock.now(), host, tuple(job for job in jobs if job.id not in same), tuple(same))

    async def _follow(self, host: str, source: JobLog | FileLog, offset: int) -> AsyncGenerator[Followed, None]:
        async with aclosing(self._inner.follow(host, source, offset)) as events:
            async for event in events:
                self._emit(self._followed(host, source.name, event))
                yield event

    def _followed(self, host: str, source: str, event: Followed) -> Event:
        now = self.clock.now()
        match event:
            case Chunk(offset, data):
                return LogRead(now, host, source, offset, Exact(data))
            case StateSeen(status):
                self._ended.get(host, {}).pop(status.id, None)
                return JobChanged(now, host, status)
            case Rewound(why):
                return LogRewound(now, host, source, why)
            case ProcessSeen(alive):
                return ProcessChanged(now, host, source, alive)

    def _job_changed(self, host: str, status: JobStatus) -> JobStatus:
        self._ended.get(host, {}).pop(status.id, None)  # the next list tells of it in full
        self._emit(JobChanged(self.clock.now(), host, status))
        return status

    async def _on_record(self, host: str, command: str) -> None:
        """Make sure that what is about to happen is on the disk here first."""
        if self._writer is None:
            return
        await self._writer.sync()
        if self._writer.failure:
            raise RefusedError(
                host,
                f"the recording cannot be written: {self._writer.failure}",
                command=command,
                advice=f"Nothing was sent. Make room for {self._writer.path}, or record elsewhere",
            )
