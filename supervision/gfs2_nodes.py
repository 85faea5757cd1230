"""Where a GFS2 is mounted: what each watched host tells of itself, and the nodes that its cluster knows besides."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from remote.folding import fold
from remote.gfs2.cluster import Node, NodeState
from remote.gfs2.use import ManagerAnswer, Use
from supervision.facts import Fact
from supervision.figures import UNKNOWN
from supervision.gfs2_checking import same_host
from supervision.gfs2_view import View
from supervision.tables import Cell, Column, Line, Row, Severity, Table

_COLUMNS = (Column("node", "node"), Column("state", "in the cluster"), Column("mounted", "mounted"))
_MEMBERS = {NodeState.MEMBER: "member", NodeState.AWAY: "away", NodeState.UNKNOWN: UNKNOWN}


class Told(msgspec.Struct, frozen=True):
    """What is known of one host or node. `mounted` says where, () that it is not, None that nobody knows.

    `node` is what the cluster says of it, None where it knows no such node.
    """

    name: str
    mounted: tuple[str, ...] | None = None
    node: Node | None = None
    at: float | None = None
    failure: str = ""


def use_of(view: View, host: str) -> tuple[Fact | None, Use | None]:
    """What a host last told of the use of GFS2."""
    fact = view.state.facts.get(f"gfs2 use {host}")
    model = fact.parsed.model if fact and fact.parsed else None
    return fact, model if isinstance(model, Use) else None


def members(view: View) -> tuple[Node, ...]:
    """The nodes of the cluster, as the newest answer of a host tells them; () where no cluster manager is known."""
    told = [(fact.at, use.nodes) for fact, use in (use_of(view, host) for host in view.hosts) if fact and use]
    return max((each for each in told if each[1]), key=lambda each: each[0], default=(0.0, ()))[1]


def _is_node(host: str, use: Use | None, node: Node) -> bool:
    """Whether a host is a node of the cluster: by the name that it is reached by, or by its own."""
    return any(same_host(name, node.name) for name in (host, use.name if use else "") if name)


def told(view: View) -> tuple[Told, ...]:
    """Each watched host, and after them each node of the cluster that is none of them."""
    nodes = list(members(view))
    sb = view.superblock
    table, uuid = (sb.lock_table, sb.uuid) if sb else ("", "")
    found = []
    for host in view.hosts:
        fact, use = use_of(view, host)
        mounted = _mounted(use, table, uuid) if use and fact and not fact.failure else None
        failure = fact.failure if fact else ""
        node = next((each for each in nodes if _is_node(host, use, each)), None)
        nodes = [each for each in nodes if each is not node]
        found.append(Told(host, mounted, node, fact.at if fact and use else None, failure))
    return (*found, *(Told(node.name, node=node) for node in nodes))


def _mounted(use: Use, table: str, uuid: str) -> tuple[str, ...] | None:
    """Where it is mounted on a host; None where one of those mounted may be it, by a name that is not known there."""
    found = use.mounted(table=table, uuid=uuid)
    if found or use.exists or table or not (use.mounts or use.in_kernel):
        return found
    told_apart = uuid and use.in_kernel and all(held.uuid for held in use.in_kernel)
    return found if told_apart else None


def nodes(view: View) -> Table:
    """The hosts and nodes with what is mounted there."""
    found = told(view)
    failure = "; ".join(f"{each.name}: {each.failure}" for each in found if each.failure)
    at = min((each.at for each in found if each.at is not None), default=None)
    if at is None:
        return Table(_COLUMNS, failure=failure)
    known = bool(members(view))
    return Table(_COLUMNS, tuple(_row(each, known=known) for each in found), at, failure)


def _row(each: Told, *, known: bool) -> Row:
    """`known` tells whether any node of a cluster is."""
    state = _MEMBERS[each.node.state] if each.node else "no such node" if known else "no cluster manager told"
    mounted = f"{UNKNOWN}: not told" if each.mounted is None else ", ".join(each.mounted) or "no"
    severity = Severity.WARNING if each.mounted is None else Severity.NORMAL
    return Row(each.name, (Cell(each.name), Cell(state), Cell(mounted)), severity)


def mounted_line(view: View) -> Iterator[Line]:
    """Where it is mounted, in a line; nothing while nobody has told."""
    found = told(view)
    at = min((each.at for each in found if each.at is not None), default=None)
    if at is None:
        return
    on = [f"on {each.name}: {', '.join(each.mounted)}" for each in found if each.mounted]
    free = fold(each.name for each in found if each.mounted == ())
    unsaid = fold(each.name for each in found if each.mounted is None)
    parts = [*on, f"not on {free}" if free else "", f"not known of {unsaid}" if unsaid else ""]
    yield Line("Mounted", "; ".join(part for part in parts if part), at=at)


def unwatched(view: View) -> tuple[str, ...]:
    """The nodes of the cluster that are not watched: it may be mounted there."""
    hosts = [(host, use_of(view, host)[1]) for host in view.hosts]
    return tuple(node.name for node in members(view) if not any(_is_node(host, use, node) for host, use in hosts))


def problems(view: View) -> Iterator[Line]:
    """A file system that has withdrawn, and a cluster manager that did not answer."""
    for host in view.hosts:
        fact, use = use_of(view, host)
        if fact is None or use is None:
            continue
        sb = view.superblock
        for held in use.in_kernel:
            if held.withdrawn and sb and (held.table == sb.lock_table or held.uuid == sb.uuid):
                text = f"{held.table} has withdrawn on {host}: the kernel found it damaged, and writes nothing any more"
                advice = "Unmount it on every node and run fsck.gfs2 before it is mounted again"
                yield Line("Withdrawn", text, Severity.BAD, advice, fact.at)
        if use.asked_nodes is ManagerAnswer.FAILED:
            text = f"{host} does not tell which nodes its cluster has: {use.nodes_text}"
            advice = "Which other nodes have it mounted is not known: see crm_node -l there"
            yield Line("Cluster", text, Severity.WARNING, advice, fact.at)
