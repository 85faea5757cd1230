"""What all GPFS parsers share: numbered lines, message prefixes, numbers, and the place where leftovers go.

Lines are counted through stdout and on through stderr, so that one number names one line of an answer.

A parser is a generator of *steps*: it yields before every block of lines and returns what it parsed. `finish` runs
one to its end at once; an event loop takes the steps one by one and does other work in between, so that an answer
of ten thousand disks holds nobody up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from typing import NamedTuple, TypeAlias, TypeVar

from remote.gpfs.models import Message
from remote.parsed import Note, Parsed, Problem

T = TypeVar("T")

Steps: TypeAlias = Generator[None, None, Parsed[T]]

BLOCK = 200
"""Lines between two steps: about a millisecond of work."""

FAILURE_TAIL = "Command failed."  # " Examine previous error messages to determine cause.", with one or two blanks

_PREFIX = re.compile(r"(?P<who>GPFS:\s+|mm\w+:\s+)?(?P<number>6027-[0-9]+\s+)?(?:\[(?P<severity>[A-Z])\]\s+)?")
_RULE = re.compile(r"[-= ]{4,}\Z")
_DECIMAL = re.compile(r"[0-9]{1,18}(?:[.,][0-9]{1,18})?(?:[eE][+-]?[0-9]{1,3})?\Z")
_LONGEST_SENTENCE = 4
_LONGEST_CAUSE = 300  # characters
_LONGEST_WHOLE = 18  # digits that fit in 64 bits
_YES_NO = {"yes": True, "no": False, "Yes": True, "No": False, "YES": True, "NO": False}


class Line(NamedTuple):
    """One line without its end and trailing blanks; `number` counts from 1."""

    number: int
    text: str


class Reading:
    """One parse while it goes on. `stdout` and `stderr` are the lines; what is left over is gathered here."""

    def __init__(self, stdout: str, stderr: str) -> None:
        self._text = stdout
        self._out = _split(stdout)
        self._err = _split(stderr)
        self._notes: list[Note] = []
        self._problems: list[Problem] = []

    @property
    def stdout(self) -> Iterator[Line]:
        """The lines of stdout."""
        return (Line(number, text.rstrip()) for number, text in enumerate(self._out, 1))

    @property
    def stderr(self) -> Iterator[Line]:
        """The lines of stderr, counted on."""
        return (Line(number, text.rstrip()) for number, text in enumerate(self._err, 1 + len(self._out)))

    def blocks(self) -> Iterator[Iterator[tuple[int, str]]]:
        """The lines of stdout as they came, with their numbers, block by block."""
        for start in range(0, len(self._out), BLOCK):
            yield enumerate(self._out[start : start + BLOCK], start + 1)

    def each(self, read: Callable[[Line], None]) -> Generator[None, None, None]:
        """Let `read` see every line of stdout; yields before each block of them."""
        for block in self.blocks():
            yield
            for number, text in block:
                read(Line(number, text.rstrip()))

    def rows(self, row: Callable[[str], bool], otherwise: Callable[[Line], None]) -> Generator[None, None, None]:
        """Let `row` see every line of stdout; `otherwise` gets those that it does not take as a row of a table.

        Long answers are nearly all rows, so they are not made into a `Line` first.
        """
        for block in self.blocks():
            yield
            for number, text in block:
                if not row(text):
                    otherwise(Line(number, text.rstrip()))

    def both(self, read: Callable[[Line], None]) -> Generator[None, None, None]:
        """Let `read` see every line of stdout and then of stderr; yields before each block of stdout."""
        yield from self.each(read)
        for line in self.stderr:
            read(line)

    def rest(self) -> None:
        """Keep what stderr says as notes."""
        for line in self.stderr:
            self.note(line)

    def note(self, line: Line) -> None:
        """Keep a line that was not understood. The tail of a failed command is a problem, told with its
        cause.
        """
        if FAILURE_TAIL in line.text and split_message(line.text)[1].text.startswith(FAILURE_TAIL):
            cause = self._notes[-1].text[:_LONGEST_CAUSE] if self._notes else "it does not say why"
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
        return any(words in text for lines in (self._out, self._err) for text in lines)

    def inside_lines(self, words: str) -> bool:
        """Whether stdout has these words anywhere but at the beginning of a line, or a line has them twice."""
        text = self._text
        begins = text.count("\n" + words) + text.startswith(words)
        return text.count(words) != begins

    def take_attention(self, is_row: Callable[[str], bool]) -> tuple[str, ...]:
        """Take the sentences that begin with `Attention:` or `Warning:` out of both streams.

        A sentence wraps over lines until its full stop; a row of the table ends it as well. Which stream carries
        them is not known. The lines that are taken become empty, so that all others keep their numbers.
        """
        sentences: list[str] = []
        for lines, first in ((self._out, 1), (self._err, 1 + len(self._out))):
            for index, text in enumerate(lines):
                if "Attention:" in text or "Warning:" in text:
                    self._take_sentence(lines, index, first, is_row, sentences)
        return tuple(sentences)

    def _take_sentence(
        self, lines: list[str], index: int, first: int, is_row: Callable[[str], bool], sentences: list[str]
    ) -> None:
        _, message = split_message(lines[index])
        if not message.text.startswith(("Attention:", "Warning:")):
            return
        begin = Line(first + index, lines[index].rstrip())
        words = message.text.split()
        lines[index] = ""
        for at in range(index + 1, min(index + _LONGEST_SENTENCE, len(lines))):
            text = lines[at].rstrip()
            if words[-1].endswith(".") or not text or is_row(text):
                break
            words += text.split()
            lines[at] = ""
        if not words[-1].endswith("."):
            self.problem(begin, "the sentence has no end")
        sentences.append(" ".join(words))

    def result(self, model: T) -> Parsed[T]:
        """The model with everything left over, in the order of the lines."""
        notes = sorted(self._notes, key=lambda note: note.line)
        problems = sorted(self._problems, key=lambda problem: problem.line)
        return Parsed(model, tuple(notes), tuple(problems))


def finish(steps: Steps[T]) -> Parsed[T]:
    """Take all steps at once and return what was parsed."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        parsed: Parsed[T] = end.value
        return parsed


def _split(text: str) -> list[str]:
    # Not splitlines(): it would also cut at form feeds and at U+2028.
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    parts = text.split("\n")
    if not parts[-1]:
        parts.pop()
    return parts


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
    if text.isdigit() and text.isascii() and len(text) <= _LONGEST_WHOLE:
        return int(text)
    return None


def decimal(text: str) -> float | None:
    """A number with a point or, where a locale leaks through, with a comma; None for `nan` and for all else."""
    return float(text.replace(",", ".")) if _DECIMAL.match(text) else None


def yes_no(text: str) -> bool | None:
    """`Yes` or `No`, in any case of letters."""
    found = _YES_NO.get(text)
    return found if found is not None or not 2 <= len(text) <= 3 else _YES_NO.get(text.lower())
