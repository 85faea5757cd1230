"""The lines of a grid as pieces of text with a style name: a gutter, then the cells.

With every style removed the gutter still tells the cursor, a mark, the severity and a change; the header tells the
chosen column (in brackets) and the order (an arrow).
"""

from __future__ import annotations

import msgspec

from remote.text import one_line
from screens.widgets.grid_view import GridView, title_width
from screens.widgets.render import fit, shrunk
from supervision.tables import Severity

GUTTER = 6
GAP = 2
WIDEST = 44
"""Cells of the widest column; the whole text is in the detail."""
STILL = 24
"""Cells that are left of a column when others do not fit beside it."""
STYLES = {Severity.NORMAL: "", Severity.NOTE: "note", Severity.WARNING: "warning", Severity.BAD: "bad"}

FIXED_PIECES = 3
"""The gutter, the first cell and the gap after it do not scroll sideways."""

Piece = tuple[str, str]
"""A text and the name of its style; an empty name is the widget's own."""


class Layout(msgspec.Struct, frozen=True):
    """The columns that are drawn (indexes into the table's), their widths, and where each begins.

    The first column stays in sight when the others are scrolled: it says which row it is.
    """

    columns: tuple[int, ...] = ()
    widths: tuple[int, ...] = ()
    starts: tuple[int, ...] = ()
    width: int = GUTTER

    @property
    def fixed(self) -> int:
        """The cells of the part that does not scroll sideways."""
        return GUTTER + self.widths[0] + GAP if self.widths else GUTTER

    def place_at(self, x: int) -> int | None:
        """The place of the column that stands at cell `x` of the whole line."""
        for place, (start, width) in enumerate(zip(self.starts, self.widths, strict=True)):
            if start <= x < start + width + 1:
                return place
        return None


def lay_out(view: GridView, room: int, *, wide: bool | None) -> Layout:
    """The layout for `room` cells: with all columns, without those for wide terminals, or with those that fit."""
    widths = {
        index: max(title_width(column), min(WIDEST, view.widths[index]))
        for index, column in enumerate(view.table.columns)
    }
    left = room - GUTTER + 1
    shown = [(index, column) for index, column in enumerate(view.table.columns) if column.only != "file"]
    if not wide:
        # a name of eighty letters must not push everything else off; with all columns wanted, it may have its room
        always = [index for index, column in shown if not column.wide]
        least = [min(widths[index], max(STILL, title_width(view.table.columns[index]))) for index in always]
        fitting = shrunk([widths[index] for index in always], least, left - GAP * len(always))
        widths.update(zip(always, fitting, strict=True))
    if wide is None:
        left -= sum(widths[index] + GAP for index, column in shown if not column.wide)
    columns, starts, x = [], [], GUTTER
    for index, column in shown:
        if column.wide and wide is None:
            if left < widths[index] + GAP:
                continue
            left -= widths[index] + GAP
        elif column.wide and not wide:
            continue
        columns.append(index)
        starts.append(x)
        x += widths[index] + GAP
    return Layout(tuple(columns), tuple(widths[i] for i in columns), tuple(starts), max(GUTTER, x - GAP + 1))


def header_pieces(view: GridView, layout: Layout, chosen: int) -> list[Piece]:
    """The header; the chosen column is in brackets."""
    pieces: list[Piece] = [(" " * (GUTTER - 1) + ("[" if chosen == 0 else " "), "header")]
    for place, (index, width) in enumerate(zip(layout.columns, layout.widths, strict=True)):
        column = view.table.columns[index]
        arrow = ("▼" if view.descending else "▲") if column.id == view.sort_by else ""
        title = fit(one_line(column.title) + arrow, width, right=column.right)
        pieces.append((title, "chosen" if place == chosen else "header"))
        after = "]" if place == chosen else " "
        pieces.append((after + ("[" if place + 1 == chosen else " "), "header"))
    return pieces


def row_pieces(view: GridView, layout: Layout, index: int, chosen: int, *, focused: bool) -> list[Piece]:
    """The line of the row that is shown at `index`."""
    number = view.shown[index]
    row = view.table.rows[number]
    change, at_cursor, marked = view.changes.get(row.key), index == view.cursor, row.key in view.marks
    style = STYLES[row.severity]
    if at_cursor:
        style = "cursor" if focused else "resting"
    gutter = (
        f"{'>' if at_cursor else ' '}{'*' if marked else ' '}{row.severity.sign:<2}{change.sign if change else ' '} "
    )
    pieces: list[Piece] = [(gutter, "marked" if marked and not at_cursor else style)]
    for place, (index_, width) in enumerate(zip(layout.columns, layout.widths, strict=True)):
        column = view.table.columns[index_]
        cell_style = style
        if at_cursor and focused and place == chosen:
            cell_style = "cell"
        elif not at_cursor and change and (change.new or column.id in change.before):
            cell_style = "changed"
        elif not at_cursor and marked and place == 0:
            cell_style = "marked"
        pieces += [(fit(view.texts[index_][number], width, right=column.right), cell_style), (" " * GAP, style)]
    return pieces
