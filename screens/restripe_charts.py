"""What the Restripe screen draws over time: how the forecast moved, the rate, and what happened; with a word on each
moment that is pointed at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from rich.text import Text

from remote.text import one_line
from screens.widgets.chart import (
    SEVERAL,
    Finish,
    Sign,
    Trend,
    axis_line,
    finish_lines,
    legend,
    mark_lines,
    sign_line,
    trend_lines,
)
from screens.widgets.charts import Look
from screens.widgets.render import fit, paragraph
from supervision.charting import Axis
from supervision.charting_forecasts import bands, clock_of, states
from supervision.charting_lens import span_text
from supervision.clocktext import range_texts, time_of_day
from supervision.forecasts import Told
from supervision.happenings import Happening

SIGNS = {
    "restart": Sign("R", "scan began again", "bold red"),
    "disk": Sign("D", "disk", "bold red"),
    "node": Sign("N", "node", "bold yellow"),
    "daemon": Sign("W", "daemon", "bold yellow"),
    "manager": Sign("M", "manager", "bold"),
    "qos": Sign("Q", "QoS", "bold cyan"),
    "limit": Sign("B", "brake", "bold cyan"),
    "snapshot": Sign("S", "snapshot", "bold"),
    "space": Sign("F", "fill", "bold yellow"),
    "link": Sign("L", "connection", "dim"),
    "probe": Sign("P", "probe", "bold"),
    "canary": Sign("C", "canary", "bold yellow"),
}
"""The letters of what happened, the gravest first."""
STATES = {
    "starting": Sign("s", "starting", "dim"),
    "waiting": Sign("w", "waiting", "bold yellow"),
    "estimate": Sign("─", "forecast", "dim"),
    "stalled": Sign("!", "stalled", "bold red"),
    "finishing": Sign("f", "finishing", "bold"),
}
GRAVE = ("stalled", "waiting")
ROOMY = 16
"""Lines from which on there is room for every trend."""
LEAST_ROWS, MOST_ROWS = 3, 12
"""Rows of the scale of the forecast."""
MARKS = 2
"""Rows of marks at most."""
READ = 2
"""Lines that tell of the moment under the cursor."""
NEAR = 1
"""Columns to either side of the cursor of which it is told what happened there."""


class Strip(msgspec.Struct, frozen=True):
    """A trend over the time of a run: `last` is its newest value in words, `text` says a value so.

    `values` are those of the columns of an axis. `top`, `scale` and `limited` are as with Trend; one that is `wide` is
    left out where there is little room.
    """

    label: str
    last: str
    values: Callable[[Axis], tuple[float | None, ...]]
    text: Callable[[float], str]
    top: float = 0.0
    scale: str = ""
    limited: bool = False
    wide: bool = False


class Story(msgspec.Struct, frozen=True):
    """Everything that is drawn of a run. `truth` is its true end, once a person wants to see that."""

    now: float
    zone: int
    told: Sequence[Told] = ()
    strips: Sequence[Strip] = ()
    happened: Sequence[Happening] = ()
    truth: float | None = None


def drawing(story: Story, look: Look) -> list[Text]:
    """The charts in no more lines than there is room for."""
    axis, cursor = look.axis, look.cursor
    marks = [(one.at, one.kind) for one in story.happened if axis.start <= one.at <= axis.end]
    events = {column for at, _kind in marks if (column := axis.column(at)) is not None}
    roomy = look.height >= ROOMY
    below = _strips([strip for strip in story.strips if roomy or not strip.wide], axis, cursor)
    if story.told:
        below.insert(0, _states(story, axis, cursor))
    letters = mark_lines("events", marks, SIGNS, axis, rows=MARKS, cursor=cursor) if marks else []
    several = any(SEVERAL in line.plain for line in letters)
    below += letters
    below.append(axis_line(axis, span_text(look.lens.span), cursor=cursor))
    below.append(_legend(story, axis, [kind for _at, kind in marks], look.width, several=several))
    read = readout(story, look) if cursor is not None else []
    rows = look.height - len(below) - len(read)
    if rows < LEAST_ROWS:  # the legend is the first to go: help has it as well
        below.pop()
        rows += 1
    return [*_finish(story, axis, min(MOST_ROWS, rows), events, cursor), *below, *read][: max(1, look.height)]


def _finish(story: Story, axis: Axis, rows: int, events: set[int], cursor: int | None) -> list[Text]:
    shown = bands(story.told, axis, story.now)
    clock = clock_of(shown, rows, zone=story.zone, truth=story.truth) if rows >= LEAST_ROWS else None
    if clock is None:
        return []
    return finish_lines(Finish(shown, clock, story.now, story.truth), axis, events, cursor)


def _states(story: Story, axis: Axis, cursor: int | None) -> Text:
    shown = states(story.told, axis, story.now, GRAVE)
    signs = [(STATES[word].letter, STATES[word].style) if word in STATES else (" ", "") for word in shown]
    return sign_line("forecast", "", signs, cursor)


def _strips(strips: Sequence[Strip], axis: Axis, cursor: int | None) -> list[Text]:
    lines: list[Text] = []
    for strip in strips:
        values = strip.values(axis)
        known = [value for value in values if value is not None]
        scale = strip.scale or (f"top {count_text(max(known))}" if known else "")
        trend = Trend(strip.label, strip.last, values, strip.top, scale, limited=strip.limited)
        lines += trend_lines(trend, cursor)
    return lines


def _legend(story: Story, axis: Axis, kinds: Sequence[str], width: int, *, several: bool) -> Text:
    """What the letters mean that are in sight; where nothing happened, what the forecast's signs mean."""
    shown = set(states(story.told, axis, story.now, GRAVE)) - {"", "estimate"}
    signs = {**SIGNS, **STATES}
    return legend([*kinds, *shown], signs, width, several=several)


