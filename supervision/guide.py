"""A migration led step by step: ask, check, run as a detached job, read back, and be able to stop, go on and go back.

Nothing about a migration is kept here: where it stands is found in the job directories on the hosts and in the cluster's
own tables, after a crash and on another machine as well.
"""

from __future__ import annotations

from typing import Protocol

from remote.checked import Check
from supervision.migration import StepState
from supervision.plan import Plan
from supervision.recipe import Act, GuidedStep, Recipe
from supervision.supervisor import Supervisor


class Approver(Protocol):
    """Who is asked before a command runs: a person before a screen, or words given beforehand."""

    async def confirm(self, step: GuidedStep, checks: tuple[Check, ...], act: Act) -> bool:
        """Whether this very command, with these files, is to run now. It is asked again when the files have changed."""


class Guide:
    """One migration of a plan. Its methods tell each state as StepChanged; one of them runs at a time.

    Steps are numbered from 1 as the recipe has them; those that take steps back follow, each once.
    """

    def __init__(self, supervisor: Supervisor, plan: Plan, recipe: Recipe, operator: str, approver: Approver) -> None:
        raise NotImplementedError

    @property
    def steps(self) -> dict[int, GuidedStep]:
        """All steps by number: those of the recipe, then those that take steps back."""
        raise NotImplementedError

    @property
    def forward(self) -> tuple[int, ...]:
        """The numbers of the recipe's own steps, in order."""
        raise NotImplementedError

    @property
    def host(self) -> str:
        """Where commands run: the plan's host, until `move`."""
        raise NotImplementedError

    def status(self, number: int) -> StepState:
        """How it stands with a step; WAITING before `find`."""
        raise NotImplementedError

    @property
    def next(self) -> int | None:
        """The first of the recipe's steps that is not done; None when all are."""
        raise NotImplementedError

    def to_acknowledge(self, number: int) -> tuple[Check, ...]:
        """The warnings of a step's last check that nobody has acknowledged."""
        raise NotImplementedError

    def undo_of(self, number: int) -> tuple[int, ...]:
        """The steps that take back everything up to and with step `number`, in order; () where there is none."""
        raise NotImplementedError

    def planned(self, number: int) -> Act | None:
        """What a step would run, by what is known now; None for one that only looks. Raises ValueError."""
        raise NotImplementedError

    async def find(self) -> None:
        """Find where the migration stands. Follows nothing and changes nothing. Raises SiteError and StopError."""
        raise NotImplementedError

    async def check(self, number: int) -> tuple[Check, ...]:
        """Ask anew and judge: the step is then BLOCKED or READY. Raises SiteError."""
        raise NotImplementedError

    def acknowledge(self, number: int, key: str) -> None:
        """Note that the operator has seen a warning. Raises ValueError for what is no warning of the step."""
        raise NotImplementedError

    async def run(self, number: int) -> bool:
        """Bring a step to its end: follow its job where there is one, else check, confirm, launch, follow, prove.

        False when it was not confirmed. Raises StopError when it must stop; the step's state tells the same.
        """
        raise NotImplementedError

    async def undo(self, number: int, *, first_alone: bool = False) -> bool:
        """Run the steps of `undo_of`, or the first of them alone. What is taken back is UNDONE then. As `run`."""
        raise NotImplementedError

    async def move(self, host: str) -> None:
        """Let commands run on another host from now on. Raises StopError while a job may still run on the first."""
        raise NotImplementedError
