"""The operations that happen to a restripe that runs, and to what it meets: its speed, its waiters, its snapshots."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from simulator import faults, telling
from simulator.given import Given
from simulator.state import Snapshot
from simulator.world import World

Answer = Callable[[Given], Awaitable[dict[str, Any]]]


class RunOperations:
    """`table` has them by name; see `simulator.control` for what each of them takes and answers."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.table: dict[str, Answer] = {
            "start_over": self._start_over,
            "stall": self._stall,
            "pace": self._pace,
            "waiter": self._waiter,
            "config": self._config,
            "snapshot": self._snapshot,
            "users": self._users,
        }

    async def _start_over(self, given: Given) -> dict[str, Any]:
        given.end()
        faults.start_over(self._world)
        return {}

    async def _stall(self, given: Given) -> dict[str, Any]:
        world = self._world
        seconds, release = given.number("seconds", 0), given.flag("release", default=False)
        disk = faults.find_disk(world, given.text("disk", world.cluster.fs.disks[0].name))
        device = world.cluster.local_device(disk.nsd, world.cluster.hosts[disk.nsd.servers[0]])
        thread = given.text("thread", "NSDThread")
        reason = given.text("reason", f"for I/O completion on disk {device.name if device else disk.name}")
        given.end()
        run = faults.release_stall(world) if release else faults.stall(world, seconds, disk, thread, reason)
        if not release:
            world.start(telling.long_waiters(world))
        return {"standing_since": run.standing_since, "host": "" if release else disk.nsd.servers[0]}

    async def _pace(self, given: Given) -> dict[str, Any]:
        factor = given.number("factor", low=0.001, high=100)
        given.end()
        faults.set_load(self._world, factor)
        return {"factor": factor}

    async def _waiter(self, given: Given) -> dict[str, Any]:
        machine, seconds = given.machine(), given.number("seconds", 300)
        thread, reason = given.text("thread", "NSDThread"), given.text("reason", "for I/O completion")
        given.end()
        faults.add_waiter(self._world, machine.host.name, thread, reason, seconds)
        return {"host": machine.host.name, "waiters": len(self._world.waiters[machine.host.name])}

    async def _config(self, given: Given) -> dict[str, Any]:
        parameter, value, nodes = given.text("parameter"), given.word("value"), given.text("nodes", "")
        given.end()
        faults.set_config(self._world, parameter, value, nodes)
        return {"config": self._world.cluster.config}

    async def _snapshot(self, given: Given) -> dict[str, Any]:
        fs, name = self._world.cluster.fs, given.word("name")
        delete = given.flag("delete", default=False)
        sizes = [
            int(given.number(each, default, high=1e15)) for each, default in (("metadata_kb", 2e6), ("data_kb", 2e8))
        ]
        given.end()
        before = [each for each in fs.snapshots if each.name != name]
        if delete == (len(before) == len(fs.snapshots)):
            raise ValueError(f"{'no' if delete else 'there is a'} snapshot {name} in file system {fs.name}")
        number = max((each.number for each in fs.snapshots), default=0) + 1
        new = Snapshot(name, number, self._world.clock.now(), "Valid", sizes[1], sizes[0])
        fs.snapshots = before if delete else [*before, new]
        return {"snapshots": {each.name: each.inodes(fs.inode_bytes) for each in fs.snapshots}}

    async def _users(self, given: Given) -> dict[str, Any]:
        users, hosts = self._world.users, given.machines()
        users.latency_ms = given.number("latency_ms", users.latency_ms, high=60_000)
        users.factor = given.number("factor", users.factor, low=1, high=1000)
        names = {machine.host.name for machine in hosts}
        if given.has("hang"):
            hang = given.flag("hang", default=True)
            users.hanging = users.hanging | names if hang else users.hanging - names
        given.end()
        users.change()
        share = self._world.work.rate(self._world.clock.now())
        return {
            "latency_ms": users.latency_ms,
            "factor": users.factor,
            "now_ms": users.mean_ms(share),
            "hanging": sorted(users.hanging),
        }
