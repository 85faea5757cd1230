"""Listings about nodes: mmlscluster, mmgetstate, mmlsmgr, mmlsmount, mmlsconfig. Models in, text out, to the blank.

Sources: IBM's manuals and public outputs of 3.5 to 6.0; `mmlscluster --ces`, the summary of `mmgetstate -s` and the
header of `mmlsmount -Y` follow the manuals' descriptions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from simulator import ylines
from simulator.cluster import Cluster
from simulator.hardware import Host
from simulator.state import FileSystem

_CLUSTER = (
    *("clusterName", "clusterId", "uidDomain", "rshPath", "rshSudoWrapper", "rcpPath", "rcpSudoWrapper"),
    *("repositoryType", "primaryServer", "secondaryServer"),
)
_NODE = (
    *("nodeNumber", "daemonNodeName", "ipAddress", "adminNodeName", "designation", "otherNodeRoles"),
    *("adminLoginName", "otherNodeRolesAlias"),
)
_CNFS = ("cnfsSharedRoot", "cnfsMoundPort", "cnfsNFSDprocs", "cnfsReboot", "cnfsMonitorEnabled", "cnfsGanesha")
_CNFS_NODE = ("nodeNumber", "daemonNodeName", "ipAddress", "cnfsState", "cnfsGroupId", "cnfsIplist")
_CES = ("cesSharedRoot", "EnabledServices", "logLevel", "addressPolicy")
_CES_NODE = ("nodeNumber", "daemonNodeName", "ipAddress", "cesGroup", "cesState", "cesIpList")

_LETTERS = {"perfmon": "Z", "ces": "X", "gateway": "G", "snmp_collector": "S"}


def _shells(cluster: Cluster) -> tuple[str, str]:
    if cluster.dialect.at_least(6, 0):
        return "/usr/lpp/mmfs/bin/scaleadmremoteexecute", "/usr/lpp/mmfs/bin/scaleadmremotetransfer"
    return "/usr/bin/ssh", "/usr/bin/scp"


def _designation(host: Host) -> str:
    roles = ["quorum"] * host.quorum + ["manager"] * host.manager + list(host.other_roles)
    return "-".join(roles)


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """The node table: widths from the longest cell, a rule below the first row."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for index, row in enumerate(rows):
        number = f" {row[0]:<4}  " if index == 0 else f"{row[0]:>4}   "
        cells = zip(row[1:], widths[1:], strict=True)
        lines.append((number + "  ".join(f"{cell:<{width}}" for cell, width in cells)).rstrip())
        if index == 0:
            # The rule goes by the heading of the last column, however long its cells are, and a little beyond.
            lines.append("-" * (8 + sum(widths[1:-1]) + 2 * (len(widths) - 2) + len(row[-1])))
    return lines


def cluster_listing(cluster: Cluster, *, ces: bool = False) -> str:
    """`mmlscluster`: with primary and secondary server before configuration repositories (CCR) existed."""
    shell, copy = _shells(cluster)
    lines = [
        "",
        "GPFS cluster information",
        "========================",
        f"  GPFS cluster name:         {cluster.name}",
        f"  GPFS cluster id:           {cluster.cluster_id}",
    ]
    if ces:
        lines += ["", "Cluster Export Services global parameters", "-" * 41]
        lines += ["  Shared root directory:                /ces", "  Enabled Services:                     NFS"]
        lines += ["  Log level:                            0", "  Address distribution policy:          even-coverage"]
        rows = [("Node", "Daemon node name", "IP address", "CES IP address list")]
        for name, addresses in cluster.ces_addresses.items():
            host = cluster.hosts[name]
            rows.append((str(host.number), host.daemon_name, host.address, ",".join(addresses) or "None"))
        return "\n".join([*lines, "", *_columns(rows)]) + "\n"
    lines += [
        f"  GPFS UID domain:           {cluster.name}",
        f"  Remote shell command:      {shell}",
        f"  Remote file copy command:  {copy}",
    ]
    if cluster.dialect.at_least(4, 1):
        lines += ["  Repository type:           CCR", ""]
    else:
        lines += [
            "",
            "GPFS cluster configuration servers:",
            "-----------------------------------",
            f"  Primary server:    {cluster.hosts[cluster.primary].admin_name}",
            f"  Secondary server:  {cluster.hosts[cluster.secondary].admin_name}",
            "",
        ]
    table = [("Node", "Daemon node name", "IP address", "Admin node name", "Designation")]
    table += [
        (str(host.number), host.daemon_name, host.address, host.admin_name, _designation(host))
        for host in cluster.hosts.values()
    ]
    return "\n".join([*lines, *_columns(table)]) + "\n"


