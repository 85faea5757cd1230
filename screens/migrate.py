"""The steps of a migration with their state and their commands."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from remote.events import StepChanged
from remote.text import one_line
from screens.base import SessionScreen
from screens.dialogs import AskText, ConfirmDanger
from screens.intents import OpenGuide, StartMigration
from screens.widgets.lines import Lines
from screens.widgets.render import fit, fit_middle, labelled, plain
from supervision.clocktext import duration_text, time_of_day
from supervision.session import Session

SIGNS = {"done": "ok", "failed": "!!", "blocked": "!!", "unknown": "??", "waiting": "", "checking": ">", "running": ">"}
STYLES = {"failed": "bold red", "blocked": "bold red", "unknown": "bold yellow", "running": "bold", "waiting": "dim"}

CLOCK = 9
"""Cells of the time of day beside a decision."""


class MigrateScreen(SessionScreen):
    """What was done, what is being done, what comes next."""

    NAME = "migrate"
    HELP_TEXT = "The steps of the migration: state, the exact command of each, when and how long, and what came of it."

    BINDINGS: ClassVar[list[BindingType]] = [Binding("r", "start", "run the migration", id="migrate.run")]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "start":
            return self.session.armed and (self.session.migration or self.session.guides) is not None
        return super().check_action(action, parameters)

    def action_start(self) -> None:
        """Ask whether to run it; it changes a live file system. Where there may be several, ask first which it is."""
        session, migration, guides = self.session, self.session.migration, self.session.guides
        if migration is None and guides is not None:
            dialog = AskText("What is to be done?", guides.lines, value=guides.example, wrong=guides.wrong)
            self.app.push_screen(dialog, self._chosen)
        if migration is None:
            return
        confirm = ConfirmDanger(
            f"Run on {session.fs.name}: {migration.title}?",
            migration.lines,
            "\n       ".join(migration.commands()),
            migration.hosts,
            session.fs.name,
            do="run it",
        )
        self.app.push_screen(confirm, self._confirmed)

    def _confirmed(self, sure: bool | None) -> None:
        if sure:
            self.post_message(StartMigration())
        elif self.session.guides:
            self.session.migration = None  # another one may be typed

    def _chosen(self, typed: str | None) -> None:
        if typed:
            self.say("looking at what speaks against it; nothing is changed")
            self.post_message(OpenGuide(typed))

    def compose_body(self) -> ComposeResult:
        with VerticalScroll(id="scroll"):
            yield Lines(id="text")

    _followed: tuple[int, str] = (0, "")
    """The step that was brought into sight last, and its state then."""

    def show_state(self) -> None:
        state, width = self.session.state, self.body_width
        name = f"Migration {state.header.plan or 'none'}" if state.header.plan or not state.steps else "Steps"
        lines = [plain(f"{name} on {state.header.file_system}", "bold"), Text()]
        if not state.steps:
            ready = session_text(self.session)
            lines += labelled("", ready, width, label_width=0, indent=2)
        present, ends = (0, ""), 0
        for number in sorted(state.steps):
            step = state.steps[number]
            lines += self._step(step, width)
            if step.state != "waiting":
                present, ends = (number, step.state), len(lines)
        if state.decisions:
            lines += [Text(), plain("Decisions", "bold")]
            zone = state.utc_offset
            for decision in state.decisions[-20:]:
                clock, told = time_of_day(decision.t, zone), f"{decision.what}  [{decision.who}]"
                lines += labelled(clock, told, width, label_width=CLOCK, indent=3)
        self.query_one("#text", Lines).show(lines)
        if present != self._followed:
            self._followed = present
            self.call_after_refresh(self._bring_into_sight, ends)

    def _bring_into_sight(self, ends: int) -> None:
        """Show the present step whole when it has become another; else the screen stays where a person left it."""
        scroll = self.query_one("#scroll")
        if ends > scroll.scroll_y + scroll.size.height or ends < scroll.scroll_y:
            scroll.scroll_to(y=max(0, ends + 1 - scroll.size.height), animate=False)

    def _step(self, step: StepChanged, width: int) -> list[Text]:
        sign = SIGNS.get(step.state, "")
        style = STYLES.get(step.state, "")
        times = self.session.state.step_times.get(step.number)
        until = self.session.now if step.state in ("checking", "running", "verifying") else times[1] if times else 0.0
        took = duration_text(max(0.0, until - times[0])) if times and step.state != "waiting" else ""
        head = f"{sign:<2} {step.number} {fit(step.name, 14)} {step.state:<10} {took:>11}  {step.title}"
        lines = [Text(fit(head, width).rstrip(), style=style, no_wrap=True)]
        if step.command:
            told = f"on {step.host}: {step.command}"
            if step.state == "done":  # its end tells which file it read; the whole stands on the Commands screen
                lines.append(plain(fit_middle(one_line(told), width - 5).rstrip(), "dim", indent=5))
            else:
                lines += labelled("", told, width, label_width=0, indent=4, style="dim")
        if step.detail and step.state not in ("waiting", "checking"):
            lines += labelled("", step.detail, width, label_width=0, indent=4)
        return lines


def session_text(session: Session) -> str:
    """What there is to say while no step was announced."""
    if session.migration and session.armed:
        return f"ready: {session.migration.title}. r runs it, after you have typed the file system's name"
    if session.guides:
        how = "r begins one" if session.armed else "with --write one can be begun"
        return f"{how}: {session.guides.title}; it is looked first what speaks against it"
    if session.player or session.header.simulated:
        return "no migration belongs to this session"
    return (
        "no migration belongs to this session: this release performs one, all metadata to new SSDs, on the simulated "
        "cluster alone (restripe demo). Here it watches, follows jobs, and runs single commands that leave disks alone"
    )
