"""What happened while a scan ran, and how its forecast moved: as lines, the latest first."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat

from rich.text import Text

from remote.text import one_line
from screens.restripe_charts import SIGNS, told_text
from screens.widgets.chart import sign_of
from screens.widgets.render import fit, paragraph
from supervision.charting_forecasts import moves
from supervision.clocktext import DAYS, local_time
from supervision.forecasts import Told
from supervision.happenings import Happening

FORECAST = "forecast"
HEAD = 33
"""Cells before the text of an event: letter, day, time, kind and host."""
Events = Sequence[tuple[float, str, str, str]]
"""Time (Site's clock), kind, host and text."""


def events_of(happened: Sequence[Happening], told: Sequence[Told], now: float, zone: int) -> Events:
    """What happened and how the forecast moved, the latest first."""
    found = [(one.at, one.kind, one.host, one.text) for one in happened]
    found += [(one.at, FORECAST, "", told_text(one, now, zone)) for one in moves(told)]
    return sorted(found, key=lambda event: -event[0])


def event_lines(events: Events, width: int, zone: int) -> list[Text]:
    """Each with the letter that it has on the time axis."""
    lines: list[Text] = []
    for at, kind, host, text in events:
        when = local_time(at, zone)
        letter = " " if kind == FORECAST else sign_of(kind, SIGNS).letter
        head = f"{letter} {DAYS[when.weekday()]} {when:%H:%M:%S} {fit(one_line(kind), 9)} {fit(one_line(host), 8)}"
        style = "dim" if kind == FORECAST else ""
        for part, beside in zip(
            paragraph(text, max(10, width - HEAD - 1)), chain((head,), repeat(" " * HEAD)), strict=False
        ):
            lines.append(Text(f"{beside} {part}".rstrip(), style, no_wrap=True))
    return lines
