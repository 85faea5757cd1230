"""The steps of a migration and what there is to read of them: the plan, the files of a command, a report."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType

from screens.base import SessionScreen
from screens.intents import WriteReport
from screens.widgets import saving
from screens.widgets.frame import MessageLine
from screens.widgets.grid_prompt import Prompt
from screens.widgets.textview import TextScreen
from supervision.guide_view import Shown, recorded_plan, shown
from supervision.leading import Leading
from supervision.plan import FILE, Plan, encode
from supervision.recipe import Act
from supervision.runbook import runbook


class Reading(SessionScreen):
    """The steps, the cursor, and what can be read of the step under it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "plan", "plan", id="migrate.show_plan"),
        Binding("f", "files", "files", id="migrate.files"),
        Binding("w", "report", "report", id="migrate.report"),
        Binding("slash", "find", "find", id="migrate.find"),
    ]

    cursor = 1
    """The number of the step that is shown in full."""
    _steps: tuple[Shown, ...] = ()
    _steps_of: tuple[object, ...] = ()
    _act: tuple[object, int, Act | None] = (None, 0, None)
    """What the step under the cursor would run, for which state and step that was found."""

    @property
    def leading(self) -> Leading | None:
        """What leads the session's migration."""
        return self.session.leading

    def steps(self, *, anew: bool = False) -> tuple[Shown, ...]:
        """The steps, worked out for each picture, and again only when something has changed."""
        session, guide = self.session, self.leading.guide if self.leading else None
        of = (session.state, guide, self.cursor)
        if anew or len(self._steps_of) != len(of) or any(a is not b for a, b in zip(self._steps_of, of, strict=True)):
            act = self._planned()
            acts = {self.cursor: act} if act else {}
            host = guide.host if guide else ""
            self._steps = shown(session.state, session.steps, acts, now=session.now, host=host)
            self._steps_of = of
        return self._steps

    def _planned(self) -> Act | None:
        """What the step under the cursor would run; worked out once for a state."""
        state = self.session.state
        if self.leading is None or self.leading.guide is None:
            return None
        busy = bool(self.leading.doing) and self._act[2] is not None  # answers come by the dozen then
        if self._act[1] != self.cursor or (self._act[0] is not state.facts and not busy):
            try:
                act = self.leading.act(self.cursor)
            except (ValueError, KeyError):
                act = None
            self._act = (state.facts, self.cursor, act)
        return self._act[2]

    def chosen(self, steps: tuple[Shown, ...]) -> Shown | None:
        """The step under the cursor."""
        return next((step for step in steps if step.number == self.cursor), steps[0] if steps else None)

    def present(self, steps: tuple[Shown, ...]) -> int | None:
        """The step that something is done with, or that is next."""
        if self.leading and self.leading.guide:
            return self.leading.current
        told = [step.number for step in steps if step.state != "waiting"]
        return told[-1] if told else None

    def recorded(self) -> Plan | None:
        """The plan that a recording holds."""
        return None if self.leading else recorded_plan(self.session.state)

    def action_plan(self) -> None:
        """Show the plan as a runbook."""
        guide = self.leading.guide if self.leading else None
        if guide:
            self.app.push_screen(
                TextScreen(f"Plan {guide.plan.id}", runbook(guide.plan, guide.recipe), file_name=f"{guide.plan.id}.md")
            )
        elif plan := self.recorded():
            self.app.push_screen(TextScreen(f"Plan {plan.id}", encode(plan), file_name=FILE))

    def action_files(self) -> None:
        """Show the files of the step's command."""
        step = self.chosen(self.steps())
        if step is None or not step.files:
            self.say("its command has no files")
            return
        text = "\n".join(f"# {name}\n{content}" for name, content in step.files) if step.files[1:] else step.files[0][1]
        self.app.push_screen(TextScreen(f"{step.files[0][0]} of step {step.number}", text, file_name=step.files[0][0]))

    def action_find(self) -> None:
        """Read the step as a text, which can be searched."""
        text = "\n".join(line.plain for line in self.lines_in_full())
        self.app.push_screen(TextScreen(f"Step {self.cursor}", text, file_name=f"step-{self.cursor}.txt"))

    def lines_in_full(self) -> list[Text]:
        """All that there is to say of the step under the cursor."""
        raise NotImplementedError

    def action_report(self) -> None:
        """Ask for the name of the report, and have it written."""
        if self.query(Prompt):
            return

        async def entered(typed: str) -> str:
            if not typed.strip():
                return "no name was given"
            self.post_message(WriteReport(typed.strip()))
            return ""

        name = saving.free_name(f"{self.session.state.header.plan or self.session.fs.name}-report.md")
        self.mount(Prompt("write the report into", name, entered, back_to=self), before=self.query_one(MessageLine))
