"""The restripe: how far by work that can be trusted, whether it is alive, how fast, what it fills, and its log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from remote.text import one_line
from screens.braking import BrakingScreen
from screens.intents import RefreshJobs
from screens.widgets.lines import Lines
from screens.widgets.logview import LogView
from screens.widgets.logview_screen import show_job_log
from screens.widgets.render import fit, labelled, plain, spark
from supervision.bars import bar
from supervision.clocktext import age_text, duration_text, moment_text
from supervision.filesystem import Fill, Finish, Phase, Progress
from supervision.jobtimes import ran_seconds
from supervision.state import Job

TROUBLED = {
    Phase.STALLED: "bold red",
    Phase.FAILED: "bold red",
    Phase.LOST: "bold red",
    Phase.UNKNOWN: "bold yellow",
    Phase.WAITING: "bold yellow",
    Phase.STOPPING: "bold yellow",
    Phase.STOPPED: "bold yellow",
}
LABEL = 10
TREND = 18
"""Cells of the trend, which is told in as many parts."""
STEADY = 0.15
"""How far the rate of late may be from the mean before it is called another one."""
FILL, FILL_BAR = 32, 8
"""Cells of a disk and how full it is, and of the bar in them."""
LOG_LINES = 6
"""Lines that the log has at least, with its title and the line beneath it."""


class RestripeScreen(BrakingScreen):
    """When will it be over, and is it alive?"""

    NAME = "restripe"
    HELP_TEXT = (
        "Work is counted in a unit that can be trusted; the tool's own percentage stands beside it and is not used. "
        "The finish is a plain range from the mean rate so far. Beneath is its log: find, filter and copy in it; z "
        "gives it all the room, tab goes to what stands above when that has to be scrolled."
    )
    DEFAULT_CSS = """
    RestripeScreen #summary { height: auto; max-height: 100%; padding: 0 1; scrollbar-size-vertical: 1; }
    RestripeScreen #summary { scrollbar-gutter: stable; }
    RestripeScreen LogView { display: none; }
    RestripeScreen.-log LogView { display: block; }
    RestripeScreen.-log.-zoomed #summary { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("z", "zoom", "zoom", id="screen.zoom"),
        Binding("r", "refresh_jobs", "ask", id="restripe.refresh"),
    ]

    zoomed = False

    def compose_body(self) -> ComposeResult:
        with VerticalScroll(id="summary"):
            yield Lines(id="text")
        yield LogView()

    def on_mount(self) -> None:
        super().on_mount()
        if self.app.return_code is None:
            self.query_one(LogView).text.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "zoom":
            return self.has_class("-log")
        if action == "refresh_jobs":
            return self.session.supervisor is not None
        return super().check_action(action, parameters)

    def action_zoom(self) -> None:
        """Give the log all the room, or some back."""
        self.zoomed = not self.zoomed
        self.show_state()
        self.query_one(LogView).text.focus()

    def action_refresh_jobs(self) -> None:
        """Ask every host for its jobs, of which one may be a scan."""
        self.post_message(RefreshJobs())
        self.say("asking every host for its jobs")

    def on_descendant_focus(self) -> None:
        """Other keys work in the log than above it."""
        self.refresh_all()

    def show_state(self) -> None:
        session = self.session
        job = session.fs.scan_job(session.state)
        self.set_class(job is not None, "-log")
        self.set_class(self.zoomed, "-zoomed")
        if job is None:
            lines = self._none()
        else:
            progress = session.fs.progress(session.state, job)
            lines = self._lines(job, progress, self.body_width)
            show_job_log(self.query_one(LogView), session, job.host, job.status.id, self._log_title(job, progress))
        room = max(1, self.query_one("#body").size.height - LOG_LINES)
        self.query_one("#summary").styles.max_height = room if job else None
        self.query_one("#text", Lines).show(lines)

    def _none(self) -> list[Text]:
        words = self.session.fs.words
        lines = [plain(f"no {words.scan} is known on {self.session.fs.name}", "bold")]
        if self.session.player is None:
            lines.append(plain("all hosts are asked for their jobs every few minutes, and now with r", "dim", indent=3))
        lines.append(plain("also for one that somebody else has started, in a screen say", "dim", indent=3))
        return lines

    def _log_title(self, job: Job, progress: Progress) -> str:
        """Says what matters most, for when the log has all the room."""
        counter = progress.counter
        share = "" if counter is None or counter.fraction is None else f"{counter.fraction * 100:.1f} %"
        parts = (progress.phase.value, share, f"log of job {job.status.id} on {job.host}")
        return "  ".join(part for part in parts if part)

    def _lines(self, job: Job, progress: Progress, width: int) -> list[Text]:
        session, status, now = self.session, job.status, self.session.now
        head = f"{status.command or status.title}"
        lines = [plain(fit(head, width), "bold")]
        seconds = ran_seconds(session.state, job, now)
        if status.began and seconds is not None:
            ran = duration_text(seconds)
            began = moment_text(status.began, now, session.state.utc_offset)
            since = f"{ran}, since {began}" if status.ended is None else f"after {ran}, began {began}"
        else:
            since = ""
        last = ""
        if progress.last_line_at is not None and not status.state.settled:
            gap = f" (usual gap {duration_text(progress.usual_gap)})" if progress.usual_gap else ""
            last = f"last line {age_text(progress.last_line_at, now)} ago{gap}"
        lines.append(
            _field(progress.phase.value, f"{since}   {last}".strip(), width, TROUBLED.get(progress.phase, "bold"))
        )
        if progress.why:
            lines += labelled("", progress.why, width, label_width=LABEL)
        if progress.phases:
            lines.append(_field("phases", phases_text(progress.phases, width - LABEL - 1), width))
        lines += _work(progress, width)
        if progress.finish:
            lines += self._finish(progress.finish, width)
        lines += _rate(progress, width)
        return lines + fill_lines(session.fs.fills(session.state), width)

    def _finish(self, finish: Finish, width: int) -> list[Text]:
        now, zone = self.session.now, self.session.state.utc_offset
        low, mid, high = (moment_text(at, now, zone) for at in (finish.low, finish.mid, finish.high))
        left = f"in {duration_text(max(0.0, finish.low - now))} to {duration_text(max(0.0, finish.high - now))}"
        return [
            _field("finish", f"{low} - {high} likely, about {mid}   {left}", width),
            _field("", finish.basis, width, "dim"),
        ]


