"""Parsers of the logs of `gfs2_edit savemeta` and `restoremeta`, whole or as far as they go.

Both end with success where there is none: a device that is no GFS2, a full disk behind gzip, a truncated file, a target
that is too small. What the text alone tells of that is a doubt; the rest can be seen only by other means.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from remote.gfs2.doubts import check_restoremeta, check_savemeta, of_restoremeta, of_savemeta
from remote.gfs2.guarded import guarded_line
from remote.gfs2.models import Counted, RestoremetaLog, SavemetaLog
from remote.gfs2.progress import is_begun, parse_progress_line, split_time
from remote.gfs2.reading import LONGEST_LINE, Line, Reading
from remote.parsed import Parsed

_N = r"[0-9]{1,18}"
_BLOCKS = re.compile(
    rf"There are (?P<blocks>{_N}) blocks of (?P<size>{_N}) bytes in the (?P<of>filesystem|destination device)\.\Z"
)
_OLD_SIZE = re.compile(r"(?:Reading resource groups\.\.\.)?Done\. File system size: (?P<size>\S{1,40})\Z")
_SIZE = re.compile(r"Filesystem size: (?P<size>\S{1,40})\Z")
_SAVED = re.compile(
    r"Metadata saved to file (?P<file>.+) \((?:gzipped, level (?P<level>[0-9]{1,2})|(?P<plain>uncompressed))\)\.\Z"
)
_QUOTIENT = re.compile(r"(?P<whole>[0-9]{1,4})\.(?P<rest>[0-9]{1,4})(?P<unit>[KMGTP])B\Z")
_READING = "Reading resource groups..."
_SAVED_AT = re.compile(r"Metadata saved at (?P<when>.{1,80})\Z")
_SAVED_SIZE = re.compile(r"File system size (?P<size>\S{1,40})\Z")
_SAVED_BLOCKS = re.compile(
    rf"(?:Saved file system size is|File system size:) (?P<blocks>{_N}) (?:\(0x[0-9a-f]+\) )?blocks,"
)
_BLOCK_SIZE = re.compile(rf"Block size is (?P<size>{_N})B\Z")
_KIND = re.compile(r"This is (?P<kind>gfs[12]?)\b.{0,20} metadata\.?\Z")
_FREE = re.compile(rf"There are (?P<blocks>{_N}) free blocks on the destination device\.\Z")
_HIGHEST = re.compile(rf"Highest saved block is (?P<block>{_N}) \(0x[0-9a-f]+\)\Z")
_RESTORED = re.compile(r"File (?P<file>.+) (?:restore|print) (?P<outcome>successful|error)\.\Z")
_LISTED = re.compile(r"[0-9]{1,18} \(l=0x[0-9a-f]{1,8}\): Block #")
_FAILURES = re.compile(
    r"(?:Failed to|[Ww]rite error|read error|bad seek|Error\b|Could not|Can't|Couldn't|Compression level out of range"
    r"|No superblock found|Bad (?:record length|constants)|Out of space on the destination|Device is too small"
    r"|Geometery error|Reached end of file|File system is [0-9]+ blocks\. Restore block|No (?:source|destination) file"
    r"|Segmentation fault|Terminated|Killed|Hangup|\S+: line [0-9]+: +[0-9]+ )"
)
_WARNINGS = re.compile(r"(?:Warning\b|No valid file header found)", re.IGNORECASE)


class _Log:
    """What a log of either has, gathered line by line."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.found: dict[str, Any] = {}
        self.counted: list[Counted] = []
        self.errors: list[str] = []
        self.warnings: list[str] = []

    def common(self, line: Line, text: str) -> None:
        """A line that is none of the header or the end."""
        counted = parse_progress_line(text)
        if counted is not None:
            self.counted.append(counted)
        elif guarded_line(text):
            return
        elif is_begun(text):
            self.reading.problem(line, "a line of progress that is not whole")
        elif len(text) <= LONGEST_LINE and _WARNINGS.match(text):
            self.warnings.append(text)
        elif is_failure(text):
            self.errors.append(text)
        else:
            self.reading.note(line)

    def fields(self) -> dict[str, Any]:
        """The fields of the model."""
        if not (self.counted or self.found or self.errors):
            self.reading.missing("no line of progress")
        return {
            **self.found,
            "counted": tuple(self.counted),
            "errors": tuple(self.errors),
            "warnings": tuple(self.warnings),
            "timed": self.reading.timed,
        }


def is_failure(text: str) -> bool:
    """Whether a line tells of a failure."""
    return len(text) <= LONGEST_LINE and _FAILURES.match(text) is not None


def is_known(text: str) -> bool:
    """Whether a line is one of those that savemeta or restoremeta begin or end with."""
    if len(text) > LONGEST_LINE:
        return False
    found: dict[str, Any] = {}
    return _savemeta_header(found, text) or _restoremeta_header(found, text) or bool(_LISTED.match(text))


