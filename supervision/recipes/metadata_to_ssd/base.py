"""What the steps of metadata-to-ssd share: how facts are read for a proof, and what a step answers unless it says more.

A fact counts once it was asked for late enough and was wholly understood.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

import msgspec

from remote.checked import Check, Outcome
from remote.gpfs import commands as gpfs
from remote.gpfs.models import DiskList, NsdDevices
from remote.gpfs.stanza import NsdStanza, nsd_stanzas, parse_stanzas
from remote.linux.commands import devices, lsblk, signatures
from remote.linux.host_time import host_time
from supervision import gpfs_preflight
from supervision.checking import missing
from supervision.gpfs_view import View
from supervision.plan import Plan
from supervision.recipe import Act, GuidedStep, Happened, PathOf, Questions, StepSpec
from supervision.state import State
from supervision.supervisor import Cadence

NEW_FILE = "ssd.stanza"
OLD_FILE = "dataonly.stanza"
BACK_FILE = "back.stanza"
LOOK_AT_DEVICES = (lsblk(), devices(), signatures(), gpfs.mmdevdiscover(), host_time())
"""What tells which device is which on a server, in one batch: a name is worth nothing in another moment."""

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


def told(key: str, title: str, wrong: Sequence[str], right: str, at: float | None, source: str) -> Check:
    """A check of what was read back: `wrong` is all that is not as promised, `right` what is true if nothing is."""
    if wrong:
        more = f"; and {len(wrong) - 4} more" if len(wrong) > 4 else ""
        return Check(
            key, title, Outcome.BLOCK, "; ".join(wrong[:4]) + more, "See what the log of its job says", at, source
        )
    return Check(key, title, Outcome.PASS, right, at=at, source=source)


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

    def questions(self, plan: Plan) -> Questions:
        """What its checks rest on; device names are asked of servers alone."""
        asked = gpfs_preflight.questions(self.SPEC.name, plan)
        of_server = {command.argv for command in LOOK_AT_DEVICES}
        host = tuple(command for command in asked if command.argv not in of_server)
        looks = any(command.argv in of_server for command in asked)
        return Questions(host, LOOK_AT_DEVICES if looks else (), boots=looks)

    def proof(self, plan: Plan) -> Questions:
        """Nothing: it promised nothing."""
        return Questions()

    def checks(self, state: State, plan: Plan, since: float) -> tuple[Check, ...]:
        """All that GPFS and the plan say for and against it."""
        return gpfs_preflight.checks(self.SPEC.name, view_of(state, plan), plan, since)

    def draft(self, plan: Plan, path: PathOf) -> Act | None:
        """Nothing."""
        return None

    def act(self, state: State, plan: Plan, path: PathOf) -> Act | None:
        """Nothing."""
        return None

    def promised(self, state: State, plan: Plan, since: float) -> tuple[Check, ...]:
        """What was read back; UNKNOWN where it could not be."""
        try:
            return self.proven(view_of(state, plan), plan, since)
        except UnreadError as error:
            return (missing(f"{self.SPEC.name}-read", "What it did can be read back", str(error)),)

    def proven(self, view: View, plan: Plan, since: float) -> tuple[Check, ...]:
        """What was read back. Raises UnreadError."""
        return ()

    def happened(self, state: State, plan: Plan, since: float) -> Happened:
        """What the tables tell of it."""
        try:
            return self.told(view_of(state, plan), plan, since)
        except UnreadError:
            return Happened.UNKNOWN

    def told(self, view: View, plan: Plan, since: float) -> Happened:
        """What the tables tell of it. Raises UnreadError."""
        return Happened.NO

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
