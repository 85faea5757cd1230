"""Parser of `blkid -p DEVICE...`: what is found on devices by looking at them."""

from __future__ import annotations

import re

import msgspec

from remote.parsed import Note, Parsed, Problem
from remote.text import safe

_LINE = re.compile(r"(?P<device>/[^:\n]{1,400}):(?P<pairs>(?: [A-Z][A-Z0-9_]{0,40}=\"[^\"]{0,400}\")+) *\Z")
_PAIR = re.compile(r"([A-Z][A-Z0-9_]*)=\"([^\"]*)\"")
_LONGEST_LINE = 4000


class Probed(msgspec.Struct, frozen=True):
    """What is on a device. `kind` is such as `gfs2` or `xfs`, "" where it has only a partition table.

    `block_size` is in bytes, None where blkid does not tell (before 2.36).
    """

    device: str
    kind: str
    usage: str = ""
    label: str = ""
    uuid: str = ""
    block_size: int | None = None


def parse_blkid(stdout: str, stderr: str = "") -> Parsed[tuple[Probed, ...]]:
    """Parse it. No line at all means that nothing was found, where its exit status is 2."""
    found: list[Probed] = []
    notes: list[Note] = []
    problems: list[Problem] = []
    lines = safe(stdout).split("\n")
    for number, line in enumerate(lines, 1):
        match = _LINE.match(line) if len(line) < _LONGEST_LINE else None
        if match is not None:
            found.append(_probed(match["device"], dict(_PAIR.findall(match["pairs"]))))
        elif line.startswith("/") and "=" in line:
            problems.append(Problem(number, line.strip(), "a line that is not whole"))
        elif line.strip():
            notes.append(Note(number, line.strip()))
    for number, line in enumerate(safe(stderr).split("\n"), 1 + len(lines)):
        if line.strip():
            notes.append(Note(number, line.strip()))
    return Parsed(tuple(found), tuple(notes), tuple(problems))


def _probed(device: str, pairs: dict[str, str]) -> Probed:
    size = pairs.get("BLOCK_SIZE", "")
    block_size = int(size) if size.isascii() and size.isdigit() and len(size) < 10 else None
    kind, usage, label, uuid = (pairs.get(name, "") for name in ("TYPE", "USAGE", "LABEL", "UUID"))
    return Probed(device, kind, usage, label, uuid, block_size)
