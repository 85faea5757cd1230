"""The application: modes for the numbered screens, the keys that work everywhere, and ten looks a second.

Connections and jobs belong to the supervisor, which is opened around the application and closed after it: a screen
may close at any time, and nothing stops.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.worker import WorkerFailed

from remote.command import Command, Effect
from remote.errors import SiteError, Trouble
from remote.hostkeys import HostKeyQuestion, Trust
from remote.jobs import JobSpec, JobState, JobStatus
from remote.linux.host_time import host_time
from remote.secret import SecretQuestion
from screens.base import SessionApp, SessionScreen
from screens.intents import FollowJob, LaunchJob, Refresh, RefreshJobs, StartMigration, StopJob
from screens.widgets.frame import SCREENS, key_text
from screens.widgets.timeline import Timeline
from supervision.clocktext import time_of_day
from supervision.migration import operator_name, perform
from supervision.session import Session
from supervision.supervisor import Supervisor
from tui import theme
from tui.driver import TerminalDriver, has_shell
from tui.loading import loaded
from tui.modes import MODES
from tui.settings import Settings

if TYPE_CHECKING:
    from screens.dialogs import Dialog
    from tui.help import Actions

MIGRATION = "migration"
"""The name of the background work that runs a migration's steps."""
REFRESH = "refresh"
"""The name of what asks again because a person wanted it."""
LAUNCH, STOP = "launch", "stop"
"""The names of what sends a command to a host, or a signal to a job: until its end nobody knows what came of it."""
LEAVING = "-leaving"
"""The class of the question whether to leave: it is put once."""
LOOK = 0.1
"""Seconds between two looks at the state."""


def _actions() -> type[Actions]:
    """The palette's, loaded when it is opened, as dialogs and help are: the first frame waits for none of them."""
    from tui.help import Actions

    return Actions


