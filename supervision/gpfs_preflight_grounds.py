"""What the checks before a step rest on: facts that are fresh and were wholly understood, or none at all. Pure.

A rule asks for the facts that it needs, and says what it found. What it asked for gives the check its age and its
sources; what cannot be had makes it `Outcome.UNKNOWN`, by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NoReturn, TypeVar

import msgspec

from remote.gpfs.models import Disk, DiskList, NodeStates
from remote.text import one_line
from supervision.checking import Check, Outcome, missing
from supervision.facts import Fact
from supervision.gpfs_view import View
from supervision.plan import Plan

T = TypeVar("T")
LONGEST = 60
"""Characters of a command that are told as its source."""


class UnreadError(Exception):
    """A fact that a check rests on cannot be had; the text says why."""


class Finding(msgspec.Struct, frozen=True):
    """What a rule found: how much it weighs, the text that it read, and what to do."""

    outcome: Outcome
    read: str
    advice: str = ""


def passed(read: str) -> Finding:
    """Nothing speaks against it."""
    return Finding(Outcome.PASS, read)


def note(read: str, advice: str = "") -> Finding:
    """Worth reading."""
    return Finding(Outcome.NOTE, read, advice)


def warning(read: str, advice: str) -> Finding:
    """A person has to acknowledge it."""
    return Finding(Outcome.WARNING, read, advice)


def block(read: str, advice: str) -> Finding:
    """The step must not run."""
    return Finding(Outcome.BLOCK, read, advice)


def unread(why: str) -> NoReturn:
    """Give up a check: what it rests on is not known."""
    raise UnreadError(why)


class Grounds:
    """What one check may rest on: the facts of the state that were asked for at `since` or later (Site's clock)."""

    def __init__(self, view: View, plan: Plan, since: float) -> None:
        self.view = view
        self.plan = plan
        self.since = since
        self._used: dict[str, Fact] = {}

    @property
    def at(self) -> float | None:
        """When the oldest of what was used was asked."""
        return min((fact.at for fact in self._used.values()), default=None)

    @property
    def source(self) -> str:
        """The commands that told what was used."""
        return "; ".join(dict.fromkeys(_shortly(fact.command) for fact in self._used.values()))

    def need(self, kind: type[T], host: str = "") -> T:
        """The model of a kind; `host` for what belongs to one host. Raises UnreadError."""
        what = f"{kind.__name__} {host}".strip()
        return self._model(self.view.facts.fact(kind, host), kind, what)

    def chosen_states(self) -> NodeStates:
        """The daemons of the nodes that matter to the plan (`mmgetstate -N`). Raises UnreadError."""
        fact = self.view.state.facts.get("chosen node states")
        return self._model(fact, NodeStates, "the daemons of the nodes that matter (mmgetstate -N)")

    def disk_details(self) -> DiskList:
        """`mmlsdisk -L`, which tells descriptors. Raises UnreadError."""
        fact = self.view.state.facts.get(f"disk details {self.view.name}")
        return self._model(fact, DiskList, "mmlsdisk -L")

    def disks(self) -> Mapping[str, Disk]:
        """The disks of mmlsdisk by name, for there may be ten thousand. Raises UnreadError."""
        return {disk.nsd: disk for disk in self.need(DiskList).disks}

    def lacks(self, kind: type, host: str = "") -> str:
        """Why a release has no answer to a question at all; empty where it has, or nobody has asked."""
        fact = self.view.facts.fact(kind, host)
        return fact.failure if fact and fact.never else ""

    def may(self, kind: type[T], host: str = "") -> T | None:
        """The same as `need`, None where it cannot be had."""
        try:
            return self.need(kind, host)
        except UnreadError:
            return None

    def _model(self, fact: Fact | None, kind: type[T], what: str) -> T:
        if fact is None:
            unread(f"not asked: {what}")
        self._used[fact.key] = fact
        model = fact.parsed.model if fact.parsed else None
        if fact.failed_at > fact.at or not isinstance(model, kind):
            unread(f"{fact.command}: {fact.failure or 'it told nothing'}")
        assert fact.parsed is not None
        if fact.parsed.problems:
            problem = fact.parsed.problems[0]
            unread(
                f"{fact.command}: line {problem.line} was not understood ({problem.why}): {one_line(problem.text)[:80]}"
            )
        if fact.at < self.since:
            unread(f"{fact.command}: its last answer is too old")
        return model


def _shortly(command: str) -> str:
    """A command as it is told: of those with many words the first."""
    return command if len(command) <= LONGEST else f"{command.partition(' ')[0]} ..."


Judge = Callable[[Grounds], Finding | None]
"""Judges one thing; None where there is nothing of that kind to judge."""


class Rule(msgspec.Struct, frozen=True):
    """One check: its stable key, what should be so, and what judges it."""

    key: str
    title: str
    judge: Judge


def apply(rules: Iterable[Rule], view: View, plan: Plan, since: float) -> tuple[Check, ...]:
    """The checks that rules come to."""
    return tuple(check for rule in rules if (check := _apply(rule, Grounds(view, plan, since))))


def _apply(rule: Rule, grounds: Grounds) -> Check | None:
    try:
        found = rule.judge(grounds)
    except UnreadError as why:
        return missing(rule.key, rule.title, str(why), grounds.source, at=grounds.at)
    if found is None:
        return None
    return Check(rule.key, rule.title, found.outcome, found.read, found.advice, grounds.at, grounds.source)
