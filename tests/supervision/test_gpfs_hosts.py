"""Which nodes are watched, and by which names they are reached."""

from __future__ import annotations

import pytest

from remote.gpfs.models import FsManager, Managers, NodeState, NodeStates, Nsd, NsdList
from supervision.gpfs import GpfsFileSystem
from supervision.state import State
from tests.supervision import gpfs_states as made
from tests.supervision.gpfs_states import FS

NSDS = NsdList(
    (
        Nsd("a", FS, ("n3.example.com", "n2.example.com")),
        Nsd("b", FS, ("n2.example.com",)),
        Nsd("c", "fs2", ("n4.example.com",)),
        Nsd("free", "", ("n5.example.com",)),
    )
)
MANAGERS = Managers((FsManager(FS, "n1", "10.0.0.1"), FsManager("fs2", "n4", "10.0.0.4")), "n6", "10.0.0.6")


def hosts(entry: str, **facts: object) -> tuple[str, ...]:
    """The hosts to watch of a cluster of six nodes, entered by `entry`."""
    state = made.state({"cluster": made.cluster("n4", "n5", "n6"), "nsds": NSDS, "managers": MANAGERS, **facts})
    header = state.header.__class__(1, "0", 0.0, 0.0, FS, (entry,), entry)
    state = State(header, at=state.at, facts=state.facts)
    return GpfsFileSystem(FS, entry).hosts(state, entry)


@pytest.mark.parametrize(
    ("entry", "others"),
    [
        # servers of this file system, then its manager and the cluster's; no client, no other file system's nodes
        ("n1", ("n2", "n3", "n6")),
        ("n1.example.com", ("n2.example.com", "n3.example.com", "n6.example.com")),
        ("N2", ("n3", "n1", "n6")),
        ("10.0.0.6", ("10.0.0.2", "10.0.0.3", "10.0.0.1")),
        # no node of the cluster: nothing is known of how it calls them
        ("gateway", ("n2.example.com", "n3.example.com", "n1.example.com", "n6.example.com")),
    ],
)
def test_servers_and_managers_are_watched_by_the_kind_of_name_the_entry_was_given(
    entry: str, others: tuple[str, ...]
) -> None:
    assert hosts(entry) == others


def test_an_entry_under_another_name_is_known_by_its_own_daemon_and_not_watched_twice() -> None:
    own = made.fact("node state alias", NodeStates((NodeState(2, "n2", "active"),)))
    found = hosts("alias", **{"node state alias": own})
    assert found == ("n3.example.com", "n1.example.com", "n6.example.com")


def test_as_long_as_nothing_is_known_nobody_is_watched() -> None:
    assert GpfsFileSystem(FS, "n1").hosts(made.state(), "n1") == ()
