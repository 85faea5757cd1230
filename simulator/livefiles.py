"""Files of a host that change by themselves: its logs, the counters of its disks, and its mount of the file system.

They lie beside the trees of its devices, which lead to them by links. Logs are appended to as lines are written.
Counters are written when somebody begins a session on the host, and every real second for a minute after that.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO

from simulator.clock import MST
from simulator.devicetree import Link
from simulator.hardware import Host
from simulator.hostlogs import FILES, MESSAGES
from simulator.traffic import Traffic
from simulator.world import World

EVERY = 1.0
STAYS = 60.0
"""Real seconds after the last look for which counters are kept current."""
COST = 20.0
"""Where writing takes long, it is done no more often than so many times that."""


class LiveFiles:
    """Those of one host, below `place`; `shared` is the directory that all hosts mount as the file system."""

    def __init__(self, world: World, host: Host, traffic: Traffic, place: Path, shared: Path) -> None:
        self._world = world
        self._host = host
        self._traffic = traffic
        self._place = place
        self._shared = shared
        self._ready = False
        self._names: dict[str, str] = {}
        self._open: dict[str, IO[bytes]] = {}
        self._looked = 0.0
        self._next = 0.0
        self._keeping: asyncio.Task[None] | None = None

    @property
    def links(self) -> Mapping[str, Link]:
        """What leads here from a host's tree, which lies beside `place`."""
        fs = self._world.cluster.fs
        mount = (fs.mount_point or f"/{fs.name}").strip("/")
        up = "../" * mount.count("/")
        inside = self._place.name
        return {
            "var/adm": Link(f"../../{inside}/adm"),
            "var/log": Link(f"../../{inside}/log"),
            "proc/diskstats": Link(f"../../{inside}/diskstats"),
            "proc/stat": Link(f"../../{inside}/stat"),
            mount: Link(f"{up}../{os.path.relpath(self._shared, self._place.parent)}"),
        }

    def look(self) -> None:
        """Somebody looks: write what is not there, and keep the rest current for a while. Raises OSError."""
        if not self._ready:
            self._begin()
        self._looked = time.monotonic()
        self._refresh()
        if self._keeping is None or self._keeping.done():
            self._keeping = asyncio.create_task(self._keep())

    async def stop(self) -> None:
        """Keep nothing current any more."""
        while self._open:
            self._open.popitem()[1].close()
        self._ready = False
        for file in FILES:
            self._world.logs.file(self._host.name, file).watch = None
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.gather(self._keeping, return_exceptions=True)

    async def _keep(self) -> None:
        while time.monotonic() < self._looked + STAYS:
            await asyncio.sleep(EVERY)
            with contextlib.suppress(OSError):
                self._refresh()

    def _refresh(self) -> None:
        began = time.monotonic()
        if began < self._next:
            return
        for name, text in (
            ("diskstats", self._traffic.diskstats(self._host)),
            ("stat", self._traffic.stat(self._host)),
        ):
            new = self._place / f"{name}.new"
            new.write_text(text, encoding="ascii")
            new.replace(self._place / name)
        self._next = began + COST * (time.monotonic() - began) if time.monotonic() - began > EVERY / COST else 0.0

    def _begin(self) -> None:
        for directory in (self._place / "adm" / "ras", self._place / "log"):
            directory.mkdir(mode=0o755, parents=True, exist_ok=True)
        for file in FILES:
            log = self._world.logs.file(self._host.name, file)
            if log.previous:
                self._write(file, log.previous)
                self._new(file)
            self._write(file, log.lines)
            log.watch = partial(self._told, file)
        self._ready = True

    def _told(self, file: str, text: str | None) -> None:
        # A host whose disk is full loses lines, and says nothing.
        with contextlib.suppress(OSError):
            if text is None:
                self._new(file)
                self._write(file, [])
            else:
                self._write(file, [text])

    def _write(self, file: str, lines: list[str]) -> None:
        if file not in self._open:
            self._open[file] = self._path(file).open("ab", buffering=0)
        self._open[file].write("".join(lines).encode("utf-8", "surrogateescape"))

    def _path(self, file: str) -> Path:
        """The present file; that of GPFS has the time of its beginning in its name, and a link leads to it."""
        if file == MESSAGES:
            return self._place / "log" / "messages"
        if file not in self._names:
            now = datetime.fromtimestamp(self._world.clock.now(), MST)
            self._names[file] = self._unused(f"mmfs.log.{now:%Y.%m.%d.%H.%M.%S}.{self._host.name}")
            self._link("mmfs.log.latest", self._names[file])
        return self._place / "adm" / "ras" / self._names[file]

    def _unused(self, name: str) -> str:
        place, number, found = self._place / "adm" / "ras", 1, name
        while (place / found).exists():
            number += 1
            found = f"{name}.{number}"
        return found

    def _link(self, name: str, target: str) -> None:
        place = self._place / "adm" / "ras"
        (place / f"{name}.new").unlink(missing_ok=True)
        (place / f"{name}.new").symlink_to(target)
        (place / f"{name}.new").replace(place / name)

    def _new(self, file: str) -> None:
        """What is written next begins a file; the one before it is kept, older ones are removed."""
        if (out := self._open.pop(file, None)) is not None:
            out.close()
        if file == MESSAGES:
            with contextlib.suppress(FileNotFoundError):
                (self._place / "log" / "messages").replace(self._place / "log" / "messages-1")
            return
        old = self._names.pop(file, None)
        if old is None:
            return
        for each in (self._place / "adm" / "ras").glob("mmfs.log.2*"):
            if each.name != old:
                each.unlink()
        self._link("mmfs.log.previous", old)
