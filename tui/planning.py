"""`restripe plan`: a plan made from what a cluster tells, or shown as a runbook. It only asks, overwrites nothing."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path

import msgspec

from remote.errors import SiteError, UnreachableError
from remote.text import one_line, safe
from supervision import footprint, recipes
from supervision.checking import Outcome
from supervision.filesystems import Sites
from supervision.footprint import Assumptions
from supervision.gpfs_planning import Planned, PlanningError, Wish, make
from supervision.gpfs_selection import PATTERN
from supervision.migration import operator_name
from supervision.plan import LARGEST, Plan, PlanError, decode, encode
from supervision.runbook import runbook
from tui.connecting import Target, look
from tui.exits import Exit
from tui.newfile import is_there, write_new
from tui.tables import table

_WORDS = {Outcome.PASS: "ok", Outcome.NOTE: "note", Outcome.WARNING: "WARNING"}


async def run(target: Target, fs: str, wish: Wish, output: Path | None, *, sites: Sites) -> Exit:
    """Make a plan and write it, to stdout where no file is named."""
    if output and is_there(output):
        return _say(f"{output} is there already: a plan is never overwritten", Exit.USAGE)
    try:
        async with look(target, fs) as supervisor:
            planned = await make(supervisor, wish, by=operator_name(), sites=sites)
    except UnreachableError as error:
        return _say(str(error), Exit.UNREACHABLE)
    except SiteError as error:
        return _say(str(error), Exit.UNKNOWN)
    except PlanningError as error:
        return _say(f"no plan: {error}", Exit.UNKNOWN if error.unread else Exit.REFUSED)
    except ValueError as error:  # a name that no command may be built of
        return _say(str(error), Exit.USAGE)
    try:
        text = encode(planned.plan)
    except PlanError as error:
        return _say(f"no plan: {error}", Exit.REFUSED)
    if output:
        try:
            write_new(output, text)
        except OSError as error:
            return _say(f"{output}: {error.strerror or error}", Exit.FAILED)
    else:
        sys.stdout.write(text)
    where = str(output) if output else "the plan is on stdout"
    sys.stderr.write("".join(f"{safe(line)}\n" for line in summary(planned, where)))
    warned = planned.warnings or any(check.outcome is Outcome.WARNING for check in planned.checks)
    return Exit.WARNINGS if warned else Exit.DONE


def summary(planned: Planned, where: str) -> list[str]:
    """What a person wants to know at once: the devices, the size, what to beware of, and how to go on."""
    plan = planned.plan
    rows = [(d.nsd, ",".join(d.servers), d.failure_group, d.at[0].name, d.model, d.identity) for d in plan.devices]
    told = [f"{plan.id}: {plan.goal}", ""]
    told += table(("new NSD", "servers", "group", "now called", "model", "identity"), rows)
    told += ["", "The metadata, in KB of all copies:"]
    told += table(
        ("term", "low", "plan", "high"),
        [row[:1] + row[2:] for row in footprint.table(planned.footprint)],
        right=(1, 2, 3),
    )
    for check in planned.checks:
        told += _wrapped(f"{_WORDS.get(check.outcome, check.outcome.value)}: {check.title}: {check.read}")
    for warning in planned.warnings:
        told += _wrapped(f"WARNING: {warning}")
    told += ["", f"Written: {where}. Nothing was changed.", f"Read it as a runbook: restripe plan --show {where}"]
    return told if where != "the plan is on stdout" else told[:-1]


class UsageError(ValueError):
    """Options that cannot be meant; the text says which and why."""


class Asked(msgspec.Struct, frozen=True):
    """The options of a plan as they were typed."""

    devices: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    nodes: str = ""
    names: str = ""
    metadata_only: bool = False
    assumed: tuple[str, ...] = ()


def wish(asked: Asked) -> Wish:
    """What options mean. Raises UsageError."""
    made = Wish(
        devices=asked.devices,
        groups=dict(map(_pair, asked.groups)),
        nodes=tuple(node for node in asked.nodes.split(",") if node),
        pattern=asked.names or PATTERN,
        metadata_only=asked.metadata_only,
        assumed={name: _number(name, value) for name, value in map(_pair, asked.assumed)},
    )
    try:
        msgspec.convert(dict(made.assumed), Assumptions)
    except msgspec.ValidationError as error:
        names = ", ".join(Assumptions.__struct_fields__)
        raise UsageError(f"--assume: {error}. What can be assumed: {names}") from None
    return made


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.rpartition("=")
    if not equals or not name.strip() or not value.strip():
        raise UsageError(f"{text!r} is not NAME=VALUE")
    return name.strip(), value.strip()


def _number(name: str, text: str) -> int | float:
    try:
        return int(text) if name != "growth" else float(text)
    except ValueError:
        raise UsageError(f"--assume {name}: {text!r} is no number") from None


def show(path: Path) -> Exit:
    """Print a plan as a runbook."""
    try:
        plan = read(path)
        recipe = recipes.find(plan.recipe)
        text = runbook(plan, recipe)
    except ValueError as error:  # no plan, or one with a name that could not be put into a command
        return _say(f"{path}: {error}", Exit.USAGE)
    sys.stdout.write(text)
    return Exit.DONE


def commands_of(plan: Plan) -> None:
    """Raise ValueError for a plan that no command can be made of: an unknown recipe, or a name that is none."""
    recipe = recipes.find(plan.recipe)
    recipe.tables(plan)
    for step in recipe.steps(plan):
        for each in (step, *step.undo):
            each.draft(plan, lambda name: f"/JOBS/{name}")


def read(path: Path) -> Plan:
    """The plan in a file. Raises PlanError, also for a file that cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(4 * LARGEST + 1)
    except OSError as error:
        raise PlanError(error.strerror or str(error)) from None
    try:
        return decode(data.decode())
    except UnicodeDecodeError as error:
        raise PlanError(f"it is no text: byte {error.start} is not UTF-8") from None


def _wrapped(text: str) -> Iterable[str]:
    return textwrap.wrap(one_line(text), 100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _say(text: str, ends: Exit) -> Exit:
    sys.stderr.write(f"restripe plan: {one_line(text)}\n")
    return ends
