"""Small tables as lines: what a narrow terminal still shows of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from screens.widgets.render import fit_middle, shrunk, small_table
from supervision.tables import Cell, Column, Row, Severity, Table

NODES = Table(
    (
        Column("nodes", "nodes"),
        Column("count", "n", right=True),
        Column("daemon", "daemon"),
        Column("empty", "empty"),
        Column("trouble", "trouble"),
        Column("shared", "shared", wide=True),
    ),
    (
        Row("a", tuple(map(Cell, ("nsd[01-16],cl[01-99]", "115", "down", "", "connection refused", "x" * 30)))),
        Row("b", tuple(map(Cell, ("adm01", "1", "active", "", "", ""))), Severity.BAD),
    ),
)


def test_where_all_fits_all_is_shown_but_a_column_that_says_nothing() -> None:
    assert [line.plain for line in small_table(NODES, 120)] == [
        "   nodes                   n  daemon  trouble             shared",
        "   nsd[01-16],cl[01-99]  115  down    connection refused  " + "x" * 30,
        "!! adm01                   1  active",
    ]


def test_columns_for_wide_terminals_go_first_then_the_widest_texts_are_shortened() -> None:
    whole = "   nsd[01-16],cl[01-99]  115  down    connection refused"
    assert [line.plain for line in small_table(NODES, len(whole))][1] == whole
    assert [line.plain for line in small_table(NODES, 46)] == [
        "   nodes             n  daemon  trouble",
        "   nsd[01-…01-99]  115  down    connection re…",
        "!! adm01             1  active",
    ]


def test_nothing_is_shortened_to_nothing() -> None:
    assert [line.plain for line in small_table(NODES, 31)] == [
        "   nodes     n  daemon  trouble",
        "   nsd…9]  115  down    connec…",
        "!! adm01     1  active",
    ]
    assert all(cell_len(line.plain) <= 20 for line in small_table(NODES, 20))


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [("nsd[01-16]", 10, "nsd[01-16]"), ("nsd[01-16]", 7, "nsd…16]"), ("nsd[01-16]", 2, "n…"), ("ab", 4, "ab  ")],
)
def test_a_list_of_names_loses_its_middle(text: str, width: int, shown: str) -> None:
    assert fit_middle(text, width) == shown


@given(st.text(st.characters(exclude_categories=("C", "M")), max_size=30), st.integers(0, 30))
def test_a_shortened_text_has_the_width_that_was_asked_for(text: str, width: int) -> None:
    assert cell_len(fit_middle(text, width)) == width


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=8), st.integers(0, 200))
def test_widths_shrink_to_the_room_and_no_further(columns: list[tuple[int, int]], room: int) -> None:
    widths, least = [width for width, _ in columns], [min(pair) for pair in columns]
    out = shrunk(widths, least, room)
    assert all(low <= new <= old for low, new, old in zip(least, out, widths, strict=True))
    assert sum(out) == min(sum(widths), max(room, sum(least)))
    given_way = [new for new, old, low in zip(out, widths, least, strict=True) if low < new < old]
    assert not given_way or max(given_way) - min(given_way) <= 1, "as wide as each other, but for what cannot be shared"
