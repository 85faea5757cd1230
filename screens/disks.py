"""The disks: one table of all that is known of them, with sums by what they hold and where."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from rich.text import Text
from textual.binding import Binding, BindingType

from screens.widgets.grid_screen import GridScreen
from screens.widgets.render import bar, plain, small_table
from supervision.clocktext import age_text
from supervision.state import State
from supervision.tables import Cell, Column, Row, Table

BAR = 6
"""Cells of a bar, which has eight steps in each: 80 cells show the pool beside it."""
Widened: TypeAlias = dict[str, tuple[Row, Row]]
"""Rows as they were told, and with their bar, by their keys."""


class DisksScreen(GridScreen):
    """Which disk is where, holds what, in which state, and how full it is."""

    NAME = "disks"
    HELP_TEXT = (
        "Every disk with its status, what it holds, its size and free space. Columns that did not fit: w. What has "
        "changed since the last look has ~ before it (+ is new); enter shows one disk closely, t the sums over all."
    )
    BINDINGS: ClassVar[list[BindingType]] = [Binding("t", "totals", "totals", id="disks.totals")]

    _told: Table = Table(())
    _made: Table = Table(())
    _widened: Widened | None = None

    def table(self, state: State) -> Table:
        """The disks, with a bar of how full each is."""
        told = self.session.fs.disks(state)
        before, self._told = self._told, told
        if told.columns != before.columns:
            self._widened = {}
        elif told.rows is before.rows:  # asked again, and nothing is another
            self._made = Table(self._made.columns, self._made.rows, told.at, told.failure)
            return self._made
        self._made = with_bars(told, self._widened)
        return self._made

    def totals(self, state: State) -> list[Text]:
        """Sums over the disks; nothing where none are known."""
        totals = self.session.fs.totals(state)
        if totals.absent:
            return [plain(f" {totals.absent}", "dim")]
        if not totals.rows:
            return []
        head = plain(f" Totals  asked {age_text(totals.at, self.session.now)} ago", "bold")
        return [head, *small_table(totals, self.side_width)]

    def remarks(self, state: State) -> list[str]:
        """How old the figures of space are, which are asked for less often, and what asking for them costs."""
        totals = self.session.fs.totals(state)
        return [] if totals.absent else [self.age("space", totals.at, "R"), totals.cost]

    def action_totals(self) -> None:
        """Show the sums, or hide them."""
        self.totals_wanted = not self.query_one("#totals").has_class("-shown")
        self.show_state()


def with_bars(table: Table, made: Widened | None = None) -> Table:
    """The table with a column that draws how full each disk is, beside the percentage that is free.

    `made` keeps the rows, by their keys, for the next table of the same columns: a row that is told again is not made
    again.
    """
    free = next((index for index, column in enumerate(table.columns) if column.id == "free"), None)
    if free is None or table.columns[free].unit != "percent":
        return table
    at = free + 1
    bars = {eighth: bar(eighth / 8 / BAR, BAR) for eighth in range(BAR * 8 + 1)}

    def widened(row: Row) -> Row:
        cells, left = row.cells, row.cells[free].value
        # a tuple of types: of a union the same question takes twice as long, and there are ten thousand rows
        if isinstance(left, (int, float)):
            used = max(0.0, min(1.0, 1 - left / 100))
            cell = Cell(bars[round(used * BAR * 8)], used)
        else:
            cell = Cell("")
        return Row(row.key, cells[:at] + (cell,) + cells[at:], row.severity, row.detail)  # noqa: RUF005

    before, rows = dict(made or {}), []
    now = {} if made is None else made
    now.clear()
    for row in table.rows:
        pair = before.get(row.key)
        if pair is None or pair[0] is not row:
            pair = (row, widened(row))
        now[row.key] = pair
        rows.append(pair[1])
    columns = (*table.columns[:at], Column("full", "used", only="screen"), *table.columns[at:])
    return Table(columns, tuple(rows), table.at, table.failure)
