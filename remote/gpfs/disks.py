"""Parser of `mmlsdisk`, human (plain, `-L`, `-e`) and `-Y`.

Rows are read by their words, not by columns: a name longer than its column pushes everything right of it.
"""

from __future__ import annotations

import re

from remote.gpfs.machine import Table, is_machine, read_machine
from remote.gpfs.models import Disk, DiskList, DiskQuorum
from remote.gpfs.reading import Line, Reading, Steps, finish, is_rule, whole, yes_no
from remote.parsed import Parsed

_AVAILABILITIES = ("up", "down", "recovering", "unrecovered")
_FAILURE_GROUP = re.compile(r"-?[0-9]{1,9}(?:,-?[0-9]{1,9})*\Z")
_QUORUM = {
    "Number of quorum disks:": "disks",
    "Read quorum value:": "read",
    "Write quorum value:": "write",
}
_ALL_READY = "All disks up and ready"
_RECORD = "mmlsdisk:"
_COLUMNS = (
    "nsdName", "driverType", "sectorSize", "failureGroup", "metadata", "data", "status", "availability",
    "storagePool", "diskID", "remarks", "diskSizeKB", "diskUID", "thinDiskType", "IOPerformedOnNode",
    "numQuorumDisks", "readQuorumValue", "writeQuorumValue",
)  # fmt: skip


def parse_mmlsdisk(stdout: str, stderr: str = "") -> Parsed[DiskList]:
    """Parse `mmlsdisk`, in any form. The Attention sentence is looked for in both streams."""
    return finish(mmlsdisk_steps(stdout, stderr))


def mmlsdisk_steps(stdout: str, stderr: str = "") -> Steps[DiskList]:
    """The steps of `parse_mmlsdisk`."""
    reading = Reading(stdout, stderr)
    found = _Found(reading)
    attention = reading.take_attention(_is_row)
    machine = is_machine(stdout, "mmlsdisk")
    if machine:
        yield from read_machine(reading, "mmlsdisk", {"": Table(_COLUMNS, found.record)})
    else:
        yield from reading.each(found.line)
    for line in reading.stderr:
        if _ALL_READY in line.text:
            found.all_ready = True
        else:
            reading.note(line)
    if not found.disks and not found.all_ready:
        reading.missing("no disks")
    return reading.result(DiskList(tuple(found.disks), attention, found.disk_quorum(), found.all_ready))


def _is_row(text: str) -> bool:
    return text.startswith(_RECORD) or isinstance(_disk(text, None), Disk)


class _Found:
    """What has been read so far."""

    def __init__(self, reading: Reading) -> None:
        self.disks: list[Disk] = []
        self.all_ready = False
        self._quorum: dict[str, int] = {}
        self._reading = reading
        self._with_id: bool | None = None
        self._in_table = False

    def line(self, line: Line) -> None:
        """Read a line of the human form."""
        text = line.text
        words = text.split()
        if not words:
            return
        if words[:2] in (["disk", "driver"], ["name", "type"]):
            self._with_id = " disk id " in f" {' '.join(words)} "
        elif is_rule(text):
            self._in_table = True
        elif _ALL_READY in text:
            self.all_ready = True
        elif text.lstrip().startswith(tuple(_QUORUM)):
            self._in_table = False
            self._count(line)
        else:
            self._row(line)

    def _row(self, line: Line) -> None:
        disk = _disk(line.text, self._with_id)
        if isinstance(disk, Disk):
            self.disks.append(disk)
        elif self._in_table:
            self._reading.broken(line, disk)
        else:
            self._reading.note(line)

    def _count(self, line: Line) -> None:
        label, colon, value = line.text.strip().partition(":")
        count = whole(value.strip())
        if count is None:
            self._reading.problem(line, "not a count of quorum disks")
        else:
            self._quorum[_QUORUM[label + colon]] = count

    def disk_quorum(self) -> DiskQuorum | None:
        """The quorum of disks, if all three counts were told."""
        return DiskQuorum(**self._quorum) if len(self._quorum) == len(_QUORUM) else None

    def record(self, *values: str) -> str | None:
        """Read a row of `-Y`."""
        nsd, driver, sector_text, group, metadata_text, data_text, status, availability, pool = values[:9]
        metadata, data = yes_no(metadata_text), yes_no(data_text)
        sector = whole(sector_text)
        if not nsd or not status or not availability or not pool:
            return "a disk needs a name, a status, an availability and a storage pool"
        if sector is None:
            return "the sector size is not a whole number"
        if not is_failure_group(group):
            return "the failure group is not a number or a topology"
        if metadata is None or data is None:
            return "holds metadata and holds data must be Yes or No"
        disk_id, remarks, size, uid, thin, io_node = values[9:15]
        self.disks.append(
            Disk(nsd, driver, sector, group, metadata, data, status, availability, pool, disk_id, remarks,
                 whole(size), uid, thin, io_node)
        )  # fmt: skip
        if not self._quorum:
            counts = zip(_QUORUM.values(), map(whole, values[15:]), strict=True)
            self._quorum = {name: count for name, count in counts if count is not None}
        return None


def _disk(text: str, with_id: bool | None) -> Disk | str:
    """Read one row, or say why it is none. `with_id` tells whether the header has `disk id`; None: no header."""
    words = text.split()
    if len(words) < 9:
        return "a disk needs at least nine columns"
    sector, metadata, data = whole(words[2]), yes_no(words[4]), yes_no(words[5])
    if sector is None:
        return "the sector size is not a whole number"
    if not is_failure_group(words[3]):
        return "the failure group is not a number or a topology"
    if metadata is None or data is None:
        return "holds metadata and holds data must be Yes or No"
    # The status may have several words, and none of them is an availability.
    at = next((index for index in range(7, len(words)) if words[index] in _AVAILABILITIES), None)
    if at is None:
        return "no known availability"
    rest = words[at + 1 :]
    if with_id is None:
        with_id = len(rest) > 1 and whole(rest[0]) is not None
    disk_id = rest.pop(0) if with_id and rest else ""
    if not rest:
        return "no storage pool"
    status = " ".join(words[6:at])
    return Disk(
        words[0],
        words[1],
        sector,
        words[3],
        metadata,
        data,
        status,
        words[at],
        rest[0],
        disk_id,
        " ".join(rest[1:]),
    )


def is_failure_group(text: str) -> bool:
    """Whether a text can be a failure group: `1`, `01`, `-1`, or a topology such as `1,0,1`."""
    return _FAILURE_GROUP.match(text) is not None
