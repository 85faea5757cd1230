"""Listings of file systems: mmlsfs, mmlspool, mmlssnapshot, mmlsqos. Models in, text out, to the blank.

The human forms of mmlssnapshot and mmlsqos follow IBM's manuals; no real output of them was public.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from simulator import ylines
from simulator.clock import MST, ctime
from simulator.cluster import Cluster
from simulator.spacetable import percent
from simulator.state import Disk, FileSystem, Qos, Snapshot

FS_FLAGS = (
    "-f -i -I -m -M -r -R -j -D -k -n -B -Q -V -u -z -L -E -S -K -P -d -A -o -T "
    "--filesetdf --create-time --fastea --inode-limit --perfileset-quota --mount-priority "
    "--encryption --log-replicas --is4KAligned --rapid-repair --write-cache-threshold "
    "--subblocks-per-full-block --file-audit-log --maintenance-mode"
)
"""The options of mmlsfs that name one row."""

Row = tuple[str, str, str, str]
"""Flag, field name of -Y, value, description."""


def _rows(cluster: Cluster) -> list[Row]:
    fs, dialect = cluster.fs, cluster.dialect
    subblocks = 512 if dialect.at_least(5, 0) else 32
    rows = [
        ("-f", "minFragmentSize", str(fs.block_kb * 1024 // subblocks), "Minimum fragment (subblock) size in bytes"),
        ("-i", "inodeSize", str(fs.inode_bytes), "Inode size in bytes"),
        ("-I", "indirectBlockSize", "32768", "Indirect block size in bytes"),
        ("-m", "defaultMetadataReplicas", str(fs.metadata_replicas), "Default number of metadata replicas"),
        ("-M", "maxMetadataReplicas", str(fs.max_metadata_replicas), "Maximum number of metadata replicas"),
        ("-r", "defaultDataReplicas", str(fs.data_replicas), "Default number of data replicas"),
        ("-R", "maxDataReplicas", str(fs.max_data_replicas), "Maximum number of data replicas"),
        ("-j", "blockAllocationType", "scatter", "Block allocation type"),
        ("-D", "fileLockingSemantics", "nfs4", "File locking semantics in effect"),
        ("-k", "ACLSemantics", "all", "ACL semantics in effect"),
        ("-n", "numNodes", "32", "Estimated number of nodes that will mount file system"),
        ("-B", "blockSize", str(fs.block_kb * 1024), "Block size"),
        ("-Q", "quotasEnforced", "none", "Quotas enforced"),
        ("-Q", "defaultQuotasEnabled", "none", "Default quotas enabled"),
        ("--perfileset-quota", "perfilesetQuotas", "No", "Per-fileset quota enforcement"),
        ("--filesetdf", "filesetdfEnabled", "No", "Fileset df enabled?"),
        ("-V", "filesystemVersion", dialect.version, "File system version"),
        ("--create-time", "create-time", ctime(fs.created), "File system creation time"),
        ("-z", "DMAPIEnabled", "No", "Is DMAPI enabled?"),
        ("-L", "logfileSize", "4194304", "Logfile size"),
        ("-E", "exactMtime", "Yes", "Exact mtime mount option"),
        ("-S", "suppressAtime", "relatime" if dialect.at_least(5, 0) else "No", "Suppress atime mount option"),
        ("-K", "strictReplication", "whenpossible", "Strict replica allocation option"),
        ("--fastea", "fastEAenabled", "Yes", "Fast external attributes enabled?"),
        ("--encryption", "encryption", "No", "Encryption enabled?"),
        ("--inode-limit", "maxNumberOfInodes", str(fs.inodes.maximum), "Maximum number of inodes"),
        ("--log-replicas", "logReplicas", "0", "Number of log replicas"),
        ("--is4KAligned", "is4KAligned", "Yes", "is4KAligned?"),
        ("--rapid-repair", "rapidRepairEnabled", "Yes", "rapidRepair enabled?"),
        ("--write-cache-threshold", "write-cache-threshold", "0", "HAWC Threshold (max 65536)"),
        ("--subblocks-per-full-block", "subblocksPerFullBlock", str(subblocks), "Number of subblocks per full block"),
        ("-P", "storagePools", ";".join(fs.pools), "Disk storage pools in file system"),
        ("--file-audit-log", "file-audit-log", "No", "File Audit Logging enabled?"),
        ("--maintenance-mode", "maintenance-mode", "No", "Maintenance Mode enabled?"),
        ("-d", "disks", ";".join(disk.name for disk in fs.disks), "Disks in file system"),
        ("-A", "automaticMountOption", "yes", "Automatic mount option"),
        ("-o", "additionalMountOptions", "none", "Additional mount options"),
        ("-T", "defaultMountPoint", fs.mount_point or f"/{fs.name}", "Default mount point"),
        ("--mount-priority", "mountPriority", "0", "Mount priority"),
    ]
    if not dialect.at_least(4, 2):
        rows.insert(18, ("-u", "largeLunSupport", "Yes", "Support for large LUNs?"))
    later = dict.fromkeys(("--encryption", "--log-replicas", "--is4KAligned", "--rapid-repair"), (4, 2))
    later |= {"--write-cache-threshold": (4, 2)}
    later |= dict.fromkeys(("--subblocks-per-full-block", "--file-audit-log", "--maintenance-mode"), (5, 0))
    return [row for row in rows if dialect.at_least(*later.get(row[0], (0, 0)))]


def fs_listing(cluster: Cluster, wanted: frozenset[str]) -> str:
    """`mmlsfs`; `wanted` are the flags asked for, none for the whole table."""
    lines = [
        "flag                value                    description",
        "------------------- ------------------------ -----------------------------------",
    ]
    last = ""
    for flag, _, value, description in _rows(cluster):
        if not wanted or flag in wanted:
            lines.append(f" {'' if flag == last else flag:<18} {value:<24} {description}")
            last = flag
    return "\n".join(lines) + "\n"


def fs_uid(cluster: Cluster) -> str:
    """The file system's id: an address and the second of its creation."""
    return f"{cluster.hosts[cluster.primary].address_hex}:{int(cluster.fs.created):08X}"


