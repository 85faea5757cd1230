"""What is at a path on a host, and the room where it lies or would lie: what `restripe-room` tells of files. Total."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from remote.command import Command, Effect
from remote.parsed import Note, Parsed, Problem
from remote.text import decode, safe

HEAD = "restripe-room 1"


def room(*paths: str) -> Command:
    """Ask a host what is at each of the absolute paths, and of the file systems on which they lie.

    Raises ValueError for a path that is not absolute.
    """
    for path in paths:
        if not path.startswith("/"):
            raise ValueError(f"not an absolute path: {path!r}")
    return Command(("restripe-room", *paths), Effect.READS, deadline=20.0, privileged=True)


class Room(msgspec.Struct, frozen=True):
    """What is at `path`, links followed: `kind` is `file`, `directory`, `block`, `other` or `absent`; `size` in bytes
    of a file or block device, None where it cannot be told. `header` is how a file begins, 128 bytes; of one that gzip
    has made, what is within.

    Of the directory in which it lies: whether it is there, the kind of its file system (`ext4`, `gfs2`), bytes that are
    free for an ordinary user, and `MAJOR:MINOR` of the device under it.
    """

    path: str
    kind: str = ""
    size: int | None = None
    header: bytes = b""
    directory: bool = False
    file_system: str = ""
    free: int | None = None
    number: str = ""


class Rooms(msgspec.Struct, frozen=True):
    """An answer: one entry for each path that was asked for."""

    rooms: tuple[Room, ...] = ()

    def at(self, path: str) -> Room | None:
        """What was told of a path."""
        return next((room for room in self.rooms if room.path == path), None)


_DIRECTORY = re.compile(r"(-|[0-9]{1,10}:[0-9]{1,10}) (\S{1,60}) ([0-9]{1,18})\Z")
_SIZE = re.compile(r"[0-9]{1,20}\Z")
_HEX = re.compile(r"x((?:[0-9a-f]{2})*)\Z")
_KINDS = frozenset(("file", "directory", "block", "other", "absent"))


def parse_room(stdout: str, stderr: str = "") -> Parsed[Rooms]:
    """Parse the answer of `restripe-room`. Lines of stderr are notes and counted on after those of stdout."""
    notes: list[Note] = []
    problems: list[Problem] = []
    found: list[dict[str, Any]] = []
    lines = safe(stdout).split("\n")
    began = ended = False
    for number, line in enumerate(lines, 1):
        if not began:
            began = line == HEAD
            if not began and line.strip():
                notes.append(Note(number, line))
        elif line == "end":
            ended = True
        elif line.strip() and (why := _take(found, *line.partition(" ")[::2])):
            problems.append(Problem(number, line, why))
    for number, line in enumerate(safe(stderr).split("\n"), 1 + len(lines)):
        if line.strip():
            notes.append(Note(number, line.strip()))
    if not ended:
        problems.insert(0, Problem(0, "", "the answer is not whole"))
    return Parsed(Rooms(tuple(Room(**fields) for fields in found)), tuple(notes), tuple(problems))


def _take(found: list[dict[str, Any]], word: str, value: str) -> str:
    """Take in a line; returns why it cannot be, or ""."""
    if word == "path":
        path = value[1:] if value.startswith("=") else decode(_bytes(value) or b"")
        if not path:
            return "not a path"
        found.append({"path": path})
        return ""
    if not found:
        return "it belongs to no path"
    fields = found[-1]
    if word == "kind" and value in _KINDS:
        fields["kind"] = value
    elif word == "size" and value.isascii() and _SIZE.match(value):
        fields["size"] = int(value)
    elif word == "header" and (header := _bytes(value)) is not None:
        fields["header"] = header
    elif word == "directory" and (match := _DIRECTORY.match(value) if value.isascii() else None):
        number, kind = (text if text != "-" else "" for text in match.groups()[:2])
        fields.update(directory=True, number=number, file_system=kind, free=int(match[3]) * 1024)
    else:
        return "not a word that is known"
    return ""


def _bytes(word: str) -> bytes | None:
    match = _HEX.match(word)
    return bytes.fromhex(match[1]) if match else None
