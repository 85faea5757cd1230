"""One table of names: each node of the cluster is known by its names and its address, whichever command
printed them.

`mmlsnsd` prints full daemon names, `mmadddisk` short ones, stanza files admin names. All of them are found
here, and whatever is not found here, or could mean two nodes, is refused.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from remote.folding import fold
from remote.gpfs.models import Cluster, ClusterNode

__all__ = ["NodeTable", "UnknownNodeError", "fold"]


class UnknownNodeError(ValueError):
    """A name that means no node of the cluster, or more than one."""


class NodeTable:
    """The nodes of one cluster by every name that they have. Capitals do not matter."""

    def __init__(self, nodes: Iterable[ClusterNode]) -> None:
        self.nodes = tuple(nodes)
        self._by_alias: dict[str, list[ClusterNode]] = {}
        for node in self.nodes:
            for alias in _aliases(node):
                self._by_alias.setdefault(alias, []).append(node)

    @classmethod
    def from_cluster(cls, cluster: Cluster) -> NodeTable:
        """The table behind `mmlscluster`."""
        return cls(cluster.nodes)

    def resolve(self, name: str) -> ClusterNode:
        """The node of that name: daemon or admin name, short or full, or its address.

        Raises UnknownNodeError, which tells the names that are known, if there is not exactly one.
        """
        found = self._by_alias.get(_normal(name), [])
        if len(found) == 1:
            return found[0]
        if found:
            raise UnknownNodeError(f"{name!r} may be any of {fold(node.admin_name for node in found)}")
        known = fold(node.admin_name for node in self.nodes) or "no node at all"
        raise UnknownNodeError(f"{name!r} is no node of the cluster; known: {known}")


def _normal(name: str) -> str:
    return name.strip().rstrip(".").lower()


def _aliases(node: ClusterNode) -> set[str]:
    aliases = {_normal(node.address)}
    for name in (_normal(node.daemon_name), _normal(node.admin_name)):
        aliases.add(name)
        if not _is_address(name):
            aliases.add(name.partition(".")[0])
    return aliases - {""}


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