def fs_y(cluster: Cluster, wanted: frozenset[str]) -> str:
    """`mmlsfs -Y`. The rows of 3.5 are one field shorter than their header."""
    fs = cluster.fs
    text = ylines.header("mmlsfs", "", ("deviceName", "fieldName", "data", "remarks"))
    rest = ("",) if cluster.dialect.at_least(4, 2) else ()
    for flag, name, value, _ in _rows(cluster):
        if not wanted or flag in wanted:
            shown = ylines.encoded(value) if name == "defaultMountPoint" else ylines.colons(value)
            text += ylines.row("mmlsfs", "", (fs.name, name, shown, *rest))
    if not wanted:
        text += ylines.row("mmlsfs", "", (fs.name, "UID", ylines.colons(fs_uid(cluster)), *rest))
    return text


def _block(block_kb: int) -> str:
    return f"{block_kb // 1024} MB" if block_kb >= 1024 and not block_kb % 1024 else f"{block_kb} KB"


def pool_listing(fs: FileSystem) -> str:
    """`mmlspool`: only ever for people, in every release."""
    lines = [
        f"Storage pools in file system at '{fs.mount_point or f'/{fs.name}'}':",
        (
            "Name                    Id   BlkSize Data Meta Total Data in (KB)   Free Data in (KB)   "
            "Total Meta in (KB)    Free Meta in (KB)"
        ),
    ]
    for pool, number in fs.pools.items():
        disks = [disk for disk in fs.disks if disk.pool == pool]
        cells = []
        for kind in ([d for d in disks if d.holds_data], [d for d in disks if d.holds_metadata]):
            total, free = sum(disk.size_kb for disk in kind), sum(_free(disk) for disk in kind)
            cells.append(f"{total:>14} {free:>14} ({percent(free, total):>3}%)")
        data = "yes" if any(disk.holds_data for disk in disks) else "no"
        metadata = "yes" if any(disk.holds_metadata for disk in disks) else "no"
        lines.append(f"{pool:<20} {number:>5} {_block(fs.block_kb):>9} {data:>4} {metadata:>4} {' '.join(cells)}")
    return "\n".join(lines) + "\n"


def _free(disk: Disk) -> int:
    return disk.free_blocks_kb


def snapshot_listing(fs: FileSystem, snapshots: Sequence[Snapshot], *, sizes: bool, filesets: bool) -> str:
    """`mmlssnapshot`, with `-d` as `sizes`; `filesets`: the column of 4.1 and later."""
    lines = [f"Snapshots in file system {fs.name}:{' [data and metadata in KB]' if sizes else ''}"]
    heading = f"{'Directory':<24} {'SnapId':<9} {'Status':<7} {'Created':<26}"
    heading += f" {'Data':>10} {'Metadata':>10}" * sizes + "  Fileset" * filesets
    lines.append(heading)
    for each in snapshots:
        row = f"{each.name:<24} {each.number:<9} {each.status:<7} {ctime(each.created):<26}"
        row += f" {each.data_kb:>10} {each.metadata_kb:>10}" * sizes + f"  {each.fileset}" * filesets
        lines.append(row)
    return "\n".join(lines) + "\n"


def snapshot_y(fs: FileSystem, snapshots: Sequence[Snapshot], *, filesets: bool) -> str:
    """`mmlssnapshot -Y`."""
    names = ["filesystemName", "directory", "snapID", "status", "created", "quotas", "data", "metadata"]
    names += ["fileset", "snapType"] * filesets
    rows = [
        (
            *(fs.name, ylines.encoded(each.name), each.number, each.status, ylines.colons(ctime(each.created)), ""),
            *(each.data_kb, each.metadata_kb),
            *((each.fileset, "") if filesets else ()),
        )
        for each in snapshots
    ]
    return ylines.table("mmlssnapshot", "", names, rows)


