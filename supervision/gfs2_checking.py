"""What the checks before a work on a GFS2 share: their models, and the facts they are made of."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeVar

import msgspec

from remote.gfs2.models import Superblock
from remote.gfs2.use import Use
from remote.linux.blkid import Probed
from remote.text import decode
from supervision.clocktext import duration_text
from supervision.facts import Fact
from supervision.gfs2_work import FSCK, RESTOREMETA, SAVEMETA

T = TypeVar("T")

OLD = 600.0
"""Seconds after which an answer is too old to begin a work on it."""
_LONGEST = 300
"""Characters of an answer that are shown."""
WORKS = (SAVEMETA, RESTOREMETA, FSCK)


class Verdict(Enum):
    """What a check found."""

    PASSED = "pass"
    WARNING = "warning"
    BLOCK = "block"
    UNKNOWN = "unknown"

    @property
    def stops(self) -> bool:
        """Whether the work must not begin."""
        return self in (Verdict.BLOCK, Verdict.UNKNOWN)


class Check(msgspec.Struct, frozen=True):
    """A check. `name` says what is looked at, `text` what was found, `read` the text that was read.

    `at` is when that was asked (Site's clock), None where it was not; `todo` what to do, "" where nothing is.
    """

    name: str
    verdict: Verdict
    text: str
    read: str = ""
    at: float | None = None
    todo: str = ""


class Wanted(msgspec.Struct, frozen=True):
    """What is to be done: `work` is `savemeta`, `restoremeta` or `fsck`.

    `host` is where it will run, `device` the GFS2, of restoremeta the target. `file` is what savemeta writes or
    restoremeta reads, `level` that of gzip as given to `-z`, None where none is. `over` is the UUID of a file system
    on the target that may be lost, as a person has typed it.
    """

    work: str
    host: str
    device: str
    file: str = ""
    level: int | None = None
    over: str = ""

    @property
    def writes(self) -> bool:
        """Whether it may write to the device: then nobody may have it mounted."""
        return self.work != SAVEMETA


class Told(msgspec.Struct, frozen=True):
    """What a question told: `why` says why there is no model. `at` is when it was asked."""

    why: str = ""
    at: float | None = None
    answer: str = ""


class Facts:
    """The facts that the checks of one work are made of. `now` (Site's clock) is None where age does not matter."""

    def __init__(self, wanted: Wanted, facts: Mapping[str, Fact], now: float | None = None) -> None:
        self.wanted = wanted
        self.all = facts
        self._now = now

    def model(self, key: str, kind: type[T]) -> tuple[T | None, Told]:
        """What a fact tells, None where it cannot be used, and how it came."""
        fact = self.all.get(key)
        if fact is None:
            return None, Told("it was not asked")
        answer = decode(fact.source.out.data).strip() if fact.source else ""
        if fact.failure:
            return None, Told(fact.failure, fact.failed_at)
        told = fact.parsed.model if fact.parsed else None
        if fact.parsed is not None and fact.parsed.problems:
            why = fact.parsed.problems[0].why
            return None, Told(f"the answer cannot be read: {why}", fact.at, answer)
        if not isinstance(told, kind):
            return None, Told("it was not answered", fact.at, answer)
        if self._now is not None and self._now - fact.at > OLD:
            return None, Told(f"that was asked {duration_text(self._now - fact.at)} ago: ask again", fact.at, answer)
        return told, Told("", fact.at, answer)

    def superblock(self) -> tuple[Superblock | None, Told]:
        """The superblock of the device."""
        return self.model(f"sb {self.wanted.device}", Superblock)

    def use(self, host: str) -> tuple[Use | None, Told]:
        """What a host tells of who uses the device; an answer to a question about another one tells nothing."""
        use, told = self.model(f"gfs2 use {host}", Use)
        if use is not None and use.device != self.wanted.device:
            return None, Told(f"it was not asked of {self.wanted.device}", told.at, told.answer)
        return use, told

    def probed(self) -> tuple[tuple[Probed, ...] | None, Told]:
        """What blkid found on the device; () for nothing."""
        found, told = self.model(f"blkid {self.wanted.device}", tuple)
        return (None if found is None else tuple(each for each in found if isinstance(each, Probed))), told

    @property
    def uuid(self) -> str:
        """The UUID of the device's file system, "" where it is not known."""
        found, _told = self.probed()
        return next((each.uuid for each in found or () if each.uuid), "")

    @property
    def table(self) -> str:
        """The lock table of the device's file system, "" where it is not known or has none."""
        if self.wanted.work == RESTOREMETA:
            found, _told = self.probed()
            return next((each.label for each in found or () if each.kind == "gfs2"), "")
        sb, _told = self.superblock()
        return sb.lock_table if sb else ""


def shown(text: str) -> str:
    """A text that was read, in one line and not too long."""
    line = " / ".join(part.strip() for part in text.splitlines() if part.strip())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."


def unknown(name: str, told: Told, what: str, todo: str) -> Check:
    """A check of what could not be read."""
    return Check(name, Verdict.UNKNOWN, f"{what} is not known: {shown(told.why)}", shown(told.answer), told.at, todo)


def same_host(one: str, other: str) -> bool:
    """Whether two names are of one host, as far as names tell: equal, or the same but for user and domain of one."""
    first, second = _plain(one), _plain(other)
    if first == second:
        return True
    if _is_address(first) or _is_address(second):
        return False
    host, _, domain = first.partition(".")
    other_host, _, other_domain = second.partition(".")
    return host == other_host and not (domain and other_domain)


def _plain(name: str) -> str:
    return name.rpartition("@")[2].lower()


def _is_address(name: str) -> bool:
    return ":" in name or name.replace(".", "").isdigit()
