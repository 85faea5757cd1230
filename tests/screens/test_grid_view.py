"""What a grid shows: order, filter, marks, changes; without a terminal."""

from __future__ import annotations

import pytest

from screens.widgets.grid_filter import FilterError, read_filter
from screens.widgets.grid_lines import lay_out, row_pieces
from screens.widgets.grid_view import CHANGED_SECONDS, GridView
from supervision.tables import Cell, Column, Row, Severity, Table
from tests.screens.grids import COLUMNS, disk, disks


def view_of(table: Table) -> GridView:
    view = GridView()
    view.set_table(table, 0.0)
    return view


def keys(view: GridView) -> list[str]:
    return [view.table.rows[number].key for number in view.shown]


def line(view: GridView, index: int) -> str:
    laid = lay_out(view, 200, wide=None)
    return "".join(text for text, _style in row_pieces(view, laid, index, 0, focused=True))


def test_an_order_goes_up_then_down_then_as_it_came() -> None:
    view = view_of(disks(4))
    view.sort_next("free")
    assert keys(view) == ["nsd0", "nsd3", "nsd1", "nsd2"]
    view.sort_next("free")
    assert keys(view) == ["nsd1", "nsd3", "nsd0", "nsd2"], "what is unknown is last in either direction"
    view.sort_next("free")
    assert keys(view) == ["nsd0", "nsd1", "nsd2", "nsd3"]


def test_numbers_come_before_words_in_either_direction() -> None:
    values: list[float | str | None] = [2.0, "unknown", 1.0, None]
    rows = tuple(Row(str(n), (Cell("x" if v is not None else "", v),)) for n, v in enumerate(values))
    view = view_of(Table((Column("a", "A"),), rows))
    view.sort_next("a")
    assert keys(view) == ["2", "0", "1", "3"]
    view.sort_next("a")
    assert keys(view) == ["0", "2", "1", "3"]


def test_cursor_and_marks_stay_on_their_rows_when_the_order_changes() -> None:
    view = view_of(disks(8))
    view.cursor = 5
    view.toggle_mark()
    view.sort_next("free")
    view.filter = read_filter("!ready")
    view.arrange()
    assert view.row
    assert view.row.key == "nsd5"
    assert [view.table.rows[number].key for number in view.marked] == ["nsd5"]


def test_cursor_goes_to_a_neighbour_when_its_row_goes() -> None:
    view = view_of(disks(8))
    view.cursor = 5
    view.toggle_mark()
    view.set_table(Table(COLUMNS, tuple(disk(n) for n in range(8) if n != 5), at=2.0), 1.0)
    assert view.row
    assert view.row.key == "nsd6"
    assert not view.marks
    assert view.gone == ("nsd5",)
    view.set_table(Table(COLUMNS, (), at=3.0), 1.0)
    assert view.row is None


def test_changes_are_marked_for_a_while() -> None:
    view = view_of(disks(3))
    assert not view.changes, "the first look changes nothing"
    changed = disk(1, status="suspended")
    view.set_table(Table(COLUMNS, (disk(0), changed, disk(2), disk(3)), at=2.0), 10.0)
    assert view.changes["nsd1"].before == {"status": "emptied"}
    assert view.changes["nsd3"].new
    assert [line(view, index)[4] for index in range(4)] == [" ", "~", " ", "+"]
    assert not view.forget_changes(10.0)
    assert view.forget_changes(10.0 + CHANGED_SECONDS)
    assert [line(view, index)[4] for index in range(4)] == [" "] * 4


def test_the_same_rows_asked_again_change_nothing_but_the_age() -> None:
    view = view_of(disks(3))
    assert not view.set_table(Table(COLUMNS, disks(3).rows, at=9.0, failure="lost"), 1.0)
    assert (view.table.at, view.table.failure) == (9.0, "lost")


def test_any_two_states_of_a_row_differ_in_text() -> None:
    seen = set()
    for severity in Severity:
        for at_cursor in (False, True):
            for marked in (False, True):
                for changed in (False, True):
                    view = view_of(Table(COLUMNS, (disk(0, "x", 1.0, severity), disk(1, "x", 1.0, severity)), at=1.0))
                    after = disk(0, "y" if changed else "x", 1.0, severity)
                    view.set_table(Table(COLUMNS, (after, disk(1, "z", 1.0, severity)), at=2.0), 1.0)
                    view.cursor = 0 if at_cursor else 1
                    view.marks = {"nsd0"} if marked else set()
                    seen.add(line(view, 0)[:6])
    assert len(seen) == 4 * 2 * 2 * 2


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("", 4),
        ("!", 4),
        ("ready", 1),
        ("READY", 0),
        ("Ready", 0),
        ("!ready", 3),
        (r"nsd[12]\b.*(susp|emptied)", 2),
        (r"\!", 0),
        ("system$", 4),
    ],
)
def test_filters(typed: str, kept: int) -> None:
    view = view_of(disks(4))
    view.filter = read_filter(typed)
    view.arrange()
    assert len(view.shown) == kept


@pytest.mark.parametrize("typed", ["(", "[", "*", "!(", "a{2,1}", "a{99999999999999}", "(?P<", "\\"])
def test_bad_expressions_are_named(typed: str) -> None:
    with pytest.raises(FilterError, match=r"\w"):
        read_filter(typed)


def test_doubtful_expressions_are_not_warned_of() -> None:
    assert read_filter("[[a]").expression


def test_wide_columns_show_where_they_fit() -> None:
    view = view_of(disks(4))
    whole = lay_out(view, 200, wide=None)
    assert whole.columns == (0, 1, 2, 3)
    assert lay_out(view, whole.width, wide=None) == whole
    assert lay_out(view, whole.width - 1, wide=None).columns == (0, 1, 2)
    assert lay_out(view, 200, wide=False).columns == (0, 1, 2)
    assert lay_out(view, 10, wide=True).columns == (0, 1, 2, 3)


def test_a_long_name_leaves_the_others_in_sight_until_all_is_wanted() -> None:
    columns = (Column("at", "At"), Column("host", "Host"), Column("command", "Command"))
    view = view_of(Table(columns, (Row("a", (Cell("12:00:00"), Cell("h" * 80), Cell("mmlsdisk mss1 -L"))),)))
    laid = lay_out(view, 59, wide=None)
    assert laid.widths == (8, 24, 16)
    assert laid.width <= 59
    assert lay_out(view, 30, wide=None).widths == (8, 24, 16), "what is cut further says nothing"
    assert lay_out(view, 59, wide=True).widths == (8, 44, 16)
    assert lay_out(view, 200, wide=None).widths == (8, 44, 16)


def test_all_or_none_are_marked() -> None:
    view = view_of(disks(4))
    view.only_problems = True
    view.arrange()
    view.mark_all()
    assert view.marks == {"nsd2", "nsd3"}
    view.mark_all()
    assert not view.marks


def test_what_is_saved_is_what_is_shown() -> None:
    table = Table(COLUMNS, (disk(0), disk(1, "bad\x1b[2J\u202eword", None), disk(2)), at=1.0)
    view = view_of(table)
    view.filter = read_filter("!suspended")
    view.sort_next("nsd")
    view.sort_next("nsd")
    shown = view.as_shown()
    assert [row.key for row in shown.rows] == ["nsd1", "nsd0"]
    assert shown.rows[0].cells[1].text == "bad\ufffd[2J\ufffdword"
    assert shown.columns == COLUMNS
