"""The recording: JSON Lines, written as it happens, readable after any crash. docs/recording-format.md.

A session is recorded from its first question on. Secrets never get here: what is recorded are events, and no
event holds one.
"""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from remote.events import Answered, Asked, Event, Header, Reply, Unanswered, decode, encode

VERSION = 1
MAX_WAITING = 64 << 20
"""Bytes that may wait for a slow disk before the recording is called failed."""
PATIENCE = 10.0
"""Seconds that a caller waits for the disk."""
LONGEST_HEADER = 1 << 20
"""Bytes. What has no line end within them is no recording, and is not read on."""

T = TypeVar("T")
Key = tuple[str, tuple[str, ...]]
"""A question: its host and its argv."""


class RecordingError(Exception):
    """A recording that cannot be written or read, and what to do."""


class Writer:
    """Writes a recording from a thread of its own, so that a slow disk never holds up the loop.

    When the file cannot be written, `failure` says why; nothing raises, since watching goes on without it.
    """

    def __init__(self, path: Path, header: Header) -> None:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
            os.fchmod(self._file, 0o600)  # an umask can take from the owner too
        except OSError as error:
            raise RecordingError(f"{path}: the recording cannot be created: {error.strerror}") from None
        self.path = path
        self.failure = ""
        self.size = 0
        self._queue: queue.SimpleQueue[bytes | threading.Event | None] = queue.SimpleQueue()
        self._waiting = 0
        self._lock = threading.Lock()
        self._asked: dict[int, Asked] = {}
        self._full: dict[Key, tuple[int, Reply]] = {}
        self._thread = threading.Thread(target=self._write_all, name="recording", daemon=True)
        self._thread.start()
        self._put(encode(header))

    def write(self, event: Event) -> None:
        """Write one event. Returns at once."""
        self._put(encode(self._shortened(event)))

    async def sync(self) -> None:
        """Wait until all that was written is on the disk."""
        await asyncio.to_thread(self.sync_now)

    def sync_now(self) -> None:
        """The same for callers outside the loop. Blocks, at most for some seconds."""
        done = threading.Event()
        self._queue.put(done)
        if not done.wait(PATIENCE):
            self._fail(f"the disk did not answer for {PATIENCE:g} s")

    def close(self) -> None:
        """Write what waits and close the file. Blocks, at most for some seconds."""
        self._queue.put(None)
        self._thread.join(PATIENCE)
        if self._thread.is_alive():
            self._fail(f"the disk did not answer for {PATIENCE:g} s")

    def _put(self, line: bytes) -> None:
        with self._lock:
            if self.failure or self._waiting + len(line) > MAX_WAITING:
                self.failure = self.failure or "the disk is too slow for what happens"
                return
            self._waiting += len(line) + 1
        self._queue.put(line + b"\n")

    def _shortened(self, event: Event) -> Event:
        """Leave out an answer that is the same as the one before to the same question."""
        if isinstance(event, Asked):
            self._asked[event.n] = event
        elif isinstance(event, Unanswered):
            self._asked.pop(event.n, None)
        elif isinstance(event, Answered):
            asked = self._asked.pop(event.n, None)
            if asked and len(asked.commands) == len(event.replies):
                replies = tuple(
                    self._reference(event.n, (asked.host, command.argv), reply)
                    for command, reply in zip(asked.commands, event.replies, strict=True)
                )
                return msgspec.structs.replace(event, replies=replies)
        return event

    def _reference(self, n: int, key: Key, reply: Reply) -> Reply:
        before = self._full.get(key)
        if before and before[1] == reply:
            return Reply(reply.rc, same=before[0])
        self._full[key] = (n, reply)
        return reply

    def _write_all(self) -> None:
        while True:
            item = self._queue.get()
            if item is None:
                break
            if isinstance(item, threading.Event):
                self._try(lambda: os.fsync(self._file))
                item.set()
                continue
            data = item
            self._try(lambda data=data: self._write(data))  # type: ignore[misc]
            with self._lock:
                self._waiting -= len(data)
        self._try(lambda: os.fsync(self._file))
        try:
            os.close(self._file)
        except OSError as error:
            self._fail(error.strerror or str(error))  # a network disk may tell only now that it was full

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view) :]
        self.size += len(data)

    def _try(self, action: Callable[[], None]) -> None:
        if self.failure:
            return
        try:
            action()
        except OSError as error:
            self._fail(error.strerror or str(error))

    def _fail(self, why: str) -> None:
        self.failure = self.failure or why


class _Version(msgspec.Struct):
    restripe: int


class Recording:
    """A recording read from a file. Iterating gives its events, each answer in full.

    `torn` is set when the last line was cut off by a crash; `skipped` counts lines that this version does not
    understand, and answers that stand in a line that is lost: they count as unanswered. Both are known after the
    iteration. Raises RecordingError for a file that is no recording or cannot be read, and nothing else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.torn = False
        self.skipped = 0
        try:
            with path.open("rb") as file:
                self.header = _read_header(path, file.readline(LONGEST_HEADER))
        except OSError as error:
            raise RecordingError(f"{path}: {error.strerror}") from None

    def __iter__(self) -> Iterator[Event]:
        self.torn, self.skipped = False, 0
        asked: dict[int, Asked] = {}
        full: dict[Key, tuple[int, Reply]] = {}
        for line in self._lines():
            if not line.endswith(b"\n"):
                self.torn = True
                return
            try:
                event = decode(line)
            except (msgspec.MsgspecError, ValueError, RecursionError):
                self.skipped += 1
                continue
            if isinstance(event, Asked):
                asked[event.n] = event
            elif isinstance(event, Unanswered):
                asked.pop(event.n, None)
            elif isinstance(event, Answered):
                whole = _in_full(event, asked.pop(event.n, None), full)
                self.skipped += whole is None
                event = whole or Unanswered(event.t, event.n, "the recording has lost this answer")
            yield event

    def _lines(self) -> Iterator[bytes]:
        """All lines after the header."""
        try:
            with self.path.open("rb") as file:
                file.readline(LONGEST_HEADER)
                yield from file
        except OSError as error:
            raise RecordingError(f"{self.path}: {error.strerror}") from None


def _in_full(event: Answered, asked: Asked | None, full: dict[Key, tuple[int, Reply]]) -> Answered | None:
    """Put the earlier reply in the place of each reference to it; None when what is meant is not there."""
    if asked is None or len(asked.commands) != len(event.replies):
        return None if any(reply.same for reply in event.replies) else event
    replies = []
    for command, reply in zip(asked.commands, event.replies, strict=True):
        key = (asked.host, command.argv)
        if not reply.same:
            full[key] = (event.n, reply)
        elif full.get(key, (0, reply))[0] != reply.same:
            return None  # an older answer to the same question is another answer
        replies.append(full[key][1])
    return msgspec.structs.replace(event, replies=tuple(replies))


def _read_header(path: Path, line: bytes) -> Header:
    # the version first: a newer header may be otherwise unlike ours
    version = _decoded(path, line, _Version).restripe
    if version > VERSION:
        raise RecordingError(
            f"{path}: recorded in format {version}, and this program knows {VERSION}: use a newer restripe"
        )
    return _decoded(path, line, Header)


def _decoded(path: Path, line: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise RecordingError(f"{path}: this is not a recording of restripe") from None
