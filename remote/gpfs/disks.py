"""Parsers of `mmlsdisk` and `mmlsnsd -X`, in their human form.

Rows are read by their words, not by columns: a name longer than its column pushes everything right of it.
"""

from __future__ import annotations

import re

from remote.gpfs.models import Disk, DiskList, NsdDevice, NsdDevices
from remote.gpfs.reading import Line, Reading, is_rule, whole, yes_no
from remote.parsed import Parsed

_AVAILABILITIES = ("up", "down", "recovering", "unrecovered")
_FAILURE_GROUP = re.compile(r"-?[0-9]+(?:,-?[0-9]+)*\Z")
_VOLUME_ID = re.compile(r"[0-9A-Fa-f]{16}\Z")
_QUORUM = ("Number of quorum disks:", "Read quorum value:", "Write quorum value:")


def parse_mmlsdisk(stdout: str, stderr: str = "") -> Parsed[DiskList]:
    """Parse `mmlsdisk`, with or without `-L`. The Attention sentence is looked for in both streams."""
    reading = Reading(stdout, stderr)
    attention = reading.take_attention(lambda text: isinstance(_disk(text, None), Disk))
    with_id: bool | None = None
    in_table = False
    disks: list[Disk] = []
    for line in reading.stdout:
        words = line.text.split()
        if not words:
            continue
        if words[:2] in (["disk", "driver"], ["name", "type"]):
            with_id = " disk id " in f" {' '.join(words)} "
        elif is_rule(line.text):
            in_table = True
        else:
            in_table = in_table and not line.text.startswith(_QUORUM)
            _read_disk(line, with_id, disks, reading, in_table=in_table)
    for line in reading.stderr:
        reading.note(line)
    if not disks:
        reading.missing("no disks")
    return reading.result(DiskList(tuple(disks), attention))


def _read_disk(line: Line, with_id: bool | None, disks: list[Disk], reading: Reading, *, in_table: bool) -> None:
    found = _disk(line.text, with_id)
    if isinstance(found, Disk):
        disks.append(found)
    elif in_table:
        reading.broken(line, found)
    else:
        reading.note(line)


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


def parse_mmlsnsd_x(stdout: str, stderr: str = "") -> Parsed[NsdDevices]:
    """Parse `mmlsnsd -X`. "No disks were found", which comes with exit status 0, is an answer without rows."""
    reading = Reading(stdout, stderr)
    in_table = False
    with_devtype = True
    rows: list[NsdDevice] = []
    for line in reading.stdout:
        if not line.text:
            continue
        if "disk name" in line.text.lower() and "volume id" in line.text.lower():
            with_devtype = "devtype" in line.text.lower()
        elif is_rule(line.text):
            in_table = True
        else:
            _read_nsd(line, rows, reading, in_table=in_table, with_devtype=with_devtype)
    for line in reading.stderr:
        reading.note(line)
    if not rows and not reading.says("No disks were found"):
        reading.missing("no NSDs")
    return reading.result(NsdDevices(tuple(rows)))


def _read_nsd(line: Line, rows: list[NsdDevice], reading: Reading, *, in_table: bool, with_devtype: bool) -> None:
    words = line.text.split()
    if not with_devtype and len(words) > 2:
        words.insert(3, "")  # `mmlsnsd -m` is the same table without this column
    if len(words) >= 5 and _VOLUME_ID.match(words[1]):
        nsd, volume_id, device, devtype, node = words[:5]
        rows.append(NsdDevice(nsd, volume_id, device, devtype, node, " ".join(words[5:])))
    elif in_table:
        reading.broken(line, "an NSD needs a name, a volume id of 16 hexadecimal digits, a device and a node")
    else:
        reading.note(line)
