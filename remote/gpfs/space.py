"""Parser of `mmdf`, human and `-Y`."""

from __future__ import annotations

import re

from remote.gpfs import unconfirmed
from remote.gpfs.disks import is_failure_group
from remote.gpfs.machine import Table, is_machine, read_machine
from remote.gpfs.models import DiskSpace, FsSpace, Inodes, SpaceTotal
from remote.gpfs.reading import Line, Reading, Steps, decimal, finish, is_rule, whole, yes_no
from remote.parsed import Parsed

# "( 22%)" has a blank inside where "(100%)" has none, so percentages are matched, not split.
_FREE = r"([0-9]{1,18})\s*\(\s*([0-9]{1,3})%\)\s+([0-9]{1,18})\s*\(\s*([0-9]{1,3})%\)"
# Possessive: a row is taken in one go or not at all, which is quick and never tries all ways to cut a long line.
_DISK = re.compile(
    r"\s*+(\S++)\s++([0-9]{1,18}+)\s++(\S++)\s++(\S++)\s++(\S++)\s++"
    r"([0-9]{1,18}+)\s*+\(\s*+([0-9]{1,3}+)%\)\s++([0-9]{1,18}+)\s*+\(\s*+([0-9]{1,3}+)%\)\s*+(\S*+)\s*+\Z"
)
_PLAIN_DISK = re.compile(
    r"([^ ]+) +([0-9]{1,18}) +([-0-9,]{1,40}) (Yes|No) +(Yes|No) +"
    r"([0-9]{1,18}) \( *([0-9]{1,3})%\) +([0-9]{1,18}) \( *([0-9]{1,3})%\) ?\Z"
)
_TOTAL = re.compile(r"\((pool total|data|metadata|total)\)\s+([0-9]{1,18})\s+" + _FREE + r"\s*\Z")
_POOL = re.compile(
    r"Disks in storage pool:\s*(\S+)(?:\s+\(Maximum disk size allowed is ([0-9.,]{1,30}) ([KMGTPE]?B)\))?"
)
_UNIT = re.compile(r"\bfree (?:in )?([KMGTPE]?B)\b")
_KB = {"B": 1 / 1024, "KB": 1, "MB": 1024, "GB": 1024**2, "TB": 1024**3, "PB": 1024**4, "EB": 1024**5}
# Both dialects, "Number of used inodes" and "Total number of used inodes in all Inode spaces", fold to these.
_INODE_COUNTS = {
    "number of used inodes": "used",
    "number of free inodes": "free",
    "number of allocated inodes": "allocated",
    "maximum number of inodes": "maximum",
}
_NSD_COLUMNS = (
    "nsdName", "storagePool", "diskSize", "failureGroup", "metadata", "data", "freeBlocks", "freeBlocksPct",
    "freeFragments", "freeFragmentsPct", "diskAvailableForAlloc",
)  # fmt: skip


def parse_mmdf(stdout: str, stderr: str = "", *, one_pool: bool = False) -> Parsed[FsSpace]:
    """Parse `mmdf` with any option: `-m`, `-d`, `-F` (inodes alone), `-P` and `--block-size` (see `FsSpace.unit`).

    `one_pool` tells that `-P` was asked, so that no total of the file system is missed.
    """
    return finish(mmdf_steps(stdout, stderr, one_pool=one_pool))


def mmdf_steps(stdout: str, stderr: str = "", *, one_pool: bool = False) -> Steps[FsSpace]:
    """The steps of `parse_mmdf`."""
    reading = Reading(stdout, stderr)
    found = _Found(reading)
    if is_machine(stdout, "mmdf"):
        yield from read_machine(reading, "mmdf", found.tables())
        found.unit = "KB"
    else:
        yield from reading.rows(found.row, found.line)
    reading.rest()
    inodes = found.inode_counts()
    found.tell_missing(one_pool=one_pool)
    space = FsSpace(
        unit=found.unit,
        disks=tuple(found.disks),
        pools=tuple(found.pools),
        data=found.totals.get("data"),
        metadata=found.totals.get("metadata"),
        total=found.totals.get("total"),
        inodes=inodes,
        largest_disk_kb=tuple(found.largest.items()),
    )
    return reading.result(space)


