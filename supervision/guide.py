"""A migration led step by step: ask, check, run as a detached job, read back; and stop, go on, and go back.

Nothing about a migration is kept here: where it stands is found in the job directories on the hosts and in the
cluster's own tables, after a crash and on another machine as well.
"""

from __future__ import annotations

from remote.checked import Check
from remote.errors import SiteError
from remote.jobs import JobState
from supervision.guide_asking import Asking
from supervision.guide_jobs import PlanJobs
from supervision.guide_running import Approver, StepRunner
from supervision.guide_telling import Telling, stop_error
from supervision.guide_truth import Standing, looks_done, standing, was_undone
from supervision.migration import Ending, StepResult, StepState, StopError
from supervision.plan import Plan
from supervision.recipe import Act, GuidedStep, Recipe
from supervision.supervisor import Supervisor

__all__ = ["Approver", "Guide"]


class Guide:
    """One migration of a plan. Its methods tell each state as StepChanged; one of them runs at a time.

    Steps are numbered from 1 as the recipe has them; those that take steps back follow, each once.
    """

    def __init__(self, supervisor: Supervisor, plan: Plan, recipe: Recipe, operator: str, approver: Approver) -> None:
        self.plan = plan
        self.recipe = recipe
        self.operator = operator
        self._supervisor = supervisor
        ahead = recipe.steps(plan)
        self.forward = tuple(range(1, len(ahead) + 1))
        """The numbers of the recipe's own steps, in order."""
        self.steps: dict[int, GuidedStep] = numbered(ahead)
        """All steps by number: those of the recipe, then those that take steps back."""
        self.jobs = PlanJobs(supervisor, plan, self.steps, operator)
        """Its jobs on all hosts."""
        self._asking = Asking(supervisor, plan, recipe, self.steps, self.jobs)
        self._telling = Telling(supervisor, self.steps, operator, lambda: self._asking.host)
        self._runner = StepRunner(supervisor, self.steps, self._asking, self.jobs, self._telling, approver, operator)

    @property
    def host(self) -> str:
        """Where commands run: the plan's host, or the one to which they were moved."""
        return self._asking.host

    @property
    def results(self) -> list[StepResult]:
        """What was done in this session, step after step."""
        return self._telling.results

    @property
    def warnings(self) -> list[str]:
        """What was read back and does not stop the migration, but must be seen at its end."""
        return self._telling.warnings

    @property
    def back(self) -> tuple[int, ...]:
        """The numbers of the steps that take steps back."""
        return tuple(number for number in self.steps if number not in self.forward)

    def status(self, number: int) -> StepState:
        """How it stands with a step; WAITING before `find`."""
        return self._telling.standings[number].state

    @property
    def next(self) -> int | None:
        """The first of the recipe's steps that is not done; None when all are."""
        return next((number for number in self.forward if self.status(number) is not StepState.DONE), None)

    def checks(self, number: int) -> tuple[Check, ...]:
        """What the last check of a step said."""
        told = self._supervisor.store.state.checked.get(number)
        return told.checks if told else ()

    def to_acknowledge(self, number: int) -> tuple[Check, ...]:
        """The warnings of a step's last check that nobody has acknowledged."""
        return self._telling.to_acknowledge(number)

    def undo_of(self, number: int) -> tuple[int, ...]:
        """The steps that take back everything up to and with step `number`, in order; () where there is none."""
        names = [each.spec.name for each in self.steps[number].undo]
        numbers = {self.steps[each].spec.name: each for each in self.back}
        return tuple(numbers[name] for name in names)

    def planned(self, number: int) -> Act | None:
        """What a step would run, by what is known now; None for one that only looks. Raises ValueError."""
        return self._runner.planned(number)

    async def find(self) -> None:
        """Find where the migration stands. Follows nothing and changes nothing. Raises SiteError and StopError."""
        with self._runner.alone():
            await self._find()

    async def check(self, number: int) -> tuple[Check, ...]:
        """Ask anew and judge: the step is then BLOCKED or READY. Raises SiteError."""
        with self._runner.alone():
            return await self._runner.check(number)

    def acknowledge(self, number: int, key: str) -> None:
        """Note that the operator has seen a warning. Raises ValueError for what is no warning of the step."""
        self._telling.acknowledge(number, key)

    async def run(self, number: int) -> bool:
        """Bring a step to its end: follow its job where there is one, else check, confirm, launch, follow, prove.

        False when it was not confirmed. Raises StopError when it must stop; the step's state tells the same.
        """
        if number not in self.forward:
            raise ValueError(f"{number} is no step of the recipe")
        with self._runner.alone():
            self._nothing_else_runs(number)
            before = [each for each in self.forward if each < number and self.status(each) is not StepState.DONE]
            if before:
                name = self.steps[before[0]].spec.name
                raise StopError(Ending.REFUSED, f"step {before[0]} ({name}) is not done, so step {number} cannot begin")
            return await self._runner.bring(number)

    async def undo(self, number: int, *, first_alone: bool = False, stop_first: bool = False) -> bool:
        """Run the steps of `undo_of`, or the first of them alone. What is taken back is UNDONE then. As `run`.

        With `stop_first` a command of the plan that moves data, and runs, is told to end and waited for before.
        """
        steps = self.undo_of(number)
        if not steps:
            raise ValueError(f"step {number} has nothing that could be taken back")
        with self._runner.alone():
            if stop_first:
                await self._stop_what_moves()
            for each in steps[:1] if first_alone else steps:
                self._nothing_else_runs(each)
                if not await self._runner.bring(each, back=True):
                    return False
                self._stand(await self._asking.ask_tables())  # what it took back is not done any more
            return True

    async def stop(self, number: int) -> None:
        """Tell the command of a step to end, where that may be done half-way; whoever follows it learns of its end.

        Raises SiteError; RefusedError for a command that changes the configuration.
        """
        attempt = self.jobs.latest(number)
        if attempt is not None:
            await self._supervisor.site.stop(attempt.host, attempt.status.id)

    async def _stop_what_moves(self) -> None:
        going = [each for each in self.jobs.attempts if each.number in self.forward and each.goes_on]
        for attempt in [each for each in going if each.status.interruptible]:
            try:
                await self.stop(attempt.number)
            except SiteError as error:
                raise stop_error(error, launched=True) from None
            await self.jobs.follow(attempt)

    async def move(self, host: str) -> None:
        """Let commands run on another host from now on. Raises StopError while a job may still run on the first."""
        with self._runner.alone():
            if host == self.host:
                return
            try:
                await self._asking.leave(host)
            except SiteError as error:
                raise stop_error(error) from None
            await self._find()

    async def _find(self) -> None:
        if self._supervisor.fs != self.plan.file_system:
            text = f"the plan is for {self.plan.file_system}, and this session watches {self._supervisor.fs}"
            raise StopError(Ending.REFUSED, text)
        try:
            await self._asking.look_for_jobs()
            newest = max(self.jobs.attempts, key=lambda each: each.status.began or 0.0, default=None)
            if newest is not None and not self._asking.moved and newest.host not in self.jobs.unreached:
                self._asking.host = newest.host
            known = len(self._supervisor.site.hosts)
            since = await self._asking.ask_tables()
            if len(self._supervisor.site.hosts) > known:  # the tables told of more hosts that may have jobs
                before = list(self.jobs.attempts)
                await self._asking.look_for_jobs()
                if self.jobs.attempts != before:  # tables must be later than the jobs that they are to confirm
                    since = await self._asking.ask_tables()
            await self.jobs.read_logs()
        except SiteError as error:
            raise stop_error(error, more=f". If {self.host} is gone, go on from another host of the cluster") from None
        self._stand(since)

    def _stand(self, since: float) -> None:
        """Conclude how it stands with every step, and tell of it."""
        back = [each for number in self.back for each in self.jobs.of(number)]
        found: dict[int, Standing] = {}
        for number, step in self.steps.items():
            if step.spec.acts:
                latest, tells = self.jobs.latest(number), self._asking.tables_tell(number, since)
                going_back = number in self.back
                undone = not going_back and was_undone(latest, back)
                found[number] = standing(latest, tells, back=going_back, undone=undone)
        begun = {each.number for each in self.jobs.attempts if each.status.state is not JobState.SEALED}
        for number in self.forward:
            held = self._telling.standings[number]
            if number not in found:
                over = looks_done(number, self.forward, found, begun) and held.state is not StepState.DONE
                found[number] = Standing(StepState.DONE) if over else held
        for number in self.steps:
            if found[number].state is not self.status(number) or number not in self._supervisor.store.state.steps:
                self._telling.stands(number, found[number], always=number in self.forward)

    def _nothing_else_runs(self, number: int) -> None:
        for attempt in self.jobs.attempts:
            other = attempt.number != number and self.jobs.latest(attempt.number) is attempt and attempt.goes_on
            if other and self.status(attempt.number) is not StepState.DONE:
                name, what = self.steps[attempt.number].spec.name, attempt.status.meaning
                raise StopError(
                    Ending.REFUSED,
                    f"{name}: {what} (job {attempt.status.id} on {attempt.host}); nothing else runs then",
                )


def numbered(ahead: tuple[GuidedStep, ...]) -> dict[int, GuidedStep]:
    """All steps by number: those of the recipe from 1, then those that take steps back."""
    return {**dict(enumerate(ahead, 1)), **_backwards(ahead)}


def _backwards(ahead: tuple[GuidedStep, ...]) -> dict[int, GuidedStep]:
    """The steps that take steps back, by the numbers after the recipe's own: the longest way back, in its order."""
    found: dict[str, GuidedStep] = {}
    for step in sorted(ahead, key=lambda each: -len(each.undo)):
        for each in step.undo:
            found.setdefault(each.spec.name, each)
    return dict(enumerate(found.values(), len(ahead) + 1))
