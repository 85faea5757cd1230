"""Progress of the commands that scan a file system: `mmrestripefs`, and what prints the same lines.

A log arrives in pieces, so lines are understood one at a time. Three things to know about them:

- "Scan completed successfully." ends a phase, not the command; only the exit status tells how that ended.
- The percentage begins again in each phase, jumps, and near the end creeps; the last line has no counters.
- The counters are of what was examined, not of what was moved. Inodes may exceed the number in use.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from remote.gpfs import unconfirmed
from remote.gpfs.models import Failed, Percent, PhaseDone, PhaseStarted, ProgressEvent, RestripeLog, Waiting
from remote.gpfs.reading import FAILURE_TAIL, Line, Reading, Steps, finish, split_message
from remote.parsed import Parsed

__all__ = [
    "Failed",
    "Percent",
    "PhaseDone",
    "PhaseStarted",
    "ProgressEvent",
    "RestripeLog",
    "Waiting",
    "mmrestripefs_steps",
    "parse_mmrestripefs",
    "parse_progress_line",
    "parse_stamp",
]

_LONGEST_LINE = 1000  # a line of progress has about 100 characters; nothing longer is worth matching

# Integers (3.5, metadata), two decimals, a decimal comma, counters in both wordings or none, a zone or none.
_PERCENT = re.compile(
    r"(?P<percent>[0-9]{1,3}(?:[.,][0-9]{1,6})?)\s*%\s*complete\s+on\s+"
    r"(?P<stamp>\S+\s+\S+\s+[0-9]{1,2}\s+[0-9]{2}:[0-9]{2}:[0-9]{2}\s+(?:[A-Z]{2,5}\s+)?[0-9]{4})"
    r"(?:\s*\(\s*(?P<inodes>[0-9]{1,18})\s+inodes(?:\s+with\s+total)?"
    r"\s+(?P<mb>[0-9]{1,18})\s+MB(?:\s+data\s+processed)?\s*\))?\Z"
)
_PERCENT_BEGUN = re.compile(r"[0-9]{1,3}(?:[.,][0-9]+)?\s*%")
_PHASE_NUMBER = re.compile(r", phase ([0-9]{1,4})\Z")
_WAITING = re.compile(r"Unable to start .*because (?:a )?conflicting program (?P<program>\S+) is running\b")
_FAILURE_SEVERITIES = "EXA"
_FAILURES = tuple(
    re.compile(pattern)
    for pattern in (
        re.escape(FAILURE_TAIL),
        r"The total number of PIT worker threads of all participating nodes",
        r"has been exceeded to safely restripe the file system",
        r"Terminating .*because a conflicting program ",
        r"File system \S+ is not known to the GPFS cluster",
    )
)

_STAMP = re.compile(
    r"\S+\s+(?P<month>[A-Za-z]{3})\s+(?P<day>[0-9]{1,2})\s+"
    r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})\s+(?:[A-Z]{2,5}\s+)?(?P<year>[0-9]{4})\Z"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def parse_progress_line(line: str) -> ProgressEvent | None:
    """Understand one whole line; None for an empty one and for anything else that is not progress."""
    if len(line) > _LONGEST_LINE:
        return None
    _, message = split_message(line)
    text = message.text
    if text == "Scan completed successfully.":
        return PhaseDone()
    if match := _PERCENT.match(text):
        return _percent(match)
    if text.startswith("Scanning ") and text.endswith("..."):
        return _phase(text.removesuffix("...").rstrip())
    if match := _WAITING.match(text):
        return Waiting(match["program"], text)
    if message.severity and message.severity in _FAILURE_SEVERITIES:
        return Failed(text)
    if _tells_failure(text):
        return Failed(text)
    return None


def _tells_failure(text: str) -> bool:
    if unconfirmed.is_scan_failure(text) or unconfirmed.is_daemon_down(text):
        return True
    return any(pattern.match(text) for pattern in _FAILURES)


def _phase(text: str) -> PhaseStarted:
    match = _PHASE_NUMBER.search(text)
    if match is None:
        return PhaseStarted(text, None)
    return PhaseStarted(text[: match.start()], int(match[1]))


def _percent(match: re.Match[str]) -> Percent | None:
    percent = float(match["percent"].replace(",", "."))
    if percent > 100.0:
        return None
    inodes, mb = match["inodes"], match["mb"]
    return Percent(percent, match["stamp"], int(inodes) if inodes else None, int(mb) if mb else None)


def parse_stamp(text: str) -> float | None:
    """Seconds of a time such as `Thu Jun  6 15:46:19 2013`; None if it is no such time.

    The far side prints local time without a zone. It is read as if it were UTC, so the value is not a
    moment: only the difference of two stamps of one log means something, and a change of daylight saving
    time between them makes it wrong by an hour. A zone's name, if there is one, is ignored for the same
    reason.
    """
    match = _STAMP.match(text.strip()) if len(text) <= _LONGEST_LINE else None
    if match is None or match["month"].lower() not in _MONTHS:
        return None
    month = _MONTHS.index(match["month"].lower()) + 1
    day, hour, minute, second, year = (int(match[part]) for part in ("day", "hour", "minute", "second", "year"))
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()
    except ValueError:
        return None


def parse_mmrestripefs(stdout: str, stderr: str = "") -> Parsed[RestripeLog]:
    """Parse a whole log, finished or not."""
    return finish(mmrestripefs_steps(stdout, stderr))


def mmrestripefs_steps(stdout: str, stderr: str = "") -> Steps[RestripeLog]:
    """The steps of `parse_mmrestripefs`."""
    reading = Reading(stdout, stderr)
    events: list[ProgressEvent] = []

    def read(line: Line) -> None:
        if not line.text:
            return
        event = parse_progress_line(line.text)
        if event is not None:
            events.append(event)
        elif _PERCENT_BEGUN.match(split_message(line.text)[1].text):
            reading.problem(line, "a line of progress that is not whole")
        else:
            reading.note(line)

    yield from reading.both(read)
    if not events:
        reading.missing("no line of progress")
    return reading.result(RestripeLog(tuple(events)))
