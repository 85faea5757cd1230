"""Searching whole logs: in bytes, slice by slice, so that a million lines hold nothing up and nothing is decoded.

A line matches when what is shown of it matches: its last version, as far as it is shown.
"""

from __future__ import annotations

import asyncio
import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import regex

from supervision.logcopy import LONGEST, LogCopy
from supervision.patterns import TEXT_SECONDS, Patience, TooSlowError, compiled, found_in, read, within_lines

SLICE = 1 << 18
"""Bytes that are looked through between two turns of the event loop; of a regular expression a quarter."""
SLICE_SECONDS = 0.1
"""For one slice: a sound expression takes a few milliseconds, and others wait as long as this takes."""
_SPECIAL = frozenset(r".^$*+?{}[]\|()")


class Pattern:
    """What is sought: a regular expression, or plain text where it is none. Capitals matter once there is one.

    `gave_up` says that it took too long once; then it is not tried again.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.any_case = text == text.lower()
        self.gave_up = False
        self.literal: bytes | None = text.encode("utf-8", "surrogateescape")
        # both read case in ASCII alone, so that what is found is what is marked
        flags = re.IGNORECASE if self.any_case else re.NOFLAG
        self._plain = re.compile(re.escape(self.literal), flags), re.compile(re.escape(text), flags | re.ASCII)
        self._special: tuple[regex.Pattern[bytes], regex.Pattern[str]] | None = None
        self._lines: regex.Pattern[bytes] | None = None
        if any(letter in _SPECIAL for letter in text):
            any_case = regex.IGNORECASE if self.any_case else 0
            try:
                source = read(text)
                of_bytes = compiled(source.encode("utf-8", "surrogateescape"), any_case)
                self._special = of_bytes, compiled(source, any_case | regex.ASCII)
                in_lines = within_lines(source)
                if in_lines is not None:
                    # what follows a match is taken along: so each line that matches does so once
                    many = f"(?:{in_lines}).*+".encode("utf-8", "surrogateescape")
                    self._lines = compiled(many, any_case | regex.MULTILINE)
                self.literal = None
            except (re.error, OverflowError, RecursionError):
                self._special = None
        self.slice = SLICE if self.literal is not None else SLICE // 4
        if self.literal is not None and self.any_case:
            self.literal = self.literal.lower()

    def matches(self, data: bytes, seconds: float = TEXT_SECONDS) -> bool:
        """Whether a line matches. Raises TooSlowError."""
        if self._special is None:
            return self._plain[0].search(data) is not None
        with self._giving_up():
            return found_in(self._special[0], data, seconds)

    def spans(self, text: str, seconds: float = TEXT_SECONDS) -> list[tuple[int, int]]:
        """Where a shown text matches. Raises TooSlowError."""
        if self._special is None:
            return [found.span() for found in self._plain[1].finditer(text) if found.end() > found.start()]
        with self._giving_up():
            found_all = self._special[1].finditer(text, timeout=seconds)
            return [found.span() for found in found_all if found.end() > found.start()]

    def starts(self, data: bytes) -> list[int] | None:
        """Where something matches in the lines of `data`; None when they must be looked at one by one.

        Raises TooSlowError.
        """
        if self._lines is None:
            return None
        with self._giving_up():
            return [found.start() for found in self._lines.finditer(data, timeout=SLICE_SECONDS)]

    @contextmanager
    def _giving_up(self) -> Iterator[None]:
        if self.gave_up:
            raise TooSlowError
        try:
            yield
        except (TimeoutError, TooSlowError):
            self.gave_up = True
            raise TooSlowError from None


def matches_in(copy: LogCopy, pattern: Pattern, first: int, stop: int, limit: int | None = None) -> list[int]:
    """The matching lines of `first` up to, and without, `stop`; one slice of them. Raises TooSlowError."""
    start, end = copy.span(first, limit)[0], copy.span(stop - 1, limit)[1]
    if end - start > 4 * SLICE:  # only a single line is as long as that
        return [line for line in range(first, stop) if pattern.matches(copy.shown(line, limit))]
    data = copy.read(start, end - start)
    if pattern.literal is None:
        return _by_line(copy, pattern, first, data, limit)
    sought = data.lower() if pattern.any_case else data
    found: list[int] = []
    line, counted, at = first, 0, sought.find(pattern.literal)
    while at >= 0:
        line += data.count(b"\n", counted, at)
        begins = data.rfind(b"\n", 0, at) + 1
        ends = data.find(b"\n", at)
        ends = len(data) if ends < 0 else ends
        plain = ends - begins <= LONGEST and data.find(b"\r", begins, ends) < 0
        if plain or pattern.matches(copy.shown(line, limit)):
            found.append(line)
        counted = ends
        at = sought.find(pattern.literal, ends + 1) if ends < len(data) else -1
    return found


def _by_line(copy: LogCopy, pattern: Pattern, first: int, data: bytes, limit: int | None) -> list[int]:
    rewritten = b"\r" in data
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    if not rewritten and max(map(len, lines), default=0) <= LONGEST:
        starts = pattern.starts(data)
        if starts is not None:
            return _lines_of(starts, data, first, first + len(lines))
    found, patience = [], Patience(SLICE_SECONDS)
    for line, raw in enumerate(lines, first):
        whole = len(raw) <= LONGEST and not (rewritten and b"\r" in raw)
        if pattern.matches(raw if whole else copy.shown(line, limit), patience.left()):
            found.append(line)
    return found


def _lines_of(starts: list[int], data: bytes, first: int, stop: int) -> list[int]:
    """The lines in which those places stand, each once."""
    found: list[int] = []
    line, counted = first, 0
    for at in starts:
        line += data.count(b"\n", counted, at)
        counted = at
        if line < stop and (not found or found[-1] != line):
            found.append(line)
    return found


def slice_after(copy: LogCopy, size: int, first: int, stop: int, limit: int | None = None) -> int:
    """Where a slice of `size` bytes ends that begins at the line `first`; at most `stop`."""
    return max(first + 1, min(stop, copy.line_at(copy.span(first, limit)[0] + size)))


def slice_before(copy: LogCopy, size: int, stop: int, limit: int | None = None) -> int:
    """Where a slice of `size` bytes begins that ends before the line `stop`."""
    return min(stop - 1, copy.line_at(max(0, copy.span(stop, limit)[0] - size)) + 1) if stop > 1 else 0


async def find(
    copy: LogCopy,
    pattern: Pattern,
    start: int,
    *,
    forward: bool = True,
    limit: int | None = None,
    wanted: Callable[[int], bool] = lambda _line: True,
) -> int | None:
    """The next matching line from `start` on (that one included), or the one before; it goes round the end once.

    Only `wanted` lines count. None when there is none, or when the log became another one meanwhile. Cancel it freely.
    Raises TooSlowError.
    """
    generation, lines = copy.generation, copy.lines(limit)
    start = min(start, lines - 1)
    parts = [(start, lines), (0, start)] if forward else [(0, start + 1), (start + 1, lines)]
    for part in parts:
        low, high = part
        while low < high:
            if forward:
                first, stop = low, slice_after(copy, pattern.slice, low, high, limit)
                low = stop
            else:
                first, stop = max(low, slice_before(copy, pattern.slice, high, limit)), high
                high = first
            found = [line for line in matches_in(copy, pattern, first, stop, limit) if wanted(line)]
            if found:
                return found[0 if forward else -1]
            await asyncio.sleep(0)
            if copy.generation != generation:
                return None
    return None


class Filter:
    """The lines of a log that match (or do not, `inverse`), found slice by slice and kept as the log grows."""

    def __init__(self, copy: LogCopy, pattern: Pattern, *, inverse: bool = False) -> None:
        self.copy = copy
        self.pattern = pattern
        self.inverse = inverse
        self._lines = array("Q")
        self._generation = copy.generation
        self._done = 0

    @property
    def behind(self) -> bool:
        """Whether there are whole lines that were not looked at."""
        return self._generation != self.copy.generation or self._done < self.copy.whole_lines()

    @property
    def fraction(self) -> float:
        """How much was looked at, between 0 and 1."""
        return self._done / max(1, self.copy.whole_lines())

    def step(self) -> None:
        """Look at one slice more. Raises TooSlowError."""
        if self._generation != self.copy.generation:
            self._lines, self._done, self._generation = array("Q"), 0, self.copy.generation
        whole = self.copy.whole_lines()
        if self._done >= whole:
            return
        stop = slice_after(self.copy, self.pattern.slice, self._done, whole)
        found = matches_in(self.copy, self.pattern, self._done, stop)
        if self.inverse:
            left_out = set(found)
            found = [line for line in range(self._done, stop) if line not in left_out]
        self._lines.extend(found)
        self._done = stop

    def rows(self, limit: int | None = None) -> int:
        """How many lines there are to show; the last line counts before it has ended."""
        whole = self.copy.whole_lines(limit)
        return bisect_left(self._lines, whole) + self._open_line(whole, limit)

    def line(self, row: int, limit: int | None = None) -> int:
        """The line that stands in a row."""
        whole = self.copy.whole_lines(limit)
        return int(self._lines[row]) if row < bisect_left(self._lines, whole) else whole

    def row(self, line: int) -> int:
        """The row of a line, or of the next that is shown."""
        return bisect_left(self._lines, line)

    def _open_line(self, whole: int, limit: int | None) -> bool:
        if self.copy.lines(limit) == whole or self._done < min(whole, self.copy.whole_lines()):
            return False
        try:
            return self.pattern.matches(self.copy.shown(whole, limit)) != self.inverse
        except TooSlowError:
            return True  # whoever filters is told by `pattern.gave_up`
