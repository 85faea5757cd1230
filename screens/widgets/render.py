"""Text for the terminal from values. Remote text comes as it is and leaves safe; nothing passes through markup."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.text import Text

from remote.text import one_line
from supervision.clocktext import age_text
from supervision.tables import Line, Severity, Table

STYLES = {Severity.NORMAL: "", Severity.NOTE: "", Severity.WARNING: "bold yellow", Severity.BAD: "bold red"}
DIM = "dim"


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


def middle_cut(text: str, width: int) -> str:
    """At most `width` cells, cut in the middle: the beginning and the end of a command tell most."""
    if cell_len(text) <= width:
        return text
    left, right = set_cell_size(text, (width - 1) // 2), text
    while cell_len(right) > width // 2:
        right = right[1:]
    return f"{left}…{right}"


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


def small_table(table: Table, width: int, *, empty: str = "nothing is known yet") -> list[Text]:
    """A table of a few rows as lines, cut at `width`; its severity signs stand in the first column."""
    columns = [column for column in table.columns if not column.wide or width >= 110]
    indexes = [table.columns.index(column) for column in columns]
    if not table.rows:
        return [plain(table.absent or table.failure or empty, DIM, indent=3)]
    titles = [one_line(column.title) for column in columns]
    texts = [[one_line(row.cells[index].text) for index in indexes] for row in table.rows]
    widths = [max(cell_len(title), *(cell_len(cells[place]) for cells in texts)) for place, title in enumerate(titles)]
    lines = [_line("   ", titles, widths, columns, DIM, width)]
    for row, cells in zip(table.rows, texts, strict=True):
        lines.append(_line(f"{row.severity.sign:<2} ", cells, widths, columns, STYLES[row.severity], width))
    return lines


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


def bar(fraction: float | None, width: int) -> str:
    """A bar of eighths; a row of dots while the fraction is unknown."""
    if fraction is None:
        return "·" * width
    eighths = round(max(0.0, min(1.0, fraction)) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (" ▏▎▍▌▋▊▉"[rest] if rest else "")).ljust(width, "░")


def spark(values: Sequence[float], width: int) -> str:
    """The last `width` values as a line of little bars."""
    values = list(values)[-width:]
    top = max(values, default=0.0)
    if top <= 0:
        return ""
    return "".join("▁▂▃▄▅▆▇█"[min(7, int(value / top * 7.999))] for value in values)


def _line(
    sign: str, cells: Sequence[str], widths: Sequence[int], columns: Sequence[object], style: str, width: int
) -> Text:
    parts = [
        fit(cell, size, right=bool(getattr(column, "right", False)))
        for cell, size, column in zip(cells, widths, columns, strict=True)
    ]
    return Text(fit(sign + "  ".join(parts), width).rstrip(), style=style, no_wrap=True)
