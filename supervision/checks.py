"""Checks on what was read: pure, each says in words what is wrong. A blocked check stops a migration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NoReturn

from remote.gpfs.models import ClusterNode, Disk, DiskList, FileSystem, FsSpace, NsdDevices, Usage
from remote.names import NodeTable, UnknownNodeError, fold


class BlockedError(Exception):
    """A check did not pass; the text says what was read and what to do."""


def block(why: str) -> NoReturn:
    """Raise BlockedError."""
    raise BlockedError(why)


def short_name(node: ClusterNode) -> str:
    """The name of a node as stanzas and `-N` use it: its admin name without the domain."""
    return node.admin_name.partition(".")[0]


def describe(disk: Disk | None) -> str:
    """A disk in a few words."""
    if disk is None:
        return "not there"
    return f"{disk.usage.value}, {disk.status} and {disk.availability}, failure group {disk.failure_group}"


def must_be_ready(fs: str, disks: DiskList) -> None:
    """Block when a disk is not ready and up, with what to do."""
    bad = [disk for disk in disks.disks if not disk.ready]
    if not bad:
        return
    what = "; ".join(f"{disk.nsd} is {disk.status} and {disk.availability}" for disk in bad[:4])
    more = f" and {len(bad) - 4} more" if len(bad) > 4 else ""
    down = [disk.nsd for disk in bad if disk.availability != "up"]
    start = f"; once their servers are back: mmchdisk {fs} start -d '{';'.join(down[:8])}'" if down else ""
    block(f"not every disk is ready and up: {what}{more}. See `mmlsdisk {fs} -e`{start}")


def disks_to_convert(fs: str, disks: DiskList, file_system: FileSystem) -> tuple[Disk, ...]:
    """The disks that hold data and metadata in pool system, once nothing speaks against converting them."""
    must_be_ready(fs, disks)
    if disks.not_properly_replicated:
        block(f"{fs} is not properly replicated now; a restripe must end well first")
    mixed = tuple(disk for disk in disks.disks if disk.usage is Usage.DATA_AND_METADATA and disk.pool == "system")
    if not mixed or any(disk.usage is Usage.METADATA_ONLY for disk in disks.disks):
        block("this recipe begins with disks that hold data and metadata, and none that hold metadata alone")
    groups = {disk.failure_group for disk in mixed}
    replicas = file_system.metadata_replicas
    if replicas is None:
        block(f"mmlsfs does not tell how many replicas of metadata {fs} keeps")
    if len(groups) < replicas:
        block(f"{len(groups)} failure groups cannot hold {replicas} replicas of the metadata")
    return mixed


def hosts_as_nodes(hosts: Sequence[str], table: NodeTable) -> dict[str, ClusterNode]:
    """The cluster node that each host is; a host that is none blocks."""
    try:
        return {host: table.resolve(host) for host in hosts}
    except UnknownNodeError as error:
        block(str(error))


def servers_of(
    disks: Sequence[Disk], devices: NsdDevices, table: NodeTable, reached: Sequence[ClusterNode]
) -> dict[str, tuple[str, ...]]:
    """The NSD servers of each disk, as stanzas name them. Each must be a host that we reach."""
    ours = {node.daemon_name for node in reached}
    servers: dict[str, tuple[str, ...]] = {}
    for disk in disks:
        try:
            nodes = [table.resolve(row.node) for row in devices.by_nsd(disk.nsd)]
        except UnknownNodeError as error:
            block(f"{disk.nsd}: {error}")
        strangers = [node.daemon_name for node in nodes if node.daemon_name not in ours]
        if strangers or not nodes:
            block(f"{disk.nsd} is served by {fold(strangers) or 'nobody'}, which is not among the hosts given")
        servers[disk.nsd] = tuple(short_name(node) for node in nodes)
    return servers


def inode_floor_kb(file_system: FileSystem, space: FsSpace) -> int:
    """The least that the metadata can be, in KB: allocated inodes times their size times their replicas."""
    if not space.inodes or not file_system.inode_size or not file_system.metadata_replicas:
        block("the inode size, the replicas or the number of inodes is not known")
    return space.inodes.allocated * file_system.inode_size * file_system.metadata_replicas // 1024


def must_fit(sizes: Iterable[int], floor_kb: int) -> None:
    """Block when not even the inodes fit into 70 % of new disks of these sizes (bytes). A floor, no forecast."""
    room_kb = sum(sizes) // 1024
    if floor_kb > room_kb * 0.7:
        block(f"the inodes alone need {floor_kb:,} KB, and 70 % of the new disks are {int(room_kb * 0.7):,} KB")
