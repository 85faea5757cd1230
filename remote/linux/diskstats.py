"""What the disks of a host have read and written since its boot; parser of what `io.sh` prints."""

from __future__ import annotations

import re

import msgspec

from remote.parsed import Note, Parsed, Problem
from remote.text import safe

HEAD = "restripe-io 1"
SECTOR = 512
"""The kernel counts in sectors of 512 bytes, whatever the device's own are."""
_DISK = re.compile(r"(\S{1,255}) (\d{1,20}) (\d{1,20}) (\d{1,10})\Z")


class DiskCounter(msgspec.Struct, frozen=True, gc=False):
    """One whole disk or multipath map: sectors read and written since the boot, and I/Os that are under way."""

    kname: str
    read: int
    written: int
    in_flight: int


class DiskCounters(msgspec.Struct, frozen=True):
    """The counters of a host's disks. `at` is its own clock in seconds since 1970, None where it was not told."""

    boot_id: str = ""
    at: float | None = None
    disks: tuple[DiskCounter, ...] = ()


def parse_io(stdout: str, stderr: str = "") -> Parsed[DiskCounters]:
    """Parse the answer of `restripe-io`. Lines of stderr are notes and counted on after those of stdout."""
    notes: list[Note] = []
    problems: list[Problem] = []
    boot_id, at = "", None
    disks: dict[str, DiskCounter] = {}
    began = ended = False
    lines = safe(stdout).split("\n")
    for number, line in enumerate(lines, 1):
        word, _, rest = line.partition(" ")
        if not began:
            began = line == HEAD
            if not began and line.strip():
                notes.append(Note(number, line))
        elif word == "disk":
            found = _DISK.match(rest) if rest.isascii() else None
            if found is None or found[1] in disks:
                problems.append(Problem(number, line, "not the counters of a disk"))
            else:
                disks[found[1]] = DiskCounter(found[1], int(found[2]), int(found[3]), int(found[4]))
        elif word == "boot":
            boot_id = rest.strip()
        elif word == "now" and rest.isascii() and rest.isdecimal() and len(rest) < 13:
            at = float(rest)
        elif line == "state absent":
            problems.append(Problem(number, line, "this host tells no counters of its disks"))
            ended = True
        elif line == "end":
            ended = True
        elif line.strip():
            problems.append(Problem(number, line, "not a word that is known here"))
    for number, line in enumerate(safe(stderr).split("\n"), 1 + len(lines)):
        if line.strip():
            notes.append(Note(number, line.strip()))
    if not ended or not began:
        problems.insert(0, Problem(0, "", "the answer is not whole"))
    return Parsed(DiskCounters(boot_id, at, tuple(disks.values())), tuple(notes), tuple(problems))
