"""How a migration runs: one step after another, each a detached job whose result is read back and compared.

A step that cannot be shown to have done what it promised is not done, whatever its exit code says.
"""

from __future__ import annotations

import contextlib
import getpass
import socket
from collections.abc import Awaitable, Callable, Sequence
from enum import Enum
from typing import Protocol

import msgspec

from remote.command import Command
from remote.errors import JobError, RefusedError, SiteError, UnreachableError
from remote.events import StepChanged
from remote.jobs import JobSpec, JobState, Place
from supervision.supervisor import Supervisor


class StepState(Enum):
    """How it stands with a step."""

    WAITING = "waiting"
    CHECKING = "checking"
    BLOCKED = "blocked"
    READY = "ready"
    CONFIRMED = "confirmed"
    LAUNCHING = "launching"
    RUNNING = "running"
    VERIFYING = "verifying"
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    UNDONE = "undone"


class Ending(Enum):
    """How a migration ended."""

    DONE = "done"
    FAILED = "failed"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"
    UNKNOWN = "unknown"


class StopError(Exception):
    """The migration must stop here: `ending` says how it stands, the text why and what to do."""

    def __init__(self, ending: Ending, why: str) -> None:
        self.ending = ending
        super().__init__(why)


class StepResult(msgspec.Struct, frozen=True):
    """What a step did. `seconds` are on the Site's clock; `rc` None means that it is not known."""

    name: str
    command: str
    host: str
    rc: int | None
    seconds: float


class Step(msgspec.Struct, frozen=True):
    """A step as it is shown before it runs."""

    name: str
    title: str


