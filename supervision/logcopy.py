"""Whole logs, kept here for looking at them: a million lines without a million strings.

The bytes lie in an unnamed temporary file (short logs in memory); of each block the memory holds how many lines end
before it, and nothing else. Counting ends is as fast as memory is, so a log is indexed while it arrives. A `\\r` ends a
version of a line: a progress line that was rewritten a hundred times is one line, its last version.
"""

from __future__ import annotations

import os
import re
import tempfile
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from typing import IO

from remote.events import Event, LogRead, LogRewound
from remote.text import decode, safe
from supervision.replies import Replies
from supervision.state import State

LONGEST = 4096
"""Bytes of a line that are read for showing it."""
BLOCK = 1 << 16
IN_MEMORY = 1 << 18
"""Logs up to this size need no file: a host may have hundreds of short ones."""
_LOOKED_THROUGH = 1 << 22
"""Bytes at the end of a line in which the beginning of its last version is sought."""
_BLOCKS_KEPT = 32
_NEWLINE = re.compile(b"\n")


class _Bytes:
    """Bytes that only grow, in memory while they are few."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._file: IO[bytes] | None = None

    def append(self, data: bytes, at: int) -> None:
        """Add `data`, which stands at `at`. Raises OSError when there is no room for it."""
        if self._file is None and at + len(data) <= IN_MEMORY:
            self._head += data
            return
        if self._file is None:
            file = tempfile.TemporaryFile(prefix="restripe-log-")  # noqa: SIM115  lives as long as the copy
            try:
                _write_all(file.fileno(), self._head, 0)
            except OSError:
                file.close()
                raise
            self._file, self._head = file, bytearray()
        _write_all(self._file.fileno(), data, at)

    def read(self, start: int, length: int) -> bytes:
        if self._file is None:
            return bytes(self._head[start : start + length])
        try:
            return os.pread(self._file.fileno(), length, start)
        except OSError:
            return b""  # a broken disk shows empty lines; it must not end the program

    def clear(self) -> None:
        self._head = bytearray()
        if self._file:
            self._file.close()
        self._file = None

    def __del__(self) -> None:
        self.clear()  # copies live as long as their session, which nobody closes


class LogCopy:
    """One log. `generation` changes when it was truncated or replaced; `rewound` then says why, and when.

    `failure` says why no more of it can be kept here.
    """

    def __init__(self, generation: int = 0, rewound: tuple[str, float | None] | None = None) -> None:
        self._bytes = _Bytes()
        self.generation = generation
        self.rewound = rewound
        self._forget()

    def _forget(self) -> None:
        self.size = 0
        self.failure = ""
        self._newlines = 0
        self._before = array("Q", [0])
        self._positions: dict[int, array[int]] = {}
        self._piece_ends = array("Q")
        self._piece_times = array("d")

    def write(self, offset: int, data: bytes, at: float | None = None) -> None:
        """Take bytes in that stand at `offset` and came at the time `at`; what is known already is not taken twice."""
        if offset > self.size:
            return  # a hole: whoever follows will read it again from where it is known
        data = data[self.size - offset :]
        if not data:
            return
        try:
            self._bytes.append(data, self.size)
        except OSError as error:
            # what follows is a hole now, so the copy stays the true beginning of the log
            self.failure = error.strerror or str(error)
            return
        self.failure = ""
        self._positions.pop(self.size // BLOCK, None)
        done = 0
        while done < len(data):
            stop = min(len(data), done + BLOCK - (self.size + done) % BLOCK)
            self._newlines += data.count(b"\n", done, stop)
            done = stop
            if (self.size + done) % BLOCK == 0:
                self._before.append(self._newlines)
        self.size += len(data)
        if self._piece_times and self._piece_times[-1] == at:
            self._piece_ends[-1] = self.size
        else:
            self._piece_ends.append(self.size)
            self._piece_times.append(float("nan") if at is None else at)

    def rewind(self, why: str = "", at: float | None = None) -> None:
        """Forget everything: the log is another one now."""
        self._bytes.clear()
        self._forget()
        self.generation += 1
        self.rewound = (why, at)

    def lines(self, limit: int | None = None) -> int:
        """How many lines have begun in the first `limit` bytes; a last line without an end counts."""
        size = self._known(limit)
        whole = self.whole_lines(size)
        return whole + (self._start(whole) < size)

    def whole_lines(self, limit: int | None = None) -> int:
        """How many lines have ended in the first `limit` bytes."""
        size = self._known(limit)
        return self._newlines if size == self.size else self.line_at(size)

    def line_at(self, offset: int) -> int:
        """The line that holds the byte at `offset`."""
        block = offset // BLOCK
        if block >= len(self._before):
            return self._newlines
        return int(self._before[block]) + bisect_left(self._in_block(block), offset - block * BLOCK)

    def span(self, number: int, limit: int | None = None) -> tuple[int, int]:
        """Where the bytes of a line begin and end, its newline included; an empty span past the end."""
        size = self._known(limit)
        if number > self._newlines:
            return size, size
        start = self._start(number)
        end = self._start(number + 1) if number < self._newlines else size
        return min(start, size), min(end, size)

    def read(self, start: int, length: int) -> bytes:
        """Bytes as they are on the host."""
        return self._bytes.read(start, max(0, min(length, self.size - start)))

    def shown(self, number: int, limit: int | None = None) -> bytes:
        """The last version of a line, at most LONGEST bytes of it."""
        return self._cut(number, limit)[0]

    def line(self, number: int, limit: int | None = None) -> str:
        """Line `number` from 0, safe to show, its last version; "" past the end. What is cut off is counted."""
        data, more = self._cut(number, limit)
        text = safe(decode(data))
        return f"{text}… {more:,} bytes more" if more else text

    def arrived(self, number: int, limit: int | None = None) -> float | None:
        """When the end of a line was read here (Site's clock), None where that is not known."""
        start, end = self.span(number, limit)
        piece = bisect_right(self._piece_ends, max(start, end - 1))
        if start == end or piece >= len(self._piece_times):
            return None
        at = self._piece_times[piece]
        return None if at != at else at  # noqa: PLR0124  not a number: unknown

    def close(self) -> None:
        """Let the bytes go."""
        self._bytes.clear()
        self._forget()

    def _known(self, limit: int | None) -> int:
        return self.size if limit is None else max(0, min(limit, self.size))

    def _start(self, number: int) -> int:
        """Where a line begins: behind the newline that ends the line before."""
        if number <= 0:
            return 0
        block = bisect_left(self._before, number) - 1
        return block * BLOCK + self._in_block(block)[number - int(self._before[block]) - 1] + 1

    def _in_block(self, block: int) -> array[int]:
        """Where in a block its newlines are."""
        held = self._positions.pop(block, None)
        if held is None:
            data = self.read(block * BLOCK, BLOCK)
            held = array("I", [found.start() for found in _NEWLINE.finditer(data)])
            while len(self._positions) >= _BLOCKS_KEPT:
                del self._positions[next(iter(self._positions))]
        self._positions[block] = held  # the one used last stands last
        return held

    def _cut(self, number: int, limit: int | None) -> tuple[bytes, int]:
        """What is shown of a line, and how many bytes of its last version are not."""
        start, end = self.span(number, limit)
        if end - start <= BLOCK:
            version = self.read(start, end - start).rstrip(b"\r\n").rpartition(b"\r")[2]
            data = version[:LONGEST]
            return (data if len(version) <= LONGEST else _whole_characters(data)), max(0, len(version) - LONGEST)
        start, end = self._last_version(start, end)
        if end - start <= LONGEST:
            return self.read(start, end - start), 0
        return _whole_characters(self.read(start, LONGEST)), end - start - LONGEST

    def _last_version(self, start: int, end: int) -> tuple[int, int]:
        """Where the last version of a long line begins and ends, its end of line left out."""
        oldest = max(start, end - _LOOKED_THROUGH)
        at, found_end = end, False
        while at > oldest:
            before = max(oldest, at - BLOCK)
            data = self.read(before, at - before)
            if not found_end:
                text = data.rstrip(b"\r\n")
                end = before + len(text)
                found_end = bool(text)
                data = text
            place = data.rfind(b"\r")
            if found_end and place >= 0:
                return before + place + 1, end
            at = before
        return (start, end) if oldest == start else (oldest, end)


class LogCopies:
    """The copies of all logs of a live session, by host and source, and its `replies`. Fed from its events."""

    def __init__(self) -> None:
        self.replies = Replies()
        self._copies: dict[tuple[str, str], LogCopy] = {}

    def on_event(self, _state: State, event: Event | None) -> None:
        """Take an event in."""
        self.replies.on_event(event)
        if isinstance(event, LogRead):
            self.get(event.host, event.source).write(event.offset, event.data.data, event.t)
        elif isinstance(event, LogRewound):
            self.get(event.host, event.source).rewind(event.why, event.t)

    def get(self, host: str, source: str, at: float | None = None) -> LogCopy:
        """The copy of a log, empty when nothing of it has been read. A live session knows no other moment than now."""
        return self._copies.setdefault((host, source), LogCopy())

    @property
    def known(self) -> Mapping[tuple[str, str], LogCopy]:
        """All copies."""
        return self._copies


def _write_all(number: int, data: bytes | bytearray, at: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(number, view, at)
        view, at = view[written:], at + written


def _whole_characters(data: bytes) -> bytes:
    """Without the beginning of a UTF-8 character that was cut."""
    for back in range(1, min(4, len(data) + 1)):
        byte = data[-back]
        if byte & 0xC0 == 0xC0:
            needs = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return data[:-back] if needs > back else data
        if byte & 0x80 == 0:
            break
    return data
