"""The disks: one table of all that is known of them, with sums by what they hold and where."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType

from screens.widgets.grid_screen import GridScreen
from screens.widgets.render import plain, small_table
from supervision.clocktext import age_text
from supervision.state import State
from supervision.tables import Table


class DisksScreen(GridScreen):
    """Which disk is where, holds what, in which state, and how full it is."""

    NAME = "disks"
    HELP_TEXT = (
        "Every disk with its status, what it holds, its size and free space. Columns that did not fit: w. What has "
        "changed since the last look has ~ before it (+ is new); enter shows one disk closely, t the sums over all."
    )
    BINDINGS: ClassVar[list[BindingType]] = [Binding("t", "totals", "totals", id="disks.totals")]

    def table(self, state: State) -> Table:
        """The disks."""
        return self.session.fs.disks(state)

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
