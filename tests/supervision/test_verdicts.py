"""What speaks for and against devices, stanzas and failure groups, each verdict by an example that has it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from remote.gpfs.models import Usage
from remote.gpfs.stanza import NsdStanza
from remote.linux.inventory import Content, ReadState
from supervision import verdicts
from supervision.gpfs_groups import Placed, group_for, judge_groups, judge_sizes
from supervision.gpfs_selection import Selection, build
from supervision.gpfs_site import site_of
from supervision.gpfs_stanzacheck import Judged, Site, judge_stanzas
from supervision.gpfs_verdicts import judge_cache, with_name
from supervision.gpfs_view import View
from supervision.identity import HostLook, Identity, Seen
from supervision.uses import Use, UseKind
from supervision.verdicts import Level, Verdict, judge_drift, judge_peers, judge_pin, judge_use, whose
from tests.supervision import devicefacts as servers

GIB = 1 << 30


def site(**changes: object) -> Site:
    return site_of(View(servers.state(servers.facts(**changes)), servers.FS, servers.HOSTS))  # type: ignore[arg-type]


def stanza(device: str, nsd: str, server: str, group: str = "") -> NsdStanza:
    return NsdStanza(device, nsd, (server,), Usage.METADATA_ONLY, group or server[-1], "system")


def blocks(judged: Judged) -> list[tuple[str, str, str]]:
    return [(each.about, each.kind, each.device) for each in judged.verdicts if each.level is Level.BLOCK]


NAIVE = [stanza(f"sd{letter}", f"foo{host}_ssd{n}", f"foo{host}") for host in "123" for n, letter in enumerate("gh", 1)]
"""What a person writes who has looked at the first server only."""
RIGHT = [*NAIVE[:4], stanza("sde", "foo3_ssd1", "foo3"), stanza("sdf", "foo3_ssd2", "foo3")]


def test_the_naive_stanzas_are_blocked_and_name_the_boot_disks_of_the_third_server() -> None:
    judged = judge_stanzas(NAIVE, site())
    assert blocks(judged) == [("foo3_ssd1", verdicts.IN_USE, "sdg"), ("foo3_ssd2", verdicts.IN_USE, "sdh")]
    text = next(each.text for each in judged.verdicts if each.level is Level.BLOCK)
    assert "BOOT DISK" in text


def test_the_right_stanzas_pass() -> None:
    judged = judge_stanzas(RIGHT, site())
    assert judged.level <= Level.NOTE
    assert len(judged.pins) == 6


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        (stanza("sdz", "x", "foo1"), verdicts.NAME),  # no such device
        (stanza("sdg1", "x", "foo1"), verdicts.NAME),
        (stanza("sdg", "x", "nobody"), verdicts.NAME),  # no such node
        (stanza("sdg", "foo2_nsd1", "foo1"), verdicts.NAME),  # the name is taken
        (stanza("sda", "x", "foo1"), verdicts.IN_USE),  # an NSD already
        (msgspec.structs.replace(stanza("sdg", "x", "foo1"), servers=()), verdicts.NAME),
        (
            msgspec.structs.replace(stanza("sdg", "x", "foo1"), servers=("foo1", "foo2")),
            verdicts.DRIFT,
        ),  # not seen there
    ],
)
def test_a_stanza_that_is_wrong_alone(wrong: NsdStanza, kind: str) -> None:
    assert [found for _, found, _ in blocks(judge_stanzas([wrong], site()))] == [kind]


def test_one_device_under_two_names_is_blocked() -> None:
    link = f"disk/by-id/wwn-0x{servers.wwn('BTWA101')}"
    judged = judge_stanzas([stanza("sdg", "a", "foo1"), stanza(link, "b", "foo1")], site())
    assert {about for about, kind, _ in blocks(judged) if kind == verdicts.IDENTITY} == {"a", "b"}


def test_nothing_passes_where_a_host_could_not_be_read() -> None:
    whole = site()
    away = msgspec.structs.replace(whole, looks={host: look for host, look in whole.looks.items() if host != "pollux2"})
    assert {about for about, kind, _ in blocks(judge_stanzas(RIGHT, away)) if kind == verdicts.UNREAD} == {
        "foo2_ssd1", "foo2_ssd2"
    }  # fmt: skip


def test_nothing_passes_before_all_nsds_are_known() -> None:
    unknown = msgspec.structs.replace(site(), nsds=None)
    assert {kind for _, kind, _ in blocks(judge_stanzas(RIGHT, unknown))} == {verdicts.UNREAD}


# devices alone


def seen(name: str = "sda", **changes: object) -> Seen:
    plain = Seen("h", name, "disk", Identity(f"wwn:{name}", GIB), model="M", rotational=False, names=(name,))
    return msgspec.structs.replace(plain, **changes)


def look(*devices: Seen, host: str = "h", boot: str = "b") -> HostLook:
    return HostLook(host, 5.0, boot, devices)


def levels(found: Sequence[Verdict]) -> list[Level]:
    return [each.level for each in found]


def test_every_use_is_one_block_with_its_reasons_and_when_they_were_read() -> None:
    used = seen(uses=(Use(UseKind.BOOT, "mounted on /"), Use(UseKind.SWAP, "swap")))
    (found,) = judge_use(used, look(used))
    assert (found.level, found.kind, found.at) == (Level.BLOCK, verdicts.IN_USE, 5.0)
    assert "mounted on /; swap" in found.text
    assert judge_use(seen(), look()) == []


def test_a_write_cache_is_a_warning_and_a_note_on_a_model_that_is_known_to_be_safe() -> None:
    for model, level in (("CHEAP 1", Level.WARNING), ("INTEL SSDSC2BA200G3", Level.NOTE)):
        on = seen(write_cache="write back", model=model)
        assert levels(judge_cache(on, look(on))) == [level]
    assert judge_cache(seen(write_cache="write through"), look()) == []


def test_what_is_unlike_its_peers_is_told_of_the_odd_one() -> None:
    many = [seen(f"sd{letter}") for letter in "abc"]
    odd = seen("sdd", model="X", firmware="2")
    whole = look(*many, odd)
    found = judge_peers([(each, whole) for each in (*many, odd)])
    assert {each.device for each in found} == {"sdd"}
    assert len(found) == 2
    assert judge_peers([(each, whole) for each in many]) == []


def test_a_name_that_means_the_boot_disk_elsewhere_is_a_note_for_each_name() -> None:
    here = seen("sdg")
    there = [
        seen("sdg", host=host, identity=Identity(f"wwn:{host}", GIB), uses=(Use(UseKind.BOOT, "sdg1 mounted on /"),))
        for host in ("h2", "h3")
    ]
    looks = {"h": look(here), **{each.host: look(each, host=each.host) for each in there}}
    found = judge_drift([("sdg", here)], looks)
    assert set(levels(found)) == {Level.NOTE}
    assert all("BOOT DISK" in each.text for each in found)


def test_the_name_that_was_chosen_is_looked_for_elsewhere_and_not_the_kernels_name_of_the_same_map() -> None:
    here = seen("dm-7", type="mpath", names=("dm-7", "mpatha"))
    other = {"host": "h2", "type": "mpath"}
    there = [
        seen("dm-9", identity=Identity("wwn:b", GIB), names=("dm-9", "mpatha"), **other),
        seen("dm-7", identity=Identity("wwn:c", GIB), names=("dm-7", "mpathb"), **other),
    ]
    looks = {"h": look(here), "h2": look(*there, host="h2")}
    assert [each.device for each in judge_drift([("mpatha", here)], looks)] == ["mpatha"]


def test_a_multipath_map_is_told_by_the_name_that_people_have_for_it() -> None:
    there = seen("dm-7", type="mpath", names=("dm-7", "mpatha"))
    verdict = Verdict(Level.BLOCK, verdicts.IN_USE, "h", "dm-7", "xfs")
    told = with_name(verdict, {"h": look(there)})
    assert whose([told]) == "mpatha (dm-7) on h"
    assert told.device == "dm-7"
    by_name = msgspec.structs.replace(verdict, device="mpatha")
    assert whose([with_name(by_name, {"h": look(there)})]) == "mpatha on h"


def test_an_nsd_of_this_cluster_is_nobody_elses() -> None:
    uses = (Use(UseKind.NSD, "NSD foo1_nsd1"),)
    mine, other = (seen(uses=uses, known_as=known) for known in ("foo1_nsd1", ""))
    assert judge_use(mine, look(mine))[0].advice == "foo1_nsd1 is an NSD of this cluster: choose another device"
    assert "another cluster" in judge_use(other, look(other))[0].advice


def test_a_disk_that_could_not_be_read_counts_as_one_of_its_set() -> None:
    hangs = site(changed={"BTWA202": Content("", ReadState.HANGS)})
    judged = judge_stanzas(RIGHT, hangs)
    assert blocks(judged) == [("foo2_ssd2", verdicts.UNREAD, "sdh")]
    assert not [each for each in judged.verdicts if "failure group" in each.text]
    assert not [
        each
        for each in judged.verdicts
        if each.kind == verdicts.DRIFT and each.host == "pollux2" and each.device == "sdh"
    ]


def test_groups_are_not_measured_by_a_part_of_their_disks() -> None:
    judged = judge_stanzas([*RIGHT[:5], NAIVE[5]], site())
    assert blocks(judged) == [("foo3_ssd2", verdicts.IN_USE, "sdh")]
    assert not [each for each in judged.verdicts if "failure group" in each.text]


def test_a_pin_whose_name_means_another_device_now_blocks_and_a_reboot_is_a_note() -> None:
    built = build(Selection((("pollux1", Identity(f"wwn:{servers.wwn('BTWA101')}", servers.SSD)),)), site())
    (pin,) = built.judged.pins
    assert judge_pin(pin, site().looks) == []
    renamed = {**servers.NAMES, "pollux1": ("sda", "sdb", "sdf", "sdh", "sde", "sdg")}
    found = judge_pin(pin, site(names=renamed, boots={"pollux1": "another"}).looks)
    assert levels(found) == [Level.BLOCK, Level.NOTE]
    assert "sdf" in found[0].text
    gone = {host: each for host, each in site().looks.items() if host != "pollux1"}
    assert levels(judge_pin(pin, gone)) == [Level.BLOCK]


# failure groups


def placed(nsd: str, group: str, server: str, enclosure: str = "", size: int = GIB) -> Placed:
    return Placed(nsd, group, (server,), enclosure, size)


def test_groups_that_share_a_server_an_enclosure_or_a_site_are_blocked() -> None:
    apart = [placed("a", "1", "s1", "e1"), placed("b", "2", "s2", "e2")]
    assert judge_groups(apart) == []
    assert levels(judge_groups([apart[0], placed("b", "2", "s1")])) == [Level.BLOCK]
    assert levels(judge_groups([apart[0], placed("b", "2", "s2", "e1")])) == [Level.BLOCK]
    assert levels(judge_groups(apart, {"s1": "room", "s2": "room"})) == [Level.BLOCK]
    assert judge_groups(apart, {"s1": "room 1", "s2": "room 2"}) == []


def test_a_new_disk_joins_the_group_of_the_old_disks_of_its_server() -> None:
    old = [placed("a", "1", "s1"), placed("b", "2", "s2")]
    assert judge_groups([placed("new", "1", "s1")], {}, old) == []
    (verdict,) = judge_groups([placed("new", "2", "s1")], {}, old)
    assert verdict.level is Level.BLOCK
    assert verdict.text == "failure group 2 is to have disks of server s1, whose other disks are in 1"
    assert judge_groups([placed("new", "2", "s1")], {}, [*old, placed("c", "2", "s1")]) == []
    assert levels(judge_groups([placed("new", "3", "s1")], {}, [*old, placed("c", "2", "s1")])) == [Level.BLOCK]


def test_a_disk_without_a_failure_group_is_a_warning_where_others_have_one() -> None:
    nowhere = placed("new", "-1", "s1")
    assert judge_groups([nowhere]) == []
    assert judge_groups([nowhere], {}, [placed("a", "-1", "s1")]) == []
    for beside, old in (([placed("b", "2", "s2")], []), ([], [placed("a", "1", "s1")])):
        (verdict,) = judge_groups([nowhere, *beside], {}, old)
        assert verdict.level is Level.WARNING
        assert verdict.text.startswith("new in failure group -1")


def test_a_smaller_group_is_a_warning() -> None:
    assert levels(judge_sizes([placed("a", "1", "s1"), placed("b", "2", "s2", size=2 * GIB)])) == [Level.WARNING]
    assert judge_sizes([placed("a", "1", "s1"), placed("b", "2", "s2")]) == []


def test_a_group_is_copied_from_the_enclosure_before_the_server() -> None:
    whole = site()
    first = whole.looks["pollux1"]
    told = {"sda": "e1", "sdb": "e2", "sdg": "e2", "sdh": "e3"}
    devices = tuple(msgspec.structs.replace(each, enclosure=told.get(each.name, "")) for each in first.devices)
    boxed = msgspec.structs.replace(first, devices=devices)
    disks = site(groups={"foo1_nsd2": "7"}).disks
    groups = {name: group_for(each, boxed, disks).found for name in told if (each := boxed.named(name))}
    assert groups["sdg"] == ("7",)  # beside foo1_nsd2
    assert groups["sdh"] == ("1", "7")  # alone in its enclosure: what the server has
    assert group_for(seen(), look(), disks).certain == ""


def test_a_shared_disk_takes_the_group_of_its_enclosure_and_of_no_server() -> None:
    whole = site()
    first = whole.looks["pollux1"]
    told = {"sda": "e1", "sdg": "e1", "sdh": "e3"}
    devices = tuple(msgspec.structs.replace(each, enclosure=told.get(each.name, "")) for each in first.devices)
    boxed = msgspec.structs.replace(first, devices=devices)
    beside, alone = boxed.named("sdg"), boxed.named("sdh")
    assert beside is not None
    assert alone is not None
    assert group_for(beside, boxed, whole.disks, shared=True).certain == "1"
    assert group_for(alone, boxed, whole.disks).certain == "1"
    assert group_for(alone, boxed, whole.disks, shared=True).certain == ""
    assert group_for(alone, boxed, whole.disks, shared=True).found == ("1",), "offered, and not taken"


def test_a_disk_that_could_not_be_read_is_no_stanza() -> None:
    hangs = {"BTWA101": Content("", ReadState.HANGS)}
    assert blocks(judge_stanzas(RIGHT, site(changed=hangs))) == [("foo1_ssd1", verdicts.UNREAD, "sdg")]
