"""What the parsers of GFS2 share: lines split at `\\r` as well, what is left over, and the report of GNU time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, TypeVar

from remote.gfs2.models import Timed
from remote.parsed import Note, Parsed, Problem
from remote.text import safe

T = TypeVar("T")

LONGEST_LINE = 1000
"""Characters; nothing that is understood is longer."""
_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_TIMED = re.compile(
    r"(?P<user>[0-9]{1,12}\.[0-9]{1,3})user (?P<system>[0-9]{1,12}\.[0-9]{1,3})system "
    r"(?P<elapsed>[0-9:.]{1,20})elapsed [0-9?]{1,6}%?CPU \([^()]{0,40}?(?:(?P<peak>[0-9]{1,15})maxresident)?\)k\Z"
)
_TIMED_MORE = re.compile(r"[0-9]+inputs\+[0-9]+outputs \([0-9]+major\+[0-9]+minor\)pagefaults [0-9]+swaps\Z")
_DURATION = re.compile(r"(?:(?:([0-9]{1,3})-)?([0-9]{1,6}):)?([0-9]{1,6}):([0-9]{2}(?:\.[0-9]{1,3})?)\Z")


class Line(NamedTuple):
    """A line without its end and blanks around it; `number` counts from 1, lines drawn over others too."""

    number: int
    text: str
    stderr: bool


class Reading:
    """One parse while it goes on; what is left over is gathered here."""

    def __init__(self, stdout: str, stderr: str) -> None:
        self._out, self._err = stdout, stderr
        self._notes: list[Note] = []
        self._problems: list[Problem] = []
        self.timed: Timed | None = None

    def lines(self) -> Iterator[Line]:
        """The lines of stdout and on through stderr that are not empty; those of GNU time are taken out."""
        number = 0
        for text, stderr in ((self._out, False), (self._err, True)):
            for line in _split(text):
                number += 1
                plain = safe(_ESCAPE.sub("", line)).strip()
                if plain and not self._is_timed(plain):
                    yield Line(number, plain, stderr)

    def note(self, line: Line) -> None:
        """Keep a line that was not understood."""
        self._notes.append(Note(line.number, line.text))

    def problem(self, line: Line, why: str) -> None:
        """Report a line that should have been understood."""
        self._problems.append(Problem(line.number, line.text, why))

    def missing(self, why: str) -> None:
        """Report what the text as a whole lacks."""
        self._problems.insert(0, Problem(0, "", why))

    def result(self, model: T) -> Parsed[T]:
        """The model with everything left over."""
        return Parsed(model, tuple(self._notes), tuple(self._problems))

    def _is_timed(self, text: str) -> bool:
        found = parse_timed(text)
        self.timed = found or self.timed
        return found is not None or (len(text) <= LONGEST_LINE and _TIMED_MORE.match(text) is not None)


def parse_timed(text: str) -> Timed | None:
    """The first of the two lines that GNU time prints; None for all else."""
    match = _TIMED.match(text) if len(text) <= LONGEST_LINE else None
    elapsed = duration(match["elapsed"]) if match else None
    if match is None or elapsed is None:
        return None
    return Timed(float(match["user"]), float(match["system"]), elapsed, int(match["peak"]) if match["peak"] else None)


def duration(text: str) -> float | None:
    """Seconds of `m:ss.cc` or `h:mm:ss` as GNU time writes them, or of `d-hh:mm:ss` as ps does; None for all else."""
    match = _DURATION.match(text)
    if match is None:
        return None
    days, hours, minutes = (int(part or 0) for part in match.groups()[:3])
    return ((days * 24 + hours) * 60 + minutes) * 60 + float(match[4])


def _split(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]
