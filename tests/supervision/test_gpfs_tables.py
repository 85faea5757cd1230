"""Tables of states made by hand: nodes that differ, disks in trouble, disks that several hosts see."""

from __future__ import annotations

import msgspec
import pytest

from remote.gpfs.models import DiskList, FsManager, FsMounts, Managers, MountedNode, Mounts, Nsd, NsdList
from remote.linux.models import BlockDevices
from supervision.facts import reader
from supervision.gpfs import READING, own_daemon
from supervision.gpfs_text import natural, size_text
from supervision.tables import Row, Severity, Table
from tests.supervision import gpfs_states as made
from tests.supervision.gpfs_states import FS, block, blocks, disk, disk_list, disk_space, nsd_devices

DISKS, SPACE = f"disks {FS}", f"space {FS}"


def cells(table: Table, row: Row) -> dict[str, str]:
    return {column.id: cell.text for column, cell in zip(table.columns, row.cells, strict=True)}


def rows(table: Table) -> list[dict[str, str]]:
    return [cells(table, row) for row in table.rows]


@pytest.mark.parametrize(
    ("kb", "text"),
    [(0, "0 KiB"), (1023, "1023 KiB"), (2048, "2 MiB"), (194_805_760, "186 GiB"), (31_251_759_104, "29.1 TiB"),
     (1_168_834_560, "1.09 TiB"), (2**60, "1024 EiB")],
)  # fmt: skip
def test_sizes(kb: int, text: str) -> None:
    assert size_text(kb) == text


def test_names_sort_as_people_count() -> None:
    assert sorted(["sda10", "sdb", "sda9", "sdaa"], key=natural) == ["sda9", "sda10", "sdaa", "sdb"]


# nodes


def test_nodes_fold_where_they_are_alike_and_the_worst_come_first() -> None:
    facts = {
        "cluster": made.cluster("c1", "c2"),
        "node states": made.states("active", "active", "down"),
        f"mounts {FS}": Mounts((FsMounts(FS, 2, (MountedNode("10.0.0.1", "n1"), MountedNode("", "n2.example.com"))),)),
        "managers": Managers((FsManager(FS, "n1"),), "n1"),
        "nsds": NsdList((Nsd("a", FS, ("n1", "n2.example.com")),)),
    }
    table = made.file_system().nodes(made.state(facts, links={"n1": "up", "n2": "up", "n3": "refused"}))
    told = {row["nodes"]: row for row in rows(table)}
    assert list(told) == ["n3", "n1", "n2", "c[1-2]"]
    assert told["n3"]["daemon"] == "down"
    assert told["n3"]["link"] == "refused"
    assert table.rows[0].severity is Severity.BAD
    assert "fs mgr" in told["n1"]["roles"]
    assert [told[name]["mount"] for name in ("n1", "n2", "n3")] == ["yes", "yes", "no"]
    assert (told["c[1-2]"]["link"], told["c[1-2]"]["daemon"]) == ("not watched", "not asked")


@pytest.mark.parametrize(
    ("word", "severity"),
    [("active", 0), ("unknown", Severity.WARNING), ("arbitrating", Severity.WARNING), ("down", Severity.BAD)],
)
def test_severity_of_daemons(word: str, severity: int) -> None:
    facts = {"cluster": made.cluster(), "node states": made.states(word, word, word)}
    table = made.file_system().nodes(made.state(facts))
    assert [row.severity for row in table.rows] == [severity]


def test_a_host_that_is_no_node_and_nodes_of_other_clusters_are_listed() -> None:
    guest = MountedNode("10.9.0.1", "g1", "other.example.com", "RW")
    facts = {"cluster": made.cluster(), f"mounts {FS}": Mounts((FsMounts(FS, 1, (guest,)),))}
    told = {row["nodes"]: row for row in rows(made.file_system().nodes(made.state(facts, links={"gate": "up"})))}
    assert told["gate"]["roles"] == "no node of the cluster"
    assert told["g1"]["roles"] == "guest of other.example.com"
    assert told["n[1-3]"]["mount"] == "no"


def test_mounts_without_names_are_not_known() -> None:
    facts = {"cluster": made.cluster(), f"mounts {FS}": Mounts((FsMounts(FS, 3),))}
    assert [row["mount"] for row in rows(made.file_system().nodes(made.state(facts)))] == ["unknown"]


