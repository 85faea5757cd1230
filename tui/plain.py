"""A session as lines of text: for a terminal without screens, a file, a pipe, a replay.

One line an event that a person wants to know of. Routine answers during a restripe are left out; on a terminal
its progress is one line that changes.
"""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable
from typing import TextIO

from remote.events import (
    Answered,
    Asked,
    Decided,
    Event,
    JobChanged,
    Launching,
    LinkChanged,
    LogRead,
    LogRewound,
    StepChanged,
    Unanswered,
)
from remote.jobs import JobStatus
from remote.recorder import GIVEN_UP
from remote.text import one_line, safe
from supervision import filesystems
from supervision.clocktext import local_time, time_of_day
from supervision.facts import form_refused
from supervision.filesystem import Counter, FileSystem
from supervision.guide_jobs import MARKER
from supervision.happenings import Happening
from supervision.logs import Scan
from supervision.plan import FILE
from supervision.reading import Counted
from supervision.state import State

MARGIN = " " * 21
LINKS = {
    "connecting": "connecting",
    "up": "connected",
    "waiting": "NOT CONNECTED, it is tried again",
    "refused": "NOT CONNECTED, and not tried again by itself",
    "closed": "connection closed",
}
OWN_FILES = (FILE, MARKER)
"""Files of a job that are the same for each of a plan, and tell nothing that has not been shown."""
QUIET_STATES = ("waiting", "ready", "confirmed", "launching")
WORK_STEP = 0.05
"""Progress stays as a line each time this much more of the work is done; on a terminal one line changes between."""


