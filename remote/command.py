"""Commands are values: an argv with a bare name, what it does to the far side, and how long it may take.

Nothing here runs anything. `quote` is the only function that turns values into shell text; every value that
reaches a remote shell goes through it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from enum import Enum

import msgspec

_BARE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*\Z")


class Effect(Enum):
    """What a command does to the far side, by its own nature, not by its arguments' luck."""

    READS = "reads"
    CHANGES = "changes"
    DESTROYS = "destroys"


class Command(msgspec.Struct, frozen=True):
    """One command, as it will run.

    `argv[0]` is a bare name, never a path: the far side finds it in PATH. `deadline` is in seconds and counts on
    the host (`timeout -k`); a detached job has none. `interruptible` tells whether a person may stop it half-way
    without leaving the cluster's configuration inconsistent. `line_buffered` asks for `stdbuf -oL`, needed only
    by programs that print progress for hours. `privileged` commands run under `sudo -n` where the login is not
    root.
    """

    argv: tuple[str, ...]
    effect: Effect
    deadline: float = 60.0
    interruptible: bool = True
    line_buffered: bool = False
    privileged: bool = False

    def __post_init__(self) -> None:
        if not self.argv or not _BARE_NAME.match(self.argv[0]):
            raise ValueError(f"not a bare command name: {self.argv[:1]!r}")
        quote(self.argv)

    @property
    def text(self) -> str:
        """The command exactly as a person would type it."""
        return quote(self.argv)


def quote(values: Iterable[str]) -> str:
    """Quote values for any POSIX shell, separated by blanks.

    Raises ValueError for a NUL byte, which no argument can hold, and for half a surrogate pair, which is no text.
    """
    words = tuple(values)
    for word in words:
        if "\0" in word:
            raise ValueError("a NUL byte cannot be part of a command")
        if any("\ud800" <= letter <= "\udfff" for letter in word):
            raise ValueError("half a surrogate pair cannot be part of a command")
    return shlex.join(words)
