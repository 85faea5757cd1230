"""One step of a guided migration brought to its end, and what is told of it meanwhile."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from remote.checked import Check, Outcome
from remote.errors import JobError
from remote.events import Checked
from remote.jobs import JobState, Place
from supervision.checking import stops
from supervision.guide_asking import Asking
from supervision.guide_jobs import Attempt, PlanJobs
from supervision.guide_saving import save
from supervision.guide_telling import Telling, told_of_log
from supervision.guide_truth import after_loss, how_to_find_out
from supervision.migration import Ending, StepState, StopError
from supervision.recipe import Act, GuidedStep, Happened
from supervision.supervisor import Supervisor

PROPAGATION_SECONDS = 240.0
"""How long other nodes may lag behind a change of the cluster's configuration."""
STALE_SECONDS = 30.0
"""How long a person may think before a command is confirmed (Site's clock) until its checks are made anew."""


class Approver(Protocol):
    """Who is asked before a command runs: a person before a screen, or words given beforehand."""

    async def acknowledge(self, step: GuidedStep, check: Check) -> bool:
        """Whether this one warning is taken note of, in the operator's name; those of a step are asked one by one."""

    async def confirm(self, step: GuidedStep, checks: tuple[Check, ...], act: Act) -> bool:
        """Whether this very command, with these files, is to run now. It is asked again when the files have changed."""


