"""What time a host believes it is, and in which zone its logs are written."""

from __future__ import annotations

import re

import msgspec

from remote.command import Command, Effect
from remote.parsed import Parsed, Problem
from remote.text import one_line

_ANSWER = re.compile(r"(\d{1,12}) ([+-])(\d\d)(\d\d)\Z")


class HostTime(msgspec.Struct, frozen=True):
    """A host's clock: seconds since 1970, and its zone's offset from UTC in seconds."""

    epoch: float
    utc_offset: int


def host_time() -> Command:
    """Ask a host for its time and zone."""
    return Command(("date", "+%s %z"), Effect.READS, deadline=10.0)


def parse_host_time(stdout: str, stderr: str = "") -> Parsed[HostTime | None]:
    """Read the answer to `host_time`; the model is None when it is none."""
    match = _ANSWER.match(stdout.strip())
    if match is None:
        return Parsed(None, problems=(Problem(0, one_line(stdout or stderr)[:200], "not a time with a zone"),))
    epoch, sign, hours, minutes = match.groups()
    offset = int(hours) * 3600 + int(minutes) * 60
    return Parsed(HostTime(float(epoch), -offset if sign == "-" else offset))
