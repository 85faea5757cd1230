"""How answers and logs of GFS2's tools are read: which parser reads which command, and what a line of a log tells."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from remote.command import Command
from remote.gfs2.commands import RGS
from remote.gfs2.fsck import is_complete, kind_of, pass_begun, pass_done, pass_percent, tells_nothing
from remote.gfs2.guarded import Note, OfKind, Sum, guarded_line
from remote.gfs2.metadata import begins, is_failure, is_known, parse_end
from remote.gfs2.models import ResourceGroups
from remote.gfs2.parsers import parse_rgs, parse_sb, parse_statfs
from remote.gfs2.progress import parse_progress_line, split_time
from remote.gfs2.structures import rgs_in_slices
from remote.gfs2.use_parsing import parse_use
from remote.linux.blkid import parse_blkid
from remote.text import one_line
from supervision.eta_history import Unit
from supervision.eta_rates import Known
from supervision.gfs2_work import SAVEMETA, work_of
from supervision.jobwords import split_words
from supervision.reading import (
    Counted,
    Failing,
    Found,
    Parser,
    PhaseBegun,
    PhaseOver,
    Reading,
    ScanEvent,
    Slices,
    SumBegun,
)

SOON = 10.0
"""Seconds of progress before a finish is told: these tools print a line a second, and not one every two minutes."""
_NOTHING = 2
"""The exit status of `blkid -p` that finds nothing, or cannot open the device."""


class Gfs2Reading(Reading):
    """Facts of the device have its path in their keys; work is counted in blocks."""

    def reader(self, host: str, command: Command) -> tuple[str, Parser] | None:
        """Which parser reads a question on a device, or on who uses it."""
        match command.argv:
            case ("gfs2_edit", "-p", "sb", device):
                return f"sb {device}", parse_sb
            case ("gfs2_edit", "-p", "statfs", device):
                return f"statfs {device}", parse_statfs
            case ("gfs2_edit", "-p", "rgs", device) | ("restripe-gfs2-rgs", device):
                return f"rgs {device}", parse_rgs
            case ("blkid", "-p", device):
                return f"blkid {device}", parse_blkid
            case "restripe-gfs2-use", *_:
                return f"gfs2 use {host}", parse_use
        return None

    def slices(self, command: Command, stdout: str, stderr: str) -> Slices | None:
        """The list of resource groups: 100 TB have fifty thousand."""
        return rgs_in_slices(stdout, stderr) if command.argv[0] == RGS else None

    def answers(self, command: Command, rc: int, stdout: str, stderr: str) -> bool:
        """`blkid -p` says by its exit status that nothing was found."""
        return command.argv[0] == "blkid" and rc == _NOTHING and not stdout and not stderr

    def scan_event(self, line: str) -> ScanEvent | None:
        """Lines of savemeta, restoremeta and fsck.gfs2; the percentage is an address, or that of one pass."""
        text = split_time(line.strip())[1]
        if not text:
            return None
        if said := parse_progress_line(text):
            return Counted(float(said.percent), said.saved)
        if (percent := pass_percent(text)) is not None:
            return Counted(float(percent))
        if phase := begins(text) or pass_begun(text):
            return PhaseBegun(phase)
        if (name := pass_done(text)) or is_complete(text) or parse_end(text):
            return PhaseOver(name)
        return _other(text)

    def known(self, told: Callable[[str], object], name: str, command: str) -> Known:
        """The least number of blocks that a savemeta saves. Nothing runs up to a percentage, which is no work."""
        groups = told(f"rgs {name}")
        work = work_of(split_words(command))
        known = Known(unit=Unit.BLOCKS, least_seconds=SOON)
        if work is not None and work.kind != SAVEMETA:
            return known
        least = groups.saved_at_least if isinstance(groups, ResourceGroups) else None
        return msgspec.structs.replace(known, blocks=least, at_least=True, awaited=groups is None)

    def run_kind(self, command: str) -> str:
        """`savemeta -z1`: the level of gzip decides on its rate."""
        return run_kind(split_words(command))


def _other(text: str) -> ScanEvent | None:
    """A line that tells of no progress: what it found or complains of, by its kind."""
    match guarded_line(text):
        case Sum():
            return SumBegun()
        case OfKind(kind, count):
            return Found(kind_of(kind), count, summed=True)
        case Note():
            return None
    if tells_nothing(text) or is_known(text):
        return None
    return Failing(one_line(text), kind_of(text)) if is_failure(text) else Found(kind_of(text))


def run_kind(words: Sequence[str]) -> str:
    """The kind of run that a command is: `savemeta -z1`; empty for what does no work on a device."""
    work = work_of(words)
    return "" if work is None else " ".join((work.kind, *work.options))
