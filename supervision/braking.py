"""Carrying out a change of limits: planned anew on a fresh look, run as jobs, read back, and judged minutes later.

Works with whatever the file system plans; what is told to people comes back as an `Outcome`, and is in the state.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable

import msgspec

from remote.command import Command
from remote.errors import SiteError
from remote.events import Adopted, Answered, Event, JobChanged, JobsListed, ProcessChanged
from remote.jobs import JobSpec, JobState, JobStatus
from remote.text import name_part, one_line
from supervision.brake import Judged, Plan
from supervision.clocktext import time_of_day
from supervision.filesystem import FileSystem
from supervision.state import State
from supervision.supervisor import Supervisor

LOOKS = (95.0, 90.0)
"""Seconds (Site's clock) to the looks after a change that tell whether rates fell, each counted from the one before."""
RENEW = 300.0
"""Seconds between two signs of life for a schedule: several fit into what it waits for one."""
RULES = "restripe"
"""Who decides what the program does by its own rules."""
LOOKING, RESTORING, RENEWING = "brake: look", "brake: restore", "brake: renew"

Planner = Callable[[State], Plan]


class Outcome(msgspec.Struct, frozen=True):
    """What came of it, in words; `good` is that it was done and read back."""

    good: bool
    text: str


def new_job_id(fs: FileSystem, state: State, now: float, kind: str) -> str:
    """An id for a job that changes limits."""
    stamp = time_of_day(now, state.utc_offset).replace(":", "")
    return f"{name_part(fs.name)}-brake-{kind}-{stamp}-{secrets.token_hex(2)}"


async def change(supervisor: Supervisor, fs: FileSystem, planner: Planner, who: str, confirmed: str = "") -> Outcome:
    """Do what `planner` plans on a fresh look. `confirmed` is the text of what a person agreed to: nothing else is run.

    Raises nothing: what a host refused or did not answer is told in the outcome.
    """
    try:
        return await _change(supervisor, fs, planner, who, confirmed)
    except SiteError as error:
        return Outcome(False, str(error))


async def _change(supervisor: Supervisor, fs: FileSystem, planner: Planner, who: str, confirmed: str) -> Outcome:
    store, site = supervisor.store, supervisor.site
    await supervisor.ask(supervisor.entry, *fs.brake_questions())
    host = planner(store.state).host
    if host:  # a host that does not answer now is sent nothing, and its place is part of some commands
        await site.place(host)
    plan = planner(store.state)
    if plan.refused:
        return Outcome(False, f"refused: {plan.refused}")
    if confirmed and plan.text != confirmed:
        return Outcome(
            False, "nothing was sent: the settings are others than a moment ago. Look again, and confirm that"
        )
    supervisor.journal.decide(site.clock.now(), who, plan.what)
    if plan.stop:
        status = await site.stop(plan.host, plan.stop)
        supervisor.follow(plan.host, plan.stop)
        return Outcome(status.state is not JobState.ERROR, f"job {plan.stop}: {status.meaning}")
    for command, title in zip(plan.commands, plan.titles, strict=True):
        job_id = plan.job_id or new_job_id(fs, store.state, site.clock.now(), plan.kind)
        spec = JobSpec(job_id, title, who, command, plan.files)
        status = await _launch(supervisor, host, spec)
        if plan.lasts:
            supervisor.follow(host, job_id)
            going = status.state is JobState.RUNNING
            return Outcome(going, f"job {job_id}: {status.meaning}")
        status = await supervisor.follow(host, job_id)
        if status.rc != 0:
            return Outcome(False, _failed(store.state, host, command, status))
    await supervisor.ask(supervisor.entry, *fs.brake_questions())
    supervisor.start(LOOKING, look(supervisor, fs))
    return read_back(fs, store.state)


async def _launch(supervisor: Supervisor, host: str, spec: JobSpec) -> JobStatus:
    """Launch it; where nobody knows whether it started, make sure that it has or never will."""
    status = await supervisor.site.launch(host, spec)
    return await supervisor.site.seal(host, spec.id) if status.state is JobState.UNKNOWN else status


def _failed(state: State, host: str, command: Command, status: JobStatus) -> str:
    log = state.job_log(host, status.id)
    told = " / ".join(log.tail[-3:]) if log else ""
    how = status.meaning if status.rc is None else f"ended with exit code {status.rc}"
    return f"{host}: {command.text}: {how}{f': {told}' if told else ''}. See what holds now before anything else is set"


def read_back(fs: FileSystem, state: State) -> Outcome:
    """What holds after a change, by the file system's own word."""
    brake = fs.brake(state)
    if brake is None or brake.at is None:
        return Outcome(False, "it was sent, and what holds now is not known")
    if brake.held is None:
        return Outcome(True, "read back: the settings are those from before our first change")
    if brake.held.others or not brake.held.sure:
        return Outcome(False, f"read back: NOT as it was set: {brake.held.others or 'it is not known whether it was'}")
    return Outcome(True, f"read back as it was set: {brake.held.text}")


async def look(supervisor: Supervisor, fs: FileSystem) -> None:
    """Ask again when a change can be judged, and once more where it could not be then."""
    for seconds in LOOKS:
        await supervisor.site.clock.sleep(seconds)
        with contextlib.suppress(SiteError):  # it is in the state, with its age and its reason
            await supervisor.ask(supervisor.entry, *fs.brake_questions())
        brake = fs.brake(supervisor.store.state)
        if brake is None or brake.effect.judged is not Judged.WAITING:
            return


class Restoring:
    """Brings the earlier settings back when a scan ends that this session has seen running, and keeps schedules alive.

    Once for each end; what comes of it is recorded like a decision. Does nothing while the session is not armed.
    """

    def __init__(self, supervisor: Supervisor, fs: FileSystem) -> None:
        self._supervisor = supervisor
        self._fs = fs
        self._seen: set[tuple[str, str]] = set()
        """Scans that ran."""
        self.begun = 0
        """How often the earlier settings were to be brought back."""
        supervisor.store.listen(self._on_event)
        supervisor.start(RENEWING, self._renew())

    def _on_event(self, state: State, event: Event) -> None:
        if isinstance(event, JobChanged | JobsListed | Adopted):
            told = event.jobs if isinstance(event, JobsListed) else (event.status,)
            self._seen |= {(event.host, each.id) for each in told if self._runs(state, event.host, each)}
        elif not isinstance(event, Answered | ProcessChanged):
            return
        if not self._seen or not self._supervisor.site.armed or self._supervisor.runs(RESTORING):
            return
        if any((job := state.job(*key)) and not job.status.state.settled for key in self._seen):
            return
        brake = self._fs.brake(state)
        if brake is None or brake.held is None:
            self._seen.clear()  # they have ended, and nothing of ours is left
        elif brake.restore_due:
            self._seen.clear()
            self.begun += 1
            self._supervisor.start(RESTORING, self._restore())

    def _runs(self, state: State, host: str, status: JobStatus) -> bool:
        """Whether a job that was told of is a scan that has not ended."""
        job = None if status.state.settled else state.job(host, status.id)
        return job is not None and self._fs.is_scan(job)

    async def _restore(self) -> None:
        supervisor = self._supervisor
        outcome = await change(supervisor, self._fs, self._fs.release, RULES)
        what = "the scan has ended, and with it the brake" if outcome.good else "the scan has ended, but not the brake"
        supervisor.journal.decide(supervisor.site.clock.now(), RULES, one_line(f"{what}: {outcome.text}"))

    async def _renew(self) -> None:
        """Read what a schedule tells, and tell it that somebody watches, until nobody does."""
        supervisor = self._supervisor
        while True:
            brake = self._fs.brake(supervisor.store.state)
            held = brake.held if brake else None
            if held and held.schedule:
                supervisor.follow(held.host, held.job_id)
            if held and held.schedule and supervisor.site.armed:
                with contextlib.suppress(SiteError):  # a host that is away is told when it is back
                    await supervisor.site.renew(held.host, held.job_id)
            await supervisor.site.clock.sleep(max(RENEW, supervisor.store.state.header.speed))
