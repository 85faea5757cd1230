"""The guided migration: its steps above, the one under the cursor in full below, and what to do next in a line."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import ActiveBinding, Binding, BindingType
from textual.containers import VerticalScroll

from screens.migrate_acting import Acting
from screens.migrate_lines import list_line, step_lines, window
from screens.migrate_next import before_a_plan, fill_text, next_text
from screens.widgets.lines import Lines
from screens.widgets.render import labelled, paragraph, plain
from supervision.clocktext import range_texts, time_of_day
from supervision.guide_view import Shown
from supervision.state import State

CLOCK = 9
"""Cells of the time of day beside a decision."""
LEAST = 8
"""Lines that a step in full has at least, where there are so many."""
FRAME = 4


class MigrateScreen(Acting):
    """Where the migration stands, and what comes next."""

    NAME = "migrate"
    HELP_TEXT = (
        "A migration, step by step; the line beneath the steps says what to do next. c checks a step, a takes note of "
        "a warning, r shows the exact command and asks before it runs. Whatever ends here, a command that was begun "
        "goes on on its host, and the next session finds it. u takes steps back, each asked for by itself. pageup and "
        "pagedown scroll the step, enter gives it all the room."
    )
    DEFAULT_CSS = """
    MigrateScreen #list { height: auto; }
    MigrateScreen #next { height: auto; background: $boost; text-style: bold; padding: 0 1; }
    MigrateScreen #list { padding: 0 1; }
    MigrateScreen.-zoomed #list { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "up", show=False, id="migrate.up"),
        Binding("down,j", "move(1)", "down", show=False, id="migrate.down"),
        Binding("enter", "zoom", "in full", id="migrate.zoom"),
        Binding("pageup,ctrl+b", "page(-1)", "page up", show=False, id="migrate.page_up"),
        Binding("pagedown,ctrl+f", "page(1)", "page down", show=False, id="migrate.page_down"),
        Binding("g,home", "ends(0)", "first line", show=False, id="migrate.begin"),
        Binding("G,end", "ends(1)", "last line", show=False, id="migrate.end"),
        Binding("escape", "present", "present step", show=False, id="migrate.present"),
    ]

    _followed: int | None = None
    """The step that was gone to last because it is the present one."""
    _shown_in_full: tuple[int, str] = (0, "")

    def compose_body(self) -> ComposeResult:
        yield Lines(id="list")
        yield Lines(id="next")
        with VerticalScroll(id="scroll", can_focus=False):
            yield Lines(id="text")

    def show_state(self) -> None:
        state, width = self.session.state, self.body_width
        steps = self.steps(anew=True)
        present = self.present(steps)
        if present is not None and present != self._followed:
            self._followed = self.cursor = present
            steps = self.steps(anew=True)  # with the command of that one
        step = self.chosen(steps)
        alarm = self._alarm()
        told = self._next(steps, step)
        head = [plain(part, "bold red") for part in paragraph(alarm, width)] if alarm else []
        head += [plain(part) for part in paragraph(told, width)] if told else []
        self.query_one("#next", Lines).show(head)
        self.query_one("#next").display = bool(head)
        room = max(3, self.size.height - FRAME - len(head) - LEAST - 1)
        across = max(10, min(width, self.size.width - 3))
        rows = [list_line(each, across, here=each is step) for each in window(steps, self.cursor, room)]
        self.query_one("#list", Lines).show([plain(self._heading(), "bold"), *rows])
        self.query_one("#text", Lines).show(self._below(state, step, width))
        if step and (step.number, step.state) != self._shown_in_full:
            self._shown_in_full = (step.number, step.state)
            self.query_one("#scroll").scroll_to(y=0, animate=False)

    def _heading(self) -> str:
        leading, state = self.session.leading, self.session.state
        guide = leading.guide if leading else None
        if guide is None:
            name = f"Migration {state.header.plan}" if state.header.plan else "Steps" if state.steps else "Migrate"
            return f"{name} on {state.header.file_system}"
        return f"{guide.recipe.name} on {guide.plan.file_system}   plan {guide.plan.id}, commands on {guide.host}"

    def _next(self, steps: tuple[Shown, ...], step: Shown | None) -> str:
        session, leading = self.session, self.session.leading
        if leading is None:
            return ""
        if leading.guide is None or step is None:
            return before_a_plan(leading, armed=session.armed, now=session.now, zone=session.state.utc_offset)
        return next_text(steps, step, leading, armed=session.armed, simulated=session.header.simulated)

    def _alarm(self) -> str:
        """That disks fill, and the way out, while there is one."""
        leading = self.session.leading
        if leading is None or leading.way_out is None:
            return ""
        return fill_text(self.session.fs.fills(self.session.state), "E: the prepared way out")

    def _below(self, state: State, step: Shown | None, width: int) -> list[Text]:
        lines: list[Text] = []
        leading = self.session.leading
        if step is not None:
            known = leading is None or leading.why in step.detail or bool(step.to_acknowledge)
            if leading and leading.why and not leading.doing and not known:
                lines += labelled("stopped", leading.why, width, label_width=8, style="bold")
            more = self._progress(state, step, width)
            lines += step_lines(step, width, self.session.now, state.utc_offset, more=more)
        elif leading is None:
            lines += labelled("", self.nothing_text(), width, label_width=0, indent=1)
        elif leading.guide is None:
            lines += self._without_plan(width)
        if state.decisions and (leading is None or step is None):
            lines += [Text(), plain("Decisions", "bold")]
            for decision in state.decisions[-20:]:
                clock, told = time_of_day(decision.t, state.utc_offset), f"{decision.what}  [{decision.who}]"
                lines += labelled(clock, told, width, label_width=CLOCK, indent=3)
        return lines

    def _without_plan(self, width: int) -> list[Text]:
        leading = self.session.leading
        lines: list[Text] = []
        for index, found in enumerate(leading.found if leading else ()):
            key = "o opens it" if not index else ""
            lines += labelled(found.host, f"{found.plan.id}: {found.plan.goal}. {key}", width, label_width=12)
        return lines

    def _progress(self, state: State, step: Shown, width: int) -> list[Text]:
        """How far its command is, where that is a scan."""
        if step.state != "running":
            return []
        job = self.session.fs.scan_job(state)
        if job is None or job.status.command != step.command:
            return []
        progress = self.session.fs.progress(state, job)
        counter, parts = progress.counter, [progress.phase.value]
        if counter and counter.fraction is not None:
            parts.append(f"{counter.done:,} of {counter.total:,} {counter.unit}, {counter.fraction:.1%}")
        if progress.finish:
            low, mid, high = range_texts(
                progress.finish.low, progress.finish.mid, progress.finish.high, self.session.now, state.utc_offset
            )
            parts.append(f"finish {low} - {high} likely, about {mid}")
        return labelled("works", "; ".join(parts), width, label_width=8, style="bold")

    def lines_in_full(self) -> list[Text]:
        """All that there is to say of the step under the cursor."""
        return self._below(self.session.state, self.chosen(self.steps()), self.body_width)

    # keys

    def in_footer(self, keys: list[ActiveBinding]) -> list[ActiveBinding]:
        """What changes something first."""
        order = ("c", "a", "r", "n", "o", "E", "X", "u")
        place = {key: number for number, key in enumerate(order)}
        return sorted(keys, key=lambda active: place.get(active.binding.key, len(order)))

    def action_move(self, step: int) -> None:
        """Go to another step; with one in full, scroll."""
        if self.has_class("-zoomed"):
            self.query_one("#scroll").scroll_relative(y=step, animate=False)
            return
        numbers = [each.number for each in self.steps()]
        if numbers:
            at = numbers.index(self.cursor) if self.cursor in numbers else 0
            self.cursor = numbers[min(max(0, at + step), len(numbers) - 1)]
        else:
            self.query_one("#scroll").scroll_relative(y=step, animate=False)
        self.refresh_all()

    def action_page(self, step: int) -> None:
        """Scroll the step."""
        scroll = self.query_one("#scroll")
        scroll.scroll_relative(y=step * max(1, scroll.size.height - 1), animate=False)

    def action_ends(self, which: int) -> None:
        """Go to its first or its last line."""
        scroll = self.query_one("#scroll")
        scroll.scroll_to(y=scroll.max_scroll_y if which else 0, animate=False)

    def action_zoom(self) -> None:
        """Give the step all the room, or some back to the list."""
        self.toggle_class("-zoomed")
        self.refresh_all()

    async def action_present(self) -> None:
        """Back to the list, then to the present step."""
        if self.has_class("-zoomed"):
            self.remove_class("-zoomed")
        else:
            present = self.present(self.steps())
            self.cursor = self.cursor if present is None else present
        self.refresh_all()
