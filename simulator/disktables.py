"""Listings of disks and NSDs: mmlsdisk and mmlsnsd in the forms of the releases. Models in, text out, to the blank.

The human forms of `mmlsdisk -m` and `-M` follow IBM's descriptions; no real output of them was public.
"""

from __future__ import annotations

from collections.abc import Sequence

from simulator import ylines
from simulator.cluster import Cluster
from simulator.hardware import Device, Host
from simulator.state import DATA_AND_METADATA, DATA_ONLY, METADATA_ONLY, Disk, FileSystem, Nsd

REPLICATED = "Attention: Due to an earlier configuration change the file system\nis no longer properly replicated.\n"
BALANCED = "Attention: Due to an earlier configuration change the file system\nis no longer properly balanced.\n"

_HOLDS = {DATA_AND_METADATA: ("Yes", "Yes"), METADATA_ONLY: ("Yes", "No"), DATA_ONLY: ("No", "Yes")}


def holds(disk: Disk) -> tuple[str, str]:
    """The columns `holds metadata` and `holds data`; a descOnly disk holds neither."""
    return _HOLDS.get(disk.usage, ("No", "No"))


def attention(fs: FileSystem) -> str:
    """The trailer of mmlsdisk after a change that a restripe has not made good."""
    if not fs.properly_replicated:
        return REPLICATED
    return "" if fs.well_balanced else BALANCED


def disk_listing(fs: FileSystem, disks: Sequence[Disk], *, long: bool, wide: bool) -> str:
    """`mmlsdisk`, with `-L` as `long`, without the Attention trailer. `wide`: the form of 4.1 and later."""
    dashes = 11 if wide else 7
    gap = " " * (dashes - 7)
    if long:
        lines = [
            f"disk         driver   sector {gap}failure holds    holds                                    storage",
            (
                f"name         type       size {gap}  group metadata data  status        availability disk id pool"
                "         remarks   "
            ),
            (
                f"------------ -------- ------ {'-' * dashes} -------- ----- ------------- ------------ ------- "
                "------------ ---------"
            ),
        ]
    else:
        lines = [
            f"disk         driver   sector {gap}failure holds    holds                            storage",
            f"name         type       size {gap}  group metadata data  status        availability pool",
            f"------------ -------- ------ {'-' * dashes} -------- ----- ------------- ------------ ------------",
        ]
    descriptors = {disk.name for disk in quorum_disks(fs)}
    for disk in disks:
        metadata, data = (word.lower() if long and wide else word for word in holds(disk))
        row = f"{disk.name:<12} {'nsd':<8} {512:>6} {disk.failure_group:>{dashes}} {metadata:<8} {data:<5} "
        row += f"{disk.status:<13} {disk.availability:<12} "
        if long:
            row += f"{disk.disk_id:>7} {disk.pool:<12}  {'desc' if disk.name in descriptors else '':<9}"
        else:
            row += f"{disk.pool:<12} "
        lines.append(row)
    if long:
        need = len(descriptors) // 2 + 1
        lines += [
            f"Number of quorum disks: {len(descriptors)} ",
            f"Read quorum value:      {need}",
            f"Write quorum value:     {need}",
        ]
    return "\n".join(lines) + "\n"


def disk_y(cluster: Cluster, disks: Sequence[Disk]) -> str:
    """`mmlsdisk -Y`, with or without `-L`."""
    fs, dialect = cluster.fs, cluster.dialect
    names = ["nsdName", "driverType", "sectorSize", "failureGroup", "metadata", "data", "status", "availability"]
    names += ["diskID", "storagePool", "remarks", "numQuorumDisks", "readQuorumValue", "writeQuorumValue"]
    names += ["diskSizeKB", "diskUID"]
    more = ["thinDiskType"] * dialect.at_least(5, 0) + ["replicaType"] * dialect.at_least(5, 2)
    descriptors = {disk.name for disk in quorum_disks(fs)}
    need = len(descriptors) // 2 + 1
    rows: list[tuple[str | int, ...]] = []
    for disk in disks:
        metadata, data = (word.lower() if dialect.at_least(5, 0) else word for word in holds(disk))
        remarks = "desc" if disk.name in descriptors else ""
        rows.append(
            (
                *(disk.name, "nsd", 512, disk.failure_group, metadata, data, disk.status, disk.availability),
                *(disk.disk_id, disk.pool, remarks, len(descriptors), need, need, disk.size_kb, disk.uid),
                *([""] * len(more)),
            )
        )
    return ylines.table("mmlsdisk", "", names + more, rows)


def quorum_disks(fs: FileSystem) -> list[Disk]:
    """The disks that hold a file system descriptor: the first of each failure group, three when there are three."""
    first: dict[str, Disk] = {}
    for disk in fs.disks:
        first.setdefault(disk.failure_group, disk)
    return list(first.values())[: 5 if len(first) >= 5 else 3]


Io = tuple[Disk, Host, str, str]
"""A disk, the node asked, the node that performs its I/O (`localhost`, a name, or `-`), and the local device."""


