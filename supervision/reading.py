"""How the answers and logs of one kind of file system are read. What every kind shares is read by `supervision.facts`.

Everything is pure and total: for any text there is a result, and nothing raises.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, TypeAlias

import msgspec

from remote.command import Command
from remote.parsed import Parsed
from supervision.eta_rates import Known
from supervision.spaces import DiskUse

Parser: TypeAlias = Callable[[str, str], Parsed[Any]]
"""Reads stdout and stderr."""
Slices: TypeAlias = Generator[None, None, Parsed[Any]]
"""The same work in slices: others have their turn at each `yield`, the result is what it returns."""


class PhaseBegun(msgspec.Struct, frozen=True):
    """A phase of a scan began; `number` where phases of that name are numbered."""

    name: str
    number: int | None = None


class Counted(msgspec.Struct, frozen=True):
    """A line of progress. `percent` is the tool's own figure; `done` counts work in the kind's unit, `mb` data in MB.

    `stamp` is the time as it was printed, `printed` the same in seconds: only the difference of two of one log means
    something. None where the line does not tell.
    """

    percent: float | None = None
    done: int | None = None
    mb: int | None = None
    stamp: str = ""
    printed: float | None = None


class PhaseOver(msgspec.Struct, frozen=True):
    """The present phase is over, or the one that is named: it may have had others in it."""

    name: str = ""


class WaitsFor(msgspec.Struct, frozen=True):
    """The scan waits until another program has ended."""

    program: str


class Failing(msgspec.Struct, frozen=True):
    """A line that tells of a failure. Whether the command failed is its exit status.

    With a `kind` it counts among what was found as well.
    """

    text: str
    kind: str = ""


class Found(msgspec.Struct, frozen=True):
    """A line of what a scan found: its kind is the text without what is of one place alone.

    `summed` lines were counted where the scan runs, and are told as a sum since the last `SumBegun`.
    """

    kind: str
    count: int = 1
    summed: bool = False


class SumBegun(msgspec.Struct, frozen=True):
    """A sum of what was found begins: it takes the place of the one before it."""


class Change(msgspec.Struct, frozen=True):
    """What a fact tells that was not so before. `kind` is a word of `supervision.happenings`.

    `rate` says that a scan which runs is faster or slower from then on. `of` is how texts on the same thing begin where
    several questions tell of it: what one has told is not told again by the next. Up to a comma it is what is so now.
    """

    kind: str
    text: str
    rate: bool = False
    of: str = ""


ScanEvent: TypeAlias = PhaseBegun | Counted | PhaseOver | WaitsFor | Failing | Found | SumBegun


class Reading:
    """What a kind understands besides what all do; this one understands nothing. A kind overrides what it has."""

    def reader(self, host: str, command: Command) -> tuple[str, Parser] | None:
        """The key under which a command's answer is kept, and what reads it; None when nothing does.

        What belongs to one host has the host in its key.
        """
        del host, command
        return None

    def slices(self, command: Command, stdout: str, stderr: str) -> Slices | None:
        """The reading of a long answer in slices; None where it never takes long."""
        del command, stdout, stderr
        return None

    def better_form(self, command: Command) -> Command | None:
        """A form of a question that is easier to read, to be tried first; None where there is none."""
        del command
        return None

    def form_refused(self, command: Command, rc: int, stdout: str, stderr: str) -> str:
        """Why an answer to the better form only means that this release does not have it; empty when it does not."""
        del command, rc, stdout, stderr
        return ""

    def lacks(self, command: Command, rc: int, stdout: str, stderr: str) -> str:
        """Why an answer means that this release has no such command, so that asking again is no use; else empty."""
        del command, rc, stdout, stderr
        return ""

    def answers(self, command: Command, rc: int, stdout: str, stderr: str) -> bool:
        """Whether an exit status other than 0 is an answer of that command, and no failure."""
        del command, rc, stdout, stderr
        return False

    def scan_event(self, line: str) -> ScanEvent | None:
        """What a whole line of a job's log tells of a scan; None for any other line."""
        del line
        return None

    def happened(self, key: str, before: object, after: object) -> tuple[Change, ...]:
        """What has changed for a scan between two answers to the same question, by what was read of them."""
        del key, before, after
        return ()

    def disk_uses(self, key: str, model: object, name: str) -> tuple[DiskUse, ...]:
        """How much is on the disks of the file system `name`, where an answer tells that; else nothing."""
        del key, model, name
        return ()

    def known(self, told: Callable[[str], object], name: str, command: str) -> Known:
        """What is known of a run of a command on the file system `name` besides its lines: what its counters run up to.

        `told` gives what the last answer of a key told; where none could be had, why, and None before it was asked.
        """
        del told, name, command
        return Known()

    def run_kind(self, command: str) -> str:
        """The kind of run that a command is, by which finished ones teach the next; empty for what does not scan."""
        del command
        return ""
