"""The guided migration of a session, as screens know it: none yet, found on a host, or led step by step.

It says what is done now and why the last thing stopped. What a person is asked meanwhile is the approver's.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Protocol

from remote.errors import SiteError
from remote.jobs import Place
from supervision.filesystem import Choosing
from supervision.guide import Guide
from supervision.guide_found import FoundPlan, plans_on
from supervision.guide_running import Approver
from supervision.migration import Ending, StepState, StopError
from supervision.plan import Plan
from supervision.recipe import Act, GuidedStep, Recipe
from supervision.supervisor import Supervisor

_BEGUN = (
    StepState.DONE,
    StepState.FAILED,
    StepState.UNKNOWN,
    StepState.LAUNCHING,
    StepState.RUNNING,
    StepState.VERIFYING,
)


class Person(Approver, Protocol):
    """A person before a screen, who is asked."""

    def silent(self) -> AbstractContextManager[None]:
        """Ask nothing meanwhile: the answer is no."""


class Maker(Protocol):
    """Makes and keeps plans for the file system of a session; nothing of that changes a host."""

    @property
    def title(self) -> str:
        """What a plan of it does: `all metadata to the new SSDs`."""

    async def make(self, choosing: Choosing) -> tuple[Plan, tuple[str, ...]]:
        """A plan with the marked devices, or with those that it finds where none is; and what speaks against it.

        Raises SiteError, and StopError when none can be made.
        """

    async def keep(self, plan: Plan) -> str:
        """Write it into a file that was not there; its path. Raises OSError."""


class Leading:
    """The guide of a session, once there is a plan. Its methods raise nothing: `why` tells what stopped them."""

    def __init__(
        self,
        supervisor: Supervisor,
        recipe: Callable[[str], Recipe],
        person: Person,
        *,
        operator: str,
        maker: Maker | None = None,
    ) -> None:
        self._supervisor = supervisor
        self._recipe = recipe
        self.person = person
        self._operator = operator
        self.maker = maker
        self.guide: Guide | None = None
        self.found: tuple[FoundPlan, ...] = ()
        """Plans that were begun, as the entry host's jobs tell, the newest first."""
        self.warnings: tuple[str, ...] = ()
        """What speaks against the plan that was made here, but did not keep it from being made."""
        self.kept = ""
        """The file that has the plan, where this session wrote or read one."""
        self.doing = ""
        """What is done now, in a few words."""
        self.acting = False
        """Whether that is to change something."""
        self.why = ""
        """Why the last thing stopped; "" when it did not."""

    @property
    def current(self) -> int | None:
        """The step that a person should look at: the one that something is done with, else the next; None when done."""
        guide = self.guide
        if guide is None:
            return None
        busy = [number for number in guide.back if guide.status(number) in (StepState.RUNNING, StepState.LAUNCHING)]
        return busy[0] if busy else guide.next

    def number_of(self, step: GuidedStep) -> int:
        """The number of a step of the guide; 0 for any other."""
        steps = self.guide.steps if self.guide else {}
        return next((number for number, each in steps.items() if each.spec.name == step.spec.name), 0)

    @property
    def running(self) -> int | None:
        """The step whose command runs, or may."""
        states = (StepState.LAUNCHING, StepState.RUNNING)
        guide = self.guide
        return next((each for each in guide.steps if guide.status(each) in states), None) if guide else None

    @property
    def latest(self) -> int | None:
        """The last step of the recipe of which something was run, and that can be taken back."""
        guide = self.guide
        if guide is None:
            return None
        begun = [each for each in guide.forward if guide.steps[each].spec.acts and guide.status(each) in _BEGUN]
        return begun[-1] if begun and guide.undo_of(begun[-1]) else None

    @property
    def way_out(self) -> int | None:
        """The step that is the prepared way out when disks fill: the first one of the way back."""
        guide, latest = self.guide, self.latest
        first = guide.undo_of(latest)[0] if guide and latest is not None else None
        return first if guide and first is not None and guide.steps[first].spec.way_out else None

    @property
    def ending(self) -> Ending | None:
        """How it stands with the migration as a whole; None while nothing of it was run."""
        guide = self.guide
        if guide is None or not guide.jobs.attempts:
            return None
        if StepState.FAILED in [guide.status(each) for each in guide.steps]:
            return Ending.FAILED
        begun = [each for each in guide.forward if guide.steps[each].spec.acts and guide.status(each) in _BEGUN]
        whole = guide.next is None or not begun  # done, or all of it taken back
        return Ending.DONE if whole and self.running is None else Ending.UNKNOWN

    @property
    def left(self) -> Ending | None:
        """The same where this session worked on a step of it; None where it only looked how it stands."""
        return self.ending if self.guide and self.guide.results else None

    def act(self, number: int) -> Act | None:
        """What a step would run, as far as it can be told now; None for one that only looks. Raises ValueError."""
        guide = self.guide
        if guide is None:
            return None
        try:
            return guide.planned(number)
        except ValueError:  # what it rests on was not read yet: what the plan alone tells
            place = self._supervisor.store.state.places.get(guide.host) or Place("/JOBS", "")
            return guide.steps[number].draft(guide.plan, lambda name: place.file(guide.jobs.next_id(number)[0], name))

    async def look_for_plans(self, host: str) -> None:
        """Ask a host for plans that were begun."""
        async with self._at("looking for migrations that were begun"):
            self.found = await plans_on(self._supervisor, host)

    async def make(self, choosing: Choosing | None = None) -> None:
        """Make a plan, keep it in a file, and find where it stands."""
        maker = self.maker
        if maker is None:
            return
        async with self._at("making a plan: the cluster and the devices of its servers are looked at"):
            plan, warnings = await maker.make(choosing or Choosing())
            try:
                self.kept = await maker.keep(plan)
            except OSError as error:
                self.kept = ""
                warnings = (*warnings, f"the plan could not be written into a file: {error.strerror or error}")
            self.warnings = warnings
            await self._open(plan)

    async def open(self, plan: Plan, kept: str = "") -> None:
        """Go on with a plan: find where it stands."""
        async with self._at("finding where the migration stands"):
            self.kept = kept
            await self._open(plan)

    async def find(self) -> None:
        """Find again where it stands."""
        guide = self.guide
        if guide:
            async with self._at("finding where the migration stands"):
                await guide.find()

    async def check(self, number: int) -> None:
        """Ask anew and judge. The next step is brought up to where a person is asked: no command changes anything.

        What it wants saved is saved then, and a step that only looks is done when nothing speaks against it.
        """
        guide = self.guide
        if guide is None:
            return
        async with self._at(f"checking step {number}"):
            if number == guide.next and self._supervisor.site.armed:
                with self.person.silent():
                    await guide.run(number)
            else:
                await guide.check(number)

    async def run(self, number: int) -> None:
        """Bring a step to its end, if it is confirmed."""
        guide = self.guide
        if guide:
            async with self._at(f"step {number} is under way", acting=True):
                await guide.run(number)

    async def undo(self, number: int, *, first_alone: bool = False) -> None:
        """Take back everything up to and with a step, or the first of that alone."""
        guide = self.guide
        if guide:
            async with self._at("taking steps back", acting=True):
                await guide.undo(number, first_alone=first_alone)

    async def stop(self, number: int) -> None:
        """Tell the command of a step to end."""
        guide = self.guide
        if guide:
            try:
                await guide.stop(number)
            except SiteError as error:
                self.why = str(error)

    async def _open(self, plan: Plan) -> None:
        guide = Guide(self._supervisor, plan, self._recipe(plan.recipe), self._operator, self.person)
        await self._supervisor.site.place(guide.host)
        await guide.find()
        self.guide = guide

    @asynccontextmanager
    async def _at(self, doing: str, *, acting: bool = False) -> AsyncIterator[None]:
        self.doing, self.why, self.acting = doing, "", acting
        try:
            yield
        except (StopError, SiteError, ValueError) as error:
            self.why = str(error)
        finally:
            self.doing, self.acting = "", False
