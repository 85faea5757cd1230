"""`mmcrnsd`, `mmadddisk` and `mmchdisk change`: steps, sizes, propagation and errors."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remote.gpfs.models import Message
from remote.gpfs.parsers import parse_mmadddisk, parse_mmchdisk, parse_mmcrnsd
from remote.parsed import Parsed

TEXTS = Path(__file__).parent / "texts"
Shape = Callable[[str], str]
TAIL = "Command failed. Examine previous error messages to determine cause."
SSDS = tuple(f"foo{server}_ssd{disk}" for server in (1, 2, 3) for disk in (1, 2))


def told(name: str) -> str:
    return (TEXTS / f"{name}.txt").read_text(encoding="utf-8")


def collapsed(text: str) -> str:
    return "\n".join(re.sub(r"[ \t]+", " ", line).strip() for line in text.split("\n"))


@pytest.mark.parametrize("shape", [str, collapsed])
def test_nsds_created(shape: Shape) -> None:
    parsed = parse_mmcrnsd(shape(told("mmcrnsd")))
    assert parsed.ok
    assert parsed.notes == ()
    assert parsed.model.processed == ("sdg", "sdh", "sdg", "sdh", "sde", "sdf")
    assert parsed.model.propagated
    assert parsed.model.errors == ()


@pytest.mark.parametrize(
    "line",
    [
        "mmcrnsd: Propagating the cluster configuration data to all affected nodes.",
        "mmcrnsd: Propagating the cluster configuration data to all affected nodes. This is an asynchronous process.",
        "mmcrnsd: 6027-1371 Propagating the cluster configuration data to all\n  affected nodes.",
        "mmcrnsd: mmsdrfs propagation completed.",
    ],
)
def test_shapes_of_propagation(line: str) -> None:
    parsed = parse_mmcrnsd(f"mmcrnsd: Processing disk sdb\n{line}\n")
    assert parsed.model.propagated
    assert parsed.notes == ()
    assert parsed.model.errors == ()


def test_some_disks_may_fail() -> None:
    parsed = parse_mmcrnsd(
        "mmcrnsd: Processing disk sdb\nmmcrnsd: Processing disk sdc\n",
        "mmcrnsd: Disk device sdb refers to an existing NSD\n" + f"mmcrnsd: {TAIL}\n",
    )
    assert parsed.ok
    assert parsed.model.processed == ("sdb", "sdc")
    assert not parsed.model.propagated
    assert parsed.model.errors == (
        Message("", "", "Disk device sdb refers to an existing NSD"),
        Message("", "", TAIL),
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "mmcrnsd: Disk name n7 is already registered for use by GPFS.",
            Message("", "", "Disk name n7 is already registered for use by GPFS."),
        ),
        (
            "6027-2167 [E] Device sdz does not exist or is not active on this node.",
            Message("6027-2167", "E", "Device sdz does not exist or is not active on this node."),
        ),
        ("[E] Device type not supported.", Message("", "E", "Device type not supported.")),
        (
            "Disk usage metadataOnly is incompatible with storage pool sas.",
            Message("", "", "Disk usage metadataOnly is incompatible with storage pool sas."),
        ),
        (
            "GPFS: 6027-1945 Disk name gpfs9 is not allowed. Names beginning with gpfs are reserved.",
            Message("6027-1945", "", "Disk name gpfs9 is not allowed. Names beginning with gpfs are reserved."),
        ),
        ("mmcrnsd: Missing arguments.", Message("", "", "Missing arguments.")),
    ],
)
def test_errors_of_mmcrnsd(line: str, message: Message) -> None:
    parsed = parse_mmcrnsd("", line + "\n")
    assert parsed.model.errors == (message,)
    assert parsed.ok


def test_before_the_tail_every_line_is_an_error() -> None:
    free = "ksh: something nobody has a number for"
    assert parse_mmcrnsd(f"mmcrnsd: Processing disk sdb\n{free}\n").model.errors == ()
    parsed = parse_mmcrnsd(f"mmcrnsd: Processing disk sdb\n{free}\n", f"mmcrnsd: {TAIL}\n")
    assert [message.text for message in parsed.model.errors] == [free, TAIL]


@pytest.mark.parametrize(
    "line",
    [
        "mmcrnsd: 6027-1 [W] This is only a warning.",
        "mmcrnsd: Unable to obtain the GPFS configuration file lock. Retrying in 10 seconds...",
        "mmadddisk: Unable to start tsadddisk on 'a' because conflicting program tsdeldisk is running. Waiting until",
        "Last login: Thu Jun  6 2013",
    ],
)
def test_what_is_no_error(line: str) -> None:
    parsed = parse_mmcrnsd("mmcrnsd: Processing disk sdb\n", line + "\n")
    assert parsed.model.errors == ()
    assert len(parsed.notes) == 1


@pytest.mark.parametrize("shape", [str, collapsed])
def test_disks_added_in_kb(shape: Shape) -> None:
    parsed = parse_mmadddisk(shape(told("mmadddisk_35")))
    added = parsed.model
    assert parsed.ok
    assert parsed.notes == ()
    assert (added.fs, added.node) == ("mss1", "foo1.example.com")
    assert added.sizes_kb == tuple((name, 194805760) for name in SSDS)
    assert added.completed
    assert added.propagated
    assert added.errors == ()


def test_disks_added_in_mb_with_a_new_pool_and_progress() -> None:
    parsed = parse_mmadddisk(told("mmadddisk_60"))
    added = parsed.model
    assert parsed.ok
    assert parsed.notes == ()
    assert (added.fs, added.node) == ("fs1", "n1")
    assert added.sizes_kb == (("n6", 10240 * 1024), ("mmdisk7", 10240 * 1024))
    assert added.completed
    assert added.propagated


def test_numbered_messages() -> None:
    parsed = parse_mmadddisk(
        "GPFS: 6027-531 The following disks of test_file will be formatted on node HEGUI2:\n"
        "    n1: size 5 GB\n"
        "GPFS: 6027-1503 Completed adding disks to file system test_file.\n"
        "mmadddisk: 6027-1371 Propagating the cluster configuration data to all\n"
        "  affected nodes.  This is an asynchronous process.\n"
    )
    assert parsed.ok
    assert parsed.notes == ()
    assert (parsed.model.fs, parsed.model.node) == ("test_file", "HEGUI2")
    assert parsed.model.sizes_kb == (("n1", 5 * 1024 * 1024),)
    assert parsed.model.completed
    assert parsed.model.errors == ()


def test_a_size_in_an_unknown_unit_is_a_problem() -> None:
    parsed = parse_mmadddisk(told("mmadddisk_35").replace("foo2_ssd1: size 194805760 KB", "foo2_ssd1: size 186 blocks"))
    assert [problem.line for problem in parsed.problems] == [5]
    assert len(parsed.model.sizes_kb) == 5


def test_a_disk_of_another_file_system() -> None:
    parsed = parse_mmadddisk("", f"mmadddisk: Disk n1 belongs to file system fs2.\nmmadddisk: {TAIL}\n")
    assert not parsed.model.completed
    assert len(parsed.model.errors) == 2


@pytest.mark.parametrize("shape", [str, collapsed])
def test_usage_changed(shape: Shape) -> None:
    parsed = parse_mmchdisk(shape(told("mmchdisk")))
    assert parsed.ok
    assert parsed.notes == ()
    assert parsed.model.verified
    assert parsed.model.propagated
    assert parsed.model.errors == ()


def test_a_change_that_leaves_no_disk_for_metadata() -> None:
    text = "GPFS: 6027-2637 The file system must contain at least one disk for metadata."
    parsed = parse_mmchdisk("Verifying file system configuration information ...\n", f"{text}\nmmchdisk: {TAIL}\n")
    assert parsed.model.verified
    assert not parsed.model.propagated
    assert parsed.model.errors[0].number == "6027-2637"


@pytest.mark.parametrize("parse", [parse_mmcrnsd, parse_mmadddisk, parse_mmchdisk])
@pytest.mark.parametrize("text", ["", "\n \n", "good morning\n"])
def test_no_answer_is_a_problem(parse: Callable[[str], Parsed[Any]], text: str) -> None:
    assert [problem.line for problem in parse(text).problems] == [0]
