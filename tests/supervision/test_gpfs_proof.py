"""The proof just before mmcrnsd, and the one after it: what is followed, and what is refused with the difference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from remote.gpfs.models import Cluster, ClusterNode, NsdDevice, NsdDevices, Usage
from remote.gpfs.stanza import NsdStanza
from remote.names import NodeTable
from supervision.gpfs_proof import ProofError, lost, prove_made, rebuild
from supervision.gpfs_stanzacheck import Site, judge_stanzas
from supervision.identity import HostLook, Identity, Seen
from supervision.pins import Pin
from supervision.uses import Use, UseKind
from supervision.verdicts import DRIFT, IDENTITY, NSD_ID, UNREAD, Level, Verdict

AT = 1_000_000.0
SIZE = 781422768 * 512
IDS = {"foo1_ssd1": "8CFC1C0551B10CF7", "foo2_ssd1": "8CFC1C0851B10CFC"}
"""140.252.28.5 at 22:28:07 and 140.252.28.8 at 22:28:12 on 2013-06-06 (UTC)."""
BEGAN = datetime(2013, 6, 6, 22, 28, 5, tzinfo=UTC).timestamp()
ENDED = datetime(2013, 6, 6, 22, 28, 20, tzinfo=UTC).timestamp()
TABLE = NodeTable.from_cluster(
    Cluster(
        "mss",
        "1",
        "",
        "",
        "",
        "",
        "",
        "",
        tuple(
            ClusterNode(number, f"pollux{number}.example.com", address, f"foo{number}", "quorum")
            for number, address in ((1, "140.252.28.5"), (2, "140.252.28.8"))
        ),
    )
)
HOSTS = ("pollux1", "pollux2")
A, B = "wwn:55cd2e4000000001", "wwn:55cd2e4000000002"


def disk(name: str, identity: str, host: str, size: int = SIZE, **changes: Any) -> Seen:
    return Seen(host, name, "disk", Identity(identity, size), model="SSD", sector=512, names=(name,), **changes)


def look(host: str, *devices: Seen, boot: str = "boot-1") -> HostLook:
    return HostLook(host, AT, boot, devices, nsddevices="")


def site(*looks: HostLook, rows: Sequence[NsdDevice] = ()) -> Site:
    return Site(
        table=TABLE,
        hosts={f"{host}.example.com": host for host in HOSTS},
        looks={each.host: each for each in looks},
        nsds=NsdDevices(tuple(rows)),
        offered={each.host: tuple(seen.name for seen in each.devices) for each in looks},
    )


def stanza(device: str, nsd: str, *servers: str, group: str = "1") -> NsdStanza:
    return NsdStanza(device, nsd, servers, Usage.METADATA_ONLY, group, "system")


STANZAS = (stanza("sdg", "foo1_ssd1", "foo1", "foo2"), stanza("sdh", "foo2_ssd1", "foo2", group="2"))
"""The first is seen by both servers, sdg on one and sdx on the other."""
BOTH = (
    look("pollux1", disk("sdg", A, "pollux1")),
    look("pollux2", disk("sdh", B, "pollux2"), disk("sdx", A, "pollux2")),
)


@pytest.fixture
def pins() -> tuple[Pin, ...]:
    """The devices as they were chosen."""
    judged = judge_stanzas(STANZAS, site(*BOTH))
    assert judged.level < Level.BLOCK
    return judged.pins


def refused(pins: Sequence[Pin], *looks: HostLook) -> tuple[Verdict, ...]:
    with pytest.raises(ProofError) as caught:
        rebuild(STANZAS, pins, site(*looks))
    assert all(verdict.level is Level.BLOCK for verdict in caught.value.verdicts)
    return caught.value.verdicts


# before mmcrnsd


def test_what_has_not_moved_is_as_it_was(pins: tuple[Pin, ...]) -> None:
    rebuilt = rebuild(STANZAS, pins, site(*BOTH))
    assert rebuilt.stanzas == STANZAS
    assert rebuilt.moved == ()


def test_the_pins_have_every_server_that_sees_the_device(pins: tuple[Pin, ...]) -> None:
    first, second = pins
    assert [(place.host, place.name) for place in first.at] == [("pollux1", "sdg"), ("pollux2", "sdx")]
    assert [(place.host, place.name) for place in second.at] == [("pollux2", "sdh")]


def test_stanzas_follow_devices_that_have_changed_names_with_each_other(pins: tuple[Pin, ...]) -> None:
    swapped = look("pollux2", disk("sdx", B, "pollux2"), disk("sdh", A, "pollux2"), boot="boot-2")
    rebuilt = rebuild(STANZAS, pins, site(BOTH[0], swapped))
    assert [each.device for each in rebuilt.stanzas] == ["sdg", "sdx"]
    assert rebuilt.moved == (f"foo2_ssd1: sdh is now sdx on pollux2 ({B})",)
    assert [each.servers for each in rebuilt.stanzas] == [each.servers for each in STANZAS]


def test_a_name_that_means_a_disk_in_use_by_now_is_not_used(pins: tuple[Pin, ...]) -> None:
    boot = disk("sdg", "wwn:5000c50000000009", "pollux1", uses=(Use(UseKind.BOOT, "sdg1 mounted on /"),))
    rebuilt = rebuild(STANZAS, pins, site(look("pollux1", boot, disk("sde", A, "pollux1")), BOTH[1]))
    assert rebuilt.stanzas[0].device == "sde"
    assert rebuilt.moved == (f"foo1_ssd1: sdg is now sde on pollux1 ({A})",)


def test_a_device_that_is_gone_is_refused_with_what_its_name_means_now(pins: tuple[Pin, ...]) -> None:
    other = disk("sdg", "wwn:5000c50000000009", "pollux1", serial="Z1")
    (gone, *_) = refused(pins, look("pollux1", other), BOTH[1])
    assert (gone.kind, gone.host, gone.about) == (DRIFT, "pollux1", "foo1_ssd1")
    assert gone.text == f"pollux1 does not see {A} (was sdg); sdg is now SSD Z1"


def test_a_device_that_another_server_no_longer_sees_is_refused(pins: tuple[Pin, ...]) -> None:
    found = refused(pins, BOTH[0], look("pollux2", disk("sdh", B, "pollux2")))
    assert f"pollux2 does not see {A} (was sdx); there is no sdx any more" in [verdict.text for verdict in found]


def test_a_device_that_is_there_twice_is_refused(pins: tuple[Pin, ...]) -> None:
    found = refused(pins, look("pollux1", disk("sdg", A, "pollux1"), disk("sdi", A, "pollux1")), BOTH[1])
    assert (found[0].kind, found[0].text) == (IDENTITY, f"{A} is seen 2 times: sdg, sdi")


def test_a_device_of_another_size_is_refused(pins: tuple[Pin, ...]) -> None:
    found = refused(pins, look("pollux1", disk("sdg", A, "pollux1", SIZE - 512)), BOTH[1])
    assert found[0].text == f"{A} has 400,088,456,704 bytes, not 400,088,457,216 (sdg)"


@pytest.mark.parametrize("missing", [0, 1])
def test_a_host_that_could_not_be_read_is_refused(pins: tuple[Pin, ...], missing: int) -> None:
    found = refused(pins, BOTH[1 - missing])
    assert found[0].kind == UNREAD
    assert HOSTS[missing] in {verdict.host for verdict in found}


def test_a_device_that_came_into_use_is_refused(pins: tuple[Pin, ...]) -> None:
    mounted = disk("sdg", A, "pollux1", uses=(Use(UseKind.MOUNTED, "mounted on /mnt"),))
    found = refused(pins, look("pollux1", mounted), BOTH[1])
    assert [verdict.text for verdict in found] == ["mounted on /mnt"]


def test_a_stanza_without_a_pin_is_refused(pins: tuple[Pin, ...]) -> None:
    found = refused(pins[:1], *BOTH)
    assert [verdict.text for verdict in found] == ["foo2_ssd1 was not pinned"]


def test_every_difference_is_told_at_once(pins: tuple[Pin, ...]) -> None:
    with pytest.raises(ProofError) as caught:
        rebuild(STANZAS, pins, site(look("pollux1"), look("pollux2")))
    for told in (f"pollux1 does not see {A}", f"pollux2 does not see {A}", f"pollux2 does not see {B}"):
        assert told in str(caught.value)


def test_another_name_alone_is_no_loss(pins: tuple[Pin, ...]) -> None:
    assert lost(pins[0], site(look("pollux1", disk("sdz", A, "pollux1")), BOTH[1])) == []


# after mmcrnsd

ROWS = tuple(
    NsdDevice(nsd, IDS[nsd], f"/dev/{device}", "generic", f"{host}.example.com", "server node")
    for nsd, device, host in (
        ("foo1_ssd1", "sdg", "pollux1"),
        ("foo1_ssd1", "sdx", "pollux2"),
        ("foo2_ssd1", "sdh", "pollux2"),
    )
)


def made(
    pins: Sequence[Pin], rows: Sequence[NsdDevice] = ROWS, *, off: float = 0.0, skew: float = 0.0
) -> list[Verdict]:
    """What is found after mmcrnsd, which ran `off` seconds later than it did."""
    found = prove_made(pins, site(*BOTH, rows=rows), since=BEGAN + off, until=ENDED + off, skew=skew)
    assert all(verdict.level is Level.BLOCK for verdict in found)
    return found


def changed(number: int, change: Callable[[NsdDevice], NsdDevice]) -> list[NsdDevice]:
    return [change(row) if index == number else row for index, row in enumerate(ROWS)]


def test_nsds_that_lead_back_to_the_pins_are_proven(pins: tuple[Pin, ...]) -> None:
    assert made(pins) == []
    others = [NsdDevice("old", "8CFC1C7700000001", "/dev/sda", "generic", "pollux1.example.com", "server node")]
    assert made(pins, [*ROWS, *others]) == []


def test_an_nsd_that_leads_elsewhere_is_told_with_both_identities(pins: tuple[Pin, ...]) -> None:
    (found,) = made(pins, changed(1, lambda row: msgspec.structs.replace(row, device="/dev/sdh")))
    assert (found.kind, found.host, found.about) == (IDENTITY, "pollux2", "foo1_ssd1")
    assert found.text == f"foo1_ssd1 is /dev/sdh on pollux2.example.com, which is {B} and not {A}"


def test_an_nsd_on_a_device_that_nobody_sees_is_told(pins: tuple[Pin, ...]) -> None:
    (found,) = made(pins, changed(0, lambda row: msgspec.structs.replace(row, device="/dev/sdq")))
    assert found.text == f"foo1_ssd1 is /dev/sdq on pollux1.example.com, which is not known and not {A}"


def test_of_a_node_that_was_not_looked_at_only_a_row_as_server_counts(pins: tuple[Pin, ...]) -> None:
    beside = NsdDevice("foo2_ssd1", IDS["foo2_ssd1"], "/dev/sdq", "generic", "admin9.example.com", "directly attached")
    assert made(pins, [*ROWS, beside]) == []
    (found,) = made(pins, [*ROWS, msgspec.structs.replace(beside, remarks="server node")])
    assert found.text == f"foo2_ssd1 is /dev/sdq on admin9.example.com, which is not known and not {B}"
    looked_at = msgspec.structs.replace(beside, node="pollux1.example.com", device="/dev/sdg")
    (found,) = made(pins, [*ROWS, looked_at])
    assert (found.host, found.text) == (
        "pollux1",
        f"foo2_ssd1 is /dev/sdg on pollux1.example.com, which is {A} and not {B}",
    )


def test_a_row_that_is_missing_on_one_server_is_told(pins: tuple[Pin, ...]) -> None:
    (found,) = made(pins, [ROWS[0], ROWS[2]])
    assert (found.host, found.text) == ("pollux2", "mmlsnsd -X does not show foo1_ssd1 on pollux2.example.com")


def test_an_nsd_that_is_not_there_at_all_is_told_for_each_server(pins: tuple[Pin, ...]) -> None:
    assert [found.host for found in made(pins, ROWS[2:])] == ["pollux1", "pollux2"]


def test_a_volume_id_with_another_address_is_told(pins: tuple[Pin, ...]) -> None:
    (found,) = made(pins, changed(2, lambda row: msgspec.structs.replace(row, volume_id="8CFC1C0551B10CFC")))
    assert (found.kind, found.about) == (NSD_ID, "foo2_ssd1")
    assert found.text == (
        "the volume id of foo2_ssd1 says 140.252.28.5, and its first server pollux2.example.com is 140.252.28.8"
    )


def test_a_volume_id_of_another_time_is_told(pins: tuple[Pin, ...]) -> None:
    (found,) = made(pins, changed(2, lambda row: msgspec.structs.replace(row, volume_id="8CFC1C08507CC5D3")))
    assert (found.kind, found.about) == (NSD_ID, "foo2_ssd1")


@pytest.mark.parametrize(
    ("off", "skew", "blocks"),
    [
        (0, 0, 0),
        (3, 0, 1),  # 22:28:08 is after the first id
        (3, 1, 0),
        (300, 292, 2),  # 22:33:05 is 298 s after the first id and 293 s after the second
        (300, 293, 1),
        (300, 298, 0),
        (-20, 0, 2),  # 22:28:00 is 7 s and 12 s before them
        (-20, 7, 1),
        (-20, 12, 0),
    ],
)
def test_clocks_may_be_off_by_the_skew_and_no_more(pins: tuple[Pin, ...], off: int, skew: int, blocks: int) -> None:
    found = made(pins, off=off, skew=skew)
    assert {verdict.kind for verdict in found} <= {NSD_ID}
    assert len(found) == blocks
