"""How it stands with a scan, in lines: the verdict first, then how far, until when, and how fast.

What there is no room for goes, the least needed first: a person who watches for hours looks, and does not scroll.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from rich.text import Text

from remote.text import one_line
from screens.widgets.render import STYLES, fit, labelled, spark
from supervision.adopting import is_adopted
from supervision.bars import bar
from supervision.charting_forecasts import moved_at
from supervision.clocktext import age_text, duration_text, moment_text, range_texts
from supervision.filesystem import Phase, Progress
from supervision.jobtimes import ran_seconds
from supervision.state import Job, State

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


class Block(msgspec.Struct, frozen=True):
    """Lines that stand or go together, in the order of reading; of two, the one with the higher `rank` goes first.

    `short` stands in for it where there is little room, before anything goes.
    """

    rank: int
    lines: list[Text]
    short: list[Text] | None = None


def fitted(blocks: Sequence[Block], room: int) -> list[Text]:
    """As many blocks as have room, in their order. What has rank 0 stays whatever the room."""
    kept = [block for block in blocks if block.lines]
    ranks = sorted({block.rank for block in kept} - {0}, reverse=True)
    for rank in (*ranks, 0):
        if sum(len(block.lines) for block in kept) > room:
            kept = [Block(rank, block.short) if block.rank == rank and block.short else block for block in kept]
    for rank in ranks:
        if sum(len(block.lines) for block in kept) > room:
            kept = [block for block in kept if block.rank != rank]
    return [line for block in kept for line in block.lines]


def progress_blocks(state: State, job: Job, progress: Progress, now: float, width: int) -> list[Block]:
    """All that is known of the scan itself."""
    return [
        Block(8, [Text(fit(one_line(job.status.shown or job.status.title), width).rstrip(), "bold", no_wrap=True)]),
        Block(5, _whose(job, width)),
        Block(0, verdict_lines(state, job, progress, now, width)),
        Block(2, evidence_lines(progress, width)),
        Block(7, _phases(progress, width)),
        Block(0, _work(progress, width)),
        Block(4, _counted(progress, width)),
        Block(0, finish_lines(progress, now, state.utc_offset, width)),
        Block(1, _rests_on(progress, now, state.utc_offset, width)),
        Block(6, _rate(progress, width)),
    ]


def _whose(job: Job, width: int) -> list[Text]:
    """That somebody else started it, and what cannot be known of it for that."""
    if not is_adopted(job.status.id):
        return []
    told = f"{job.status.title}; its exit code cannot be known, and it is not touched"
    return labelled("", told, width, label_width=LABEL, style="dim")


def verdict_lines(state: State, job: Job, progress: Progress, now: float, width: int) -> list[Text]:
    """The phase, since when, the last line, and why."""
    status, since = job.status, ""
    seconds = ran_seconds(state, job, now)
    if status.began and seconds is not None:
        ran, began = duration_text(seconds), moment_text(status.began, now, state.utc_offset)
        since = f"{ran}, since {began}" if status.ended is None else f"after {ran}, began {began}"
    last = ""
    if progress.last_line_at is not None and not status.state.settled:
        gap = f" (usual gap {duration_text(progress.usual_gap)})" if progress.usual_gap else ""
        last = f"last line {age_text(progress.last_line_at, now)} ago{gap}"
        if LABEL + 1 + len(since) + 3 + len(last) > width:
            last = last.removesuffix(gap)
    style = TROUBLED.get(progress.phase, "bold")
    lines = [field(progress.phase.value, f"{since}   {last}".strip(), width, style)]
    if progress.why:
        lines += labelled("", progress.why, width, label_width=LABEL)
    return lines


def evidence_lines(progress: Progress, width: int) -> list[Text]:
    """What speaks for and against its being alive, where that is in doubt."""
    lines: list[Text] = []
    for line in progress.evidence:
        sign = f"{line.severity.sign} " if line.severity.sign else ""
        label = fit(f"  {line.label}", LABEL)
        lines += labelled(label, f"{sign}{line.value}", width, label_width=LABEL, style=STYLES[line.severity])
    return lines


def _phases(progress: Progress, width: int) -> list[Text]:
    if not progress.phases:
        return []
    return [field("phases", phases_text(progress.phases, width - LABEL - 1), width)]


def phases_text(phases: Sequence[tuple[str, str]], width: int) -> str:
    """The phases with a word each; those at the beginning that share one are counted where there is no room."""
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
        return [field("work", "not known yet", width)]
    if progress.phase is Phase.FINISHED and counter.done is None:
        return [field("work", "done; nothing was counted on the way", width)]
    share = "" if counter.fraction is None else f"{counter.fraction * 100:5.1f} %"
    size = max(10, min(60, width - LABEL - 14))
    return [field("work", f"{bar(counter.fraction, size)} {share}", width)]


def _counted(progress: Progress, width: int) -> list[Text]:
    """The counters, and beside them the tool's own percentage, on a line of its own where there is no room."""
    counter = progress.counter
    if counter is None or (progress.phase is Phase.FINISHED and counter.done is None):
        return []
    done = "-" if counter.done is None else f"{counter.done:,}"
    total = f"{counter.total:,}" if counter.total is not None else "an unknown number of"
    if counter.at_least and counter.total is not None:
        total = f"at least {total}"
    ended = "counted last: " if progress.phase is Phase.FINISHED else ""
    told = f"{ended}{done} of {total} {counter.of or counter.unit}"
    if progress.tool_percent is None:
        return [field("", told, width)]
    tool, more = f"tool says {progress.tool_percent:.2f} %", " (not used)"
    left = width - LABEL - 1 - len(told) - 3 - len(tool)
    if left >= 0:
        return [field("", f"{told}   {tool}{more if left >= len(more) else ''}", width)]
    return [field("", told, width), field("tool says", f"{progress.tool_percent:.2f} %{more}", width)]


