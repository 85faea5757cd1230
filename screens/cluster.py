"""The cluster: what is wrong first, then nodes, the file system's facts and its pools."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from screens.base import SessionScreen
from screens.intents import Refresh
from screens.widgets.lines import Lines
from screens.widgets.render import fact_lines, plain, small_table
from supervision.clocktext import age_text
from supervision.tables import Table


class ClusterScreen(SessionScreen):
    """First screen: is everything as it should be?"""

    NAME = "cluster"
    HELP_TEXT = "Nodes with their roles and states, the file system's facts, its pools, and what is wrong with them."

    BINDINGS: ClassVar[list[BindingType]] = [Binding("r", "refresh_now", "ask again", id="cluster.refresh")]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "refresh_now":
            return self.session.supervisor is not None
        return super().check_action(action, parameters)

    def action_refresh_now(self) -> None:
        """Ask everything anew, also what touches every node."""
        self.post_message(Refresh(costly=True))

    def compose_body(self) -> ComposeResult:
        with VerticalScroll(id="scroll"):
            yield Lines(id="text")

    def show_state(self) -> None:
        session, width = self.session, self.body_width
        state, fs, now = session.state, session.fs, session.now
        problems = (*session.own_problems, *fs.problems(state))
        lines = [plain("Problems", "bold")]
        lines += fact_lines(problems, width, now) or [plain("none that is known", indent=3)]
        lines += self._section(f"{fs.words.kind} {fs.name}", None)
        lines += fact_lines(fs.facts(state), width, now) or [plain("nothing is known yet", "dim", indent=3)]
        for title, table in (("Nodes", fs.nodes(state)), ("Pools", fs.pools(state))):
            lines += self._section(title, table)
            lines += small_table(table, width)
        self.query_one("#text", Lines).show(lines)

    def _section(self, title: str, table: Table | None) -> list[Text]:
        text = Text(title, style="bold")
        if table and table.at is not None:
            text.append(f"   asked {age_text(table.at, self.session.now)} ago", "dim")
        return [Text(), text]
