"""What the two scripts print, read to the last line: exact texts, what is missing, what is hostile, and garbage."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remote.linux.contents_parsing import parse_signatures
from remote.linux.inventory import BlockNode, Content, Contents, Mount, Part, ReadState, Signature
from remote.linux.inventory_parsing import parse_devices

DEVICES = """\
restripe-devices 1
boot 6a3f2c1e
device sdb
number 8:16
sectors 8
rotational 0
logical 512
physical 4096
write_cache write back
vendor HGST    \n\
model HUSMM1640ASS204 \n\
firmware A204
part sdb1 8:17
holder dm-0
holder dm-0
hctl 1:0:0:0
link sdb by-id/wwn-0x5000cca0a1000001
link sdb1 by-id/wwn-0x5000cca0a1000001-part1
vpd80 ==> /dev/null <==
vpd80 \n\
vpd80 ==> /sys/block/sdb/device/vpd_pg80 <==
vpd80     0AG1ABCA
vpd80 \n\
udev 8:16 ID_WWN_WITH_EXTENSION=0x5000CCA0A1000001
mount 25 1 8:17 / /a\\040b rw shared:1 master:2 - xfs /dev/sdb1 rw,attr2
mount 26 1 8:18 / /c rw - ext4 /dev/sdb2 rw
swap /swap\\040file file 1 0 -2
nsddevices 1514642172 23
end
"""
ZEROS = "\n".join(["sector2  " + "00 " * 15 + "00"] * 4)
FOUND = f"""\
restripe-signatures 1
device sdb
first rc 0
nonzero 124
{ZEROS}
blkid DEVNAME=/dev/sdb
blkid LABEL=a\\ b\\"c
blkid UUID=e770900d
blkid TYPE=ext4
blkid USAGE=filesystem
blkid rc 0
wipefs 0x438,e770900d,a\\x20b"c,ext4
wipefs rc 0
partx partx: /dev/sdb: failed to read partition table
partx rc 1
over
end
"""
EMPTY = f"""\
restripe-signatures 1
device sdb
first rc 0
nonzero 0
{ZEROS}
blkid rc 2
wipefs # offset,uuid,label,type
wipefs rc 0
partx partx: /dev/sdb: failed to read partition table
partx rc 1
over
end
"""


def content(text: str) -> Content:
    parsed = parse_signatures(text)
    assert parsed.problems == ()
    (only,) = parsed.model.devices
    return only


def test_an_inventory_in_full() -> None:
    parsed = parse_devices(DEVICES)
    assert (parsed.problems, parsed.notes) == ((), ())
    assert parsed.model.boot_id == "6a3f2c1e"
    assert parsed.model.nodes == (
        BlockNode(
            kname="sdb",
            number="8:16",
            size_bytes=4096,
            rotational=False,
            logical_sector=512,
            physical_sector=4096,
            write_cache="write back",
            vendor="HGST",
            model="HUSMM1640ASS204",
            firmware="A204",
            serial="0AG1ABCA",
            wwid="naa.5000cca0a1000001",
            hctl="1:0:0:0",
            holders=("dm-0",),
            parts=(Part("sdb1", "8:17"),),
            links=("by-id/wwn-0x5000cca0a1000001",),
        ),
    )
    assert parsed.model.mounts == (Mount("8:17", "/a b", "xfs", "/dev/sdb1"), Mount("8:18", "/c", "ext4", "/dev/sdb2"))
    assert parsed.model.swaps == ("/swap file",)
    assert parsed.model.nsddevices == "1514642172 23"


@pytest.mark.parametrize(("word", "told"), [("absent", ""), ("unreadable", None)])
def test_no_list_of_devices_is_told_from_one_that_cannot_be_read(word: str, told: str | None) -> None:
    parsed = parse_devices(DEVICES.replace("1514642172 23", word))
    assert parsed.ok
    assert parsed.model.nsddevices == told


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("number 8:16", "number 8", 4),
        ("sectors 8", "sectors many", 5),
        ("rotational 0", "rotational 2", 6),
        ("device sdb\n", "", 3),
        ("swap /", "device sdb\nswap /", 27),
        ("boot 6a3f2c1e", "boots 6a3f2c1e", 2),
        ("nsddevices 1514642172 23", "nsddevices 15", 28),
        ("- xfs", "xfs", 25),
        ("end\n", "", 0),
        ("nsddevices 1514642172 23\n", "", 0),
    ],
)
def test_what_is_broken_is_a_problem_at_its_line(old: str, new: str, line: int) -> None:
    assert old in DEVICES
    assert line in [problem.line for problem in parse_devices(DEVICES.replace(old, new)).problems]


@pytest.mark.parametrize("at", range(0, len(DEVICES) - 1, 7))
def test_half_an_inventory_is_never_taken_for_a_whole_one(at: int) -> None:
    assert not parse_devices(DEVICES[:at]).ok


def test_what_would_steer_a_terminal_is_shown_and_what_came_before_is_a_note() -> None:
    parsed = parse_devices("motd\n" + DEVICES.replace("A204", "\x1b[2J"), "a word\n")
    node = parsed.model.get("sdb")
    assert node is not None
    assert node.firmware == "\ufffd[2J"
    assert [note.text for note in parsed.notes] == ["motd", "a word"]
    hostile = parse_devices(DEVICES.replace("/a\\040b", "/\\033[2J\\012x"))
    assert hostile.model.mounts[0].where == "/\ufffd[2J\nx"


def test_signatures_of_both_tools_are_one() -> None:
    found = content(FOUND)
    assert found.signatures == (Signature("ext4", "filesystem", 'a b"c', "e770900d", 0x438),)
    assert (found.state, found.partitions, found.nonzero, found.sector2) == (ReadState.READ, (), 124, "00" * 64)
    assert not found.empty


def test_a_disk_is_empty_when_every_tool_says_so() -> None:
    found = content(EMPTY)
    assert (found.state, found.signatures, found.nonzero) == (ReadState.READ, (), 0)
    assert found.empty


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("over\n", ""),
        ("first rc 0", "first rc 1"),
        ("first rc 0\n", ""),
        ("nonzero 0\n", ""),
        ("nonzero 0", "nonzero"),
        ("nonzero 0", "nonzero ٣"),
        ("sector2  00", "sector2 "),
        ("sector2  00", "sector2  zz"),
        ("blkid rc 2", "blkid blkid: error: /dev/sdb: Input/output error\nblkid rc 2"),
        ("blkid rc 2", "blkid sh: blkid: not found\nblkid rc 127"),
        ("blkid rc 2", "blkid rc 4"),
        ("blkid rc 2", "blkid rc 0"),
        ("blkid rc 2\n", ""),
        (
            "wipefs rc 0",
            "wipefs wipefs: error: /dev/sdb: probing initialization failed: Input/output error\nwipefs rc 1",
        ),
        ("wipefs rc 0\n", ""),
        ("wipefs rc 0", "wipefs what is this\nwipefs rc 0"),
        ("over", "state hangs"),
        ("over", "state broken"),
        ("over", "state late"),
        ("over", "over\nstate of its own"),
        ("first", "dd dd: error reading: Input/output error\ndd rc 1\nfirst"),
    ],
)
def test_a_disk_in_doubt_is_never_empty(old: str, new: str) -> None:
    assert old in EMPTY
    found = content(EMPTY.replace(old, new))
    assert found.state is not ReadState.READ
    assert not found.empty
    assert (found.signatures, found.nonzero) == ((), None)


@pytest.mark.parametrize("at", range(0, len(EMPTY) - 1, 5))
def test_half_an_answer_is_never_taken_for_a_whole_one(at: int) -> None:
    assert not parse_signatures(EMPTY[:at]).ok


@pytest.mark.parametrize(
    ("words", "state", "detail"),
    [
        ("state path", ReadState.PATH, ""),
        ("state still", ReadState.STILL, ""),
        ("state hangs", ReadState.HANGS, ""),
        ("state size", ReadState.FAILED, "its size is 0"),
        ("state late", ReadState.FAILED, "not tried: the time for all devices was over"),
        (
            "dd dd: failed to open '/dev/sdb': Permission denied\ndd rc 1",
            ReadState.DENIED,
            "dd: failed to open '/dev/sdb': Permission denied",
        ),
        ("dd dd: can't open '/dev/sdb': Operation not permitted\ndd rc 1", ReadState.DENIED, None),
        (
            "dd dd: failed to open '/dev/sdb': No medium found\ndd rc 1",
            ReadState.FAILED,
            "dd: failed to open '/dev/sdb': No medium found",
        ),
        ("dd sh: dd: not found\ndd rc 127", ReadState.FAILED, "dd: sh: dd: not found"),
        ("", ReadState.FAILED, "its reader has ended before its time"),
    ],
)
def test_why_a_disk_was_not_read(words: str, state: ReadState, detail: str | None) -> None:
    found = content(f"restripe-signatures 1\ndevice sdb\n{words}\nend\n")
    assert found.state is state
    assert detail is None or found.detail == detail


def test_an_old_host_without_wipefs_is_believed_where_blkid_is_sure() -> None:
    missing = "wipefs sh: wipefs: not found\nwipefs rc 127"
    assert content(EMPTY.replace("wipefs rc 0", missing)).empty
    ambivalent = EMPTY.replace("wipefs rc 0", missing).replace("blkid rc 2", "blkid sdb: ambivalent result\nblkid rc 8")
    assert content(ambivalent).state is ReadState.FAILED


def test_of_several_signatures_wipefs_tells_each() -> None:
    several = EMPTY.replace("blkid rc 2", "blkid sdb: ambivalent result\nblkid rc 8").replace(
        "wipefs rc 0", "wipefs 0x218,abc,,LVM2_member\nwipefs 0x438,e77,a,b,ext4\nwipefs rc 0"
    )
    assert content(several).signatures == (
        Signature("LVM2_member", "", "", "abc", 0x218),
        Signature("ext4", "", "a,b", "e77", 0x438),
    )


def test_a_partition_table_needs_its_entries() -> None:
    table = EMPTY.replace("blkid rc 2", "blkid PTTYPE=gpt\nblkid PTUUID=02836feb\nblkid rc 0").replace(
        "wipefs rc 0", "wipefs 0x200,,,gpt\nwipefs rc 0"
    )
    assert content(table).detail == "partx: /dev/sdb: failed to read partition table"
    listed = table.replace("partx rc 1", "partx rc 0").replace(
        "partx partx: /dev/sdb: failed to read partition table", "partx 37AFFC90-EF7D-4E96-91C3-2D7AE055B174"
    )
    found = content(listed)
    assert found.partitions == ("37affc90-ef7d-4e96-91c3-2d7ae055b174",)
    assert found.signatures == (Signature("gpt", "partition-table", "", "02836feb", 0x200),)


def test_a_label_cannot_speak_for_a_tool_and_steers_no_terminal() -> None:
    hostile = FOUND.replace('LABEL=a\\ b\\"c', "LABEL=x\nblkid rc 2\nblkid end\nblkid device sdz")
    assert [each.kname for each in parse_signatures(hostile).model.devices] == ["sdb"]
    assert content(hostile).state is ReadState.READ
    (signature,) = content(FOUND.replace('a\\x20b"c', "\\x1b[2J")).signatures
    assert signature.label == "\ufffd[2J"


PIECES = st.sampled_from(
    [
        *DEVICES.splitlines(keepends=True),
        *FOUND.splitlines(keepends=True),
        "device ",
        "rc ",
        "9" * 5000,
        "\\x",
        "٣",
        " ",
    ]
)
GARBAGE = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=40).map("".join))


@settings(max_examples=300, deadline=None)
@given(GARBAGE, GARBAGE)
def test_garbage(stdout: str, stderr: str) -> None:
    for prefix in ("", "restripe-devices 1\n", "restripe-signatures 1\n"):
        assert isinstance(parse_signatures(prefix + stdout, stderr).model, Contents)
        parse_devices(prefix + stdout, stderr)


@settings(max_examples=200, deadline=None)
@given(at=st.integers(0, len(FOUND) - 1), length=st.integers(0, 30), put=st.text(max_size=3))
def test_damage_makes_no_disk_empty(at: int, length: int, put: str) -> None:
    told = parse_signatures(FOUND[:at] + put + FOUND[at + length :]).model
    assert not any(each.empty for each in told.devices)


@pytest.mark.parametrize("text", ["\\x41" * 50_000, "mount " + "a " * 50_000, "vpd80 " + "=" * 50_000, "\\" * 50_000])
def test_long_lines_end(text: str) -> None:
    """What goes over a line again for each of its letters would take an hour here."""
    parse_devices(f"restripe-devices 1\n{text}\nend\n")
    parse_signatures(f"restripe-signatures 1\ndevice sdb\nwipefs 0x1,{text}\nwipefs rc 0\nover\nend\n")