def phases_text(phases: Sequence[tuple[str, str]], width: int) -> str:
    """The phases with a word each; those at the beginning that share one are counted where there is no room."""
    phases = [(one_line(name), word) for name, word in phases]
    phases = [(one_line(name), word) for name, word in phases]
    told = "   ".join(f"{name} {word}" for name, word in phases)
    first = phases[0][1]
    same = next((at for at, (_, word) in enumerate(phases) if word != first), len(phases))
    if len(told) <= width or same < 2:
        return told
    rest = "   ".join(f"{name} {word}" for name, word in phases[same:])
    return f"{same} phases {first} ({phases[0][0]} to {phases[same - 1][0]})   {rest}".rstrip()


def _work(progress: Progress, width: int) -> list[Text]:
    counter = progress.counter
    if counter is None:
        return [_field("work", "not known yet", width)]
    ended = progress.phase is Phase.FINISHED
    if ended and counter.done is None:
        return [_field("work", "done; nothing was counted on the way", width)]
    share = "" if counter.fraction is None else f"{counter.fraction * 100:5.1f} %"
    size = max(10, min(60, width - LABEL - 14))
    done = "-" if counter.done is None else f"{counter.done:,}"
    total = f"{counter.total:,}" if counter.total is not None else "an unknown number of"
    if counter.at_least and counter.total is not None:
        total = f"at least {total}"
    lines = [
        _field("work", f"{bar(counter.fraction, size)} {share}", width),
        _field("", f"{'counted last: ' if ended else ''}{done} of {total} {counter.of or counter.unit}", width),
    ]
    if progress.tool_percent is not None:
        lines.append(_field("tool says", f"{progress.tool_percent:.2f} %  (its own figure, not used)", width))
    return lines


def _rate(progress: Progress, width: int) -> list[Text]:
    """The rate of late with its trend, and the mean, which the finish rests on."""
    rate, counter = progress.rate, progress.counter
    if rate is None or counter is None:
        return []
    trend = progress.trend
    late = trend[-1] if trend else rate
    word = "steady" if abs(late - rate) <= STEADY * rate else "faster of late" if late > rate else "slower of late"
    told = f"{late:,.0f} {counter.unit}/s  {spark(trend, TREND)}  mean {rate:,.0f}, {word}"
    return [_field("rate", told, width)]


def fill_lines(fills: Sequence[Fill], width: int) -> list[Text]:
    """How full each disk is that is being filled, the fullest first, side by side where there are many."""
    shares = sorted(((fill.used / fill.size if fill.size else None, fill.name) for fill in fills), key=_fullest)
    across = max(1, (width - LABEL - 1) // FILL)
    name = FILL - FILL_BAR - 9
    cells = [
        f"{fit(one_line(disk), name)} {bar(share, FILL_BAR)} {'   ? %' if share is None else f'{share * 100:4.0f} %'}"
        for share, disk in shares
    ]
    rows = ["  ".join(cells[at : at + across]) for at in range(0, len(cells), across)]
    return [_field("filling" if at == 0 else "", row, width) for at, row in enumerate(rows)]


def _fullest(disk: tuple[float | None, str]) -> tuple[float, str]:
    share, name = disk
    return (-round(share, 2) if share is not None else 1.0, name)


def _field(label: str, value: str, width: int, style: str = "") -> Text:
    return Text(fit(f"{fit(label, LABEL)} {value}", width).rstrip(), style, no_wrap=True)
