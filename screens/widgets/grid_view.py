"""What a grid shows of a table: which rows in which order, the cursor, the marks, and what has changed.

No terminal in here. Everything is known by row key, so it outlives a refresh.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from rich.cells import cell_len

from remote.text import one_line
from screens.widgets.grid_filter import Filter, FilterError
from supervision.tables import Cell, Column, Row, Severity, Table

CHANGED_SECONDS = 120.0
"""How long a change stays marked: as long as the routine look at the disks takes to come round."""


class Change(msgspec.Struct, frozen=True):
    """What a row was before it changed: the texts by column id; a new row was nothing."""

    at: float
    before: dict[str, str]
    new: bool = False

    @property
    def sign(self) -> str:
        """The sign that stands for it in the gutter."""
        return "+" if self.new else "~"


class GridView:
    """The rows of a table as they are shown. `shown` holds their numbers in the table, `cursor` an index into it.

    `unfiltered` says why the filter could not be used: then every row is shown, for none may be missed.
    """

    def __init__(self) -> None:
        self.table = Table(())
        self.texts: list[list[str]] = []
        self.widths: list[int] = []
        self.shown: list[int] = []
        self.cursor = 0
        self.marks: set[str] = set()
        self.filter = Filter()
        self.unfiltered = ""
        self.only_problems = False
        self.sort_by = ""
        self.descending = False
        self.changes: dict[str, Change] = {}
        self.gone: tuple[str, ...] = ()
        self._gone_at = 0.0
        self._lines: list[str] | None = None

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.table.rows[self.shown[self.cursor]] if self.shown else None

    @property
    def columns(self) -> int:
        """How many columns there are to show."""
        return sum(column.only != "file" for column in self.table.columns)

    @property
    def marked(self) -> list[int]:
        """The shown rows that are marked, in their order."""
        return [number for number in self.shown if self.table.rows[number].key in self.marks]

    def set_table(self, table: Table, now: float) -> bool:
        """Take a newer table; False when its rows and columns are what they were. `now` dates the changes."""
        before = self.table
        same_columns = table.columns == before.columns
        if same_columns and _say_the_same(table.rows, before.rows):
            self.table = table
            return False
        old_texts = self.texts
        self.table = table
        self.texts, self.widths = safe_texts(table, before if same_columns else None, old_texts, self.widths)
        self._lines = None
        if not same_columns:
            self.changes, self.gone = {}, ()
        elif before.at is not None:
            self._note_changes(before, old_texts, now)
        keys = {row.key for row in table.rows}
        self.marks &= keys
        self.changes = {key: change for key, change in self.changes.items() if key in keys}
        self.arrange(self._cursor_key(before))
        return True

    def _cursor_key(self, table: Table) -> str | None:
        return table.rows[self.shown[self.cursor]].key if self.shown else None

    def _note_changes(self, before: Table, old_texts: Sequence[Sequence[str]], now: float) -> None:
        places = {row.key: place for place, row in enumerate(before.rows)}
        for number, row in enumerate(self.table.rows):
            place = places.pop(row.key, None)
            if place is None:
                self.changes[row.key] = Change(now, {}, new=True)
            elif row is not before.rows[place]:
                was = {
                    column.id: old_texts[index][place]
                    for index, column in enumerate(self.table.columns)
                    if old_texts[index][place] != self.texts[index][number]
                }
                if was or row.severity != before.rows[place].severity:
                    self.changes[row.key] = Change(now, was)
        if places:
            self.gone, self._gone_at = tuple(places), now

    def forget_changes(self, now: float) -> bool:
        """Forget what changed long ago; False when nothing was forgotten."""
        kept = {key: change for key, change in self.changes.items() if now - change.at < CHANGED_SECONDS}
        gone = self.gone if now - self._gone_at < CHANGED_SECONDS else ()
        forgot = len(kept) != len(self.changes) or gone != self.gone
        self.changes, self.gone = kept, gone
        return forgot

    def arrange(self, cursor_key: str | None = None) -> None:
        """Filter and sort again; the cursor stays on its row, or near where it was if that is not shown any more."""
        key = self._cursor_key(self.table) if cursor_key is None else cursor_key
        rows = self.table.rows
        shown: Sequence[int] = range(len(rows))
        self.unfiltered = ""
        if self.only_problems:
            shown = [number for number in shown if rows[number].severity >= Severity.WARNING]
        if self.filter.expression:
            try:
                shown = self.filter.kept(shown, self._search_lines())
            except FilterError as error:
                self.unfiltered = str(error)
        self.shown = self._sorted(shown)
        at = next((index for index, number in enumerate(self.shown) if rows[number].key == key), self.cursor)
        self.cursor = max(0, min(at, len(self.shown) - 1))

    def _search_lines(self) -> list[str]:
        if self._lines is None:
            self._lines = [" ".join(cells) for cells in zip(*self.texts, strict=True)]
        return self._lines

    def _sorted(self, shown: Sequence[int]) -> list[int]:
        """By the chosen column: numbers, then words, then what is unknown, in either direction.

        So a disk whose free space is not known is never the emptiest one nor the fullest.
        """
        index = next((i for i, column in enumerate(self.table.columns) if column.id == self.sort_by), None)
        if index is None:
            return list(shown)
        orders = [row.cells[index].order for row in self.table.rows]
        kinds: tuple[list[int], list[int], list[int]] = ([], [], [])
        for number in shown:
            kinds[orders[number][0]].append(number)
        for kind in kinds:
            kind.sort(key=orders.__getitem__, reverse=self.descending)
        return [*kinds[0], *kinds[1], *kinds[2]]

    def sort_next(self, column_id: str) -> None:
        """Sort by a column: upwards, then downwards, then as the table came."""
        if self.sort_by != column_id:
            self.sort_by, self.descending = column_id, False
        elif not self.descending:
            self.descending = True
        else:
            self.sort_by, self.descending = "", False
        self.arrange()

    def toggle_mark(self) -> None:
        """Mark the row under the cursor, or unmark it."""
        if self.row:
            self.marks ^= {self.row.key}

    def mark_all(self) -> None:
        """Mark every row that is shown, or unmark them when all are."""
        keys = {self.table.rows[number].key for number in self.shown}
        self.marks = self.marks - keys if keys <= self.marks else self.marks | keys

    def as_shown(self) -> Table:
        """The table as it is shown now: filtered and sorted, with all columns, every text safe."""
        rows = []
        for number in self.shown:
            row = self.table.rows[number]
            cells = tuple(Cell(texts[number], cell.value) for texts, cell in zip(self.texts, row.cells, strict=True))
            rows.append(msgspec.structs.replace(row, cells=cells))
        return msgspec.structs.replace(self.table, rows=tuple(rows))


def _say_the_same(rows: Sequence[Row], before: Sequence[Row]) -> bool:
    """Whether the lines of a table are what they were. Details are not compared: that would make all of them."""
    return rows is before or (
        len(rows) == len(before)
        and all(
            row is old or (row.key == old.key and row.severity == old.severity and row.cells == old.cells)
            for row, old in zip(rows, before, strict=True)
        )
    )


def safe_texts(
    table: Table, before: Table | None = None, texts: Sequence[list[str]] = (), widths: Sequence[int] = ()
) -> tuple[list[list[str]], list[int]]:
    """The texts of all cells by column, safe to show, and the width of the widest of each column.

    A column that is all printable ASCII, as nearly all are, is looked at as a whole: ten thousand rows cost
    milliseconds. With the table that was shown before, of the same columns, and what this returned for it, only
    columns that say something else are looked at.
    """
    same = before is not None and len(texts) == len(table.columns) and len(table.rows) == len(before.rows)
    pairs = zip(table.rows, before.rows, strict=True) if before and same else ()
    others = [(row.cells, old.cells) for row, old in pairs if row is not old]
    # all columns at once, which is faster, or the few that say something else
    cells = [] if same else list(zip(*[row.cells for row in table.rows], strict=False))
    columns, made = [], []
    for index in range(len(table.columns)):
        if same and all(now[index].text == old[index].text for now, old in others):
            column, width = texts[index], widths[index]
        elif cells:
            column, width = _safe_column([cell.text for cell in cells[index]])
        else:
            column, width = _safe_column([row.cells[index].text for row in table.rows])
        columns.append(column)
        made.append(width)
    return columns, made


def _safe_column(texts: list[str]) -> tuple[list[str], int]:
    whole = "".join(texts)
    if whole.isascii() and whole.isprintable():
        return texts, max(map(len, texts), default=0)
    # words and bars come again and again
    safe = {text: text if text.isascii() and text.isprintable() else one_line(text) for text in set(texts)}
    return [safe[text] for text in texts], max(map(cell_len, safe.values()), default=0)


def title_width(column: Column) -> int:
    """What a column's title needs, with room for the arrow of the order."""
    return cell_len(one_line(column.title)) + 1
