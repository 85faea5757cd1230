"""What every screen is: the frame, one body, and a state to show. Screens hold no state that matters."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from textual.app import App, ComposeResult
from textual.binding import ActiveBinding, BindingType
from textual.containers import Container
from textual.screen import Screen

from screens.widgets.frame import KeyFooter, MessageLine, StatusLine, TabsLine
from screens.widgets.timeline import Timeline
from supervision.session import Session


class SessionApp(App[int]):
    """The application as screens know it."""

    session: Session

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Put a text on the message line of the current screen, `wrong` for a refusal or an error: it stays longer."""
        raise NotImplementedError


class SessionScreen(Screen[None]):
    """One of the numbered screens. A subclass composes its body and draws a state into it."""

    NAME: ClassVar[str] = ""
    """The mode's name."""
    HELP_TEXT: ClassVar[str] = ""
    """What the screen is for, on the help page."""
    WITHOUT: ClassVar[tuple[str, ...]] = ()
    """Widgets with keys that are never on it: keys that a person sets for those are free here, and the other way."""
    BINDINGS: ClassVar[list[BindingType]] = []

    @property
    def session(self) -> Session:
        """The session that is shown."""
        return cast("SessionApp", self.app).session

    @property
    def body_width(self) -> int:
        """Cells a line of the scrolled body has: the padding and the scroll bar take three."""
        return max(40, self.size.width - 3)

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Put a text on the message line, `wrong` for a refusal or an error: it stays longer."""
        self.query_one(MessageLine).tell(text, wrong=wrong)

    def compose(self) -> ComposeResult:
        yield StatusLine()
        yield TabsLine()
        if self.session.player:
            yield Timeline(self.session.player)
        with Container(id="body"):
            yield from self.compose_body()
        yield MessageLine()
        yield KeyFooter()

    def compose_body(self) -> ComposeResult:
        """The widgets between the frame's lines."""
        raise NotImplementedError

    def show_state(self) -> None:
        """Draw what the session knows now; called at most ten times a second, and only while it is visible."""
        raise NotImplementedError

    def refusal(self, host: str) -> str:
        """Why nothing may be changed on a host now; empty when it may."""
        writer, link = self.session.writer, self.session.state.links.get(host)
        if writer and writer.failure:
            return f"refused: the recording cannot be written ({writer.failure})"
        if link is None or link.state != "up":
            return f"refused: {host} is not connected, so nothing is known of it"
        return ""

    def in_footer(self, keys: list[ActiveBinding]) -> list[ActiveBinding]:
        """The keys that the footer tells of, in the order in which they get room there."""
        return keys

    def show_keys(self) -> None:
        """The keys that work here and now, in the footer and before the screens."""
        if not self.query(KeyFooter):
            return
        keys = [active for active in self.active_bindings.values() if active.enabled]
        self.query_one(TabsLine).show_current(self.NAME, [active.binding for active in keys])
        self.query_one(KeyFooter).show_keys(self.in_footer(keys), self.size.width)

    def refresh_all(self) -> None:
        """Draw the frame and the body, once they are there; not at the very end, when they may be there in part."""
        if not self.query(StatusLine) or self.app.return_code is not None:
            return
        self.query_one(StatusLine).show_session(self.session)
        self.show_state()
        self.show_keys()

    def on_mount(self) -> None:
        self.refresh_all()

    def on_screen_suspend(self) -> None:
        """Forget what was said: when a person comes back it may be so no more."""
        for line in self.query(MessageLine):  # none where it was left before it was there
            line.show("")

    def on_screen_resume(self) -> None:
        self.refresh_all()

    def on_resize(self, _event: Any) -> None:
        self.refresh_all()
