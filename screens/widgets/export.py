"""A table saved to a file, as CSV or JSON. Nothing that is there is ever written over."""

from __future__ import annotations

import csv
import io
import os
import re
from pathlib import Path

import msgspec

from supervision.tables import Cell, Column, Table

FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
"""What a formula begins with, as spreadsheets read a text file."""


class ExportError(Exception):
    """It was not saved; the text says why."""


def value_of(column: Column, cell: Cell) -> int | float | str | None:
    """What is saved of a cell: the number behind it where its column has a unit, else its text; None for unknown."""
    value = cell.value
    if isinstance(value, int | float) and (column.unit or cell.text == str(value)):
        return int(value) if float(value).is_integer() else round(value, 3)
    return None if column.unit else cell.text


def to_csv(table: Table) -> str:
    """A line of names with their units, then a line a row, numbers as numbers: for a spreadsheet or a script."""
    out = io.StringIO()
    writer = csv.writer(out)
    columns = _columns(table)
    writer.writerow(["severity", *(column.saved_as for _, column in columns)])
    for row in table.rows:
        values = (value_of(column, row.cells[index]) for index, column in columns)
        writer.writerow([row.severity.name.lower(), *(_harmless(value) for value in values)])
    return out.getvalue()


def to_json(table: Table) -> str:
    """Rows as objects by the same names, with when they were asked for and what went wrong since."""
    columns = _columns(table)
    rows = [
        {
            "key": row.key,
            "severity": row.severity.name.lower(),
            "cells": {column.saved_as: value_of(column, row.cells[index]) for index, column in columns},
        }
        for row in table.rows
    ]
    titles = [{"id": column.saved_as, "title": column.title, "unit": column.unit} for _, column in columns]
    whole = {"asked_at": table.at, "failure": table.failure, "columns": titles, "rows": rows}
    return msgspec.json.format(msgspec.json.encode(whole), indent=1).decode() + "\n"


def _columns(table: Table) -> list[tuple[int, Column]]:
    return [(index, column) for index, column in enumerate(table.columns) if column.only != "screen"]


def _harmless(value: float | str | None) -> float | str:
    """Remote text that a spreadsheet would take for a formula is marked as text; a lone - is none."""
    if isinstance(value, str):
        return f"'{value}" if value.lstrip().startswith(FORMULA) and value.strip("-") and not _number(value) else value
    return "" if value is None else value


def _number(text: str) -> bool:
    return re.fullmatch(r"[+-]?\d+(\.\d+)?", text, re.ASCII) is not None


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
