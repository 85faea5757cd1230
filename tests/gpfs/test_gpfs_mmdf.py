"""`mmdf`: figures of a real migration and of two pools, in columns and with the blanks collapsed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from remote.gpfs.models import Inodes, SpaceTotal, Usage
from remote.gpfs.parsers import parse_mmdf

TEXTS = Path(__file__).parent / "texts"

Shape = Callable[[str], str]


def told(name: str) -> str:
    return (TEXTS / f"{name}.txt").read_text(encoding="utf-8")


def collapsed(text: str) -> str:
    """As a web page shows it: one blank for any number, none at the ends."""
    return "\n".join(re.sub(r"[ \t]+", " ", line).strip() for line in text.split("\n"))


@pytest.mark.parametrize("shape", [str, collapsed, lambda text: text.replace("\n", "\r\n")])
def test_the_end_of_the_migration(shape: Shape) -> None:
    parsed = parse_mmdf(shape(told("mmdf_after")))
    space = parsed.model
    assert parsed.ok
    assert parsed.notes == ()
    assert (space.unit, space.exact) == ("KB", True)
    assert space.metadata == SpaceTotal(1168834560, 756817920, 4236672)
    assert space.metadata.used_kb == 407779968
    assert space.data == SpaceTotal(375021109248, 70795485184, 3852661760)
    assert space.total == SpaceTotal(376189943808, 71552303104, 3856898432)
    assert space.pools == (("system", space.total),)
    assert space.inodes == Inodes(used=83929469, free=4843139, allocated=88772608, maximum=146903040)
    assert len(space.disks) == 18
    ssd = space.get("foo1_ssd2")
    assert ssd is not None
    assert (ssd.size_kb, ssd.failure_group, ssd.usage) == (194805760, "1", Usage.METADATA_ONLY)
    assert (ssd.free_blocks_kb, ssd.free_blocks_percent) == (126115840, 65)
    assert (ssd.free_fragments_kb, ssd.free_fragments_percent) == (709440, 0)
    assert ssd.used_kb == 194805760 - 126115840 - 709440
    assert space.get("foo9_ssd9") is None


@pytest.mark.parametrize("shape", [str, collapsed])
def test_the_rows_add_up_to_their_totals(shape: Shape) -> None:
    space = parse_mmdf(shape(told("mmdf_after"))).model
    metadata = [disk for disk in space.disks if disk.metadata]
    data = [disk for disk in space.disks if disk.data]
    assert len(metadata) == 6
    assert len(data) == 12
    for total, disks in ((space.metadata, metadata), (space.data, data), (space.total, space.disks)):
        assert total is not None
        assert total.size_kb == sum(disk.size_kb for disk in disks)
        assert total.free_blocks_kb == sum(disk.free_blocks_kb for disk in disks)
        assert total.free_fragments_kb == sum(disk.free_fragments_kb for disk in disks)


@pytest.mark.parametrize("shape", [str, collapsed])
def test_metadata_disks_only_have_no_inodes(shape: Shape) -> None:
    parsed = parse_mmdf(shape(told("mmdf_metadata")))
    space = parsed.model
    assert parsed.ok
    assert space.inodes is None
    assert space.data == SpaceTotal(0, 0, 0)
    assert space.metadata == SpaceTotal(1168834560, 1145253888, 33024)
    assert space.metadata.used_kb == 23547648
    assert [disk.nsd for disk in space.disks][:2] == ["foo1_ssd2", "foo1_ssd1"]


@pytest.mark.parametrize("shape", [str, collapsed])
def test_before_the_change_there_are_no_rows_for_data_and_metadata(shape: Shape) -> None:
    parsed = parse_mmdf(shape(told("mmdf_before_1t")))
    space = parsed.model
    assert parsed.ok
    assert (space.data, space.metadata) == (None, None)
    assert space.total == SpaceTotal(350, 73, 4)
    assert {disk.usage for disk in space.disks} == {Usage.DATA_AND_METADATA}


def test_figures_in_terabytes_are_marked_as_not_exact() -> None:
    space = parse_mmdf(told("mmdf_changed_1t")).model
    assert (space.unit, space.exact) == ("TB", False)
    ssd = space.get("foo3_ssd1")
    assert ssd is not None
    assert (ssd.size_kb, ssd.free_blocks_kb, ssd.free_blocks_percent) == (1, 1, 100)


@pytest.mark.parametrize("shape", [str, collapsed])
def test_two_pools_long_names_and_a_disk_out_of_use(shape: Shape) -> None:
    parsed = parse_mmdf(shape(told("mmdf_two_pools_60")))
    space = parsed.model
    assert parsed.ok
    assert space.unit == "KB"
    assert space.pools == (
        ("system", SpaceTotal(2097152, 450560, 23024)),
        ("capacity", SpaceTotal(20971520, 20897792, 8056)),
    )
    assert [(disk.nsd, disk.pool, disk.failure_group) for disk in space.disks] == [
        ("n1", "system", "1"),
        ("vault_of_metadata_0001", "system", "-1"),
        ("n6", "capacity", "1,0,1"),
        ("n7", "capacity", "1"),
    ]
    assert [disk.available for disk in space.disks] == [True, True, True, False]
    assert space.inodes == Inodes(used=4108, free=103412, allocated=107520, maximum=107520)
    assert space.data is not None
    assert space.metadata is not None
    assert space.total is not None
    assert space.data.size_kb + space.metadata.size_kb > space.total.size_kb


def test_a_missing_metadata_row_is_none() -> None:
    text = re.sub(r"(?m)^\(metadata\).*\n", "", told("mmdf_after"))
    parsed = parse_mmdf(text)
    assert parsed.ok
    assert parsed.model.metadata is None
    assert parsed.model.data is not None


def test_a_text_cut_short_is_told() -> None:
    text = told("mmdf_after")
    parsed = parse_mmdf(text[: text.index("(pool total)")])
    assert len(parsed.model.disks) == 18
    assert [(problem.line, problem.why) for problem in parsed.problems] == [
        (0, "no row (total): the answer may be cut short")
    ]


def test_a_broken_row_is_told_with_its_line() -> None:
    lines = told("mmdf_after").split("\n")
    lines[5] = lines[5].replace("31251759104", "3125x")
    lines[6] = lines[6].replace(" Yes ", " Yep ")
    lines[7] = lines[7].replace("        1 Yes", "      one Yes")
    parsed = parse_mmdf("\n".join(lines))
    assert [problem.line for problem in parsed.problems] == [6, 7, 8]
    assert len(parsed.model.disks) == 15


def test_without_a_header_the_unit_is_unknown() -> None:
    parsed = parse_mmdf("\n".join(told("mmdf_after").split("\n")[3:]))
    assert (parsed.model.unit, parsed.model.exact) == ("", False)
    assert not parsed.ok


def test_inodes_that_are_not_all_there() -> None:
    parsed = parse_mmdf(told("mmdf_after").replace("83929469", "many"))
    assert parsed.model.inodes is None
    assert [problem.line for problem in parsed.problems] == [0, 33]


@pytest.mark.parametrize("text", ["", "\n\n", "bash: mmdf: command not found\n"])
def test_no_answer_is_a_problem(text: str) -> None:
    parsed = parse_mmdf(text)
    assert [problem.line for problem in parsed.problems] == [0]


def test_an_error_on_stderr_is_told_with_its_cause() -> None:
    parsed = parse_mmdf(
        "",
        "mmdf: File system nope is not known to the GPFS cluster.\n"
        "mmdf: Command failed.  Examine previous error messages to determine cause.\n",
    )
    whys = [problem.why for problem in parsed.problems]
    assert "the command failed: mmdf: File system nope is not known to the GPFS cluster." in whys


def test_lines_of_stderr_are_counted_on() -> None:
    parsed = parse_mmdf(told("mmdf_metadata"), "a warning\n")
    assert parsed.ok
    assert [(note.line, note.text) for note in parsed.notes] == [(18, "a warning")]


def test_footnotes_and_messages_are_notes() -> None:
    lines = told("mmdf_two_pools_60").split("\n")
    lines.insert(5, "mmdf: 6027-1 [W] Something is slow.")
    at = next(index for index, line in enumerate(lines) if line.startswith("(total)"))
    lines.insert(at + 1, "* nothing can be allocated on this disk")
    parsed = parse_mmdf("\n".join(lines))
    assert parsed.ok
    assert len(parsed.notes) == 2
