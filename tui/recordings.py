"""`restripe recordings`: what was recorded on this machine, and what is shipped."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import msgspec

from remote.events import decode
from remote.recording import Recording, RecordingError
from supervision.clocktext import duration_text, local_time
from tui.paths import recordings_dir
from tui.tables import size_text, table

TITLES = {
    "seed-3.5.jsonl": "all metadata moves to new SSDs, and nothing goes wrong",
    "night-5.2.jsonl": "the same, and much happens: users wait, a limit, a disk fails, a stall",
    "gfs2-savemeta.jsonl": "a real gfs2_edit savemeta: a cut connection, a stall, and the proof that it is whole",
}
"""What is in those that are shipped."""
TAIL = 64 * 1024
"""Bytes of a recording's end that are read for its last event."""


def lines() -> Iterator[str]:
    """The lines that are printed."""
    for title, directory in (("yours", recordings_dir()), ("shipped", Path(str(files("recordings"))))):
        found = sorted(directory.glob("*.jsonl")) if directory.is_dir() else []
        yield f"{title}: {directory}"
        if not found:
            yield "  none"
            continue
        columns: tuple[str, ...] = ("file", "file system", "began", "lasted", "size", "by")
        rows = [_row(path) for path in found]
        if title == "shipped":
            columns, rows = (*columns, "what"), [(*row, TITLES.get(str(row[0]))) for row in rows]
        yield from (f"  {line}" for line in table(columns, rows))


def _row(path: Path) -> tuple[object, ...]:
    """What is known of a recording, a column each."""
    try:
        header = Recording(path).header
    except RecordingError as error:
        return (path.name, "-", f"not readable: {error}", "-", "-", "-")
    end = _last_time(path)
    began = local_time(header.began, header.utc_offset).strftime("%Y-%m-%d %H:%M")
    lasted = duration_text(max(0.0, end - header.began)) if end is not None else None
    name = f"{header.file_system}{' (simulated)' if header.simulated else ''}"
    return (path.name, name, began, lasted, size_text(path.stat().st_size // 1024), header.operator)


def _last_time(path: Path) -> float | None:
    """When the last whole event was, without reading the whole file."""
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - TAIL))
        for line in reversed(file.read().split(b"\n")[:-1]):
            try:
                return decode(line).t
            except (msgspec.MsgspecError, ValueError):
                continue
    return None
