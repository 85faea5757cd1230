"""Parsers of `mmlspool`, which has only a human form, and of `mmlssnapshot`, human and `-Y`."""

from __future__ import annotations

import re

from remote.gpfs import unconfirmed
from remote.gpfs.machine import Table, is_machine, read_machine
from remote.gpfs.models import Pool, Pools, Snapshot, Snapshots
from remote.gpfs.reading import Line, Reading, Steps, decimal, finish, is_rule, whole
from remote.parsed import Parsed

_LONGEST_LINE = 2000
_HEADING = re.compile(r"Storage pools in file system at '([^']*)':\Z")
_UNITS = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3}
_FREE = r"([0-9]{1,18})\s+([0-9]{1,18})\s*\(\s*[0-9]{1,3}%\)"
_POOL = re.compile(
    r"(\S+)\s+([0-9]{1,9})\s+([0-9]{1,9}) (B|KB|MB|GB)\s+(yes|no)\s+(yes|no)\s+"
    + _FREE
    + r"\s+"
    + _FREE
    + r"(?:\s+(\S.*))?\Z",
    re.IGNORECASE,
)

_SNAPSHOTS_OF = re.compile(r"Snapshots in file system (\S+?):(?: .*)?\Z")
_NO_SNAPSHOTS = "No snapshots in file system"
_TIME = r"[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}[0-9]{1,2} [0-9]{2}:[0-9]{2}:[0-9]{2} (?:[A-Z]{2,5} )?[0-9]{4}"
_SNAPSHOT = re.compile(rf"(\S+)\s+([0-9]{{1,18}})\s+(\S+)\s+({_TIME})(?:\s+({_TIME}))?(?:\s+(\S.*))?\Z")
_SIZE = re.compile(r"([0-9]{1,15}(?:[.,][0-9]{1,6})?)([KMGTP]?)\Z")
_SIZE_KB = {"": 1.0, "K": 1.0, "M": 1024.0, "G": 1024.0**2, "T": 1024.0**3, "P": 1024.0**4}
_COLUMNS = (
    "filesystemName",
    "directory",
    "snapID",
    "status",
    "created",
    "fileset",
    "data",
    "metadata",
    unconfirmed.expiration_column(),
)


def parse_mmlspool(stdout: str, stderr: str = "") -> Parsed[Pools]:
    """Parse `mmlspool`. Columns that a later release adds at the end become a note."""
    return finish(mmlspool_steps(stdout, stderr))


def mmlspool_steps(stdout: str, stderr: str = "") -> Steps[Pools]:
    """The steps of `parse_mmlspool`."""
    reading = Reading(stdout, stderr)
    found = _Pools(reading)
    yield from reading.each(found.line)
    reading.rest()
    if not found.pools:
        reading.missing("no storage pool")
    return reading.result(Pools(tuple(found.pools)))


class _Pools:
    """The pools read so far."""

    def __init__(self, reading: Reading) -> None:
        self.pools: list[Pool] = []
        self._reading = reading
        self._mount_point = ""
        self._in_table = False

    def line(self, line: Line) -> None:
        """Read a line."""
        text = line.text.strip()
        if not text or is_rule(text):
            return
        if match := _HEADING.match(text):
            self._mount_point = match[1]
        elif text.startswith("Name ") and "BlkSize" in text:
            self._in_table = True
        elif len(text) < _LONGEST_LINE and (match := _POOL.match(text)):
            self._add(line, match)
        elif self._in_table:
            self._reading.broken(line, "not a storage pool's name, id, block size, uses and four sizes")
        else:
            self._reading.note(line)

    def _add(self, line: Line, match: re.Match[str]) -> None:
        total, free, total_metadata, free_metadata = (int(match[group]) for group in (7, 8, 9, 10))
        self.pools.append(
            Pool(
                name=match[1],
                number=int(match[2]),
                block_size=int(match[3]) * _UNITS[match[4].upper()],
                data=match[5].lower() == "yes",
                metadata=match[6].lower() == "yes",
                total_data_kb=total,
                free_data_kb=free,
                total_metadata_kb=total_metadata,
                free_metadata_kb=free_metadata,
                mount_point=self._mount_point,
            )
        )
        if match[11]:
            self._reading.note(Line(line.number, f"more columns than are known: {match[11]}"))


def parse_mmlssnapshot(stdout: str, stderr: str = "") -> Parsed[Snapshots]:
    """Parse `mmlssnapshot`, with or without `-d`. A file system without snapshots is an answer."""
    return finish(mmlssnapshot_steps(stdout, stderr))


def mmlssnapshot_steps(stdout: str, stderr: str = "") -> Steps[Snapshots]:
    """The steps of `parse_mmlssnapshot`."""
    reading = Reading(stdout, stderr)
    found = _Snapshots(reading)
    machine = is_machine(stdout, "mmlssnapshot")
    if machine:
        yield from read_machine(reading, "mmlssnapshot", {"": Table(_COLUMNS, found.record)})
    else:
        yield from reading.each(found.line)
    for line in reading.stderr:
        if not line.text.startswith(_NO_SNAPSHOTS):
            reading.note(line)
    if not found.snapshots and not machine and not found.headed and not reading.says(_NO_SNAPSHOTS):
        reading.missing("no snapshots, and no word that there are none")
    return reading.result(Snapshots(tuple(found.snapshots)))


class _Snapshots:
    """The snapshots read so far."""

    def __init__(self, reading: Reading) -> None:
        self.snapshots: list[Snapshot] = []
        self.headed = False
        self._reading = reading
        self._fs = ""
        self._with_sizes = False

    def line(self, line: Line) -> None:
        """Read a line of the human form."""
        text = line.text.strip()
        if not text or is_rule(text) or text.startswith(_NO_SNAPSHOTS):
            return
        if match := _SNAPSHOTS_OF.match(text):
            self._fs, self.headed = match[1], True
        elif text.startswith("Directory ") and "SnapId" in text:
            self._with_sizes = text.endswith(" Metadata")
        elif len(text) < _LONGEST_LINE and (match := _SNAPSHOT.match(text)):
            self._row(match)
        elif self.headed:
            self._reading.broken(line, "not a snapshot's directory, id, status and time")
        else:
            self._reading.note(line)

    def _row(self, match: re.Match[str]) -> None:
        words = (match[6] or "").split()
        data = metadata = None
        if self._with_sizes and len(words) >= 2:
            data, metadata = _size_kb(words[-2]), _size_kb(words[-1])
            words = words[:-2]
        name, number, status, created, expires = match.group(1, 2, 3, 4, 5)
        fileset = " ".join(words)
        self.snapshots.append(
            Snapshot(self._fs, name, int(number), status, created, fileset, data, metadata, expires or "")
        )

    def record(self, *values: str) -> str | None:
        """Read a row of `-Y`. Two sizes of 0 are what it prints when it was not asked for sizes."""
        fs, name, number_text, status, created, fileset, data, metadata, expires = values
        number = whole(number_text)
        if not name or number is None:
            return "a snapshot needs a directory and an id"
        asked = (data, metadata) != ("0", "0")
        sizes = (whole(data), whole(metadata)) if asked else (None, None)
        if asked and None in sizes and (data or metadata):
            return "the sizes are not whole numbers"
        self.snapshots.append(Snapshot(fs, name, number, status, created, fileset, *sizes, expires))
        return None


def _size_kb(text: str) -> int | None:
    match = _SIZE.match(text)
    amount = decimal(match[1]) if match else None
    return round(amount * _SIZE_KB[match[2]]) if match and amount is not None else None