class Plain:
    """Writes lines for the events of one session, live or replayed.

    `gone` is called once when `out` takes no more: what tells of an event must not end the connection or the task
    that it came from. From then on nothing is written, and `close` raises what happened.
    """

    def __init__(self, out: TextIO, *, live: bool | None = None, gone: Callable[[], object] | None = None) -> None:
        self._out = out
        self._gone = gone
        self._failure: OSError | None = None
        self._live = out.isatty() if live is None else live
        self._drawn = False
        self._fs: FileSystem | None = None
        self._asked: dict[int, Asked] = {}
        self._told: dict[tuple[str, str], int] = {}
        self._states: dict[tuple[str, str], object] = {}
        self._happened: tuple[Happening, ...] = ()
        self._work_told = 0.0
        self._phase = ""
        self._day = ""

    def begin(self, state: State) -> None:
        """Begin in the middle: what `state` holds already has been told."""
        self._asked = dict(state.pending)
        self._told = {key: log.lines for key, log in state.logs.items()}
        self._happened = state.happened
        self._states = {key: _job_state(job.status) for key, job in state.jobs.items()}

    def on_event(self, state: State, event: Event) -> None:
        """Tell of an event, `state` being what is known after it. Raises OSError only without `gone`."""
        if self._failure:
            return
        try:
            self._tell(state, event)
        except OSError as error:
            if self._gone is None:
                raise
            self._failure = error
            self._gone()

    def _tell(self, state: State, event: Event) -> None:
        match event:
            case LinkChanged():
                why = f": {event.trouble}" if event.trouble else ""
                detail = f" ({event.detail})" if event.detail else ""
                self._line(state, event.host, f"{LINKS.get(event.state, event.state)}{why}{detail}")
            case StepChanged():
                self._step(state, event)
            case Decided():
                self._line(state, "decided", f"{event.what}  [{event.who}]")
            case Launching():
                self._line(state, event.host, f"runs detached, as job {event.spec.id}:")
                self._more(f"# {event.spec.command.text}")
                for name, content in event.spec.files:
                    if name in OWN_FILES:
                        continue
                    self._more(f"  {name}:")
                    for line in content.splitlines():
                        self._more(f"    {line}")
            case JobChanged():
                self._job(state, event)
            case LogRead():
                self._log(state, event)
            case LogRewound():
                self._told.pop((event.host, event.source), None)
                self._line(state, event.host, f"{event.source} was {event.why}; it is read again from its start")
            case Asked():
                self._asked[event.n] = event
            case Unanswered():
                self._unanswered(state, event)
            case Answered():
                self._answers(state, event)
            case _:
                pass
        if state.happened is not self._happened:
            self._tell_happened(state)

    def close(self) -> None:
        """Leave the terminal on a line of its own."""
        if self._failure:
            raise self._failure
        if self._drawn:
            self._out.write("\n")
            self._drawn = False
        self._out.flush()

    def say(self, text: str = "") -> None:
        """Write a line that belongs to no event."""
        self._clear()
        self._out.write(safe(text) + "\n")
        self._out.flush()

    # what a line is made of

    def _line(self, state: State, who: str, text: str) -> None:
        day = local_time(state.at, state.utc_offset).strftime("%Y-%m-%d")
        if day != self._day:
            self._day = day
            self.say(f"-- {day} --")
        self._wrapped(f"{clock_text(state)}  {one_line(who):<10} {one_line(text)}")

    def _more(self, text: str) -> None:
        self._wrapped(f"{MARGIN}{text}")

    def _wrapped(self, text: str) -> None:
        """On a terminal, fold at its width under the text; a file or pipe gets whole lines.

        Only this class begins a line: what comes after a newline in `text` stands under it too.
        """
        if not self._live:
            self.say(text.replace("\n", f"\n{MARGIN}"))
            return
        width = max(40, shutil.get_terminal_size().columns)
        for line in textwrap.wrap(text, width, subsequent_indent=MARGIN, break_on_hyphens=False, drop_whitespace=False):
            self.say(line)

    def _clear(self) -> None:
        if self._drawn:
            self._out.write("\r\x1b[K")
            self._drawn = False

    def _step(self, state: State, event: StepChanged) -> None:
        if event.state in QUIET_STATES and not event.detail:
            return
        if event.state == "checking" and event.detail not in ("", event.title):
            self._line(state, f"step {event.number}", event.detail)
        elif event.state == "checking":
            self.say()
            self._line(state, f"step {event.number}", f"{event.name}: {event.title}")
        elif event.state in ("running", "verifying"):
            self._work_told, self._phase = 0.0, ""
            if event.state == "verifying" and event.rc is not None:
                self._line(state, f"step {event.number}", f"exit code {event.rc}; reading the result back")
        else:
            detail = f": {event.detail}" if event.detail else ""
            self._line(state, f"step {event.number}", f"{event.name} {event.state.upper()}{detail}")

    def _job(self, state: State, event: JobChanged) -> None:
        status = event.status
        log = state.job_log(event.host, status.id)
        if status.rc is not None and status.size > (log.size if log else 0):
            return  # its end is told after its last lines
        told = _job_state(status)
        if self._states.get((event.host, status.id)) == told:
            return
        self._states[event.host, status.id] = told
        ending = f"it has ended with exit code {status.rc}" if status.rc is not None else status.meaning
        self._line(state, event.host, f"job {status.id}: {ending}")

    def _unanswered(self, state: State, event: Unanswered) -> None:
        asked = self._asked.pop(event.n, None)
        if asked and event.why != GIVEN_UP:
            commands = ", ".join(_shortened(command.text) for command in asked.commands)
            self._line(state, asked.host, f"NO ANSWER to {commands}: {event.why}")

    def _tell_happened(self, state: State) -> None:
        """What happened meanwhile; that a connection is lost is told anyway."""
        before, self._happened = set(self._happened), state.happened
        for each in state.happened:
            if each not in before and each.kind != "link":
                self._line(state, each.kind, each.text)

    def _answers(self, state: State, event: Answered) -> None:
        asked = self._asked.pop(event.n, None)
        if asked is None:
            return
        good: list[str] = []
        other_form: dict[str, list[str]] = {}
        for command, reply in zip(asked.commands, event.replies, strict=False):
            if reply.rc == 0:
                good.append(command.text)
            elif why := form_refused(state.reading, command, reply):
                other_form[why] = [*other_form.get(why, ()), command.argv[0]]
            else:
                self._line(state, asked.host, f"{command.text}: EXIT CODE {reply.rc}")
        for why, names in other_form.items():
            self._line(state, asked.host, f"{', '.join(names)}: {why}")
        if good and not restripe_runs(state):
            self._line(state, asked.host, f"answered {', '.join(_shortened(text) for text in good)}")

    def _log(self, state: State, event: LogRead) -> None:
        log = state.logs.get((event.host, event.source))
        if log is None:
            return
        key = (event.host, event.source)
        told = self._told.get(key, 0)
        new = log.lines - told if told <= log.lines else log.lines  # fewer lines than before: it began anew
        self._told[key] = log.lines
        for text in log.tail[-new:] if new > 0 else ():
            if text and not isinstance(state.reading.scan_event(text), Counted):
                self._more(f"| {text}")
        if log.scan.percent is not None:
            self._progress(state, log.scan)

    def _progress(self, state: State, scan: Scan) -> None:
        if self._fs is None:
            self._fs = filesystems.file_system(state.header)
        work = self._fs.counter(state, scan)
        text = f"{clock_text(state)}  {progress_text(scan, work)}"
        fraction = work.fraction or 0.0
        if scan.phase != self._phase or fraction - self._work_told >= WORK_STEP or scan.percent == 100.0:
            self._phase = scan.phase
            self._work_told = fraction
            self.say(text)
        elif self._live:
            width = shutil.get_terminal_size().columns - 1
            self._out.write("\r\x1b[K" + safe(text)[:width])
            self._out.flush()
            self._drawn = True


def _job_state(status: JobStatus) -> object:
    return status.state, status.rc, status.note


def _shortened(command: str) -> str:
    """Enough of a reading command to know it; the recording has it whole."""
    return command if len(command) <= 24 else f"{command[:22].rstrip(' ,')} …"


def restripe_runs(state: State) -> bool:
    """Whether a job runs whose progress is being told."""
    return any(job.status.rc is None and job.status.state.value == "running" for job in state.jobs.values())


def progress_text(scan: Scan, work: Counter) -> str:
    """The progress in a line: the work in the unit that can be trusted, and the tool's own percentage named as such."""
    own = f"tool says {scan.percent:.2f} %" if scan.percent is not None else "no percentage yet"
    phase = f"{scan.phase}, phase {scan.number}" if scan.number else scan.phase
    if work.fraction is None or work.done is None or work.total is None:
        return f"work not known in this phase, {own}  ({phase})"
    counted = f"{work.done:,} of {'at least ' if work.at_least else ''}{work.total:,} {work.unit}"
    if scan.percent == 100.0:
        return f"last phase complete; {own}; its last count, minutes before the end, was {counted}"
    return f"work {work.fraction * 100:5.1f} % ({counted}), {own}  ({phase})"


def clock_text(state: State) -> str:
    """The Site's time of day, in the hosts' zone, as their logs print it."""
    return time_of_day(state.at, state.utc_offset)