def test_each_host_may_speak_for_its_own_daemon() -> None:
    found = reader(READING, "n2", own_daemon())
    assert found is not None
    assert found[0] == "node state n2"


# disks


@pytest.mark.parametrize(
    ("status", "availability", "severity"),
    [
        ("ready", "up", Severity.NORMAL),
        ("ready", "down", Severity.BAD),
        ("ready", "unrecovered", Severity.BAD),
        ("ready", "recovering", Severity.WARNING),
        ("suspended", "up", Severity.WARNING),
        ("to be emptied", "up", Severity.WARNING),
    ],
)
def test_severity_of_disks(status: str, availability: str, severity: Severity) -> None:
    facts = {DISKS: disk_list(disk("a", status=status, availability=availability))}
    assert made.file_system().disks(made.state(facts)).rows[0].severity is severity


def test_a_full_metadata_disk_is_a_warning_and_a_full_data_disk_is_none() -> None:
    facts = {
        DISKS: disk_list(disk("m", usage="YN"), disk("d", usage="NY")),
        SPACE: made.space(disk_space("m", "YN", free=100), disk_space("d", "NY", free=100)),
    }
    table = made.file_system().disks(made.state(facts))
    assert [row.severity for row in table.rows] == [Severity.WARNING, Severity.NORMAL]


def test_what_is_not_known_of_a_disk_says_so() -> None:
    table = made.file_system().disks(made.state({DISKS: disk_list(disk("a"))}))
    row = cells(table, table.rows[0])
    assert (row["size"], row["free"], row["free_blocks"], row["servers"]) == (
        "unknown",
        "unknown",
        "unknown",
        "not asked",
    )
    assert "mmdf was not asked" in dict(table.rows[0].detail)["space"]
    assert table.rows[0].cells[table.column("free")].value is None


def test_what_the_sums_cost_is_known_however_many_commands_ran_since() -> None:
    asked = msgspec.structs.replace(made.fact(SPACE, made.space(disk_space("a"))), command="mmdf fs1", took=95.0)
    state = made.state({SPACE: asked})
    assert not state.commands
    assert made.file_system().totals(state).cost == "mmdf took 2 min"
    failed = msgspec.structs.replace(asked, failure="exit code 1", failed_at=made.NOW)
    assert made.file_system().totals(made.state({SPACE: failed})).cost == "mmdf took 2 min"
    assert made.file_system().totals(made.state({})).cost == ""


def test_details_come_from_the_long_listing_and_servers_from_mmlsnsd() -> None:
    long = DiskList((msgspec.structs.replace(disk("a"), disk_id="7", remarks="desc"),))
    facts = {
        "cluster": made.cluster(),
        DISKS: disk_list(disk("a")),
        f"disk details {FS}": long,
        "nsds": NsdList((Nsd("a", FS, ("n1", "n2"), "8CFC1C05507CC5D0"),)),
        "nsd devices": nsd_devices(("a", "-", "n2")),
    }
    table = made.file_system().disks(made.state(facts))
    detail = dict(table.rows[0].detail)
    assert cells(table, table.rows[0])["servers"] == "n[1-2]"
    assert (detail["disk id"], detail["on n2"]) == ("7", "NOT FOUND (server node)")
    assert "descriptor" in detail["remarks"]


def test_figures_in_another_unit_are_shown_as_they_are_and_nothing_is_decided_by_them() -> None:
    rounded = msgspec.structs.replace(made.space(disk_space("m", free=1, size=10)), unit="TB")
    state = made.state({DISKS: disk_list(disk("m", usage="YN")), SPACE: rounded})
    table = made.file_system().disks(state)
    assert cells(table, table.rows[0])["size"] == "10 TB"
    assert made.file_system().fills(state) == ()


def test_pools_are_columns_of_their_own_once_there_are_two() -> None:
    other = msgspec.structs.replace(disk("b"), pool="capacity")
    fs = made.file_system()
    one, two = (
        fs.disks(made.state({DISKS: disk_list(disk("a"))})),
        fs.disks(made.state({DISKS: disk_list(disk("a"), other)})),
    )
    assert [column.id for column in one.columns] == [column.id for column in two.columns]
    assert [table.columns[table.column("pool")].wide for table in (one, two)] == [True, False]


