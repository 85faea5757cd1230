"""The machine-readable form: records as they come from the field, whole and otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from remote.gpfs import parsers
from remote.gpfs.machine import Table, is_machine, read_machine
from remote.gpfs.reading import BLOCK, Reading, Steps, finish
from remote.parsed import Parsed
from tests.gpfs.told import told

HEADER = "mmx:t:HEADER:version:reserved:reserved:name:size:text:"
ROW = "mmx:t:0:1:::a:1:b:"
Rows = list[tuple[str, ...]]


def read(text: str, *, columns: tuple[str, ...] = ("name", "size", "text"), exact: bool = False) -> Parsed[Rows]:
    def steps() -> Steps[Rows]:
        reading = Reading(text, "")
        rows: Rows = []

        def row(*values: str) -> str | None:
            if not values[0]:
                return "no name"
            rows.append(values)
            return None

        yield from read_machine(reading, "mmx", {"t": Table(columns, row, exact=exact)})
        return reading.result(rows)

    return finish(steps())


def lines(*texts: str) -> str:
    return "\n".join(texts) + "\n"


def test_values_go_by_name_wherever_the_release_puts_them() -> None:
    moved = "mmx:t:HEADER:version:reserved:reserved:new:text:name:size:"
    parsed = read(lines(moved, "mmx:t:0:1:::n:b:a:1:"))
    assert (parsed.model, parsed.ok, parsed.notes) == ([("a", "1", "b")], True, ())


def test_a_column_that_the_release_does_not_have_is_empty() -> None:
    assert read(lines(HEADER, ROW), columns=("name", "later")).model == [("a", "")]
    assert read(lines(HEADER, ROW), columns=("name",)).model == [("a",)]


@pytest.mark.parametrize("row", ["mmx:t:0:1:::a:1:b", "mmx:t:0:1:::a:1:b:", "mmx:t:0:1:::a:1:b::::"])
def test_colons_at_the_end_do_not_matter(row: str) -> None:
    parsed = read(lines(HEADER, row))
    assert (parsed.model, parsed.notes) == ([("a", "1", "b")], ())
    assert read(lines(HEADER.rstrip(":"), row)).model == [("a", "1", "b")]
    assert read(lines(HEADER + " ", row)).model == [("a", "1", "b")]


@pytest.mark.parametrize(("row", "values"), [("mmx:t:0:1:::a:1:", ("a", "1", "")), ("mmx:t:0:1:::a", ("a", "", ""))])
def test_a_short_row_is_filled_up(row: str, values: tuple[str, ...]) -> None:
    assert read(lines(HEADER, row)).model == [values]


def test_a_long_row_keeps_its_surplus_apart() -> None:
    parsed = read(lines(HEADER, "mmx:t:0:1:::a:1:b:c:d:"))
    assert parsed.model == [("a", "1", "b")]
    assert [(note.line, note.text) for note in parsed.notes] == [(2, "more fields than the header names: c:d")]
    strict = read(lines(HEADER, "mmx:t:0:1:::a:1:b:c:d:"), exact=True)
    assert (strict.model, [problem.line for problem in strict.problems]) == ([], [2])


def test_values_are_decoded_after_the_split() -> None:
    row = "mmx:t:0:1:::%2Fibm%2FFS1%3A1:%2D%2D:100%25 %zz %:"
    assert read(lines(HEADER, row)).model == [("/ibm/FS1:1", "--", "100% %zz %")]


def test_tables_may_interleave_and_headers_repeat() -> None:
    other = "mmx:u:HEADER:version:reserved:reserved:x:"
    second = "mmx:t:HEADER:version:reserved:reserved:size:name:"
    parsed = read(lines(HEADER, other, ROW, "mmx:u:0:1:::1:", ROW, second, "mmx:t:0:1:::2:c:"))
    assert parsed.model == [("a", "1", "b"), ("a", "1", "b"), ("c", "2", "")]
    assert [note.line for note in parsed.notes] == [4]  # a row of a table that nobody asked for


def test_a_table_without_rows_is_no_problem() -> None:
    assert read(lines(HEADER)) == Parsed([], (), ())


@pytest.mark.parametrize(
    "glued",
    [
        ROW.rstrip(":") + "mmx:t:0:1:::c:2:d:",  # stuck to the last value
        ROW + "mmx:t:0:1:::c:2:d:",
        "mmx:t:0:1:::a:1:bmmx:t:0:1:::c:2:d",
    ],
)
def test_glued_records_are_told_apart(glued: str) -> None:
    parsed = read(lines(HEADER, glued, "mmx:t:0:1:::e:3:f:"))
    assert parsed.model == [("a", "1", "b"), ("c", "2", "d"), ("e", "3", "f")]
    assert parsed.ok


def test_glued_records_that_have_the_length_of_one_are_told_apart() -> None:
    wide = "mmx:t:HEADER:version:reserved:reserved:name:size:text:a:b:c:d:e:f:g:"
    parsed = read(lines(wide, "mmx:t:0:1:::a:1:bmmx:t:0:1:::c:2:"))
    assert [row[0] for row in parsed.model] == ["a", "c"]


def test_a_value_broken_by_a_newline_loses_its_rest_as_a_note() -> None:
    parsed = read(lines(HEADER, "mmx:t:0:1:::a:1", "more of it:b:", ROW))
    assert parsed.model == [("a", "1", ""), ("a", "1", "b")]
    assert [(note.line, note.text) for note in parsed.notes] == [(3, "more of it:b:")]


def test_text_in_between_is_kept() -> None:
    parsed = read(lines("*** Report on gpfs1", HEADER, "mmx: 6027-1 [W] slow", "", ROW, "mmother:t:0:1:::a:"))
    assert parsed.model == [("a", "1", "b")]
    assert [note.line for note in parsed.notes] == [1, 3, 6]


@pytest.mark.parametrize("row", ["mmx:t", "mmx:invalid", "mmx:t:1:1:::a:", "mmx:t:0:1:", "mmx:"])
def test_what_is_no_whole_record_is_told(row: str) -> None:
    assert [problem.line for problem in read(lines(HEADER, row)).problems] == [2]


def test_a_row_before_its_header_is_told() -> None:
    parsed = read(lines(ROW, HEADER, ROW))
    assert (len(parsed.model), [problem.line for problem in parsed.problems]) == (1, [1])


def test_a_row_that_the_parser_refuses_is_told() -> None:
    parsed = read(lines(HEADER, ROW, "mmx:t:0:1::::1:b:", "mmx:t:0:1::::1:"))
    assert [(problem.line, problem.why) for problem in parsed.problems] == [(3, "no name"), (4, "no name")]


def test_times_with_colons_of_their_own_are_put_together() -> None:
    parsed = read(lines(HEADER, "mmx:t:0:1:::a:2025-12-31 12:13:53.5 EST:b:"))
    assert parsed.model == [("a", "2025-12-31 12:13:53.5 EST", "b")]
    assert parsed.notes == ()


@pytest.mark.parametrize(
    ("text", "machine"),
    [
        (HEADER, True),
        ("noise\r\n" + ROW, True),
        ("mmx: t:0:1:::", False),
        (" " + ROW, False),
        ("xmmx:t:0:1:::", False),
        ("mmx:t:0", False),
        ("mmxy:t:0:1:::", False),
    ],
)
def test_which_form_a_text_is(text: str, machine: bool) -> None:
    assert is_machine(text, "mmx") is machine


def rows_of(count: int) -> str:
    return lines(HEADER, *(f"mmx:t:0:1:::n{number}:1:b:" for number in range(count)))


def steps_taken(steps: Iterator[None]) -> int:
    return sum(1 for _ in steps)


@pytest.mark.parametrize("name", sorted(parsers.STEPS))
def test_every_parser_works_in_slices(name: str) -> None:
    text = "\n" * (BLOCK * 8)
    assert steps_taken(parsers.steps((name,), text)) == 8


@pytest.mark.parametrize(("command", "name"), [("mmlsdisk", "mmlsdisk_y_50"), ("mmdf", "mmdf_after")])
def test_slices_return_what_the_whole_does(command: str, name: str) -> None:
    text = told(name) + "\n" * BLOCK
    steps = parsers.steps((command,), text)
    next(steps)
    assert finish(steps) == parsers.parse((command,), text)
    assert parsers.parse((command,), text).ok


def test_ten_thousand_rows() -> None:
    parsed = read(rows_of(10_000))
    assert (len(parsed.model), parsed.ok) == (10_000, True)