def parse_end(text: str) -> SavemetaLog | RestoremetaLog | None:
    """The last line of a savemeta or a restoremeta, as a log of which nothing else is known; None for all else."""
    found: dict[str, Any] = {}
    if len(text) > LONGEST_LINE:
        return None
    if _SAVED.match(text) and _savemeta_header(found, text):
        return SavemetaLog(**found)
    if _RESTORED.match(text) and _restoremeta_header(found, text):
        return RestoremetaLog(**found)
    return None


def begins(text: str) -> str:
    """What begins with a line: `savemeta` or `restoremeta`; "" where that is not to be told."""
    if len(text) > LONGEST_LINE:
        return ""
    if _SIZE.match(text) or _OLD_SIZE.match(text) or text == _READING:
        return "savemeta"
    return "restoremeta" if _SAVED_AT.match(text) or _KIND.match(text) or _FREE.match(text) else ""


def parse_savemeta(stdout: str, stderr: str = "") -> Parsed[SavemetaLog]:
    """Parse a log of savemeta."""
    reading = Reading(stdout, stderr)
    log = _Log(reading)
    for line in reading.lines():
        text = split_time(line.text)[1]
        if not text:
            continue
        if len(text) > LONGEST_LINE or not _savemeta_header(log.found, text):
            log.common(line, text)
    made = SavemetaLog(**log.fields())
    if made.size is None and not made.of_device and made.blocks is not None and made.block_size is not None:
        made = msgspec.structs.replace(made, size=made.blocks * made.block_size)
    return reading.result(msgspec.structs.replace(made, doubts=of_savemeta(made), to_check=check_savemeta(made)))


def _savemeta_header(found: dict[str, Any], text: str) -> bool:
    """Take a line that tells of the whole; False for any other one."""
    if match := _BLOCKS.match(text):
        found |= {"blocks": int(match["blocks"]), "block_size": int(match["size"])}
        found["of_device"] = match["of"] != "filesystem"
    elif match := _OLD_SIZE.match(text):
        found |= {"size_text": match["size"], "size": whole_size(match["size"])}
    elif match := _SIZE.match(text):
        found["size_text"] = match["size"]
    elif match := _SAVED.match(text):
        found |= {"finished": True, "file": match["file"], "gzip_level": int(match["level"] or 0)}
    else:
        return text == _READING
    return True


def whole_size(text: str) -> int | None:
    """Bytes of a size such as `1.1023GB` of releases up to 3.2, which is no decimal number: 1 GiB and 1023 MiB.

    What is below the smaller unit was dropped by the tool. None for what is no such text.
    """
    match = _QUOTIENT.match(text)
    if match is None or int(match["rest"]) >= 1024:
        return None
    unit: int = 1024 ** " KMGTP".index(match["unit"])
    return int(match["whole"]) * unit + int(match["rest"]) * unit // 1024


def parse_restoremeta(stdout: str, stderr: str = "") -> Parsed[RestoremetaLog]:
    """Parse a log of restoremeta, or of printsavedmeta, which begins and ends alike."""
    reading = Reading(stdout, stderr)
    log = _Log(reading)
    listed = 0
    for line in reading.lines():
        text = split_time(line.text)[1]
        if not text:
            continue
        if _LISTED.match(text):
            listed += 1
        elif len(text) > LONGEST_LINE or not _restoremeta_header(log.found, text):
            log.common(line, text)
    made = RestoremetaLog(**log.fields(), listed=listed or None)
    return reading.result(msgspec.structs.replace(made, doubts=of_restoremeta(made), to_check=check_restoremeta(made)))


def _restoremeta_header(found: dict[str, Any], text: str) -> bool:
    """Take a line that tells of the whole; False for any other one."""
    if match := _BLOCKS.match(text):  # up to 3.1.7
        found |= {"destination_blocks": int(match["blocks"]), "block_size": int(match["size"])}
    elif match := _FREE.match(text):
        found["destination_blocks"] = int(match["blocks"])
    elif match := _SAVED_AT.match(text):
        found["saved_at"] = match["when"]
    elif match := _SAVED_BLOCKS.match(text):
        found["saved_blocks"] = int(match["blocks"])
    elif match := _SAVED_SIZE.match(text):
        found["size_text"] = match["size"]
    elif match := _BLOCK_SIZE.match(text):
        found["block_size"] = int(match["size"])
    elif match := _KIND.match(text):
        found["kind"] = "gfs1" if match["kind"] == "gfs" else match["kind"]
    elif match := _HIGHEST.match(text):
        found["highest_block"] = int(match["block"])
    elif match := _RESTORED.match(text):
        found |= {"file": match["file"], "outcome": match["outcome"]}
    else:
        return False
    return True
