"""A screen that is one table: its title with ages, its failure, the rows, sums beneath or beside, one row closely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import ActiveBinding, Binding, BindingType
from textual.containers import Container, Vertical, VerticalScroll

from remote.text import one_line
from screens.base import SessionScreen
from screens.intents import Refresh
from screens.widgets.frame import OneLine
from screens.widgets.grid import Grid
from screens.widgets.lines import Lines
from screens.widgets.render import fit, labelled, plain
from supervision.clocktext import age_text, local_time
from supervision.state import State
from supervision.tables import Pair, Row, Table

BESIDE = 150
"""Cells from which on sums and details stand beside the table and not beneath it."""
LABEL = 16
LESS_NEEDED = frozenset(("grid.open", "grid.mark", "grid.copy"))
"""Keys that give way in the footer; the help has them all."""


class GridScreen(SessionScreen):
    """A subclass says which table, and what there is to sum up."""

    DEFAULT_CSS = """
    GridScreen #title { background: $boost; text-style: bold; }
    GridScreen #failure { color: $text-error; text-style: bold; display: none; }
    GridScreen #failure.-shown { display: block; }
    GridScreen #panes { layout: vertical; height: 1fr; }
    GridScreen #table { height: 1fr; width: 1fr; }
    GridScreen #side { display: none; height: auto; max-height: 60%; }
    GridScreen #side.-shown { display: block; }
    GridScreen #detail { display: none; height: auto; max-height: 100%; scrollbar-size-vertical: 1; }
    GridScreen #detail.-shown { display: block; }
    GridScreen #totals { display: none; height: auto; }
    GridScreen #totals.-shown { display: block; }
    GridScreen #panes.-beside { layout: horizontal; }
    GridScreen #panes.-beside #side { width: 42%; height: 1fr; max-height: 100%; padding: 0 0 0 1; }
    GridScreen #panes.-beside #detail { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "refresh", "ask", id="screen.refresh"),
        Binding("R", "refresh_costly", "ask the costly too", show=False, id="screen.refresh_costly"),
        Binding("escape", "close_detail", "close", show=False, id="screen.close_detail"),
    ]

    totals_wanted: bool | None = None
    """Whether a person wants to see the sums or does not; None leaves it to the room there is."""

    @property
    def heading(self) -> str:
        """What the title begins with."""
        return self.NAME.capitalize()

    def table(self, state: State) -> Table:
        """What the grid shows."""
        raise NotImplementedError

    def totals(self, state: State) -> list[Text]:
        """Lines that sum it up; none for a screen that has no sums."""
        return []

    def remarks(self, state: State) -> list[str]:
        """What else the title says."""
        return []

    def in_footer(self, keys: list[ActiveBinding]) -> list[ActiveBinding]:
        """What is needed less comes last, where 80 cells have no room left."""
        return sorted(keys, key=lambda key: key.binding.id in LESS_NEEDED)

    def compose_head(self) -> ComposeResult:
        """The lines above the table."""
        yield OneLine(id="title")
        yield OneLine(id="failure")

    def new_grid(self) -> Grid:
        """The table's widget."""
        return Grid(name=self.NAME)

    def detail_pairs(self, row: Row) -> Sequence[Pair]:
        """What a row tells when it is looked at closely."""
        return row.detail

    def compose_body(self) -> ComposeResult:
        yield from self.compose_head()
        with Container(id="panes"):
            with Vertical(id="table"):
                yield self.new_grid()
            with Vertical(id="side"):
                yield Lines(id="totals")
                with VerticalScroll(id="detail", can_focus=True):
                    yield Lines(id="text")

    @property
    def grid(self) -> Grid:
        """The table."""
        return self.query_one(Grid)

    @property
    def beside(self) -> bool:
        """Whether there is room beside the table."""
        return self.size.width >= BESIDE

    @property
    def side_width(self) -> int:
        """The cells of a line beneath or beside the table."""
        return max(20, (self.size.width * 42 // 100 - 1 if self.beside else self.size.width) - 1)

    @property
    def detail_open(self) -> bool:
        """Whether one row is looked at closely."""
        return self.query_one("#detail").has_class("-shown")

    def show_state(self) -> None:
        state, grid = self.session.state, self.grid
        stamp = local_time(self.session.now, state.utc_offset).strftime("%Y-%m-%d-%H%M%S")
        grid.file_name = f"{self.NAME}-{one_line(self.session.fs.name)}-{stamp}"
        table = self.table(state)
        grid.set_table(table)
        failure = self.query_one("#failure", OneLine)
        failure.set_class(bool(table.failure), "-shown")
        failure.show(f" !! {table.failure}")
        self._show_title()
        self._show_side(state)

    def age(self, what: str, at: float | None, key: str) -> str:
        """How old something is, and the key that asks for it again where anybody can be asked."""
        text = f"{what} {age_text(at, self.session.now)} ago" if at is not None else f"{what}: not yet"
        return f"{text} ({key})" if self.session.supervisor else text

    def _show_title(self) -> None:
        table = self.grid.view.table
        parts = [
            self.heading,
            "" if table.absent else self.age("asked", table.at, "r"),
            *self.grid.summary,
            *self.remarks(self.session.state),
            self.grid.hidden_columns,
        ]
        words = [one_line(part) for part in parts if part]
        while cell_len("  ".join(words)) + 1 > self.size.width and len(words) > 1:
            words.pop()  # the least of it stands last, and half a word says nothing
        self.query_one("#title", OneLine).show(Text(f" {'  '.join(words)}", no_wrap=True))

    def _show_side(self, state: State) -> None:
        totals = self.totals(state)
        shown = bool(totals) and self._room_for(len(totals))
        self.query_one("#panes").set_class(self.beside, "-beside")
        self.query_one("#side").set_class(shown or self.detail_open, "-shown")
        where = self.query_one("#totals", Lines)
        where.set_class(shown, "-shown")
        if shown:
            where.show(totals)
        self._show_detail()

    def _room_for(self, lines: int) -> bool:
        """Sums give way to the rows: they show beneath where at least a dozen rows (or all) still do."""
        if self.totals_wanted is not None:
            return self.totals_wanted
        rows = min(12, len(self.grid.view.table.rows))
        return self.beside or (not self.detail_open and self.size.height - 6 - lines >= rows + 1)

    def _show_detail(self) -> None:
        if not self.detail_open:
            return
        row = self.grid.row
        pairs = [("", "no row is here")] if row is None else [*self._changes(row.key), *self.detail_pairs(row)]
        lines = [
            plain(fit("── detail: enter or esc closes, tab to scroll ".ljust(self.side_width, "─"), self.side_width))
        ]
        for label, text in pairs:
            lines += labelled(label, text, self.side_width, label_width=LABEL, indent=1)
        self.query_one("#text", Lines).show(lines)

    def _changes(self, key: str) -> list[tuple[str, str]]:
        """What has changed of a row, before and after."""
        view = self.grid.view
        change = view.changes.get(key)
        if change is None:
            return []
        if change.new:
            return [("changed", "it was not there before")]
        row = next(row for row in view.table.rows if row.key == key)
        return [
            ("changed", f"{column.title}: {change.before[column.id] or 'nothing'} → {cell.text or 'nothing'}")
            for column, cell in zip(view.table.columns, row.cells, strict=True)
            if column.id in change.before and column.only != "screen"
        ] or [("changed", "how bad it is")]

    @on(Grid.Moved)
    def show_moved(self) -> None:
        """The title and the detail belong to what the grid shows."""
        self._show_title()
        self._show_detail()

    @on(Grid.Opened)
    def open_detail(self) -> None:
        """Look at the row under the cursor closely; enter again ends that."""
        self._set_detail(not self.detail_open)

    def action_close_detail(self) -> None:
        """Look at all rows again."""
        self.grid.focus()
        self._set_detail(False)

    def _set_detail(self, open_: bool) -> None:
        self.query_one("#detail").set_class(open_, "-shown")
        self.grid.keep_filter_on_escape = open_
        self.query_one("#detail", VerticalScroll).scroll_home(animate=False)
        self._show_side(self.session.state)
        self.refresh_bindings()

    def action_refresh(self) -> None:
        """Ask again what is cheap to ask."""
        self.post_message(Refresh())

    def action_refresh_costly(self) -> None:
        """Ask everything again, also what touches every node."""
        self.post_message(Refresh(costly=True))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A replay asks nobody; escape is the detail's only while it is open."""
        if action in ("refresh", "refresh_costly"):
            return self.session.supervisor is not None
        if action == "close_detail":
            return self.detail_open
        return True

    def on_descendant_focus(self) -> None:
        """Other keys work in a prompt than in the table."""
        self.refresh_all()
