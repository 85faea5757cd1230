"""All parsers of GFS2's tools in one place. None of them ever raises, whatever the text and the release."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any, TypeAlias

from remote.gfs2.fsck import parse_fsck
from remote.gfs2.metadata import parse_restoremeta, parse_savemeta, whole_size
from remote.gfs2.progress import parse_progress_line
from remote.gfs2.structures import parse_rgs, parse_sb, parse_statfs
from remote.parsed import Parsed

__all__ = [
    "PARSERS",
    "PROGRAMS",
    "Parser",
    "named",
    "parse_fsck",
    "parse_progress_line",
    "parse_restoremeta",
    "parse_rgs",
    "parse_savemeta",
    "parse_sb",
    "parse_statfs",
    "whole_size",
]

Parser: TypeAlias = Callable[[str, str], Parsed[Any]]

PARSERS: Mapping[str, Parser] = MappingProxyType(
    {
        "fsck.gfs2": parse_fsck,
        "gfs2-rgs": parse_rgs,
        "gfs2-sb": parse_sb,
        "gfs2-statfs": parse_statfs,
        "restoremeta": parse_restoremeta,
        "savemeta": parse_savemeta,
    }
)
"""What reads stdout and stderr, by the name of what printed them."""
PROGRAMS = ("gfs2_edit", "fsck.gfs2")
"""The programs whose outputs these are."""
_PRINTED = frozenset(("rgs", "sb", "statfs"))
_ALSO = {"printsavedmeta": "restoremeta", "savemetaslow": "savemeta", "savergs": "savemeta"}


def named(argv: Sequence[str]) -> str:
    """The name of the parser for a command line that begins with one of the PROGRAMS; "" where there is none."""
    program, *words = argv or ("",)
    if program == "fsck.gfs2":
        return program
    if program != "gfs2_edit":
        return ""
    for word in words:
        if _ALSO.get(word, word) in PARSERS:
            return _ALSO.get(word, word)
    printed = next((later for word, later in pairwise(words) if word == "-p"), "")
    return f"gfs2-{printed}" if printed in _PRINTED else ""
