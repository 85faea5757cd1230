"""Whole logs, kept here for looking at them: a million lines without a million strings.

The bytes lie in an unnamed temporary file, the memory holds where each line starts. A `\\r` ends a version of a line:
a progress line that was rewritten a hundred times is one line, its last version.
"""

from __future__ import annotations

import os
import tempfile
from array import array
from collections.abc import Mapping

from remote.events import Event, LogRead, LogRewound
from remote.text import decode, safe
from supervision.state import State

LONGEST = 4096
"""Bytes of a line that are read for showing it."""


class LogCopy:
    """One log. `lines` counts those that have begun; `generation` changes when it was truncated or replaced."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="restripe-log-")  # noqa: SIM115  lives as long as the copy
        self._starts = array("Q", [0])
        self.size = 0
        self.generation = 0

    def write(self, offset: int, data: bytes) -> None:
        """Take bytes in that stand at `offset`; what is known already is not taken twice."""
        if offset > self.size:
            return  # a hole: whoever follows will read it again from where it is known
        data = data[self.size - offset :]
        if not data:
            return
        os.pwrite(self._file.fileno(), data, self.size)
        at = data.find(b"\n")
        while at >= 0:
            self._starts.append(self.size + at + 1)
            at = data.find(b"\n", at + 1)
        self.size += len(data)

    def rewind(self) -> None:
        """Forget everything: the log is another one now."""
        os.ftruncate(self._file.fileno(), 0)
        self._starts = array("Q", [0])
        self.size = 0
        self.generation += 1

    def lines(self, limit: int | None = None) -> int:
        """How many lines there are in the first `limit` bytes; a last line without an end counts."""
        size = self.size if limit is None else min(limit, self.size)
        low, high = 0, len(self._starts)
        while low < high:
            middle = (low + high) // 2
            if self._starts[middle] < size:
                low = middle + 1
            else:
                high = middle
        return low

    def line(self, number: int, limit: int | None = None) -> str:
        """Line `number` from 0, safe to show, its last version; "" past the end."""
        size = self.size if limit is None else min(limit, self.size)
        if number >= len(self._starts) or self._starts[number] >= size:
            return ""
        start = self._starts[number]
        end = self._starts[number + 1] if number + 1 < len(self._starts) else size
        end = min(end, size)
        # of a line that was rewritten in place only the end of its bytes matters
        data = os.pread(self._file.fileno(), min(end - start, LONGEST), start)
        if end - start > LONGEST:
            tail = os.pread(self._file.fileno(), LONGEST, end - LONGEST)
            if b"\r" in tail.rstrip(b"\r\n"):
                data = tail
        versions = [version for version in data.rstrip(b"\r\n").split(b"\r") if version]
        return safe(decode(versions[-1])) if versions else ""

    def close(self) -> None:
        """Let the bytes go."""
        self._file.close()


class LogCopies:
    """The copies of all logs of a session, by host and source. Fed from events, live or replayed."""

    def __init__(self) -> None:
        self._copies: dict[tuple[str, str], LogCopy] = {}

    def on_event(self, _state: State, event: Event | None) -> None:
        """Take an event in."""
        if isinstance(event, LogRead):
            self.get(event.host, event.source).write(event.offset, event.data.data)
        elif isinstance(event, LogRewound):
            self.get(event.host, event.source).rewind()

    def get(self, host: str, source: str) -> LogCopy:
        """The copy of a log, empty when nothing of it has been read."""
        return self._copies.setdefault((host, source), LogCopy())

    @property
    def known(self) -> Mapping[tuple[str, str], LogCopy]:
        """All copies."""
        return self._copies
