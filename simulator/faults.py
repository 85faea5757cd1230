"""What can happen to a cluster from outside its commands: nodes, daemons, disks, space, other people. No sockets.

What nobody knows of the real thing is decided here in one place and said so: a disk that goes down ends a restripe
that runs (unless it was told to go on, or `restripeOnDiskFailure` is `yes`: then the disk is suspended and the scan
starts over), a file system manager that moves makes it silent for a minute, and a helper that is lost does not come
back to a scan.
"""

from __future__ import annotations

import asyncio
import math

from simulator import telling
from simulator.going import Waiter
from simulator.hardware import Host
from simulator.restripe import RestripeRun
from simulator.state import DOWN, READY, SUSPENDED, UP, Disk
from simulator.world import World

MANAGER_SILENCE = 60.0
"""Simulated seconds that a running restripe tells nothing when the file system manager moves."""
SCAN_FAILED = "Scan failed on {} user or system files."


def running(world: World) -> RestripeRun | None:
    """The restripe that runs now."""
    return world.run if isinstance(world.run, RestripeRun) else None


def find_disk(world: World, name: str) -> Disk:
    """A disk of the file system; ValueError if there is none."""
    disk = world.cluster.fs.disk(name)
    if disk is None:
        raise ValueError(f"no disk {name!r} in file system {world.cluster.fs.name}")
    return disk


def _restripes_itself(world: World) -> bool:
    return world.cluster.config.get("common", {}).get("restripeOnDiskFailure", "no").lower() == "yes"


def _trouble(world: World, down: list[Disk]) -> None:
    run = running(world)
    if run is None or not down:
        return
    if _restripes_itself(world):
        for disk in down:
            if disk.status == READY:
                disk.status = world.dialect.suspended
                world.suspended.add(disk.name)
        run.start_over()
        return
    # Some number that depends on what lay there; the real one does too.
    files = sum(disk.metadata_kb + disk.data_kb for disk in down) // 7919 + len(down)
    run.trouble((SCAN_FAILED.format(files),))


def set_disk(world: World, name: str, availability: str) -> None:
    """A disk fails or is back without anybody's command."""
    if availability not in (UP, DOWN, "recovering", "unrecovered"):
        raise ValueError("availability is one of up, down, recovering, unrecovered")
    disk = find_disk(world, name)
    before = disk.availability
    run = running(world)
    if run is not None:
        run.settle()
    disk.availability = availability
    if availability == UP and name in world.suspended:
        world.suspended.discard(name)
        disk.status = READY if disk.status in SUSPENDED else disk.status
    if run is not None:
        run.replan()
    if before == UP and availability != UP:
        world.cluster.fs.properly_replicated = False
        telling.disks_failed(world, [disk])
        _trouble(world, [disk])


def serve_disks(world: World) -> None:
    """Disks none of whose servers is up go down; they stay down until `mmchdisk start`."""
    hosts = world.cluster.hosts.values()
    up = {host.name for host in hosts if world.daemon_state(host) in ("active", "arbitrating")} | world.kept_disks
    fs = world.cluster.fs
    lost = [disk for disk in fs.disks if disk.availability == UP and up.isdisjoint(disk.nsd.servers)]
    run = running(world)
    if lost and run is not None:
        run.settle()
    for disk in lost:
        disk.availability = DOWN
    if lost:
        fs.properly_replicated = False
        telling.disks_failed(world, lost)
    if lost and run is not None:
        run.replan()
    _trouble(world, lost)


def move_manager(world: World, host: Host) -> None:
    """Another node becomes the file system manager."""
    if world.daemon_state(host) != "active":
        raise ValueError(f"the daemon of {host.name} is not active")
    world.cluster.fs.manager = host.name
    telling.manager_moved(world, host)
    if (run := running(world)) is not None:
        run.pause(MANAGER_SILENCE)


def _elect(world: World) -> None:
    """If the manager's daemon is gone, the first manager node that is up takes over."""
    fs, hosts = world.cluster.fs, world.cluster.hosts
    if world.daemon_state(hosts[fs.manager]) == "active":
        return
    able = [host for host in hosts.values() if world.daemon_state(host) == "active"]
    able.sort(key=lambda host: not host.manager)
    if able:
        move_manager(world, able[0])


