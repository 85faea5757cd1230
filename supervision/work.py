"""How much of a scan is done, in the unit that can be trusted: inodes over allocated inodes.

The tool's own percentage is shown beside it and never used while there is better: in the seed it stood at 5 %
after 20 seconds of four hours, and at 98.28 % three minutes before the end.
"""

from __future__ import annotations

import msgspec

from remote.gpfs.models import FsSpace
from supervision.logs import Scan
from supervision.state import State


class Work(msgspec.Struct, frozen=True):
    """Work done of a total, in `unit`; `fraction` is between 0 and 1. `tool_percent` is the tool's own figure."""

    unit: str
    done: int | None
    total: int | None
    fraction: float | None
    tool_percent: float | None


def work_of(scan: Scan, state: State) -> Work:
    """The work of a scan, as far as it is known."""
    space = state.gpfs.get(FsSpace)
    allocated = space.inodes.allocated if space and space.inodes else None
    if scan.inodes is None or not allocated:
        return Work("inodes", scan.inodes, allocated, None, scan.percent)
    return Work("inodes", scan.inodes, allocated, min(1.0, scan.inodes / allocated), scan.percent)
