"""A text to read: a file, a plan; with search, copying and saving, as a log has them."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from screens.widgets.frame import OneLine
from screens.widgets.logview import LogView, Saying
from supervision.logcopy import LogCopy

KEYS = "/ find  n next  w wrap  y copy  s save  esc close"


class TextScreen(Saying):
    """Shows a text; `name` is what a file that it is saved to is called at first."""

    DEFAULT_CSS = """
    TextScreen { align: center middle; }
    TextScreen > Vertical { width: 100%; max-width: 130; height: 100%; border: round $accent; background: $surface;
        padding: 0 1; }
    TextScreen #keys { text-style: dim; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss", "close", show=False)]

    def __init__(self, title: str, text: str, *, file_name: str) -> None:
        super().__init__()
        self._heading = title
        self._file_name = file_name
        self._copy = LogCopy()
        self._copy.write(0, text.encode())

    def compose(self) -> ComposeResult:
        with Vertical():
            yield LogView(following=False)
            yield OneLine(KEYS, id="keys")

    def on_mount(self) -> None:
        view = self.query_one(LogView)
        view.show(self._copy, key=self._file_name, title=self._heading, empty="it is empty")
        view.text.wrap = True
        view.text.focus()

    def say(self, text: str) -> None:
        """Show it beneath, in the place of the keys."""
        self.query_one("#keys", OneLine).show(text)