class Migration(Protocol):
    """A guided migration as a session carries it: what there is to say before it runs, and the running."""

    @property
    def title(self) -> str:
        """What it does, in some words: `all metadata to the new SSDs`."""

    @property
    def lines(self) -> tuple[str, ...]:
        """What happens, in paragraphs, for whoever is to agree to it."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """All hosts that it concerns, the one where its commands run first."""

    async def prepare(self) -> object:
        """Ask what `commands` has to know; nothing is changed. Raises SiteError."""

    def commands(self) -> tuple[str, ...]:
        """What will change something, in its order, each command exactly as far as it is known now."""

    async def run(self) -> object:
        """Perform it. Raises StopError when it had to stop; its steps have told why."""


async def perform(migration: Migration) -> None:
    """Run a migration to its end, whichever that is: its steps tell of it."""
    with contextlib.suppress(StopError):
        await migration.run()


class Run:
    """One run of a migration's steps. Tells the journal of each state, and keeps what was done."""

    def __init__(self, supervisor: Supervisor, steps: tuple[Step, ...], *, plan: str, operator: str) -> None:
        self.supervisor = supervisor
        self.steps = steps
        self.plan = plan
        self.operator = operator
        self.results: list[StepResult] = []
        self.ending = Ending.UNKNOWN
        self.why = ""
        self.warnings: list[str] = []
        self._number = 0
        self._rc: int | None = None
        self._command = ""
        self._launched = False

    @property
    def host(self) -> str:
        """The host on which the commands run."""
        return self.supervisor.entry

    @property
    def _now(self) -> float:
        return self.supervisor.site.clock.now()

    def complete(self) -> None:
        """All steps are done and verified."""
        self.ending = Ending.DONE

    def announce(self) -> None:
        """Show all steps as waiting."""
        for number, step in enumerate(self.steps, 1):
            self._tell(StepState.WAITING, number=number, title=step.title)

    async def step(self, action: Callable[[], Awaitable[str]]) -> None:
        """Run the next step; `action` returns in a line what is true now. Raises StopError when it must stop."""
        self._number += 1
        step = self.steps[self._number - 1]
        began = self.supervisor.site.clock.elapsed()
        self._rc, self._command, self._launched = None, "", False
        self.supervisor.journal.mark(self._now, f"step {self._number}: {step.name}")
        self._tell(StepState.CHECKING, detail=step.title)
        try:
            detail = await action()
        except StopError as stop:
            if self._launched and stop.ending in (Ending.REFUSED, Ending.UNREACHABLE):
                stop.ending = Ending.UNKNOWN  # something ran: it is not as if nothing had been done
            self._stopped(stop)
            raise
        except SiteError as error:
            ended = StopError(Ending.UNKNOWN if self._launched else ending_of(error), str(error))
            self._stopped(ended)
            raise ended from None
        else:
            self._rc = self._rc or 0
            self._tell(StepState.DONE, detail=detail)
        finally:
            seconds = self.supervisor.site.clock.elapsed() - began
            self.results.append(StepResult(step.name, self._command, self.host, self._rc, round(seconds, 1)))

    def asked(self, *commands: Command) -> None:
        """Note what a step without a job asks."""
        self._command = "; ".join(command.text for command in commands)

    async def place_of(self, name: str) -> str:
        """The path that a file attached to this step's job has on the host."""
        place = await self.supervisor.site.place(self.host)
        return place.file(self._job_id, name)

    @property
    def place_known(self) -> bool:
        """Whether the host has told where it keeps its jobs."""
        return self.host in self.supervisor.store.state.places

    def planned_path(self, step: str, name: str) -> str:
        """The path of a file that the job of a step by that name will have, as far as it is known now.

        `/JOBS` stands for the directory of jobs of a host that has not told where it is.
        """
        place = self.supervisor.store.state.places.get(self.host) or Place("/JOBS", "")
        return place.file(self.job_id(step), name)

    def job_id(self, step: str) -> str:
        """The id that the job of a step by that name has or will have."""
        return self._id_of(next(number for number, each in enumerate(self.steps, 1) if each.name == step))

    async def job(
        self, command: Command, files: tuple[tuple[str, str], ...] = (), *, well: Sequence[int] = (0,)
    ) -> str:
        """Run this step's command as a detached job to its end, and return the last lines of its log.

        An exit code that is none of `well` is a failure.
        The job's id comes from plan and step, so a second run of the same plan finds the job instead of running
        the command again.
        """
        step = self.steps[self._number - 1]
        self._command, self._rc = command.text, None
        spec = JobSpec(self._job_id, f"{self.plan}: {step.title}", self.operator, command, files)
        self._tell(StepState.RUNNING, command=command.text)
        log_path = await self._log_path()
        status = await self.supervisor.site.launch(self.host, spec)  # an error of it means that nothing was run
        self._launched = True
        if status.state is JobState.UNKNOWN:
            # nobody knows whether it started: seal it, and then it has or never will
            status = await self.supervisor.site.seal(self.host, spec.id)
        if status.state is JobState.SEALED:
            self._launched = False
            raise StopError(
                Ending.REFUSED, f"{self.host}: {command.text} was never started, and now it never will: begin anew"
            )
        status = await self.supervisor.follow(self.host, spec.id)
        log = self.supervisor.store.state.job_log(self.host, spec.id)
        text = "\n".join(log.tail) if log else ""
        if status.state is not JobState.FINISHED or status.rc is None:
            raise StopError(
                Ending.UNKNOWN,
                f"{self.host}: {command.text}: {status.meaning}. Look at the cluster's own tables before anything "
                f"is run again; `restripe show jobs {self.host}` tells of the job, its log is {log_path}",
            )
        self._rc = status.rc
        if status.rc not in well:
            told = log.scan.failures if log else ()
            last = " / ".join(told[-3:] or text.splitlines()[-5:])
            raise StopError(
                Ending.FAILED,
                f"{self.host}: {command.text} ended with exit code {status.rc}: {last or 'it printed nothing'}",
            )
        self._tell(StepState.VERIFYING, command=command.text, rc=status.rc)
        return text

    def warn(self, what: str) -> None:
        """Note something that does not stop the migration but must be seen at its end."""
        self.warnings.append(what)
        self.decide(f"WARNING: {what}")

    def decide(self, what: str) -> None:
        """Record what was decided, by whom."""
        self.supervisor.journal.decide(self._now, self.operator, what)

    async def _log_path(self) -> str:
        place = await self.supervisor.site.place(self.host)
        return f"{place.base}/{self._job_id}/log"

    @property
    def _job_id(self) -> str:
        return self._id_of(self._number)

    def _id_of(self, number: int) -> str:
        return f"{self.plan}-{number}-{self.steps[number - 1].name}-1"

    def _stopped(self, stop: StopError) -> None:
        self.ending, self.why = stop.ending, str(stop)
        state = {Ending.REFUSED: StepState.BLOCKED, Ending.FAILED: StepState.FAILED}
        self._tell(state.get(stop.ending, StepState.UNKNOWN), command=self._command, detail=str(stop), rc=self._rc)

    def _tell(
        self,
        state: StepState,
        *,
        number: int = 0,
        title: str = "",
        command: str = "",
        detail: str = "",
        rc: int | None = None,
    ) -> None:
        number = number or self._number
        step = self.steps[number - 1]
        self.supervisor.journal.emit(
            StepChanged(self._now, number, step.name, state.value, title or step.title, self.host, command, detail, rc)
        )


def ending_of(error: SiteError) -> Ending:
    """How a migration ends that an error of the far side stops before anything was launched."""
    if isinstance(error, UnreachableError):
        return Ending.UNREACHABLE
    if isinstance(error, RefusedError | JobError):
        return Ending.REFUSED
    return Ending.UNKNOWN


def operator_name() -> str:
    """Who sits here, as it is written into job directories and recordings: user@machine."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = "unknown"
    return f"{user}@{socket.gethostname()}"
