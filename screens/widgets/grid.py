"""A table on the screen: its keys, its mouse, its filter, and what can be copied and saved of it.

Stand it in a vertical container: its prompts open on the line beneath it. What it has to say goes to the message
line of its screen.
"""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from screens.base import SessionScreen
from screens.widgets import clipboard, export
from screens.widgets.grid_canvas import GridCanvas
from screens.widgets.grid_filter import Filter, FilterError, read_filter
from screens.widgets.grid_prompt import Prompt


class Grid(GridCanvas):
    """A table with a cursor, marks, an order and a filter, all of which outlive a refresh."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "detail", id="grid.open"),
        Binding("slash", "filter", "filter", id="grid.filter"),
        Binding("s", "sort", "sort", id="grid.sort"),
        Binding("p", "problems", "problems", id="grid.problems"),
        Binding("space", "mark", "mark", id="grid.mark"),
        Binding("y", "copy_cell", "copy", id="grid.copy"),
        Binding("e", "export", "save", id="grid.export"),
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

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape is the grid's only while there is a filter to clear."""
        if action == "clear_filter":
            return bool(self.view.filter.typed) and not self.keep_filter_on_escape
        return True

    def go_to(self, key: str) -> bool:
        """Put the cursor on the row with this key; False where it is not shown."""
        rows = self.view.table.rows
        place = next((place for place, number in enumerate(self.view.shown) if rows[number].key == key), None)
        if place is not None:
            self.action_move(place - self.view.cursor)
        return place is not None

    def action_move(self, rows: int) -> None:
        """Move the cursor by some rows."""
        before = self.view.cursor
        self.view.cursor = max(0, min(before + rows, len(self.view.shown) - 1))
        self.follow_cursor()
        if self.view.cursor != before:
            self.refresh_line(before + 1)
            self.refresh_line(self.view.cursor + 1)
            self.post_message(self.Moved(self))

    def action_page(self, pages: int) -> None:
        """Move the cursor by screens."""
        self.action_move(pages * max(1, self.room.height - 2))

    def action_choose(self, columns: int) -> None:
        """Choose another column, and bring it into sight."""
        layout = self.laid
        self.chosen = max(0, min(self.chosen + columns, len(layout.columns) - 1))
        if layout.columns:
            start = layout.starts[self.chosen] - layout.fixed
            end = layout.starts[self.chosen] + layout.widths[self.chosen] + 1 - self.room.width
            x = max(0, min(start, max(self.scroll_offset.x, end))) if self.chosen else 0
            self.scroll_to(x=x, animate=False, force=True)
        self.redraw()
        self.post_message(self.Moved(self))

    def choose_column(self, column_id: str) -> None:
        """Choose a column by its id, the first one where it is not drawn."""
        ids = [self.view.table.columns[index].id for index in self.laid.columns]
        self.action_choose((ids.index(column_id) if column_id in ids else 0) - self.chosen)

    def action_sort(self) -> None:
        """Sort by the chosen column; again: the other way; again: as the table came."""
        if self.laid.columns:
            self.sort_by(self.view.table.columns[self.laid.columns[self.chosen]].id)

    def sort_by(self, column_id: str) -> None:
        """Sort by a column, as `action_sort` does."""
        self.view.sort_next(column_id)
        self.arranged(self.scroll_offset.y)

    def action_mark(self) -> None:
        """Mark the row under the cursor, and go on to the next."""
        self.view.toggle_mark()
        self.redraw()
        self.action_move(1)
        self.post_message(self.Moved(self))

    def action_mark_all(self) -> None:
        """Mark all rows that are shown, or none of them."""
        self.view.mark_all()
        self.redraw()
        self.post_message(self.Moved(self))

    def action_problems(self) -> None:
        """Show only rows with a problem, or all again."""
        self.view.only_problems = not self.view.only_problems
        self.view.arrange()
        self.arranged(self.scroll_offset.y)

    def action_wide(self) -> None:
        """Show the columns for wide terminals, or hide them."""
        self.wide = (
            len(self.laid.columns) != self.view.columns
            if any(column.wide for column in self.view.table.columns)
            else None
        )
        self.arranged(self.scroll_offset.y)

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
        before = self.view.filter
        try:
            self._use_filter(read_filter(typed))
        except FilterError as error:
            return str(error)
        why = self.view.unfiltered
        if why:
            self._use_filter(before)
        return why

    def _use_filter(self, wanted: Filter) -> None:
        if wanted != self.view.filter:
            self.view.filter = wanted
            self.view.arrange()
            self.arranged(self.scroll_offset.y)
            self.refresh_bindings()

    def _prompt(self, prompt: Prompt) -> None:
        if self.parent and not self.screen.query(Prompt):
            self.screen.mount(prompt, after=self)

    # copying and saving

    async def action_copy_cell(self) -> None:
        """Copy the chosen cell of the row under the cursor."""
        view = self.view
        if view.shown and self.laid.columns:
            text = view.texts[self.laid.columns[self.chosen]][view.shown[view.cursor]]
            self._say(await clipboard.copy(self.app, text, what=f"“{text}”" if len(text) < 40 else ""))

    async def action_copy_rows(self) -> None:
        """Copy the marked rows, or the one under the cursor: cells as shown, with tabs between them."""
        view = self.view
        numbers = view.marked or view.shown[view.cursor : view.cursor + 1]
        lines = ["\t".join(view.texts[column][number] for column in self.laid.columns) for number in numbers]
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
            x = event.x if event.x < self.laid.fixed else event.x + self.scroll_offset.x
            place = self.laid.place_at(x)
            if place is not None:
                self.chosen = place
                self.action_sort()
            return
        index = self.scroll_offset.y + event.y - 1
        if index < len(self.view.shown):
            self.action_move(index - self.view.cursor)
            if event.chain > 1:
                self.action_open()
