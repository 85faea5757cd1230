"""The application: modes for the numbered screens, the keys that work everywhere, and ten looks a second.

Connections and jobs belong to the supervisor, which is opened around the application and closed after it: a screen
may close at any time, and nothing stops.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.worker import WorkerFailed

from remote.errors import Trouble
from screens.base import SessionScreen
from screens.widgets.frame import SCREENS, key_text
from supervision.session import Session
from tui import theme
from tui.attention import Attending
from tui.carrying import BRAKE, LAUNCH, MIGRATION, STOP, Carrying
from tui.driver import TerminalDriver, has_shell
from tui.loading import loaded
from tui.modes import MODES
from tui.replaykeys import ReplayKeys
from tui.settings import Settings

if TYPE_CHECKING:
    from tui.help import Actions

LEAVING = "-leaving"
"""The class of the question whether to leave: it is put once."""
LOOK = 0.1
"""Seconds between two looks at the state."""


def _actions() -> type[Actions]:
    """The palette's, loaded when it is opened, as dialogs and help are: the first frame waits for none of them."""
    from tui.help import Actions

    return Actions


class RestripeApp(ReplayKeys, Carrying, Attending):
    """Shows one session."""

    TITLE = "restripe"
    CSS = """
    Screen { layers: base; }
    #body { height: 1fr; padding: 0; }
    #scroll { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    CommandPalette > Vertical { margin-top: 0; }
    """
    CSS += theme.CSS
    MODES = MODES
    DEFAULT_MODE = "cluster"  # without it a blank screen is made, styled and drawn first
    COMMANDS: ClassVar[set[Any]] = {_actions}
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(key, f"show('{name}')", title, show=False, id=f"screen.{name}") for key, name, title in SCREENS),
        Binding("q", "quit_session", "quit", show=False, id="app.quit"),
        Binding("question_mark", "help", "help", show=False, id="app.help"),
        Binding("ctrl+p", "command_palette", "palette", show=False, priority=True, id="app.palette"),
        Binding("escape", "back", "back", show=False, id="app.back"),
        Binding("ctrl+z", "suspend_process", "suspend", show=False, priority=True, id="app.suspend"),
        Binding("P", "play", "play/pause", id="replay.play"),
        Binding("full_stop", "next_event", "next event", id="replay.next", key_display="."),
        Binding("left_square_bracket", "mark(-1)", "mark before", id="replay.before", key_display="["),
        Binding("right_square_bracket", "mark(1)", "next mark", id="replay.after", key_display="]"),
        Binding("minus", "slower", "slower", id="replay.slower", key_display="-"),
        Binding("plus,equals_sign", "faster", "faster", id="replay.faster", key_display="+"),
        Binding("less_than_sign,comma", "jump(-600)", "-10 min", id="replay.back", key_display="<"),
        Binding("greater_than_sign", "jump(600)", "+10 min", id="replay.on", key_display=">"),
        Binding("T", "go_to", "go to time", id="replay.go"),
    ]

    def __init__(self, session: Session, *, first: str = "cluster") -> None:
        # asked for no colour: the terminal's own, of which the library then leaves nothing
        super().__init__(driver_class=TerminalDriver, ansi_color=True if theme.no_color() else None)
        theme.begin(self)
        self.session = session
        self.animation_level = "none"
        self._draws = 1 / LOOK
        self._greeting = ""
        self._first = first
        self._seen: object = None
        self._told: set[tuple[str, str]] = set()
        """Changed host keys (host, what it showed) that were explained."""
        self._held = contextlib.ExitStack()
        self._holds = False
        self._after_first: list[Callable[[], object]] = [self._play]

    def after_first_frame(self, work: Callable[[], object]) -> None:
        """Begin something when a person sees something: what it loads and reads would hold up the first frame."""
        self._after_first.append(work)

    def use(self, settings: Settings, greeting: str = "") -> None:
        """Take what a person set, before it is shown, and what to say first. Raises SettingsError for wrong keys."""
        if settings.config.keys:
            from tui.keymap import keymap

            self.set_keymap(keymap(settings))
        self.theme = theme.theme_for(self, settings)
        self._draws = settings.config.refresh.draws
        self._greeting = greeting
        self.attend(settings.config.screen)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The bands, for themes that know nothing of them."""
        return theme.BANDS

    def on_mount(self) -> None:
        self.switch_mode(self._first)
        self.screen.call_after_refresh(self._first_frame)
        self.set_interval(1 / self._draws, self._look)
        self.app_resume_signal.subscribe(self, lambda _app: self.screen.refresh())

    def _first_frame(self) -> None:
        loaded()
        works, self._after_first = self._after_first, []
        for work in works:
            work()

    def _play(self) -> None:
        if self.session.player:
            self.run_worker(self.session.player.run(), exclusive=True, group="player")

    def say(self, text: str, *, wrong: bool = False) -> None:
        shown = next((screen for screen in reversed(self.screen_stack) if isinstance(screen, SessionScreen)), None)
        if shown:
            shown.say(text, wrong=wrong)

    def _tell_changed_keys(self) -> None:
        """Explain a host key that has changed, once. There is no way to accept it here."""
        if self.session.supervisor is None or isinstance(self.screen, ModalScreen):
            return
        for link in self.session.state.links.values():
            told = (link.host, link.detail)
            if link.trouble == Trouble.CHANGED_KEY.value and link.state == "refused" and told not in self._told:
                from screens.dialogs import changed_key

                self._told.add(told)
                self.push_screen(changed_key(link.host, link.detail))
                return

    def _look(self) -> None:
        """Draw the visible screen when something it may show has changed: hidden ones do no work."""
        if not self.screen_stack or self._hold():
            return  # at the very end there is no screen
        self.look_to_attention()
        screen = self.screen
        seen = (self.session.state.revision, int(self.session.now), id(screen))
        if seen != self._seen and isinstance(screen, SessionScreen) and screen.is_mounted:
            self._seen = seen
            screen.refresh_all()
            self._tell_changed_keys()
            if self._greeting:
                greeting, self._greeting = self._greeting, ""
                self.say(greeting, wrong=True)  # it stays a while: a person reads something else first

    def _hold(self) -> bool:
        """Draw nothing while the terminal takes no bytes: all connections would wait for it, too."""
        driver = self._driver if isinstance(self._driver, TerminalDriver) else None
        if driver:
            driver.take_back()
        stalled = driver is not None and driver.stalled
        if stalled != self._holds:
            self._holds = stalled
            if stalled:
                self._held.enter_context(self.batch_update())
            else:
                self._held.close()
                self.screen.refresh()
        return stalled

    @property
    def crash(self) -> Exception | None:
        """The error of our own that has ended the application."""
        error = self._exception
        inner = error.error if isinstance(error, WorkerFailed) else error
        return inner if isinstance(inner, Exception) else error

    def _handle_exception(self, error: Exception) -> None:
        """End it; whoever runs it tells of the error. The library would print the values of all variables."""
        self._return_code = 1
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
        self._close_messages_no_wait()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("play", "next_event", "mark", "slower", "faster", "jump", "go_to"):
            return self.session.player is not None
        if action == "show":
            return parameters[0] in MODES
        if action == "command_palette":
            # a question is answered by its own keys alone; at the very end there is no screen
            return not isinstance(next(reversed(self.screen_stack), None), ModalScreen)
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
        from tui.help import HelpScreen, help_text

        self.push_screen(HelpScreen(help_text(self.screen)))

    def action_theme(self, name: str) -> None:
        """Show in other colours, as long as this program runs."""
        self.theme = name
        self.say(f'until you leave; theme = "{name}" in config.toml keeps it')

    def action_command_palette(self) -> None:
        """Open the palette, where something of its list can be seen."""
        from tui.help import LOWEST, Palette

        if self.size.height < LOWEST:
            self.say(f"the palette needs {LOWEST} lines")
        else:
            self.push_screen(Palette(id="--command-palette"))

    def on_command_palette_opened(self) -> None:
        """Nothing moves here, and no cursor blinks."""
        from textual.command import CommandPalette
        from textual.widgets import Input

        if isinstance(self.screen, CommandPalette):
            self.screen.query_one(Input).cursor_blink = False

    def action_suspend_process(self) -> None:
        """Stop, and let the shell have the terminal, if there is one that can let it go on."""
        if has_shell():
            super().action_suspend_process()
        else:
            self.say("no shell waits for this program, so it could not be continued: it goes on")

    async def action_quit(self) -> None:
        """The library's ctrl+q, which also works in a dialog: the same way out, and the same question."""
        await self.action_quit_session()

    def action_help_quit(self) -> None:
        """What ctrl+c does: a habit of the hand must end nothing."""
        quits = self._keymap.get("app.quit", "q").split(",")[0]
        self.say(f"ctrl+c ends nothing here: {key_text(quits)} or ctrl+q quits")

    async def action_quit_session(self) -> None:
        """Leave; jobs on hosts go on.

        Asks only where leaving ends something: the steps that were to follow, or the wait for what a host says to a
        launch or a stop.
        """
        if any(screen.has_class(LEAVING) for screen in self.screen_stack):
            return  # it is asked already

        supervisor = self.session.supervisor
        if supervisor and supervisor.runs(MIGRATION):
            self._ask_to_leave(
                "Leave in the middle of the migration?",
                "The simulated cluster ends with this program, and its jobs with it."
                if self.session.header.simulated
                else "The step that runs now goes on on its host, detached.",
                "The steps after it will NOT run: nobody is left to begin them.",
            )
        elif why := self.why_stay():
            self._ask_to_leave(*why)
        elif unsure := self.unsure:
            self._ask_to_leave(
                f"Leave while a {unsure} is under way?",
                f"Its host has not answered yet: you would NOT KNOW whether the {unsure} was sent, and what it did.",
                "It is a matter of seconds, or of the time limit where the host is silent: better wait for it.",
            )
        else:
            self.exit(0)

    @property
    def unsure(self) -> str:
        """What is being sent to a host, so that nobody knows yet what comes of it: a launch, a stop, or nothing."""
        supervisor = self.session.supervisor
        return next((name for name in (LAUNCH, STOP, BRAKE) if supervisor and supervisor.runs(name)), "")

    def _ask_to_leave(self, title: str, *happens: str) -> None:
        from screens.dialogs import ConfirmDanger

        entry, name = self.session.header.entry, self.session.fs.name
        dialog = ConfirmDanger(title, happens, "quit", (entry,), name, do="leave")
        dialog.add_class(LEAVING)
        self.push_screen(dialog, self._leave)

    def _leave(self, sure: bool | None) -> None:
        if sure:
            self.exit(0)
