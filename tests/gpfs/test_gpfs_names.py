"""One table of names: aliases, refusals, folding."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remote.gpfs.models import Cluster, ClusterNode
from remote.names import NodeTable, UnknownNodeError, fold


def cluster(*nodes: ClusterNode) -> Cluster:
    return Cluster("c", "1", "c", "", "", "", "", "", nodes)


POLLUX = [
    ClusterNode(n, f"pollux{n}.example.com", f"140.252.28.{n}", f"foo{n}.admin.example.com", "quorum")
    for n in (1, 2, 3)
]


@pytest.mark.parametrize(
    "name",
    [
        "foo2",
        "foo2.admin.example.com",
        "pollux2",
        "pollux2.example.com",
        "pollux2.example.com.",
        "POLLUX2.Example.COM",
        "140.252.28.2",
        " foo2 ",
    ],
)
def test_every_alias_means_one_node(name: str) -> None:
    assert NodeTable.from_cluster(cluster(*POLLUX)).resolve(name) is POLLUX[1]


@pytest.mark.parametrize("name", ["", "foo", "foo4", "pollux2.example", "140", "example.com", "foo[1-3]", "*", "."])
def test_unknown_names_are_refused_with_what_is_known(name: str) -> None:
    with pytest.raises(UnknownNodeError, match=r"known: foo\[1-3\]\.admin\.example\.com"):
        NodeTable.from_cluster(cluster(*POLLUX)).resolve(name)


def test_a_cluster_without_nodes_knows_none() -> None:
    with pytest.raises(UnknownNodeError, match="no node at all"):
        NodeTable.from_cluster(cluster()).resolve("foo1")


def test_a_name_of_two_nodes_is_refused() -> None:
    here = ClusterNode(1, "n1.here.example", "10.0.0.1", "n1.here.example", "")
    there = ClusterNode(2, "n1.there.example", "10.0.1.1", "n1.there.example", "")
    table = NodeTable.from_cluster(cluster(here, there))
    with pytest.raises(UnknownNodeError, match="may be any of"):
        table.resolve("n1")
    assert table.resolve("n1.there.example") is there
    assert table.resolve("10.0.0.1") is here


def test_addresses_as_names_have_no_short_form() -> None:
    node = ClusterNode(1, "10.0.0.1", "10.0.0.1", "10.0.0.1", "")
    table = NodeTable.from_cluster(cluster(node))
    assert table.resolve("10.0.0.1") is node
    with pytest.raises(UnknownNodeError):
        table.resolve("10")


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["foo1"], "foo1"),
        (["foo3", "foo1", "foo2", "foo1"], "foo[1-3]"),
        (["n1.example.com", "n2.example.com"], "n[1-2].example.com"),
        (["b", "a[1-3]"], "b,a[1-3]"),
        (["@all", "x"], "@all,x"),
        (["n[1-999999999]"], "n[1-999999999]"),
        (["a b", "c"], "a b,c"),
    ],
)
def test_folding(names: list[str], text: str) -> None:
    assert fold(names) == text


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.text(max_size=12), max_size=6))
def test_any_names_fold_and_resolve_or_are_refused(names: list[str]) -> None:
    fold(names)
    nodes = [ClusterNode(number, name, "", name, "") for number, name in enumerate(names)]
    table = NodeTable(nodes)
    for name in names:
        try:
            assert table.resolve(name) in nodes
        except UnknownNodeError:
            continue


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sets(st.from_regex(r"[a-z]{1,3}[0-9]{0,3}(\.x[0-9])?", fullmatch=True), max_size=8))
def test_folding_loses_no_name(names: set[str]) -> None:
    from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet

    assert set(NodeSet(fold(sorted(names)), resolver=RESOLVER_NOGROUP)) == names
