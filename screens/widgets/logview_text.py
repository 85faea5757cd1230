"""The lines of a log on the screen. What is drawn is read from the copy at that moment; no line is kept as text.

A place in it is a row (a line, or a line that a filter let through) and, where lines are wrapped, a part of it: so
nothing has to know how high a million wrapped lines are.
"""

from __future__ import annotations

import contextlib
import time
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollDown, ScrollTo, ScrollUp
from textual.strip import Strip

from screens.widgets.logview_lines import Part, Spans, marked, tabs_out, window, wrapped
from supervision.clocktext import time_of_day
from supervision.logcopy import LogCopy
from supervision.logsearch import Filter, Pattern
from supervision.patterns import TooSlowError

CURSOR, FOUND = "▸", "*"
TIME_WIDTH = 9
WHEEL = 3
MARK_SECONDS = 0.1
"""For finding what is to be marked on one screen."""


class LogText(ScrollView, can_focus=True, inherit_bindings=False):
    """Shows the first `limit` bytes of a copy. `following` keeps the end in sight while it grows."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    LogText { height: 1fr; overflow-y: scroll; overflow-x: hidden; scrollbar-size-vertical: 1; }
    LogText > .log--found { text-style: reverse bold; }
    LogText > .log--cursor { text-style: bold; }
    LogText > .log--time { color: $text-muted; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"log--found", "log--cursor", "log--time"}

    class Moved(Message):
        """Another part of the log is in sight."""

        def can_replace(self, message: Message) -> bool:
            """One of these is as good as many."""
            return isinstance(message, LogText.Moved)

    def __init__(self, *, following: bool = True) -> None:
        super().__init__()
        self.copy = LogCopy()
        self.limit: int | None = None
        self.filter: Filter | None = None
        self.pattern: Pattern | None = None
        self.following = following
        self.wrap = False
        self.times = False
        self.zone = 0
        self.empty = ""
        self.cursor = 0
        self.left = 0
        self._top = 0
        self._part = 0
        self._rows = 0
        self._parts: list[Part] | None = None
        self._spans: dict[int, Spans] = {}
        self._marking = 0.0
        """Seconds of work that finding what to mark on this screen has taken."""

    # the rows

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self._rows

    @property
    def line(self) -> int:
        """The line under the cursor."""
        return self.line_of(self.cursor)

    @property
    def below(self) -> int:
        """How many rows lie below what is in sight."""
        parts = self.parts
        return max(0, self._rows - 1 - parts[-1].row) if parts else 0

    def line_of(self, row: int) -> int:
        """The line that stands in a row."""
        return self.filter.line(row, self.limit) if self.filter else row

    def row_of(self, line: int) -> int:
        """The row in which a line stands, or the next that is shown."""
        return self.filter.row(line) if self.filter else line

    @property
    def width(self) -> int:
        """Cells for the text of a line."""
        return max(2, self.scrollable_content_region.width - 1 - (TIME_WIDTH if self.times else 0))

    @property
    def height(self) -> int:
        """Lines on the screen."""
        return max(1, self.scrollable_content_region.height)

    # what the view tells

    def update_rows(self) -> None:
        """The log has grown, shrunk or changed, or the filter has: stay with the end, or where it was."""
        self._rows = self.filter.rows(self.limit) if self.filter else self.copy.lines(self.limit)
        self.cursor = max(0, min(self.cursor, self._rows - 1))
        if self.following:
            self.go_end()
        else:
            self._place(self._top, self._part)

    def go_end(self) -> None:
        """Show the end, and stay with it."""
        self.following = True
        self.cursor = max(0, self._rows - 1)
        self._place(*self._end())

    def go_row(self, row: int) -> None:
        """Put the cursor on a row, in sight."""
        self.cursor = max(0, min(row, self._rows - 1))
        self.following = self.following and self.cursor == self._rows - 1
        top, part = self._top, self._part
        if self.cursor < top or (self.cursor == top and part):
            top, part = self.cursor, 0
        elif self.cursor > self.last_whole_row:
            top, part = max((top, part), self._moved(self.cursor, self._count(self.cursor) - 1, 1 - self.height))
            if top > self.cursor or (top == self.cursor and part):
                top, part = self.cursor, 0  # one line fills the screen: its beginning
        self._place(top, part)

    def go_line(self, line: int, *, middle: bool = False) -> None:
        """Put the cursor on a line; `middle` shows what stands around it when it was not in sight."""
        row = self.row_of(line)
        out_of_sight = not any(part.row == row for part in self.parts)
        self.following = False
        self.go_row(row)
        if middle and out_of_sight:
            self._place(*self._moved(row, 0, -(self.height // 3)))

    def scroll_rows(self, rows: int) -> None:
        """Move what is in sight; the cursor comes along when it would leave."""
        top, part = min(self._moved(self._top, self._part, rows), self._end())
        if (top, part) == (self._top, self._part):
            self.go_row(0 if rows < 0 else self._rows - 1)  # at the end already: the cursor goes there
        self._place(top, part)
        parts = self.parts
        if parts:
            self.cursor = max(parts[0].row, min(self.cursor, parts[-1].row))
        self.following = rows > 0 and (top, part) == self._end()
        if self.following:
            self.cursor = max(0, self._rows - 1)
        self._changed()

    def scroll_sideways(self, cells: int) -> None:
        """Move lines that are cut; wrapped ones are not."""
        self.left = 0 if self.wrap else max(0, min(self.left + cells, 8192))
        self._changed()

    def redraw(self) -> None:
        """Something about how it is shown has changed."""
        self.update_rows()
        self._changed()

    @property
    def parts(self) -> list[Part]:
        """What stands on the lines of the screen."""
        if self._parts is None:
            self._parts = self._lay_out()
            self._spans, self._marking = {}, 0.0
        return self._parts

    @property
    def last_whole_row(self) -> int:
        """The last row of which everything is in sight."""
        parts = self.parts
        if not parts:
            return -1
        row = parts[-1].row
        shown = sum(part.row == row for part in parts) + (self._part if row == self._top else 0)
        return row if shown >= self._count(row) else row - 1

    # places

    def _count(self, row: int) -> int:
        """How many parts a row has."""
        return len(wrapped(self._text(row), self.width)) if self.wrap and 0 <= row < self._rows else 1

    def _moved(self, top: int, part: int, by: int) -> tuple[int, int]:
        """The place that is `by` lines of the screen further down."""
        if not self.wrap:
            return max(0, min(top + by, self._rows - 1)), 0
        part += by
        while part < 0 and top > 0:
            top -= 1
            part += self._count(top)
        part = max(0, part)
        while top < self._rows - 1 and part >= (count := self._count(top)):
            top, part = top + 1, part - count
        return top, min(part, self._count(top) - 1)

    def _end(self) -> tuple[int, int]:
        """The place that shows the last line at the bottom."""
        if not self._rows:
            return 0, 0
        return self._moved(self._rows - 1, self._count(self._rows - 1) - 1, 1 - self.height)

    def _place(self, top: int, part: int) -> None:
        """Show what stands from there on; nothing below the end."""
        end = self._end()
        self._top, self._part = max((0, 0), min((top, part), end))
        size = Size(self.size.width, end[0] + self.height)
        if size != self.virtual_size:
            self.virtual_size = size
        if round(self.scroll_y) != self._top:
            self.scroll_to(y=self._top, animate=False, force=True)
        self._changed()

    def _changed(self) -> None:
        self._parts = None
        self.refresh()
        self.post_message(self.Moved())

    # drawing

    def _text(self, row: int) -> str:
        return tabs_out(self.copy.line(self.line_of(row), self.limit))

    def _lay_out(self) -> list[Part]:
        parts: list[Part] = []
        row, skip = self._top, self._part
        while len(parts) < self.height and row < self._rows:
            text = self._text(row)
            cut = wrapped(text, self.width)[skip:] if self.wrap else [window(text, self.left, self.width)]
            for index, (begins, piece) in enumerate(cut[: self.height - len(parts)]):
                parts.append(Part(row, self.line_of(row), index + skip == 0, begins, piece))
            row, skip = row + 1, 0
        return parts

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        base, parts = self.rich_style, self.parts
        width = self.scrollable_content_region.width
        if y >= len(parts):
            text = f" {self.empty}" if y == 0 and not self._rows else ""
            return Strip([Segment(text, base + self._style("time"))]).adjust_cell_length(width, base)
        part = parts[y]
        spans = self._spans_of(part.row)
        at_cursor = part.row == self.cursor
        sign = " " if not part.first else CURSOR if at_cursor else FOUND if spans else " "
        text_style = base + self._style("cursor") if at_cursor and self.has_focus else base
        segments = [Segment(sign, base)]
        if self.times:
            at = self.copy.arrived(part.line, self.limit) if part.first else None
            stamp = "" if at is None else time_of_day(at, self.zone)
            segments.append(Segment(f"{stamp:<{TIME_WIDTH}}", base + self._style("time")))
        for text, found in marked(part.text, part.begins, spans):
            segments.append(Segment(text, text_style + self._style("found") if found else text_style))
        return Strip(segments).adjust_cell_length(width, base)

    def _spans_of(self, row: int) -> Spans:
        """What is marked in a row; nothing where finding out would take too long."""
        if self.pattern is None or self.pattern.gave_up:
            return ()
        if row not in self._spans:
            text, began = self._text(row), time.thread_time()
            with contextlib.suppress(TooSlowError):
                self._spans[row] = self.pattern.spans(text)
            # its own time alone: what the application does between two lines is no fault of a pattern
            self._marking += time.thread_time() - began
            if row not in self._spans or self._marking > MARK_SECONDS:
                self.pattern.gave_up = True
                self.post_message(self.Moved())  # whoever tells what is sought tells that too
                return ()
        return self._spans[row]

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"log--{name}", partial=True)

    # events

    def on_mount(self) -> None:
        self.update_rows()

    def on_resize(self, _event: events.Resize) -> None:
        self.update_rows()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel moves what is in sight."""
        event.prevent_default()
        event.stop()
        self.scroll_rows(WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel moves what is in sight."""
        event.prevent_default()
        event.stop()
        self.scroll_rows(-WHEEL)

    def on_scroll_to(self, event: ScrollTo) -> None:
        """The scroll bar is dragged."""
        event.prevent_default()
        event.stop()
        if event.y is not None:
            self.scroll_rows(round(event.y) - self._top)

    def on_scroll_down(self, event: ScrollDown) -> None:
        """A click beneath the scroll bar's grip."""
        event.prevent_default()
        event.stop()
        self.scroll_rows(self.height)

    def on_scroll_up(self, event: ScrollUp) -> None:
        """A click above the scroll bar's grip."""
        event.prevent_default()
        event.stop()
        self.scroll_rows(-self.height)

    def on_click(self, event: events.Click) -> None:
        """A click puts the cursor there."""
        parts = self.parts
        if event.y < len(parts):
            self.go_row(parts[event.y].row)
