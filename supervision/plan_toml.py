"""The TOML of a plan: written so that people read it with ease, and errors told by line and field."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.items import AoT, Array, InlineTable, String, Table

_HEADER = re.compile(r"\s*\[\[?\s*([A-Za-z_]+)\s*\]\]?")
_AT = re.compile(r" - at `\$(.*)`\Z")


def toml_text(
    fields: Mapping[str, Any], *, about: Sequence[str], before: Mapping[str, str], beside: Mapping[str, str]
) -> str:
    """Fields as TOML: comments `about` all of it first, then each field with those `before` and `beside` it."""
    document = tomlkit.document()
    for line in about:
        document.add(tomlkit.comment(line))
    document.add(tomlkit.nl())
    for name, value in fields.items():
        if name in before:
            document.add(tomlkit.nl())
            document.add(tomlkit.comment(before[name]))
        item = _item(value)
        if name in beside:
            item.comment(beside[name])
        document.add(name, item)
    return tomlkit.dumps(document)


def placed(error: str, text: str) -> str:
    """A message of msgspec with its path in our words, and the line of the text that it is about."""
    match = _AT.search(error)
    path = match[1].lstrip(".") if match else ""
    what = error[: match.start()] if match else error
    unknown = re.search(r"unknown field `(\w+)`", what)
    name = unknown[1] if unknown else path.rpartition(".")[2].partition("[")[0]
    line = _line_of(text, path, name)
    place = f"line {line}, {path}" if line and path else f"line {line}" if line else path
    return f"{place}: {what}" if place else what


def _line_of(text: str, path: str, name: str) -> int:
    """The line on which a field stands, 0 if it was not found: after as many headers of its table as its index says."""
    table, index = "", 0
    if match := re.match(r"(\w+)(?:\[(\d+)\])?", path):
        table, index = match[1], int(match[2] or 0)
    inside, seen = "", -1
    best = 0
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            inside = header[1]
            seen += inside == table
            best = number if inside == table and seen == index else best
        here = inside == "" or (inside == table and seen == index)
        if here and re.match(rf"\s*{re.escape(name)}\s*=", line):
            return number
    return best


def _item(value: Any) -> Any:
    """A value as tomlkit writes it: many lines as such, small tables in one line. None is left out by its table."""
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, dict):
        return _table(value)
    if isinstance(value, list | tuple):
        rows = [each for each in value if isinstance(each, dict)]
        return _tables(rows) if rows else _array([_item(each) for each in value], lines=False)
    return tomlkit.item(value)


def _string(text: str) -> String:
    return tomlkit.string(text, multiline="\n" in text)


def _table(fields: dict[str, Any]) -> Table:
    table = tomlkit.table()
    for name, value in fields.items():
        if name == "at" and isinstance(value, list | tuple):
            table.add(name, _array([_inline(each) for each in value], lines=True))
        elif value is not None:
            table.add(name, _item(value))
    return table


def _tables(rows: list[dict[str, Any]]) -> AoT:
    tables = tomlkit.aot()
    for row in rows:
        tables.append(_table(row))
    return tables


def _inline(fields: dict[str, Any]) -> InlineTable:
    table = tomlkit.inline_table()
    for name, value in fields.items():
        table.append(name, _item(value))
    return table


def _array(items: list[Any], *, lines: bool) -> Array:
    array = tomlkit.array()
    for each in items:
        array.append(each)
    return array.multiline(lines)