class StepRunner:
    """Brings single steps to their end; the guide says which."""

    def __init__(
        self,
        supervisor: Supervisor,
        steps: Mapping[int, GuidedStep],
        asking: Asking,
        jobs: PlanJobs,
        telling: Telling,
        approver: Approver,
        operator: str,
    ) -> None:
        self._operator = operator
        self._supervisor = supervisor
        self._steps = steps
        self._asking = asking
        self._jobs = jobs
        self._telling = telling
        self._approver = approver
        self._busy = False

    @contextmanager
    def alone(self) -> Iterator[None]:
        """One thing at a time: raise StopError while something else is done."""
        if self._busy:
            raise StopError(Ending.REFUSED, "the migration is at work on something else: let that end first")
        self._busy = True
        try:
            yield
        finally:
            self._busy = False

    async def bring(self, number: int, *, back: bool = False) -> bool:
        """Bring a step to its end; `back` is of one that takes back. False when it was not confirmed."""
        with self._telling.of_step(number):
            last = self._jobs.latest(number)
            self._telling.launched = last is not None and last.goes_on  # it may run although it cannot be asked for
            await self._asking.look_for_jobs()
            self._telling.launched = False
            last = self._jobs.latest(number)
            if last is not None and last.goes_on:
                return await self._ended(number, await self._follow(number, last))
            await self._jobs.read_logs()
            if last is not None or back:
                self._telling.tell(number, StepState.CHECKING, "what the cluster's tables tell")
                tells = self._asking.tables_tell(number, await self._asking.ask_tables())
                rc = last.status.rc if last else None
                if tells is Happened.YES or (tells is Happened.UNKNOWN and rc == 0):
                    return await self._prove(number, rc)
                if tells is Happened.UNKNOWN and last is not None:
                    raise StopError(Ending.UNKNOWN, f"{last.status.meaning}. {how_to_find_out(last)}")
            return await self._act(number)

    async def check(self, number: int) -> tuple[Check, ...]:
        """Ask anew and judge. What is done or runs stays so."""
        settled = self._telling.standings[number].state in (
            StepState.DONE,
            StepState.RUNNING,
            StepState.LAUNCHING,
            StepState.VERIFYING,
        )
        if not settled:
            self._telling.tell(number, StepState.CHECKING)
        if not self._steps[number].spec.acts:
            self._telling.command = "; ".join(each.text for each in self._asking.of_host(number))
        checks = await self._asking.checks(number)
        self._supervisor.journal.emit(Checked(self._supervisor.site.clock.now(), number, checks))
        if not settled:
            self._telling.judged(number)
        return checks

    def planned(self, number: int) -> Act | None:
        """What a step would run, by what is known now. Raises ValueError."""
        host = self._asking.host
        place = self._supervisor.store.state.places.get(host) or Place("/JOBS", "")
        return self._built(number, place)

    def _built(self, number: int, place: Place) -> Act | None:
        step, (told, _) = self._steps[number], self._jobs.next_id(number)
        if not step.spec.acts:
            return None
        return step.act(self._supervisor.store.state, self._asking.plan, lambda name: place.file(told, name))

    async def _act(self, number: int) -> bool:
        step, clock = self._steps[number], self._supervisor.site.clock
        confirmed: Act | None = None
        await self._save(number)
        while True:
            checks = await self.check(number)
            for warning in self._telling.to_acknowledge(number):
                if await self._approver.acknowledge(step, warning):
                    self._telling.acknowledge(number, warning.key)
            self._telling.must_be_ready(number, checks)
            act = self._built(number, await self._supervisor.site.place(self._asking.host))
            if act is None:
                return await self._prove(number, None)
            if act == confirmed:
                break
            self._telling.tell(number, StepState.READY, command=act.command.text)
            asked = clock.elapsed()
            if not await self._approver.confirm(step, checks, act):
                return False
            confirmed = act
            if clock.elapsed() - asked <= STALE_SECONDS:
                break
        return await self._launch(number, confirmed)

    async def _save(self, number: int) -> None:
        """Have saved what the step wants saved; where that fails, its checks say so."""
        step, place = self._steps[number], Place("", "")
        act = step.saves(self._asking.plan, lambda name: place.file("", name))
        if act is not None:
            self._telling.tell(number, StepState.CHECKING, f"{act.command.argv[0]} saves the configuration first")
            with contextlib.suppress(JobError):
                await save(
                    self._supervisor, self._jobs, self._asking.plan, number, step, self._asking.host, self._operator
                )

    async def _launch(self, number: int, act: Act) -> bool:
        text = act.command.text
        self._telling.tell(number, StepState.CONFIRMED, command=text)
        keys = tuple(check.key for check in self._telling.acknowledged(number))
        self._telling.tell(number, StepState.LAUNCHING, command=text)
        attempt = await self._jobs.launch(self._asking.host, number, act, keys)  # an error: nothing was run
        if attempt.status.state is JobState.SEALED:
            raise StopError(Ending.REFUSED, f"{attempt.host}: {text} was not started, and that job never will be")
        self._telling.launched = True
        return await self._ended(number, await self._follow(number, attempt))

    async def _follow(self, number: int, attempt: Attempt) -> Attempt:
        command = attempt.status.command
        self._telling.launched = True
        self._telling.tell(number, StepState.RUNNING, command=command, host=attempt.host)
        cadences = self._steps[number].meanwhile(self._asking.plan, attempt.host)
        polls = self._supervisor.watch(cadences)
        try:
            return await self._jobs.follow(attempt)
        finally:
            for poll in polls:
                poll.cancel()

    async def _ended(self, number: int, attempt: Attempt) -> bool:
        """What came of a job: proven, or StopError."""
        status = attempt.status
        where = f"{attempt.host}: {status.command or status.id}"
        if status.state is JobState.FINISHED:
            self._telling.rc = status.rc
            self._telling.tell(number, StepState.VERIFYING, command=status.command, host=attempt.host, rc=status.rc)
            if status.rc == 0:
                return await self._prove(number, 0)
            tells = self._asking.tables_tell(number, await self._asking.ask_tables())
            state = self._supervisor.store.state
            last = told_of_log(state, attempt.host, status.id)
            log = state.job_log(attempt.host, status.id)
            means = self._steps[number].explains(self._asking.plan, log.tail if log else ())
            text = f"{where} ended with exit code {status.rc}: {last}. {_although(tells)}".strip()
            raise StopError(Ending.FAILED, f"{text} {means}".strip())
        if not status.state.settled:
            raise StopError(Ending.UNKNOWN, f"{where}: {status.meaning}. {how_to_find_out(attempt)}")
        self._telling.tell(number, StepState.VERIFYING, command=status.command, host=attempt.host)
        tells = await self._tables_at_last(number)
        if tells is Happened.YES:
            return await self._prove(number, None, before=f"{status.meaning}; the tables show that it happened. ")
        if tells is Happened.UNKNOWN:
            raise StopError(Ending.UNKNOWN, f"{where}: {status.meaning}. {how_to_find_out(attempt)}")
        raise StopError(Ending.FAILED, f"{where}: {status.meaning}. {after_loss(tells)}")

    async def _tables_at_last(self, number: int) -> Happened:
        """What the tables tell, once they show that it happened, or have had the time to."""
        found = Happened.UNKNOWN

        async def ask() -> None:
            nonlocal found
            found = self._asking.tables_tell(number, await self._asking.ask_tables())

        await self._supervisor.until(lambda: found is Happened.YES, ask, PROPAGATION_SECONDS)
        return found

    async def _prove(self, number: int, rc: int | None, *, before: str = "") -> bool:
        """Read back what was promised; StopError unless it is so."""
        self._telling.tell(number, StepState.VERIFYING, command=self._telling.command, rc=rc)
        promised: tuple[Check, ...] = ()

        async def ask() -> None:
            nonlocal promised
            promised = await self._asking.promised(number)

        if self._steps[number].spec.acts:
            await self._supervisor.until(lambda: not stops(promised), ask, PROPAGATION_SECONDS)
        else:
            await ask()
        now = self._supervisor.site.clock.now()
        self._supervisor.journal.emit(Checked(now, number, promised, after=True))
        wrong = stops(promised)
        if wrong:
            blocks = any(check.outcome is Outcome.BLOCK for check in wrong)
            ending = Ending.FAILED if blocks else Ending.UNKNOWN
            text = "; ".join(f"{check.title}: {check.read}" for check in wrong)
            said = f"{self._steps[number].spec.name} ended with exit code 0, but " if rc == 0 else ""
            raise StopError(ending, f"{said}{text}. {wrong[0].advice}".strip())
        self._telling.warnings += [f"{check.title}: {check.read}" for check in promised if _warns(check)]
        detail = before + "; ".join(check.read for check in promised if check.read)
        if not self._steps[number].spec.acts:
            detail = "; ".join(part for part in (detail, self._telling.passed_text(number)) if part)
            self._telling.rc = 0
        self._telling.tell(number, StepState.DONE, detail, rc=rc)
        return True


def _warns(check: Check) -> bool:
    return check.outcome is Outcome.WARNING


def _although(tells: Happened) -> str:
    if tells is Happened.YES:
        return "The cluster's tables show that it happened all the same: run the step again to have that proven"
    if tells is Happened.PARTLY:
        return "The cluster's tables show that a part of it happened"
    return "" if tells is Happened.UNKNOWN else "The cluster's tables show that it did not happen"
