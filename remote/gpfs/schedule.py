"""The schedule of limits: the command and the file of the job that keeps it. Pure but for reading the file."""

from __future__ import annotations

import importlib.resources
import re
from collections.abc import Sequence
from functools import cache

from remote.command import Command, Effect
from remote.gpfs import arguments

SCRIPT = "qos_schedule.sh"
"""The name of the file that has to be attached to the job."""
LEASE = 1800
"""Seconds for which a sign of life of the watcher counts."""
_DAYS = re.compile(r"[1-7]{1,7}\Z")
_SCAN = re.compile(r"(?:/[A-Za-z0-9._/@+:~-]+|pid:[0-9]{1,10}:[0-9]{1,20})\Z")


@cache
def script() -> str:
    """The text of the file."""
    return importlib.resources.files("remote").joinpath("gpfs", SCRIPT).read_text(encoding="utf-8")


def schedule(
    path: str,
    fs: str,
    scan: str,
    *,
    days: str,
    begin: int,
    end: int,
    tight: Command,
    free: Command,
    earlier: Sequence[Command],
    lease: int = LEASE,
) -> Command:
    """Keep `tight` on these days from `begin` to `end` (minutes of the host's day), `free` else, until the scan ends.

    `path` is where the job's file lies, `scan` the directory of the scan's job or `pid:PID:START`. The commands are
    mmchqos; of `earlier` there are one or two. Raises ValueError for anything else.
    """
    if not _DAYS.match(days) or not 0 <= begin < end <= 24 * 60 - 1:
        raise ValueError("a schedule needs days from 1 (Monday) to 7, and hours of one day, the first before the last")
    if not _SCAN.match(scan):
        raise ValueError(f"not a job's directory nor a process: {scan!r}")
    if not 1 <= len(earlier) <= 2:
        raise ValueError("the earlier settings are one command or two")
    last = _words(earlier[1], fs) if len(earlier) == 2 else "-"
    hours = tuple(f"{minute // 60:02}{minute % 60:02}" for minute in (begin, end))
    given = (arguments.file_system(fs), scan, str(lease), days, *hours)
    words = (_words(tight, fs), _words(free, fs), _words(earlier[0], fs), last)
    return Command(("sh", arguments.path(path), *given, *words), Effect.CHANGES)


def _words(command: Command, fs: str) -> str:
    """The words of an mmchqos behind the file system; the script parts them at their blanks."""
    name, device, *words = command.argv
    if name != "mmchqos" or device != fs or any(word.split() != [word] for word in words):
        raise ValueError(f"not a change of limits of {fs}: {command.text}")
    return " ".join(words)
