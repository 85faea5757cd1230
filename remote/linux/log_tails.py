"""Parser of what `logs.sh` prints: the ends of GPFS's log and of the kernel's, line by line."""

from __future__ import annotations

import re
import zlib

import msgspec

from remote.linux.log_entries import NOTE, OTHER, WARNING, Moment, Words, stamp, words
from remote.parsed import Note, Parsed, Problem
from remote.text import safe

HEAD = "restripe-logs 1"
LONGEST = 300
"""Characters of a line that are kept."""
_TODAY = re.compile(r"(\d{4})-(\d\d)-(\d\d) ([+-])(\d\d)(\d\d)\Z")
_STATES = {
    "absent": "there is no such log",
    "denied": "the login may not read it",
    "hangs": "reading it hangs",
    "still": "an earlier look at it still hangs",
    "broken": "the reader could not be followed",
}
_DUMP = 1.0
"""Seconds between two lines of one dump of the kernel at most: a hundred lines, and one event."""
_STARTED = re.compile(r"\bmmfsd ready\b")
"""A daemon has started."""


class LogEntry(msgspec.Struct, frozen=True, gc=False):
    """A line that is counted. `at` is in seconds since 1970 by the host's own clock; `line` is its index in the tail.

    `severity` and `kind` are those of `remote.linux.log_entries`. `node` is the node that it names, "" for none;
    `count` how many lines it stands for.
    """

    at: float
    severity: int
    kind: str
    node: str
    count: int
    text: str
    line: int


class LogTail(msgspec.Struct, frozen=True):
    """The last whole lines of one log: `name` is mmfs or kernel, `via` a file or a program.

    Where `why` is not "", nothing is known of it. `cut` says that older lines are left out. `marks` has a number for
    each line, by which two tails are laid over each other; `entries` are the lines that count. `first_at` and `last_at`
    are the times of the first and the last line, `booted` that of the boot, `started` of its daemon's last start:
    by the host's clock, None where not known.
    """

    name: str
    via: str = ""
    why: str = ""
    cut: bool = False
    marks: tuple[int, ...] = ()
    entries: tuple[LogEntry, ...] = ()
    first_at: float | None = None
    last_at: float | None = None
    booted: float | None = None
    started: float | None = None


class LogTails(msgspec.Struct, frozen=True):
    """The ends of a host's logs."""

    tails: tuple[LogTail, ...] = ()

    def get(self, name: str) -> LogTail | None:
        """The log of that name."""
        return next((tail for tail in self.tails if tail.name == name), None)


class _Log:
    """What was said of one log."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.via = ""
        self.why = ""
        self.over = False
        self.cut = False
        self.booted: float | None = None
        self.lines: list[str] = []


def parse_logs(stdout: str, stderr: str = "") -> Parsed[LogTails]:
    """Parse the answer of `restripe-logs`. Lines of stderr are notes and counted on after those of stdout."""
    notes: list[Note] = []
    problems: list[Problem] = []
    logs: dict[str, _Log] = {}
    log: _Log | None = None
    moment: Moment | None = None
    began = ended = False
    lines = safe(stdout).split("\n")
    for number, line in enumerate(lines, 1):
        word, _, rest = line.partition(" ")
        if not began:
            began = line == HEAD
            if not began and line.strip():
                notes.append(Note(number, line))
        elif word == "|" and log is not None:
            log.lines.append(rest)
        elif word == "today" and log is None:
            moment = _moment(rest)
            if moment is None:
                problems.append(Problem(number, line, "not a date with a zone"))
        elif word == "log" and rest and rest not in logs:
            log = logs[rest] = _Log(rest)
        elif word == "end" and not rest:
            ended, log = True, None
        elif line.strip() and not (log is not None and _said(log, word, rest)):
            problems.append(Problem(number, line, "not a word that is known here"))
    for number, line in enumerate(safe(stderr).split("\n"), 1 + len(lines)):
        if line.strip():
            notes.append(Note(number, line.strip()))
    if not ended or moment is None:
        problems.insert(0, Problem(0, "", "the answer is not whole"))
    tails = tuple(_tail(log, moment) for log in logs.values())
    return Parsed(LogTails(tails), tuple(notes), tuple(problems))


def _moment(text: str) -> Moment | None:
    found = _TODAY.match(text.strip())
    if found is None:
        return None
    year, month, day, sign, hours, minutes = found.groups()
    offset = int(hours) * 3600 + int(minutes) * 60
    return Moment((int(year), int(month), int(day)), -offset if sign == "-" else offset)


def _said(log: _Log, word: str, rest: str) -> bool:
    """Take in a word on a log; whether it is one."""
    match word:
        case "from" if rest:
            log.via = rest
        case "booted" if rest.isascii() and rest.isdecimal() and len(rest) < 13:
            log.booted = float(rest)
        case "cut" if not rest:
            log.cut = True
        case "over" if not rest:
            log.over = True
        case "state" if rest in _STATES:
            log.why = log.why or _STATES[rest]
        case _:
            return False
    return True


def _tail(log: _Log, moment: Moment | None) -> LogTail:
    why = log.why or ("" if log.over else "its reader has ended before its time")
    if why or moment is None:
        return LogTail(log.name, log.via, why or "the date there is not known")
    moment = msgspec.structs.replace(moment, booted=log.booted)
    lines = [line for line in log.lines if line.strip()]
    entries: list[LogEntry] = []
    times: list[float] = []
    before: Words | None = None
    started: float | None = None
    for index, line in enumerate(lines):
        stamped = stamp(line, moment)
        if stamped is None:
            continue  # it goes on from the line before, which is counted
        at, text, priority = stamped
        times.append(at)
        if log.name == "mmfs" and _STARTED.search(text):
            started = at
        told = words(text, priority, WARNING if log.via == "journalctl" else NOTE)
        if told.repeats:
            told = (
                msgspec.structs.replace(before, count=told.count) if before else msgspec.structs.replace(told, count=0)
            )
        else:
            before = told
        if told.severity == NOTE or not told.count:
            continue
        entry = LogEntry(at, told.severity, told.kind, told.node, told.count, text[:LONGEST], index)
        if log.name == "kernel" and entries and _goes_on(entries[-1], entry, times):
            if entry.severity > entries[-1].severity:
                entries[-1] = msgspec.structs.replace(entries[-1], severity=entry.severity, text=entry.text)
            continue
        entries.append(entry)
    first, last = (times[0], times[-1]) if times else (None, None)
    marks = tuple(zlib.crc32(line.encode()) for line in lines)
    return LogTail(log.name, log.via, "", log.cut, marks, tuple(entries), first, last, log.booted, started)


def _goes_on(before: LogEntry, entry: LogEntry, times: list[float]) -> bool:
    """Whether a line belongs to the dump that began with the entry before."""
    same = before.kind == entry.kind == OTHER and entry.count == 1
    return same and 0 <= entry.at - times[-2] < _DUMP and 0 <= entry.at - before.at < 60