class _Found:
    """What has been read so far."""

    def __init__(self, reading: Reading) -> None:
        self.unit = ""
        self.disks: list[DiskSpace] = []
        self.pools: list[tuple[str, SpaceTotal]] = []
        self.totals: dict[str, SpaceTotal] = {}
        self.largest: dict[str, int] = {}
        self._reading = reading
        self._pool: str | None = None
        self._groups: set[str] = set()
        self._inodes: dict[str, int] = {}
        self._about_inodes = False

    def row(self, text: str) -> bool:
        """Read a disk's row as nearly all are; False for any other line, which `line` then reads."""
        match = None if self._pool is None or self.totals else _PLAIN_DISK.match(text)
        if match is None:
            return False
        nsd, size, group, metadata, data, blocks, blocks_pct, fragments, fragments_pct = match.groups()
        if group not in self._groups:
            if not is_failure_group(group):
                return False
            self._groups.add(group)
        self.disks.append(
            DiskSpace(
                nsd, self._pool or "", int(size), group, metadata == "Yes", data == "Yes", int(blocks), int(blocks_pct),
                int(fragments), int(fragments_pct),
            )
        )  # fmt: skip
        return True

    def line(self, line: Line) -> None:
        """Read a line of the human form that is no plain row of a disk."""
        if self._pool is not None and not self.totals and (match := _DISK.match(line.text)):
            why = self._disk(match, self._pool)
            if why is not None:
                self._reading.problem(line, why)
            return
        text = line.text.strip()
        if not text or is_rule(text):
            return
        if text == "Inode Information":
            self._about_inodes = True
        elif self._about_inodes:
            self._inode_count(line)
        else:
            self._other(line, text)

    def _other(self, line: Line, text: str) -> None:
        if match := _POOL.match(text):
            self._begin_pool(match)
        elif text.startswith(("disk ", "name ")) and (" failure " in text or " group " in text):
            unit = _UNIT.search(" ".join(text.split()))
            self.unit = unit[1] if unit else self.unit
        elif match := _TOTAL.match(text):
            self._total(line, match)
        elif self._pool is None or "total" in self.totals:
            self._reading.note(line)  # footnotes come after the last total
        else:
            self._reading.broken(line, "neither a disk's space nor a total")

    def _begin_pool(self, match: re.Match[str]) -> None:
        self._pool = match[1]
        size = decimal(match[2]) if match[2] else None
        if size is not None:
            self.largest[match[1]] = round(size * _KB[match[3]])

    def _disk(self, match: re.Match[str], pool: str) -> str | None:
        nsd, size, group, metadata_text, data_text, blocks, blocks_pct, fragments, fragments_pct, remark = (
            match.groups()
        )
        metadata, data = yes_no(metadata_text), yes_no(data_text)
        if not is_failure_group(group):
            return "the failure group is not a number or a topology"
        if metadata is None or data is None:
            return "holds metadata and holds data must be Yes or No"
        if remark and not unconfirmed.out_of_use(remark):
            return "neither a disk's space nor a total"
        self.disks.append(
            DiskSpace(
                nsd, pool, int(size), group, metadata, data, int(blocks), int(blocks_pct), int(fragments),
                int(fragments_pct), not remark,
            )
        )  # fmt: skip
        return None

    def _total(self, line: Line, match: re.Match[str]) -> None:
        total = SpaceTotal(int(match[2]), int(match[3]), int(match[5]))
        if match[1] != "pool total":
            self.totals[match[1]] = total
        elif self._pool is None:
            self._reading.problem(line, "a pool's total before any pool")
        else:
            self.pools.append((self._pool, total))

    def _inode_count(self, line: Line) -> None:
        label, colon, value = line.text.strip().lower().partition(":")
        label = label.removesuffix(" in all inode spaces").removeprefix("total ").removeprefix("of ")
        name = _INODE_COUNTS.get(label)
        if name is None or not colon:
            self._reading.note(line)
            return
        count = whole(value.strip())
        if count is None:
            self._reading.problem(line, "not a count of inodes")
        else:
            self._inodes[name] = count

    def tables(self) -> dict[str, Table]:
        """The tables of `-Y`; sizes are in KB."""
        free = ("freeBlocks", "freeFragments")
        return {
            "nsd": Table(_NSD_COLUMNS, self._nsd_record),
            "poolTotal": Table(("poolSize", *free, "poolName", "maxDiskSize"), self._pool_record),
            "data": Table(("totalData", *free), lambda *values: self._total_record("data", *values)),
            "metadata": Table(("totalMetadata", *free), lambda *values: self._total_record("metadata", *values)),
            "fsTotal": Table(("fsSize", *free), lambda *values: self._total_record("total", *values)),
            "inode": Table(("usedInodes", "freeInodes", "allocatedInodes", "maxInodes"), self._inode_record),
        }

    def _nsd_record(
        self, nsd: str, pool: str, size_text: str, group: str, metadata_text: str, data_text: str, *free: str
    ) -> str | None:
        metadata, data = yes_no(metadata_text), yes_no(data_text)
        size, blocks, blocks_percent = whole(size_text), whole(free[0]), whole(free[1])
        fragments, fragments_percent = whole(free[2]), whole(free[3])
        if not nsd or not pool:
            return "a disk needs a name and a storage pool"
        if not is_failure_group(group):
            return "the failure group is not a number or a topology"
        if metadata is None or data is None:
            return "holds metadata and holds data must be Yes or No"
        if size is None or blocks is None or fragments is None or blocks_percent is None or fragments_percent is None:
            return "the sizes are not whole numbers"
        self.disks.append(
            DiskSpace(
                nsd, pool, size, group, metadata, data, blocks, blocks_percent, fragments, fragments_percent,
                unconfirmed.can_allocate(free[4]),
            )
        )  # fmt: skip
        return None

    def _pool_record(self, size: str, blocks: str, fragments: str, pool: str, largest: str) -> str | None:
        total = _space_total(size, blocks, fragments)
        if total is None or not pool:
            return "a pool needs a name and three sizes"
        self.pools.append((pool, total))
        largest_kb = whole(largest)
        if largest_kb is not None:
            self.largest[pool] = largest_kb
        return None

    def _total_record(self, name: str, *sizes: str) -> str | None:
        total = _space_total(*sizes)
        if total is None:
            return "the sizes are not whole numbers"
        self.totals[name] = total
        return None

    def _inode_record(self, *counts: str) -> str | None:
        self._about_inodes = True
        numbers = [whole(count) for count in counts]
        self._inodes = {n: count for n, count in zip(_INODE_COUNTS.values(), numbers, strict=True) if count is not None}
        return None if None not in numbers else "not a count of inodes"

    def inode_counts(self) -> Inodes | None:
        """The four counts of inodes; a problem when only some of them were told."""
        if len(self._inodes) == len(_INODE_COUNTS):
            return Inodes(**self._inodes)
        if self._about_inodes:
            self._reading.missing("not all four counts of inodes")
        return None

    def tell_missing(self, *, one_pool: bool) -> None:
        """Report what no whole answer lacks."""
        if not self.disks and not self.pools and not self.totals:
            if not self._inodes:
                self._reading.missing("no disks and no totals")
            return
        if not self.unit:
            self._reading.missing("no header tells the unit")
        if one_pool and not self.pools:
            self._reading.missing("no row (pool total): the answer may be cut short")
        if not one_pool and "total" not in self.totals:
            self._reading.missing("no row (total): the answer may be cut short")


def _space_total(size_text: str, blocks_text: str, fragments_text: str) -> SpaceTotal | None:
    size, blocks, fragments = whole(size_text), whole(blocks_text), whole(fragments_text)
    if size is None or blocks is None or fragments is None:
        return None
    return SpaceTotal(size, blocks, fragments)
