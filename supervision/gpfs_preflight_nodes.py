"""Checks of the nodes: quorum, NSD servers, the manager, hosts that are reached. Dead clients are no more than a note.

Never is every node asked: `mmgetstate -N` names those that matter, which are few.
"""

from __future__ import annotations

from collections.abc import Iterable

from remote.folding import fold
from remote.gpfs.models import Cluster, ClusterConfig, ClusterNode, Managers, NodeState, NodeStates, NsdList
from remote.names import UnknownNodeError
from supervision.checking import Outcome
from supervision.gpfs_nodes import daemon_states
from supervision.gpfs_preflight_grounds import Finding, Grounds, Rule, block, note, passed, unread, warning
from supervision.gpfs_view import View, short
from supervision.plan import Plan

_ALL_RIGHT = ("up", "connecting", "idle")


def nodes_that_matter(view: View | None, plan: Plan) -> tuple[str, ...]:
    """The nodes whose daemons a plan needs, as `-N` takes them: servers, helpers of the restripe, quorum, the manager.

    Without a view, those that the plan names.
    """
    names = dict.fromkeys((*plan.nodes, *_servers_of(plan)))
    if view is None or view.cluster is None:
        return tuple(names)
    more = [node.daemon_name for node in view.cluster.nodes if node.quorum]
    more += _listed_servers(view)
    managers = view.facts.get(Managers)
    manager = managers.of(view.name) if managers else None
    more += [manager.node or manager.address] if manager else []
    return tuple(dict.fromkeys(view.label(name) for name in (*names, *more)))


def _servers_of(plan: Plan) -> list[str]:
    servers = [server for device in plan.devices for server in device.servers]
    return servers + [server for disk in plan.old_disks for server in disk.servers]


def _listed_servers(view: View) -> list[str]:
    listed = view.facts.get(NsdList)
    return [server for nsd in listed.nsds if nsd.fs == view.name for server in nsd.servers] if listed else []


def hosts_that_matter(view: View, plan: Plan) -> tuple[str, ...]:
    """The hosts that are asked of themselves: the job's, all servers that are watched, the manager if it is reached.

    A manager that is none of the servers may be where nobody gets to by SSH.
    """
    servers = [host for name in (*_servers_of(plan), *_listed_servers(view)) if (host := view.host_of(name))]
    manager = manager_host(view)
    link = view.state.links.get(manager) if manager else None
    hosts = [plan.host, *servers, *([manager] if manager and link and link.state in _ALL_RIGHT else [])]
    return tuple(dict.fromkeys(hosts))


def manager_host(view: View) -> str | None:
    """The watched host that is the manager of the file system; None where it is not watched, or not known."""
    managers = view.facts.get(Managers)
    manager = managers.of(view.name) if managers else None
    return view.host_of(manager.node or manager.address) if manager else None


def nodes_named(names: Iterable[str], grounds: Grounds) -> tuple[ClusterNode, ...]:
    """The nodes of names, by an mmlscluster of now. Raises UnreadError, also for a name that means none."""
    grounds.need(Cluster)
    try:
        return tuple({(node := grounds.view.table.resolve(name)).number: node for name in names}.values())
    except UnknownNodeError as error:
        unread(str(error))


def states_by_node(states: NodeStates, grounds: Grounds) -> dict[int, NodeState]:
    """The daemons by the numbers of their nodes; those that could not be reached are `unknown`."""
    numbers = {node.number for node in grounds.need(Cluster).nodes}
    found = {state.number: state for state in states.nodes if state.number in numbers}
    for name in states.unreachable:
        node = grounds.view.node(name)
        if node:
            found[node.number] = NodeState(node.number, name, "unknown")
    return found


def must_be_active(grounds: Grounds, names: Iterable[str], what: str, *, advice: str = "") -> Finding:
    """Whether GPFS is active on all of some nodes, by an answer of just now."""
    nodes = nodes_named(names, grounds)
    states = states_by_node(grounds.chosen_states(), grounds)
    told = fold(short(node.admin_name) for node in nodes)
    bad = [node for node in nodes if node.number in states and not states[node.number].active]
    if bad:
        words = "; ".join(f"GPFS is {states[node.number].state} on {short(node.admin_name)}" for node in bad[:6])
        more = f" and on {len(bad) - 6} more" if len(bad) > 6 else ""
        return block(f"{words}{more}", advice or "See mmfs.log.latest there, and wait until it is active")
    silent = [short(node.admin_name) for node in nodes if node.number not in states]
    if silent:
        unread(f"mmgetstate tells nothing of {fold(silent)}, which {'is' if len(silent) == 1 else 'are'} {what}")
    return passed(f"GPFS is active on {told}")


