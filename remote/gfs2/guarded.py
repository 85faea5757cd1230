"""What our guard script tells of a tool, in the same log: lines that begin with `guarded: `. Pure."""

from __future__ import annotations

import re

import msgspec

_MORE = re.compile(r"guarded: [0-9]{1,18} lines more, [0-9]{1,18} bytes, (?:so far|in all):\Z")
_KIND = re.compile(r"guarded: (?P<count>[0-9]{1,18}) x (?P<kind>.+)\Z")
_OTHER = re.compile(r"guarded: (?P<count>[0-9]{1,18}) lines of other kinds\Z")
OTHER = "other kinds"
PREFIX = "guarded: "


class Sum(msgspec.Struct, frozen=True):
    """A sum of what was counted begins; it stands for the one before it."""


class OfKind(msgspec.Struct, frozen=True):
    """So many lines of a kind since the sum began."""

    kind: str
    count: int


class Note(msgspec.Struct, frozen=True):
    """Anything else that the script says."""

    text: str


def guarded_line(text: str) -> Sum | OfKind | Note | None:
    """What a line of the script tells; None for a line of the tool itself."""
    if not text.startswith(PREFIX):
        return None
    if _MORE.match(text):
        return Sum()
    if match := _KIND.match(text):
        return OfKind(match["kind"], int(match["count"]))
    if match := _OTHER.match(text):
        return OfKind(OTHER, int(match["count"]))
    return Note(text.removeprefix(PREFIX))
