"""Times as people read them: in the hosts' zone, as their logs print them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

LATEST = 250_000_000_000.0
"""The year 9892: a damaged recording may hold any number as a time."""


def local_time(at: float, utc_offset: int) -> datetime:
    """A time (seconds since 1970) in a zone that is `utc_offset` seconds from UTC.

    What no calendar has becomes the nearest that it has.
    """
    zone = timedelta(seconds=max(-86400, min(utc_offset, 86400)))
    return datetime.fromtimestamp(max(86400.0, min(at, LATEST)), UTC) + zone


def time_of_day(at: float, utc_offset: int) -> str:
    """`19:41:03`."""
    return local_time(at, utc_offset).strftime("%H:%M:%S")


def duration_text(seconds: float) -> str:
    """A duration as people say it: `4 h 21 min`, `38 s`."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60:02} min"
