"""A log on the screen: a million lines at once and live, with search, filter, times, wrapping, saving and copying.

Stand it anywhere with room and call `show` with a copy whenever the state has changed; what has not, draws nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from remote.text import safe
from screens.base import SessionScreen
from screens.widgets import clipboard, logview_save
from screens.widgets.frame import OneLine
from screens.widgets.grid_prompt import Prompt
from screens.widgets.logview_text import LogText
from screens.widgets.render import fit
from supervision.clocktext import time_of_day
from supervision.logcopy import LogCopy
from supervision.logsearch import Filter, Pattern, find
from supervision.patterns import TOO_LONG, TooSlowError

SIDEWAYS = 8
REDRAW = 0.1
"""Seconds between two redraws while a filter works through a long log."""


class Saying(ModalScreen[None]):
    """A screen above others that has a line for what there is to say."""

    def say(self, text: str) -> None:
        """Show it there."""
        raise NotImplementedError


class LogView(Vertical):
    """Lines of a log, and beneath them where one is, what is sought, and what has happened to it."""

    DEFAULT_CSS = """
    LogView { height: 1fr; }
    LogView > #log-title { background: $boost; text-style: bold; }
    LogView > #log-status { background: $boost; color: $text-muted; }
    LogView > #log-status.-notice { color: $text-warning; text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "find", id="log.search"),
        Binding("n", "next(True)", "next", id="log.next"),
        Binding("N", "next(False)", "previous", show=False, id="log.previous"),
        Binding("ampersand", "filter", "filter", key_display="&", id="log.filter"),
        Binding("w", "wrap", "wrap", id="log.wrap"),
        Binding("t", "times", "times", show=False, id="log.times"),
        Binding("G,end", "end", "end", key_display="G", id="log.end"),
        Binding("s", "save", "save", id="log.save"),
        Binding("y", "copy_line", "copy", id="log.copy"),
        Binding("Y", "copy_screen", "copy what is in sight", show=False, id="log.copy_screen"),
        Binding("g,home", "begin", "first line", show=False, id="log.begin"),
        Binding("up,k", "move(-1)", "up", show=False, id="log.up"),
        Binding("down,j", "move(1)", "down", show=False, id="log.down"),
        Binding("pageup,ctrl+b", "page(-1)", "page up", show=False, id="log.page_up"),
        Binding("pagedown,ctrl+f", "page(1)", "page down", show=False, id="log.page_down"),
        Binding("left,h", "sideways(-1)", "to the left", show=False, id="log.left"),
        Binding("right,l", "sideways(1)", "to the right", show=False, id="log.right"),
        Binding("escape", "clear", "clear find and filter", show=False, id="log.clear"),
    ]

    def __init__(self, *, following: bool = True, id: str | None = None) -> None:  # noqa: A002
        """`following` is how a log is opened: at its end, or at its beginning."""
        super().__init__(id=id)
        self._following = following
        self._key: str | None = None
        self._file_name = "log"
        self._seen: object = None
        self._generation = 0
        self._replaced = ""
        self._busy = ""

    def compose(self) -> ComposeResult:
        yield OneLine(id="log-title")
        yield LogText(following=self._following)
        yield OneLine(id="log-status")

    @property
    def text(self) -> LogText:
        """The lines."""
        return self.query_one(LogText)

    def show(
        self,
        copy: LogCopy,
        *,
        key: str,
        limit: int | None = None,
        title: str = "",
        name: str = "",
        zone: int = 0,
        empty: str = "nothing of it has been read yet",
    ) -> None:
        """Show the first `limit` bytes of a copy. `key` tells one log from another; `name`, or it, names a saved file.

        `zone` is seconds from UTC, for the times at which lines were read; `empty` is shown where there is no line.
        """
        text = self.text
        self.query_one("#log-title", OneLine).show(Text(f" {safe(title)}", no_wrap=True))
        self.query_one("#log-title").display = bool(title)
        seen = (key, id(copy), copy.generation, copy.size, limit, copy.failure, zone, empty)
        if seen == self._seen:
            return
        self._seen = seen
        text.zone, text.empty = zone, empty
        self._file_name = name or key
        if key != self._key:
            self._open(key, copy)
        elif copy is not text.copy or copy.generation != self._generation:
            self._another_text(copy)
        text.copy, text.limit, self._generation = copy, limit, copy.generation
        text.update_rows()
        self._filter_on()
        self._show_status()

    def on_focus(self) -> None:
        self.text.focus()

    def _open(self, key: str, copy: LogCopy) -> None:
        text = self.text
        self.workers.cancel_node(self)
        self._key, self._busy = key, ""
        self._replaced = "" if copy.rewound is None else self._replaced_text(copy)
        text.filter = text.pattern = None
        text.following = self._following
        text.left = 0
        text.go_row(0)
        text.following = self._following

    def _another_text(self, copy: LogCopy) -> None:
        """The same log is another text now: truncated, rotated or rewritten."""
        text = self.text
        self._replaced = self._replaced_text(copy) if copy.rewound else ""
        if text.filter:
            text.filter = Filter(copy, text.filter.pattern, inverse=text.filter.inverse)
        text.following = text.following or self._following

    def _replaced_text(self, copy: LogCopy) -> str:
        why, at = copy.rewound or ("", None)
        when = "" if at is None else f" at {time_of_day(at, self.text.zone)}"
        return f"log {why or 'replaced'}{when}: this is the new text"

    # the line beneath

    @on(LogText.Moved)
    def moved(self, event: LogText.Moved) -> None:
        """Say where one is."""
        event.stop()
        self._show_status()

    def _show_status(self) -> None:
        text = self.text
        line = self.query_one("#log-status", OneLine)
        line.set_class(bool(self._replaced or text.copy.failure), "-notice")
        words = "  ".join(safe(part) for part in self._status_parts() if part)
        line.show(Text(fit(f" {words}", max(20, line.size.width)), no_wrap=True))

    def _status_parts(self) -> list[str]:
        text = self.text
        parts, copy, kept = text.parts, text.copy, text.filter
        seen = f"{parts[0].row + 1:,}-{parts[-1].row + 1:,} of {text.rows:,} lines" if parts else ""
        below = f"+{text.below:,} lines below, G follows" if text.below else ""
        behind = f" ({kept.fraction:.0%} looked at)" if kept and kept.behind else ""
        return [
            seen,
            "follows" if text.following else below,
            f"NOT WHOLE HERE: {copy.failure}" if copy.failure else "",
            self._replaced,
            self._busy,
            f"&{'!' if kept.inverse else ''}{kept.pattern.text}{behind}" if kept else "",
            f"/{text.pattern.text}{': takes too long' if text.pattern.gave_up else ''}" if text.pattern else "",
            "wrapped" if text.wrap else f"from column {text.left + 1}" if text.left else "",
            "times: when read here" if text.times else "",
        ]

    # moving

    def action_move(self, lines: int) -> None:
        """One line up or down."""
        text = self.text
        text.go_row(text.cursor + lines)
        if lines > 0 and text.cursor == text.rows - 1:
            text.go_end()

    def action_page(self, step: int) -> None:
        """A screen up or down, one line of it staying in sight."""
        self.text.scroll_rows(step * max(1, self.text.height - 1))

    def action_begin(self) -> None:
        """The first line."""
        self.text.following = False
        self.text.go_row(0)

    def action_end(self) -> None:
        """The end, and stay there."""
        self.text.go_end()

    def action_sideways(self, step: int) -> None:
        """Move lines that are cut."""
        if self.text.wrap:
            self._say("lines are wrapped; w cuts them")
        self.text.scroll_sideways(step * SIDEWAYS)

    def action_wrap(self) -> None:
        """Wrap long lines, or cut them."""
        text = self.text
        text.wrap, text.left = not text.wrap, 0
        text.redraw()
        text.go_row(text.cursor)

    def action_times(self) -> None:
        """Show when each line was read here, or do not."""
        self.text.times = not self.text.times
        self.text.redraw()

    # searching

    def action_search(self) -> None:
        """Look for something."""

        async def entered(typed: str) -> str:
            self.text.pattern = Pattern(typed) if typed else None
            self.text.redraw()
            self.refresh_bindings()
            if typed:
                self._search(self.text.line)
            return ""

        self._prompt("find (regex)", self.text.pattern.text if self.text.pattern else "", entered)

    def action_next(self, forward: bool) -> None:
        """The next line that matches, or the one before."""
        text = self.text
        row = text.cursor + (1 if forward else -1)
        self._search(text.line_of(row % text.rows) if text.rows else 0, forward=forward)

    def _search(self, line: int, *, forward: bool = True) -> None:
        self.run_worker(self._find(line, forward=forward), group="find", exclusive=True)

    async def _find(self, line: int, *, forward: bool) -> None:
        text, pattern, kept = self.text, self.text.pattern, self.text.filter
        if pattern is None:
            return
        before = text.line
        self._busy = "searching…"
        self._show_status()
        try:
            found = await find(
                text.copy,
                pattern,
                line,
                forward=forward,
                limit=text.limit,
                wanted=lambda at: kept is None or kept.line(kept.row(at), text.limit) == at,
            )
        except TooSlowError:
            self._say(TOO_LONG)
            text.redraw()
            return
        finally:
            self._busy = ""
        if found is None:
            self._say(f"nothing matches {pattern.text}")
            text.redraw()
            return
        text.go_line(found, middle=True)
        if found < before if forward else found > before:
            self._say("went on from the first line" if forward else "went on from the last line")

    # filtering

    def action_filter(self) -> None:
        """Show only lines that match, or only those that do not."""
        text = self.text

        async def entered(typed: str) -> str:
            wanted = typed.removeprefix("!")
            line = text.line
            text.filter = Filter(text.copy, Pattern(wanted), inverse=typed.startswith("!")) if wanted else None
            text.update_rows()
            if not text.filter:
                text.go_line(line)
            self._filter_on()
            return ""

        before = f"{'!' if text.filter.inverse else ''}{text.filter.pattern.text}" if text.filter else ""
        self._prompt("only lines with (regex, ! inverts)", before, entered)

    def _filter_on(self) -> None:
        """Look at the lines that came; a long log takes many turns of the loop."""
        if self.text.filter and self.text.filter.pattern.gave_up:
            self._filter_gave_up()
        elif self.text.filter and self.text.filter.behind:
            self.run_worker(self._filter_lines(self.text.filter), group="filter", exclusive=True)

    async def _filter_lines(self, kept: Filter) -> None:
        loop = asyncio.get_running_loop()
        drawn = 0.0
        while kept is self.text.filter and kept.behind:
            try:
                kept.step()
            except TooSlowError:
                self._filter_gave_up()
                return
            if loop.time() - drawn > REDRAW:
                drawn = loop.time()
                self.text.update_rows()
            await asyncio.sleep(0)
        self.text.update_rows()
        self._show_status()

    def _filter_gave_up(self) -> None:
        """Show every line again: what such a filter leaves out nobody knows."""
        text = self.text
        line, following = text.line, text.following
        text.filter = None
        text.update_rows()
        if not following:
            text.go_line(line)
        self._say(TOO_LONG)
        self._show_status()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys for what is sought and filtered exist only while there is such a thing."""
        found = self.query(LogText)
        if action == "next":
            return any(text.pattern for text in found)
        if action == "clear":
            return any(text.pattern or text.filter for text in found)
        return True

    def action_clear(self) -> None:
        """Mark nothing and show every line again."""
        text = self.text
        line, following = text.line, text.following
        self.workers.cancel_node(self)
        text.pattern = text.filter = None
        self._busy = ""
        text.update_rows()
        if not following:
            text.go_line(line)

    # taking along

    def action_save(self) -> None:
        """Save the log, or what the filter leaves of it, to a file."""
        text = self.text

        async def entered(typed: str) -> str:
            try:
                self._say(await logview_save.save(text.copy, typed, text.limit, text.filter))
            except logview_save.SaveError as error:
                return str(error)
            return ""

        self._prompt("save as", logview_save.free_name(self._file_name), entered)

    async def action_copy_line(self) -> None:
        """Copy the line under the cursor."""
        text = self.text
        if text.rows:
            self._say(await clipboard.copy(self.app, text.copy.line(text.line, text.limit), what="1 line"))

    async def action_copy_screen(self) -> None:
        """Copy the lines that are in sight, whole."""
        text = self.text
        lines = dict.fromkeys(part.line for part in text.parts)
        if lines:
            shown = "\n".join(text.copy.line(line, text.limit) for line in lines)
            self._say(await clipboard.copy(self.app, shown, what=f"{len(lines)} lines"))

    def _prompt(self, label: str, value: str, entered: Callable[[str], Awaitable[str]]) -> None:
        if not self.screen.query(Prompt):
            self.mount(Prompt(label, value, entered, back_to=self.text), after=self.text)

    def _say(self, words: str) -> None:
        if isinstance(self.screen, SessionScreen | Saying):
            self.screen.say(words)
