"""What speaks against a work on a GFS2 before it begins: pure checks of what was asked just before.

Each tells what was read, when, and what to do. What could not be read is unknown and stops the work like what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

import msgspec

from remote.command import Command
from supervision.facts import Fact


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


def questions(wanted: Wanted) -> tuple[Command, ...]:
    """What the host of the work must be asked before its checks; with `node_questions` what the other nodes must."""
    raise NotImplementedError


def node_questions(wanted: Wanted, facts: Mapping[str, Fact]) -> Mapping[str, Command]:
    """What each node that the cluster knows must be asked besides, by its name there, once `questions` is answered."""
    raise NotImplementedError


def checks_for(wanted: Wanted, facts: Mapping[str, Fact], hosts: Sequence[str] = ()) -> tuple[Check, ...]:
    """All checks of a work. `hosts` are those of the session: a node may be watched under another name than its own."""
    raise NotImplementedError
