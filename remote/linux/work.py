"""The processes of a host that work, as its kernel tells of them: what they have read, written and computed so far.

`restripe-work` looks at /proc and at nothing else, and never touches a process. Of other people's processes only root
sees what they read and write and which files they have open. The parser is total; values are `=TEXT` or `x` and hex.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import msgspec

from remote.command import Command, Effect
from remote.linux.scans import program_words
from remote.linux.script_answers import read_answer
from remote.parsed import Parsed, Problem
from remote.text import decode

HEAD = "restripe-work 1"
LOOK_SECONDS = 20.0
"""Seconds that a look may take."""


def work(*programs: str, root: bool = True) -> Command:
    """Ask a host for the processes that run one of the programs, given by their bare names.

    Without `root` nothing is told of what other people's processes read, write and have open. Raises ValueError without
    a program: it would be asked for all that run.
    """
    if not programs:
        raise ValueError("no program to look for")
    return Command(("restripe-work", *programs), Effect.READS, deadline=LOOK_SECONDS, privileged=root)


class Written(msgspec.Struct, frozen=True, gc=False):
    """A regular file that a process has open for writing: its path, its size in bytes, and the number of the open file
    (1 and 2 are its output). `gone` is that no name leads to it any more."""

    path: str
    size: int
    fd: int
    gone: bool = False


class Worker(msgspec.Struct, frozen=True, gc=False):
    """A process. `state` is the kernel's letter: R, S, D, T (stopped), t (traced), Z (ended, not reaped).

    `pid` and `start` together are one process of one boot. `age` and `cpu` are in seconds: since it began, and what it
    has computed in user and system mode. `chars_read` and `chars_written` are bytes that passed through read and write,
    `read` and `written` those that disks were asked for; None where that is hidden. `peak_kb` and `rss_kb` are the most
    memory that it had and what it has, in KiB. `files` are those open for writing, the first few. `job` is the
    directory of the restripe job that it belongs to, else "". `hidden` says that files or counters need root.
    """

    pid: int
    parent: int
    start: int
    state: str
    cpu: float
    age: float | None = None
    argv: tuple[str, ...] = ()
    chars_read: int | None = None
    chars_written: int | None = None
    read: int | None = None
    written: int | None = None
    peak_kb: int | None = None
    rss_kb: int | None = None
    files: tuple[Written, ...] = ()
    job: str = ""
    hidden: bool = False

    @property
    def stopped(self) -> bool:
        """Whether a signal or a debugger has stopped it."""
        return self.state in ("T", "t")

    @property
    def ended(self) -> bool:
        """Whether it has ended and only nobody has asked how."""
        return self.state in ("Z", "X", "x")

    @property
    def words(self) -> tuple[str, ...]:
        """The command as a person would type it: without the shell before a script, its program by its bare name."""
        return program_words(self.argv)

    def size_of(self, path: str) -> int | None:
        """The size in bytes of a file that it writes; None where it has none by that path open."""
        return next((file.size for file in self.files if file.path == path and not file.gone), None)


class Work(msgspec.Struct, frozen=True):
    """What a look found. `now` is the host's clock then, in seconds since 1970; `more` processes were left out."""

    boot_id: str = ""
    now: float | None = None
    workers: tuple[Worker, ...] = ()
    more: int = 0


_N = r"[0-9]{1,20}"
_CLOCK = re.compile(r"([0-9]{1,12}) ([0-9]{1,12}(?:\.[0-9]{1,6})?) ([1-9][0-9]{0,5})\Z")
_PROCESS = re.compile(rf"([1-9][0-9]{{0,9}}) ([0-9]{{1,10}}) ({_N}) ([A-Za-z]) ({_N}) ({_N})\Z")
_IO = re.compile(rf"({_N}) ({_N}) ({_N}) ({_N})\Z")
_MEMORY = re.compile(r"([0-9]{1,15})? ([0-9]{1,15})\Z")
_FILE = re.compile(rf"([0-9]{{1,7}}) ({_N}) (\S.*)\Z")
_HEX = re.compile(r"x((?:[0-9a-f]{2})*)\Z")
_COUNT = re.compile(r"[0-9]{1,9}\Z")


