"""The jobs of a plan on the hosts: their ids, what their directories tell, and launching and following them.

A job's directory holds the plan, and which step and attempt it is: whoever finds one of them knows enough to go on.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from remote.command import Command, Effect
from remote.errors import SiteError
from remote.jobs import JobSpec, JobState, JobStatus
from remote.text import decode
from supervision.migration import Ending, StopError
from supervision.plan import FILE, Plan, digest, encode
from supervision.recipe import Act, GuidedStep
from supervision.supervisor import Supervisor

MARKER = "step.json"
"""The file in a job's directory that says which step of which plan it is."""
OUT_OF_REACH = 900.0
"""Seconds (Site's clock) without a word of a job's host after which it is not waited for any more,"""
REAL_OUT_OF_REACH = 20.0
"""and in a simulation these real ones at least."""
_REST = re.compile(r"(\d{1,3})-([a-z0-9][a-z0-9-]*)-(\d{1,4})\Z")
_LOOK = 5.0


class Marker(msgspec.Struct, frozen=True):
    """What a job is, beside its plan. `sha256` is the plan's digest, `acknowledged` the keys that were, by whom."""

    plan: str
    sha256: str
    recipe: str
    step: str
    number: int
    attempt: int
    operator: str
    acknowledged: tuple[str, ...] = ()


class Attempt(msgspec.Struct, frozen=True):
    """A try of a step: the host that has its job, and how it stands with that."""

    number: int
    attempt: int
    host: str
    status: JobStatus

    @property
    def goes_on(self) -> bool:
        """Whether its command runs, or may for all one knows."""
        return not self.status.state.settled and self.status.state is not JobState.ABSENT


def job_id(plan: Plan, number: int, name: str, attempt: int) -> str:
    """The id of a job."""
    return f"{plan.id}-{number}-{name}-{attempt}"


def split_id(told: str, plan_id: str) -> tuple[int, str, int] | None:
    """Number, name and attempt of a plan's job; None for any other id."""
    match = _REST.match(told.removeprefix(f"{plan_id}-")) if told.startswith(f"{plan_id}-") else None
    return (int(match[1]), match[2], int(match[3])) if match else None


def attempts_of(jobs: Iterable[tuple[str, JobStatus]], plan: Plan, steps: Mapping[int, GuidedStep]) -> list[Attempt]:
    """The tries among the jobs of hosts, those of one step in their order."""
    found = []
    for host, status in jobs:
        parts = split_id(status.id, plan.id)
        if parts and parts[0] in steps and steps[parts[0]].spec.name == parts[1]:
            found.append(Attempt(parts[0], parts[2], host, status))
    return sorted(found, key=lambda attempt: (attempt.number, attempt.attempt, attempt.status.began or 0.0))


def file_of(base: str, told: str, name: str) -> Command:
    """The question for a small file of a job's directory."""
    return Command(("cat", f"{base}/{told}/run/{name}"), Effect.READS, deadline=20.0)