def io_listing(rows: Sequence[Io], *, every_node: bool) -> str:
    """`mmlsdisk -m`, or `-M` with a column for the node."""
    node = f"{'Node':<20}  " if every_node else ""
    rule = f"{'-' * 20}  " if every_node else ""
    lines = [
        f"{'Disk name':<12}  {node}{'IO performed on node':<23}  {'Device':<17}  Availability",
        f"{'-' * 12}  {rule}{'-' * 23}  {'-' * 17}  {'-' * 12}",
    ]
    for disk, host, performed, device in rows:
        node = f"{host.daemon_name:<20}  " if every_node else ""
        lines.append(f"{disk.name:<12}  {node}{performed:<23}  {device:<17}  {disk.availability}")
    return "\n".join(lines) + "\n"


def io_y(rows: Sequence[Io]) -> str:
    """`mmlsdisk -m -Y` or `-M -Y`."""
    names = ("nodeName", "nsdName", "IOPerformedOnNode", "localDiskName", "availability")
    cells = [(host.daemon_name, disk.name, by, device, disk.availability) for disk, host, by, device in rows]
    return ylines.table("mmlsdisk", "", names, cells)


def _owner(cluster: Cluster, nsd: Nsd) -> str:
    return cluster.fs.name if cluster.fs.disk(nsd.name) else ""


def _servers(cluster: Cluster, nsd: Nsd) -> str:
    return ",".join(cluster.hosts[server].daemon_name for server in nsd.servers)


def nsd_listing(cluster: Cluster, nsds: Sequence[Nsd], *, long: bool) -> str:
    """`mmlsnsd`, plain or with `-L`."""
    if long:
        lines = ["", f" {'File system':<13} {'Disk name':<12} {'NSD volume ID':<18} {'NSD servers':<40}", "-" * 88]
    else:
        lines = ["", f" {'File system':<13} {'Disk name':<12} {'NSD servers':<47}", "-" * 75]
    for nsd in nsds:
        middle = f"{nsd.volume_id:<18} " if long else ""
        servers = _servers(cluster, nsd) or "(directly attached)"
        lines.append(f" {_owner(cluster, nsd) or '(free disk)':<13} {nsd.name:<12} {middle}{servers:<25}")
    return "\n".join(lines) + "\n"


def nsd_y(cluster: Cluster, nsds: Sequence[Nsd]) -> str:
    """`mmlsnsd -Y`, plain, `-a` or `-F`."""
    names = ("fileSystem", "diskName", "volumeId", "serverList", "thinDisk")
    rows = [(_owner(cluster, nsd), nsd.name, nsd.volume_id, _servers(cluster, nsd), "") for nsd in nsds]
    return ylines.table("mmlsnsd", "nsd", names, rows)


Sight = tuple[Nsd, Host, Device | None]
"""An NSD, a node, and the device the node sees of it."""


def _remark(sight: Sight) -> str:
    nsd, host, device = sight
    server = "server node" if host.name in nsd.servers else ""
    return server if device is not None else f"(not found) {server}".rstrip()


def nsd_devices(sights: Sequence[Sight], *, extended: bool, wide: bool) -> str:
    """`mmlsnsd -m` and `-M`, or `-X` as `extended`; `wide` is the form of `-X` from 5.0.5 on."""
    if extended and wide:
        heading = (
            f" {'Disk name':<15} {'NSD volume ID':<18} {'Device':<15} {'Devtype':<8} {'Node name or Class':<23} "
            f"{'Remarks':<14}"
        )
        form = (15, 18, 15, 8, 23)
        lines = ["", heading, "-" * (len(heading) - 1)]
    else:
        kind = f"{'Devtype':<8} " if extended else ""
        heading = f" {'Disk name':<12} {'NSD volume ID':<18} {'Device':<14} {kind}{'Node name':<24} {'Remarks':<14}"
        form = (12, 18, 14, 8 if extended else 0, 24)
        lines = ["", heading, "-" * (99 if extended else 87)]
    for sight in sights:
        nsd, host, device = sight
        cells = [nsd.name, nsd.volume_id, device.path if device else "-"]
        cells += [device.devtype if device else "-"] * extended + [host.daemon_name]
        widths = [width for width in form if width]
        row = " ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True))
        lines.append(f" {row} {_remark(sight)}")
    return "\n".join(lines) + "\n"


def nsd_devices_y(sights: Sequence[Sight]) -> str:
    """`mmlsnsd -X -Y` (and `-m`, `-M`): one row a node; the file system is not told."""
    names = ("fileSystem", "diskName", "volumeId", "serverList", "deviceType", "localDiskName", "remarks")
    rows = []
    for sight in sights:
        nsd, host, device = sight
        kind, path = (device.devtype, device.path) if device else ("", "-")
        rows.append(("", nsd.name, nsd.volume_id, host.daemon_name, kind, path, _remark(sight)))
    return ylines.table("mmlsnsd", "nsd", names, rows)
