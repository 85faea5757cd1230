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

import msgspec

from remote.events import Answered, Asked, Event, Exact, Header, Reply, Unanswered, decode, encode

VERSION = 1
MAX_WAITING = 64 << 20
"""Bytes that may wait for a slow disk before the recording is called failed."""


class RecordingError(Exception):
    """A recording that cannot be written or read, and what to do."""


class Writer:
    """Writes a recording from a thread of its own, so that a slow disk never holds up the loop.

    When the file cannot be written, `failure` says why; nothing raises, since watching goes on without it.
    """

    def __init__(self, path: Path, header: Header) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        except OSError as error:
            raise RecordingError(f"{path}: the recording cannot be created: {error.strerror}") from None
        self.path = path
        self.failure = ""
        self.size = 0
        self._queue: queue.SimpleQueue[bytes | threading.Event | None] = queue.SimpleQueue()
        self._waiting = 0
        self._lock = threading.Lock()
        self._asked: dict[int, Asked] = {}
        self._full: dict[tuple[str, tuple[str, ...]], tuple[int, Reply]] = {}
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
        if not done.wait(10.0):
            self.failure = self.failure or "the disk did not answer for 10 s"

    def close(self) -> None:
        """Write what waits and close the file. Blocks, at most for some seconds."""
        self._queue.put(None)
        self._thread.join(10.0)

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
            if asked:
                replies = tuple(
                    self._reference(event.n, (asked.host, command.argv), reply)
                    for command, reply in zip(asked.commands, event.replies, strict=True)
                )
                return msgspec.structs.replace(event, replies=replies)
        return event

    def _reference(self, n: int, key: tuple[str, tuple[str, ...]], reply: Reply) -> Reply:
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
        os.close(self._file)

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
            self.failure = error.strerror or str(error)


class Recording:
    """A recording read from a file. Iterating gives its events, each answer in full.

    `torn` is set when the last line was cut off by a crash; `skipped` counts lines that this version does not
    understand. Both are known after the iteration.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.torn = False
        self.skipped = 0
        try:
            with path.open("rb") as file:
                self.header = _read_header(path, file.readline())
        except OSError as error:
            raise RecordingError(f"{path}: {error.strerror}") from None

    def __iter__(self) -> Iterator[Event]:
        self.torn, self.skipped = False, 0
        asked: dict[int, Asked] = {}
        full: dict[tuple[str, tuple[str, ...]], Reply] = {}
        with self.path.open("rb") as file:
            file.readline()
            for line in file:
                if not line.endswith(b"\n"):
                    self.torn = True
                    return
                try:
                    event = decode(line)
                except (msgspec.MsgspecError, ValueError):
                    self.skipped += 1
                    continue
                if isinstance(event, Asked):
                    asked[event.n] = event
                elif isinstance(event, Answered):
                    event = _in_full(event, asked.pop(event.n, None), full)
                yield event


def _in_full(event: Answered, asked: Asked | None, full: dict[tuple[str, tuple[str, ...]], Reply]) -> Answered:
    """Put the earlier reply in the place of each reference to it."""
    if asked is None or len(asked.commands) != len(event.replies):
        return event
    replies = []
    for command, reply in zip(asked.commands, event.replies, strict=True):
        key = (asked.host, command.argv)
        if reply.same:
            replies.append(full.get(key, Reply(reply.rc, Exact(), Exact())))
        else:
            full[key] = reply
            replies.append(reply)
    return msgspec.structs.replace(event, replies=tuple(replies))


def _read_header(path: Path, line: bytes) -> Header:
    try:
        header = msgspec.json.decode(line, type=Header)
    except (msgspec.MsgspecError, ValueError):
        raise RecordingError(f"{path}: this is not a recording of restripe") from None
    if header.restripe > VERSION:
        raise RecordingError(
            f"{path}: recorded in format {header.restripe}, and this program knows {VERSION}: use a newer restripe"
        )
    return header
