"""A session as the screens see it: live or replayed, the same state, the same file system.

A screen asks the session and never a host. What only a live session can do is on its supervisor; a replay has none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from remote.events import Event, Header
from remote.recording import Writer
from supervision.brake import USUAL, Terms
from supervision.filesystem import Choosing, FileSystem
from supervision.guides import Guides
from supervision.leading import Leading
from supervision.logcopy import LogCopies
from supervision.migration import Migration
from supervision.player import Player
from supervision.probejob import Wish
from supervision.recipe import GuidedStep
from supervision.state import State
from supervision.store import Store
from supervision.supervisor import Supervisor
from supervision.tables import Line, Severity
from supervision.watching import Watch

Listener = Callable[[State, Event | None], None]
Steps = Callable[[State], Mapping[int, GuidedStep]]
"""The steps of the migration that a recording is of, by number; none where nothing in it tells."""


class Session:
    """Either `supervisor` (live) or `player` (a replay) is set."""

    def __init__(
        self,
        source: Store | Player,
        fs: FileSystem,
        *,
        supervisor: Supervisor | None = None,
        watch: Watch | None = None,
        writer: Writer | None = None,
        migration: Migration | None = None,
        leading: Leading | None = None,
        steps: Steps | None = None,
        probe: Wish | None = None,
        terms: Terms = USUAL,
        guides: Guides | None = None,
    ) -> None:
        self._source = source
        self.fs = fs
        self.supervisor = supervisor
        self.watch = watch
        """What asks by itself, and again when a person wants it."""
        self.player = source if isinstance(source, Player) else None
        self.writer = writer
        self.migration = migration
        """The migration that waits for a person; None once it was begun, or where there is none."""
        self.leading = leading
        """The migration that is led step by step; None where there cannot be one."""
        self._steps = steps
        self.choosing = Choosing()
        """The devices that a person has marked."""
        self.probe = probe or Wish()
        """The probe that a person has set; it is started only when that is confirmed."""
        self.guides = guides
        """What a person may begin by typing what it is; each becomes `migration` once it was looked at."""
        self.terms = terms
        """How limits are to be set."""
        self.logs = self.player.logs if self.player else LogCopies()
        if not self.player:
            source.listen(self.logs.on_event)

    @property
    def state(self) -> State:
        """What is known now, or was at the replayed moment."""
        return self._source.state

    @property
    def header(self) -> Header:
        """What the session is about."""
        return self.state.header

    @property
    def steps(self) -> Mapping[int, GuidedStep]:
        """The steps of the guided migration by number, those that take back last; none where no plan is known."""
        if self.leading and self.leading.guide:
            return self.leading.guide.steps
        return self._steps(self.state) if self._steps else {}

    @property
    def recording_text(self) -> str:
        """How large the recording is, or why it is not written; nothing for a session that keeps none."""
        if self.writer is None:
            return ""
        return f"NOT RECORDED: {self.writer.failure}" if self.writer.failure else f"rec {self.writer.size // 1024:,} KB"

    @property
    def own_problems(self) -> tuple[Line, ...]:
        """What is wrong with this program's own session, each with what to do."""
        if self.writer is None or not self.writer.failure:
            return ()
        why = f"not written any more: {self.writer.failure}. What happens is kept nowhere, so nothing may be changed"
        advice = (
            f"Mend that at {self.writer.path.absolute().parent}, or choose another place with --record; then leave and "
            "come back: only a new session is recorded. Jobs on hosts go on meanwhile."
        )
        return (Line("recording", why, Severity.BAD, advice),)

    @property
    def armed(self) -> bool:
        """Whether anything may be changed: never in a replay."""
        return bool(self.supervisor and self.supervisor.site.armed)

    @property
    def now(self) -> float:
        """The time on the Site's clock."""
        if self.supervisor:
            return self.supervisor.site.clock.now()
        return self.player.position if self.player else self.state.at
