"""The steps of a migration with their state and their commands."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from remote.events import StepChanged
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
        state, width = self.session.state, max(40, self.size.width - 2)
        lines = [plain(f"Migration {state.header.plan or 'none'} on {state.header.file_system}", "bold"), Text()]
        if not state.steps:
            lines.append(plain("   no migration belongs to this session", "dim"))
        for number in sorted(state.steps):
            lines += self._step(state.steps[number], width)
        if state.decisions:
            lines += [Text(), plain("Decisions", "bold")]
            zone = state.header.utc_offset
            for decision in state.decisions[-20:]:
                text = f"   {time_of_day(decision.t, zone)}  {decision.what}  [{decision.who}]"
                lines.append(Text(fit(" ".join(text.split(" ")), width).rstrip(), no_wrap=True))
        self.query_one("#text", Static).update(Text("\n").join(lines))

    def _step(self, step: StepChanged, width: int) -> list[Text]:
        sign = SIGNS.get(step.state, "")
        style = STYLES.get(step.state, "")
        times = self.session.state.step_times.get(step.number)
        took = duration_text(times[1] - times[0]) if times and step.state not in ("waiting", "checking") else ""
        head = f"{sign:<2} {step.number} {fit(step.name, 14)} {step.state:<10} {took:>11}  {step.title}"
        lines = [Text(fit(head, width).rstrip(), style=style, no_wrap=True)]
        if step.command:
            lines.append(plain(fit(f"     on {step.host}: {step.command}", width), "dim"))
        if step.detail and step.state not in ("waiting", "checking"):
            lines.append(plain(fit(f"     {step.detail}", width)))
        return lines
