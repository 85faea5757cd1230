"""The application: modes for the numbered screens, the keys that work everywhere, and ten looks a second.

Connections and jobs belong to the supervisor, which is opened around the application and closed after it: a screen
may close at any time, and nothing stops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from screens.base import SessionApp, SessionScreen
from screens.cluster import ClusterScreen
from screens.migrate import MigrateScreen
from screens.restripe import RestripeScreen
from screens.widgets.frame import SCREENS
from supervision.session import Session

LOOK = 0.1
"""Seconds between two looks at the state."""

_MODES: dict[str, str | Callable[[], Screen[Any]]] = {
    "cluster": ClusterScreen,
    "migrate": MigrateScreen,
    "restripe": RestripeScreen,
}


class HelpScreen(ModalScreen[None]):
    """The keys that work on the screen below, made from its bindings."""

    DEFAULT_CSS = """
    HelpScreen { align: center middle; }
    HelpScreen > VerticalScroll { width: 76; max-width: 100%; height: auto; max-height: 90%; border: round $accent;
        padding: 0 1; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark", "dismiss", "back")]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(self._text, markup=False)


class RestripeApp(SessionApp):
    """Shows one session."""

    TITLE = "restripe"
    CSS = """
    Screen { layers: base; }
    #body { height: 1fr; padding: 0; }
    #scroll { height: 1fr; padding: 0 1; }
    """
    MODES = _MODES
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(key, f"show('{name}')", title, show=False, id=f"screen.{name}") for key, name, title in SCREENS),
        Binding("q", "quit_session", "quit", show=False, id="app.quit"),
        Binding("question_mark", "help", "help", show=False, id="app.help"),
        Binding("escape", "back", "back", show=False, id="app.back"),
        Binding("space", "play", "play/pause", id="replay.play"),
        Binding("period", "next_event", "next event", id="replay.next"),
        Binding("left_square_bracket", "mark(-1)", "mark before", id="replay.before", key_display="["),
        Binding("right_square_bracket", "mark(1)", "next mark", id="replay.after", key_display="]"),
        Binding("minus", "slower", "slower", id="replay.slower", key_display="-"),
        Binding("plus,equals_sign", "faster", "faster", id="replay.faster", key_display="+"),
        Binding("less_than_sign,comma", "jump(-600)", "-10 min", id="replay.back", key_display="<"),
        Binding("greater_than_sign", "jump(600)", "+10 min", id="replay.on", key_display=">"),
    ]

    def __init__(self, session: Session, *, first: str = "cluster") -> None:
        super().__init__()
        self.session = session
        self.animation_level = "none"
        self._first = first
        self._seen: object = None

    def on_mount(self) -> None:
        if self.session.player:
            self.run_worker(self.session.player.run(), exclusive=True, group="player")
        self.switch_mode(self._first)
        self.set_interval(LOOK, self._look)

    def say(self, text: str) -> None:
        """Put a text on the message line of the current screen."""
        if isinstance(self.screen, SessionScreen):
            self.screen.say(text)

    def _look(self) -> None:
        """Draw the visible screen when something it may show has changed: hidden ones do no work."""
        screen = self.screen
        seen = (self.session.state.revision, int(self.session.now), id(screen))
        if seen != self._seen and isinstance(screen, SessionScreen) and screen.is_mounted:
            self._seen = seen
            screen.refresh_all()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("play", "next_event", "mark", "slower", "faster", "jump"):
            return self.session.player is not None
        if action == "show":
            return parameters[0] in _MODES
        return True

    # keys

    def action_show(self, name: str) -> None:
        """Go to a numbered screen."""
        if isinstance(self.screen, ModalScreen):
            self.pop_screen()
        self.switch_mode(name)

    async def action_back(self) -> None:
        """Close what lies on top."""
        if len(self.screen_stack) > 1:
            self.pop_screen()

    def action_help(self) -> None:
        """Show the keys of the current screen."""
        if isinstance(self.screen, ModalScreen):
            return
        self.push_screen(HelpScreen(self._help_text()))

    def action_quit_session(self) -> None:
        """Leave; jobs on hosts go on."""
        self.exit(0)

    def action_play(self) -> None:
        """Play or pause the replay."""
        if player := self.session.player:
            player.playing = not player.playing and not player.ended
            self.say(f"playing {player.speed:g} times as fast" if player.playing else "paused")

    def action_next_event(self) -> None:
        """Play the next recorded event."""
        if player := self.session.player:
            player.next_event()

    def action_mark(self, step: int) -> None:
        """Jump to a mark."""
        if player := self.session.player:
            mark = player.to_mark(step)
            self.say(mark.label if mark else "no mark there")

    def action_jump(self, seconds: int) -> None:
        """Jump in time."""
        if player := self.session.player:
            player.seek(player.position + seconds)

    def action_faster(self) -> None:
        """Play twice as fast."""
        self._speed(2.0)

    def action_slower(self) -> None:
        """Play half as fast."""
        self._speed(0.5)

    def _speed(self, factor: float) -> None:
        if player := self.session.player:
            player.speed = min(max(player.speed * factor, 0.25), 100_000.0)
            self.say(f"{player.speed:g} times as fast as it was")

    def _help_text(self) -> str:
        screen = self.screen
        lines = [f"{screen.NAME.capitalize()}\n\n{screen.HELP_TEXT}\n"] if isinstance(screen, SessionScreen) else []
        lines.append("Keys")
        for active in sorted(screen.active_bindings.values(), key=lambda found: found.binding.description):
            if active.enabled and active.binding.description:
                key = active.binding.key_display or self.get_key_display(active.binding)
                lines.append(f"  {key:<14} {active.binding.description}")
        lines += ["", "Screens", "  " + "   ".join(f"{key} {title}" for key, name, title in SCREENS if name in _MODES)]
        return "\n".join(lines)
