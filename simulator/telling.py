"""What the hosts write into their logs when something happens to the cluster, and who of them does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from simulator.hardware import Host
from simulator.hostlogs import MESSAGES, MMFS, build
from simulator.state import Disk
from simulator.world import World

FIRST_LONG_WAITER = 300.0
"""Simulated seconds after which a thread that waits is written of; again after twice as long, and so on."""


def fields(world: World, host: Host, *, node: Host | None = None, **more: object) -> dict[str, Any]:
    """What the texts of a host's lines may name; `node` is the one that it speaks of."""
    of = node or host
    device = next(iter(host.devices), "sda")
    modern = world.dialect.at_least(4, 1)
    return {
        "fs": world.cluster.fs.name,
        "cluster": world.cluster.name,
        "version": build(world.dialect),
        "address": of.address,
        "node": of.daemon_name.partition(".")[0],
        "disk": world.cluster.fs.disks[0].name,
        "device": device,
        # The kernel has called it so since 3.14 or so; those of GPFS 3.5 are older.
        "request": "blk_update_request" if modern else "end_request",
        "sector": 8_388_608,
        "seconds": FIRST_LONG_WAITER,
        "thread": "NSDThread",
        "reason": "for I/O completion",
        "pid": world.daemon_of(host)[1],
        **more,
    }


def _up(world: World, names: Iterable[str]) -> Iterator[Host]:
    """Those of the hosts that are on."""
    for name in dict.fromkeys(names):
        if name not in world.powered_off:
            yield world.cluster.hosts[name]


def disks_failed(world: World, disks: list[Disk]) -> None:
    """The kernel of a disk's first server cannot reach it; that server and the manager tell that it has failed."""
    for disk in disks:
        for host in _up(world, disk.nsd.servers[:1]):
            device = world.cluster.local_device(disk.nsd, host)
            name = device.name if device else "sda"
            hctl = (device.hctl or device.paths[0].hctl) if device and (device.hctl or device.paths) else "0:0:0:0"
            world.logs.write(host.name, MESSAGES, f"sd {hctl}: rejecting I/O to offline device")
            world.logs.event(host.name, "io_error", fields(world, host, device=name, sector=disk.metadata_kb * 2))
        for host in _up(world, (world.cluster.fs.manager, *disk.nsd.servers)):
            world.logs.event(host.name, "disk_failure", fields(world, host, disk=disk.name))


def node_lost(world: World, name: str) -> None:
    """A daemon is gone: it says so itself if its host is on; else its lease runs out and the manager expels it."""
    gone = world.cluster.hosts[name]
    for host in _up(world, [name]):
        world.logs.event(host.name, "stopping", fields(world, host))
    manager = world.cluster_manager
    for host in _up(world, world.cluster.hosts):
        if host is gone or world.daemon_state(host) != "active":
            continue
        if name in world.powered_off and host is manager:
            world.logs.event(host.name, "lease", fields(world, host, node=gone))
            world.logs.event(host.name, "expel", fields(world, host, node=gone))
        else:
            world.logs.event(host.name, "reconnect", fields(world, host, node=gone))


def node_back(world: World, name: str) -> None:
    """A daemon starts, with a new log, and others see it."""
    host = world.cluster.hosts[name]
    world.logs.file(name, MMFS).rotate()
    for kind in ("starting", "ready"):
        world.logs.event(name, kind, fields(world, host))
    for other in _up(world, world.cluster.hosts):
        if other is not host and world.daemon_state(other) == "active":
            world.logs.event(other.name, "connected", fields(world, other, node=host))


def manager_moved(world: World, host: Host) -> None:
    """A node takes over."""
    leader = world.cluster_manager
    for each in _up(world, [leader.name, host.name]):
        world.logs.event(each.name, "manager", fields(world, each, node=host))
    world.logs.event(host.name, "takeover", fields(world, host, node=host))


def quorum_lost(world: World) -> None:
    """Every node that is on leaves the cluster."""
    for host in _up(world, world.cluster.hosts):
        if host.name not in world.policies.down_nodes:
            world.logs.event(host.name, "quorum", fields(world, host))


async def long_waiters(world: World) -> None:
    """Write of the thread that holds up a restripe which stands, for as long as it does."""
    seconds, run = FIRST_LONG_WAITER, world.run
    while run is not None and (since := run.standing_since) is not None:
        await world.clock.sleep_until(since + seconds)
        if world.run is not run or run.standing_since != since:
            return
        name, thread, reason = run.waiting_for
        for host in _up(world, [name]):
            more = fields(world, host, thread=thread, reason=reason, seconds=seconds)
            # The daemon has looked for long waiters since 4.1; the kernel always has.
            for kind in ("waiter", "hung_task") if world.dialect.at_least(4, 1) else ("hung_task",):
                world.logs.event(name, kind, more)
        seconds *= 2
