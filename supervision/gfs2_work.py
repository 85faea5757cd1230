"""Which job is which work on a GFS2 device, as its command line tells: with our guard script around it or without."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

import msgspec

from supervision.jobwords import words_of
from supervision.state import Job

GUARD = "guarded.sh"
"""The attached file that runs a tool and counts what it complains of; its own words end with `--`."""
SAVEMETA, RESTOREMETA, FSCK = "savemeta", "restoremeta", "fsck"
WORKS = (SAVEMETA, RESTOREMETA, FSCK)
_VERBS = {
    "savemeta": SAVEMETA,
    "savemetaslow": SAVEMETA,
    "savergs": SAVEMETA,
    "restoremeta": RESTOREMETA,
}
_FSCK = ("fsck.gfs2", "gfs2_fsck")
PROGRAMS = ("gfs2_edit", *_FSCK)
"""The programs whose processes are looked at."""
_CARRIES = ("sudo", "nohup", "setsid", "nice", "ionice", "time", "stdbuf", "timeout", "env")
"""They run the command that stands behind their own words."""


class Work(msgspec.Struct, frozen=True):
    """One run of a tool. `kind` is one of WORKS, `device` the path as it was given.

    `file` is what savemeta writes or restoremeta reads, "" for fsck and where none was named. `options` are the words
    that begin with a dash, each with its value where that stands apart.
    """

    kind: str
    device: str
    file: str = ""
    options: tuple[str, ...] = ()

    @property
    def repairs(self) -> bool:
        """Whether it is an fsck that may change the file system: any but one with -n."""
        return self.kind == FSCK and "n" not in "".join(each.lstrip("-") for each in self.options)


def tool_words(words: Sequence[str]) -> tuple[str, ...]:
    """The words of the tool itself: without the guard script, and without what carries it (`sudo`, `nohup`, ...)."""
    plain = tuple(words)
    while plain and posixpath.basename(plain[0]) in _CARRIES:
        rest = plain[1:]
        at = next((index for index, word in enumerate(rest) if _is_tool(word) or _is_guard(rest[index:])), None)
        if at is None:
            return plain
        plain = rest[at:]
    if _is_guard(plain):
        return plain[plain.index("--") + 1 :] if "--" in plain else ()
    return plain


def work_of(words: Sequence[str]) -> Work | None:
    """What a command line does to a GFS2 device; None for every other one."""
    program, *rest = tool_words(words) or ("",)
    name = posixpath.basename(program)
    if name in _FSCK:
        options, operands = _sorted(rest, valued=())
        return Work(FSCK, operands[-1], options=options) if operands else None
    if name != "gfs2_edit":
        return None
    verb = next((word for word in rest if word in _VERBS), "")
    if not verb:
        return None
    options, operands = _sorted([word for word in rest if word != verb], valued=("-z",))
    if _VERBS[verb] == SAVEMETA:
        return Work(SAVEMETA, operands[0], operands[1] if len(operands) > 1 else "", options) if operands else None
    return Work(RESTOREMETA, operands[1], operands[0], options) if len(operands) > 1 else None


def is_gfs2_job(job: Job, device: str) -> str:
    """Which work a job does on `device`: `savemeta`, `restoremeta`, `fsck`; "" when it is none of them there."""
    work = work_of(words_of(job))
    return work.kind if work and same_path(work.device, device) else ""


def same_path(one: str, other: str) -> bool:
    """Whether two paths are written the same but for slashes and dots; what a link leads to is not known here."""
    return bool(one and other) and _plain(one) == _plain(other)


def _plain(path: str) -> str:
    plain = posixpath.normpath(path)
    return plain[1:] if plain.startswith("//") else plain


def _is_tool(word: str) -> bool:
    return posixpath.basename(word) in PROGRAMS


def _is_guard(words: Sequence[str]) -> bool:
    return len(words) > 1 and posixpath.basename(words[0]) == "sh" and posixpath.basename(words[1]) == GUARD


def _sorted(words: Sequence[str], *, valued: tuple[str, ...]) -> tuple[tuple[str, ...], list[str]]:
    """The options, each with its value where one of `valued` has it apart, and the operands."""
    options: list[str] = []
    operands: list[str] = []
    waiting = False
    for word in words:
        if waiting:
            options[-1] += word
            waiting = False
        elif word.startswith("-") and len(word) > 1:
            options.append(word)
            waiting = word in valued
        else:
            operands.append(word)
    return tuple(options), operands
