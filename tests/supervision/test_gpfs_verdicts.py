"""What GPFS demands of devices: sectors, owners, discovery, servers, and volume ids that fit."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from remote.gpfs.models import Cluster, ClusterNode, FileSystem, FsAttribute, NsdDevice
from remote.names import NodeTable
from supervision.gpfs_verdicts import (
    KnownNsds,
    judge_discovery,
    judge_offered,
    judge_owner,
    judge_rows,
    judge_sector,
    judge_server,
    judge_thin,
    judge_volume_ids,
)
from supervision.identity import HostLook, Identity, Seen
from supervision.uses import Use, UseKind
from supervision.verdicts import DISCOVERY, DRIFT, IDENTITY, NAME, NSD_ID, UNFIT, UNREAD, Level

AT = 1_000_000.0
GIB = 1 << 30
ID = "8CFC1C0551B10CF7"
"""8C.FC.1C.05 is 140.252.28.5, and 0x51B10CF7 seconds are 2013-06-06 22:28:07 UTC."""
MADE = datetime(2013, 6, 6, 22, 28, 7, tzinfo=UTC).timestamp()
NODES = tuple(
    ClusterNode(number, f"pollux{number}.example.com", address, f"foo{number}", "quorum")
    for number, address in ((1, "140.252.28.5"), (2, "140.252.28.8"), (3, "140.252.28.11"))
)
TABLE = NodeTable.from_cluster(Cluster("mss", "1", "", "", "", "", "", "", NODES))


def seen(name: str = "sdg", host: str = "pollux1", **changes: Any) -> Seen:
    given = {"identity": Identity("wwn:5000c5001", GIB), "names": (name, f"by-id/wwn-0x1-{name}"), "sector": 512}
    return Seen(host=host, name=name, type="disk", **{**given, **changes})


def look(*devices: Seen, host: str = "pollux1", nsddevices: str | None = "") -> HostLook:
    return HostLook(host, AT, "boot-1", devices, nsddevices=nsddevices)


def row(nsd: str = "foo1_ssd1", volume_id: str = ID, device: str = "/dev/sdg", node: str = "pollux1") -> NsdDevice:
    return NsdDevice(nsd, volume_id, device, "generic", f"{node}.example.com", "server node")


def aligned(word: str) -> FileSystem:
    return FileSystem("mss1", (FsAttribute("--is4KAligned", word, ""),))


# sectors


@pytest.mark.parametrize("sector", [None, 512, 520])
def test_small_sectors_suit_every_file_system(sector: int | None) -> None:
    device = seen(sector=sector)
    assert judge_sector(device, look(device), aligned("No")) == []


def test_sectors_of_4096_bytes_suit_an_aligned_file_system() -> None:
    device = seen(sector=4096)
    assert judge_sector(device, look(device), aligned("Yes")) == []
    by_field = FileSystem("mss1", (FsAttribute("", "yes", "", "is4KAligned"),))
    assert judge_sector(device, look(device), by_field) == []


def test_sectors_of_4096_bytes_are_blocked_where_the_file_system_is_not_aligned() -> None:
    device = seen(sector=4096)
    (found,) = judge_sector(device, look(device), aligned("No"))
    assert (found.level, found.kind, found.host, found.device, found.at) == (Level.BLOCK, UNFIT, "pollux1", "sdg", AT)
    assert found.text == "it has sectors of 4096 bytes, and mss1 is not 4K-aligned"


def test_a_release_without_the_attribute_has_no_aligned_file_system() -> None:
    device = seen(sector=4096)
    (found,) = judge_sector(device, look(device), FileSystem("mss1", ()))
    assert found.level is Level.BLOCK
    assert "it is not known whether mss1 is 4K-aligned" in found.text


def test_without_a_file_system_large_sectors_are_a_warning() -> None:
    device = seen(sector=4096)
    (found,) = judge_sector(device, look(device), None)
    assert found.level is Level.WARNING


# owners


def test_the_drives_of_a_recovery_group_server_are_blocked() -> None:
    device = seen()
    (found,) = judge_owner(device, look(device), [row("nsd1"), row("vd2", device="vd2"), row("vd1", device="vd1")])
    assert (found.level, found.kind) == (Level.BLOCK, UNFIT)
    assert found.text.startswith("its host serves vd1 of a recovery group")
    assert "mmvdisk" in found.advice


def test_plain_nsds_and_those_that_are_not_seen_own_nothing() -> None:
    device = seen()
    lost = NsdDevice("nsd2", ID, "-", "generic", "pollux1.example.com", "(not found) server node")
    assert judge_owner(device, look(device), [row(), lost]) == []


@pytest.mark.parametrize(
    ("kind", "level"), [("", None), ("no", None), ("No", None), ("scsi", Level.BLOCK), ("nvme", Level.BLOCK)]
)
def test_thin_disks_are_blocked(kind: str, level: Level | None) -> None:
    found = judge_thin(kind, "pollux1", "sdg")
    assert [verdict.level for verdict in found] == ([level] if level else [])
    assert all(kind in verdict.text for verdict in found)


# discovery


def three(**sums: str | None) -> Mapping[str, HostLook]:
    return {host: look(host=host, nsddevices=value) for host, value in sums.items()}


@pytest.mark.parametrize("value", ["", "1234567 89"])
def test_the_same_script_everywhere_or_none_anywhere_is_well(value: str) -> None:
    looks = three(pollux1=value, pollux2=value, pollux3=value)
    assert judge_discovery(list(looks), looks) == []


def test_a_script_that_one_server_lacks_is_a_warning_that_tells_who_has_which() -> None:
    looks = three(pollux1="1234567 89", pollux2="1234567 89", pollux3="")
    (found,) = judge_discovery(list(looks), looks)
    assert (found.level, found.kind, found.at) == (Level.WARNING, DISCOVERY, AT)
    assert "pollux[1-2]: checksum 1234567 89" in found.text
    assert "pollux3: none" in found.text


def test_only_the_servers_in_question_count() -> None:
    looks = three(pollux1="1234567 89", pollux2="1234567 89", pollux3="")
    assert judge_discovery(["pollux1", "pollux2", "pollux9"], looks) == []


def test_a_script_that_cannot_be_read_is_a_warning_on_its_host() -> None:
    looks = three(pollux1="", pollux2=None)
    (found,) = judge_discovery(list(looks), looks)
    assert (found.level, found.host) == (Level.WARNING, "pollux2")
    assert "could not be read" in found.text


@pytest.mark.parametrize("name", ["sdg", "/dev/sdg", "disk/by-id/wwn-0x1-sdg"])
def test_a_device_is_offered_under_any_of_its_names(name: str) -> None:
    device = seen()
    assert judge_offered(device, look(device), ["sda", name]) == []


def test_a_device_that_is_not_offered_is_blocked_and_one_that_nobody_asked_about_is_a_warning() -> None:
    device = seen()
    (found,) = judge_offered(device, look(device), ["sda", "sdgg"])
    assert (found.level, found.kind) == (Level.BLOCK, DISCOVERY)
    (found,) = judge_offered(device, look(device), [])
    assert found.level is Level.BLOCK
    (found,) = judge_offered(device, look(device), None)
    assert (found.level, found.kind) == (Level.WARNING, DISCOVERY)


# servers


def test_a_server_may_see_the_device_under_another_name() -> None:
    there = seen("sde", "pollux2")
    looks = {"pollux2": look(there, host="pollux2")}
    assert judge_server(there.identity, "foo2", "pollux2", looks, "foo1_ssd1") == []


def test_a_server_that_does_not_see_the_device_is_blocked() -> None:
    other = seen("sdg", "pollux2", identity=Identity("wwn:5000c5001", 2 * GIB))
    looks = {"pollux2": look(other, host="pollux2")}
    (found,) = judge_server(seen().identity, "foo2", "pollux2", looks, "foo1_ssd1")
    assert (found.level, found.kind, found.host, found.about) == (Level.BLOCK, DRIFT, "pollux2", "foo1_ssd1")
    assert found.text == "foo2 is to serve foo1_ssd1 and does not see wwn:5000c5001 at all"


def test_a_server_that_sees_the_device_twice_is_blocked_and_paths_of_a_map_are_not_counted() -> None:
    path = (Use(UseKind.PATH, "path of mpatha"),)
    two = look(seen("sde", "pollux2"), seen("sdf", "pollux2"), host="pollux2")
    (found,) = judge_server(seen().identity, "foo2", "pollux2", {"pollux2": two}, "foo1_ssd1")
    assert found.level is Level.BLOCK
    assert found.text.endswith("sees wwn:5000c5001 2 times")
    mapped = look(seen("dm-0", "pollux2"), seen("sde", "pollux2", uses=path), host="pollux2")
    assert judge_server(seen().identity, "foo2", "pollux2", {"pollux2": mapped}, "foo1_ssd1") == []


def test_a_server_that_was_booted_since_the_look_must_be_looked_at_again() -> None:
    there = msgspec.structs.replace(look(seen("sde", "pollux2"), host="pollux2"), stale="its host is in another boot")
    (found,) = judge_server(seen().identity, "foo2", "pollux2", {"pollux2": there}, "foo1_ssd1")
    assert (found.level, found.kind, found.host) == (Level.BLOCK, DRIFT, "pollux2")
    assert found.text == "its host is in another boot, so it is not known whether foo2 sees wwn:5000c5001"


def test_one_serial_number_on_two_hosts_proves_no_shared_disk() -> None:
    there = seen("sde", "pollux2", identity=Identity("QEMU+HARDDISK+disk1", GIB))
    (found,) = judge_server(there.identity, "foo2", "pollux2", {"pollux2": look(there, host="pollux2")}, "foo1_ssd1")
    assert (found.level, found.kind, found.device) == (Level.WARNING, IDENTITY, "sde")
    assert "a serial number, QEMU+HARDDISK+disk1, and on no WWN" in found.text


@pytest.mark.parametrize("host", [None, "pollux2"])
def test_a_server_that_was_not_read_is_unread_and_not_blamed(host: str | None) -> None:
    (found,) = judge_server(seen().identity, "foo2", host, {}, "foo1_ssd1")
    assert (found.level, found.kind) == (Level.BLOCK, UNREAD)
    assert found.host == (host or "foo2")


# what mmlsnsd tells


def test_every_nsd_on_a_node_that_nobody_knows_is_blocked() -> None:
    rows = [row(), row("nsd7", device="/dev/sdx", node="old"), row("nsd8", device="/dev/sdy", node="old"), row("nsd9")]
    found = judge_rows(rows, TABLE, AT)
    assert [(verdict.level, verdict.kind, verdict.device) for verdict in found] == [
        (Level.BLOCK, NAME, "/dev/sdx"),
        (Level.BLOCK, NAME, "/dev/sdy"),
    ]
    assert "nsd7: 'old.example.com' is no node of the cluster" in found[0].text


def test_rows_are_found_by_the_host_whatever_name_of_its_node_they_have() -> None:
    rows = [
        row("a"),
        NsdDevice("b", ID, "/dev/sdh", "generic", "foo1", "server node"),
        row("c", node="pollux3"),
        row("d", node="old"),
    ]
    known = KnownNsds(rows, TABLE, {"pollux1.example.com": "10.9.9.1", "pollux2.example.com": "10.9.9.2"})
    assert known.names == {"a", "b", "c", "d"}
    assert {host: [each.nsd for each in found] for host, found in known.rows.items()} == {"10.9.9.1": ["a", "b"]}


# volume ids


def judged(*rows: NsdDevice, since: float = MADE, until: float = MADE, skew: float = 0.0) -> list[tuple[Level, str]]:
    """Of foo1_ssd1, just made by pollux1; other NSDs were here before."""
    found = judge_volume_ids(rows, TABLE, made={"foo1_ssd1": NODES[0]}, since=since, until=until, skew=skew, at=AT)
    assert all(verdict.kind == NSD_ID and verdict.at == AT for verdict in found)
    return [(verdict.level, verdict.text) for verdict in found]


def test_a_volume_id_of_the_first_server_and_of_this_minute_fits() -> None:
    assert judged(row()) == []
    assert judged(row(), since=MADE - 60, until=MADE + 60) == []


def test_another_address_than_that_of_the_first_server_is_blocked() -> None:
    ((level, text),) = judged(row(volume_id="8CFC1C0851B10CF7"))
    assert level is Level.BLOCK
    assert text == (
        "the volume id of foo1_ssd1 says 140.252.28.8, and its first server pollux1.example.com is 140.252.28.5"
    )


@pytest.mark.parametrize(("since", "until"), [(MADE + 1, MADE + 60), (MADE - 60, MADE - 1)])
def test_another_time_than_that_of_mmcrnsd_is_blocked(since: float, until: float) -> None:
    ((level, text),) = judged(row(), since=since, until=until)
    assert level is Level.BLOCK
    assert "is of 2013-06-06 22:28:07 UTC, but mmcrnsd ran 2013-06-06 22:2" in text


@pytest.mark.parametrize(("off", "blocks"), [(300, 0), (301, 1), (-300, 0), (-301, 1)])
def test_clocks_may_be_off_by_so_much_and_no_more(off: int, blocks: int) -> None:
    assert len(judged(row(), since=MADE + off, until=MADE + off, skew=300.0)) == blocks


def test_a_wrong_address_and_a_wrong_time_are_two_verdicts() -> None:
    assert len(judged(row(volume_id="8CFC1C08507CC5D0"))) == 2


def test_an_nsd_that_was_here_before_may_have_been_made_by_any_of_its_servers() -> None:
    shared = [row("nsd_0"), row("nsd_0", node="pollux2", device="/dev/sdh")]
    assert judged(*shared) == []
    assert judged(shared[0], shared[1], since=0.0, until=1.0) == []


def test_an_nsd_whose_servers_were_renumbered_is_a_note() -> None:
    old = [row("nsd_0", volume_id="8CFC1C7751B10CF7"), row("nsd_0", volume_id="8CFC1C7751B10CF7", node="pollux2")]
    assert judged(*old) == [
        (Level.NOTE, "nsd_0 was made by 140.252.28.119; its servers are 140.252.28.5, 140.252.28.8 now")
    ]


def test_a_server_that_nobody_knows_has_no_address() -> None:
    assert judged(row("nsd_0", node="old")) == [
        (Level.NOTE, "nsd_0 was made by 140.252.28.5; its servers are not known now")
    ]


@pytest.mark.parametrize("volume_id", ["", "8CFC1C05", "8CFC1C0551B10CFG"])
def test_what_is_no_volume_id_is_blocked_of_a_new_nsd_and_a_note_of_an_old_one(volume_id: str) -> None:
    assert judged(row(volume_id=volume_id)) == [
        (Level.BLOCK, f"the volume id of foo1_ssd1 is {volume_id!r}, which is none")
    ]
    assert [level for level, _ in judged(row("nsd_0", volume_id=volume_id))] == [Level.NOTE]