def cluster_y(cluster: Cluster) -> str:
    """`mmlscluster -Y`."""
    name = "mmlscluster"
    tables = [("clusterSummary", _CLUSTER), ("clusterNode", _NODE), ("cnfsSummary", _CNFS), ("cnfsNode", _CNFS_NODE)]
    tables += [("cesSummary", _CES), ("cesNode", _CES_NODE)]
    if cluster.dialect.at_least(5, 0):
        tables.append(("cloudGatewayNode", ("nodeNumber", "daemonNodeName")))
        tables.append(("commentNode", ("nodeNumber", "daemonNodeName", "comment_enc")))
    text = "".join(ylines.header(name, subtype, names) for subtype, names in tables)
    shell, copy = _shells(cluster)
    primary = cluster.hosts[cluster.primary].admin_name
    text += ylines.row(
        name,
        "clusterSummary",
        (cluster.name, cluster.cluster_id, cluster.name, shell, "no", copy, "no", "CCR", primary, ""),
    )
    for host in cluster.hosts.values():
        role = {(1, 1): "quorumManager", (1, 0): "quorum", (0, 1): "manager"}.get((host.quorum, host.manager), "")
        letters = ",".join(_LETTERS.get(other, "") for other in host.other_roles)
        text += ylines.row(
            name,
            "clusterNode",
            (
                *(host.number, host.daemon_name, host.address, host.admin_name, role, letters, ""),
                ",".join(host.other_roles),
            ),
        )
    if cluster.ces_addresses:
        text += ylines.row(name, "cesSummary", ("/ces", "NFS", 0, "even-coverage"))
    for ces, addresses in cluster.ces_addresses.items():
        host = cluster.hosts[ces]
        text += ylines.row(name, "cesNode", (host.number, host.daemon_name, host.address, "", "e", ",".join(addresses)))
    return text


State = tuple[Host, str]


def _short(host: Host) -> str:
    return host.daemon_name.partition(".")[0]


def _counts(cluster: Cluster, states: Iterable[State]) -> tuple[int, int, int]:
    """Quorum nodes up, nodes up, nodes."""
    up = {host.name for host, state in states if state in ("active", "arbitrating")}
    quorum = sum(host.name in up for host in cluster.quorum_hosts)
    return quorum, len(up), len(cluster.hosts)


def state_listing(cluster: Cluster, rows: Sequence[State], everybody: Sequence[State], *, long: bool) -> str:
    """`mmgetstate`; with `-L` the quorum columns."""
    _, up, total = _counts(cluster, everybody)
    wide = cluster.dialect.at_least(5, 0)
    if long:
        lines = [
            "",
            " Node number  Node name       Quorum  Nodes up  Total nodes  GPFS state  Remarks    ",
            "-" * 85,
        ]
        for host, state in rows:
            counts = (cluster.quorum_needed, up, total) if state in ("active", "arbitrating") else (0, 0, total)
            remarks = "quorum node" if host.quorum else ""
            lines.append(
                f"{host.number:>8}      {_short(host):<15}{counts[0]:>5}{counts[1]:>9}{counts[2]:>11}       "
                f"{state:<12}{remarks}"
            )
    else:
        width = max(9, *(len(_short(host)) for host, _ in rows)) if wide and rows else 16
        heading = f" Node number  {'Node name':<{width}} {' ' * wide}GPFS state {' ' * wide}"
        lines = ["", heading, "-" * (len(heading) if wide else 42)]
        lines += [f"{host.number:>8}      {_short(host):<{width}} {' ' * wide}{state:<10}" for host, state in rows]
    return "\n".join(lines) + "\n"


def state_summary(cluster: Cluster, everybody: Sequence[State]) -> str:
    """What `mmgetstate -s` adds."""
    quorum_up, up, total = _counts(cluster, everybody)
    need = cluster.quorum_needed
    rows = (
        ("Number of nodes defined in the cluster:", total),
        ("Number of local nodes active in the cluster:", up),
        ("Number of remote nodes joined in this cluster:", len(cluster.fs.remote_mounts)),
        ("Number of quorum nodes defined in the cluster:", len(cluster.quorum_hosts)),
        ("Number of quorum nodes active in the cluster:", quorum_up),
    )
    lines = ["", " Summary information ", "---------------------"]
    lines += [f"{text:<50}{count:>5}" for text, count in rows]
    lines.append(f"Quorum = {need}, Quorum {'achieved' if quorum_up >= need else 'not achieved'}")
    return "\n".join(lines) + "\n\n"


def state_y(cluster: Cluster, rows: Sequence[State], everybody: Sequence[State]) -> str:
    """`mmgetstate -Y`; `quorum` is the number of quorum nodes that are needed."""
    names = ["nodeName", "nodeNumber", "state", "quorum", "nodesUp", "totalNodes", "remarks", "cnfsState"]
    dialect = cluster.dialect
    names += ["daemonShortName"] * dialect.at_least(5, 0) + ["daemonNodeName"] * dialect.at_least(5, 2)
    _, up, total = _counts(cluster, everybody)
    lines = []
    for host, state in rows:
        counts = (cluster.quorum_needed, up, total) if state in ("active", "arbitrating") else (0, 0, total)
        values: list[str | int] = [_short(host), host.number, state, *counts, "quorum node" if host.quorum else ""]
        values.append("(undefined)")
        values += [_short(host)] * dialect.at_least(5, 0) + [host.daemon_name] * dialect.at_least(5, 2)
        lines.append(values)
    return ylines.table("mmgetstate", "", names, lines)


