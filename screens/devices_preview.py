"""What the marked devices would become: verdicts, what is asked, and the file. Nothing is run from here."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen

from screens.devices_judging import JudgingScreen, blocked
from screens.dialogs import AskText
from screens.widgets import clipboard, saving
from screens.widgets.frame import OneLine
from screens.widgets.grid_prompt import Prompt
from screens.widgets.lines import Lines
from screens.widgets.render import fact_lines, paragraph, plain
from supervision.filesystem import Preview, Question
from supervision.tables import Severity

KEYS = "y copy  e save  n names  g answer  esc close"
LABEL = 24  # "warning unlike its peers"
EVERY = 1.0
"""Seconds between two looks at whether the hosts tell something else by now."""


class PreviewScreen(ModalScreen[None]):
    """The marked devices of the screen beneath, judged as they are now."""

    DEFAULT_CSS = """
    PreviewScreen { align: center middle; }
    PreviewScreen > Vertical { width: 100%; max-width: 130; height: 100%; border: round $accent; background: $surface;
        padding: 0 1; }
    PreviewScreen #title { text-style: bold; }
    PreviewScreen #body { height: 1fr; scrollbar-size-vertical: 1; }
    PreviewScreen #told { text-style: bold; }
    PreviewScreen #keys { text-style: dim; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,v", "dismiss", "close", show=False),
        Binding("y", "copy", "copy", show=False),
        Binding("e", "save", "save", show=False),
        Binding("n", "names", "names", show=False),
        Binding("g,enter", "answer", "answer", show=False),
        Binding("j", "read(1)", "down", show=False),
        Binding("k", "read(-1)", "up", show=False),
    ]

    def __init__(self, of: JudgingScreen) -> None:
        super().__init__()
        self._of = of

    def compose(self) -> ComposeResult:
        with Vertical():
            yield OneLine(id="title")
            with VerticalScroll(id="body", can_focus=True):
                yield Lines(id="lines")
            yield OneLine(id="told")
            yield OneLine(KEYS, id="keys")

    def on_mount(self) -> None:
        self.set_interval(EVERY, self.draw)
        self.query_one("#body").focus()
        self.draw()

    def on_resize(self) -> None:
        self.draw()

    def draw(self) -> None:
        """Show the marked devices as they are judged now."""
        self._of.judge()
        made = self._of.preview
        if made is None:
            self.query_one("#title", OneLine).show("the marked devices are being judged")
            return
        width = max(30, min(130, self.size.width) - 5)
        self.query_one("#title", OneLine).show(f"{len(self._of.choosing.marks):,} marked: {made.makes}")
        self.query_one("#lines", Lines).show(self._lines(made, width))

    def _lines(self, made: Preview, width: int) -> list[Text]:
        now = self._of.session.now
        bad = [line for line in made.lines if line.severity is Severity.BAD]
        rest = [line for line in made.lines if line.severity is not Severity.BAD]
        lines: list[Text] = []
        if bad:
            reasons = "1 reason" if len(bad) == 1 else f"{len(bad):,} reasons"
            lines.append(plain(f"BLOCKED: {reasons}. Nothing takes a block back but another look", "bold"))
            lines += fact_lines(bad, width, now, label_width=LABEL)
        for question in made.asked:
            lines += [plain("")] if lines else []
            lines += [plain(part) for part in paragraph(_asked(question), width)]
        if made.by_hand:
            lines += [
                plain(""),
                plain("Only by a person's own hand:", "bold"),
                *fact_lines(made.by_hand, width, now, label_width=LABEL),
            ]
        if made.text:
            lines += [plain(f"{made.name or 'file'}, names from {made.pattern}:", "bold")]
            for each in made.text.splitlines():
                lines += [plain(part, indent=1) for part in paragraph(each, width - 1)]
        elif not bad and not made.asked:
            lines.append(plain("there is nothing to make a file of"))
        if rest:
            lines += [plain(""), *fact_lines(rest, width, now, label_width=LABEL)]
        return lines

    def action_read(self, step: int) -> None:
        """Scroll."""
        self.query_one("#body").scroll_relative(y=step, animate=False)

    def _tell(self, text: str) -> None:
        self.query_one("#told", OneLine).show(text)

    def _text(self) -> str:
        """The file, or nothing and a word why not."""
        made = self._of.preview
        if made is None or not made.text:
            self._tell(
                "there is no file while something blocks" if blocked(made) else "there is no file yet: g answers first"
            )
            return ""
        return made.text

    async def action_copy(self) -> None:
        """Copy the file's text."""
        if text := self._text():
            self._tell(await clipboard.copy(self.app, text))

    def action_save(self) -> None:
        """Save the file; what is there already is never written over."""
        text, made = self._text(), self._of.preview
        if not text or made is None or self.query(Prompt):
            return

        async def entered(typed: str) -> str:
            if (self._of.preview and self._of.preview.text) != text:
                return "the devices have changed meanwhile: esc, and read it again"
            try:
                self._tell(saving.save_text(text, typed))
            except saving.SaveError as error:
                return str(error)
            return ""

        name = saving.free_name(made.name or "devices.txt")
        self.mount(Prompt("save as", name, entered, back_to=self.query_one("#body")), after=self.query_one("#told"))

    def action_names(self) -> None:
        """Another pattern for the names of what is made."""
        made = self._of.preview
        if made is None or not made.fields:
            self._tell("the names cannot be chosen")
            return
        fields = made.fields

        def wrong(typed: str) -> str:
            left = typed
            for field in fields:
                left = left.replace(f"{{{field}}}", "")
            return (
                f"only {', '.join(f'{{{field}}}' for field in fields)} may stand in braces"
                if set("{}") & set(left)
                else ""
            )

        lines = [f"{{{field}}}" for field in fields]
        ask = AskText("Names of what is made", [f"fields: {', '.join(lines)}"], value=made.pattern, wrong=wrong)

        def take(typed: str | None) -> None:
            if typed is not None:
                self._of.choose(pattern=typed.strip())
                self.draw()

        self.app.push_screen(ask, take)

    def action_answer(self) -> None:
        """Answer what is asked, one question after the other."""
        made = self._of.preview
        if made is None or not made.asked:
            self._tell("nothing is asked")
            return
        question = made.asked[0]

        def take(typed: str | None) -> None:
            if typed is not None:
                self._of.choose(answer=(question.place, typed.strip()))
                self.draw()
                left = self._of.preview
                if left and left.asked and left.asked[0].place != question.place:
                    self.action_answer()

        options = f"There are: {', '.join(question.options)}. Another one may be typed." if question.options else ""
        lines = [line for line in (question.why, options) if line]
        self.app.push_screen(AskText(f"{question.what} of {question.place}", lines), take)


def _asked(question: Question) -> str:
    options = f" There are {', '.join(question.options)}." if question.options else ""
    return f"? {question.what} of {question.place}: {question.why}.{options} g answers."
