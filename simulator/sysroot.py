"""The files of a host's devices as they stand on this machine: written when first needed, and again after changes.

Each state is a directory of its own, put in place at once by a symbolic link. The one before it is kept, for those
who are in it. Files of equal content are one file: most are.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from simulator.devicetree import DEVICE_BYTES, Content, Directory, Entry, Link, tree
from simulator.hardware import Host


class Sysroot:
    """The tree of one host; `path` is what sessions know it by, `more` stands in it besides its devices."""

    def __init__(self, host: Host, path: Path, more: Mapping[str, Entry] | None = None) -> None:
        self.path = path
        self._more = more or {}
        self._host = host
        self._lock = asyncio.Lock()
        self._changes: int | None = None
        """Of which state of the host's devices the tree is; None before it is first written."""
        self._number = 0
        self._pipes: dict[str, Path] = {}
        # A session that is given up leaves its thread writing.
        self._writing = threading.Lock()

    async def ensure(self) -> None:
        """Write the tree if it is not that of the host's devices as they are now. Raises OSError."""
        async with self._lock:
            if self._changes == self._host.changes:
                return
            changes, entries = self._host.changes, {**tree(self._host), **self._more}
            await asyncio.to_thread(self._write, entries)
            self._changes = changes

    async def renew(self) -> None:
        """The same, for a tree that somebody has seen. Raises OSError."""
        if self._changes is not None:
            await self.ensure()

    def _write(self, entries: Mapping[str, Entry]) -> None:
        with self._writing:
            self._replace(entries)

    def _replace(self, entries: Mapping[str, Entry]) -> None:
        self._number += 1
        place = self._generation(self._number)
        _Writer(place, self._pipe).write(entries)
        beside = self.path.with_name("sysroot.new")
        beside.unlink(missing_ok=True)
        beside.symlink_to(place.name)
        beside.replace(self.path)
        self._release(entries)
        shutil.rmtree(self._generation(self._number - 2), ignore_errors=True)

    def _generation(self, number: int) -> Path:
        return self.path.with_name(f"sysroot.{number}")

    def _pipe(self, name: str) -> Path:
        """A pipe that nobody writes to. It is the same one in all trees, so that all who wait can be found."""
        if name not in self._pipes:
            pipe = self.path.with_name("pipes") / name.replace("/", ".")
            pipe.parent.mkdir(exist_ok=True)
            pipe.unlink(missing_ok=True)
            os.mkfifo(pipe, 0o644)
            self._pipes[name] = pipe
        return self._pipes[name]

    def _release(self, entries: Mapping[str, Entry]) -> None:
        """Give those who wait for a device that hangs no longer what they wanted to read."""
        for name in list(self._pipes):
            entry = entries.get(name)
            if isinstance(entry, Content) and entry.hangs:
                continue
            pipe = self._pipes.pop(name)
            # Nobody waits: then it cannot be opened.
            with contextlib.suppress(OSError):
                handle = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
                try:
                    os.write(handle, entry.data if isinstance(entry, Content) else b"")
                finally:
                    os.close(handle)
            pipe.unlink(missing_ok=True)


class _Writer:
    """Writes one tree. `pipe` gives the pipe for the file of a device that hangs."""

    def __init__(self, place: Path, pipe: Callable[[str], Path]) -> None:
        self._place = str(place)
        self._pipe = pipe
        self._known: dict[bytes, str] = {}
        self._made: set[str] = set()

    def write(self, entries: Mapping[str, Entry]) -> None:
        shutil.rmtree(self._place, ignore_errors=True)
        for name, entry in entries.items():
            path = f"{self._place}/{name}"
            if isinstance(entry, Directory):
                self._directory(path)
                continue
            self._directory(path.rpartition("/")[0])
            if isinstance(entry, Link):
                Path(path).symlink_to(entry.target)
            elif isinstance(entry, Content):
                if entry.hangs:
                    Path(path).hardlink_to(self._pipe(name))
                else:
                    self._file(path, entry.data, DEVICE_BYTES)
            else:
                self._file(path, entry.encode() if isinstance(entry, str) else entry)

    def _directory(self, path: str) -> None:
        if path not in self._made:
            Path(path).mkdir(0o755, parents=True, exist_ok=True)
            self._made.add(path)

    def _file(self, path: str, data: bytes, length: int = 0) -> None:
        if (other := self._known.get(data)) is not None:
            # A file system may not take that many links to a file.
            with contextlib.suppress(OSError):
                Path(path).hardlink_to(other)
                return
        with Path(path).open("wb") as file:
            file.write(data.rstrip(b"\0") if length else data)
            if length:
                file.truncate(length)
        self._known[data] = path