def _active_here(grounds: Grounds) -> Finding:
    """The daemon of the job's host is active with quorum alone. It is asked itself: that takes no time."""
    host = grounds.plan.host
    own = grounds.need(NodeStates, host)
    states = ", ".join(f"{state.name} {state.state}" for state in own.nodes) or "no state"
    if not any(state.active for state in own.nodes):
        advice = "Nothing may be changed without quorum: see which quorum nodes are down (mmgetstate -aLs)"
        return block(f"GPFS on {host} has no quorum: {states}", advice)
    return passed(f"GPFS on {host} has quorum: {states}")


def _quorum(grounds: Grounds) -> Finding:
    """There is quorum; how many quorum nodes may still be lost is told too."""
    here = _active_here(grounds)
    if here.outcome is not Outcome.PASS:
        return here
    cluster = grounds.need(Cluster)
    states_now = states_by_node(grounds.chosen_states(), grounds)
    quorum = [node for node in cluster.nodes if node.quorum]
    told = [states_now[node.number] for node in quorum if node.number in states_now]
    up, need = sum(state.active for state in told), len(quorum) // 2 + 1
    config = grounds.may(ClusterConfig)
    tiebreakers = bool(config and config.get("tiebreakerDisks") not in (None, "", "no")) or any(
        state.tiebreaker for state in told
    )
    read = f"{up} of {len(quorum)} quorum nodes active, {need} needed"
    if tiebreakers:
        return passed(f"{up} of {len(quorum)} quorum nodes active, with tiebreaker disks")
    if len(told) < len(quorum):
        return note(f"there is quorum; of {len(quorum)} quorum nodes {len(told)} were asked", "See mmgetstate -aLs")
    if up == need and len(quorum) > 1:
        return warning(f"{read}: the loss of one more stops the cluster", "Bring the other quorum nodes back first")
    return passed(read)


def _servers(grounds: Grounds) -> Finding:
    """Those of all NSDs of the file system, and those that the plan names for new ones."""
    listed = grounds.need(NsdList)
    names = [server for nsd in listed.nsds if nsd.fs == grounds.view.name for server in nsd.servers]
    names += _servers_of(grounds.plan)
    return must_be_active(grounds, dict.fromkeys(names), "an NSD server of it")


def _manager(grounds: Grounds) -> Finding:
    managers = grounds.need(Managers)
    manager = managers.of(grounds.view.name)
    if manager is None:
        return block(f"mmlsmgr tells of no manager of {grounds.view.name}", "Is it mounted anywhere? See mmlsmgr")
    return must_be_active(grounds, (manager.node or manager.address,), "its manager")


def _helpers(grounds: Grounds) -> Finding:
    if not grounds.plan.nodes:
        return block("the plan names no node for the restripe", "Without -N every node of the cluster would work")
    return must_be_active(
        grounds, grounds.plan.nodes, "a node of the restripe (-N)", advice="Bring it back, or make a plan without it"
    )


def _others(grounds: Grounds) -> Finding | None:
    """Nodes that are down and do not matter: told as they are known, however old that is."""
    view = grounds.view
    states = daemon_states(view)
    matter = {node.daemon_name for name in nodes_that_matter(view, grounds.plan) if (node := view.node(name))}
    down = [view.label(name) for name, state in states.items() if not state.active and name not in matter]
    if not down:
        return None
    return note(f"GPFS is not active on {fold(down)}; they are no part of this", "They catch up when they come back")


def _reached(grounds: Grounds) -> Finding:
    """A server that cannot be reached may be gone: nothing is changed meanwhile."""
    view, links = grounds.view, grounds.view.state.links
    hosts = hosts_that_matter(view, grounds.plan)
    lost = [host for host in hosts if host not in links or links[host].state not in _ALL_RIGHT]
    if lost:
        words = fold(host for host in lost)
        return block(
            f"no connection to {words}", "Nothing is changed while a server may be gone: see the Cluster screen"
        )
    return passed(f"connected to {fold(hosts)}")


RULES = (
    Rule("quorum", "The cluster has quorum", _quorum),
    Rule("servers-active", "GPFS is active on every NSD server", _servers),
    Rule("manager-active", "GPFS is active on the manager of the file system", _manager),
    Rule("hosts-reached", "The servers can be reached", _reached),
    Rule("other-nodes", "Other nodes", _others),
)
HERE = Rule("quorum", "The cluster has quorum", _active_here)
HELPERS = Rule("helpers-active", "GPFS is active on every node of the restripe", _helpers)
