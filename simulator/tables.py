"""The listings of GPFS 3.5 except mmdf: models in, text out, to the blank."""

from __future__ import annotations

from collections.abc import Iterable

from simulator.clock import ctime
from simulator.hardware import Host
from simulator.state import DATA_AND_METADATA, DATA_ONLY, METADATA_ONLY, Cluster, Disk, FileSystem, Nsd

ATTENTION = "Attention: Due to an earlier configuration change the file system\nis no longer properly replicated.\n"

_HOLDS = {DATA_AND_METADATA: ("Yes", "Yes"), METADATA_ONLY: ("Yes", "No"), DATA_ONLY: ("No", "Yes")}


def holds(disk: Disk) -> tuple[str, str]:
    """The columns `holds metadata` and `holds data`; a descOnly disk holds neither."""
    return _HOLDS.get(disk.usage, ("No", "No"))


def cluster_listing(cluster: Cluster) -> str:
    """`mmlscluster`, in the form without a configuration repository (CCR)."""
    rows = [("Node", "Daemon node name", "IP address", "Admin node name", "Designation")]
    rows += [
        (f"{host.number:>4}", host.daemon_name, host.address, host.admin_name, "quorum-manager")
        for host in cluster.hosts.values()
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines = [
        "",
        "GPFS cluster information",
        "========================",
        f"  GPFS cluster name:         {cluster.name}",
        f"  GPFS cluster id:           {cluster.cluster_id}",
        f"  GPFS UID domain:           {cluster.name}",
        "  Remote shell command:      /usr/bin/ssh",
        "  Remote file copy command:  /usr/bin/scp",
        "",
        "GPFS cluster configuration servers:",
        "-----------------------------------",
        f"  Primary server:    {cluster.hosts[cluster.primary].admin_name}",
        f"  Secondary server:  {cluster.hosts[cluster.secondary].admin_name}",
        "",
    ]
    for index, row in enumerate(rows):
        number = f" {row[0]:<4}  " if index == 0 else f"{row[0]}   "
        lines.append(number + "  ".join(f"{cell:<{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)))
        if index == 0:
            lines.append("-" * (7 + sum(widths[1:]) + 6))
    return "\n".join(line.rstrip() for line in lines) + "\n"


def state_listing(hosts: Iterable[tuple[Host, str]], total: int, long: bool) -> str:
    """`mmgetstate`; hosts with their states, and with `-L` the quorum columns."""
    rows = list(hosts)
    up = sum(state == "active" for _, state in rows)
    if not long:
        lines = ["", " Node number  Node name        GPFS state ", "-" * 42]
        lines += [f" {host.number:>6}      {host.name:<16} {state:<10}".rstrip() for host, state in rows]
    else:
        lines = [
            "",
            " Node number  Node name       Quorum  Nodes up  Total nodes  GPFS state  Remarks    ",
            "-" * 84,
        ]
        need = total // 2 + 1
        lines += [
            f" {host.number:>6}      {host.name:<15} {need:>5} {up:>9} {total:>10}        {state:<11} quorum node"
            for host, state in rows
        ]
    return "\n".join(lines) + "\n"


def disk_listing(fs: FileSystem, disks: list[Disk], long: bool) -> str:
    """`mmlsdisk`, with `-L` as `long`; the Attention trailer belongs to it."""
    if long:
        lines = [
            "disk         driver   sector failure holds    holds                                    storage",
            (
                "name         type       size   group metadata data  status        availability disk id pool         "
                "remarks   "
            ),
            (
                "------------ -------- ------ ------- -------- ----- ------------- ------------ ------- ------------ "
                "---------"
            ),
        ]
    else:
        lines = [
            "disk         driver   sector failure holds    holds                            storage",
            "name         type       size   group metadata data  status        availability pool",
            "------------ -------- ------ ------- -------- ----- ------------- ------------ ------------",
        ]
    descriptors = quorum_disks(fs)
    for disk in disks:
        metadata, data = holds(disk)
        row = f"{disk.name:<12} {'nsd':<8} {512:>6} {disk.failure_group:>7} {metadata:<8} {data:<5} "
        row += f"{'ready':<13} {'up':<12} "
        if long:
            row += f"{disk.disk_id:>7} {disk.pool:<12}  {'desc' if disk in descriptors else '':<9}"
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
    return "\n".join(lines) + "\n" + ("" if fs.properly_replicated else ATTENTION)


def quorum_disks(fs: FileSystem) -> list[Disk]:
    """The disks that hold a file system descriptor: the first of each failure group, three when there are three."""
    first: dict[str, Disk] = {}
    for disk in fs.disks:
        first.setdefault(disk.failure_group, disk)
    return list(first.values())[: 5 if len(first) >= 5 else 3]


def nsd_listing(cluster: Cluster, nsds: list[Nsd], long: bool) -> str:
    """`mmlsnsd`, plain or with `-L`."""
    if long:
        lines = ["", f" {'File system':<13} {'Disk name':<12} {'NSD volume ID':<18} {'NSD servers':<40}", "-" * 88]
    else:
        lines = ["", f" {'File system':<13} {'Disk name':<12} {'NSD servers':<47}", "-" * 75]
    for nsd in nsds:
        owner = cluster.fs.name if cluster.fs.disk(nsd.name) else "(free disk)"
        servers = ",".join(cluster.hosts[server].daemon_name for server in nsd.servers)
        middle = f"{nsd.volume_id:<18} " if long else ""
        lines.append(f" {owner:<13} {nsd.name:<12} {middle}{servers:<25}")
    return "\n".join(lines) + "\n"


def nsd_devices(cluster: Cluster, nsds: list[Nsd], extended: bool) -> str:
    """`mmlsnsd -m`, or `-X` as `extended`: one row a server that sees the disk (here only the first one does)."""
    kind = f"{'Devtype':<8} " if extended else ""
    lines = [
        "",
        f" {'Disk name':<12} {'NSD volume ID':<18} {'Device':<14} {kind}{'Node name':<24} {'Remarks':<14}",
        "-" * (99 if extended else 87),
    ]
    for nsd in nsds:
        for server in nsd.servers:
            local = server == nsd.host and nsd.device.volume_id == nsd.volume_id
            device = nsd.device.path if local else "-"
            kind = f"{'generic' if local else '-':<8} " if extended else ""
            remarks = "server node" if local else "(not found) server node"
            node = cluster.hosts[server].daemon_name
            lines.append(f" {nsd.name:<12} {nsd.volume_id:<18} {device:<14} {kind}{node:<24} {remarks}")
    return "\n".join(lines) + "\n"


FS_FLAGS = (
    "-f -i -I -m -M -r -R -j -D -k -n -B -Q -V -u -z -L -E -S -K -P -d -A -o -T "
    "--filesetdf --create-time --fastea --inode-limit --perfileset-quota --mount-priority"
)
"""The options of mmlsfs that name one row."""


def fs_listing(fs: FileSystem, wanted: frozenset[str]) -> str:
    """`mmlsfs`; `wanted` are the flags asked for, none for the whole table."""
    rows: list[tuple[str, str, str]] = [
        ("-f", str(fs.block_kb * 1024 // 32), "Minimum fragment size in bytes"),
        ("-i", str(fs.inode_bytes), "Inode size in bytes"),
        ("-I", "32768", "Indirect block size in bytes"),
        ("-m", str(fs.metadata_replicas), "Default number of metadata replicas"),
        ("-M", str(fs.max_metadata_replicas), "Maximum number of metadata replicas"),
        ("-r", str(fs.data_replicas), "Default number of data replicas"),
        ("-R", str(fs.max_data_replicas), "Maximum number of data replicas"),
        ("-j", "scatter", "Block allocation type"),
        ("-D", "nfs4", "File locking semantics in effect"),
        ("-k", "all", "ACL semantics in effect"),
        ("-n", "32", "Estimated number of nodes that will mount file system"),
        ("-B", str(fs.block_kb * 1024), "Block size"),
        ("-Q", "none", "Quotas enforced"),
        ("-Q", "none", "Default quotas enabled"),
        ("--filesetdf", "No", "Fileset df enabled?"),
        ("-V", "13.23 (3.5.0.7)", "File system version"),
        ("--create-time", ctime(fs.created), "File system creation time"),
        ("-u", "Yes", "Support for large LUNs?"),
        ("-z", "No", "Is DMAPI enabled?"),
        ("-L", "4194304", "Logfile size"),
        ("-E", "Yes", "Exact mtime mount option"),
        ("-S", "No", "Suppress atime mount option"),
        ("-K", "whenpossible", "Strict replica allocation option"),
        ("--fastea", "Yes", "Fast external attributes enabled?"),
        ("--inode-limit", str(fs.inodes.maximum), "Maximum number of inodes"),
        ("-P", ";".join(dict.fromkeys(disk.pool for disk in fs.disks)), "Disk storage pools in file system"),
        ("-d", ";".join(disk.name for disk in fs.disks), "Disks in file system"),
        ("--perfileset-quota", "no", "Per-fileset quota enforcement"),
        ("-A", "yes", "Automatic mount option"),
        ("-o", "none", "Additional mount options"),
        ("-T", f"/{fs.name}", "Default mount point"),
        ("--mount-priority", "0", "Mount priority"),
    ]
    lines = [
        "flag                value                    description",
        "------------------- ------------------------ -----------------------------------",
    ]
    last = ""
    for flag, value, description in rows:
        if not wanted or flag in wanted:
            lines.append(f" {'' if flag == last else flag:<18} {value:<24} {description}")
            last = flag
    return "\n".join(lines) + "\n"
