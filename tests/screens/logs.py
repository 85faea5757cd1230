"""What the tests of log views share: an app with nothing but a log."""

from __future__ import annotations

from textual.app import App, ComposeResult

from screens.widgets.logview import LogView
from supervision.logcopy import LogCopy


class LogApp(App[None]):
    """A log view over a copy that the test feeds."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, *pieces: bytes, following: bool = True) -> None:
        super().__init__()
        self.copy = LogCopy()
        self.following = following
        self.limit: int | None = None
        self.feed(*pieces)

    def feed(self, *pieces: bytes, at: float | None = None) -> None:
        """More of the log."""
        for piece in pieces:
            self.copy.write(self.copy.size, piece, at)

    def compose(self) -> ComposeResult:
        yield LogView(following=self.following)

    def on_mount(self) -> None:
        self.show()
        self.view.text.focus()

    @property
    def view(self) -> LogView:
        """The view."""
        return self.query_one(LogView)

    def show(self) -> None:
        """What an application does after each event."""
        self.view.show(self.copy, key="test", limit=self.limit)

    @property
    def lines(self) -> list[str]:
        """The lines in sight, gutter included, without styles."""
        text = self.view.text
        return [text.render_line(y).text.rstrip() for y in range(text.height)]

    @property
    def status(self) -> str:
        """The line beneath."""
        return str(self.view.query_one("#log-status").render())