def manager_listing(cluster: Cluster, manager: str) -> str:
    """`mmlsmgr`; `manager` is the cluster manager's host."""
    fs, chief = cluster.hosts[cluster.fs.manager], cluster.hosts[manager]
    return (
        "file system      manager node\n"
        "---------------- ------------------\n"
        f"{cluster.fs.name:<16} {fs.address} ({_short(fs)})\n"
        f"\nCluster manager node: {chief.address} ({_short(chief)})\n"
    )


def manager_y(cluster: Cluster, manager: str) -> str:
    """`mmlsmgr -Y`."""
    host = cluster.hosts[cluster.fs.manager]
    return ylines.table("mmlsmgr", "clusterManager", ("manager",), [(_short(cluster.hosts[manager]),)]) + ylines.table(
        "mmlsmgr",
        "filesystemManager",
        ("filesystem", "manager", "managerIP"),
        [(cluster.fs.name, _short(host), host.address)],
    )


def _mounts(cluster: Cluster, fs: FileSystem) -> list[tuple[str, str, str]]:
    own = [(cluster.hosts[name].address, _short(cluster.hosts[name]), cluster.name) for name in fs.mounted_on]
    return own + fs.remote_mounts


def mount_listing(cluster: Cluster, fs: FileSystem, *, long: bool) -> str:
    """`mmlsmount`; with `-L` one line a node, and the cluster where several mount it."""
    mounts = _mounts(cluster, fs)
    if not mounts:
        return f"File system {fs.name} is not mounted.\n"
    if not long:
        return f"File system {fs.name} is mounted on {len(mounts)} nodes.\n"
    lines = [" " * 44, f"File system {fs.name} is mounted on {len(mounts)} nodes:"]
    for address, name, cluster_name in mounts:
        cell = f" {cluster_name} " if fs.remote_mounts else ""
        lines.append(f"  {address:<15} {name:<26}{cell}")
    return "\n".join(lines) + "\n"


def mount_y(cluster: Cluster, fs: FileSystem) -> str:
    """`mmlsmount -Y`."""
    names = ("localDevName", "realDevName", "owningCluster", "totalNodes", "nodeIP", "nodeName", "clusterName", "mode")
    mounts = _mounts(cluster, fs)
    head = (fs.name, fs.name, cluster.name, len(mounts))
    rows = [(*head, *mount, "RW") for mount in mounts] or [(*head, "", "", "", "")]
    return ylines.table("mmlsmount", "", names, rows)


def config_listing(cluster: Cluster) -> str:
    """`mmlsconfig`."""
    title, systems = f"Configuration data for cluster {cluster.name}:", f"File systems in cluster {cluster.name}:"
    lines = [title, "-" * len(title)]
    common = cluster.config.get("common", {})
    lines += [f"{name} {value}" for name, value in common.items()]
    for section, values in cluster.config.items():
        if section != "common":
            lines += [f"[{section}]", *(f"{name} {value}" for name, value in values.items()), "[common]"]
    # Central or not comes last: sections may be interrupted by others.
    lines.append(f"adminMode {'central' if cluster.admins else 'allToAll'}")
    lines += ["", systems, "-" * len(systems), f"/dev/{cluster.fs.name}"]
    return "\n".join(lines) + "\n"


def _settings(cluster: Cluster) -> list[tuple[str, str, str]]:
    """(parameter, value, nodes): the last one empty for all nodes."""
    found = [
        (name, value, "" if section == "common" else section)
        for section, values in cluster.config.items()
        for name, value in values.items()
    ]
    return [*found, ("adminMode", "central" if cluster.admins else "allToAll", "")]


def config_value(cluster: Cluster, parameter: str) -> str:
    """`mmlsconfig PARAMETER`."""
    found = [(value, nodes) for name, value, nodes in _settings(cluster) if name.lower() == parameter.lower()]
    if not found:
        return f"{parameter} (undefined)\n"
    return "".join(f"{parameter} {value}{f' [{nodes}]' if nodes else ''}\n" for value, nodes in found)


def config_y(cluster: Cluster, parameter: str) -> str:
    """`mmlsconfig -Y`, whole or of one parameter."""
    rows = [
        (name, ylines.colons(value), nodes)
        for name, value, nodes in _settings(cluster)
        if not parameter or name.lower() == parameter.lower()
    ]
    if parameter and not rows:
        rows = [(parameter, "(undefined)", "")]
    return ylines.table("mmlsconfig", "", ("configParameter", "value", "nodeList"), rows)
