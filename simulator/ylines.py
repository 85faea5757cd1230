"""The machine-readable form: `-Y` lines with their headers, and the percent-encoding of their values.

Only fields that may hold a colon are encoded, and the blank and `%` never are: so IBM's own table and real output.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_ENCODED = {ord(sign): f"%{ord(sign):02X}" for sign in "!#$&'()*+,/:;=?@[]"}


def encoded(text: str) -> str:
    """A value with everything encoded that IBM's table lists."""
    return text.translate(_ENCODED)


def colons(text: str) -> str:
    """A value of which only the colons are encoded, as times and ids are printed."""
    return text.replace(":", "%3A")


def header(command: str, subtype: str, names: Sequence[str]) -> str:
    """The HEADER line of a table."""
    return f"{command}:{subtype}:HEADER:version:reserved:reserved:{':'.join(names)}:\n"


def row(command: str, subtype: str, values: Sequence[str | int]) -> str:
    """One row. Fields that may hold a colon must be encoded already."""
    return f"{command}:{subtype}:0:1:::{':'.join(str(value) for value in values)}:\n"


def table(command: str, subtype: str, names: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    """A header and its rows."""
    return header(command, subtype, names) + "".join(row(command, subtype, values) for values in rows)