class PlanJobs:
    """The jobs of one plan. `attempts` is what was found last, `unreached` are hosts that could not be asked."""

    def __init__(self, supervisor: Supervisor, plan: Plan, steps: Mapping[int, GuidedStep], operator: str) -> None:
        self._supervisor = supervisor
        self._plan = plan
        self._steps = steps
        self._operator = operator
        self._sha256 = digest(plan)
        self._same: set[tuple[str, str]] = set()
        self._dead: set[str] = set()
        self.attempts: list[Attempt] = []
        self.unreached: dict[str, SiteError] = {}

    def of(self, number: int) -> list[Attempt]:
        """The tries of a step, the last one last."""
        return [attempt for attempt in self.attempts if attempt.number == number]

    def latest(self, number: int) -> Attempt | None:
        """The last try of a step that has started, or may have: those that were sealed never will."""
        tries = [each for each in self.of(number) if each.status.state is not JobState.SEALED]
        return tries[-1] if tries else None

    async def look(self, hosts: Sequence[str]) -> None:
        """Ask these hosts for their jobs; of those that cannot be asked, what was known stays, as unknown.

        Raises StopError when jobs of this id belong to another plan.
        """
        site = self._supervisor.site
        told = await asyncio.gather(*(site.jobs(host) for host in hosts), return_exceptions=True)
        jobs: list[tuple[str, JobStatus]] = []
        self.unreached = {}
        for host, answer in zip(hosts, told, strict=True):
            if isinstance(answer, SiteError):
                self.unreached[host] = answer
                away = JobState.LOST if host in self._dead else JobState.UNKNOWN
                jobs += [(host, _not_told(each.status, away)) for each in self.attempts if each.host == host]
            elif isinstance(answer, BaseException):
                raise answer
            else:
                jobs += [(host, status) for status in answer]
        self.attempts = attempts_of(jobs, self._plan, self._steps)
        await self._compare()

    async def _compare(self) -> None:
        """Make sure that the jobs are of this very plan, not of another one by the same id."""
        site = self._supervisor.site
        for host in dict.fromkeys(each.host for each in self.attempts if each.host not in self.unreached):
            fresh = [
                each.status.id
                for each in self.attempts
                if each.host == host and (host, each.status.id) not in self._same and _has_files(each.status)
            ]
            if not fresh:
                continue
            place = await site.place(host)
            answers = await site.query(host, *(file_of(place.base, told, MARKER) for told in fresh))
            for told, answer in zip(fresh, answers, strict=True):
                if answer.rc == 0 and _marker(decode(answer.stdout)).sha256 != self._sha256:
                    raise StopError(
                        Ending.REFUSED,
                        f"{host}: the job {told} was begun with another plan of this id: its directory, "
                        f"{place.base}/{told}/run, has that plan. Go on with it, or give this one an id of its own",
                    )
                self._same.add((host, told))

    async def read_logs(self) -> None:
        """Read what the last tries printed that have ended, where nobody has yet: checks and reports look at it."""
        for attempt in [each for each in self.attempts if self.latest(each.number) is each]:
            ended = attempt.status.state is JobState.FINISHED and attempt.host not in self.unreached
            log = self._supervisor.store.state.job_log(attempt.host, attempt.status.id)
            if ended and attempt.status.size > (log.size if log else 0):
                await self.follow_job(attempt.host, attempt.status)

    def give_up(self, host: str) -> None:
        """Take the jobs of a host that is down for lost, as long as it cannot be asked."""
        self._dead.add(host)
        for attempt in [each for each in self.attempts if each.host == host]:
            self._keep(msgspec.structs.replace(attempt, status=_not_told(attempt.status, JobState.LOST)))

    def next_id(self, number: int) -> tuple[str, int]:
        """The id of the next try of a step, and its number."""
        tries = self.of(number)
        attempt = tries[-1].attempt + 1 if tries else 1
        return job_id(self._plan, number, self._steps[number].spec.name, attempt), attempt

    async def launch(self, host: str, number: int, act: Act, acknowledged: tuple[str, ...]) -> Attempt:
        """Launch the next try of a step. When nobody knows whether it started, it is sealed: it has or never will.

        Raises SiteError; nothing was run then.
        """
        told, attempt = self.next_id(number)
        spec = self._steps[number].spec
        marker = Marker(
            self._plan.id, self._sha256, self._plan.recipe, spec.name, number, attempt, self._operator, acknowledged
        )
        more = ((FILE, encode(self._plan)), (MARKER, msgspec.json.encode(marker).decode() + "\n"))
        job = JobSpec(told, f"{self._plan.id}: {spec.title}", self._operator, act.command, (*act.files, *more))
        site = self._supervisor.site
        status = await site.launch(host, job)
        made = self._keep(Attempt(number, attempt, host, status))  # from here on it may run, whatever is heard of it
        if status.state is JobState.UNKNOWN:
            made = self._keep(msgspec.structs.replace(made, status=await site.seal(host, told)))
        self._same.add((host, told))
        return made

    async def follow(self, attempt: Attempt) -> Attempt:
        """Follow a try to its end; one whose host has not been heard of for long is UNKNOWN."""
        return self._keep(msgspec.structs.replace(attempt, status=await self.follow_job(attempt.host, attempt.status)))

    async def follow_job(self, host: str, status: JobStatus) -> JobStatus:
        """The same of any job."""
        job, clock = (host, status.id), self._supervisor.site.clock
        task = self._supervisor.follow(*job)
        limit = max(OUT_OF_REACH, REAL_OUT_OF_REACH * self._supervisor.store.state.header.speed)
        lost_at: float | None = None
        while not (await asyncio.wait((task,), timeout=_LOOK))[0]:
            held = self._supervisor.store.state.job(*job)
            away = held is not None and held.status.state is JobState.UNKNOWN
            lost_at = (lost_at if lost_at is not None else clock.elapsed()) if away else None
            if lost_at is not None and clock.elapsed() - lost_at > limit:
                return _not_told(status)
        return msgspec.structs.replace(task.result(), command=status.command)

    async def seal(self, attempt: Attempt) -> Attempt:
        """Make sure that a try which has not started never will."""
        status = await self._supervisor.site.seal(attempt.host, attempt.status.id)
        return self._keep(msgspec.structs.replace(attempt, status=status))

    def _keep(self, attempt: Attempt) -> Attempt:
        key = (attempt.number, attempt.attempt, attempt.host)
        others = [each for each in self.attempts if (each.number, each.attempt, each.host) != key]
        self.attempts = sorted([*others, attempt], key=lambda each: (each.number, each.attempt))
        return attempt


def _not_told(status: JobStatus, state: JobState = JobState.UNKNOWN) -> JobStatus:
    if status.state.settled:
        return status
    return msgspec.structs.replace(status, state=state, rc=None, note="")


def _has_files(status: JobStatus) -> bool:
    return status.state not in (JobState.SEALED, JobState.ABSENT, JobState.UNKNOWN, JobState.ERROR)


def _marker(text: str) -> Marker:
    """What a job's directory says it is; of one that cannot be read, nothing."""
    try:
        return msgspec.json.decode(text, type=Marker)
    except msgspec.MsgspecError:
        return Marker("", "", "", "", 0, 0, "")
