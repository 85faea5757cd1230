"""A table saved to a file, as CSV or JSON. Nothing that is there is ever written over."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import msgspec

from supervision.tables import Table


class ExportError(Exception):
    """It was not saved; the text says why."""


def to_csv(table: Table) -> str:
    """The titles, then a line a row, as they are shown."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["severity", *(column.title for column in table.columns)])
    for row in table.rows:
        writer.writerow([row.severity.name.lower(), *(cell.text for cell in row.cells)])
    return out.getvalue()


def to_json(table: Table) -> str:
    """Rows as objects by column id: the text that is shown and, where it differs, the exact value behind it."""
    ids = [column.id for column in table.columns]
    rows = []
    for row in table.rows:
        cells = {key: cell.text for key, cell in zip(ids, row.cells, strict=True)}
        values = {
            key: cell.value
            for key, cell in zip(ids, row.cells, strict=True)
            if cell.value is not None and cell.value != cell.text
        }
        rows.append({"key": row.key, "severity": row.severity.name.lower(), "cells": cells, "values": values})
    columns = [{"id": column.id, "title": column.title} for column in table.columns]
    whole = {"asked_at": table.at, "failure": table.failure, "columns": columns, "rows": rows}
    return msgspec.json.format(msgspec.json.encode(whole), indent=1).decode() + "\n"


WRITERS = {".csv": to_csv, ".json": to_json}


def free_name(name: str) -> str:
    """A name for a CSV file in the current directory that nothing has yet."""
    base = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name).strip(".-") or "table"
    for number in range(1, 1000):
        found = f"{base}.csv" if number == 1 else f"{base}-{number}.csv"
        if not os.path.lexists(found):
            return found
    return f"{base}.csv"


def save(table: Table, typed: str) -> str:
    """Save to a file that is not there yet, readable by its owner alone; say what was done. Raises ExportError."""
    typed = typed.strip()
    if not typed:
        raise ExportError("no name was given")
    try:
        path = Path(typed).expanduser()
    except RuntimeError as error:  # a home directory that nobody has
        raise ExportError(str(error)) from None
    write = WRITERS.get(path.suffix.lower())
    if write is None:
        raise ExportError("the name must end in .csv or .json")
    data = write(table).encode("utf-8", "replace")
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
    except FileExistsError:
        raise ExportError("it is there already; take another name") from None
    except (OSError, ValueError) as error:
        raise ExportError(getattr(error, "strerror", None) or str(error)) from None
    return f"saved {len(table.rows):,} rows to {path}"
