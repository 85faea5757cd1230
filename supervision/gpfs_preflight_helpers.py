"""Checks of the nodes that do the work of a restripe (-N): who exports to users, threads, mounts, other clusters."""

from __future__ import annotations

from collections.abc import Mapping

from remote.folding import fold
from remote.gpfs.models import Cluster, ClusterConfig, Guests, Managers, Mounts, NsdList
from remote.gpfs.refusals import PIT_LIMIT
from supervision.gpfs_preflight_grounds import Finding, Grounds, Rule, block, note, passed, unread, warning
from supervision.gpfs_preflight_nodes import nodes_named
from supervision.gpfs_view import View, short

THREADS = "pitWorkerThreadsPerNode"
_ROLES = {"ces": "CES", "cnfs": "CNFS", "gui": "GUI"}
"""The words of designations, and what people call them."""


def exporting(cluster: Cluster) -> Mapping[str, str]:
    """The nodes that export to users or run the GUI, by daemon name, with what they are; CNFS is told with -Y alone."""
    found = dict.fromkeys(cluster.ces, "CES") | dict.fromkeys(cluster.cnfs, "CNFS")
    for node in cluster.nodes:
        for role in node.roles:
            if role.lower() in _ROLES:
                found.setdefault(node.daemon_name, _ROLES[role.lower()])
    return found


def _exports(grounds: Grounds) -> Finding:
    """CNFS reboots nodes that are slow; CES and GUI nodes serve people."""
    cluster = grounds.need(Cluster)
    roles = exporting(cluster)
    chosen = [node for node in nodes_named(grounds.plan.nodes, grounds) if node.daemon_name in roles]
    advice = (
        "Which nodes run the GUI is told by `mmlsnodeclass GUI_MGMT_SERVERS` alone; without -Y CNFS is not told either"
    )
    if chosen:
        words = ", ".join(f"{short(node.admin_name)} ({roles[node.daemon_name]})" for node in chosen)
        return warning(f"{words} would work in the restripe", f"Leave them out of -N: users feel it. {advice}")
    others = f"; {fold(grounds.view.label(name) for name in roles)} left out" if roles else ""
    return note(f"no CES or CNFS node is among {', '.join(grounds.plan.nodes)}{others}", advice)


def _near(grounds: Grounds) -> Finding:
    """Nodes that serve the disks need no network for their part."""
    listed = grounds.need(NsdList)
    names = [server for nsd in listed.nsds if nsd.fs == grounds.view.name for server in nsd.servers]
    servers = {node.number for node in nodes_named(names, grounds)}
    far = [short(node.admin_name) for node in nodes_named(grounds.plan.nodes, grounds) if node.number not in servers]
    if far:
        text = f"{fold(far)} serves no disk of {grounds.view.name}"
        return warning(text, "All that such a node reads and writes goes over the network: take NSD servers")
    return passed(f"every node of -N serves disks of {grounds.view.name}")


def _defaults(grounds: Grounds) -> Finding | None:
    told = grounds.need(ClusterConfig).get("defaultHelperNodes")
    if not told:
        return None
    return note(f"defaultHelperNodes is {told}", f"The plan names its own: {', '.join(grounds.plan.nodes)}")


def _threads(grounds: Grounds) -> Finding:
    """Worker threads of all nodes of a scan together. The manager works too, whether -N names it or not."""
    config, managers = grounds.need(ClusterConfig), grounds.need(Managers)
    manager = managers.of(grounds.view.name)
    names = (*grounds.plan.nodes, *((manager.node or manager.address,) if manager else ()))
    nodes = nodes_named(names, grounds)
    told = [_threads_of(config, (node.admin_name, node.daemon_name), grounds.view) for node in nodes]
    if any(count is None for count in told):
        advice = f"GPFS chooses then. It refuses a scan whose nodes have more than {PIT_LIMIT} together, by release"
        return note(f"{THREADS} is not set for all of the {len(nodes)} nodes", advice)
    total = sum(count for count in told if count is not None)
    text = f"{total} worker threads on {len(nodes)} nodes, the manager among them"
    if total > PIT_LIMIT:
        advice = f"Some releases refuse more than {PIT_LIMIT}: fewer nodes (-N), or a lower {THREADS}"
        return warning(text, f"{advice}. If it is refused, nothing was begun")
    return passed(text)


