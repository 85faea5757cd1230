"""A guided migration walked from where it stands to its end, by words given beforehand: for automation and the demo.

Never a blanket yes: a step is confirmed by its name, a warning acknowledged by its key, and a block by nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container

from remote.checked import Check
from remote.errors import SiteError
from supervision.guide import Guide
from supervision.migration import Ending, StepResult, StepState, StopError, ending_of
from supervision.plan import Plan
from supervision.recipe import Act, GuidedStep, Recipe
from supervision.supervisor import Supervisor

_NOT_BEGUN = (StepState.WAITING, StepState.BLOCKED, StepState.READY, StepState.UNDONE)


class Given:
    """Yes to the steps that were named, and to the warnings whose keys were."""

    def __init__(self, steps: Container[str], keys: Container[str]) -> None:
        self._steps = steps
        self._keys = keys
        self.asked: list[str] = []
        """The steps that would have had to be confirmed."""

    async def acknowledge(self, step: GuidedStep, check: Check) -> bool:
        """Whether its key was named."""
        return check.key in self._keys

    async def confirm(self, step: GuidedStep, checks: tuple[Check, ...], act: Act) -> bool:
        """Whether its name was."""
        if step.spec.name in self._steps:
            return True
        self.asked.append(step.spec.name)
        return False


class Anything:
    """Contains everything: for a simulated cluster, which nobody can lose."""

    def __contains__(self, what: object) -> bool:
        return True


async def walk(guide: Guide, named: Container[str] | None = None) -> None:
    """Find where the migration stands and go on to its end, or to the first step that is not confirmed.

    A step that is not among those that are `named` is checked, and nothing of it is begun; None stands for all. Raises
    StopError when it must stop.
    """
    await guide.find()
    for number in guide.forward:
        if guide.status(number) is StepState.DONE:
            continue
        spec = guide.steps[number].spec
        unnamed = spec.acts and named is not None and spec.name not in named
        if unnamed and guide.status(number) in _NOT_BEGUN:
            await guide.check(number)
        elif await guide.run(number):
            continue
        raise StopError(Ending.REFUSED, f"step {number} ({spec.name}) was not confirmed: nothing of it was run")


class Walk:
    """A walk as a `supervision.migration.Migration`: the plan is made by `make` when it is first needed."""

    def __init__(
        self, supervisor: Supervisor, recipe: Recipe, make: Callable[[], Awaitable[Plan]], *, operator: str
    ) -> None:
        self._supervisor = supervisor
        self._recipe = recipe
        self._make = make
        self._operator = operator
        self.guide: Guide | None = None
        self.ending = Ending.UNKNOWN
        self.why = ""

    @property
    def title(self) -> str:
        """What it does, in some words."""
        return self._recipe.title

    @property
    def lines(self) -> tuple[str, ...]:
        """What happens, for whoever is to agree to it."""
        host, *others = self.hosts
        more = f"; {', '.join(others)}: looked at, and their disks are changed" if others else ""
        what = (
            "Leads through all steps with one confirmation. Each looks first, then runs its command as a detached job, "
            "then reads its result back. It stops by itself where anything is not as it must be."
        )
        if self.guide is None:
            return what, "The plan is being made: the SSDs are found by identity, and the stanza files written."
        return what, self.guide.plan.goal + ".", f"Every command runs on {host}{more}."

    @property
    def hosts(self) -> tuple[str, ...]:
        """The host of the commands, and those that are looked at."""
        first = self.guide.host if self.guide else self._supervisor.entry
        return tuple(dict.fromkeys((first, *self._supervisor.site.hosts)))

    @property
    def results(self) -> list[StepResult]:
        """What was done, step after step."""
        return self.guide.results if self.guide else []

    @property
    def warnings(self) -> list[str]:
        """What must be seen at the end."""
        return self.guide.warnings if self.guide else []

    async def prepare(self) -> None:
        """Make the plan, and find where it stands. Raises SiteError and StopError."""
        await self._guide()

    def commands(self) -> tuple[str, ...]:
        """Every command exactly as far as it is known; of one that cannot be built, why."""
        guide = self.guide
        if guide is None:
            return ()
        return tuple(text for number in guide.forward if (text := _planned(guide, number)))

    async def run(self) -> None:
        """Walk to the end. Raises StopError."""
        try:
            await walk(await self._guide())
        except StopError as stop:
            self.ending, self.why = stop.ending, str(stop)
            raise
        except SiteError as error:
            self.ending, self.why = ending_of(error), str(error)
            raise StopError(self.ending, self.why) from None
        self.ending = Ending.DONE

    async def _guide(self) -> Guide:
        if self.guide is None:
            plan = await self._make()
            approver = Given(Anything(), Anything())
            self.guide = Guide(self._supervisor, plan, self._recipe, self._operator, approver)
            await self._supervisor.site.place(self.guide.host)
        return self.guide


def _planned(guide: Guide, number: int) -> str:
    try:
        act = guide.planned(number)
    except ValueError as error:
        return f"{guide.steps[number].spec.name}: cannot be built: {error}"
    return act.command.text if act else ""
