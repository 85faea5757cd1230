"""The exit statuses of the program, as the README lists them."""

from __future__ import annotations

from enum import IntEnum


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
