"""What a guided migration is made of: steps that say what they need, what they run, and how it is proven. No running.

A recipe is data and pure functions; `supervision.guide` asks, launches, follows and tells. Times are the Site's clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Protocol

import msgspec

from remote.command import Command
from supervision.checking import Check
from supervision.plan import Plan
from supervision.state import State
from supervision.supervisor import Cadence

PathOf = Callable[[str], str]
"""The path on the job's host that a file of that name has, which is attached to the job."""


class StepSpec(msgspec.Struct, frozen=True):
    """A step in words. `name` goes into job ids ([a-z0-9-]); `title` says in a few words what is done.

    `why` are two sentences on what it is for, `after` what is true when it is done, `takes` how long it may take,
    `undo` how it is taken back ("" where it changes nothing), `no_return` from where on that is not possible any more
    or costs more than a command ("" where there is no such point). `acts` is False of a step that only looks;
    `way_out` is True of one that takes back and is worth running alone, when new disks fill. `tells` are the keys of
    the checks whose text says what it found.
    """

    name: str
    title: str
    why: str
    after: str
    takes: str = ""
    undo: str = ""
    no_return: str = ""
    acts: bool = True
    way_out: bool = False
    tells: tuple[str, ...] = ()


class Act(msgspec.Struct, frozen=True):
    """The one command of a step, exactly, and its files as (name, content), which lie beside its job."""

    command: Command
    files: tuple[tuple[str, str], ...] = ()


class Questions(msgspec.Struct, frozen=True):
    """What must be asked: `host` of the host of the jobs, `servers` of every server of the plan, in one batch each.

    With `boots` every server is also asked in which boot it is: names of devices mean something in one boot alone.
    """

    host: tuple[Command, ...] = ()
    servers: tuple[Command, ...] = ()
    boots: bool = False


class Happened(Enum):
    """What the cluster's own tables tell of a step, whatever became of its job.

    `PARTLY`: some of it, such as three of six NSDs. `UNKNOWN`: they were not read, not understood, or are too old.
    """

    NO = "no"
    PARTLY = "partly"
    YES = "yes"
    UNKNOWN = "unknown"


class GuidedStep(Protocol):
    """A step of a recipe, or one that takes steps back. Pure: the same state and plan give the same answers."""

    @property
    def spec(self) -> StepSpec:
        """The step in words."""

    @property
    def undo(self) -> tuple[GuidedStep, ...]:
        """The steps that lead from here to where the recipe began, in the order in which they run. The first one alone
        may be worth running.
        """

    def questions(self, state: State, plan: Plan) -> Questions:
        """What `checks` and `act` rest on."""

    def proof(self, state: State, plan: Plan) -> Questions:
        """What `promised` rests on."""

    def checks(self, state: State, plan: Plan, since: float) -> tuple[Check, ...]:
        """What speaks for and against it now; what was asked before `since` passes nothing."""

    def saves(self, plan: Plan, path: PathOf) -> Act | None:
        """A job that only writes a file beside itself and must have run before the step's checks; None for most."""

    def draft(self, plan: Plan, path: PathOf) -> Act | None:
        """What it runs as far as the plan alone tells: to be read, never to be run. None for a step that only looks.

        Raises ValueError as `act`.
        """

    def act(self, state: State, plan: Plan, path: PathOf) -> Act | None:
        """What it runs; None for a step that only looks. Of names of devices those of the last look.

        Raises ValueError, whose text says why, when it cannot be built.
        """

    def promised(self, state: State, plan: Plan, since: float) -> tuple[Check, ...]:
        """Whether what was promised is so, as it was read after `since`. Exit code 0 is no part of it."""

    def happened(self, state: State, plan: Plan, since: float) -> Happened:
        """What the tables tell of it. NO for a step that only looks."""

    def explains(self, plan: Plan, lines: Sequence[str]) -> str:
        """What the words of a command that failed mean, what to do, and what to collect for support."""

    def meanwhile(self, plan: Plan, host: str) -> tuple[Cadence, ...]:
        """What is asked while its command runs."""


class Recipe(Protocol):
    """A guided migration."""

    @property
    def name(self) -> str:
        """As plans and commands call it: `metadata-to-ssd`."""

    @property
    def title(self) -> str:
        """What it does, in some words: `all metadata to the new SSDs`."""

    def steps(self, plan: Plan) -> tuple[GuidedStep, ...]:
        """Its steps in order. Steps with one name in their `undo` are one and the same."""

    def hosts(self, state: State, plan: Plan) -> tuple[str, ...]:
        """The hosts that are the servers of the plan, as they are reached in this session."""

    def tables(self, plan: Plan) -> tuple[Command, ...]:
        """What the host of the jobs is asked for `happened` of all steps, and for `hosts`: the cluster's own tables."""

    def down_questions(self, plan: Plan) -> tuple[Command, ...]:
        """What another host than that of the jobs is asked for `is_down`, besides `tables`."""

    def is_down(self, state: State, plan: Plan, host: str, since: float) -> Check:
        """Whether the cluster says that a host which cannot be reached does not take part any more: PASS when so."""
