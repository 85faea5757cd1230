"""Bell and title: for a person who looks elsewhere. Both are off unless they are set, and only for a real terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from screens.base import SessionApp
from supervision.attention import Standing, news, title
from supervision.filesystem import Progress
from supervision.impact import Standing as Budget
from supervision.probejob import hurt
from supervision.session import Session
from supervision.state import Job
from tui.driver import TerminalDriver
from tui.settings import Screen


class Terminal(Protocol):
    """What has a bell and a title."""

    def ring(self) -> None:
        """Ring the bell."""

    def set_title(self, text: str) -> None:
        """Show a title; the one before comes back when this is empty."""


class Attention:
    """Looks at a session now and then. `say` puts the reason of a bell on the screen: a sound alone tells nothing."""

    def __init__(self, session: Session, options: Screen, say: Callable[[str], None]) -> None:
        self.bell, self.title = options.bell, options.title
        self._session = session
        self._say = say
        self._stood: Standing | None = None
        self._seen: object = None

    def look(self, terminal: Terminal) -> None:
        """Ring if there is reason to, and show how it stands. A replay never rings: what it shows is long over."""
        session = self._session
        if not (self.bell or self.title):
            return
        seen = (session.state.revision, int(session.now), self.bell, self.title)
        if seen == self._seen:
            return
        self._seen = seen
        job = session.fs.scan_job(session.state)
        progress = session.fs.progress(session.state, job) if job else None
        text = ""
        if self.title:
            zone = session.state.utc_offset
            text = title(session.fs.name, progress, session.now, zone, replayed=session.player is not None)
        terminal.set_title(text)
        self._call(terminal, self._standing(job, progress) if job and progress else None)

    def _standing(self, job: Job, progress: Progress) -> Standing:
        users = hurt(self._session.state, job) if self.bell else None
        over = users is not None and users.impact.standing is Budget.OVER
        return Standing((job.host, job.status.id), progress.phase, over)

    def _call(self, terminal: Terminal, stands: Standing | None) -> None:
        why = news(self._stood, stands, self._session.fs.words.scan)
        self._stood = stands
        if why and self.bell and not self._session.player:
            terminal.ring()
            self._say(why)

    def turn(self, what: str, terminal: Terminal) -> str:
        """Turn `bell` or `title` on or off until the program ends; what to say of it."""
        on = not getattr(self, what)
        setattr(self, what, on)
        if what == "title" and not on:
            terminal.set_title("")
        word = "on" if on else "off"
        return f"{word} until you leave; {what} = {str(on).lower()} under [screen] in config.toml keeps it"


class Attending(SessionApp):
    """What an application does with bell and title."""

    _attention: Attention | None = None

    def attend(self, options: Screen) -> Attention:
        """Look to bell and title as they are set."""
        self._attention = Attention(self.session, options, self.say)
        return self._attention

    def look_to_attention(self) -> None:
        """To be called now and then."""
        if self._attention and isinstance(self._driver, TerminalDriver):
            self._attention.look(self._driver)

    def action_attention(self, what: str) -> None:
        """Turn bell or title on or off, as long as this program runs."""
        if isinstance(self._driver, TerminalDriver):
            self.say((self._attention or self.attend(Screen())).turn(what, self._driver))
