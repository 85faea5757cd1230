"""Tables as plain text: aligned, safe to show, readable in a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from remote.text import one_line


def table(headers: Sequence[str], rows: Iterable[Sequence[object]], *, right: Sequence[int] = ()) -> list[str]:
    """The lines of a table. Columns whose index is in `right` are aligned to the right; None is shown as `-`."""
    texts = [list(headers), *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(row[index]) for row in texts) for index in range(len(headers))]
    lines = []
    for number, row in enumerate(texts):
        cells = [
            cell.rjust(width) if index in right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
        if number == 0:
            lines.append("  ".join("-" * width for width in widths))
    return lines


def size_text(kb: int | None) -> str:
    """A size given in KB, with three digits that matter."""
    if kb is None:
        return "-"
    value = float(kb)
    for unit in ("KiB", "MiB", "GiB", "TiB", "PiB"):
        if abs(value) < 1000 or unit == "PiB":
            digits = 0 if value >= 100 or unit == "KiB" else 1 if value >= 10 else 2
            return f"{value:.{digits}f} {unit}"
        value /= 1024
    raise AssertionError


def _cell(value: object) -> str:
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return one_line(str(value))
