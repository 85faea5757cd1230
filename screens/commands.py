"""The commands: whatever this program ran, exactly as it ran, so that a person can take over by hand at any moment."""

from __future__ import annotations

import math

from remote.events import Answered, Asked, Reply
from remote.text import one_line
from screens.intents import FollowJob
from screens.widgets.logview import LogView
from screens.widgets.logview_screen import ListAndLog, show_job_log
from supervision.clocktext import age_text, duration_text, time_of_day
from supervision.logcopy import LogCopy
from supervision.session import Session
from supervision.state import Ran, State
from supervision.tables import Cell, Column, Row, Severity, Table

COLUMNS = (
    Column("at", "At"),
    Column("host", "Host"),
    Column("exit", "Exit", right=True),
    Column("took", "Took", right=True, unit="seconds"),
    Column("command", "Command"),
    Column("why", "Why not", wide=True),
    Column("job", "Job", wide=True),
)


def exit_text(ran: Ran) -> str:
    """The exit code, or in a word why there is none."""
    if ran.rc is not None:
        return str(ran.rc)
    if ran.took is None:
        return "runs"
    return "none" if ran.failure else "sent"  # a signal to a job has no exit code


def failed(ran: Ran) -> bool:
    """Whether a command failed; one whose form alone was refused is asked in the other form, and did not."""
    if ran.rc is not None:
        return bool(ran.rc) and not ran.failure
    return bool(ran.failure)


def key_of(ran: Ran, seen: dict[tuple[float, str, str], int]) -> str:
    """The key of a command: when, where and what, and the how manieth of those."""
    same = (ran.asked_at, ran.host, ran.command)
    seen[same] = seen.get(same, 0) + 1
    return f"{ran.asked_at!r} {seen[same]} {ran.host} {ran.command}"


def all_commands(state: State) -> tuple[Ran, ...]:
    """What was run and what is being asked, in the order in which it was sent."""
    waiting = (Ran(asked.host, command.text, asked.t) for asked in state.pending.values() for command in asked.commands)
    return tuple(sorted((*state.commands, *waiting), key=lambda ran: ran.asked_at))


def commands_table(ran: tuple[Ran, ...], zone: int) -> tuple[Table, dict[str, Ran]]:
    """The commands, the newest last, and each by its row's key."""
    rows, by_key, seen = [], {}, dict[tuple[float, str, str], int]()
    for command in ran:
        key = key_of(command, seen)
        by_key[key] = command
        took = "" if command.took is None else took_text(command.took)
        code = exit_text(command)
        bad = Severity.WARNING if failed(command) else Severity.NOTE if command.failure else Severity.NORMAL
        cells = (
            Cell(time_of_day(command.asked_at, zone), command.asked_at),
            Cell(command.host),
            Cell(code, command.rc),
            Cell(took, command.took),
            Cell(command.command),
            Cell(command.failure),
            Cell(command.job),
        )
        rows.append(Row(key, cells, bad))
    # without a time of its own: new commands are what a log is about, and no change of it
    return Table(COLUMNS, tuple(rows)), by_key


def took_text(seconds: float) -> str:
    """How long a command took; most take less than a second."""
    return f"{seconds:.1f} s" if seconds < 10 else duration_text(seconds)


def reply_of(session: Session, ran: Ran) -> Reply | None:
    """What a question was answered, where that is kept; a replay has it all."""
    if ran.took is None:
        return None
    if session.player is None:
        return session.logs.replies.get(ran.asked_at, ran.host, ran.command)
    replay, number, place = session.player.replay, -1, 0
    cursor = replay.cursor_at(replay.index_at(math.nextafter(ran.asked_at, 0.0)))
    while cursor.state.at <= ran.asked_at + ran.took + 1.0 and cursor.count < len(replay.index):
        event = replay.step(cursor)
        if isinstance(event, Asked) and (event.t, event.host) == (ran.asked_at, ran.host):
            texts = [command.text for command in event.commands]
            if ran.command in texts:
                number, place = event.n, texts.index(ran.command)
        elif isinstance(event, Answered) and event.n == number:
            return event.replies[place] if place < len(event.replies) else None
    return None


