"""One server, seen by every `lsblk` from 2.23 to 2.40 in both forms: one model, whatever the dialect.

Of these columns 2.38 and 2.40 print the same JSON as 2.37.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from remote.command import Effect
from remote.linux.commands import lsblk, lsblk_json
from remote.linux.lsblk import json_refused, parse_lsblk, parse_lsblk_json
from remote.linux.models import BlockDevice

TEXTS = Path(__file__).parent / "lsblk"
FILES = sorted(path.name for path in TEXTS.iterdir())
LINUX = "0fc63daf-8483-4772-8e79-3d69d8477de4"
GPFS = "37affc90-ef7d-4e96-91c3-2d7ae055b174"
SSD = 400088457216
# by kname: type, size, rotational, vendor, WWN, what it lies on
SERVER = {
    "sda": ("disk", 240057409536, False, "ATA", "0x55cd2e404b4c8a3f", set()),
    "sda1": ("part", 240056320000, False, "", "0x55cd2e404b4c8a3f", {"sda"}),
    "sdb": ("disk", SSD, False, "HGST", "0x5000cca0a1000001", set()),
    "sdc": ("disk", SSD, False, "HGST", "0x5000cca0a1000002", set()),
    "sdd": ("disk", SSD, False, "HGST", "0x5000cca0a1000001", set()),
    "sde": ("disk", SSD, False, "HGST", "0x5000cca0a1000002", set()),
    "sdf": ("disk", 12000138625024, True, "SEAGATE", "0x5000c500a7b2c3d7", set()),
    "dm-0": ("mpath", SSD, False, "", "", {"sdb", "sdd"}),
    "dm-1": ("mpath", SSD, False, "", "", {"sdc", "sde"}),
    "dm-2": ("part", 400086360064, False, "", "", {"dm-1"}),
    "nvme0n1": ("disk", SSD, False, "", "eui.01000000000000005cd2e4d1a2b34f51", set()),
}


def told(name: str) -> str:
    return (TEXTS / name).read_text(encoding="utf-8")


def entry(**values: object) -> dict[str, object]:
    return {"name": "sdb", "kname": "sdb", "size": 5, "ro": False, "type": "disk"} | values


def one(**values: object) -> BlockDevice:
    (device,) = parse_lsblk(json.dumps({"blockdevices": [entry(**values)]})).model.devices
    return device


@pytest.mark.parametrize("name", FILES)
def test_every_release_tells_of_the_same_server(name: str) -> None:
    parsed = parse_lsblk(told(name))
    assert parsed.ok
    assert parsed.notes == ()
    assert {
        device.kname: (
            device.type,
            device.size_bytes,
            device.rotational,
            device.vendor,
            device.wwn,
            set(device.parents),
        )
        for device in parsed.model.devices
    } == SERVER
    assert not any(device.read_only for device in parsed.model.devices)
    assert {device.logical_sector for device in parsed.model.devices} == {512}
    identities = {device.kname: device.identity for device in parsed.model.devices if device.identity}
    assert identities["sdb"] == identities["sdd"] == "wwn:5000cca0a1000001"
    assert identities["nvme0n1"] == "wwn:eui.01000000000000005cd2e4d1a2b34f51"
    assert "dm-0" not in identities


@pytest.mark.parametrize("name", FILES)
def test_types_of_partitions_are_told_by_all_but_the_oldest(name: str) -> None:
    types = {device.kname: device.parttype for device in parse_lsblk(told(name)).model.devices if device.parttype}
    assert types == ({} if name == "2.23.txt" else {"sda1": LINUX, "dm-2": GPFS})


@pytest.mark.parametrize("name", FILES)
def test_a_serial_number_is_the_wwn_up_to_2_32(name: str) -> None:
    disk = parse_lsblk(told(name)).model.get("sdb")
    assert disk is not None
    assert disk.serial == ("5000cca0a1000001" if name < "2.37" else "0AG1ABCA")
    assert disk.model == "HUSMM1640ASS204"


def test_strings_and_typed_values_mean_the_same() -> None:
    typed = one(rota=True, ro=True, **{"log-sec": 512, "phy-sec": 4096})
    strings = one(size="5", rota="1", ro="1", **{"log-sec": "512", "phy-sec": "4096"})
    assert typed == strings
    assert (typed.rotational, typed.read_only, typed.logical_sector, typed.physical_sector) == (True, True, 512, 4096)
    assert one(rota=None).rotational is None


@pytest.mark.parametrize(
    ("values", "mounted"),
    [
        ({"mountpoints": [None]}, ""),
        ({"mountpoints": ["/a", "/b"]}, "/a"),
        ({"mountpoints": [None, "[SWAP]"]}, "[SWAP]"),
        ({"mountpoint": "/c", "mountpoints": ["/a", "/c"]}, "/c"),
        ({"mountpoint": None, "mountpoints": ["/a"]}, "/a"),
    ],
)
def test_a_list_of_mount_points_is_a_mount(values: dict[str, object], mounted: str) -> None:
    assert one(**values).mountpoint == mounted


def test_a_map_below_two_paths_is_one_device_even_where_parents_are_not_named() -> None:
    def path(name: str) -> dict[str, object]:
        return entry(name=name, kname=name, children=[entry(name="mpatha", kname="dm-0", type="mpath")])

    devices = parse_lsblk(json.dumps({"blockdevices": [path("sda"), path("sdb")]})).model
    assert [device.kname for device in devices.devices] == ["sda", "dm-0", "sdb"]
    assert devices.children("sda") == devices.children("sdb") == (devices.get("dm-0"),)


def test_what_would_steer_a_terminal_is_shown() -> None:
    assert one(label="a\x1b[2Jb ").label == "a\ufffd[2Jb"
    assert one(model="X\nPROVEN\n").model == "X\ufffdPROVEN"
    assert one(parttype="37AFFC90").parttype == "37affc90"


@pytest.mark.parametrize(
    "text",
    [
        "{", "{}", '{"blockdevices": []}', '{"blockdevices": {}}', '{"blockdevices": [1]}', "[" * 100_000,
        '{"blockdevices": ' + "[" * 100_000, '{"a": ' + "9" * 5000 + "}",
        '{"blockdevices": [{"name": "a", "kname": "a", "size": 1e400}]}',
        '{"blockdevices": [{"name": "a", "kname": "a", "size": -1}]}',
        '{"blockdevices": [{"name": ["a"], "kname": {}, "size": true}]}',
    ],
)  # fmt: skip
def test_what_is_no_listing_is_a_problem(text: str) -> None:
    assert not parse_lsblk(text).ok
    assert parse_lsblk_json(text).model.devices == ()


@example(at=454, length=1, put="")
@example(at=3529, length=33, put="")
@settings(max_examples=100, deadline=None)
@given(at=st.integers(0, 9000), length=st.integers(1, 40), put=st.text(max_size=3))
def test_a_damaged_device_is_never_lost_without_a_word(at: int, length: int, put: str) -> None:
    text = told("2.32.json")
    parsed = parse_lsblk(text[:at] + put + text[at + length :])
    # a name that is damaged under one of its parents is a device more
    assert parsed.problems or len(parsed.model.devices) >= len(SERVER)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5), st.lists))
def test_any_json_is_read(value: object) -> None:
    keys = ("name", "kname", "size", "children", "mountpoints", "ro")
    parse_lsblk_json(json.dumps({"blockdevices": [dict.fromkeys(keys, value), value]}))


def test_json_is_asked_for_with_the_types_of_partitions() -> None:
    command, plain = lsblk_json(), lsblk()
    assert (command.effect, command.privileged) == (Effect.READS, False)
    assert command.argv == ("lsblk", "-J", "-b", "-o", f"{plain.argv[4]},PARTTYPE")


@pytest.mark.parametrize(
    ("rc", "words", "refused"),
    [
        (1, "lsblk: invalid option -- 'J'\n\nUsage:\n lsblk [options] [<device> ...]\n", True),
        (1, "lsblk: unrecognized option '--json'\n", True),
        (1, "lsblk: unknown column: parttype\n", True),
        (1, "lsblk: failed to access sysfs directory: /sys/dev/block\n", False),
        (0, "lsblk: unknown column: parttype\n", False),
        (127, "sh: lsblk: not found\n", False),
    ],
)
def test_a_release_without_json_is_told_from_a_failure(rc: int, words: str, refused: bool) -> None:
    assert json_refused(rc, words) is refused
