"""The machine-readable form, `-Y`: records of fields between colons, told by the names in their HEADER.

What was seen of it in the field and is read here: columns that a release added in the middle; rows that are shorter
or longer than their header; headers of all tables first, or each before its rows, or several times; a second record
glued to the last value of the first; a value broken by a newline; other text in between. Values are percent-decoded
after the line was split, because a decoded value may hold a colon.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import unquote

from remote.gpfs.reading import Line, Reading

_FIXED = 6  # fields before those that the header names
_ROW, _HEADER = "0", "HEADER"
# A time whose colons were not encoded comes as three fields: "2025-12-31 12", "13", "53".
_HOUR = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ _][0-9]{2}\Z")
_MINUTE = re.compile(r"[0-9]{2}\Z")
_SECOND = re.compile(r"[0-9]{2}(?:\.[0-9]+)?(?:\s*[A-Z]{2,5}|[+-][0-9]{4})?\Z")

Row: TypeAlias = Callable[..., str | None]
"""What takes the values of a row in the order of `Table.columns`; it returns why they are no good, or None."""


class Table(NamedTuple):
    """What a parser wants of one table. A column that the release does not have gives "".

    `assumed` are names for a table whose header was never seen. With `exact` a row with too many fields is refused.
    """

    columns: Sequence[str]
    row: Row
    assumed: Sequence[str] = ()
    exact: bool = False


class _Form(NamedTuple):
    """A table under its present header. `fields` is the number of fields of a row that fits it."""

    fields: int
    pick: Callable[[list[str]], Sequence[str]]
    table: Table


def is_machine(text: str, command: str) -> bool:
    """Whether a text has a record of this command at the beginning of a line."""
    begin = command + ":"
    at = text.find(begin)
    while at >= 0:
        if (at == 0 or text[at - 1] in "\r\n") and _record(command).match(text, at):
            return True
        at = text.find(begin, at + 1)
    return False


def _record(command: str) -> re.Pattern[str]:
    return re.compile(re.escape(command) + r":[A-Za-z]*:(?:HEADER:|0:[0-9]+:)")


def read_machine(reading: Reading, command: str, tables: Mapping[str, Table]) -> Generator[None, None, None]:
    """Read stdout as records of a command; `tables` are those that the parser wants, by their subtype.

    Rows of other tables and text in between become notes, records that are not whole become problems.
    """
    records = _Records(reading, command, tables)
    forms = {} if reading.inside_lines(command + ":") else records.forms
    for block in reading.blocks():
        yield
        for number, text in block:
            cells = text.split(":")
            form = forms.get(cells[1]) if len(cells) > _FIXED else None
            if form and len(cells) == form.fields and cells[0] == command and cells[2] == _ROW and not cells[-1]:
                values = form.pick(cells)
                if "%" in text:
                    values = [unquote(value) if "%" in value else value for value in values]
                why = form.table.row(*values)
                if why is None:
                    continue
                reading.problem(Line(number, text), why)
            else:
                records.other(Line(number, text.rstrip()))


class _Records:
    """Everything about records that is not the plain case of a row that fits its header."""

    def __init__(self, reading: Reading, command: str, tables: Mapping[str, Table]) -> None:
        self._reading = reading
        self._command = command
        self._tables = tables
        self._glue = _record(command)
        self.forms = {name: _form(table, table.assumed) for name, table in tables.items() if table.assumed}

    def other(self, line: Line) -> None:
        """Read a line that is a header, a row of another length, several records, or no record at all."""
        begin = self._command + ":"
        if not line.text.startswith(begin) or line.text.startswith(begin + " "):
            self._reading.note(line)
            return
        starts = [0, *(match.start() for match in self._glue.finditer(line.text, 1)), len(line.text)]
        for start, end in pairwise(starts):
            self._record(Line(line.number, line.text[start:end]))

    def _record(self, line: Line) -> None:
        cells = line.text.split(":")
        if not cells[-1]:
            cells.pop()
        if len(cells) < _FIXED or cells[2] not in (_ROW, _HEADER):
            self._reading.problem(line, "not a whole record")
        elif cells[2] == _HEADER:
            self._header(cells)
        elif cells[1] in self.forms:
            self._row(line, cells)
        elif cells[1] in self._tables:
            self._reading.problem(line, "a row before its header")
        else:
            self._reading.note(line)

    def _header(self, cells: list[str]) -> None:
        table = self._tables.get(cells[1])
        if table is not None:
            self.forms[cells[1]] = _form(table, [name.strip() for name in cells[_FIXED:]])

    def _row(self, line: Line, cells: list[str]) -> None:
        form = self.forms[cells[1]]
        room = form.fields - 1
        if len(cells) > room:
            cells = _with_whole_times(cells, room)
        surplus = [cell for cell in cells[room:] if cell]
        if surplus and form.table.exact:
            self._reading.problem(line, "more fields than the header names")
            return
        if surplus:
            self._reading.note(Line(line.number, f"more fields than the header names: {':'.join(surplus)}"))
        values = form.pick([*cells[:room], *[""] * (room - len(cells)), ""])
        why = form.table.row(*(unquote(value) if "%" in value else value for value in values))
        if why is not None:
            self._reading.problem(line, why)


def _form(table: Table, names: Sequence[str]) -> _Form:
    fields = _FIXED + len(names) + 1
    places = {name: place for place, name in reversed(list(enumerate(names, _FIXED)))}  # the first of two equal names
    chosen = [places.get(name, fields - 1) for name in table.columns]
    pick: Any = itemgetter(*chosen) if len(chosen) > 1 else lambda cells: (cells[chosen[0]],)
    return _Form(fields, pick, table)


def _with_whole_times(cells: list[str], room: int) -> list[str]:
    """Put times together again whose colons were not encoded, from the left, while there are too many fields."""
    whole = list(cells)
    at = _FIXED
    while at + 2 < len(whole) and len(whole) > room:
        if _HOUR.match(whole[at]) and _MINUTE.match(whole[at + 1]) and _SECOND.match(whole[at + 2]):
            whole[at : at + 3] = [":".join(whole[at : at + 3])]
        at += 1
    return whole
