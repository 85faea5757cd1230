"""Parser of the output of fsck.gfs2. What it finds is counted by kind: it may be a hundred megabytes of a few texts."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from remote.gfs2.guarded import OTHER, Note, OfKind, Sum, guarded_line
from remote.gfs2.models import Finding, FsckLog, FsckPass
from remote.gfs2.reading import LONGEST_LINE, Line, Reading
from remote.linux.line_stamps import split_stamp
from remote.parsed import Parsed

KINDS = 200
"""Kinds of findings that are kept; the lines of further ones are only counted."""
LONGEST_KIND = 200
_NAME = r"(?P<name>pass *[0-9][a-z]?|reconcile_bitmaps|check_statfs)"
_STARTING = re.compile(rf"Starting {_NAME}\.?\Z", re.IGNORECASE)
_DONE = re.compile(rf"{_NAME} (?:completed in (?P<took>[0-9hms.]{{1,24}})|complete)\Z", re.IGNORECASE)
_TOOK = re.compile(
    r"(?:(?P<hours>[0-9]{1,6})h)?(?:(?P<minutes>[0-9]{1,6})m)?(?P<seconds>[0-9]{1,6}(?:\.[0-9]{1,6})?)s\Z"
)
_PERCENT = re.compile(r"(?P<percent>[0-9]{1,3}) percent complete\.?\Z")
_FILE = re.compile(r"Checking (?P<file>.{1,120}?) *- *(?P<percent>[0-9]{1,3}) percent complete\.?\Z")
_CLEAN = re.compile(r".{1,400}: clean\.\Z")
_COMPLETE = re.compile(r"(?:fsck\.gfs2|gfs2_fsck) complete\Z")
_TELLS_NOTHING = re.compile(
    r"(?:Initializing fsck|Validating resource group index|Gathering information to repair"
    r"|Level [0-9] (?:resource group|rgrp) check|\(level [0-9] passed\)"
    r"|Recovering journals|Journal recovery complete|jid=[0-9]+: |Clearing journals|Journals? cleared)"
)
_PLACE = re.compile(r"[0-9]+ \(0x[0-9a-f]+\)|0x[0-9a-fA-F]+|[0-9]+")
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_STATES = frozenset(
    ("free", "data", "other", "inode", "dinode", "unlinked", "used", "indirect", "directory", "file", "reserved", "bad")
)
"""Words in quotes that are no names of files."""


class _Passes:
    """The passes so far, in the order in which they began."""

    def __init__(self) -> None:
        self.all: list[FsckPass] = []

    def begin(self, name: str) -> None:
        self.all.append(FsckPass(_plain_name(name)))

    def end(self, name: str, took: str | None) -> None:
        name, seconds = _plain_name(name), _seconds(took or "")
        index = next((at for at in reversed(range(len(self.all))) if self.all[at].name == name), None)
        if index is None:
            self.all.append(FsckPass(name, done=True, seconds=seconds))
        else:
            self.all[index] = msgspec.structs.replace(self.all[index], done=True, seconds=seconds)

    def progress(self, percent: int, file: str) -> None:
        """The own figure of the pass that began last and is not over."""
        index = next((at for at in reversed(range(len(self.all))) if not self.all[at].done), None)
        if index is not None:
            last = self.all[index]
            self.all[index] = msgspec.structs.replace(last, percent=percent, file=file or last.file)


class _Findings:
    """Lines by their kinds: bounded, whatever comes."""

    def __init__(self) -> None:
        self.kinds: dict[str, tuple[int, int]] = {}
        self.other = 0
        self._summed: list[tuple[OfKind, int]] = []

    def add(self, line: Line, text: str) -> None:
        self._count(kind_of(text), 1, line.number)

    def told(self, line: Line, said: Sum | OfKind | Note) -> None:
        """What our guard script counted of lines that are not in the log; a later sum stands for the one before."""
        if isinstance(said, Sum):
            self._summed.clear()
        elif isinstance(said, OfKind):
            self._summed.append((said, line.number))

    def close(self) -> None:
        """No line comes any more: the last sum counts."""
        for said, number in self._summed:
            if said.kind == OTHER:
                self.other += said.count
            else:
                self._count(kind_of(said.kind), said.count, number)

    def _count(self, kind: str, more: int, number: int) -> None:
        count, first = self.kinds.get(kind, (0, number))
        if count or len(self.kinds) < KINDS:
            self.kinds[kind] = (count + more, first)
        else:
            self.other += more

    def sorted(self) -> Iterator[Finding]:
        """The most frequent first; of as many, in their order."""
        for kind, (count, first) in sorted(self.kinds.items(), key=lambda item: -item[1][0]):
            yield Finding(kind, count, first)


def parse_fsck(stdout: str, stderr: str = "") -> Parsed[FsckLog]:
    """Parse what fsck.gfs2 printed. With both streams in one file, what is none of its steps is taken for a finding."""
    reading, passes, findings = Reading(stdout, stderr), _Passes(), _Findings()
    said = {"clean": False, "written": False, "complete": False}
    known = False
    for line in reading.lines():
        text = split_stamp(line.text)[1]
        if not text:
            continue
        if len(text) <= LONGEST_LINE and _step(text, passes, said):
            known = True
        elif guarded := guarded_line(text):
            findings.told(line, guarded)
        else:
            findings.add(line, text)
    findings.close()
    if not known:
        reading.missing("no step of fsck.gfs2")
    lines = findings.other + sum(count for count, _ in findings.kinds.values())
    return reading.result(
        FsckLog(tuple(passes.all), tuple(findings.sorted()), findings.other, lines, timed=reading.timed, **said)
    )


def pass_begun(text: str) -> str:
    """The name of the pass that begins with a line; "" for any other line."""
    if text == "Reconciling bitmaps.":
        return "reconcile_bitmaps"
    match = _STARTING.match(text) if len(text) <= LONGEST_LINE else None
    return _plain_name(match["name"]) if match else ""


def pass_done(text: str) -> str:
    """The name of the pass that a line tells to be over; "" for any other line."""
    match = _DONE.match(text) if len(text) <= LONGEST_LINE else None
    return _plain_name(match["name"]) if match else ""


def pass_percent(text: str) -> int | None:
    """The figure that a pass tells of itself, which is none of the whole; None for any other line."""
    match = (_PERCENT.match(text) or _FILE.match(text)) if len(text) <= LONGEST_LINE else None
    return int(match["percent"]) if match else None


def tells_nothing(text: str) -> bool:
    """Whether a line is one of its usual ones that neither begins nor ends a pass."""
    return _TELLS_NOTHING.match(text) is not None or text == "Writing changes to disk"


def is_complete(text: str) -> bool:
    """Whether a line tells that the check went through to its end."""
    return len(text) <= LONGEST_LINE and bool(_COMPLETE.match(text) or _CLEAN.match(text))


def _step(text: str, passes: _Passes, said: dict[str, bool]) -> bool:
    """Take a line that tells how far it is; False for any other one."""
    if match := _PERCENT.match(text) or _FILE.match(text):
        passes.progress(int(match["percent"]), match.groupdict().get("file") or "")
    elif match := _STARTING.match(text):
        passes.begin(match["name"])
    elif text == "Reconciling bitmaps.":
        passes.begin("reconcile_bitmaps")
    elif match := _DONE.match(text):
        passes.end(match["name"], match["took"])
    elif _CLEAN.match(text):
        said["clean"] = True
    elif text == "Writing changes to disk":
        said["written"] = True
    elif _COMPLETE.match(text):
        said["complete"] = True
    else:
        return _TELLS_NOTHING.match(text) is not None
    return True


def kind_of(text: str) -> str:
    """A text without what is of one place alone: numbers, and names of files in quotes."""
    text = text[: 2 * LONGEST_KIND]
    named = _QUOTED.sub(lambda quoted: quoted[0] if (quoted[1] or quoted[2]) in _STATES else "'...'", text)
    return _PLACE.sub("N", named)[:LONGEST_KIND]


def _plain_name(name: str) -> str:
    return name.lower().replace(" ", "")


def _seconds(text: str) -> float | None:
    """Seconds of `1h2m25.623s`."""
    match = _TOOK.match(text)
    if match is None:
        return None
    return (int(match["hours"] or 0) * 60 + int(match["minutes"] or 0)) * 60 + float(match["seconds"])