def test_why_a_table_is_not_newer() -> None:
    failed = made.fact(DISKS, disk_list(disk("a")), failure="exit code 1: no")
    assert made.file_system().disks(made.state({DISKS: failed})).failure == f"ask {DISKS}: exit code 1: no"


# devices


def test_a_disk_that_another_host_serves_is_never_free() -> None:
    facts = {
        "cluster": made.cluster(),
        "nsd devices": nsd_devices(("a", "/dev/sda", "n1")),
        "devices n1": blocks(block("sda", "S1"), block("sdb", "S2")),
        "devices n2": blocks(block("sdx", "S1"), block("sdy", "S3")),
    }
    told = {(row["host"], row["name"]): row for row in rows(made.file_system().devices(made.state(facts)))}
    assert (told["n2", "sdx"]["use"], told["n2", "sdx"]["verdict"]) == ("a", "= a")
    assert told["n2", "sdx"]["role"] == told["n1", "sda"]["role"] == "NSD 1 GiB #1"
    assert told["n2", "sdx"]["drift"] == "≠ name"
    assert (told["n1", "sdb"]["verdict"], told["n2", "sdy"]["verdict"]) == ("? unread", "? unread")


def test_nothing_is_free_before_mmlsnsd_was_asked() -> None:
    facts = {"devices n1": blocks(block("sda", "S1"))}
    table = made.file_system().devices(made.state(facts))
    assert rows(table)[0]["verdict"] == "? unread"
    assert "mmlsnsd -X" in dict(table.rows[0].detail)["block"]
    assert table.failure == "n[2-3]: not asked"


def test_multipath_maps_are_known_by_their_paths() -> None:
    def of_host(name: str, alias: str) -> BlockDevices:
        paths = (block(f"{name}1", "L1"), block(f"{name}2", "L1"))
        parents = tuple(path.kname for path in paths)
        bare = block(alias, kname=f"dm-{name}", type="mpath", parents=parents, model="", vendor="")
        return blocks(*paths, bare)

    facts = {
        "cluster": made.cluster(),
        "nsd devices": nsd_devices(("a", "/dev/dm-x", "n1"), ("a", "/dev/mapper/mpathb", "n2")),
        "devices n1": of_host("x", "mpatha"),
        "devices n2": of_host("y", "mpathb"),
    }
    table = made.file_system().devices(made.state(facts))
    told = {(row["host"], row["name"]): row for row in rows(table)}
    assert told["n1", "mpatha"]["use"] == told["n2", "mpathb"]["use"] == "a"
    assert told["n1", "mpatha"]["identity"] == "V+M1+L1"
    assert told["n1", "mpatha"]["drift"] == "≠ name"
    assert told["n1", "x1"]["use"] == "path of mpatha"
    assert len({row.key for row in table.rows}) == len(table.rows) == 6


def test_one_identity_twice_on_a_host_is_doubted() -> None:
    facts = {
        "cluster": made.cluster(),
        "nsd devices": nsd_devices(),
        "devices n1": blocks(block("sda", "S"), block("sdb", "S")),
    }
    table = made.file_system().devices(made.state(facts))
    assert [row["verdict"] for row in rows(table)] == ["? not unique", "? not unique"]
    assert "sda, sdb have the same identity" in dict(table.rows[0].detail)["doubt"]


def test_an_nsd_without_a_device_is_the_first_row() -> None:
    facts = {
        "cluster": made.cluster(),
        "nsd devices": nsd_devices(("a", "/dev/sda", "n1"), ("b", "/dev/sdz", "n1"), ("c", "-", "n1")),
        "devices n1": blocks(block("sda", "S1"), block("sdq", "S4")),
    }
    table = made.file_system().devices(made.state(facts))
    assert [(row["role"], row["use"]) for row in rows(table)][:2] == [("NSD, no device", "b"), ("NSD, no device", "c")]
    assert table.rows[0].severity is Severity.WARNING


def test_ten_thousand_disks_are_made_a_table_once() -> None:
    disks = tuple(disk(f"d{number}", str(number % 4)) for number in range(10_000))
    state = made.state({DISKS: DiskList(disks), SPACE: made.space(*(disk_space(each.nsd, "YY") for each in disks))})
    fs = made.file_system()
    table = fs.disks(state)
    later = msgspec.structs.replace(state, at=state.at + 1, revision=9)
    assert fs.disks(later).rows is table.rows
    assert dict(table.rows[9].detail)["NSD"] == "d9"  # made when it is looked at
