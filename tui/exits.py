"""The exit statuses of the program, as the README lists them."""

from __future__ import annotations

from enum import IntEnum

from supervision.migration import Ending


class Exit(IntEnum):
    """How the program ended."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    UNREACHABLE = 3
    REFUSED = 4
    UNKNOWN = 5
    WARNINGS = 6
    INTERRUPTED = 130


ENDINGS = {
    Ending.DONE: Exit.DONE,
    Ending.FAILED: Exit.FAILED,
    Ending.UNREACHABLE: Exit.UNREACHABLE,
    Ending.REFUSED: Exit.REFUSED,
    Ending.UNKNOWN: Exit.UNKNOWN,
}
"""How the program ends, by how a migration did."""
