"""What the steps of metadata-to-ssd share: how facts are read for a proof, and what a step answers unless it says more.

A fact counts once it was asked for late enough and was wholly understood.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

import msgspec

from remote.checked import Check
from remote.gpfs.models import DiskList, NsdDevices
from remote.gpfs.refusals import understood
from remote.gpfs.stanza import NsdStanza, nsd_stanzas, parse_stanzas
from supervision import gpfs_preflight
from supervision.gpfs_preflight_saved import snap_offer
from supervision.gpfs_view import View
from supervision.plan import Plan
from supervision.recipe import Act, GuidedStep, Happened, PathOf, Questions, StepSpec
from supervision.state import State
from supervision.supervisor import Cadence

NEW_FILE = "ssd.stanza"
OLD_FILE = "dataonly.stanza"
BACK_FILE = "back.stanza"

T = TypeVar("T")


class UnreadError(Exception):
    """A fact that a conclusion rests on is not known; the text says why."""


def view_of(state: State, plan: Plan) -> View:
    """What is known of the plan's file system."""
    return View(state, plan.file_system, ())


def need(view: View, kind: type[T], since: float, host: str = "") -> T:
    """A fact that was asked for at `since` or later, and was wholly understood. Raises UnreadError."""
    fact, model = view.facts.fact(kind, host), view.facts.get(kind, host)
    if fact is None or fact.parsed is None or model is None:
        raise UnreadError(f"{fact.command}: {fact.failure}" if fact else f"nothing is known of {kind.__name__} {host}")
    if fact.failed_at > fact.at or fact.at < since:
        raise UnreadError(f"{fact.command}: the last good answer is too old. {fact.failure}".strip())
    if fact.parsed.problems:
        problem = fact.parsed.problems[0]
        raise UnreadError(f"{fact.command}: line {problem.line} was not understood ({problem.why}): {problem.text}")
    return model


def some(found: Sequence[bool]) -> Happened:
    """What it means that some of the parts of a step happened."""
    if all(found):
        return Happened.YES
    return Happened.PARTLY if any(found) else Happened.NO


def stanzas_in(text: str) -> tuple[NsdStanza, ...]:
    """The NSD stanzas of a plan's text. Raises ValueError unless all of it was understood."""
    parsed = parse_stanzas(text)
    found = nsd_stanzas(parsed.model)
    for problem in (*parsed.problems, *found.problems):
        raise ValueError(f"line {problem.line} of the plan's stanzas: {problem.why}")
    return found.model


def new_stanzas(plan: Plan) -> tuple[NsdStanza, ...]:
    """The stanzas of the new disks, without the names that devices had when the plan was made."""
    return tuple(msgspec.structs.replace(stanza, device="") for stanza in stanzas_in(plan.stanzas.new))


class GpfsStep:
    """A step that only looks, unless its class says more."""

    SPEC: ClassVar[StepSpec]

    def __init__(self, undo: tuple[GuidedStep, ...] = ()) -> None:
        self._undo = undo

    @property
    def spec(self) -> StepSpec:
        """The step in words."""
        return self.SPEC

    @property
    def undo(self) -> tuple[GuidedStep, ...]:
        """What takes back everything up to here, in order."""
        return self._undo

    def questions(self, state: State, plan: Plan) -> Questions:
        """What its checks rest on, as GPFS's rules have it."""
        name = self.SPEC.name
        return Questions(
            gpfs_preflight.questions(name, plan, view_of(state, plan)),
            gpfs_preflight.server_questions(name),
            boots=gpfs_preflight.needs_boots(name),
        )

    def proof(self, state: State, plan: Plan) -> Questions:
        """What its promise rests on: the same, but for what the servers tell of anything other than devices."""
        if not self.SPEC.acts:
            return Questions()
        asked = self.questions(state, plan)
        return asked if asked.boots else Questions(asked.host)

    def checks(self, state: State, plan: Plan, since: float) -> tuple[Check, ...]:
        """All that GPFS and the plan say for and against it."""
        return gpfs_preflight.checks(self.SPEC.name, view_of(state, plan), plan, since)

    def saves(self, plan: Plan, path: PathOf) -> Act | None:
        """Nothing."""
        return None

    def draft(self, plan: Plan, path: PathOf) -> Act | None:
        """Nothing."""
        return None

    def act(self, state: State, plan: Plan, path: PathOf) -> Act | None:
        """Nothing."""
        return None

    def promised(self, state: State, plan: Plan, since: float) -> tuple[Check, ...]:
        """What was read back."""
        return gpfs_preflight.promised(self.SPEC.name, view_of(state, plan), plan, since)

    def happened(self, state: State, plan: Plan, since: float) -> Happened:
        """What the tables tell of it."""
        try:
            return self.told(view_of(state, plan), plan, since)
        except UnreadError:
            return Happened.UNKNOWN

    def told(self, view: View, plan: Plan, since: float) -> Happened:
        """What the tables tell of it. Raises UnreadError."""
        return Happened.NO

    def explains(self, plan: Plan, lines: Sequence[str]) -> str:
        """Refusals of GPFS that are known, and gpfs.snap, which is offered and never run."""
        told = [f"That means: {each.says}. {each.advice}." for each in understood(lines)]
        return " ".join((*told, f"{snap_offer(plan)}."))

    def meanwhile(self, plan: Plan, host: str) -> tuple[Cadence, ...]:
        """Nothing."""
        return ()


def of_file_system(view: View, plan: Plan, since: float) -> list[bool]:
    """Of each new disk, whether it is part of the file system. Raises UnreadError."""
    disks = need(view, DiskList, since)
    return [disks.get(device.nsd) is not None for device in plan.devices]


def nsds_there(view: View, plan: Plan, since: float) -> list[bool]:
    """Of each new disk, whether there is an NSD of its name. Raises UnreadError."""
    names = {row.nsd for row in need(view, NsdDevices, since).rows}
    return [device.nsd in names for device in plan.devices]