def node_lost(world: World, name: str, *, keep_disks: bool = False) -> None:
    """A node's daemon is gone: its mounts, its manager's office, its commands, its part of a restripe, and its disks.

    With `keep_disks` others serve those, whatever their lists of servers say.
    """
    if keep_disks:
        world.kept_disks.add(name)
    telling.node_lost(world, name)
    world.cluster.fs.mounted_on = [each for each in world.cluster.fs.mounted_on if each != name]
    run = running(world)
    if run is not None and run.host == name:
        run.fail(("The file system daemon failed unexpectedly.",), after=1.0)
    elif run is not None:
        run.settle()
        run.lose(name)
        # Fewer nodes share the limits of QoS.
        run.adjust()
    serve_disks(world)
    _elect(world)
    check_quorum(world)


def node_back(world: World, name: str) -> None:
    """A node's daemon is there again and mounts the file system; its disks wait for `mmchdisk start`."""
    world.kept_disks.discard(name)
    world.daemons[name] = world.clock.now()
    telling.node_back(world, name)
    mounted = world.cluster.fs.mounted_on
    if name not in mounted:
        order = {host: index for index, host in enumerate(world.cluster.hosts)}
        world.cluster.fs.mounted_on = sorted([*mounted, name], key=order.__getitem__)
        if (run := running(world)) is not None:
            run.adjust()


def check_quorum(world: World) -> None:
    """Without quorum every node unmounts, and a restripe ends."""
    if not world.has_quorum:
        telling.quorum_lost(world)
    if not world.has_quorum and (run := running(world)) is not None:
        run.fail(("GPFS lost quorum.",), after=1.0)


def fill(world: World, name: str, free_kb: int) -> None:
    """Ordinary use fills a disk until this much is free in whole blocks; or frees as much."""
    disk, fs = find_disk(world, name), world.cluster.fs
    run = running(world)
    if run is not None:
        run.settle()
    free_kb = free_kb // fs.block_kb * fs.block_kb
    if not 0 <= free_kb <= disk.size_kb - disk.maps_kb - disk.fragments_kb:
        raise ValueError(f"{name} cannot have {free_kb} KB free")
    taken = disk.free_blocks_kb - free_kb
    kind = "metadata_kb" if disk.holds_metadata and not disk.holds_data else "data_kb"
    if getattr(disk, kind) + taken < 0:
        raise ValueError(f"{name} holds too little for that to become free")
    setattr(disk, kind, getattr(disk, kind) + taken)
    if run is not None:
        run.replan()


async def occupy(world: World, program: str, seconds: float) -> None:
    """Somebody's command has the file system to itself for a while (simulated seconds)."""
    await world.seize(program)
    try:
        await world.clock.sleep(seconds)
    finally:
        world.release()


def start_over(world: World) -> None:
    """`restripeOnDiskFailure`: a restripe that runs scans from the first phase again."""
    _needed(world).start_over()


def _needed(world: World) -> RestripeRun:
    run = running(world)
    if run is None:
        raise ValueError("no restripe runs")
    return run


def stall(world: World, seconds: float, disk: Disk, thread: str, reason: str) -> RestripeRun:
    """A restripe that runs stands still for so many simulated seconds, or with 0 until `release_stall`.

    Its helpers wait for a thread on the first server of a disk.
    """
    run = _needed(world)
    run.settle()
    world.stuck_disk = disk.name
    run.stand(world.clock.now() + seconds if seconds else math.inf, (disk.nsd.servers[0], thread, reason))
    return run


def release_stall(world: World) -> RestripeRun:
    """It goes on."""
    run = _needed(world)
    run.go_on()
    return run


def set_load(world: World, factor: float) -> None:
    """Other load leaves restripes this share of their speed, now and from now on."""
    world.settle()
    world.load_factor = factor
    if (run := running(world)) is not None:
        run.adjust()


def set_config(world: World, parameter: str, value: str, nodes: str) -> None:
    """Set a parameter of the configuration, for all or for nodes joined by commas; an empty value takes it away."""
    section = world.cluster.config.setdefault(nodes or "common", {})
    if value:
        section[parameter] = value
    else:
        section.pop(parameter, None)


def add_waiter(world: World, host: str, thread: str, reason: str, seconds: float) -> None:
    """A thread that has waited for so many simulated seconds and goes on waiting."""
    waiter = Waiter(thread, reason, world.clock.now() - seconds)
    world.waiters.setdefault(host, []).append(waiter)
    del world.waiters[host][:-1000]


async def settled(world: World) -> None:
    """Let the tasks that a fault has woken run once."""
    await asyncio.sleep(0)
    world.settle()
