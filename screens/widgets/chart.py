"""Charts on one time axis, of characters: how a forecast moved, trends beneath it, and marks of what happened.

Pure functions from plain figures to lines. What is not known is blank, never 0; every sign can be told without colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

import msgspec
from rich.text import Text

from remote.text import one_line
from screens.widgets.render import fit
from supervision.charting import MINUTE, Axis, place, tick_text, ticks
from supervision.charting_forecasts import Band, Clock

LABEL, VALUE, SCALE = 10, 10, 9
"""Cells of a row's name, of its last value or a label of its scale, and of the scale's top at the right."""
FRAME = LABEL + 1 + VALUE + 1 + 1 + SCALE
"""Cells of a row that are not its drawing."""
LEAST = 10
"""Columns that a drawing has at least."""
MIDS = "▁━▔"
"""The middle of a forecast in the lower, the middle and the upper third of a row."""
RANGE, TRUTH, BOTH, NOW, EVENT = "░", "═", "≡", "╱", "┊"
BARS = "▁▂▃▄▅▆▇█"
OVER = "▲"
"""Above the top of the scale; of the forecast, the middle is outside at the upper or the lower edge."""
UNDER = "▼"
SEVERAL = "*"
CURSOR = "▼"
_RANGE, _MID, _TRUTH, _DIM, _OVER = "cyan", "bold", "bold magenta", "dim", "bold red"
_CURSOR = "reverse"


class Sign(msgspec.Struct, frozen=True):
    """The letter of a kind of event, what it is called in the legend, and its style."""

    letter: str
    word: str
    style: str = "bold"


class Trend(msgspec.Struct, frozen=True):
    """A row of bars: a value for each column, None where it is not known; `last` is the newest in words.

    `top` is the value of a full bar, 0 for the highest there is, and `scale` its words. With `limited` it is a limit:
    what is above it is marked.
    """

    label: str
    last: str
    values: tuple[float | None, ...]
    top: float = 0.0
    scale: str = ""
    height: int = 1
    limited: bool = False


class Finish(msgspec.Struct, frozen=True):
    """How a forecast moved: the bands of the columns on a scale of clock times, and the true end once that is told."""

    bands: tuple[Band | None, ...]
    clock: Clock
    now: float
    truth: float | None = None
    label: str = "finish"


def columns_of(width: int) -> int:
    """The columns of a drawing where a line has `width` cells."""
    return max(LEAST, width - FRAME)


def finish_lines(finish: Finish, axis: Axis, events: Iterable[int] = (), cursor: int | None = None) -> list[Text]:
    """The forecast, a line for each row of its scale, the latest times above."""
    clock = finish.clock
    marked = set(events)
    lines = []
    for row in reversed(range(clock.rows)):
        cells = [_finish_cell(finish, axis, column, row, column in marked) for column in range(axis.columns)]
        truth = finish.truth is not None and clock.level(finish.truth) // 3 == row
        label = finish.label if row == clock.rows - 1 else ""
        lines.append(_line(label, clock.label(row, finish.now), cells, f"{TRUTH} true" if truth else "", cursor))
    return lines


def _finish_cell(finish: Finish, axis: Axis, column: int, row: int, event: bool) -> tuple[str, str]:
    clock, band = finish.clock, finish.bands[column]
    truth = finish.truth is not None and clock.level(finish.truth) // 3 == row
    if band is not None:
        level = clock.level(band.mid)
        if level // 3 == row:
            return (BOTH, _TRUTH) if truth else (MIDS[level % 3], _MID)
        if level >= clock.rows * 3 and row == clock.rows - 1:
            return OVER, _MID
        if level < 0 and row == 0:
            return UNDER, _MID
    if truth:
        return TRUTH, _TRUTH
    if band is not None and clock.level(band.low) // 3 <= row <= clock.level(band.high) // 3:
        return RANGE, _RANGE
    here = axis.edge(column) + axis.width / 2
    if here <= finish.now and clock.level(here) // 3 == row:
        return NOW, _DIM
    return (EVENT, _DIM) if event else (" ", "")


def trend_lines(trend: Trend, cursor: int | None = None) -> list[Text]:
    """Bars in as many lines as the trend is high. Nothing at all is the lowest bar, anything more a higher one."""
    known = [value for value in trend.values if value is not None]
    top = trend.top or max(known, default=0.0)
    lines = []
    for row in reversed(range(max(1, trend.height))):
        cells = [_bar(value, top, row, max(1, trend.height), limited=trend.limited) for value in trend.values]
        first = row == max(1, trend.height) - 1
        lines.append(
            _line(trend.label if first else "", trend.last if first else "", cells, trend.scale * first, cursor)
        )
    return lines


def _bar(value: float | None, top: float, row: int, height: int, *, limited: bool) -> tuple[str, str]:
    if value is None:
        return " ", ""
    over = limited and value > top
    if over and row == height - 1:
        return OVER, _OVER
    share = min(1.0, max(0.0, value / top)) if top > 0 else 0.0
    level = 1 if share <= 0 else 1 + max(1, round(share * (height * 8 - 1)))
    eighths = min(8, level - row * 8)
    return (BARS[eighths - 1] if eighths > 0 else " "), _OVER if over else ""


def sign_line(label: str, last: str, signs: Sequence[tuple[str, str]], cursor: int | None = None) -> Text:
    """A row of one character and its style for each column."""
    return _line(label, last, list(signs), "", cursor)


def mark_lines(
    label: str,
    marks: Sequence[tuple[float, str]],
    signs: Mapping[str, Sign],
    axis: Axis,
    *,
    rows: int = 2,
    cursor: int | None = None,
) -> list[Text]:
    """What happened (time, kind), a letter for each kind; several in the last row that a column has are a star."""
    lines = []
    for number, row in enumerate(place(marks, axis, rows)):
        cells = [(" ", "")] * axis.columns
        for column, kinds in row.items():
            sign = sign_of(kinds[0], signs)
            cells[column] = (sign.letter, sign.style) if len(kinds) == 1 else (SEVERAL, "bold")
        lines.append(_line(label if number == 0 else "", "", cells, "", cursor))
    return lines


def sign_of(kind: str, signs: Mapping[str, Sign]) -> Sign:
    """The sign of a kind; one that nobody knows has the first letter of its name."""
    word = one_line(kind) or "?"
    return signs.get(kind, Sign(word[:1].upper(), word))


def legend(kinds: Iterable[str], signs: Mapping[str, Sign], width: int, *, several: bool = False) -> Text:
    """What the letters of these kinds mean, those of which there is one in sight; in the order of `signs`."""
    there = set(kinds)
    ordered = [kind for kind in signs if kind in there] + sorted(kind for kind in there if kind not in signs)
    parts = [f"{sign.letter} {sign.word}" for sign in (sign_of(kind, signs) for kind in ordered)]
    if several:
        parts.append(f"{SEVERAL} several")
    return Text(fit(" " * (LABEL + 1) + "  ".join(parts), width).rstrip(), _DIM, no_wrap=True)


def axis_line(axis: Axis, label: str, *, cursor: int | None = None) -> Text:
    """The times beneath the drawings, and a pointer where the cursor is, with its own time."""
    line = [" "] * (axis.columns + SCALE + 1)
    told = [(column, f"╵{text}") for column, text in ticks(axis)]
    if cursor is not None:
        text = tick_text(axis.edge(cursor), axis.zone, 1.0 if axis.width < MINUTE else MINUTE)
        told.insert(0, (cursor, f"{CURSOR}{text}"))  # what stands at the right of the drawings leaves room for it
    for start, text in told:
        if all(cell == " " for cell in line[max(0, start - 1) : start + len(text) + 1]):
            line[start : start + len(text)] = text
    head = f"{fit('', LABEL)} {fit(label, VALUE, right=True)} "
    return Text(head + "".join(line[: axis.columns + SCALE + 1]).rstrip(), _DIM, no_wrap=True)


def _line(label: str, value: str, cells: Sequence[tuple[str, str]], scale: str, cursor: int | None) -> Text:
    line = Text(f"{fit(one_line(label), LABEL)} {fit(one_line(value), VALUE, right=True)} ", no_wrap=True)
    for style, same in groupby(_pointed(cells, cursor), key=lambda cell: cell[1]):
        line.append("".join(character for character, _style in same), style)
    line.append(f" {fit(one_line(scale), SCALE)}".rstrip(), _DIM)
    if cursor is None:
        line.rstrip()
    return line


def _pointed(cells: Sequence[tuple[str, str]], cursor: int | None) -> Sequence[tuple[str, str]]:
    if cursor is None or not 0 <= cursor < len(cells):
        return cells
    character, style = cells[cursor]
    return [*cells[:cursor], (character, f"{style} {_CURSOR}".strip()), *cells[cursor + 1 :]]
