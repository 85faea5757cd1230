"""Which NSD a device is: by the table of GPFS, by the bytes on it, and by what another server knows of it."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from remote.gpfs.models import NsdDevice, NsdDevices
from remote.linux.inventory import Content, Contents, Inventory, ReadState, Signature
from remote.linux.models import BlockDevices
from supervision.facts import Fact
from supervision.gpfs_looks import NOT_ASKED, share, strange_id, volume_ids, with_nsds
from supervision.gpfs_site import look_in_turns, looks_of
from supervision.gpfs_view import Memo, View
from supervision.identity import HostLook, Identity, Seen
from supervision.state import State
from supervision.uses import Use, UseKind
from tests.supervision import gpfs_states as made

AT = 1_400_000_000.0
ID = "8CFC1C0551B10CF7"
TURNED = "051CFC8CF70CB151"
"""The same with the bytes of each half in the other order."""


def row(device: str, nsd: str = "foo1_ssd1", remarks: str = "server node") -> NsdDevice:
    return NsdDevice(nsd, ID, device, "generic", "n1.example.com", remarks)


def seen(name: str = "sdg", host: str = "n1", *, sector2: str = "", **changes: Any) -> Seen:
    content = Content(name, ReadState.READ, nonzero=8 if sector2 else 0, sector2=sector2.lower())
    uses = (Use(UseKind.BYTES, "8 bytes that are not zero in its first 64 sectors"),) if sector2 else ()
    given = {"names": (name, f"by-id/wwn-0x1-{name}"), "content": content, "uses": uses}
    return Seen(host, name, "disk", Identity("wwn:1", 1 << 30), **{**given, **changes})


def look(*devices: Seen, host: str = "n1") -> HostLook:
    return HostLook(host, AT, "boot", devices)


def known(device: Seen, *rows: NsdDevice, ids: dict[str, str] | None = None) -> Seen:
    (found,) = with_nsds(look(device), rows, ids or {}).devices
    return found


@pytest.mark.parametrize("device", ["/dev/sdg", "sdg", "/dev/disk/by-id/wwn-0x1-sdg", "by-id/wwn-0x1-sdg"])
def test_a_device_is_the_nsd_of_its_row_whichever_name_that_has(device: str) -> None:
    found = known(seen(), row("/dev/sda", "other"), row(device))
    assert (found.known_as, found.uses[0]) == ("foo1_ssd1", Use(UseKind.NSD, "NSD foo1_ssd1"))


def test_a_row_that_leads_nowhere_makes_no_device_an_nsd() -> None:
    assert known(seen(), row("-", remarks="(not found) server node")).known_as == ""
    assert known(seen(), row("/dev/sdgg")).known_as == ""


def test_where_nobody_asked_for_nsds_that_is_said() -> None:
    assert with_nsds(look(seen()), None, {}).missing == (NOT_ASKED,)


@pytest.mark.parametrize("at", [0, 16, 32, 112])
@pytest.mark.parametrize("text", [ID, TURNED])
def test_a_volume_id_anywhere_at_the_start_of_sector_2_tells_the_nsd(text: str, at: int) -> None:
    sector = (at * "0" + text).ljust(128, "0")
    found = known(seen(sector2=sector), ids=volume_ids([row("/dev/sdx")]))
    assert found.known_as == "foo1_ssd1"
    assert found.uses[0].text == "sector 2 holds the volume id of NSD foo1_ssd1"


def test_half_bytes_are_no_volume_id() -> None:
    assert known(seen(sector2=("0" + ID).ljust(128, "0")), ids=volume_ids([row("/dev/sdx")])).known_as == ""


def test_what_is_no_volume_id_is_found_nowhere() -> None:
    bad = [NsdDevice("a", text, "/dev/sda", "generic", "n1", "") for text in ("", "0", "8CFC1C0551B10CFG", "é" * 16)]
    assert volume_ids(bad) == {}
    assert volume_ids([row("/dev/sda")]) == {ID: "foo1_ssd1", TURNED: "foo1_ssd1"}


def test_an_nsd_of_another_cluster_is_told_with_who_wrote_it_when() -> None:
    found = known(seen(sector2=ID.ljust(128, "0")))
    assert found.known_as == ""
    assert found.uses[0] == Use(
        UseKind.NSD, f"sector 2 may hold the NSD volume id {ID}, written on 2013-06-06 by 140.252.28.5"
    )


def test_entries_of_a_partition_table_are_no_volume_id() -> None:
    """Sector 2 of a GPT begins with types and random ids, of which many could be an address and a time."""
    entry = "90fcaf377def964e91c32d7ae055b174" + ID.lower() + "51b10cf7" * 2
    disk = seen(sector2=entry.ljust(128, "0"), uses=())
    assert disk.content is not None
    assert strange_id(disk, AT) == ID
    for changes in ({"signatures": (Signature("gpt", "partition-table"),)}, {"partitions": ("37affc90",)}):
        content = msgspec.structs.replace(disk.content, **changes)
        assert strange_id(msgspec.structs.replace(disk, content=content), AT) == ""


def test_an_nsd_on_one_server_is_one_on_every_server_that_sees_it() -> None:
    first = known(seen(), row("/dev/sdg"))
    doubtful = seen("sdk", "n2", doubt="two have it")
    shared = share({"n1": look(first), "n2": look(seen("sde", "n2"), doubtful, host="n2"), "n3": look(host="n3")})
    there, other = shared["n2"].devices
    assert (there.known_as, there.uses[0].text) == ("foo1_ssd1", "NSD foo1_ssd1, as n1 sees it")
    assert other is doubtful
    assert shared["n1"].devices == (first,)


@pytest.mark.parametrize(
    ("use", "told"),
    [
        (Use(UseKind.MOUNTED, "sde1 mounted on /data"), "sde1 mounted on /data on n2"),
        (Use(UseKind.HELD, "held by dm-4 (crypt)"), "held by dm-4 (crypt) on n2"),
        (Use(UseKind.SWAP, "swap"), "swap on n2"),
    ],
)
def test_a_disk_that_another_host_uses_is_not_free_where_it_looks_so(use: Use, told: str) -> None:
    shared = share({"n1": look(seen()), "n2": look(seen("sde", "n2", uses=(use,)), host="n2")})
    (here,), (there,) = shared["n1"].devices, shared["n2"].devices
    assert here.uses == (Use(use.kind, told),)
    assert (here.known_as, here.free) == ("", False)
    assert there.uses == (use,)


def test_signatures_are_read_on_each_host_and_paths_stay_paths() -> None:
    """udev of another host may still tell what was wiped long ago."""
    old = seen("sde", "n2", uses=(Use(UseKind.SIGNATURE, "xfs"),))
    assert share({"n1": look(seen()), "n2": look(old, host="n2")})["n1"].devices == (seen(),)
    path = seen("sdx", uses=(Use(UseKind.PATH, "path of mpatha"),))
    held = seen("sde", "n2", uses=(Use(UseKind.HELD, "held by md0"),))
    assert share({"n1": look(path), "n2": look(held, host="n2")})["n1"].devices == (path,)


def test_a_map_is_the_nsd_of_a_row_that_names_one_of_its_paths() -> None:
    found = known(seen("dm-3", paths=("sdg", "sdk")), row("/dev/sdk"))
    assert found.known_as == "foo1_ssd1"


def a_state(**changes: Any) -> State:
    facts: dict[str, Any] = {"cluster": made.cluster(), "nsd devices": NsdDevices((row("/dev/sdg"),))}
    for host in made.HOSTS:
        facts[f"devices {host}"] = BlockDevices((made.block("sdg", f"S{host}"),))
        facts[f"inventory {host}"] = Inventory("boot")
        facts[f"contents {host}"] = Contents((Content("sdg", ReadState.READ, nonzero=0, sector2="00" * 64),))
    return made.state({**facts, **changes})


async def test_looks_that_were_made_in_turns_are_those_that_are_made_at_once() -> None:
    view = View(a_state(), made.FS, made.HOSTS)
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)  # no time passes: it gives the turn away, and turns are what is counted

    waiting = asyncio.create_task(others())
    await look_in_turns(view)
    waiting.cancel()
    assert turns >= len(made.HOSTS)
    assert looks_of(view) == looks_of(View(a_state(), made.FS, made.HOSTS))
    assert looks_of(view)["n1"].devices[0].known_as == "foo1_ssd1"


def test_the_same_answers_give_the_same_looks_and_one_host_alone_is_made_anew() -> None:
    state, memo = a_state(), Memo()
    before = looks_of(View(state, made.FS, made.HOSTS, memo))
    assert looks_of(View(state, made.FS, made.HOSTS, memo)) is before
    blocks = BlockDevices((made.block("sdh", "S9"),))
    facts: dict[str, Fact] = {**state.facts, "devices n2": made.fact("devices n2", blocks)}
    after = looks_of(View(made.state(facts), made.FS, made.HOSTS, memo))
    assert [after[host] is before[host] for host in made.HOSTS] == [True, False, True]
    assert after["n2"].devices[0].name == "sdh"
