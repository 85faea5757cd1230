"""Markdown that says what it was given: no text of a host can end a cell, open markup, or steer a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from remote.text import one_line, safe

_MARKUP = re.compile(r"[\\|<`*]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])|(?<=\])\(|&(?=#?\w+;)|~(?=~)")
"""What could be markup. An underscore within a word is none, nor are brackets that no address follows."""


def text(value: object) -> str:
    """A value as plain text in a line."""
    return _MARKUP.sub(r"\\\g<0>", one_line(str(value)))


def table(head: Sequence[str], rows: Iterable[Sequence[object]], *, right: Sequence[int] = ()) -> list[str]:
    """The lines of a table. Columns whose index is in `right` are aligned to the right."""
    return [
        f"| {' | '.join(text(each) for each in head)} |",
        f"|{'|'.join(' ---: ' if index in right else ' --- ' for index in range(len(head)))}|",
        *(f"| {' | '.join(text(value) for value in row)} |" for row in rows),
    ]


def code(content: str) -> list[str]:
    """A block of code, whatever is in it."""
    fence = "```"
    while fence in content:
        fence += "`"
    return [fence, *safe(content).rstrip("\n").split("\n"), fence]


def inline(content: str) -> str:
    """Code within a line."""
    told = one_line(content)
    return f"`{told}`" if "`" not in told else f"`` {told} ``"


def utc(at: float) -> str:
    """A time in UTC."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
