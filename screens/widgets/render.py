"""Text for the terminal from values. Remote text comes as it is and leaves safe; nothing passes through markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.text import Text

from remote.text import one_line
from supervision.clocktext import age_text
from supervision.tables import Column, Line, Severity, Table

STYLES = {Severity.NORMAL: "", Severity.NOTE: "", Severity.WARNING: "bold yellow", Severity.BAD: "bold red"}
DIM = "dim"
SIGN = 3
"""Cells before a small table's first column."""
GAP = 2
LEAST = 6
"""Cells that are left of a text of a small table, whatever else there is."""


def plain(text: str, style: str = "", *, indent: int = 0) -> Text:
    """Remote or own text on one line, safe, in one style."""
    return Text(" " * indent + one_line(text), style=style, no_wrap=True, end="")


def fit(text: str, width: int, *, right: bool = False) -> str:
    """Exactly `width` cells: cut with an ellipsis, or filled with blanks."""
    if width <= 0:
        return ""
    if cell_len(text) > width:
        return set_cell_size(text, width - 1) + "…"
    return text.rjust(width - cell_len(text) + len(text)) if right else set_cell_size(text, width)


def paragraph(text: str, width: int) -> list[str]:
    """Text on as many lines as it needs, broken between words where that is possible; it leaves safe."""
    lines: list[str] = []
    for word in one_line(text).split():
        if lines and cell_len(f"{lines[-1]} {word}") <= width:
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines += chop_cells(word, max(2, width))
    return lines or [""]


def labelled(label: str, text: str, width: int, *, label_width: int, indent: int = 0, style: str = "") -> list[Text]:
    """A label and beside it its text, on as many lines as it needs; both may be remote."""
    parts = paragraph(text, max(10, width - label_width - indent - 1))
    heads = [fit(one_line(label), label_width), *[" " * label_width] * (len(parts) - 1)]
    return [
        Text(f"{' ' * indent}{head} {part}".rstrip(), style=style, no_wrap=True)
        for head, part in zip(heads, parts, strict=True)
    ]


def fit_middle(text: str, width: int) -> str:
    """Exactly `width` cells: what is too long loses its middle, for a list of names is known by both of its ends."""
    if cell_len(text) <= width or width < 3:
        return fit(text, width)
    head = set_cell_size(text, width // 2)
    room, tail = width - cell_len(head) - 1, ""
    for letter in reversed(text):
        if cell_len(letter + tail) > room:
            break
        tail = letter + tail
    return set_cell_size(f"{head}…{tail}", width)


def shrunk(widths: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Widths that add up to `room`, where that is possible: the widest give way, none beyond its `least`."""
    out = list(widths)
    over = sum(out) - room
    while over > 0:
        able = [place for place, width in enumerate(out) if width > least[place]]
        if not able:
            break
        able.sort(key=lambda place: -out[place])
        widest, second = able[0], out[able[1]] if len(able) > 1 else 0
        step = min(over, max(1, out[widest] - max(second, least[widest])))
        out[widest] -= step
        over -= step
    return out


def small_table(table: Table, width: int, *, empty: str = "nothing is known yet") -> list[Text]:
    """A table of a few rows as lines no wider than `width`; its severity signs stand in the first column.

    Columns that say nothing are left out, those for wide terminals where they do not fit; then texts are shortened,
    the widest first: what stands last is no less needed than what stands first.
    """
    if not table.rows:
        return [plain(table.absent or table.failure or empty, DIM, indent=3)]
    texts = {
        index: [one_line(row.cells[index].text) for row in table.rows]
        for index, column in enumerate(table.columns)
        if column.only != "file"
    }
    columns = {index: table.columns[index] for index, told in texts.items() if index == 0 or any(told)}
    titles = {index: one_line(column.title) for index, column in columns.items()}
    wanted = {index: max(cell_len(titles[index]), *map(cell_len, texts[index])) for index in columns}
    room = width - SIGN
    for index in sorted((index for index, column in columns.items() if column.wide), reverse=True):
        if sum(wanted.values()) + GAP * (len(wanted) - 1) > room:
            del columns[index], wanted[index]
    least = [
        wanted[index] if column.right else min(wanted[index], max(LEAST, cell_len(titles[index])))
        for index, column in columns.items()
    ]
    widths = shrunk(list(wanted.values()), least, room - GAP * (len(wanted) - 1))
    lines = [_line("", [titles[index] for index in columns], widths, columns.values(), DIM)]
    for number, row in enumerate(table.rows):
        cells = [texts[index][number] for index in columns]
        lines.append(_line(row.severity.sign, cells, widths, columns.values(), STYLES[row.severity]))
    for each in lines:
        each.truncate(width)
    return lines


def _line(sign: str, cells: Sequence[str], widths: Sequence[int], columns: Iterable[Column], style: str) -> Text:
    parts = [
        fit(cell, size, right=column.right) if place else fit_middle(cell, size)
        for place, (cell, size, column) in enumerate(zip(cells, widths, columns, strict=True))
    ]
    return Text(f"{sign:<{SIGN}}{(' ' * GAP).join(parts)}".rstrip(), style=style, no_wrap=True)


def fact_lines(lines: Sequence[Line], width: int, now: float, *, label_width: int = 14) -> list[Text]:
    """Facts on as many lines as they need, each problem followed by what to do about it."""
    out = []
    for line in lines:
        age = "" if line.at is None else f"  ({age_text(line.at, now)} ago)"
        label = f"{line.severity.sign:<2} {fit(one_line(line.label), label_width)}"
        wide = label_width + 3
        out += labelled(label, f"{line.value}{age}", width, label_width=wide, style=STYLES[line.severity])
        if line.advice:
            out += labelled("", line.advice, width, label_width=wide, style=DIM)
    return out


def spark(values: Sequence[float], width: int) -> str:
    """The last `width` values as a line of little bars."""
    values = list(values)[-width:]
    top = max(values, default=0.0)
    if top <= 0:
        return ""
    return "".join("▁▂▃▄▅▆▇█"[min(7, int(value / top * 7.999))] for value in values)
