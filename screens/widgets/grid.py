"""A table on the screen: only the lines in sight are drawn, so ten thousand rows cost what a hundred do.

Stand it in a vertical container: its prompts open on the line beneath it. What it has to say goes to the message
line of its screen.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from screens.base import SessionScreen
from screens.widgets import clipboard, export
from screens.widgets.grid_filter import Filter, FilterError, read_filter
from screens.widgets.grid_lines import FIXED_PIECES, Layout, Piece, header_pieces, lay_out, row_pieces
from screens.widgets.grid_prompt import Prompt
from screens.widgets.grid_view import CHANGED_SECONDS, GridView
from supervision.tables import Row, Table

STRIPS = 1000
"""Lines that are kept drawn."""


class Grid(ScrollView, can_focus=True, inherit_bindings=False):
    """A table with a cursor, marks, an order and a filter, all of which outlive a refresh."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Grid { height: 1fr; scrollbar-size-horizontal: 0; scrollbar-size-vertical: 1; }
    Grid > .grid--header { text-style: bold; background: $boost; }
    Grid > .grid--chosen { text-style: bold underline; background: $boost; }
    Grid > .grid--cursor { text-style: reverse; }
    Grid > .grid--cell { text-style: reverse bold underline; }
    Grid > .grid--resting { text-style: bold; background: $boost; }
    Grid > .grid--marked { text-style: bold; color: $text-accent; }
    Grid > .grid--changed { text-style: bold italic; }
    Grid > .grid--note { color: $text-muted; }
    Grid > .grid--warning { color: $text-warning; }
    Grid > .grid--bad { text-style: bold; color: $text-error; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"grid--{name}"
        for name in ("header", "chosen", "cursor", "cell", "resting", "marked", "changed", "note", "warning", "bad")
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "detail", id="grid.open"),
        Binding("slash", "filter", "filter", id="grid.filter"),
        Binding("s", "sort", "sort", id="grid.sort"),
        Binding("p", "problems", "problems", id="grid.problems"),
        Binding("space", "mark", "mark", id="grid.mark"),
        Binding("y", "copy_cell", "copy", id="grid.copy"),
        Binding("e", "export", "export", id="grid.export"),
        Binding("w", "wide", "wide", id="grid.wide"),
        Binding("Y", "copy_rows", "copy rows", show=False, id="grid.copy_rows"),
        Binding("asterisk", "mark_all", "mark all", show=False, id="grid.mark_all"),
        Binding("escape", "clear_filter", "clear filter", show=False, id="grid.clear_filter"),
        Binding("up,k", "move(-1)", "up", show=False, id="grid.up"),
        Binding("down,j", "move(1)", "down", show=False, id="grid.down"),
        Binding("pageup", "page(-1)", "page up", show=False, id="grid.page_up"),
        Binding("pagedown", "page(1)", "page down", show=False, id="grid.page_down"),
        Binding("home,g", "move(-1_000_000_000)", "first row", show=False, id="grid.first"),
        Binding("end,G", "move(1_000_000_000)", "last row", show=False, id="grid.last"),
        Binding("left,h", "choose(-1)", "column to the left", show=False, id="grid.left"),
        Binding("right,l", "choose(1)", "column to the right", show=False, id="grid.right"),
    ]

    class Opened(Message):
        """A row is to be looked at closely."""

        def __init__(self, grid: Grid, key: str) -> None:
            super().__init__()
            self.grid = grid
            self.key = key

        @property
        def control(self) -> Grid:
            """The grid."""
            return self.grid

    class Moved(Message):
        """The cursor stands on another row, or its row has changed; `row` is None where there is none."""

        def __init__(self, grid: Grid) -> None:
            super().__init__()
            self.grid = grid

        @property
        def control(self) -> Grid:
            """The grid."""
            return self.grid

        def can_replace(self, message: Message) -> bool:
            """One of these is as good as many."""
            return isinstance(message, Grid.Moved) and message.grid is self.grid

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
        self._layout = Layout()
        self._chosen = 0
        self._wide: bool | None = None
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
        was_empty = not view.shown
        if view.set_table(table, self._now()):
            if view.changes:
                self.set_timer(CHANGED_SECONDS + 1, self._forget_changes)
            self._arranged(None if was_empty else top + view.cursor - before)
        elif not view.shown:
            self._redraw()

    @property
    def summary(self) -> str:
        """How many rows are shown of how many, and why not all; what is marked, and what is gone."""
        view = self.view
        total, shown, words = len(view.table.rows), len(view.shown), []
        words.append(f"{shown:,} of {total:,} rows" if shown != total else f"{total:,} rows")
        if view.filter.typed:
            words.append(f"filter {view.filter.typed}")
        if view.only_problems:
            words.append("problems only")
        if view.marks:
            words.append(f"{len(view.marks):,} marked")
        if view.gone:
            words.append(f"gone: {', '.join(view.gone[:3])}{' …' if len(view.gone) > 3 else ''}")
        return "  ".join(words)

    # drawing

    def on_mount(self) -> None:
        self._arranged(None)

    def on_resize(self, _event: events.Resize) -> None:
        self._arranged(self.scroll_offset.y)

    def notify_style_update(self) -> None:
        """Another theme: nothing that is drawn holds any more."""
        super().notify_style_update()
        self._strips.clear()

    def _arranged(self, top: int | None) -> None:
        """The rows, the columns or the room for them have changed; `top` is the row to begin with, if any."""
        self._layout = lay_out(self.view, wide=True)
        if not (self._layout.width <= self.size.width if self._wide is None else self._wide):
            self._layout = lay_out(self.view, wide=False)
        self._chosen = max(0, min(self._chosen, len(self._layout.columns) - 1))
        self.virtual_size = Size(self._layout.width, len(self.view.shown) + 1)
        if top is not None:
            self.scroll_to(y=max(0, top), animate=False, force=True)
        self._follow_cursor()
        self._redraw()
        self.post_message(self.Moved(self))

    def _redraw(self) -> None:
        self._strips.clear()
        self.refresh()

    def _follow_cursor(self) -> None:
        height, top = self.size.height - 1, self.scroll_offset.y
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
                self.size.width, self.rich_style
            )
        return Strip.blank(self.size.width, self.rich_style)

    def _header(self) -> Strip:
        """The titles; `‹` and `›` where there are more columns than are in sight."""
        pieces = header_pieces(self.view, self._layout, self._chosen)
        line = self._placed(self._strip(pieces[:FIXED_PIECES]), self._strip(pieces[FIXED_PIECES:]), "header")
        width, x = self.size.width, self.scroll_offset.x
        style = self.rich_style + self._style("header")
        if x:
            at = self._layout.fixed - 1
            line = Strip.join([line.crop(0, at), Strip([Segment("‹", style)]), line.crop(at + 1)])
        if x + width < self._layout.width:
            line = Strip.join([line.crop(0, width - 1), Strip([Segment("›", style)])])
        return line

    def _why_empty(self) -> str:
        if self.view.table.rows:
            return "no row is shown: esc clears the filter, p shows all" if self.view.only_problems else "no row fits"
        return self.view.table.failure or (self._empty if self.view.table.at is None else "there are none")

    def _row_strips(self, index: int) -> tuple[Strip, Strip]:
        key = (index, index == self.view.cursor, self.has_focus)
        held = self._strips.get(key)
        if held is None:
            pieces = row_pieces(self.view, self._layout, index, self._chosen, focused=self.has_focus)
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
        width, x = self.size.width, self.scroll_offset.x
        style = self.rich_style + self._style(fill)
        room = max(0, width - fixed.cell_length)
        line = Strip.join([fixed, rest.crop_extend(x, x + room, style)])
        return line.adjust_cell_length(width, style)

    def _forget_changes(self) -> None:
        if self.view.forget_changes(self._now()):
            self._redraw()

    # keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape is the grid's only while there is a filter to clear."""
        if action == "clear_filter":
            return bool(self.view.filter.typed) and not self.keep_filter_on_escape
        return True

    def action_move(self, rows: int) -> None:
        """Move the cursor by some rows."""
        before = self.view.cursor
        self.view.cursor = max(0, min(before + rows, len(self.view.shown) - 1))
        self._follow_cursor()
        if self.view.cursor != before:
            self.refresh_line(before + 1)
            self.refresh_line(self.view.cursor + 1)
            self.post_message(self.Moved(self))

    def action_page(self, pages: int) -> None:
        """Move the cursor by screens."""
        self.action_move(pages * max(1, self.size.height - 2))

    def action_choose(self, columns: int) -> None:
        """Choose another column, and bring it into sight."""
        layout = self._layout
        self._chosen = max(0, min(self._chosen + columns, len(layout.columns) - 1))
        if layout.columns:
            start = layout.starts[self._chosen] - layout.fixed
            end = layout.starts[self._chosen] + layout.widths[self._chosen] + 1 - self.size.width
            x = max(0, min(start, max(self.scroll_offset.x, end))) if self._chosen else 0
            self.scroll_to(x=x, animate=False, force=True)
        self._redraw()

    def action_sort(self) -> None:
        """Sort by the chosen column; again: the other way; again: as the table came."""
        if self._layout.columns:
            self.sort_by(self.view.table.columns[self._layout.columns[self._chosen]].id)

    def sort_by(self, column_id: str) -> None:
        """Sort by a column, as `action_sort` does."""
        self.view.sort_next(column_id)
        self._arranged(self.scroll_offset.y)

    def action_mark(self) -> None:
        """Mark the row under the cursor, and go on to the next."""
        self.view.toggle_mark()
        self._redraw()
        self.action_move(1)
        self.post_message(self.Moved(self))

    def action_mark_all(self) -> None:
        """Mark all rows that are shown, or none of them."""
        self.view.mark_all()
        self._redraw()
        self.post_message(self.Moved(self))

    def action_problems(self) -> None:
        """Show only rows with a problem, or all again."""
        self.view.only_problems = not self.view.only_problems
        self.view.arrange()
        self._arranged(self.scroll_offset.y)

    def action_wide(self) -> None:
        """Show the columns for wide terminals, or hide them."""
        shown, all_ = len(self._layout.columns), len(self.view.table.columns)
        self._wide = shown != all_ if any(column.wide for column in self.view.table.columns) else None
        self._arranged(self.scroll_offset.y)

    def action_open(self) -> None:
        """Look at the row under the cursor."""
        if self.row:
            self.post_message(self.Opened(self, self.row.key))

    # filter

    def action_filter(self) -> None:
        """Type a filter; it works while it is typed."""
        before = self.view.filter

        async def entered(typed: str) -> str:
            return self._try_filter(typed)

        self._prompt(
            Prompt(
                "filter",
                before.typed,
                entered,
                back_to=self,
                hint="regular expression; a leading ! turns it round",
                typed=self._try_filter,
                left=lambda: self._use_filter(before),
            )
        )

    def action_clear_filter(self) -> None:
        """Show every row again."""
        self._use_filter(Filter())

    def _try_filter(self, typed: str) -> str:
        """What is wrong with it; what was shown stays then."""
        try:
            self._use_filter(read_filter(typed))
        except FilterError as error:
            return f"bad regex: {error}"
        return ""

    def _use_filter(self, wanted: Filter) -> None:
        if wanted != self.view.filter:
            self.view.filter = wanted
            self.view.arrange()
            self._arranged(self.scroll_offset.y)
            self.refresh_bindings()

    def _prompt(self, prompt: Prompt) -> None:
        if self.parent and not self.screen.query(Prompt):
            self.screen.mount(prompt, after=self)

    # copying and saving

    async def action_copy_cell(self) -> None:
        """Copy the chosen cell of the row under the cursor."""
        view = self.view
        if view.shown and self._layout.columns:
            text = view.texts[self._layout.columns[self._chosen]][view.shown[view.cursor]]
            self._say(await clipboard.copy(self.app, text, what=f"“{text}”" if len(text) < 40 else ""))

    async def action_copy_rows(self) -> None:
        """Copy the marked rows, or the one under the cursor: cells as shown, with tabs between them."""
        view = self.view
        numbers = view.marked or view.shown[view.cursor : view.cursor + 1]
        lines = ["\t".join(view.texts[column][number] for column in self._layout.columns) for number in numbers]
        if lines:
            what = f"{len(lines):,} rows" if len(lines) > 1 else "1 row"
            self._say(await clipboard.copy(self.app, "\n".join(lines), what=what))

    def action_export(self) -> None:
        """Save what is shown, in its order and with all columns, to a file."""

        async def entered(typed: str) -> str:
            try:
                done = await asyncio.to_thread(export.save, self.view.as_shown(), typed)
            except export.ExportError as error:
                return str(error)
            self._say(done)
            return ""

        self._prompt(Prompt("save as", export.free_name(self.file_name), entered, back_to=self))

    def _say(self, text: str) -> None:
        if isinstance(self.screen, SessionScreen):
            self.screen.say(text)

    # mouse

    def on_click(self, event: events.Click) -> None:
        """A click selects, a second one opens; on the header it sorts."""
        if event.y == 0:
            x = event.x if event.x < self._layout.fixed else event.x + self.scroll_offset.x
            place = self._layout.place_at(x)
            if place is not None:
                self._chosen = place
                self.action_sort()
            return
        index = self.scroll_offset.y + event.y - 1
        if index < len(self.view.shown):
            self.action_move(index - self.view.cursor)
            if event.chain > 1:
                self.action_open()
