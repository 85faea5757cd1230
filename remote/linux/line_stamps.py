"""Times that `ts`, `script` and their like put before each line of what a command prints."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from enum import Enum

import msgspec

LONGEST = 1000
"""Characters of a line that is looked at."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_CLOCK = r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})(?:[.,](?P<part>[0-9]{1,9}))?"
_NAME = rf"(?P<month>{'|'.join(_MONTHS)}) +(?P<day>[0-9]{{1,2}})"
_ZONE = " ?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
_END = r"\]?:?(?:\s+|\Z)"
_FORMS = tuple(
    re.compile(rf"\[?{pattern}{_END}")
    for pattern in (
        rf"(?P<year>[0-9]{{4}})-(?P<digits>[0-9]{{2}})-(?P<day>[0-9]{{2}})[T ]{_CLOCK}{_ZONE}",
        rf"[A-Z][a-z]{{2}} {_NAME} {_CLOCK} (?:[A-Z]{{2,5}} )?(?P<year>[0-9]{{4}})",
        rf"{_NAME} {_CLOCK}",
        _CLOCK,
        r"(?P<epoch>[0-9]{9,11})(?:\.(?P<part>[0-9]{1,9}))?",
    )
)


class StampKind(Enum):
    """What of a time a stamp tells."""

    DATE = "date"
    NO_YEAR = "no year"
    CLOCK = "clock"
    """Hours, minutes and seconds alone: of the day, or since the command began (`ts -s`)."""
    SECONDS = "seconds"


class Stamp(msgspec.Struct, frozen=True):
    """A time before a line. `at` is in seconds, without a zone, so that only differences of one log mean something.

    With NO_YEAR it is of the year 2000, with CLOCK of the day that is not told.
    """

    kind: StampKind
    at: float


def split_stamp(line: str) -> tuple[Stamp | None, str]:
    """The time before a line, None where there is none, and the rest of the line."""
    if len(line) > LONGEST or not (line[:1].isalnum() or line[:1] == "["):
        return None, line
    for form in _FORMS:
        if (match := form.match(line)) and (stamp := _stamp(match.groupdict())) is not None:
            return stamp, line[match.end() :]
    return None, line


def in_year(stamp: Stamp, year: int) -> float | None:
    """The seconds of a stamp with NO_YEAR in a year; None for 29 February where there is none."""
    found = datetime.fromtimestamp(stamp.at, UTC)
    try:
        return found.replace(year=year).timestamp()
    except ValueError:
        return None


def _stamp(parts: dict[str, str | None]) -> Stamp | None:
    part = float(f"0.{parts.get('part') or 0}")
    if epoch := parts.get("epoch"):
        return Stamp(StampKind.SECONDS, int(epoch) + part)
    hour, minute, second = (int(parts[name] or 0) for name in ("hour", "minute", "second"))
    day = parts.get("day")
    if day is None:
        sound = minute < 60 and second < 61
        return Stamp(StampKind.CLOCK, (hour * 60 + minute) * 60 + second + part) if sound else None
    digits, name, year = parts.get("digits"), parts.get("month"), parts.get("year")
    month = int(digits) if digits else _MONTHS.index(name) + 1 if name else 0
    try:
        found = datetime(int(year or 2000), month, int(day), hour, minute, min(second, 59), tzinfo=UTC)
    except ValueError:
        return None
    return Stamp(StampKind.DATE if year else StampKind.NO_YEAR, found.timestamp() + part)
