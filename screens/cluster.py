"""The cluster: what is wrong first, then what runs, the nodes, the file system's facts and its pools."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from remote.folding import fold
from screens.base import SessionScreen
from screens.intents import Refresh
from screens.widgets.lines import Lines
from screens.widgets.render import fact_lines, labelled, plain, small_table
from supervision.clocktext import age_text
from supervision.running import unasked
from supervision.tables import Table


class ClusterScreen(SessionScreen):
    """First screen: is everything as it should be?"""

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
        with VerticalScroll(id="scroll"):
            yield Lines(id="text")

    def show_state(self) -> None:
        session, width = self.session, self.body_width
        state, fs, now = session.state, session.fs, session.now
        problems = fs.problems(state)
        lines = [plain("Problems", "bold")]
        lines += fact_lines(problems, width, now) or [plain(self._none(), indent=3)]
        lines += self._section("Running", None)
        lines += fact_lines(fs.running(state), width, now) or [plain("nothing that is known", indent=3)]
        if away := unasked(state):
            told = f"not told by {fold(away)}, so more may run there"
            lines += labelled("", told, width, label_width=0, indent=2, style="dim")
        lines += self._section(f"{fs.words.kind} {fs.name}", None)
        lines += fact_lines(fs.facts(state), width, now) or [plain("nothing is known yet", "dim", indent=3)]
        for title, table in (("Nodes", fs.nodes(state)), (fs.words.pools, fs.pools(state))):
            lines += self._section(title, table)
            lines += small_table(table, width)
        self.query_one("#text", Lines).show(lines)

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
        return [Text(), text]