def output_text(reply: Reply) -> bytes:
    """What a command said: its output, then its errors under a line that says so."""
    out, err = reply.out.data, reply.err.data
    if not err:
        return out
    between = b"" if not out or out.endswith(b"\n") else b"\n"
    return out + between + b"-- standard error --\n" + err


class CommandsScreen(ListAndLog):
    """Everything that was run, and what it said."""

    NAME = "commands"
    HELP_TEXT = (
        "Every command this program ran, the newest last: where, when, how long, and its exit code or why it has none. "
        "enter shows what it said; y copies, to take over by hand. The recording keeps more than the last thousand."
    )
    FOLLOWING = False
    EMPTY = "nothing was run yet"

    _made_of: tuple[object, object] | None = None
    _made: Table = Table(COLUMNS)
    _by_key: dict[str, Ran]
    _output: tuple[Ran, LogCopy, bool] | None = None
    """The command whose output is shown, the output, and whether it is known at all."""

    def table(self, state: State) -> Table:
        """The commands."""
        made_of = (state.commands, state.pending)
        if self._made_of is None or any(new is not old for new, old in zip(made_of, self._made_of, strict=True)):
            self._made_of = made_of
            self._made, self._by_key = commands_table(all_commands(state), state.utc_offset)
        return self._made

    def show_state(self) -> None:
        view = self.grid.view
        at_end = view.cursor >= len(view.shown) - 1
        super().show_state()
        if at_end and not self.opened:
            self.grid.action_move(len(view.shown))

    def heading(self, state: State) -> str:
        """How many, and how many failed."""
        bad = sum(map(failed, state.commands))
        follows = "follows" if self.grid.view.cursor >= len(self.grid.view.shown) - 1 else "G follows"
        return f"Commands  {bad} failed  {follows}"

    def about(self, key: str) -> str:
        """The whole command, and why it has no exit code."""
        ran = self._by_key.get(key)
        if ran is None:
            return ""
        return "  ".join(part for part in (ran.failure and f"({ran.failure})", ran.command) if part)

    def open_log(self, key: str) -> None:
        """Show what a command said; of a job its log, which is followed."""
        ran = self._by_key.get(key)
        if ran and ran.job and self.session.supervisor:
            self.post_message(FollowJob(ran.host, ran.job))
        super().open_log(key)

    def show_log(self, key: str, view: LogView) -> None:
        """What a command said, as far as that is kept."""
        session, ran = self.session, self._by_key.get(key)
        if ran is None:
            return
        zone = session.state.utc_offset
        code = exit_text(ran)
        words = f"exit {code}" if ran.rc is not None else code
        title = f"{time_of_day(ran.asked_at, zone)}  {words}  on {ran.host}  {one_line(ran.command)}"
        if ran.job:
            show_job_log(view, session, ran.host, ran.job, title)
            return
        if self._output is None or self._output[0] != ran:
            reply = reply_of(session, ran)
            copy = LogCopy()
            if reply:
                copy.write(0, output_text(reply), ran.asked_at + (ran.took or 0.0))
            self._output = ran, copy, reply is not None
        name = f"{ran.host}-{ran.command}"[:60]
        view.show(self._output[1], key=key, name=name, title=title, zone=zone, empty=self._why_empty(*self._output))

    def _why_empty(self, ran: Ran, _copy: LogCopy, known: bool) -> str:
        if ran.took is None:
            return f"it was asked {age_text(ran.asked_at, self.session.now)} ago and has not answered yet"
        if ran.failure and ran.rc is None:
            return f"it was not answered: {ran.failure}"
        if known:
            return "it said nothing"
        return "what it said is not kept here; the recording has it" if self.session.writer else "it is not kept"
