"""What all GPFS parsers share: numbered lines, message prefixes, numbers, and the place where leftovers go.

Lines are counted through stdout and on through stderr, so that one number names one line of an answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from remote.gpfs.models import Message
from remote.parsed import Note, Parsed, Problem

T = TypeVar("T")

FAILURE_TAIL = "Command failed."  # " Examine previous error messages to determine cause.", with one or two blanks

_PREFIX = re.compile(r"(?P<who>GPFS:\s+|mm\w+:\s+)?(?P<number>6027-[0-9]+\s+)?(?:\[(?P<severity>[A-Z])\]\s+)?")
_RULE = re.compile(r"[-= ]{4,}\Z")
_WHOLE = re.compile(r"[0-9]{1,18}\Z")  # 18 digits fit in 64 bits
_LONGEST_SENTENCE = 4


class Line(NamedTuple):
    """One line without its end and trailing blanks; `number` counts from 1."""

    number: int
    text: str


class Reading:
    """One parse while it goes on. `stdout` and `stderr` are the lines; what is left over is gathered here."""

    def __init__(self, stdout: str, stderr: str) -> None:
        self.stdout = _lines(stdout, 1)
        self.stderr = _lines(stderr, 1 + len(self.stdout))
        self._notes: list[Note] = []
        self._problems: list[Problem] = []

    def note(self, line: Line) -> None:
        """Keep a line that was not understood. The tail of a failed command is a problem, told with its
        cause.
        """
        _, message = split_message(line.text)
        if message.text.startswith(FAILURE_TAIL):
            cause = self._notes[-1].text if self._notes else "it does not say why"
            self.problem(line, f"the command failed: {cause}")
        elif line.text:
            self._notes.append(Note(line.number, line.text.strip()))

    def problem(self, line: Line, why: str) -> None:
        """Report a line that should have been understood."""
        self._problems.append(Problem(line.number, line.text.strip(), why))

    def missing(self, why: str) -> None:
        """Report what the text as a whole lacks."""
        self._problems.append(Problem(0, "", why))

    def broken(self, line: Line, why: str) -> None:
        """Report a line of a table that is no row, unless it is a message that came in between."""
        if is_message(line.text):
            self.note(line)
        else:
            self.problem(line, why)

    def says(self, words: str) -> bool:
        """Whether any line of either stream contains these words."""
        return any(words in line.text for line in (*self.stdout, *self.stderr))

    def take_attention(self, is_row: Callable[[str], bool]) -> tuple[str, ...]:
        """Take the sentences that begin with `Attention:` or `Warning:` out of both streams.

        A sentence wraps over lines until its full stop; a row of the table ends it as well.
        """
        sentences: list[str] = []
        self.stdout = self._without_attention(self.stdout, is_row, sentences)
        self.stderr = self._without_attention(self.stderr, is_row, sentences)
        return tuple(sentences)

    def _without_attention(self, lines: list[Line], is_row: Callable[[str], bool], sentences: list[str]) -> list[Line]:
        rest: list[Line] = []
        index = 0
        while index < len(lines):
            first = lines[index]
            index += 1
            _, message = split_message(first.text)
            if not message.text.startswith(("Attention:", "Warning:")):
                rest.append(first)
                continue
            words = message.text.split()
            end = min(index + _LONGEST_SENTENCE - 1, len(lines))
            while not words[-1].endswith(".") and index < end:
                text = lines[index].text
                if not text or is_row(text):
                    break
                words += text.split()
                index += 1
            if not words[-1].endswith("."):
                self.problem(first, "the sentence has no end")
            sentences.append(" ".join(words))
        return rest

    def result(self, model: T) -> Parsed[T]:
        """The model with everything left over, in the order of the lines."""
        notes = sorted(self._notes, key=lambda note: note.line)
        problems = sorted(self._problems, key=lambda problem: problem.line)
        return Parsed(model, tuple(notes), tuple(problems))


def _lines(text: str, first: int) -> list[Line]:
    # Not splitlines(): it would also cut at form feeds and at U+2028.
    parts = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not parts[-1]:
        parts.pop()
    return [Line(number, part.rstrip()) for number, part in enumerate(parts, first)]


def split_message(text: str) -> tuple[bool, Message]:
    """Split a line into its message prefix and the rest; the first value tells whether there is a prefix."""
    stripped = text.strip()
    match = _PREFIX.match(stripped)
    if match is None or not match.end():
        return False, Message("", "", stripped)
    number = (match["number"] or "").strip()
    return True, Message(number, match["severity"] or "", stripped[match.end() :])


def is_message(text: str) -> bool:
    """Whether a line is a message of a command rather than part of its table."""
    prefixed, message = split_message(text)
    return prefixed or message.text.startswith(FAILURE_TAIL)


def is_rule(text: str) -> bool:
    """Whether a line is drawn only of dashes or equals signs."""
    return bool(text.strip()) and _RULE.match(text) is not None


def whole(text: str) -> int | None:
    """A whole number in ASCII digits that fits in 64 bits."""
    return int(text) if _WHOLE.match(text) else None


def yes_no(text: str) -> bool | None:
    """`Yes` or `No`, in any case of letters."""
    return {"yes": True, "no": False}.get(text.lower())
