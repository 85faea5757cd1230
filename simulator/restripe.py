"""A restripe: the work in the daemons. The command that reports it is elsewhere, and may die without it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from simulator import moves, qos, timeline
from simulator.clock import ctime
from simulator.pacing import Place
from simulator.state import EMPTIED, UP, FileSystem
from simulator.world import Call, World

ABORT_AFTER = 40.0
"""Simulated seconds that the daemons go on after the command has died (policy `client_death` = `abort`)."""

NO_SPACE = "Not enough space for the desired number of replicas."


class RestripeRun:
    """One run. The disks follow the inode counter; lines for the command stand in a queue, None ends it.

    `quick` is a run over metadata alone: it counts a third of the inodes. `goes_on` is `--pit-continues-on-error`.
    `nodes` are the hosts that work (-N), by default all that are active; without one of them the rest goes on.
    """

    def __init__(
        self,
        world: World,
        fs: FileSystem,
        call: Call,
        mode: str = "-r",
        *,
        quick: bool = False,
        goes_on: bool = False,
        nodes: Sequence[str] = (),
    ) -> None:
        self._world = world
        self._fs = fs
        self._host = call.host.name
        self._command = call.name
        self._mode = mode
        self._quick = quick
        self._goes_on = goes_on
        self._nodes = tuple(nodes) or tuple(
            name for name, host in world.cluster.hosts.items() if world.daemon_state(host) == "active"
        )
        self.helpers = self._nodes
        """Those of the nodes that work now; one that was lost does not come again before a new scan."""
        self.waiting_for: tuple[str, str, str] = ("", "", "")
        """Host, thread and reason of what it waits for while it stands still."""
        self.failure: tuple[str, ...] = ()
        self.errors: tuple[str, ...] = ()
        self._over = False
        self._again = False
        self._changed = asyncio.Event()
        self.lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._stop_at = math.inf
        self._silent_until = 0.0
        self._begin()

    def _begin(self) -> None:
        """Plan from the disks as they stand, and scan from the first phase on."""
        self._plan = moves.plan(self._fs, self._mode, metadata_only=self._quick)
        self._timeline = self._lines()
        self.started = self._world.clock.now()
        hosts = self._world.cluster.hosts
        self.helpers = tuple(name for name in self._nodes if self._world.daemon_state(hosts[name]) == "active")
        # Stamps are whole seconds; so is the moment they are counted from.
        self._base = float(math.ceil(self.started + timeline.FIRST_LINE_AFTER))
        self._place = Place(self._base, self._base, self._pace(), self._world.work)
        self._from = 0
        self._set_limit()

    def _lines(self) -> timeline.Timeline:
        fs, wide = self._fs, self._world.dialect.at_least(4, 2)
        # Those of snapshots are scanned too, and mmdf counts them nowhere.
        held = sum(each.inodes(fs.inode_bytes) for each in fs.snapshots)
        inodes = (fs.inodes.allocated + held) // (3 if self._quick else 1)
        if self._plan.idle and self._mode in moves.MOVING:
            return timeline.short(inodes, wide=wide)
        if fs.published_timeline and not self._quick and not held:
            return timeline.full(inodes, wide=wide)
        kb = sum(disk.metadata_kb + (0 if self._quick else disk.data_kb) for disk in fs.disks)
        return timeline.computed(inodes, kb >> 10, wide=wide)

    def _set_limit(self) -> None:
        """Where this plan ends: with the last inode, or when the room is used up."""
        self._whole = self._timeline.inodes_total
        self._last = math.inf
        if self._plan.unplaced_kb:
            # All that finds room has been moved when this part of the inodes has been scanned.
            share = (self._from + self._plan.reach * (self._whole - self._from)) / self._whole
            self._last = self._timeline.offset_of(share)
            self._whole = max(self._from + 1, self._timeline.inodes_at(self._last))

    def _pace(self) -> float:
        """The share of its full speed: what other load and lost helpers leave, at most what QoS allows."""
        free = self._world.load_factor * max(1, len(self.helpers)) / len(self._nodes)
        return min(free, qos.allowed_share(self._world, self._fs, self.helpers))

    def adjust(self) -> None:
        """Limits, load or helpers have changed: go on from here at another pace."""
        if not self._over:
            self._place.change(self._world.clock.now(), self._pace())
            self._changed.set()

    def lose(self, name: str) -> None:
        """A node is gone: the others go on without it, or there are none."""
        if name in self.helpers and not self._over:
            self.helpers = tuple(each for each in self.helpers if each != name)
            self.adjust()
            if not self.helpers:
                self.fail(("The file system daemon failed unexpectedly.",), after=1.0)

    def stand(self, until: float, waiting_for: tuple[str, str, str]) -> None:
        """Stand still until a moment, which may be infinite: nothing is scanned, moved or told."""
        self.waiting_for = waiting_for
        self._place.stand(self._world.clock.now(), until)
        self._changed.set()

    def go_on(self) -> None:
        """Stand no longer."""
        self._place.go_on(self._world.clock.now())
        self._changed.set()

    @property
    def standing_since(self) -> float | None:
        """Since when it stands still; None while it moves."""
        return self._place.standing_since if self._place.stands(self._world.clock.now()) else None

    def _due(self, offset: float) -> float:
        """The moment of an offset of the timeline."""
        return self._place.due(offset)

    def _end(self) -> float:
        return min(self._due(self._last), self._stop_at)

    def _inodes(self) -> int:
        moment = min(self._world.clock.now(), self._end())
        return min(self._whole, self._timeline.inodes_at(self._place.offset(moment)))

    def _done(self) -> tuple[int, int]:
        return max(0, self._inodes() - self._from), max(1, self._whole - self._from)

    def advance(self) -> None:
        """Bring the disks up to the present moment."""
        if not self._over:
            self._plan.apply(self._fs, *self._done())

    def replan(self) -> None:
        """The disks are about to change from outside: keep what was moved, and plan the rest anew afterwards."""
        if self._over:
            return
        self._from = self._inodes()
        self._plan = moves.plan(self._fs, self._mode, metadata_only=self._quick)
        self._set_limit()
        self._changed.set()

    def settle(self) -> None:
        """Bring the disks up to now for good: what follows starts from here. Call `replan` after the change."""
        if not self._over:
            self._plan.settle(self._fs, *self._done())

    def report(self) -> dict[str, Any]:
        """How far it is."""
        done, total = self._inodes(), self._timeline.inodes_total
        end = self._end()
        ends = self._due(self._timeline.length) if end == math.inf else end
        return {
            "host": self._host,
            "command": self._command,
            "started": self.started,
            "first_line": self._base,
            "inodes": done,
            "inodes_total": total,
            "ends": ends if ends < math.inf else None,
            "pace": self._place.pace,
            "standing_since": self.standing_since,
            "helpers": list(self.helpers),
        }

    def client_died(self) -> None:
        """The command is gone: stop soon, or go on to the end, as the policy says."""
        if self._world.policies.client_death == "abort":
            self.fail(("The command was terminated.",), after=ABORT_AFTER)

    def fail(self, reason: Sequence[str], after: float = 0.0) -> None:
        """End with these lines, a number of simulated seconds from now; the first reason stands."""
        self._stop_at = min(self._stop_at, self._world.clock.now() + after)
        self.failure = self.failure or tuple(reason)
        self._changed.set()

    def trouble(self, reason: Sequence[str]) -> None:
        """Something cannot be read: the end, or an error that is kept for the end."""
        if self._goes_on:
            self.errors = tuple(reason)
        else:
            self.fail(reason, after=1.0)

    def pause(self, seconds: float) -> None:
        """Tell nothing for a while (simulated seconds): the file system manager moves, the work goes on."""
        self._silent_until = max(self._silent_until, self._world.clock.now() + seconds)

    @property
    def host(self) -> str:
        """The host of the command that began it."""
        return self._host

    def start_over(self) -> None:
        """Scan again from the first phase (`restripeOnDiskFailure`): the lines begin anew in the same output."""
        if self._over:
            return
        self.settle()
        self._again = True
        self._changed.set()

    async def _until(self, due: Callable[[], float]) -> bool:
        """Wait for a moment, which may move meanwhile; False if the run ends or starts over before it."""
        clock = self._world.clock
        while not self._again and (left := min(due(), self._end()) - clock.now()) > 0:
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), left / clock.speed if left < math.inf else None)
            except TimeoutError:
                continue
        return not self._again and due() <= self._end()

    async def _scan(self) -> bool:
        """Tell the lines as they come due; True when the last one has been told."""
        for line in self._timeline.lines:
            if not await self._until(partial(self._due, line.offset)):
                return False
            due = self._due(line.offset)
            if not await self._until(lambda: self._silent_until):
                return False
            stamp = f"{ctime(due)}{line.tail}" if line.stamped else ""
            self.lines.put_nowait(f"{line.text}{stamp}\n")
        return True

    async def work(self) -> None:
        """Scan to the end, to the last free block, or until it is aborted."""
        try:
            while not (ended := await self._scan()) and self._again:
                self._again = False
                self._begin()
            if ended:
                self._over = True
                self._plan.settle(self._fs, max(1, self._whole - self._from), max(1, self._whole - self._from))
                self.failure = self.failure or self.errors
                if not self.failure:
                    self._finish()
            elif self._end() < self._stop_at:
                self.failure = self.failure or (NO_SPACE,)
        finally:
            if not self._over:
                self._plan.settle(self._fs, *self._done())
                self._over = True
            self._place.end(min(self._world.clock.now(), self._end()))
            self.lines.put_nowait(None)

    def _finish(self) -> None:
        """What a run that succeeded leaves behind."""
        fs, policies = self._fs, self._world.policies
        whole = not self._quick or policies.metadata_only_attention == "goes"
        if self._mode in ("-r", "-b", "-R") and whole and all(disk.availability == UP for disk in fs.disks):
            fs.properly_replicated = True
        if self._mode == "-b":
            fs.well_balanced = True
        for disk in fs.disks:
            if disk.leaving and self._world.dialect.at_least(4, 2) and not disk.metadata_kb + disk.data_kb:
                disk.status = EMPTIED


async def perform(world: World, call: Call, run: RestripeRun) -> None:
    """Start a run and tell its lines. If the command dies the run goes on alone, for a while or to its end.

    The caller has the file system to itself; the run gives it back when it ends. Returns when it has ended.
    """

    async def work() -> None:
        try:
            await run.work()
        finally:
            world.run = None
            world.release()

    world.run = run
    world.start(work())
    try:
        while (text := await run.lines.get()) is not None:
            await call.progress(text)
    except BaseException:
        run.client_died()
        raise
