"""What is shown of a GFS2 device besides its works: facts, tables, problems, and what others run on it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from remote.gfs2.cluster import Node, NodeState
from remote.gfs2.models import ResourceGroup, ResourceGroups, Superblock
from remote.gfs2.parsers import parse_rgs, parse_sb
from remote.gfs2.use import InKernel, ManagerAnswer, Mounted, Use
from remote.linux.blkid import Probed
from remote.linux.scans import Goes, Output, RunningScan, RunningScans
from supervision.filesystem import FileSystem
from supervision.tables import Severity, Table
from tests.gfs2.gfs2texts import told
from tests.supervision import gfs2_states as made
from tests.supervision.gfs2_states import DEVICE, HOST, NOW

FS: FileSystem = made.file_system()
TABLE = Superblock(4096, 1802, 1900, "lock_dlm", "hpc:data", "5232f0dd-b8b5-4586-a2db-ed12da34ed08")


def facts(**other: Any) -> dict[str, str]:
    """The lines of facts by their labels; of `other` models by what they are of."""
    known = {**made.device_facts(), **{f"{what} {DEVICE}": model for what, model in other.items()}}
    return {line.label: line.value for line in FS.facts(made.state(known))}


def rows(table: Table) -> list[tuple[str, ...]]:
    return [tuple(cell.text for cell in row.cells) for row in table.rows]


def test_nothing_is_told_before_anything_was_asked() -> None:
    empty = made.state()
    assert FS.facts(empty) == ()
    assert FS.problems(empty) == ()
    assert FS.running(empty) == ()
    for table in (FS.nodes(empty), FS.pools(empty), FS.disks(empty), FS.devices(empty)):
        assert (table.at, table.rows, table.absent) == (None, (), "")
    assert FS.totals(empty).absent


def test_the_facts_are_those_of_the_superblock_and_of_the_groups() -> None:
    lines = facts()
    assert lines["Device"] == f"{DEVICE} on {HOST}"
    assert lines["Block size"] == "4 KiB, format 1802"
    assert lines["Lock table"] == "none (lock_nolock): for one node alone"
    data = 2056 + 5 * 65_272 + 3 * 65_268
    free = 53_896 + 4 * 54_161 + 3 * 54_157
    assert lines["Space"].startswith(f"{data - free:,} of {data:,} blocks used, ")
    assert lines["Space"].endswith("by its resource groups")
    assert lines["Dinodes"] == "88,900"
    assert lines["savemeta saves"] == "at least 88,942 blocks; how many more, nobody knows"
    assert facts(sb=TABLE)["Lock table"] == "hpc:data (lock_dlm)"


def test_blocks_of_512_bytes_are_not_told_as_0_kib() -> None:
    small = msgspec.structs.replace(parse_sb(told("sb_350")).model, block_size=512)
    assert facts(sb=small)["Block size"] == "512 bytes, format 1802"


def test_a_list_of_groups_that_is_not_whole_adds_nothing_up() -> None:
    text = told("rgs_350")
    lines = facts(rgs=parse_rgs(text[: text.index("RG #8")]).model)
    assert lines["Groups"] == "8 are there of 9: the list is not whole, so nothing is added up"
    assert "Dinodes" not in lines
    assert lines["Space"].endswith("by its statfs file, which may be behind")


def test_groups_are_told_by_how_full_they_are() -> None:
    groups = (
        ResourceGroup(0, 17, 0, 3, 100),
        ResourceGroup(1, 200, 8, 50, 100),
        ResourceGroup(2, 300, 9, 1, 100),
        ResourceGroup(3, 400, 95, 1, 100),
        ResourceGroup(4, 500, 5, 1, None),
    )
    known = {**made.device_facts(), f"rgs {DEVICE}": ResourceGroups(groups, 5, 56, 117, 62)}
    assert rows(FS.pools(made.state(known))) == [
        ("full", "1", "400 KiB", "0 KiB", "3"),
        ("90 % and more", "2", "800 KiB", "68 KiB", "51"),
        ("less than 10 %", "1", "400 KiB", "380 KiB", "1"),
        ("unknown", "1", "unknown", "20 KiB", "1"),
    ]


def test_the_device_is_the_one_disk_and_a_foreign_one_is_a_warning() -> None:
    own = FS.disks(made.state(made.device_facts()))
    assert [row[:2] for row in rows(own)] == [(DEVICE, "gfs2")]
    assert own.rows[0].severity is Severity.NORMAL
    foreign = FS.disks(made.state({f"blkid {DEVICE}": (Probed(DEVICE, "xfs"),)}))
    assert rows(foreign) == [(DEVICE, "xfs", "unknown", "unknown", "unknown", "unknown")]
    assert foreign.rows[0].severity is Severity.WARNING


NUMBER = "253:4"
MOUNT = Mounted("/dev/mapper/vg0-data", "/data", "gfs2", NUMBER)
MEMBERS = (Node("n1", NodeState.MEMBER), Node("n2", NodeState.AWAY))


def use(*mounts: Mounted, **more: Any) -> Use:
    return Use(**{"device": DEVICE, "exists": True, "numbers": (NUMBER,), "mounts": mounts, **more})


def test_each_host_tells_where_it_is_mounted_and_the_cluster_which_nodes_there_are() -> None:
    told_by = {f"gfs2 use {HOST}": use(MOUNT, nodes=MEMBERS, asked_nodes=ManagerAnswer.TOLD)}
    state = made.state({**made.device_facts(), **told_by})
    assert rows(FS.nodes(state)) == [
        ("n1", "member", "/dev/mapper/vg0-data on /data"),
        ("n2", "away", "unknown: not told"),
    ]
    mounted = next(line.value for line in FS.facts(state) if line.label == "Mounted")
    assert mounted == "on n1: /dev/mapper/vg0-data on /data; not known of n2"
    assert FS.hosts(state, HOST) == ("n2",)


def test_a_host_that_has_no_such_device_does_not_say_that_it_is_not_mounted_there_by_another_name() -> None:
    told_by = {f"gfs2 use {HOST}": use(MOUNT, exists=False, numbers=())}
    assert rows(FS.nodes(made.state(told_by)))[0][2] == "unknown: not told"
    assert rows(FS.nodes(made.state({**made.device_facts(), **told_by})))[0][2] == "unknown: not told"
    other = {f"gfs2 use {HOST}": use(MOUNT, exists=False, numbers=(), in_kernel=(InKernel("dm-4", NUMBER, "another"),))}
    assert rows(FS.nodes(made.state({**made.device_facts(), **other})))[0][2] == "no"


def test_a_host_that_is_reached_by_another_name_is_the_node_that_it_calls_itself() -> None:
    nodes = (Node("node1.example.com", NodeState.MEMBER), Node("node2", NodeState.MEMBER))
    state = made.state({f"gfs2 use {HOST}": use(name="node1", nodes=nodes)})
    assert rows(FS.nodes(state)) == [("n1", "member", "no"), ("node2", "member", "unknown: not told")]
    assert FS.hosts(state, HOST) == ("node2",)  # else its jobs would be there twice


def test_without_a_cluster_manager_the_hosts_alone_are_known() -> None:
    state = made.state({f"gfs2 use {HOST}": use()})
    assert rows(FS.nodes(state)) == [("n1", "no cluster manager told", "no")]
    assert FS.hosts(state, HOST) == ()


def test_a_host_whose_last_answer_failed_is_not_known_to_have_it_unmounted() -> None:
    failed = made.fact(f"gfs2 use {HOST}", use(), failure="exit code 1: x")
    table = FS.nodes(made.state({f"gfs2 use {HOST}": failed}))
    assert rows(table)[0][2] == "unknown: not told"
    assert table.failure == "n1: exit code 1: x"


@pytest.mark.parametrize(
    ("known", "severity", "text"),
    [
        ({f"blkid {DEVICE}": ()}, Severity.BAD, f"blkid -p finds nothing on {DEVICE}, or cannot read it"),
        (
            {f"blkid {DEVICE}": (Probed(DEVICE, "xfs"),)},
            Severity.BAD,
            f"{DEVICE} holds xfs, says blkid -p, and no GFS2",
        ),
        (
            {f"rgs {DEVICE}": made.fact(f"rgs {DEVICE}", None, failure="exit code 1: no")},
            Severity.WARNING,
            f"ask rgs {DEVICE}: exit code 1: no",
        ),
        (
            {
                f"blkid {DEVICE}": (Probed(DEVICE, "gfs2"),),
                f"sb {DEVICE}": made.fact(f"sb {DEVICE}", parse_sb("nothing")),
            },
            Severity.WARNING,
            "no superblock of GFS2",
        ),
        (
            {f"gfs2 use {HOST}": use(asked_nodes=ManagerAnswer.FAILED, nodes_text="not running")},
            Severity.WARNING,
            "n1 does not tell which nodes its cluster has: not running",
        ),
        (
            {f"sb {DEVICE}": TABLE, f"gfs2 use {HOST}": use(in_kernel=(InKernel("hpc:data", withdrawn=True),))},
            Severity.BAD,
            "hpc:data has withdrawn on n1",
        ),
    ],
    ids=["nothing on it", "foreign", "not read", "not whole", "cluster", "withdrawn"],
)
def test_what_is_wrong_is_said_with_what_to_do(known: dict[str, Any], severity: Severity, text: str) -> None:
    (line,) = FS.problems(made.state(known))
    assert line.severity is severity
    assert text in line.value
    assert line.advice


def test_a_device_that_is_all_right_has_no_problems() -> None:
    assert FS.problems(made.state({**made.device_facts(), f"gfs2 use {HOST}": use(MOUNT)})) == ()


def test_what_others_run_on_the_device_is_seen_and_what_they_run_on_another_is_not() -> None:
    output = (Output(Goes.TERMINAL, "/dev/pts/1", "", 8, 1, (1, 2)),)
    on_it = RunningScan(8, 1, 5, 60.0, 0, "root", argv=("/sbin/fsck.gfs2", "-y", DEVICE), outputs=output)
    beside = RunningScan(9, 1, 6, 60.0, argv=("fsck.gfs2", "-n", "/dev/vg0/other"))
    asks = RunningScan(10, 1, 7, 1.0, argv=("gfs2_edit", "-p", "sb", DEVICE))
    (line,) = FS.running(made.state({f"scans {HOST}": RunningScans(NOW, (on_it, beside, asks))}))
    assert (line.label, line.severity) == ("outside", Severity.WARNING)
    assert line.value.startswith(f"fsck.gfs2 -y {DEVICE} on n1, pid 8, by root; its output goes to a terminal only")


def test_a_session_on_what_is_no_path_of_a_device_asks_nothing_of_it() -> None:
    odd = type(made.file_system())("data", HOST)
    assert (odd.questions(), odd.costly(), odd.cadences(HOST)) == ((), (), ())
