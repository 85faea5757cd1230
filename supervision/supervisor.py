"""The tasks that keep the state fed: cheap questions often, dear ones rarely, and every job followed.

Connections and tasks belong to the supervisor, never to a screen: `async with Supervisor(...)` around whatever
shows the state. Leaving it ends the watching and no job.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import aclosing
from types import TracebackType
from typing import Any

import msgspec

from remote.command import Command
from remote.errors import SiteError
from remote.jobs import JobState, JobStatus
from remote.linux.commands import devices, lsblk, signatures
from remote.site import FileLog, JobLog, Site, StateSeen
from remote.text import one_line
from supervision.adopting import is_adopted, log_path
from supervision.dialect import Dialects
from supervision.facts import reader
from supervision.journal import Journal
from supervision.store import Store

LATE = 6.0
"""Seconds (Site's clock) between looks at a log whose writer has ended: screen keeps what it logs for ten of them,"""
REAL_LATE = 0.1
"""and in a simulation these real ones at least."""
LATE_LOOKS = 4


class Cadence(msgspec.Struct, frozen=True):
    """Questions that are asked of a host every `seconds` (Site's clock), counted from answer to question.

    `real` are the real seconds that pass between two of them at least: a simulation runs hundreds of times as fast, and
    its hosts would do nothing but answer.
    """

    name: str
    seconds: float
    host: str
    commands: tuple[Command, ...]
    real: float = 1.0

    def at_speed(self, speed: float) -> float:
        """Seconds between two questions on a clock that runs `speed` times as fast as a real one."""
        return max(self.seconds, self.real * speed)


class Supervisor:
    """Owns the Site while it is watched."""

    def __init__(self, site: Site, journal: Journal, *, fs: str, entry: str) -> None:
        self.site = site
        self.journal = journal
        self.fs = fs
        self.entry = entry
        self._dialects = Dialects(journal.store.state.reading)
        self._background: set[asyncio.Task[object]] = set()
        self._followers: dict[tuple[str, str], asyncio.Task[JobStatus]] = {}

    @property
    def store(self) -> Store:
        """The owner of the state."""
        return self.journal.store

    async def __aenter__(self) -> Supervisor:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tasks = [*self._background, *self._followers.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.site.close()

    async def ask(self, host: str, *commands: Command) -> None:
        """Ask now, in the form that the host speaks; the answers are in the state when this returns.

        Raises SiteError.
        """
        asked = self._dialects.preferred(host, commands)
        answers = await self.site.query(host, *asked)
        again = self._dialects.to_ask_again(host, commands, asked, answers)
        if again:
            await self.site.query(host, *again)

    async def look_at_devices(self, hosts: Sequence[str], *more: Command) -> dict[str, SiteError]:
        """Ask every host for its devices, what lies on them, and `more`; one that cannot be asked harms no other.

        Each host answers all of it in one batch: a device's name is worth nothing in another moment.
        """
        return await _each(hosts, lambda host: self.ask(host, lsblk(), devices(), signatures(), *more))

    async def ask_each(self, hosts: Sequence[str], *commands: Command) -> dict[str, SiteError]:
        """Ask every host the same in one batch; one that cannot be asked harms no other."""
        return await _each(hosts, lambda host: self.ask(host, *commands))

    async def look_at_jobs(self, hosts: Sequence[str]) -> dict[str, SiteError]:
        """Ask every host for its jobs; a host that cannot be asked harms no other."""
        return await _each(hosts, self.site.jobs)

    def start(self, name: str, work: Coroutine[Any, Any, object]) -> asyncio.Task[object]:
        """Do something in the background until the supervisor ends; whoever started it may come and go."""
        task = asyncio.create_task(work, name=name)
        self._background.add(task)
        task.add_done_callback(self._ended)
        return task

    def runs(self, name: str) -> bool:
        """Whether background work of that name goes on."""
        return any(task.get_name() == name for task in self._background)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        """Let no error of our own pass in silence: it is told like a decision, and recorded.

        One of the far side is in the state already.
        """
        self._background.discard(task)
        error = None if task.cancelled() else task.exception()
        if error and not isinstance(error, SiteError):
            what = f"{task.get_name()} ended by an error of restripe itself: {type(error).__name__}: {error}"
            self.journal.decide(self.site.clock.now(), "restripe", one_line(what))

    def watch(self, cadences: Sequence[Cadence]) -> list[asyncio.Task[object]]:
        """Ask these again and again until the supervisor ends, or the task of one is cancelled."""
        return [self.start(f"poll {cadence.name}", self._poll(cadence)) for cadence in cadences]

    async def _poll(self, cadence: Cadence) -> None:
        while True:
            await self.site.clock.sleep(cadence.seconds)
            commands = [each for each in cadence.commands if not self._never(cadence.host, each)]
            try:
                await self.ask(cadence.host, *commands)
            except SiteError:
                continue  # it is in the state, with its age and its reason

    def _never(self, host: str, command: Command) -> bool:
        """Whether the host has said that its release has no such question."""
        state = self.store.state
        found = reader(state.reading, host, command)
        fact = state.facts.get(found[0]) if found else None
        return fact is not None and fact.never

    def follow(self, host: str, job_id: str) -> asyncio.Task[JobStatus]:
        """Follow a job to its end; the same task for everybody who asks."""
        key = (host, job_id)
        if key not in self._followers or self._followers[key].done():
            follow = self._follow_adopted if is_adopted(job_id) else self._follow
            task = asyncio.create_task(follow(host, job_id), name=f"follow {job_id}")
            task.add_done_callback(self._ended)
            self._followers[key] = task
        return self._followers[key]

    def follows(self, host: str, job_id: str) -> bool:
        """Whether a job is followed now."""
        task = self._followers.get((host, job_id))
        return task is not None and not task.done()

    async def _follow(self, host: str, job_id: str) -> JobStatus:
        log = self.store.state.job_log(host, job_id)
        status = JobStatus(job_id, JobState.UNKNOWN)
        async with aclosing(self.site.follow(host, JobLog(job_id), log.size if log else 0)) as events:
            async for event in events:
                if isinstance(event, StateSeen):
                    status = event.status
        return status

    async def _follow_adopted(self, host: str, job_id: str) -> JobStatus:
        """Follow the log of a process that somebody else started to its end, and what is written a moment later."""
        unknown = JobStatus(job_id, JobState.UNKNOWN)
        path, looks = log_path(job_id), 0
        while path and looks < LATE_LOOKS:
            job, log = self.store.state.job(host, job_id), self.store.state.job_log(host, job_id)
            source = FileLog(path, job.pid if job else None, job.start if job else None)
            async with aclosing(self.site.follow(host, source, log.size if log else 0)) as events:
                async for _event in events:
                    pass  # it is in the state
            looks += 1
            if looks < LATE_LOOKS:
                await self.site.clock.sleep(max(LATE, REAL_LATE * self.store.state.header.speed))
        job = self.store.state.job(host, job_id)
        return job.status if job else unknown

    async def until(self, wanted: Callable[[], bool], ask: Callable[[], Awaitable[None]], seconds: float) -> bool:
        """Ask until the state is as wanted, at most for `seconds` (Site's clock) and at least five times."""
        ends = self.site.clock.elapsed() + seconds
        tries = 0
        while True:
            await ask()
            tries += 1
            if wanted():
                return True
            if tries >= 5 and self.site.clock.elapsed() > ends:
                return False
            await self.site.clock.sleep(10.0)


async def _each(hosts: Sequence[str], ask: Callable[[str], Awaitable[object]]) -> dict[str, SiteError]:
    """Ask all hosts at once; what failed, by host."""

    async def one(host: str) -> SiteError | None:
        try:
            await ask(host)
        except SiteError as error:
            return error
        return None

    errors = await asyncio.gather(*(one(host) for host in hosts))
    return {host: error for host, error in zip(hosts, errors, strict=True) if error}
