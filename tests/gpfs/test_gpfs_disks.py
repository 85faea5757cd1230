"""`mmlsdisk` and `mmlsnsd -X`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remote.gpfs.models import Disk, DiskQuorum, NsdDevice, Usage, VolumeId, decode_volume_id
from remote.gpfs.parsers import parse_mmlsdisk, parse_mmlsnsd_x
from remote.parsed import Parsed

TEXTS = Path(__file__).parent / "texts"
Shape = Callable[[str], str]
ATTENTION = "Attention: Due to an earlier configuration change the file system is no longer properly replicated."


def told(name: str) -> str:
    return (TEXTS / f"{name}.txt").read_text(encoding="utf-8")


def collapsed(text: str) -> str:
    return "\n".join(re.sub(r"[ \t]+", " ", line).strip() for line in text.split("\n"))


@pytest.mark.parametrize("shape", [str, collapsed])
def test_before_the_migration(shape: Shape) -> None:
    parsed = parse_mmlsdisk(shape(told("mmlsdisk_before")))
    assert parsed.ok
    assert parsed.notes == ()
    assert len(parsed.model.disks) == 12
    assert parsed.model.disks[0] == Disk(
        nsd="foo1_nsd1",
        driver="nsd",
        sector_size=512,
        failure_group="1",
        metadata=True,
        data=True,
        status="ready",
        availability="up",
        pool="system",
    )
    assert not parsed.model.not_properly_replicated
    assert all(disk.ready for disk in parsed.model.disks)


@pytest.mark.parametrize("shape", [str, collapsed, lambda text: text.replace("\n", "\r\n")])
def test_after_the_change_of_usage(shape: Shape) -> None:
    parsed = parse_mmlsdisk(shape(told("mmlsdisk_changed")))
    disks = parsed.model
    assert parsed.ok
    assert parsed.notes == ()
    assert disks.attention == (ATTENTION,)
    assert disks.not_properly_replicated
    usages = [disk.usage for disk in disks.disks]
    assert usages == [Usage.DATA_ONLY] * 12 + [Usage.METADATA_ONLY] * 6
    ssd = disks.get("foo3_ssd2")
    assert ssd is not None
    assert ssd.failure_group == "3"
    assert disks.get("foo3_ssd9") is None


def test_the_attention_sentence_is_found_on_stderr() -> None:
    text = told("mmlsdisk_changed")
    at = text.index("Attention:")
    parsed = parse_mmlsdisk(text[:at], text[at:])
    assert parsed.ok
    assert parsed.model.not_properly_replicated


@pytest.mark.parametrize(
    "words",
    [
        "Attention: Due to an earlier configuration change the file system is no longer\nproperly replicated.",
        "mmlsdisk: 6027-9 [W] Attention: Due to an earlier\nchange the file system is\nno longer properly replicated.",
    ],
)
def test_the_attention_sentence_may_wrap_anywhere(words: str) -> None:
    parsed = parse_mmlsdisk(told("mmlsdisk_before") + words + "\n")
    assert parsed.ok
    assert parsed.model.not_properly_replicated


def test_other_attention_sentences_do_not_ask_for_a_restripe() -> None:
    text = told("mmlsdisk_before")
    parsed = parse_mmlsdisk(text + "Attention: The file system is no longer properly balanced.\n")
    assert len(parsed.model.attention) == 1
    assert not parsed.model.not_properly_replicated


def test_an_attention_sentence_swallows_no_disk() -> None:
    header, rows = told("mmlsdisk_before").split("\n")[:3], told("mmlsdisk_before").split("\n")[3:]
    parsed = parse_mmlsdisk("\n".join([*header, "Warning: something is", *rows]))
    assert len(parsed.model.disks) == 12
    assert [(problem.line, problem.why) for problem in parsed.problems] == [(4, "the sentence has no end")]


@pytest.mark.parametrize("shape", [str, collapsed])
def test_long_form_with_hard_cells(shape: Shape) -> None:
    parsed = parse_mmlsdisk(shape(told("mmlsdisk_long")))
    assert parsed.ok
    rows = [
        (d.nsd, d.sector_size, d.failure_group, d.usage, d.status, d.availability, d.disk_id, d.pool, d.remarks)
        for d in parsed.model.disks
    ]
    both, none = Usage.DATA_AND_METADATA, Usage.DESC_ONLY
    assert rows == [
        ("gpfs1nsd", 512, "01", both, "ready", "up", "1", "system", "desc"),
        ("archive_vault_rack7_disk12", 4096, "-1", both, "to be emptied", "up", "2", "system", ""),
        ("d3", 512, "1,0,1", Usage.DATA_ONLY, "being emptied", "recovering", "3", "sas_2", ""),
        ("d4", 512, "4", none, "ready", "up", "4", "system", "desc"),
        ("d5", 512, "5", Usage.METADATA_ONLY, "suspended", "down", "5", "system", ""),
    ]
    assert [disk.ready for disk in parsed.model.disks] == [True, False, False, True, False]
    assert parsed.notes == ()
    assert parsed.model.quorum == DiskQuorum(disks=3, read=2, write=2)


def test_a_pool_of_digits_is_no_disk_id_under_a_header_without_one() -> None:
    text = told("mmlsdisk_before").replace("up           system       ", "up           7 desc")
    disk = parse_mmlsdisk(text).model.disks[0]
    assert (disk.disk_id, disk.pool, disk.remarks) == ("", "7", "desc")


def test_rows_without_any_header_are_read() -> None:
    rows = told("mmlsdisk_long").split("\n")[3:5]
    disks = parse_mmlsdisk("\n".join(rows)).model.disks
    assert [(disk.disk_id, disk.pool) for disk in disks] == [("1", "system"), ("2", "system")]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (" 512 ", " 5k ", "sector size"),
        ("  1 Yes", "  x Yes", "failure group"),
        ("Yes      Yes", "Yes      Maybe", "Yes or No"),
        (" up ", " gone ", "availability"),
        (" system", "", "nine columns"),
    ],
)
def test_broken_rows_are_told(old: str, new: str, why: str) -> None:
    lines = told("mmlsdisk_before").split("\n")
    lines[4] = lines[4].replace(old, new)
    parsed = parse_mmlsdisk("\n".join(lines))
    assert len(parsed.model.disks) == 11
    assert [problem.line for problem in parsed.problems] == [5]
    assert why in parsed.problems[0].why


def test_an_unknown_file_system() -> None:
    parsed = parse_mmlsdisk(
        "",
        "mmlsdisk: File system nope is not known to the GPFS cluster.\n"
        "mmlsdisk: Command failed. Examine previous error messages to determine cause.\n",
    )
    assert [problem.line for problem in parsed.problems] == [0, 2]
    assert [note.line for note in parsed.notes] == [1]


@pytest.mark.parametrize("shape", [str, collapsed])
def test_devices_of_all_nsds(shape: Shape) -> None:
    parsed = parse_mmlsnsd_x(shape(told("mmlsnsd_x")))
    assert parsed.ok
    assert parsed.notes == ()
    assert len(parsed.model.rows) == 18
    assert parsed.model.by_nsd("foo3_ssd2") == (
        NsdDevice("foo3_ssd2", "8CFC1C0B51B10D01", "/dev/sdf", "generic", "pollux3.example.com", "server node"),
    )
    on_two = parsed.model.on_node("pollux2.example.com")
    assert [row.device for row in on_two] == [f"/dev/sd{letter}" for letter in "abcdgh"]
    assert all(row.found for row in on_two)


NSD_HEADER = (
    "\n Disk name       NSD volume ID      Device          Devtype  Node name or Class       Remarks\n"
    + "-" * 99
    + "\n"
)


def test_long_names_empty_remarks_and_devices_not_found() -> None:
    parsed = parse_mmlsnsd_x(
        NSD_HEADER
        + " gss1_Data_4M_2p_1 0A460501539A68BC   gss1_Data_4M_2p_1 dmm      gss1-10g.cluster         server node \n"
        + " nsd_0        AC100009527FEBFE   /dev/mapper/dcs3860a_lun0 dmm      x36n11                   \n"
        + " nsd_1        AC10000A527FEC03   -              -        x36n09        (not found) server node\n"
    )
    assert parsed.ok
    assert [(row.device, row.node, row.remarks, row.found) for row in parsed.model.rows] == [
        ("gss1_Data_4M_2p_1", "gss1-10g.cluster", "server node", True),
        ("/dev/mapper/dcs3860a_lun0", "x36n11", "", True),
        ("-", "x36n09", "(not found) server node", False),
    ]


def test_the_form_without_devtype_is_read_too() -> None:
    parsed = parse_mmlsnsd_x(
        " Disk name    NSD volume ID      Device         Node name                Remarks       \n"
        + "-" * 87
        + "\n nsd_0        AC100009527FEBFE   /dev/sdb       x36n09                   server node\n"
    )
    assert parsed.model.rows == (NsdDevice("nsd_0", "AC100009527FEBFE", "/dev/sdb", "", "x36n09", "server node"),)


def test_no_disks_is_an_answer() -> None:
    parsed = parse_mmlsnsd_x("", "mmlsnsd: [I] No disks were found.\n")
    assert parsed.ok
    assert parsed.model.rows == ()
    assert len(parsed.notes) == 1


def test_broken_nsd_rows_are_told() -> None:
    parsed = parse_mmlsnsd_x(told("mmlsnsd_x").replace("8CFC1C05507CC5D0", "8CFC1C05507CC5DX"))
    assert [problem.line for problem in parsed.problems] == [4]
    assert len(parsed.model.rows) == 17


@pytest.mark.parametrize("parse", [parse_mmlsdisk, parse_mmlsnsd_x])
def test_nothing_is_a_problem(parse: Callable[[str], Parsed[Any]]) -> None:
    assert [problem.line for problem in parse("").problems] == [0]


@pytest.mark.parametrize(
    ("text", "address", "created"),
    [
        ("8CFC1C05507CC5D0", "140.252.28.5", 1350354384),  # 2012-10-16 02:26:24 UTC
        ("8CFC1C0551B10CF7", "140.252.28.5", 1370557687),  # 2013-06-06 22:28:07 UTC
        ("8CFC1C0B51B10D01", "140.252.28.11", 1370557697),
        ("c0a8c4966646f9d6", "192.168.196.150", 1715927510),  # 2024-05-17 06:31:50 UTC
    ],
)
def test_a_volume_id_tells_who_made_it_and_when(text: str, address: str, created: int) -> None:
    assert decode_volume_id(text) == VolumeId(address, created)


@pytest.mark.parametrize("text", ["", "8CFC1C05507CC5D", "8CFC1C05507CC5D00", "8CFC1C05507CC5DX", "8CFC1C05507CC5D0\n"])
def test_what_is_no_volume_id(text: str) -> None:
    assert decode_volume_id(text) is None
