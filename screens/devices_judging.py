"""Marked devices and the live verdict on them: a line above the table while something is marked."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult

from screens.widgets.frame import OneLine
from screens.widgets.grid_screen import GridScreen
from screens.widgets.render import fit, fit_middle
from supervision.filesystem import Choosing, Preview, worst
from supervision.state import State
from supervision.tables import Severity

AT_ONCE = 60
"""Marked devices that are judged at once; more are judged in a thread, for a thousand take half a second."""
HINT = "  v: preview"


def said_of(preview: Preview) -> str:
    """The verdict in a line: what would be made, and ok, or the worst that speaks against it."""
    bad = [line for line in preview.lines if line.severity is Severity.BAD]
    if bad:
        return f"BLOCKED ({len(bad)}): {bad[0].value}"
    if preview.asked:
        more = f" and {len(preview.asked) - 1} more" if len(preview.asked) > 1 else ""
        return f"{preview.makes}: {preview.asked[0].what} of {preview.asked[0].place}{more}?"
    warnings = sum(line.severity is Severity.WARNING for line in preview.lines)
    return f"{preview.makes} - {f'{warnings} warnings' if warnings > 1 else '1 warning' if warnings else 'ok'}"


def blocked(preview: Preview | None) -> bool:
    """Whether something speaks against it that nobody can confirm away."""
    return preview is not None and worst(preview.lines) is Severity.BAD


class JudgingScreen(GridScreen):
    """A table of which rows can be chosen for something, and what speaks for and against that."""

    DEFAULT_CSS = """
    JudgingScreen #marked { background: $boost; text-style: bold; display: none; }
    JudgingScreen #marked.-shown { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.choosing = Choosing()
        self.preview: Preview | None = None
        """What the marked devices would become, as it was judged last; None while that is not known."""
        self._judged: tuple[object, ...] = ()

    def compose_head(self) -> ComposeResult:
        yield from super().compose_head()
        yield OneLine(id="marked")

    def mark(self, keys: Sequence[str]) -> None:
        """Have these marked and no others, by the keys of their rows."""
        self._choose(Choosing(tuple(keys), self.choosing.pattern, self.choosing.answers))

    def choose(self, *, pattern: str | None = None, answer: tuple[str, str] | None = None) -> None:
        """Take another pattern of names, or the answer (place, text) to what was asked."""
        old = self.choosing
        answers = {**old.answers, answer[0]: answer[1]} if answer else old.answers
        self._choose(Choosing(old.marks, old.pattern if pattern is None else pattern, answers))
        self.judge()
        self.show_marked()

    def _choose(self, choosing: Choosing) -> None:
        self.choosing = self.session.choosing = choosing
        self.preview = None  # nothing may be saved that belongs to another choice

    def judge(self) -> None:
        """Judge the marked devices as they are now, unless that has been done."""
        state, choosing = self.session.state, self.choosing
        if not choosing.marks:
            self.preview, self._judged = None, ()
            return
        judged = (choosing, state.facts, state.links, state.places)  # a host that is gone tells no fact
        if self._judged and all(a is b for a, b in zip(self._judged, judged, strict=True)):
            return
        self._judged = judged
        if len(choosing.marks) <= AT_ONCE:
            self.preview = self.session.fs.preview(state, choosing)
        else:
            self.run_worker(lambda: self._judge_apart(state, choosing), thread=True, exclusive=True, group="judge")

    def _judge_apart(self, state: State, choosing: Choosing) -> None:
        made = self.session.fs.preview(state, choosing)

        def take() -> None:
            if self.choosing is choosing:
                self.preview = made
                self.show_marked()

        if self.app.is_running:
            self.app.call_from_thread(take)

    def show_marked(self) -> None:
        """Say how many are marked, and the verdict; nothing while none is."""
        line, count = self.query_one("#marked", OneLine), len(self.choosing.marks)
        line.set_class(bool(count), "-shown")
        text = f" * {count:,} marked: {said_of(self.preview) if self.preview else 'being judged'}"
        cut = fit if blocked(self.preview) else fit_middle  # the reason begins a block, and the verdict ends all else
        line.show(cut(text, max(20, self.size.width - len(HINT) - 1)) + HINT)
