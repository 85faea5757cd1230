"""Parser of `mmdf`, in its human form."""

from __future__ import annotations

import re

from remote.gpfs.disks import is_failure_group
from remote.gpfs.models import DiskSpace, FsSpace, Inodes, SpaceTotal
from remote.gpfs.reading import Line, Reading, is_rule, whole, yes_no
from remote.parsed import Parsed

# "( 22%)" has a blank inside where "(100%)" has none, so percentages are matched, not split.
_FREE = r"([0-9]{1,18})\s*\(\s*([0-9]{1,3})%\)\s+([0-9]{1,18})\s*\(\s*([0-9]{1,3})%\)"
_DISK = re.compile(r"(\S+)\s+([0-9]{1,18})\s+(\S+)\s+(\S+)\s+(\S+)\s+" + _FREE + r"\s*(\*)?\Z")
_TOTAL = re.compile(r"\((pool total|data|metadata|total)\)\s+([0-9]{1,18})\s+" + _FREE + r"\s*\Z")
_POOL = re.compile(r"Disks in storage pool:\s*(\S+)")
_UNIT = re.compile(r"\bfree (?:in )?([KMGTPE]?B)\b")
# Both dialects, "Number of used inodes" and "Total number of used inodes in all Inode spaces", fold to these.
_INODE_COUNTS = {
    "number of used inodes": "used",
    "number of free inodes": "free",
    "number of allocated inodes": "allocated",
    "maximum number of inodes": "maximum",
}


class _Gathered:
    """What has been read so far."""

    def __init__(self) -> None:
        self.unit = ""
        self.pool: str | None = None
        self.disks: list[DiskSpace] = []
        self.pools: list[tuple[str, SpaceTotal]] = []
        self.totals: dict[str, SpaceTotal] = {}
        self.inodes: dict[str, int] = {}


def parse_mmdf(stdout: str, stderr: str = "") -> Parsed[FsSpace]:
    """Parse `mmdf`, also with `-m` (metadata disks only, no inodes) and with `--block-size` (see
    `FsSpace.unit`).
    """
    reading = Reading(stdout, stderr)
    gathered = _Gathered()
    about_inodes = False
    for line in reading.stdout:
        text = line.text.strip()
        if not text or is_rule(text):
            continue
        if text == "Inode Information":
            about_inodes = True
        elif about_inodes:
            _read_inodes(line, gathered, reading)
        else:
            _read_space(line, gathered, reading)
    for line in reading.stderr:
        reading.note(line)
    inodes = _inodes(gathered, reading) if about_inodes else None
    _tell_missing(gathered, reading)
    return reading.result(
        FsSpace(
            unit=gathered.unit,
            disks=tuple(gathered.disks),
            pools=tuple(gathered.pools),
            data=gathered.totals.get("data"),
            metadata=gathered.totals.get("metadata"),
            total=gathered.totals.get("total"),
            inodes=inodes,
        )
    )


def _read_space(line: Line, gathered: _Gathered, reading: Reading) -> None:
    text = line.text.strip()
    if match := _POOL.match(text):
        gathered.pool = match[1]
    elif text.startswith(("disk ", "name ")) and (" failure " in text or " group " in text):
        unit = _UNIT.search(" ".join(text.split()))
        gathered.unit = unit[1] if unit else gathered.unit
    elif match := _TOTAL.match(text):
        _keep_total(line, match, gathered, reading)
    elif gathered.pool is None:
        reading.note(line)
    elif "total" in gathered.totals:
        reading.note(line)  # footnotes come after the last total
    else:
        _read_disk(line, gathered, reading)


def _keep_total(line: Line, match: re.Match[str], gathered: _Gathered, reading: Reading) -> None:
    total = SpaceTotal(int(match[2]), int(match[3]), int(match[5]))
    if match[1] != "pool total":
        gathered.totals[match[1]] = total
    elif gathered.pool is None:
        reading.problem(line, "a pool's total before any pool")
    else:
        gathered.pools.append((gathered.pool, total))


def _read_disk(line: Line, gathered: _Gathered, reading: Reading) -> None:
    match = _DISK.match(line.text.strip())
    if match is None:
        reading.broken(line, "neither a disk's space nor a total")
        return
    metadata, data = yes_no(match[4]), yes_no(match[5])
    if not is_failure_group(match[3]):
        reading.problem(line, "the failure group is not a number or a topology")
    elif metadata is None or data is None:
        reading.problem(line, "holds metadata and holds data must be Yes or No")
    else:
        gathered.disks.append(
            DiskSpace(
                nsd=match[1],
                pool=gathered.pool or "",
                size_kb=int(match[2]),
                failure_group=match[3],
                metadata=metadata,
                data=data,
                free_blocks_kb=int(match[6]),
                free_blocks_percent=int(match[7]),
                free_fragments_kb=int(match[8]),
                free_fragments_percent=int(match[9]),
                available=match[10] is None,
            )
        )


def _read_inodes(line: Line, gathered: _Gathered, reading: Reading) -> None:
    label, colon, value = line.text.strip().lower().partition(":")
    label = label.removesuffix(" in all inode spaces").removeprefix("total ").removeprefix("of ")
    name = _INODE_COUNTS.get(label)
    if name is None or not colon:
        reading.note(line)
        return
    count = whole(value.strip())
    if count is None:
        reading.problem(line, "not a count of inodes")
    else:
        gathered.inodes[name] = count


def _inodes(gathered: _Gathered, reading: Reading) -> Inodes | None:
    if len(gathered.inodes) == len(_INODE_COUNTS):
        return Inodes(**gathered.inodes)
    reading.missing("not all four counts of inodes")
    return None


def _tell_missing(gathered: _Gathered, reading: Reading) -> None:
    if not gathered.disks and not gathered.totals:
        reading.missing("no disks and no totals")
        return
    if not gathered.unit:
        reading.missing("no header tells the unit")
    if "total" not in gathered.totals:
        reading.missing("no row (total): the answer may be cut short")
