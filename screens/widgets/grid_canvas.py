"""Drawing a table of any length: widths in one pass, and only the lines in sight; what was drawn is kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from remote.text import one_line
from screens.widgets.grid_lines import FIXED_PIECES, Layout, Piece, header_pieces, lay_out, row_pieces
from screens.widgets.grid_view import CHANGED_SECONDS, GridView
from supervision.tables import Row, Table

STRIPS = 1000
"""Lines that are kept drawn."""


class GridCanvas(ScrollView, can_focus=True, inherit_bindings=False):
    """A table with a cursor that is followed; keys and mouse are the Grid's."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    GridCanvas { height: 1fr; scrollbar-size-horizontal: 0; scrollbar-size-vertical: 1; }
    GridCanvas > .grid--header { text-style: bold; background: $panel; }
    GridCanvas > .grid--chosen { text-style: bold underline; background: $panel; }
    GridCanvas > .grid--cursor { text-style: reverse; }
    GridCanvas > .grid--cell { text-style: reverse bold underline; }
    GridCanvas > .grid--resting { text-style: bold; background: $panel; }
    GridCanvas > .grid--marked { text-style: bold; color: $text-primary; }
    GridCanvas > .grid--changed { text-style: bold italic; }
    GridCanvas > .grid--note { color: $text-muted; }
    GridCanvas > .grid--warning { color: $text-warning; }
    GridCanvas > .grid--bad { text-style: bold; color: $text-error; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"grid--{name}"
        for name in ("header", "chosen", "cursor", "cell", "resting", "marked", "changed", "note", "warning", "bad")
    }

    class Moved(Message):
        """The cursor stands on another row, or its row has changed; `row` is None where there is none."""

        def __init__(self, grid: GridCanvas) -> None:
            super().__init__()
            self.grid = grid

        @property
        def control(self) -> GridCanvas:
            """The grid."""
            return self.grid

        def can_replace(self, message: Message) -> bool:
            """One of these is as good as many."""
            return isinstance(message, GridCanvas.Moved) and message.grid is self.grid

    def __init__(
        self,
        *,
        name: str = "table",
        empty: str = "nothing is known yet",
        now: Callable[[], float] = time.monotonic,
        id: str | None = None,  # noqa: A002
    ) -> None:
        """`name` begins the name of an exported file; `now` (s) dates changes."""
        super().__init__(id=id)
        self.file_name = name
        self.view = GridView()
        self.keep_filter_on_escape = False
        self._empty = empty
        self._now = now
        self.laid = Layout()
        self.chosen = 0
        self.wide: bool | None = None
        self._strips: dict[tuple[int, bool, bool], tuple[Strip, Strip]] = {}

    # what the screen asks and tells

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.view.row

    def set_table(self, table: Table) -> None:
        """Show a newer table; cursor, marks, scrolling, order and filter stay."""
        view = self.view
        before, top = view.cursor, self.scroll_offset.y
        was_empty, why = not view.shown, self._why_empty()
        if view.set_table(table, self._now()):
            if view.changes or view.gone:
                self.set_timer(CHANGED_SECONDS + 1, self._forget_changes)
            self.arranged(None if was_empty else top + view.cursor - before)
        elif was_empty and why != self._why_empty():
            self.redraw()

    @property
    def chosen_column(self) -> str:
        """The id of the chosen column; "" where there is none."""
        columns = self.laid.columns
        return self.view.table.columns[columns[self.chosen]].id if columns else ""

    @property
    def beside_sight(self) -> str:
        """How many columns are in sight of how many that are drawn, and where the others are."""
        layout, x, width = self.laid, self.scroll_offset.x, self.room.width
        if layout.width <= width:
            return ""
        inside = [
            start >= layout.fixed + x and start + wide <= x + width
            for start, wide in zip(layout.starts[1:], layout.widths[1:], strict=True)
        ]
        arrows = "←" * bool(x) + "→" * (x + width < layout.width)
        return f"{1 + sum(inside)} of {len(layout.columns)} columns {arrows}"

    @property
    def summary(self) -> list[str]:
        """How many rows are shown of how many, and why not all; what is marked, gone, and out of sight."""
        view = self.view
        total, shown, words = len(view.table.rows), len(view.shown), []
        words.append(f"{shown:,} of {total:,} rows" if shown != total else f"{total:,} rows")
        if view.filter.typed:
            why = f": {view.unfiltered}" if view.unfiltered else ""
            words.append(f"filter {view.filter.typed}{why}")
        if view.only_problems:
            words.append("problems only")
        if view.marks:
            words.append(f"{len(view.marks):,} marked")
        if view.gone:
            words.append(f"gone: {', '.join(view.gone[:3])}{' …' if len(view.gone) > 3 else ''}")
        return words

    @property
    def hidden_columns(self) -> str:
        """How many columns there is no room for, and the key that shows them."""
        hidden = self.view.columns - len(self.laid.columns)
        return f"+{hidden} column{'s' if hidden > 1 else ''}: w" if hidden else ""

    # drawing

    @property
    def room(self) -> Size:
        """What is left for lines beside the scrollbar."""
        return self.scrollable_content_region.size

    def on_mount(self) -> None:
        self.arranged(None)

    def on_resize(self, _event: events.Resize) -> None:
        self.arranged(self.scroll_offset.y)

    def notify_style_update(self) -> None:
        """Another theme: nothing that is drawn holds any more."""
        super().notify_style_update()
        self._strips.clear()

    def arranged(self, top: int | None) -> None:
        """The rows, the columns or the room for them have changed; `top` is the row to begin with, if any."""
        self.laid = lay_out(self.view, self.room.width, wide=self.wide)
        self.chosen = max(0, min(self.chosen, len(self.laid.columns) - 1))
        self.virtual_size = Size(self.laid.width, len(self.view.shown) + 1)
        if top is not None:
            self.scroll_to(y=max(0, top), animate=False, force=True)
        self.follow_cursor()
        self.redraw()
        self.post_message(self.Moved(self))

    def redraw(self) -> None:
        """Draw every line anew."""
        self._strips.clear()
        self.refresh()

    def follow_cursor(self) -> None:
        """Scroll as little as brings the cursor into sight."""
        height, top = self.room.height - 1, self.scroll_offset.y
        if height < 1:
            return
        cursor = self.view.cursor
        wanted = min(cursor, max(top, cursor - height + 1))
        if wanted != top:
            self.scroll_to(y=wanted, animate=False, force=True)

    def render_line(self, y: int) -> Strip:
        """The header, then the rows that are in sight."""
        if y == 0:
            return self._header()
        index = self.scroll_offset.y + y - 1
        if index < len(self.view.shown):
            fixed, rest = self._row_strips(index)
            return self._placed(fixed, rest, "")
        if y == 1 and not self.view.shown:
            return self._strip([(f"   {self._why_empty()}", "note")]).adjust_cell_length(
                self.room.width, self.rich_style
            )
        return Strip.blank(self.room.width, self.rich_style)

    def _header(self) -> Strip:
        """The titles; `‹` and `›` where there are more columns than are in sight."""
        pieces = header_pieces(self.view, self.laid, self.chosen)
        line = self._placed(self._strip(pieces[:FIXED_PIECES]), self._strip(pieces[FIXED_PIECES:]), "header")
        width, x = self.room.width, self.scroll_offset.x
        style = self.rich_style + self._style("header")
        if x:
            at = self.laid.fixed - 1
            line = Strip.join([line.crop(0, at), Strip([Segment("‹", style)]), line.crop(at + 1)])
        if x + width < self.laid.width:
            line = Strip.join([line.crop(0, width - 1), Strip([Segment("›", style)])])
        return line

    def _why_empty(self) -> str:
        if self.view.table.rows:
            why = [f"fits {one_line(self.view.filter.typed)} (esc clears it)"] if self.view.filter.typed else []
            why += ["has a problem (p shows all)"] if self.view.only_problems else []
            return f"no row {' and '.join(why)}"
        table = self.view.table
        return table.absent or table.failure or (self._empty if table.at is None else "there are none")

    def _row_strips(self, index: int) -> tuple[Strip, Strip]:
        key = (index, index == self.view.cursor, self.has_focus)
        held = self._strips.get(key)
        if held is None:
            pieces = row_pieces(self.view, self.laid, index, self.chosen, focused=self.has_focus)
            held = self._strip(pieces[:FIXED_PIECES]), self._strip(pieces[FIXED_PIECES:])
            if len(self._strips) >= STRIPS:
                self._strips.clear()
            self._strips[key] = held
        return held

    def _strip(self, pieces: list[Piece]) -> Strip:
        base = self.rich_style
        return Strip([Segment(text, base + self._style(name)) for text, name in pieces])

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"grid--{name}", partial=True) if name else Style.null()

    def _placed(self, fixed: Strip, rest: Strip, fill: str) -> Strip:
        """A line as wide as the widget, its second part scrolled sideways."""
        width, x = self.room.width, self.scroll_offset.x
        style = self.rich_style + self._style(fill)
        room = max(0, width - fixed.cell_length)
        line = Strip.join([fixed, rest.crop_extend(x, x + room, style)])
        return line.adjust_cell_length(width, style)

    def _forget_changes(self) -> None:
        if self.view.forget_changes(self._now()):
            self.redraw()
            self.post_message(self.Moved(self))
