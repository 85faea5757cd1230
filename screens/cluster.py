"""The cluster: what is wrong first, then what runs, the nodes, the file system's facts and its pools."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll

from remote.folding import fold
from screens.base import SessionScreen
from screens.intents import Refresh
from screens.widgets.lines import Lines
from screens.widgets.render import fact_lines, labelled, plain, small_table
from supervision.clocktext import age_text
from supervision.running import unasked
from supervision.tables import Table

BESIDE = 160
"""Cells from which on nodes and pools stand beside the rest and not beneath it."""


class ClusterScreen(SessionScreen):
    """First screen: is everything as it should be?"""

    DEFAULT_CSS = """
    ClusterScreen #columns { height: auto; }
    ClusterScreen #text { width: 1fr; }
    ClusterScreen #beside { width: 1fr; padding: 0 0 0 2; }
    """

    NAME = "cluster"
    HELP_TEXT = (
        "What is wrong, what runs, the nodes with their roles and states, the file system's facts, and how full it is."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "refresh_now(False)", "ask", id="cluster.refresh"),
        Binding("R", "refresh_now(True)", "ask every node too", id="cluster.refresh_costly"),
    ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "refresh_now":
            return self.session.supervisor is not None
        return super().check_action(action, parameters)

    def action_refresh_now(self, costly: bool) -> None:
        """Ask anew, `costly` also what touches every node or reads much."""
        self.post_message(Refresh(costly=costly))

    def compose_body(self) -> ComposeResult:
        with VerticalScroll(id="scroll"), Horizontal(id="columns"):
            yield Lines(id="text")
            yield Lines(id="beside")

    def show_state(self) -> None:
        """What is wrong and what it is; then, or beside that where there is room, what it is made of."""
        beside = self.size.width >= BESIDE
        width = self.body_width // 2 - 2 if beside else self.body_width
        first, second = self._is(width), self._parts(width)
        self.query_one("#beside").display = beside
        self.query_one("#text", Lines).show(first if beside else [*first, Text(), *second])
        self.query_one("#beside", Lines).show(second if beside else [])

    def _is(self, width: int) -> list[Text]:
        """Problems, and facts of the whole."""
        session = self.session
        state, fs, now = session.state, session.fs, session.now
        problems = (*session.own_problems, *fs.problems(state))
        lines = [plain("Problems", "bold")]
        lines += fact_lines(problems, width, now) or [plain(self._none(), indent=3)]
        lines += [Text(), *self._section("Running", None)]
        lines += fact_lines(fs.running(state), width, now) or [plain("nothing that is known", indent=3)]
        if away := unasked(state):
            told = f"not told by {fold(away)}, so more may run there"
            lines += labelled("", told, width, label_width=0, indent=2, style="dim")
        lines += [Text(), *self._section(f"{fs.words.kind} {fs.name}", None)]
        lines += fact_lines(fs.facts(state), width, now) or [plain("nothing is known yet", "dim", indent=3)]
        return lines

    def _parts(self, width: int) -> list[Text]:
        """Its nodes and its pools."""
        state, fs = self.session.state, self.session.fs
        lines: list[Text] = []
        for title, table in (("Nodes", fs.nodes(state)), (fs.words.pools, fs.pools(state))):
            lines += [Text()] if lines else []
            lines += [*self._section(title, table), *small_table(table, width)]
        return lines

    def _none(self) -> str:
        """What it means that there is no problem: never an all-clear for what nobody has looked at."""
        state, fs = self.session.state, self.session.fs
        tables = (("disks", fs.disks(state)), ("nodes", fs.nodes(state)), ("space", fs.pools(state)))
        unknown = [name for name, table in tables if table.at is None]
        if len(unknown) == len(tables):
            return "not known: nothing has been looked at yet"
        return f"none that is known, but not looked at yet: {', '.join(unknown)}" if unknown else "none that is known"

    def _section(self, title: str, table: Table | None) -> list[Text]:
        text = Text(title, style="bold")
        if table and table.at is not None:
            text.append(f"   asked {age_text(table.at, self.session.now)} ago", "dim")
        return [text]