def qos_value(limit: str, *, machine: bool) -> str:
    """A limit as it is listed: `inf` for none, and a number with `Iops`."""
    return "inf" if limit == "unlimited" else f"{limit.upper().removesuffix('IOPS')}{'Iops' if machine else 'IOPS'}"


def _pools(fs: FileSystem, *, machine: bool) -> list[str]:
    scope = "/all_local" if machine else ""
    return [
        f"pool={pool},other={qos_value(fs.qos.limit(pool, 'other'), machine=machine)},"
        f"maintenance{scope}={qos_value(fs.qos.limit(pool, 'maintenance'), machine=machine)}"
        + "".join(
            f",{name}/{nodes.replace(',', '+')}={qos_value(limit, machine=machine)}"
            for nodes, limits in fs.qos.scopes.get(pool, {}).items()
            for name, limit in limits.items()
        )
        for pool in fs.pools
    ]


Rate = tuple[str, int, str, str, str, str, int, str]
"""Pool, UNIX seconds, class, IOPS, queue length, delay, seconds of the interval, MB/s."""


def qos_listing(fs: FileSystem, rates: Sequence[Rate]) -> str:
    """`mmlsqos`."""
    enabled = "enabled" if fs.qos.enabled else "disabled"
    active = "active" if fs.qos.enabled else "inactive"
    lines = [
        f"QOS config::            {enabled}",
        f"QOS values::            {':'.join(_pools(fs, machine=False))}",
        f"QOS status::            throttling {active}, monitoring {active}",
    ]
    for pool in fs.pools:
        if any(rate[0] == pool for rate in rates):
            lines.append(f"=== for pool {pool}")
        lines += [
            f"{datetime.fromtimestamp(at, MST):%H:%M:%S} {name} iops={iops} ioql={ioql} qsdl={qsdl} et={interval}"
            for of, at, name, iops, ioql, qsdl, interval, _ in rates
            if of == pool
        ]
    return "\n".join(lines) + "\n"


def qos_y(fs: FileSystem, rates: Sequence[Rate]) -> str:
    """`mmlsqos -Y`."""
    state = "Yes" if fs.qos.enabled else "No"
    tables = (
        ("status", ("enabled", "throttling", "monitoring", "fineStatsSecs", "idStats")),
        ("config", ("config_enc",)),
        ("values", ("values_enc",)),
        ("stats", ("pool", "timeEpoch", "class", "iops", "ioql", "qsdl", "et", "MBs")),
    )
    text = "".join(ylines.header("mmlsqos", subtype, names) for subtype, names in tables)
    pools = _pools(fs, machine=True)
    limited = [pool for pool in pools if not pool.endswith("=inf")] or pools[:1]
    text += ylines.row("mmlsqos", "status", (state, state, state, 0, "No"))
    text += ylines.row("mmlsqos", "config", ("%3A".join(limited),))
    text += ylines.row("mmlsqos", "values", ("%3A".join(pools),))
    return text + "".join(ylines.row("mmlsqos", "stats", rate) for rate in rates)


def changed_scopes(qos: Qos, text: str, pools: Sequence[str], nodes: str) -> dict[str, dict[str, dict[str, str]]]:
    """The limits of some nodes after such a text; those that are unlimited again are not listed."""
    before = {pool: scopes.get(nodes, {}) for pool, scopes in qos.scopes.items()}
    found = {pool: {key: of for key, of in scopes.items() if key != nodes} for pool, scopes in qos.scopes.items()}
    for pool, limits in changed_limits(before, text, pools).items():
        if kept := {name: limit for name, limit in limits.items() if limit != "unlimited"}:
            found.setdefault(pool, {})[nodes] = kept
    return {pool: scopes for pool, scopes in found.items() if scopes}


def changed_limits(
    before: Mapping[str, Mapping[str, str]], text: str, pools: Sequence[str]
) -> dict[str, dict[str, str]]:
    """The limits after `pool=*,maintenance=300IOPS,other=unlimited`. Raises ValueError for what is no limit."""
    limits = {pool: dict(classes) for pool, classes in before.items()}
    chosen = list(pools)
    for clause in text.split(","):
        name, equals, value = clause.partition("=")
        if not equals:
            raise ValueError(f"Incorrect QOS clause: {clause}")
        if name == "pool":
            chosen = list(pools) if value == "*" else [value]
            if not set(chosen) <= set(pools):
                raise ValueError(f"Storage pool {value} does not exist.")
        elif name.partition("/")[0] in ("maintenance", "other"):
            number = value.lower().removesuffix("iops")
            if value != "unlimited" and not (number.isdecimal() and len(number) < 12):
                raise ValueError(f"Incorrect QOS value: {clause}")
            for pool in chosen:
                limits.setdefault(pool, {})[name.partition("/")[0]] = value
        else:
            raise ValueError(f"Incorrect QOS class: {name}")
    return limits
