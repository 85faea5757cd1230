"""`mmrestripefs -r`: the work in the daemons, and the command that only reports it."""

from __future__ import annotations

import asyncio
import math
from typing import Any

from simulator import moves, timeline
from simulator.clock import ctime
from simulator.state import FileSystem
from simulator.usage import CommandError, UsageError, parse
from simulator.world import Call, World

ABORT_AFTER = 40.0
"""Simulated seconds that the daemons go on after the command has died (policy `client_death` = `abort`)."""


class RestripeRun:
    """One run. The disks follow the inode counter; lines for the command stand in a queue, None ends it."""

    def __init__(self, world: World, fs: FileSystem, call: Call) -> None:
        self._world = world
        self._fs = fs
        self._host = call.host.name
        self._plan = moves.plan(fs)
        kind = timeline.short if self._plan.idle else timeline.full
        self._timeline = kind(fs.inodes.allocated)
        self.started = world.clock.now()
        # Stamps are whole seconds; so is the moment they are counted from.
        self._base = float(math.ceil(self.started + timeline.FIRST_LINE_AFTER))
        self._limit = math.inf
        self.failure: tuple[str, ...] = ()
        self._whole = self._timeline.inodes_total
        if self._plan.unplaced_kb:
            # All that finds room has been moved when this part of the inodes has been scanned.
            offset = self._timeline.offset_of(self._plan.reach)
            self._limit = self._base + offset
            self._whole = max(1, self._timeline.inodes_at(offset))
            self.failure = ("Not enough space for the desired number of replicas.",)
        self._over = False
        self._changed = asyncio.Event()
        self.lines: asyncio.Queue[str | None] = asyncio.Queue()

    def _inodes(self) -> int:
        moment = min(self._world.clock.now(), self._limit)
        return self._timeline.inodes_at(moment - self._base)

    def advance(self) -> None:
        """Bring the disks up to the present moment."""
        if not self._over:
            self._plan.apply(self._fs, self._inodes(), self._whole)

    def report(self) -> dict[str, Any]:
        """How far it is."""
        done, total = self._inodes(), self._timeline.inodes_total
        return {
            "host": self._host,
            "started": self.started,
            "first_line": self._base,
            "inodes": done,
            "inodes_total": total,
            "ends": self._base + self._timeline.length if self._limit == math.inf else self._limit,
        }

    def client_died(self) -> None:
        """The command is gone: stop soon, or go on to the end, as the policy says."""
        if self._world.policies.client_death == "abort":
            self._limit = min(self._limit, self._world.clock.now() + ABORT_AFTER)
            self.failure = self.failure or ("The command was terminated.",)
            self._changed.set()

    async def _until(self, due: float) -> bool:
        """Wait for a moment; False if the run ends before it."""
        clock = self._world.clock
        while (left := min(due, self._limit) - clock.now()) > 0:
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), left / clock.speed)
            except TimeoutError:
                continue
        return due <= self._limit

    async def work(self) -> None:
        """Scan to the end, to the last free block, or until it is aborted; then free the file system."""
        try:
            for line in self._timeline.lines:
                due = self._base + line.offset
                if not await self._until(due):
                    break
                stamp = f"{ctime(due)}{line.tail}" if line.stamped else ""
                self.lines.put_nowait(f"{line.text}{stamp}\n")
            else:
                self._over = True
                self._plan.settle(self._fs, self._whole, self._whole)
                self._fs.properly_replicated = True
        finally:
            if not self._over:
                self._over = True
                self._plan.settle(self._fs, self._inodes(), self._whole)
            self._world.run = None
            self._world.release()
            self.lines.put_nowait(None)


def _check_nodes(world: World, nodes: str) -> None:
    names = list(world.cluster.hosts) if nodes == "all" else nodes.split(",")
    for name in names:
        host = world.cluster.find_host(name)
        if host is None:
            raise CommandError(f"mmrestripefs: Incorrect node {name} specified for command.")
        if host.name in world.policies.down_nodes:
            raise CommandError(f"mmrestripefs: GPFS is not active on node {host.admin_name}.")


def _check_replicas(fs: FileSystem) -> None:
    groups = [disk.failure_group for disk in fs.disks if disk.holds_metadata]
    # -1 says that a disk shares no point of failure with any other.
    distinct = len({group for group in groups if group != "-1"}) + groups.count("-1")
    if distinct < fs.metadata_replicas:
        raise CommandError("The desired replication factor exceeds the number of available failure groups.")


async def mmrestripefs(world: World, call: Call) -> None:
    """Move what lies on disks that may not hold it. Killing the command does not kill the work at once."""
    given = parse(call.argv[1:], "-m -r -b -R -p", "-N -P")
    fs = world.file_system(call, given.word(0))
    given.end(1)
    mode = given.one_of("-m", "-r", "-b", "-R", "-p")
    if not mode:
        raise UsageError("Missing arguments.")
    if mode != "-r":
        raise CommandError(f"mmrestripefs: {mode} is not simulated.")
    world.need_daemon(call)
    _check_nodes(world, given.options.get("-N", "all"))
    await world.acquire(call, fs)
    try:
        _check_replicas(fs)
        run = RestripeRun(world, fs, call)
    except BaseException:
        world.release()
        raise
    world.run = run
    world.start(run.work())
    try:
        while (text := await run.lines.get()) is not None:
            await call.emit(text)
    except BaseException:
        run.client_died()
        raise
    if run.failure:
        raise CommandError(*run.failure)
