"""Times as people read them: in the hosts' zone, as their logs print them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

LATEST = 250_000_000_000.0
"""The year 9892: a damaged recording may hold any number as a time."""
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
"""As the hosts' logs print them, whatever language this machine speaks."""
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def local_time(at: float, utc_offset: int) -> datetime:
    """A time (seconds since 1970) in a zone that is `utc_offset` seconds from UTC.

    What no calendar has becomes the nearest that it has.
    """
    zone = timedelta(seconds=max(-86400, min(utc_offset, 86400)))
    return datetime.fromtimestamp(max(86400.0, min(at, LATEST)), UTC) + zone


def time_of_day(at: float, utc_offset: int) -> str:
    """`19:41:03`."""
    return local_time(at, utc_offset).strftime("%H:%M:%S")


def moment_text(at: float, now: float, utc_offset: int) -> str:
    """A time to the minute, with its day where that is not today's: `19:41`, `Fri 7 Jun 19:41`; far, its year too."""
    then, today = local_time(at, utc_offset), local_time(now, utc_offset)
    clock = then.strftime("%H:%M")
    if then.date() == today.date():
        return clock
    year = "" if abs((then - today).days) < 300 else f" {then.year}"
    return f"{DAYS[then.weekday()]} {then.day} {MONTHS[then.month - 1]}{year} {clock}"


def range_texts(low: float, mid: float, high: float, now: float, utc_offset: int) -> tuple[str, str, str]:
    """Three times of a range to the minute, each day told once: `Fri 7 Jun 00:14`, `00:49`, `01:16`."""
    middle = moment_text(mid, now, utc_offset) if high - low >= 86_400 else moment_text(mid, mid, utc_offset)
    return moment_text(low, now, utc_offset), middle, moment_text(high, max(now, low), utc_offset)


def duration_text(seconds: float) -> str:
    """A duration as people say it: `38 s`, `4 h 21 min`, `12 d 6 h`."""
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return f"{minutes // 60} h {minutes % 60:02} min"
    hours = round(minutes / 60)
    return f"{hours // 24:,} d {hours % 24} h"


def age_text(at: float | None, now: float) -> str:
    """How old a figure is: `8 s`, `12 min`, `3 h`, `2 d`; `never` when it was not asked for."""
    if at is None:
        return "never"
    age = max(0.0, now - at)
    for unit, seconds in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if age >= seconds * 2 or (unit == "min" and age >= seconds):
            return f"{age / seconds:.0f} {unit}"
    return f"{age:.0f} s"