def _threads_of(config: ClusterConfig, names: tuple[str, ...], view: View) -> int | None:
    """What is set for a node by itself, else for all; None where nothing is, or GPFS is to choose (0)."""
    mine = {name.lower() for name in (*names, *(short(name) for name in names))}
    value = config.get(THREADS)
    for entry in config.overrides(THREADS):
        if any(name.lower() in mine or (view.node(name) and view.label(name).lower() in mine) for name in entry.nodes):
            value = entry.value
    return int(value) if value and value.isdigit() and len(value) < 6 and int(value) else None


def _mounted(grounds: Grounds) -> Finding:
    """Whether -N mounts it. A restripe runs on a file system that is mounted nowhere, too."""
    cluster = grounds.need(Cluster)
    mounts = grounds.need(Mounts).of(grounds.view.name)
    if mounts is None or (mounts.count and not mounts.nodes):
        unread("mmlsmount does not tell on which nodes it is mounted")
    mounted = set()
    for each in mounts.nodes:
        node = grounds.view.node(each.address) or grounds.view.node(each.name)
        if node and (not each.cluster or each.cluster == cluster.name):
            mounted.add(node.number)
    chosen = nodes_named(grounds.plan.nodes, grounds)
    missing = [short(node.admin_name) for node in chosen if node.number not in mounted]
    if missing:
        text = f"{fold(missing)} does not mount {grounds.view.name}"
        return warning(text, f"See why: a forced unmount, say. `mmmount {grounds.view.name} -N {','.join(missing)}`")
    return passed(f"mounted on {mounts.count} nodes, and on all of -N")


def _guests(grounds: Grounds) -> Finding | None:
    """Other clusters reach NSD servers by themselves: a new server must be reachable for them, too.

    Those that mount it now are told by mmlsmount; those that may, by mmauth, whose form was never seen: they are shown.
    """
    cluster, mounts = grounds.need(Cluster), grounds.need(Mounts).of(grounds.view.name)
    nodes = mounts.nodes if mounts else ()
    guests = sorted({node.cluster for node in nodes if node.cluster and node.cluster != cluster.name})
    may = grounds.may(Guests)
    others = [name for name in may.of(grounds.view.name) if name not in guests] if may else []
    if not guests and others:
        text = f"{', '.join(others)} may mount it, says mmauth show, and does not now"
        return note(text, "Their nodes must reach the servers of the new disks, too (daemon network, firewall)")
    if not guests:
        return None
    listed = grounds.need(NsdList)
    mine = {device.nsd for device in grounds.plan.devices}
    before = [
        server for nsd in listed.nsds if nsd.fs == grounds.view.name and nsd.nsd not in mine for server in nsd.servers
    ]
    known = {node.number for node in nodes_named(before, grounds)}
    after = nodes_named([server for device in grounds.plan.devices for server in device.servers], grounds)
    new = [short(node.admin_name) for node in after if node.number not in known]
    who = f"{', '.join(guests)} mount{'s' if len(guests) == 1 else ''} it"
    who += f", {', '.join(others)} may" if others else ""
    if new:
        text = f"{who}, and {fold(new)} serves no disk of it yet"
        return warning(text, f"Make sure that their nodes reach {fold(new)} (daemon network, firewall, mmauth)")
    return note(
        f"{who}; the servers of the new disks serve it already", "Whoever reaches the disks of now reaches those"
    )


def _none_named(grounds: Grounds) -> Finding:
    if not grounds.plan.nodes:
        return block("the plan names no node (-N)", "Without it every node of the cluster would work, clients too")
    return passed(f"-N {','.join(grounds.plan.nodes)}")


def _window(grounds: Grounds) -> Finding:
    """What no command tells, and people must."""
    text = f"the restripe runs for hours or longer as a job on {grounds.plan.host}, whatever becomes of this program"
    advice = "Tell the users, and see that neither that host nor a node of -N is rebooted for maintenance meanwhile"
    return note(text, advice)


NAMED = Rule("helpers-named", "The nodes of the restripe are named", _none_named)
RULES = (
    NAMED,
    Rule("helpers-exports", "No node that exports to users works", _exports),
    Rule("helpers-near", "The nodes are near the disks", _near),
    Rule("helpers-default", "defaultHelperNodes", _defaults),
    Rule("pit-threads", "The nodes have no more worker threads than GPFS allows", _threads),
    Rule("mounted", "The nodes mount it", _mounted),
)
WINDOW = Rule("window", "Users and operators know of it", _window)
GUESTS = Rule("remote-clusters", "Other clusters reach the servers", _guests)
