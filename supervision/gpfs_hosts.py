"""Which nodes are watched besides the one that was entered by: those that serve and manage the file system.

Never the clients: a cluster may have thousands, and none of them knows more of a restripe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from remote.gpfs.models import ClusterNode, Managers, NsdList
from supervision.gpfs_view import View, short


def hosts(view: View, entry: str) -> tuple[str, ...]:
    """The NSD servers and managers of the file system but for those that are watched already, the servers first.

    They are called by the kind of name by which the entry host was given (admin or daemon name, short or full):
    that one is known to lead somewhere from here. An entry that is no node, or has another name here, says
    nothing of that; then it is the admin name, which is for such logins.
    """
    ours = {node.number for host in view.hosts if (node := view.node_of(host))}
    named = _naming(view, entry)
    found: dict[int, str] = {}
    for name in (*_servers(view), *_managers(view)):
        node = view.node(name)
        if node and node.number not in ours:
            found.setdefault(node.number, named(node))
    return tuple(found.values())


def hosts_of(view: View, entry: str, names: Iterable[str]) -> tuple[str, ...]:
    """The hosts of nodes that are called by any of their names: those that are watched, or as `hosts` would call them.

    A name that means no node is left out; whoever asked says so.
    """
    named = _naming(view, entry)
    found: dict[str, None] = {}
    for name in names:
        node = view.node(name)
        if node:
            ours = next((host for host in view.hosts if view.node_of(host) is node), "")
            found[ours or named(node)] = None
    return tuple(found)


def _servers(view: View) -> list[str]:
    listed = view.facts.get(NsdList)
    names = (server for nsd in listed.nsds if nsd.fs == view.name for server in nsd.servers) if listed else ()
    return sorted(set(names))


def _managers(view: View) -> list[str]:
    managers = view.facts.get(Managers)
    if managers is None:
        return []
    mine = managers.of(view.name)
    names = [mine.node or mine.address] if mine else []
    return [*names, managers.cluster_manager or managers.cluster_manager_address]


_Naming = Callable[[ClusterNode], str]
_NAMINGS: tuple[_Naming, ...] = (
    lambda node: node.admin_name,
    lambda node: short(node.admin_name),
    lambda node: node.daemon_name,
    lambda node: short(node.daemon_name),
    lambda node: node.address,
)


def _naming(view: View, entry: str) -> _Naming:
    node = view.node(entry)
    wanted = entry.rstrip(".").lower()
    return next((naming for naming in _NAMINGS if node and naming(node).lower() == wanted), _NAMINGS[0])
