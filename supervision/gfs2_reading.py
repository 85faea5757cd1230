"""How answers and logs of GFS2's tools are read: which parser reads which command, and what a line of a log tells."""

from __future__ import annotations

import re
from collections.abc import Callable

from remote.command import Command
from remote.gfs2.commands import RGS
from remote.gfs2.fsck import parse_fsck_line
from remote.gfs2.metadata import begins, is_failure, parse_end
from remote.gfs2.models import ResourceGroups
from remote.gfs2.parsers import parse_rgs, parse_sb, parse_statfs
from remote.gfs2.progress import parse_progress_line, split_time
from remote.gfs2.reading import LONGEST_LINE
from remote.gfs2.structures import rgs_in_slices
from remote.linux.blkid import parse_blkid
from supervision.eta_history import Unit
from supervision.eta_rates import Known
from supervision.gfs2_work import run_kind
from supervision.reading import Counted, Failing, Parser, PhaseBegun, PhaseOver, Reading, ScanEvent, Slices

SOON = 10.0
"""Seconds of progress before a finish is told: these tools print a line a second, and not one every two minutes."""
_NOTHING_FOUND = 2
"""The exit status of `blkid -p` that finds nothing, or that cannot open the device."""


class Gfs2Reading(Reading):
    """Facts of the device have its path in their keys."""

    def reader(self, host: str, command: Command) -> tuple[str, Parser] | None:
        """Which parser reads a question on a device."""
        del host
        match command.argv:
            case ("gfs2_edit", "-p", "sb", device):
                return f"sb {device}", parse_sb
            case ("gfs2_edit", "-p", "statfs", device):
                return f"statfs {device}", parse_statfs
            case ("gfs2_edit", "-p", "rgs", device) | (RGS, device):
                return f"rgs {device}", parse_rgs
            case ("blkid", "-p", device):
                return f"blkid {device}", parse_blkid
        return None