def finish_lines(progress: Progress, now: float, zone: int, width: int) -> list[Text]:
    """When it may be over, or why nobody says so."""
    finish = progress.finish
    if finish is None:
        return labelled("finish", f"not told: {progress.no_finish}", width, label_width=LABEL) * bool(
            progress.no_finish
        )
    low, mid, high = range_texts(finish.low, finish.mid, finish.high, now, zone)
    left = f"in {duration_text(max(0.0, finish.low - now))} to {duration_text(max(0.0, finish.high - now))}"
    told = f"{low} - {high} likely, about {mid}"
    if LABEL + 1 + len(told) + 3 + len(left) <= width:
        return [field("finish", f"{told}   {left}", width)]
    return [field("finish", told, width), field("", left, width)]


def _rests_on(progress: Progress, now: float, zone: int, width: int) -> list[Text]:
    """What the forecast rests on, for how long it has held, and why it moved."""
    finish = progress.finish
    if finish is None:
        return []
    steady = ""
    if finish.steady_since is not None and now - finish.steady_since >= 60:
        steady = f"; steady for {duration_text(now - finish.steady_since)}"
    lines = [field("", f"{finish.basis}{steady}", width, "dim")]
    if progress.moved and (len(progress.told) < 2 or moved_at(progress.told, finish.mid, progress.moved[0])):
        at, why = progress.moved
        lines.append(field("", f"moved {moment_text(at, now, zone)}: {one_line(why)}", width))  # e has all of it
    return lines


def _rate(progress: Progress, width: int) -> list[Text]:
    """The rate of late with its trend, and the mean."""
    rate, counter = progress.rate, progress.counter
    if rate is None or counter is None:
        return []
    trend = progress.trend
    late = trend[-1] if trend else rate
    word = "steady" if abs(late - rate) <= STEADY * rate else "faster of late" if late > rate else "slower of late"
    told = f"{late:,.0f} {counter.unit}/s  {spark(trend, TREND)}  mean {rate:,.0f}, {word}"
    return [field("rate", told, width)]


def field(label: str, value: str, width: int, style: str = "") -> Text:
    """A label and its value on one line."""
    return Text(fit(f"{fit(label, LABEL)} {value}", width).rstrip(), style, no_wrap=True)
