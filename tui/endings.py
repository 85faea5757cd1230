"""The exit statuses of the program by how a migration ended. Apart, for it is heavy to load."""

from __future__ import annotations

from supervision.migration import Ending
from tui.exits import Exit

ENDINGS = {
    Ending.DONE: Exit.DONE,
    Ending.FAILED: Exit.FAILED,
    Ending.UNREACHABLE: Exit.UNREACHABLE,
    Ending.REFUSED: Exit.REFUSED,
    Ending.UNKNOWN: Exit.UNKNOWN,
}
"""How the program ends, by how a migration did."""
