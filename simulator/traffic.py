"""How much the hosts' devices have read and written: /proc/diskstats, and /proc/stat with the moment of the boot.

The counters of an NSD rise on the server that serves it: with the scan, with what is moved on and off it, and a little
with what users do, always. They are of the present moment when they are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

from simulator.blocknodes import Node, nodes
from simulator.hardware import GPFS_PARTITION, Host
from simulator.qos import FULL_IOPS
from simulator.state import Disk
from simulator.world import World

UPTIME = 45 * 86400.0
"""For how long the hosts have run when a scenario begins."""
USER_READS, USER_READ_SECTORS = 30, 128
USER_WRITES, USER_WRITE_SECTORS = 9, 256
"""Operations a second of ordinary use on each disk, and sectors of each."""
SCAN_SECTORS = 32
"""Sectors of each read of a scan."""
MOVE_KB = 1024
"""What one read or write of a move carries."""
IN_FLIGHT = 8
"""Requests that wait for a disk which holds up a restripe."""


@dataclass
class Counters:
    """Reads, sectors read, writes, sectors written; whole numbers when told."""

    reads: float = 0.0
    sectors_read: float = 0.0
    writes: float = 0.0
    sectors_written: float = 0.0

    def add(self, other: Counters, share: float = 1.0) -> None:
        """Add a share of other counters."""
        self.reads += other.reads * share
        self.sectors_read += other.sectors_read * share
        self.writes += other.writes * share
        self.sectors_written += other.sectors_written * share


def ordinary(seconds: float, load: float = 1.0) -> Counters:
    """What users do with a disk in that time."""
    reads, writes = seconds * USER_READS * load, seconds * USER_WRITES * load
    return Counters(reads, reads * USER_READ_SECTORS, writes, writes * USER_WRITE_SECTORS)


class Traffic:
    """Adds up what disks have done since they were last looked at, for the servers that serve them now."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._at = world.clock.epoch
        self._work = 0.0
        # Metadata and data on each disk when it was last looked at, in KB.
        self._held = {disk.name: (disk.metadata_kb, disk.data_kb) for disk in world.cluster.fs.disks}
        self._disks: dict[str, Disk] = {}
        self._counts: dict[tuple[str, str], Counters] = {}

    def advance(self) -> None:
        """Bring the counters up to now."""
        world = self._world
        world.settle()
        now = world.clock.now()
        seconds, work = max(0.0, now - self._at), world.work.total(now)
        scanned = FULL_IOPS * (work - self._work)
        self._at, self._work = now, work
        pools: dict[str, int] = {}
        for disk in world.cluster.fs.disks:
            pools[disk.pool] = pools.get(disk.pool, 0) + 1
        for disk in world.cluster.fs.disks:
            self._advance(disk, ordinary(seconds), scanned / pools[disk.pool])

    def _advance(self, disk: Disk, users: Counters, reads: float) -> None:
        held = (disk.metadata_kb, disk.data_kb)
        done = Counters(reads, reads * SCAN_SECTORS)
        done.add(users)
        for now, before in zip(held, self._held.get(disk.name, (0, 0)), strict=True):
            if now > before:
                done.add(Counters(writes=(now - before) / MOVE_KB, sectors_written=2 * (now - before)))
            else:
                done.add(Counters(reads=(before - now) / MOVE_KB, sectors_read=2 * (before - now)))
        self._held[disk.name] = held
        for name in disk.nsd.servers:
            if self._world.daemon_state(self._world.cluster.hosts[name]) == "active":
                self._counts.setdefault((name, disk.wwn), Counters()).add(done)
                return

    def booted(self, host: Host) -> float:
        """When a host was booted, in UNIX seconds."""
        return self._world.booted.get(host.name, self._world.clock.epoch - UPTIME)

    def reboot(self, host: Host) -> None:
        """A host boots: its counters begin again."""
        self._world.booted[host.name] = self._world.clock.now()
        for name, wwn in list(self._counts):
            if name == host.name:
                del self._counts[name, wwn]

    def _of(self, host: Host, node: Node) -> Counters:
        """The counters of a block device since the host was booted."""
        device = node.device
        up = self._at - self.booted(host)
        disk = self._disks.get(device.wwn) if node.array is None else None
        whole = node.part is None or node.part.parttype == GPFS_PARTITION
        if disk is None or not whole:
            # Boot disks, and what is no NSD: the system writes its logs.
            used = node.array is not None or bool(device.partitions)
            return ordinary(up, 0.05) if used else Counters(96, 4096)
        found = Counters()
        if host.name not in self._world.booted:
            found.add(ordinary(UPTIME, 1.0 if disk.nsd.servers[0] == host.name else 0.01))
        found.add(self._counts.get((host.name, disk.wwn), Counters()))
        if node.path is not None:
            shared = Counters()
            shared.add(found, 1 / len(device.paths))
            return shared
        return found

    def diskstats(self, host: Host) -> str:
        """The text of /proc/diskstats on a host; with more columns on the kernels of later releases."""
        self.advance()
        self._disks = {disk.wwn: disk for disk in self._world.cluster.fs.disks}
        release = self._world.dialect
        more = " 0 0 0 0" * release.at_least(5, 0) + " 0 0" * release.at_least(6, 0)
        return "".join(f"{self._row(host, node)}{more}\n" for node in nodes(host))

    def _row(self, host: Host, node: Node) -> str:
        world, counted = self._world, self._of(host, node)
        disk = self._disks.get(node.device.wwn)
        stuck = disk is not None and disk.name == world.stuck_disk and disk.nsd.servers[0] == host.name
        waits = stuck and node.array is None and world.run is not None and world.run.standing_since is not None
        major, _, minor = node.number.partition(":")
        reads, writes = int(counted.reads), int(counted.writes)
        busy = 4 * reads + 6 * writes
        return (
            f"{major:>4} {minor:>7} {node.kname} {reads} 0 {int(counted.sectors_read)} {4 * reads} "
            f"{writes} 0 {int(counted.sectors_written)} {6 * writes} {IN_FLIGHT if waits else 0} {busy // 2} {busy}"
        )

    def stat(self, host: Host) -> str:
        """The text of /proc/stat, as far as it is asked for."""
        return f"cpu  0 0 0 0 0 0 0 0 0 0\nbtime {int(self.booted(host))}\n"