class RestripeApp(SessionApp):
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
        screen = self.screen
        seen = (self.session.state.revision, int(self.session.now), id(screen))
        if seen != self._seen and isinstance(screen, SessionScreen) and screen.is_mounted:
            self._seen = seen
            screen.refresh_all()
            self._tell_changed_keys()
            if self._greeting:
                greeting, self._greeting = self._greeting, ""
                self.say(greeting, wrong=True)  # the only one there is: --write has no effect

    def _hold(self) -> bool:
        """Draw nothing while the terminal takes no bytes: all connections would wait for it, too."""
        stalled = isinstance(self._driver, TerminalDriver) and self._driver.stalled
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

    # what screens want

    def on_refresh(self, intent: Refresh) -> None:
        """Ask again now."""
        supervisor, watch = self.session.supervisor, self.session.watch
        if supervisor is None or watch is None:
            return
        if supervisor.runs(REFRESH):  # a hand on the key must not line up questions that touch every node
            self.say("it is being asked already; the answers come as they are there")
            return
        supervisor.start(REFRESH, watch.refresh(costly=intent.costly))
        self.say("asking again, also what touches every node or reads much" if intent.costly else "asking again")

    def on_refresh_jobs(self, _intent: RefreshJobs) -> None:
        """Ask every host for its jobs."""
        if supervisor := self.session.supervisor:
            supervisor.start("jobs", supervisor.look_at_jobs(supervisor.site.hosts))

    def on_follow_job(self, intent: FollowJob) -> None:
        """Follow a job to its end; it goes on without us."""
        if supervisor := self.session.supervisor:
            supervisor.follow(intent.host, intent.job_id)

    def on_stop_job(self, intent: StopJob) -> None:
        """Stop a job that was confirmed to be stopped."""
        supervisor = self.session.supervisor
        if supervisor is None or not self.session.armed:
            return
        supervisor.start(STOP, self._carry_out(supervisor.site.stop(intent.host, intent.job_id)))

    def on_launch_job(self, intent: LaunchJob) -> None:
        """Run a command that was confirmed, as a detached job."""
        supervisor = self.session.supervisor
        if supervisor is None or not self.session.armed:
            return
        why = self.session.fs.may_run(intent.argv)
        if why:
            self.say(why, wrong=True)
            return
        supervisor.start(LAUNCH, self._launch(supervisor, intent))

    async def _launch(self, supervisor: Supervisor, intent: LaunchJob) -> None:
        stamp = time_of_day(self.session.now, self.session.state.utc_offset).replace(":", "")
        job_id = f"{self.session.fs.name}-by-hand-{stamp}-{secrets.token_hex(2)}"
        command = Command(intent.argv, Effect.CHANGES)
        try:  # what is known of a host may be half a minute old, and a command must not run long after it was confirmed
            await supervisor.site.query(intent.host, host_time())
        except SiteError as error:
            self.say(f"nothing was sent: {error}")
            return
        spec = JobSpec(job_id, "run by hand, no checks", operator_name(), command)
        await self._carry_out(supervisor.site.launch(intent.host, spec))
        supervisor.follow(intent.host, job_id)

    async def _carry_out(self, work: Coroutine[Any, Any, JobStatus]) -> None:
        """Do something that changes the far side, and say how it stands then."""
        try:
            status = await work
        except SiteError as error:
            self.say(str(error), wrong=True)
        else:
            wrong = status.state in (JobState.ERROR, JobState.UNKNOWN)
            self.say(f"job {status.id}: {status.meaning}", wrong=wrong)

    def on_start_migration(self, _intent: StartMigration) -> None:
        """Run the migration of this session, once."""
        session = self.session
        if session.supervisor is None or session.migration is None or not session.armed:
            return
        migration, session.migration = session.migration, None
        session.supervisor.start(MIGRATION, perform(migration))

    # what a person is asked on behalf of others

    async def ask_host_key(self, question: HostKeyQuestion) -> Trust:
        """Put an unknown host key to the person."""
        from screens.dialogs import HostKeyDialog

        dialog = HostKeyDialog(question.host, question.fingerprint, kind=question.algorithm, where="known_hosts")
        return {"once": Trust.ONCE, "save": Trust.SAVE}.get(await self._ask_person(dialog) or "", Trust.NO)

    async def ask_secret(self, question: SecretQuestion) -> str | None:
        """Ask the person for a password or passphrase."""
        from screens.dialogs import AskText, SecretDialog

        title = f"{question.host}: {question.prompt}"
        if question.echo:
            return await self._ask_person(AskText(title))
        return await self._ask_person(
            SecretDialog(title, ("What was typed before was wrong.",) if question.again else ())
        )

    async def _ask_person(self, dialog: Dialog[str | None]) -> str | None:
        """Show a dialog and wait; whoever asks need not belong to the application."""
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

        def answered(given: str | None) -> None:
            if not answer.done():
                answer.set_result(given)

        self.call_later(self.push_screen, dialog, answered)
        return await answer

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
        return next((name for name in (LAUNCH, STOP) if supervisor and supervisor.runs(name)), "")

    def _ask_to_leave(self, title: str, *happens: str) -> None:
        from screens.dialogs import ConfirmDanger

        entry, name = self.session.header.entry, self.session.fs.name
        dialog = ConfirmDanger(title, happens, "quit", (entry,), name, do="leave")
        dialog.add_class(LEAVING)
        self.push_screen(dialog, self._leave)

    def _leave(self, sure: bool | None) -> None:
        if sure:
            self.exit(0)

    def action_play(self) -> None:
        """Play or pause the replay."""
        if player := self.session.player:
            player.playing = not player.playing and not player.ended
            for timeline in self.screen.query(Timeline):
                timeline.tell_playing()

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

    def action_go_to(self) -> None:
        """Jump to a moment that the person types."""
        player = self.session.player
        if player is None or isinstance(self.screen, ModalScreen):
            return
        from screens.dialogs import AskText
        from tui.replay import moment, no_moment

        replay = player.replay

        def go(typed: str | None) -> None:
            if typed:
                player.seek(moment(replay, typed.strip()))

        lines = ("HH:MM:SS on the hosts' clock, +MINUTES since the beginning, a mark's first words, or end.",)
        self.push_screen(AskText("Go to which moment?", lines, wrong=lambda typed: no_moment(replay, typed)), go)

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
