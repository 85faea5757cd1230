"""What a host runs at set times that would meet a restripe: snapshots, backups, policies, quota checks.

`restripe-nightly` reads crontabs and the units of systemd timers, and the scripts that they call, one step far. Whether
such a timer is switched on is not told; nor is what other nodes, schedulers or backup servers begin.
"""

from __future__ import annotations

import re

import msgspec

from remote.command import Command, Effect
from remote.parsed import Note, Parsed, Problem
from remote.text import decode, safe

HEAD = "restripe-nightly 1"
_HEX = re.compile(r"x((?:[0-9a-f]{2})*)\Z")
_COUNT = re.compile(r"[0-9]{1,9}\Z")


def nightly() -> Command:
    """Ask a host what it runs at set times. Without root the crontabs of other people are told as not read."""
    return Command(("restripe-nightly",), Effect.READS, deadline=30.0, privileged=True)


class Nightly(msgspec.Struct, frozen=True):
    """A line of a file that begins such a command; with `through_script` it is in a script which that line calls."""

    source: str
    text: str
    through_script: bool = False


class NightlyJobs(msgspec.Struct, frozen=True):
    """All that was found on a host. `unread` are files that could not be read; with `cut` there was more to look at."""

    jobs: tuple[Nightly, ...] = ()
    unread: tuple[str, ...] = ()
    cut: bool = False


def parse_nightly(stdout: str, stderr: str = "") -> Parsed[NightlyJobs]:
    """Parse the answer of `restripe-nightly`. Lines of stderr are notes and counted on after those of stdout."""
    reading = _Reading()
    lines = safe(stdout).split("\n")
    for number, line in enumerate(lines, 1):
        reading.take(number, line)
    for number, line in enumerate(safe(stderr).split("\n"), 1 + len(lines)):
        if line.strip():
            reading.notes.append(Note(number, line.strip()))
    if not reading.ended or reading.open:
        reading.problems.insert(0, Problem(0, "", "the answer is not whole"))
    model = NightlyJobs(tuple(reading.jobs), tuple(reading.unread), reading.cut)
    return Parsed(model, tuple(reading.notes), tuple(reading.problems))


class _Reading:
    """What was read so far; `open` is the word and the file of a line whose text comes next."""

    def __init__(self) -> None:
        self.jobs: list[Nightly] = []
        self.unread: list[str] = []
        self.notes: list[Note] = []
        self.problems: list[Problem] = []
        self.cut = self.began = self.ended = False
        self.open: tuple[str, str] | None = None

    def take(self, number: int, line: str) -> None:
        """Take in a line of stdout."""
        if not self.began:
            self.began = line == HEAD
            if not self.began and line.strip():
                self.notes.append(Note(number, line))
        elif line.strip() and not self._word(*line.partition(" ")[::2]):
            self.problems.append(Problem(number, line, "not a word with a value that is known"))

    def _word(self, word: str, told: str) -> bool:
        value = _value(told)
        match word:
            case "line" | "via" if value is not None and self.open is None:
                self.open = word, value
            case "text" if value is not None and self.open is not None:
                self.jobs.append(Nightly(self.open[1], value, self.open[0] == "via"))
                self.open = None
            case "unread" if value is not None:
                self.unread.append(value)
            case "more" if _COUNT.match(told):
                self.cut = True
            case "cut" | "end" if not told:
                self.cut, self.ended = self.cut or word == "cut", self.ended or word == "end"
            case _:
                return False
        return True


def _value(word: str) -> str | None:
    if word.startswith("="):
        return word[1:]
    found = _HEX.match(word)
    return safe(decode(bytes.fromhex(found[1]))) if found else None
