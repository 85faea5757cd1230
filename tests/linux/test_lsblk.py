"""`lsblk -P`: duplicates of multipath maps, escapes, identity, and why a device must not be taken."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remote.command import Effect
from remote.linux.commands import lsblk
from remote.linux.lsblk import parse_lsblk_pairs
from remote.linux.models import BlockDevice
from remote.text import decode, safe
from supervision.identity import look

KEYS = [
    "NAME", "KNAME", "PKNAME", "TYPE", "SIZE", "ROTA", "RO", "RM", "TRAN", "VENDOR", "MODEL", "SERIAL", "WWN", "HCTL",
    "FSTYPE", "MOUNTPOINT", "LABEL", "PARTLABEL", "LOG-SEC", "PHY-SEC", "STATE",
]  # fmt: skip
EMPTY = dict.fromkeys(KEYS, "") | {"RO": "0", "RM": "0", "ROTA": "0", "LOG-SEC": "512", "PHY-SEC": "4096"}
SSD = {"SIZE": "400088457216", "VENDOR": "HGST    ", "MODEL": "HUSMM1640ASS204 ", "TRAN": "sas", "STATE": "running"}


def row(kname: str, **values: str) -> str:
    cells = EMPTY | {"NAME": kname, "KNAME": kname, "TYPE": "disk", "SIZE": "400088457216"} | values
    return " ".join(f'{key}="{cells[key]}"' for key in KEYS)


def path(kname: str, number: int, hctl: str) -> str:
    return row(
        kname,
        **SSD,
        SERIAL=f"5000cca0a100000{number}",
        WWN=f"0x5000CCA0A100000{number}",
        HCTL=hctl,
    )


# Two paths each to two disks, one of them partitioned for GPFS; the map is printed under every path.
SERVER = "\n".join(
    [
        row("nvme0n1", MODEL="INTEL SSDPEDMD400G4      ", SERIAL="CVFT4500001X400LGN", WWN="eui.0100005CD2E4"),
        path("sde", 2, "2:0:1:0"),
        row("dm-1", NAME="mpathb", PKNAME="sde", TYPE="mpath", STATE="running"),
        row("dm-2", NAME="mpathb1", PKNAME="dm-1", TYPE="part", PARTLABEL="GPFS:", STATE="running"),
        path("sdc", 2, "1:0:1:0"),
        row("dm-1", NAME="mpathb", PKNAME="sdc", TYPE="mpath", STATE="running"),
        row("dm-2", NAME="mpathb1", PKNAME="dm-1", TYPE="part", PARTLABEL="GPFS:", STATE="running"),
        row("sda", SIZE="240057409536", VENDOR="ATA     ", MODEL="INTEL SSDSC2BB24", SERIAL="BTWL3405084Y240NGN"),
        row("sda1", PKNAME="sda", TYPE="part", SIZE="1073741824", FSTYPE="xfs", MOUNTPOINT="/boot", LABEL="BOOT"),
        row("sda2", PKNAME="sda", TYPE="part", SIZE="238982000640", FSTYPE="LVM2_member"),
        row("dm-3", NAME="vg-swap", PKNAME="sda2", TYPE="lvm", SIZE="4294967296", FSTYPE="swap", MOUNTPOINT="[SWAP]"),
        row("sdf", SIZE="12000138625024", ROTA="1", RO="1"),
        row("sdg", STATE="offline", ROTA=""),
        row("sdh"),
    ]
)  # fmt: skip


def test_rows_of_one_device_are_merged() -> None:
    parsed = parse_lsblk_pairs(SERVER + "\n")
    devices = parsed.model
    assert parsed.ok
    assert parsed.notes == ()
    knames = [device.kname for device in devices.devices]
    assert knames == ["nvme0n1", "sde", "dm-1", "dm-2", "sdc", "sda", "sda1", "sda2", "dm-3", "sdf", "sdg", "sdh"]
    multipath = devices.get("dm-1")
    assert multipath is not None
    assert (multipath.name, multipath.parents, multipath.type) == ("mpathb", ("sde", "sdc"), "mpath")
    assert [device.kname for device in devices.children("sda")] == ["sda1", "sda2"]
    assert [device.kname for device in devices.disks()] == ["nvme0n1", "sde", "sdc", "sda", "sdf", "sdg", "sdh"]
    assert devices.get("sdz") is None


def test_one_row_in_full() -> None:
    device = parse_lsblk_pairs(SERVER).model.get("sde")
    assert device == BlockDevice(
        name="sde",
        kname="sde",
        parents=(),
        type="disk",
        size_bytes=400088457216,
        rotational=False,
        read_only=False,
        transport="sas",
        vendor="HGST",
        model="HUSMM1640ASS204",
        serial="5000cca0a1000002",
        wwn="0x5000CCA0A1000002",
        hctl="2:0:1:0",
        fstype="",
        mountpoint="",
        label="",
        partlabel="",
        logical_sector=512,
        physical_sector=4096,
        state="running",
    )


def test_identity() -> None:
    devices = parse_lsblk_pairs(SERVER).model
    identities = {device.kname: device.identity for device in devices.devices}
    assert identities["sde"] == identities["sdc"] == "wwn:5000cca0a1000002"
    assert identities["nvme0n1"] == "wwn:eui.0100005cd2e4"
    assert identities["sda"] == "ATA+INTEL SSDSC2BB24+BTWL3405084Y240NGN"
    assert identities["dm-1"] == ""
    assert parse_lsblk_pairs(row("sdb", VENDOR="A", MODEL="B")).model.devices[0].identity == ""


def test_a_ring_of_parents_ends() -> None:
    devices = parse_lsblk_pairs(row("a", PKNAME="b") + "\n" + row("b", PKNAME="a")).model
    seen = look("h", 0.0, devices, None, None).named("a")
    assert seen is not None
    assert [use.text for use in seen.uses] == ["held by b (disk)"]


def test_what_is_not_told_is_unknown() -> None:
    devices = parse_lsblk_pairs(SERVER).model
    rotational = devices.get("sdf")
    unknown = devices.get("sdg")
    assert rotational is not None
    assert unknown is not None
    assert (rotational.rotational, unknown.rotational) == (True, None)
    few = parse_lsblk_pairs('NAME="sdb" KNAME="sdb" SIZE="5"').model.devices[0]
    assert few.read_only
    assert (few.logical_sector, few.rotational, few.parents) == (None, None, ())


def test_keys_of_2_37() -> None:
    text = row("sdb").replace("LOG-SEC", "LOG_SEC").replace("PHY-SEC", "PHY_SEC")
    device = parse_lsblk_pairs(text + ' MAJ_MIN="8:16" FSUSE%="10%"').model.devices[0]
    assert (device.logical_sector, device.physical_sector) == (512, 4096)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"my\x20disk", "my disk"),
        (r"a\x22b\x5cc", 'a"b\\c'),
        (r"caf\xc3\xa9", "café"),
        (r"\xff", r"\xff"),
        (r"a\x1b[2Jb", "a\ufffd[2Jb"),
        ("a\x1b[2Jb", "a\ufffd[2Jb"),
        (r"\xe2\x80\xae", "\ufffd"),
        (r"\xg1", r"\xg1"),
        ("  padded  ", "padded"),
    ],
)
def test_escapes(written: str, read: str) -> None:
    assert parse_lsblk_pairs(row("sdb", LABEL=written)).model.devices[0].label == read


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (row("sdb", SIZE=""), 1),
        (row("sdb", SIZE="373G"), 1),
        (row("sdb", KNAME=""), 1),
        (row("sdb", NAME=""), 1),
        (row("sdb") + " trailing", 1),
        (row("sdb").replace('KNAME="sdb"', 'KNAME="sdb'), 1),
        (row("sdb")[1:-1], 1),
        (row("sda") + "\n" + row("sda", SIZE="1"), 2),
        (row("sda", WWN="0x1") + "\n" + row("sda", WWN="0x2"), 2),
    ],
)
def test_broken_rows_are_told(text: str, line: int) -> None:
    assert line in [problem.line for problem in parse_lsblk_pairs(text).problems]


def test_messages_are_notes_and_nothing_is_a_problem() -> None:
    parsed = parse_lsblk_pairs(row("sda") + "\r\nlsblk: dm-9: failed to get device path\r\n", "a word\n")
    assert parsed.ok
    assert [(note.line, note.text) for note in parsed.notes] == [
        (2, "lsblk: dm-9: failed to get device path"),
        (3, "a word"),
    ]
    assert [problem.line for problem in parse_lsblk_pairs("").problems] == [0]


def test_the_request_reads_and_needs_no_privilege() -> None:
    command = lsblk()
    assert command.effect is Effect.READS
    assert not command.privileged
    assert command.argv[:4] == ("lsblk", "-P", "-b", "-o")
    assert command.argv[4].split(",") == KEYS


PIECES = st.sampled_from([*KEYS, '="', '"', " ", "sda", "\\x", "\\x41", "\n", "9" * 5000, "٣", "="])
GARBAGE = st.one_of(
    st.text(max_size=200),
    st.lists(PIECES, max_size=40).map("".join),
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(GARBAGE, GARBAGE)
def test_garbage(stdout: str, stderr: str) -> None:
    devices = parse_lsblk_pairs(stdout, stderr).model
    for device in devices.devices:
        assert isinstance(devices.children(device.kname), tuple)
        assert isinstance(device.identity, str)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(at=st.integers(0, len(SERVER) - 1), length=st.integers(0, 30), put=st.binary(max_size=3))
def test_a_damaged_device_is_never_lost_without_a_word(at: int, length: int, put: bytes) -> None:
    data = SERVER.encode()
    parsed = parse_lsblk_pairs(decode(data[:at] + put + data[at + length :]))
    words = len(parsed.problems) + len(parsed.notes)
    assert words or len(parsed.model.devices) >= 11


NAMES = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters='"\\\r\n'), max_size=20)


@given(label=NAMES)
def test_plain_values_are_read_back(label: str) -> None:
    device = parse_lsblk_pairs(row("sdb", LABEL=label)).model.devices[0]
    assert device.label == safe(label).strip()


@pytest.mark.parametrize(
    "text",
    ["A" * 200_000, 'A="' * 50_000, 'A="" ' * 50_000, " " * 200_000, "\\x41" * 50_000, 'K="' + "\\x41" * 50_000 + '"'],
)
def test_long_texts_end(text: str) -> None:
    """What goes over a text again for each of its letters would take an hour here."""
    assert parse_lsblk_pairs(text).model.devices == ()
