"""The nodes of a GPFS cluster, folded where they are alike in everything that matters."""

from __future__ import annotations

from collections import defaultdict

import msgspec

from remote.events import LinkChanged
from remote.gpfs.models import Cluster, ClusterNode, Managers, MountedNode, Mounts, NodeState, NodeStates, NsdList
from remote.names import fold
from supervision.gpfs_text import UNKNOWN
from supervision.gpfs_view import NOT_ASKED, View, failure_of, short
from supervision.tables import Cell, Column, Row, Severity, Table

COLUMNS = (
    Column("nodes", "nodes"),
    Column("count", "n", right=True),
    Column("daemon", "daemon"),
    Column("mount", "mounted"),
    Column("link", "connection"),
    Column("trouble", "trouble"),
    Column("roles", "roles"),
)
MOST_DETAILS = 20
"""Hosts of one row whose own words are shown."""
NOT_OURS = "not watched"
"""The connection of a node that is none of the hosts given: GPFS speaks for it, nobody else does."""
_LINK_SEVERITY = {"refused": Severity.BAD, "waiting": Severity.WARNING}
_DAEMON_SEVERITY = {"down": Severity.BAD, "unknown": Severity.WARNING, "arbitrating": Severity.WARNING}


class _Alike(msgspec.Struct, frozen=True):
    """What nodes of one row have in common."""

    roles: tuple[str, ...]
    daemon: str
    mount: str
    link: str
    trouble: str

    @property
    def severity(self) -> Severity:
        """How bad that is."""
        mount = Severity.WARNING if self.mount == "no" and "NSD server" in self.roles else Severity.NORMAL
        daemon = _DAEMON_SEVERITY.get(self.daemon, Severity.NORMAL)
        return max(mount, daemon, _LINK_SEVERITY.get(self.link, Severity.NORMAL))


def nodes(view: View) -> Table:
    """One row for all nodes that are alike; the worst first."""
    facts = view.facts
    values = (
        view.cluster, view.devices, view.state.links, *view.hosts, *view.daemon_facts(),
        facts.get(Mounts), facts.get(Managers), facts.get(NsdList),
    )  # fmt: skip
    rows = view.remember("nodes", values, lambda: _rows(view))
    failure = failure_of(facts.fact(Cluster), facts.fact(NodeStates), facts.fact(Mounts))
    return Table(COLUMNS, rows, _age(view), failure)


def _rows(view: View) -> tuple[Row, ...]:
    looked = _Looked(view)
    groups: dict[_Alike, list[tuple[str, str]]] = defaultdict(list)
    for node in view.cluster.nodes if view.cluster else ():
        groups[looked.alike(node)].append((view.label(node.daemon_name), view.host_of(node.daemon_name) or ""))
    for host in view.hosts:
        if view.node_of(host) is None:
            groups[looked.stranger(host)].append((host, host))
    groups.update(looked.guests())
    rows = [_row(view, alike, members) for alike, members in groups.items()]
    rows.sort(key=lambda row: -row.severity)
    return tuple(rows)


def _age(view: View) -> float | None:
    """When daemons were last asked, else the cluster: what changes is what ages."""
    asked = view.daemon_facts()
    return asked[-1].at if asked else view.at(Cluster)


def _row(view: View, alike: _Alike, members: list[tuple[str, str]]) -> Row:
    """A row of nodes, each with the host by which it is reached."""
    folded = fold(name for name, _ in members)
    roles = ", ".join(alike.roles) or "client"
    cells = (
        Cell(folded, folded),
        Cell(f"{len(members):,}", len(members)),
        *(Cell(text) for text in (alike.daemon, alike.mount, alike.link, alike.trouble, roles)),
    )
    reached = fold(host for _, host in members if host)
    detail = [
        ("nodes", folded),
        ("roles", roles),
        ("GPFS", alike.daemon),
        ("mounted", alike.mount),
        ("connection", alike.link),
        ("reached as", reached if reached != folded else ""),
        ("trouble", alike.trouble),
    ]
    for _, host in members[:MOST_DETAILS]:
        link = view.state.links.get(host)
        detail.append((host, link.detail if link else ""))
    # a node that changes moves to another row: what is marked is a set of nodes that were alike
    return Row(folded, cells, alike.severity, tuple((label, text) for label, text in detail if text))


