"""Figures of GPFS as people read them. KB here are 1024 bytes, as in every mm* command."""

from __future__ import annotations

import re
from functools import lru_cache

from remote.gpfs.models import Usage
from remote.names import fold

_UNITS = ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_DIGITS = re.compile(r"(\d+)")
UNKNOWN = "unknown"
"""What is not known is called so, never 0."""

USAGE_WORDS = {
    Usage.DATA_AND_METADATA: "data+metadata",
    Usage.METADATA_ONLY: "metadata",
    Usage.DATA_ONLY: "data",
    Usage.DESC_ONLY: "descriptor",
    Usage.LOCAL_CACHE: "local cache",
}
"""What a disk may hold, short enough for a column; `Usage.value` is the stanza's own word."""


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


@lru_cache(maxsize=4096)
def folded(names: tuple[str, ...]) -> str:
    """Names as one short text; remembered, for it takes a millisecond and the same servers have many disks."""
    return fold(names)