class _Reading:
    """What was read so far. `start` and the ticks of the last process are told before its age and seconds are known."""

    def __init__(self) -> None:
        self.boot_id = ""
        self.now: float | None = None
        self.uptime: float | None = None
        self.ticks = 100
        self.workers: list[dict[str, Any]] = []
        self.more = 0
        self.ended = False

    def model(self) -> Work:
        """What was read."""
        return Work(self.boot_id, self.now, tuple(map(self._worker, self.workers)), self.more)

    def _worker(self, fields: dict[str, Any]) -> Worker:
        age = None if self.uptime is None else max(0.0, self.uptime - fields["start"] / self.ticks)
        lists = {name: tuple(fields.get(name, ())) for name in ("argv", "files")}
        return Worker(**{**fields, **lists, "cpu": fields["cpu"] / self.ticks, "age": age})


def parse_work(stdout: str, stderr: str = "") -> Parsed[Work]:
    """Parse the answer of `restripe-work`. Lines of stderr are notes and counted on after those of stdout."""
    reading = _Reading()
    notes, problems = read_answer(stdout, stderr, HEAD, partial(_take, reading))
    if not reading.ended:
        problems.insert(0, Problem(0, "", "the answer is not whole"))
    return Parsed(reading.model(), tuple(notes), tuple(problems))


def _take(reading: _Reading, line: str) -> str:
    """Take in a line; returns why it cannot be, or ""."""
    word, _, value = line.partition(" ")
    match word:
        case "boot":
            reading.boot_id = value.strip()
        case "clock":
            found = _CLOCK.match(value) if value.isascii() else None
            if found is None:
                return "not a clock, an uptime and ticks a second"
            reading.now, reading.uptime, reading.ticks = float(found[1]), float(found[2]), int(found[3])
        case "process":
            found = _PROCESS.match(value) if value.isascii() else None
            if found is None:
                return "not a pid, a parent, a start, a state and ticks"
            pid, parent, start = int(found[1]), int(found[2]), int(found[3])
            ticks = int(found[5]) + int(found[6])
            reading.workers.append({"pid": pid, "parent": parent, "start": start, "state": found[4], "cpu": ticks})
        case "more" if _COUNT.match(value) and value.isascii():
            reading.more = int(value)
        case "end" if not value:
            reading.ended = True
        case "arg" | "job" | "io" | "memory" | "file" | "unlinked" | "fds":
            return _take_field(reading.workers[-1], word, value) if reading.workers else "it belongs to no process"
        case _:
            return "not a word that is known"
    return ""


def _take_field(fields: dict[str, Any], word: str, value: str) -> str:
    """Take a field of the last process in."""
    if value == "hidden" and word in ("io", "fds"):
        fields["hidden"] = True
        return ""
    if word in ("arg", "job"):
        text = _value(value)
        if text is None:
            return "not a value"
        if word == "job":
            fields["job"] = text
        else:
            fields.setdefault("argv", []).append(text)
        return ""
    found = {"io": _IO, "memory": _MEMORY}.get(word, _FILE).match(value) if value.isascii() and word != "fds" else None
    if found is None:
        return f"not what follows `{word}`"
    if word == "io":
        names = ("chars_read", "chars_written", "read", "written")
        fields.update(zip(names, map(int, found.groups()), strict=True))
    elif word == "memory":
        fields.update(peak_kb=int(found[1]) if found[1] else None, rss_kb=int(found[2]))
    else:
        path = _value(found[3])
        if path is None:
            return "not a path"
        fields.setdefault("files", []).append(Written(path, int(found[2]), int(found[1]), gone=word == "unlinked"))
    return ""


def _value(word: str) -> str | None:
    """A value as it was; what would steer a terminal stays in it, since a path must be the path."""
    if word.startswith("="):
        return word[1:]
    found = _HEX.match(word)
    return decode(bytes.fromhex(found[1])) if found else None
