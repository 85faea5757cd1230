"""The steps of a migration with their state and their commands."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from remote.events import StepChanged
from remote.text import one_line
from screens.base import SessionScreen
from screens.widgets.render import fit, plain
from supervision.clocktext import duration_text, time_of_day

SIGNS = {"done": "ok", "failed": "!!", "blocked": "!!", "unknown": "??", "waiting": "", "checking": ">", "running": ">"}
STYLES = {"failed": "bold red", "blocked": "bold red", "unknown": "bold yellow", "running": "bold", "waiting": "dim"}


class MigrateScreen(SessionScreen):
    """What was done, what is being done, what comes next."""

    NAME = "migrate"
    HELP_TEXT = "The steps of the migration: state, the exact command of each, when and how long, and what came of it."

    def compose_body(self) -> ComposeResult:
        with VerticalScroll(id="scroll"):
            yield Static("", id="text", markup=False)

    def show_state(self) -> None:
        state, width = self.session.state, self.body_width
        lines = [plain(f"Migration {state.header.plan or 'none'} on {state.header.file_system}", "bold"), Text()]
        if not state.steps:
            lines.append(plain("no migration belongs to this session", "dim", indent=3))
        for number in sorted(state.steps):
            lines += self._step(state.steps[number], width)
        if state.decisions:
            lines += [Text(), plain("Decisions", "bold")]
            zone = state.header.utc_offset
            for decision in state.decisions[-20:]:
                text = one_line(f"{time_of_day(decision.t, zone)}  {decision.what}  [{decision.who}]")
                lines.append(plain(fit(text, width - 3), indent=3))
        self.query_one("#text", Static).update(Text("\n").join(lines))

    def _step(self, step: StepChanged, width: int) -> list[Text]:
        sign = SIGNS.get(step.state, "")
        style = STYLES.get(step.state, "")
        times = self.session.state.step_times.get(step.number)
        until = self.session.now if step.state in ("checking", "running", "verifying") else times[1] if times else 0.0
        took = duration_text(max(0.0, until - times[0])) if times and step.state != "waiting" else ""
        head = f"{sign:<2} {step.number} {fit(step.name, 14)} {step.state:<10} {took:>11}  {step.title}"
        lines = [Text(fit(head, width).rstrip(), style=style, no_wrap=True)]
        if step.command:
            lines.append(plain(fit(one_line(f"on {step.host}: {step.command}"), width - 5), "dim", indent=5))
        if step.detail and step.state not in ("waiting", "checking"):
            lines.append(plain(fit(one_line(step.detail), width - 5), indent=5))
        return lines
