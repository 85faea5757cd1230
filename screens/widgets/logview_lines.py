"""How the lines of a log stand on a screen: cut or wrapped to its width, with what was found in them marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from rich.cells import cell_len, chop_cells

CUT = "…"
Spans: TypeAlias = Sequence[tuple[int, int]]


class Part(NamedTuple):
    """A line of the screen: which row of the log, whether its first part, and its text from the letter `begins` on."""

    row: int
    line: int
    first: bool
    begins: int
    text: str


def tabs_out(text: str) -> str:
    """Tabs as blanks: a terminal that moves its cursor by itself would tear the line."""
    return text.expandtabs(8) if "\t" in text else text


def wrapped(text: str, width: int) -> list[tuple[int, str]]:
    """A text in parts that are as wide as the screen, each with the place where it begins; one part at least."""
    parts: list[tuple[int, str]] = []
    begins = 0
    for part in chop_cells(text, max(2, width)):
        parts.append((begins, part))
        begins += len(part)
    return parts or [(0, "")]


def window(text: str, left: int, width: int) -> tuple[int, str]:
    """What of a text stands between the cells `left` and `left + width`, and where it begins; signs where it is cut."""
    if width <= 0:
        return 0, ""
    if not left and cell_len(text) <= width:
        return 0, text
    begins = place_of_cell(text, left) if left else 0
    seen = text[begins:]
    sign = CUT if left and text else ""
    if sign and seen:
        begins, seen = begins + 1, seen[1:]
    room = width - len(sign)
    if cell_len(seen) > room:
        seen = seen[: place_of_cell(seen, max(0, room - 1))] + CUT
    return begins - len(sign), sign + seen


def place_of_cell(text: str, cell: int) -> int:
    """The index of the letter that stands in a cell, or of the first behind it."""
    if text.isascii():
        return min(cell, len(text))
    parts = chop_cells(text, cell) if cell > 1 else []
    if parts:
        return len(parts[0])
    return 0 if cell <= 0 else min(1, len(text))


def marked(text: str, begins: int, spans: Spans) -> list[tuple[str, bool]]:
    """A part in pieces, each with whether it lies in one of the spans, which count from the line's first letter."""
    pieces: list[tuple[str, bool]] = []
    at, ends = begins, begins + len(text)
    for low, high in spans:
        low, high = max(low, at), min(high, ends)  # noqa: PLW2901  cut to this part
        if low >= high:
            continue
        if low > at:
            pieces.append((text[at - begins : low - begins], False))
        pieces.append((text[low - begins : high - begins], True))
        at = high
    if at < ends or not pieces:
        pieces.append((text[at - begins :], False))
    return pieces
