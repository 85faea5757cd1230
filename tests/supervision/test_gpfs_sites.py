"""Sites: places of nodes that a person has told, by whatever names, and what they forbid."""

from __future__ import annotations

from remote.gpfs.models import NsdDevices
from remote.names import NodeTable
from supervision import filesystems
from supervision.gpfs import GpfsFileSystem
from supervision.gpfs_groups import Placed, judge_groups, places
from supervision.gpfs_site import site_of
from supervision.gpfs_stanzacheck import judge_stanzas
from supervision.gpfs_view import View
from supervision.verdicts import NAME, Level
from tests.supervision import gpfs_states as made

TABLE = NodeTable.from_cluster(made.cluster())


def test_nodes_are_found_by_any_of_their_names() -> None:
    found, odd = places({"north": ["n1", "10.0.0.2"], "south": ["N3.example.com."]}, TABLE)
    assert found == {"n1.example.com": "north", "n2.example.com": "north", "n3.example.com": "south"}
    assert odd == ()


def test_a_name_that_is_no_node_is_a_warning_and_counts_for_nothing() -> None:
    found, (odd,) = places({"north": ["n1", "n9"]}, TABLE)
    assert found == {"n1.example.com": "north"}
    assert (odd.level, odd.kind) == (Level.WARNING, NAME)
    assert odd.text.startswith("of site north: 'n9' is no node of the cluster; known: n")


def test_a_node_with_two_names_at_two_sites_is_a_warning_and_stays_at_the_first() -> None:
    found, (odd,) = places({"north": ["n1"], "south": ["10.0.0.1"]}, TABLE)
    assert found == {"n1.example.com": "north"}
    assert odd.text == "n1.example.com is at site north and at site south: only north counts"


def test_while_no_node_is_known_nothing_is_said_of_sites() -> None:
    assert places({"north": ["n1"]}, NodeTable(())) == ({}, ())


def test_two_failure_groups_at_one_site_are_blocked() -> None:
    sites, _ = places({"north": ["n1", "n2"], "south": ["n3"]}, TABLE)
    disks = [Placed(f"new{number}", str(number), (f"n{number}.example.com",), "", 1 << 30) for number in (1, 2, 3)]
    (block,) = judge_groups(disks, sites)
    assert block.level is Level.BLOCK
    assert block.text == "failure groups 1, 2 share site north: its loss would take both"
    assert judge_groups(disks[1:], sites) == []


def test_the_sites_of_a_view_are_judged_with_the_stanzas() -> None:
    state = made.state({"cluster": made.cluster(), "nsd devices": NsdDevices(())})
    site = site_of(View(state, made.FS, made.HOSTS, sites={"north": ["n1", "n9"]}))
    assert site.sites == {"n1.example.com": "north"}
    assert [verdict.kind for verdict in judge_stanzas((), site).verdicts] == [NAME]
    assert site_of(View(state, made.FS, made.HOSTS)).sites == {}


def test_a_file_system_is_opened_with_the_sites() -> None:
    header = made.state().header
    opened = filesystems.file_system(header, sites={"north": ["n1"]})
    assert isinstance(opened, GpfsFileSystem)
    assert opened._view(made.state()).sites == {"north": ["n1"]}
