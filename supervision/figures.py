"""Figures as people read them. KB here are 1024 bytes."""

from __future__ import annotations

import re
from functools import lru_cache

_UNITS = ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_DIGITS = re.compile(r"(\d+)")
UNKNOWN = "unknown"
"""What is not known is called so, never 0."""


@lru_cache(maxsize=65536)
def size_text(kb: float) -> str:
    """A size given in KB with three digits that matter: `29.1 TiB`, `186 GiB`."""
    value = float(kb)
    for unit in _UNITS[:-1]:
        if abs(value) < 1024:
            return _three(value, unit)
        value /= 1024
    return _three(value, _UNITS[-1])


def _three(value: float, unit: str) -> str:
    places = 0 if value.is_integer() or unit == "KiB" or abs(value) >= 99.95 else 1 if abs(value) >= 9.995 else 2
    return f"{value:.{places}f} {unit}"


def share(part: float, whole: float) -> float | None:
    """`part` of `whole` in percent; None where there is no whole."""
    return 100.0 * part / whole if whole > 0 else None


def percent_text(percent: float | None) -> str:
    """A percentage as mmdf prints it: whole."""
    return "" if percent is None else f"{percent:.0f} %"


def natural(text: str) -> tuple[tuple[int, str], ...]:
    """A key that sorts `sda9` before `sda10`, and 9 before 10."""
    parts = _DIGITS.split(text)
    return tuple((int(part), "") if index % 2 and len(part) < 20 else (-1, part) for index, part in enumerate(parts))