def readout(story: Story, look: Look) -> list[Text]:
    """What was so where the cursor is, and what happened around it."""
    axis, column, now, zone = look.axis, look.cursor, story.now, story.zone
    if column is None:
        return []
    start, end = axis.edge(column), axis.edge(column + 1)
    parts = [f"at {time_of_day(start, zone)}"]
    told = [one for one in story.told if one.at <= end]
    if told and start <= now:
        parts.append(told_text(told[-1], now, zone))
    for strip in story.strips:
        value = strip.values(axis)[column]
        parts.append(f"{strip.label} {'not known' if value is None else strip.text(value)}")
    near = [one for one in story.happened if axis.edge(column - NEAR) <= one.at < axis.edge(column + 1 + NEAR)]
    parts += [happening_text(one, zone) for one in near]
    told_lines = paragraph("; ".join(parts), look.width)
    if len(told_lines) > READ:  # the list of events has all of them
        told_lines = [*told_lines[: READ - 1], f"{told_lines[READ - 1]} …"]
    told_lines += [""] * (READ - len(told_lines))  # the charts above stand still while the cursor moves
    return [Text(fit(line, look.width).rstrip(), no_wrap=True) for line in told_lines]


def told_text(one: Told, now: float, zone: int) -> str:
    """A forecast in words."""
    if one.low is None or one.mid is None or one.high is None:
        return f"{one.state}: {one.why}" if one.why else str(one.state)
    low, mid, high = range_texts(one.low, one.mid, one.high, now, zone)
    why = f" ({one.why})" if one.why else ""
    return f"finish {low} - {high}, about {mid}, by {one.unit.replace('+', ' and ')}{why}"


def happening_text(one: Happening, zone: int) -> str:
    """Something that happened, in a line."""
    return f"{time_of_day(one.at, zone)} {one_line(one.text)}"


def count_text(value: float) -> str:
    """A figure in few cells: `0.25`, `6,680`, `12.3k`, `1.2M`."""
    for limit, unit, size in ((1e9, "G", 1e9), (1e6, "M", 1e6), (1e4, "k", 1e3)):
        if value >= limit:
            scaled = value / size
            return f"{scaled:.1f}{unit}" if scaled < 100 else f"{scaled:.0f}{unit}"
    return f"{round(value):,}" if value >= 9.95 else f"{value:.2g}"
