"""Parser of what `scans.sh` prints: lines `FIELD VALUE` for each scan, values as `=TEXT` or `x` and hex."""

from __future__ import annotations

import re
from functools import partial

import msgspec

from remote.linux.scans import Goes, Output, RunningScan, RunningScans
from remote.linux.script_answers import read_answer
from remote.parsed import Parsed, Problem
from remote.text import decode

HEAD = "restripe-scans 1"
_CLOCK = re.compile(r"([0-9]{1,12}) ([0-9]{1,12}(?:\.[0-9]{1,6})?) ([1-9][0-9]{0,5})\Z")
_SCAN = re.compile(r"([1-9][0-9]{0,9}) ([0-9]{1,10}) ([0-9]{1,18})\Z")
_USER = re.compile(r"([0-9]{1,10}) (\S.*)\Z")
_OUT = re.compile(r"([12]) ([a-z]{1,16}) ([1-9][0-9]{0,9}) (-|[0-9]{1,6}) (\S.*)\Z")
_HEX = re.compile(r"x((?:[0-9a-f]{2})*)\Z")
_COUNT = re.compile(r"[0-9]{1,9}\Z")


class _Reading:
    """What was read so far."""

    def __init__(self) -> None:
        self.now: float | None = None
        self.uptime: float | None = None
        self.ticks = 100
        self.scans: list[RunningScan] = []
        self.names: dict[int, str] = {}
        self.more = 0
        self.ended = False


def parse_scans(stdout: str, stderr: str = "") -> Parsed[RunningScans]:
    """Parse the answer of `restripe-scans`. Lines of stderr are notes and counted on after those of stdout."""
    reading = _Reading()
    notes, problems = read_answer(stdout, stderr, HEAD, partial(_take, reading))
    if not reading.ended:
        problems.insert(0, Problem(0, "", "the answer is not whole"))
    scans = tuple(_whole(reading, scan) for scan in reading.scans)
    return Parsed(RunningScans(reading.now, scans, reading.more), tuple(notes), tuple(problems))


def _take(reading: _Reading, line: str) -> str:
    """Take in a line; returns why it cannot be, or ""."""
    word, _, value = line.partition(" ")
    match word:
        case "clock":
            return _take_clock(reading, value)
        case "scan":
            return _take_scan(reading, value)
        case "more" if _COUNT.match(value):
            reading.more = int(value)
        case "end" if not value:
            reading.ended = True
        case "name":
            found = _USER.match(value)
            name = _value(found[2]) if found else None
            if found is None or name is None:
                return "not a pid with a name"
            reading.names[int(found[1])] = name
        case "arg" | "uid" | "login" | "cwd" | "job" | "fds" | "out":
            if not reading.scans:
                return "it belongs to no scan"
            return _take_field(reading.scans, word, value)
        case _:
            return "not a word that is known"
    return ""


def _take_clock(reading: _Reading, value: str) -> str:
    found = _CLOCK.match(value)
    if found is None:
        return "not a clock, an uptime and ticks a second"
    reading.now, reading.uptime, reading.ticks = float(found[1]), float(found[2]), int(found[3])
    return ""


def _take_scan(reading: _Reading, value: str) -> str:
    found = _SCAN.match(value)
    if found is None:
        return "not a pid, a parent and a start"
    reading.scans.append(RunningScan(int(found[1]), int(found[2]), int(found[3])))
    return ""


def _take_field(scans: list[RunningScan], word: str, value: str) -> str:
    """Take a field of the last scan in."""
    scan = scans[-1]
    if word == "out":
        output = _output(value)
        if output is None:
            return "not a stream, a kind, a pid, an open file and a path"
        scans[-1] = msgspec.structs.replace(scan, outputs=(*scan.outputs, output))
        return ""
    if word == "fds":
        scans[-1] = msgspec.structs.replace(scan, hidden=scan.hidden or value == "hidden")
        return "" if value == "hidden" else "not `hidden`"
    if word in ("uid", "login"):
        found = _USER.match(value)
        name = _value(found[2]) if found else None
        if found is None or name is None:
            return "not a number with a name"
        changes = {"uid": int(found[1]), "user": name} if word == "uid" else {"login": name or f"uid {found[1]}"}
        scans[-1] = msgspec.structs.replace(scan, **changes)
        return ""
    text = _value(value)
    if text is None:
        return "not a value"
    if word == "arg":
        scans[-1] = msgspec.structs.replace(scan, argv=(*scan.argv, text))
    else:
        scans[-1] = msgspec.structs.replace(scan, **{word: text})
    return ""


def _output(value: str) -> Output | None:
    found = _OUT.match(value)
    path = _value(found[5]) if found else None
    if found is None or path is None:
        return None
    try:
        kind = Goes(found[2])
    except ValueError:
        return None
    fd = None if found[4] == "-" else int(found[4])
    if kind is Goes.FILE and "\\x" in path and _bytes(found[5]) != path.encode():
        kind = Goes.UNLINKED  # the name is no text, and whoever asks for it asks in text
    return Output(kind, path, "", int(found[3]), fd, (int(found[1]),))


def _value(word: str) -> str | None:
    """A value as it was; what would steer a terminal stays in it, since a path must be the path."""
    data = _bytes(word)
    return None if data is None else decode(data)


def _bytes(word: str) -> bytes | None:
    if word.startswith("="):
        return word[1:].encode("utf-8", "backslashreplace")
    found = _HEX.match(word)
    return bytes.fromhex(found[1]) if found else None


def _whole(reading: _Reading, scan: RunningScan) -> RunningScan:
    """A scan with its age, and its outputs each once with all streams and the name of who writes it."""
    merged: dict[tuple[Goes, str, int | None], Output] = {}
    for output in scan.outputs:
        key = (output.kind, output.path, output.pid)
        before = merged.get(key)
        streams = tuple(dict.fromkeys((*(before.streams if before else ()), *output.streams)))
        name = reading.names.get(output.pid, "") if output.pid is not None else ""
        merged[key] = msgspec.structs.replace(before or output, by=name, streams=streams)
    age = None
    if reading.uptime is not None and scan.start is not None:
        age = max(0.0, reading.uptime - scan.start / reading.ticks)
    return msgspec.structs.replace(scan, outputs=tuple(merged.values()), age=age)
