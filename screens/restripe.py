"""The restripe: how far by work that can be trusted, whether it is alive, how fast, and what it fills."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from screens.base import SessionScreen
from screens.widgets.render import age_text, bar, fit, plain, spark
from supervision.clocktext import duration_text, time_of_day
from supervision.filesystem import Phase, Progress
from supervision.state import Job

TROUBLED = {
    Phase.STALLED: "bold red",
    Phase.FAILED: "bold red",
    Phase.UNKNOWN: "bold yellow",
    Phase.WAITING: "bold yellow",
}
LABEL = 10
TAIL = 6


class RestripeScreen(SessionScreen):
    """When will it be over, and is it alive?"""

    NAME = "restripe"
    HELP_TEXT = (
        "Work is counted in a unit that can be trusted; the tool's own percentage stands beside it and is not used. "
        "The finish is a plain range from the mean rate so far."
    )

    def compose_body(self) -> ComposeResult:
        with VerticalScroll(id="scroll"):
            yield Static("", id="text", markup=False)

    def show_state(self) -> None:
        session, width = self.session, self.body_width
        job = session.fs.scan_job(session.state)
        if job is None:
            lines = [
                plain(f"no {session.fs.words.scan} is known on {session.fs.name}", "bold"),
                plain("one that runs in somebody's screen is not seen here yet", "dim", indent=3),
            ]
        else:
            lines = self._job(job, session.fs.progress(session.state, job), width)
        self.query_one("#text", Static).update(Text("\n").join(lines))

    def _job(self, job: Job, progress: Progress, width: int) -> list[Text]:
        session = self.session
        state, now, zone = session.state, session.now, session.header.utc_offset
        status = job.status
        lines = [plain(fit(f"{status.command or status.title}", width), "bold")]
        lines.append(plain(fit(f"job {status.id} on {job.host}", width), "dim"))
        since = f"{duration_text(max(0.0, (status.ended or now) - status.began))}" if status.began else ""
        lines.append(_field(progress.phase.value, since, width, TROUBLED.get(progress.phase, "bold")))
        if progress.why:
            lines.append(_field("", progress.why, width))
        if progress.last_line_at is not None and not status.state.settled:
            gap = f" (usual gap {duration_text(progress.usual_gap)})" if progress.usual_gap else ""
            lines.append(_field("last line", f"{age_text(progress.last_line_at, now)} ago{gap}", width))
        lines.append(Text())
        if progress.phases:
            lines.append(_field("phases", "   ".join(f"{name} {word}" for name, word in progress.phases), width))
        lines += self._work(progress, width)
        if progress.finish:
            low, high = (time_of_day(at, zone)[:5] for at in (progress.finish.low, progress.finish.high))
            left = f"in {duration_text(progress.finish.low - now)} to {duration_text(progress.finish.high - now)}"
            lines.append(_field("finish", f"{low} - {high}   {left}", width))
            lines.append(_field("", progress.finish.basis, width, "dim"))
        if progress.rate is not None and progress.counter:
            trend = spark(progress.trend, 18)
            lines.append(_field("rate", f"{progress.rate:,.0f} {progress.counter.unit}/s  {trend}", width))
        lines += self._fills(width)
        log = state.job_log(job.host, status.id)
        lines += [Text(), plain("─" * width, "dim")]
        for text in log.tail[-TAIL:] if log else ():
            lines.append(plain(fit(text, width).rstrip()))
        return lines

    def _work(self, progress: Progress, width: int) -> list[Text]:
        counter = progress.counter
        if counter is None:
            return [_field("work", "not known yet", width)]
        share = "" if counter.fraction is None else f"{counter.fraction * 100:5.1f} %"
        size = max(10, min(60, width - LABEL - 14))
        lines = [_field("work", f"{bar(counter.fraction, size)} {share}", width)]
        done = "-" if counter.done is None else f"{counter.done:,}"
        total = "unknown" if counter.total is None else f"{counter.total:,}"
        lines.append(_field("", f"{done} of {total} {counter.unit}", width))
        if progress.tool_percent is not None:
            lines.append(_field("tool says", f"{progress.tool_percent:.2f} %  (its own figure, not used)", width))
        return lines

    def _fills(self, width: int) -> list[Text]:
        lines = []
        for index, fill in enumerate(self.session.fs.fills(self.session.state)):
            share = fill.used / fill.size if fill.size else None
            text = f"{fit(fill.name, 14)} {bar(share, 20)} {'' if share is None else f'{share * 100:3.0f} % full'}"
            lines.append(_field("filling" if index == 0 else "", text, width))
        return lines


def _field(label: str, value: str, width: int, style: str = "") -> Text:
    return Text(fit(f"{fit(label, LABEL)} {value}", width).rstrip(), style=style, no_wrap=True)
