"""A screen that is a list and, once a row is opened, the log of that row: beneath the list where there is room."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from remote.text import one_line
from screens.base import SessionScreen
from screens.widgets.frame import OneLine
from screens.widgets.grid import Grid
from screens.widgets.logview import LogView
from supervision.session import Session
from supervision.state import State, log_source
from supervision.tables import Table

BOTH = 34
"""Lines of the terminal from which on the list stays in sight above an open log."""
AROUND = 3
"""Lines of a list beside its rows: its title, its header, and what there is to say of a row."""
_LESS_NEEDED = frozenset(("problems", "mark", "export", "wide"))


def show_job_log(view: LogView, session: Session, host: str, job_id: str, title: str) -> None:
    """Show a job's log as far as it has been read, or had been at the replayed moment."""
    log = session.state.job_log(host, job_id)
    view.show(
        session.logs.get(host, log_source(job_id)),
        key=job_id,
        limit=(log.size if log else 0) if session.player else None,
        title=title,
        zone=session.state.utc_offset,
        empty="nothing of its log had been read then" if session.player else "nothing of its log was read yet",
    )


class LogGrid(Grid, inherit_bindings=False):
    """A grid whose rows open a log. Keys that lists of jobs need less give way in the footer; they work as ever."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "log", id="grid.open"),
        *(
            Binding(
                binding.key,
                binding.action,
                binding.description,
                show=binding.show and binding.action not in _LESS_NEEDED,
                key_display=binding.key_display,
                id=binding.id,
            )
            for binding in Grid.BINDINGS
            if isinstance(binding, Binding) and binding.action != "open"
        ),
    ]


class ListAndLog(SessionScreen):
    """A subclass says which table, what there is to say of a row, and what its log is."""

    DEFAULT_CSS = """
    ListAndLog #title { background: $boost; text-style: bold; }
    ListAndLog #list { height: 1fr; }
    ListAndLog #about { color: $text-muted; }
    ListAndLog LogView { display: none; }
    ListAndLog.-log LogView { display: block; }
    ListAndLog.-log.-alone #list { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("z", "zoom", "zoom", id="screen.zoom"),
        Binding("escape", "close_log", "list", id="screen.close_log", key_display="esc"),
    ]
    FOLLOWING: ClassVar[bool] = True
    """Whether a log is opened at its end."""
    EMPTY: ClassVar[str] = "nothing is known yet"
    COPIED: ClassVar[str] = "command"
    """The column that is chosen first: what one most likely wants to copy."""

    opened: str = ""
    """The key of the row whose log is shown."""
    zoomed = False

    def table(self, state: State) -> Table:
        """What the list shows."""
        raise NotImplementedError

    def heading(self, state: State) -> str:
        """What stands above the list."""
        raise NotImplementedError

    def about(self, key: str) -> str:
        """What there is to say of a row."""
        raise NotImplementedError

    def show_log(self, key: str, view: LogView) -> None:
        """Show the log of a row."""
        raise NotImplementedError

    def compose_body(self) -> ComposeResult:
        with Vertical(id="list"):
            yield OneLine(id="title")
            yield LogGrid(name=self.NAME, empty=self.EMPTY)
            yield OneLine(id="about")
        yield LogView(following=self.FOLLOWING)

    @property
    def grid(self) -> LogGrid:
        """The list."""
        return self.query_one(LogGrid)

    @property
    def log_view(self) -> LogView:
        """The log."""
        return self.query_one(LogView)

    def show_state(self) -> None:
        state = self.session.state
        grid = self.grid
        fresh = not grid.view.table.columns
        grid.set_table(self.table(state))
        if fresh:
            at = grid.view.table.column(self.COPIED)
            grid.chosen = grid.laid.columns.index(at) if at in grid.laid.columns else 0
            grid.redraw()
        self._show_words()
        if self.opened:
            self.set_class(self.zoomed or self.size.height < BOTH, "-alone")
            # as many rows as there are, and no more than a third of the lines
            self.query_one("#list").styles.height = min(len(grid.view.shown) + AROUND, self.size.height // 3)
            self.show_log(self.opened, self.log_view)

    def _show_words(self) -> None:
        words = [self.heading(self.session.state), *self.grid.summary, self.grid.hidden_columns]
        text = "  ".join(one_line(word) for word in words if word)
        self.query_one("#title", OneLine).show(Text(f" {text}", no_wrap=True))
        row = self.grid.row
        self.query_one("#about", OneLine).show(Text(f" {one_line(self.about(row.key))}" if row else "", no_wrap=True))

    @on(Grid.Moved)
    def show_moved(self) -> None:
        """What is said belongs to the row under the cursor, and so do its keys."""
        self._show_words()
        self.show_keys()

    @on(Grid.Opened)
    def open_row(self, event: Grid.Opened) -> None:
        """Show the log of a row."""
        self.open_log(event.key)

    def open_log(self, key: str) -> None:
        """Show the log of the row with this key."""
        self.opened = key
        self.add_class("-log")
        self.show_state()
        self.log_view.text.focus()
        self.refresh_bindings()

    def action_close_log(self) -> None:
        """Show the list alone again; whoever follows the log goes on."""
        self.opened = ""
        self.query_one("#list").styles.height = "1fr"
        self.remove_class("-log", "-alone")
        self.grid.focus()
        self.refresh_bindings()

    def action_zoom(self) -> None:
        """Give the log all the room, or some back to the list."""
        self.zoomed = not self.zoomed
        self.show_state()
        self.log_view.text.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is a log to close only while one is open, and to zoom only where both have room."""
        if action == "close_log":
            return bool(self.opened)
        if action == "zoom":
            return bool(self.opened) and self.size.height >= BOTH
        return True

    def on_descendant_focus(self) -> None:
        """Other keys work in the log than in the list."""
        self.refresh_all()
