"""Where the events of a recording stand and when they were, without reading what they say.

A day of a large cluster is hundreds of megabytes, most of it long answers. To move in it one needs of each line only
its offset and its time; the rest is read when it is wanted. The file may still be written by another process: lines
that are added are taken in, and a last line without its end is waited for.
"""

from __future__ import annotations

import os
import time
from array import array
from bisect import bisect_right
from pathlib import Path
from typing import get_args

import msgspec

from remote.events import Event, Marked, decode
from remote.recording import LONGEST_HEADER, Recording, RecordingError

CHUNK = 1 << 18
"""Bytes that are looked through at once: a few milliseconds."""
LIVE_SECONDS = 600.0
"""Seconds (real) without a new event after which nobody seems to be writing any more; a session asks oftener."""
_TAILS = (1 << 16, 1 << 20, 1 << 24)
_BAD = (msgspec.MsgspecError, ValueError, RecursionError)


class _Line(msgspec.Struct):
    """What is wanted of a line. The rest is only looked at as far as it takes to know that it is JSON."""

    k: str
    t: float


_line = msgspec.json.Decoder(_Line)
_KINDS = frozenset(str(kind.__struct_config__.tag) for kind in get_args(Event))


class Index:
    """The lines of a recording that are events, as far as they have been looked through; they are called entries.

    `skipped` counts lines that are none, `partial` the bytes of a last line without an end, `closed` is whether the
    session has ended by itself. `trouble` says why the file is no longer followed. Raises RecordingError for a file
    that is no recording.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header = Recording(path).header
        try:
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise RecordingError(f"{path}: {error.strerror}") from None
        head = os.pread(self._file, LONGEST_HEADER, 0).partition(b"\n")
        self._end = len(head[0]) + len(head[1])
        self._offsets = array("Q")
        self._times = array("d")
        self.marks: list[Marked] = []
        self.skipped = 0
        self.partial = 0
        self.closed = False
        self.trouble = ""
        self._size = 0
        self._modified = 0.0
        self.look()
        self._ends_at = self._last_time()

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            os.close(self._file)

    def __len__(self) -> int:
        return len(self._offsets)

    @property
    def last(self) -> float:
        """The latest time of all events, also of those that have not been looked at yet (Site's clock)."""
        known = self._times[-1] if self._times else self.header.began
        return known if self.whole else max(known, self._ends_at)

    @property
    def whole(self) -> bool:
        """Whether everything that is in the file has been looked through."""
        return bool(self.trouble) or self._end + self.partial >= self._size

    @property
    def live(self) -> bool:
        """Whether it seems to be written still: it was written lately, and does not say that it ended."""
        return not self.closed and not self.trouble and time.time() - self._modified < LIVE_SECONDS

    def time(self, entry: int) -> float:
        """When an event was; never before the one before it, like the state's clock."""
        return self._times[entry]

    def count_at(self, t: float) -> int:
        """How many of the events that are known had happened at the time `t`."""
        return bisect_right(self._times, t)

    def share(self, entry: int) -> float:
        """How large a part of the file lies before an entry, between 0 and 1."""
        return min(1.0, self.offset(entry) / self._size) if self._size else 1.0

    def offset(self, entry: int) -> int:
        """Where an entry begins in the file; for one past the last, how far the file has been looked through."""
        return self._offsets[entry] if entry < len(self._offsets) else self._end

    def line(self, entry: int) -> bytes:
        """The line of an entry, read from the file; empty when it cannot be read any more."""
        start, end = self.offset(entry), self.offset(entry + 1)
        try:
            return os.pread(self._file, end - start, start).partition(b"\n")[0]  # what follows was skipped
        except OSError:
            return b""

    def look(self) -> None:
        """See how large the file is now, and whether it is still the same."""
        if self.trouble:
            return
        try:
            here = os.fstat(self._file)
            self._size, self._modified = here.st_size, here.st_mtime
            if self._size < self._end + self.partial:
                self.trouble = "the recording was truncated; what was read before is shown"
                return
            there = self.path.stat()
        except FileNotFoundError:
            self.trouble = "the recording was removed; what was read before is shown"
        except OSError as error:
            self.trouble = f"the recording cannot be read any more: {error.strerror}"
        else:
            if (here.st_dev, here.st_ino) != (there.st_dev, there.st_ino):
                self.trouble = "another file has taken the recording's place; the old one is shown"

    def extend(self, most: int = CHUNK) -> bool:
        """Look through some more of the file; whether there was anything."""
        if self.trouble:
            return False
        while True:
            try:
                data = os.pread(self._file, most, self._end)
            except OSError as error:
                self.trouble = f"the recording cannot be read any more: {error.strerror}"
                return False
            whole = data.rfind(b"\n") + 1
            if whole:
                break
            if len(data) < most:
                self.partial = len(data)
                return False
            most *= 4
        self.partial = 0
        for line in data[: whole - 1].split(b"\n"):
            self._take(line)
            self._end += len(line) + 1
        self._size = max(self._size, self._end)
        return True

    def extend_whole(self) -> None:
        """Look through all of it. Blocks: about a second for half a gigabyte."""
        while self.extend(CHUNK * 4):
            pass

    def _take(self, line: bytes) -> None:
        try:
            found = _line.decode(line)
            if found.k == "mark":
                mark = decode(line)
                assert isinstance(mark, Marked)
                self.marks.append(mark)
        except _BAD:
            self.skipped += 1
            return
        if found.k not in _KINDS:
            self.skipped += 1
            return
        self.closed = found.k == "closed"
        self._offsets.append(self._end)
        self._times.append(max(found.t, self._times[-1]) if self._times else found.t)

    def _last_time(self) -> float:
        """When the last event was: how long the session is can be told at once."""
        for tail in _TAILS:
            start = max(self._end, self._size - tail)
            data = os.pread(self._file, self._size - start, start)
            for line in reversed(data.split(b"\n")[1 if start > self._end else 0 : -1]):
                try:
                    return _line.decode(line).t
                except _BAD:
                    continue
            if start == self._end:
                break
        return self.header.began
