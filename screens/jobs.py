"""The jobs: what `screen -ls` was, on every host, whoever started them; and the log of each, from its first byte."""

from __future__ import annotations

import re
import shlex
from typing import ClassVar

from textual.binding import ActiveBinding, Binding, BindingType

from remote.command import Command, Effect
from remote.text import one_line
from screens.dialogs import AskText, ConfirmDanger
from screens.intents import FollowJob, LaunchJob, RefreshJobs, StopJob
from screens.widgets.logview import LogView
from screens.widgets.logview_screen import ListAndLog, show_job_log
from supervision.clocktext import duration_text, time_of_day
from supervision.joblist import jobs_table, state_word
from supervision.jobtimes import ran_seconds
from supervision.state import Job, State
from supervision.tables import Table

_SHELL_WORDS = re.compile(r"[|&;<>()]+")


def read_command(typed: str, host: str, hosts: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The host and the argv of what a person typed: a command, or `HOST: command`. Raises ValueError."""
    named = re.match(r"\s*([A-Za-z0-9._-]+):\s+(?=\S)", typed)
    if named:
        host, typed = named[1], typed[named.end() :]
        if host not in hosts:
            raise ValueError(f"{host} is no host of this session: {', '.join(hosts)}")
    words = shlex.shlex(typed, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    words.commenters = ""
    for word in words:
        if _SHELL_WORDS.fullmatch(word):
            raise ValueError(
                f"no shell reads this: {word} would be an argument. One command with its arguments, please"
            )
    argv = tuple(shlex.split(typed))
    Command(argv, Effect.CHANGES)
    return host, argv


class JobsScreen(ListAndLog):
    """What runs, what ran, and how it ended."""

    NAME = "jobs"
    HELP_TEXT = (
        "Every job of every host, whoever started it and from whichever machine: what runs first, then the newest. "
        "enter attaches: the whole log from its first byte, then live; leaving it, or this program, stops no job."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "refresh", "ask", id="jobs.refresh"),
        Binding("exclamation_mark", "run", "run", id="jobs.run", key_display="!"),
        Binding("X", "stop", "stop", id="jobs.stop"),
    ]
    EMPTY = "no job is known of"

    _launched: tuple[str, tuple[str, ...], frozenset[tuple[str, str]]] | None = None
    """What was launched last, where, and the jobs that were known then: until its own is seen."""

    def table(self, state: State) -> Table:
        """The jobs."""
        return jobs_table(self.session.fs, state, self.session.now)

    def show_state(self) -> None:
        super().show_state()
        if self._launched is None:
            return
        host, argv, known = self._launched
        for (where, job_id), job in self.session.state.jobs.items():
            mine = where == host and (where, job_id) not in known and job.spec and job.spec.command.argv == argv
            if mine and self.grid.go_to(f"{where} {job_id}"):
                self._launched = None

    def in_footer(self, keys: list[ActiveBinding]) -> list[ActiveBinding]:
        """What may not be stopped has no key for that; whoever presses it is told why."""
        job = self._here()
        may = job is not None and not self.session.fs.may_stop(job)
        return [key for key in keys if may or key.binding.action != "stop"]

    def heading(self, state: State) -> str:
        """How many may still run, and which hosts cannot be asked."""
        going = sum(not job.status.state.settled for job in state.jobs.values())
        away = [host for host, link in sorted(state.links.items()) if link.state in ("waiting", "refused", "closed")]
        unasked = f"  !! not asked: {', '.join(away)}" if away and not self.session.player else ""
        return f"Jobs  {going} not ended{unasked}"

    def about(self, key: str) -> str:
        """What its state means, and what it was for."""
        job = self._job(key)
        if job is None:
            return ""
        state = self.session.state
        since = state.stops.get((job.host, job.status.id))
        after = self.session.fs.aftermath(state, job)
        when = "" if since is None else f"told to stop at {time_of_day(since, state.utc_offset)}; "
        if after:
            return f"{when}{after.text}"
        if when and not job.status.state.settled:
            return f"{when}stopping until {job.host} says that it ended. {job.status.command}"
        return " · ".join(part for part in (job.status.meaning, job.status.title, job.status.shown) if part)

    def show_log(self, key: str, view: LogView) -> None:
        """The job's log as far as it has been read, or had been at the replayed moment."""
        session, job = self.session, self._job(key)
        if job is None:
            return
        state = session.state
        word, seconds = state_word(session.fs, state, job), ran_seconds(state, job, session.now)
        code = "" if job.status.rc is None else f"exit {job.status.rc}"
        ran = "" if seconds is None else duration_text(seconds)
        title = "  ".join(part for part in (word, code, ran, f"on {job.host}", job.status.shown) if part)
        show_job_log(view, session, job.host, job.status.id, title)

    def open_log(self, key: str) -> None:
        """Attach: have the job followed, and show its log."""
        job = self._job(key)
        if job and self.session.supervisor:
            self.post_message(FollowJob(job.host, job.status.id))
        super().open_log(key)

    def _job(self, key: str) -> Job | None:
        host, _, job_id = key.partition(" ")
        return self.session.state.job(host, job_id)

    def _here(self) -> Job | None:
        """The job that is meant: the one whose log is open, or the one under the cursor."""
        row = self.grid.row
        key = self.opened or (row.key if row else "")
        return self._job(key) if key else None

    # what changes something

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without being armed nothing that changes anything has a key; a replay asks nobody."""
        if action in ("run", "stop"):
            return self.session.armed
        if action == "refresh":
            return self.session.supervisor is not None
        return super().check_action(action, parameters)

    def action_refresh(self) -> None:
        """Ask every host for its jobs."""
        self.post_message(RefreshJobs())
        self.say("asking every host for its jobs")

    def action_run(self) -> None:
        """Run a command as a detached job; no checks apply."""
        session, job = self.session, self._here()
        hosts, default = session.state.hosts, job.host if job else session.header.entry

        def wrong(typed: str) -> str:
            try:
                host, argv = read_command(typed, default, hosts)
            except ValueError as error:
                return str(error)
            return self.refusal(host) or session.fs.may_run(argv)

        def asked(typed: str | None) -> None:
            if typed is not None:
                self._confirm_run(*read_command(typed, default, hosts))

        lines = (
            f"It runs on {default} as a detached job and goes on when this program ends. No checks apply: nobody looks "
            "whether this is a good moment. Begin with HOST: to run it on another host."
        )
        self.app.push_screen(AskText(f"Run on {default}, no checks apply", (lines,), wrong=wrong), asked)

    def _confirm_run(self, host: str, argv: tuple[str, ...]) -> None:
        session = self.session

        def answered(go: bool | None) -> None:
            why = self.refusal(host) or session.fs.may_run(argv)
            if go and why:
                self.say(why, wrong=True)
            elif go:
                self._launched = host, argv, frozenset(session.state.jobs)
                self.post_message(LaunchJob(host, argv))
                self.say(f"launching on {host}: {shlex.join(argv)}")

        happens = ["No checks apply. It goes on when this program ends; what it changes nobody takes back."]
        title = f"Run by hand on {session.fs.name}"
        self.app.push_screen(
            ConfirmDanger(title, happens, shlex.join(argv), (host,), session.fs.name, do="run it"), answered
        )

    def action_stop(self) -> None:
        """Stop a job, where that is known to be harmless enough."""
        session, job = self.session, self._here()
        if job is None:
            self.say("there is no job to stop")
            return
        host, job_id, asked = job.host, job.status.id, session.now
        why = self.refusal(host) or session.fs.may_stop(job)
        if why:
            self.say(why, wrong=True)
            return
        # it is asked for again meanwhile: what is decided then rests on an answer younger than the question
        self.post_message(RefreshJobs())

        def answered(go: bool | None) -> None:
            found = session.state.job(host, job_id)
            if not go or found is None:
                return
            why = self.refusal(host) or session.fs.may_stop(found)
            if not why and found.at < asked:
                why = f"refused: {host} has not told of this job since; try again when it has"
            if why:
                self.say(why, wrong=True)
                return
            self.post_message(StopJob(host, job_id))
            self.say(f"stopping {one_line(found.status.shown)}")

        leaves = session.fs.stop_leaves(job) or "What it leaves behind half-way is not known."
        happens = [leaves, "", f"job    {job_id}, by {job.status.operator}: {job.status.command}"]
        command = f"TERM to every process of job {job_id}"
        self.app.push_screen(
            ConfirmDanger(f"Stop {job.status.shown}", happens, command, (host,), session.fs.name, do="stop it"),
            answered,
        )