def link_words(link: LinkChanged | None) -> tuple[str, str]:
    """How it stands with a connection of ours, and what the trouble is."""
    return ("not connected", "") if link is None else (link.state, link.trouble)


def daemon_states(view: View) -> dict[str, NodeState]:
    """The newest word on each daemon, by the daemon name of its node."""
    states: dict[str, NodeState] = {}
    for fact in view.daemon_facts():
        model = fact.parsed.model if fact.parsed else None
        if not isinstance(model, NodeStates):
            continue
        for state in model.nodes:
            node = view.node(state.name)
            states[node.daemon_name if node else state.name] = state
        for name in model.unreachable:
            node = view.node(name)
            if node:
                states[node.daemon_name] = NodeState(node.number, name, "unknown")
    return states


class _Looked:
    """What is known of all nodes, by daemon name."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._states = daemon_states(view)
        self._mounted = self._mounts()
        self._servers = self._nsd_servers()
        managers = view.facts.get(Managers)
        manager = managers.of(view.name) if managers else None
        self._managers = {
            self._name(name): role
            for name, role in (
                (
                    managers.cluster_manager or managers.cluster_manager_address if managers else "",
                    "cluster mgr",
                ),  # short: 80 columns must still show the connection
                (manager.node if manager else "", "fs mgr"),
            )
            if name
        }

    def _name(self, name: str) -> str:
        node = self._view.node(name)
        return node.daemon_name if node else name

    def _mounts(self) -> set[str] | None:
        """The nodes that mount it; None while that is not known."""
        mounts = self._view.facts.get(Mounts)
        mine = mounts.of(self._view.name) if mounts else None
        if mine is None or (mine.count and not mine.nodes):
            return None
        names = set()
        for mounted in mine.nodes:
            if self.foreign(mounted):
                continue
            node = self._view.node(mounted.name) or self._view.node(mounted.address)
            names.add(node.daemon_name if node else mounted.name)
        return names

    def foreign(self, mounted: MountedNode) -> bool:
        """Whether a node that mounts it belongs to another cluster."""
        return bool(self._view.cluster and mounted.cluster and mounted.cluster != self._view.cluster.name)

    def guests(self) -> dict[_Alike, list[tuple[str, str]]]:
        """The nodes of other clusters that mount it: no command here tells more of them."""
        mounts = self._view.facts.get(Mounts)
        mine = mounts.of(self._view.name) if mounts else None
        groups: dict[_Alike, list[tuple[str, str]]] = defaultdict(list)
        for mounted in mine.nodes if mine else ():
            if self.foreign(mounted):
                alike = _Alike((f"guest of {mounted.cluster}",), NOT_ASKED, "yes", NOT_OURS, "")
                groups[alike].append((short(mounted.name or mounted.address), ""))
        return groups

    def _nsd_servers(self) -> set[str]:
        listed = self._view.facts.get(NsdList)
        names = {server for nsd in listed.nsds for server in nsd.servers} if listed else set()
        if self._view.devices:
            names |= {row.node for row in self._view.devices.rows if "server node" in row.remarks}
        return {self._name(name) for name in names}

    def alike(self, node: ClusterNode) -> _Alike:
        """What this node shares with others of its row."""
        name = node.daemon_name
        roles = list(node.roles)
        if name in self._managers:
            roles.append(self._managers[name])
        if name in self._servers:
            roles.append("NSD server")
        state = self._states.get(name)
        mount = UNKNOWN if self._mounted is None else "yes" if name in self._mounted else "no"
        host = self._view.host_of(name)
        link, trouble = link_words(self._view.state.links.get(host)) if host else (NOT_OURS, "")
        return _Alike(tuple(roles), state.state if state else NOT_ASKED, mount, link, trouble)

    def stranger(self, host: str) -> _Alike:
        """A host that is no node of the cluster, or not known to be one."""
        role = f"{UNKNOWN} role" if self._view.cluster is None else "no node of the cluster"
        link, trouble = link_words(self._view.state.links.get(host))
        return _Alike((role,), NOT_ASKED, UNKNOWN, link, trouble)
