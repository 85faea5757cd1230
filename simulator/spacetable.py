"""`mmdf`: free space per disk, pool, kind and file system, and the inode block, in the forms of the releases."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from simulator import ylines
from simulator.disktables import holds
from simulator.state import Disk, FileSystem

UNITS = {"1K": ("KB", 1), "1M": ("MB", 1 << 10), "1G": ("GB", 1 << 20), "1T": ("TB", 1 << 30)}
"""Block sizes that mmdf accepts here: the unit's name and its size in KB."""

_RULE = f"{'':<15} {'=' * 13} {'':<24}{'=' * 20} {'=' * 19}"


@dataclass(frozen=True)
class _Sum:
    size: int
    blocks: int
    fragments: int


def _sum(disks: Iterable[Disk]) -> _Sum:
    listed = list(disks)
    return _Sum(
        sum(disk.size_kb for disk in listed),
        sum(disk.free_blocks_kb for disk in listed),
        sum(disk.fragments_kb for disk in listed),
    )


def percent(part: int, whole: int) -> int:
    """Percentage, rounded to the nearest; 0 of 0 is 0."""
    return (200 * part + whole) // (2 * whole) if whole else 0


def listing_order(fs: FileSystem, disks: Iterable[Disk]) -> list[Disk]:
    """The order mmdf prints: none that a reader could rely on; the seed's where it is known."""
    known = fs.listing_order
    if any(disk.name not in known for disk in fs.disks):
        known = fs.listing_order_later
    place = {name: index for index, name in enumerate(known)}
    return sorted(disks, key=lambda disk: (place.get(disk.name, len(place)), disk.failure_group, -disk.disk_id))


def _free(part: int, whole: int, factor: int, width: int) -> str:
    # Whatever the unit, the figure is rounded up and the percentage is that of the KB.
    return f"{-(-part // factor)} ({percent(part, whole):>{width}}%)"


def _total(label: str, total: _Sum, factor: int) -> str:
    return (
        f"{label:<15} {-(-total.size // factor):>13} {'':<8} {'':<8} {'':<5} "
        f"{_free(total.blocks, total.size, factor, 3):>20} {_free(total.fragments, total.size, factor, 2):>19}"
    )


def _chosen(fs: FileSystem, only: str, pool: str) -> list[Disk]:
    return [
        disk
        for disk in fs.disks
        if (not only or (disk.holds_metadata if only == "metadata" else disk.holds_data))
        and (not pool or disk.pool == pool)
    ]


def space_table(fs: FileSystem, unit: str, factor: int, only: str = "", *, pool: str = "", wide: bool = False) -> str:
    """The table without the inode block. `only` is `metadata` or `data` for -m and -d, `pool` that of -P.

    `wide`: the heading of 5.0 and later, whose rows have no blank at their end.
    """
    wanted = _chosen(fs, only, pool)
    free = f"free in {unit}" if wide else f"free {unit}"
    lines = [
        f"disk                disk size  failure holds    holds {free:>20} {free:>19}",
        f"{'name':<15} {f'in {unit}':>13}    group metadata data        in full blocks        in fragments",
        "--------------- ------------- -------- -------- ----- -------------------- -------------------",
    ]
    for each in fs.pools:
        listed = listing_order(fs, (disk for disk in wanted if disk.pool == each))
        if not listed:
            continue
        lines.append(f"Disks in storage pool: {each} (Maximum disk size allowed is {fs.max_disk_size})")
        for disk in listed:
            metadata, data = holds(disk)
            mark = "" if disk.accepts else "*"
            lines.append(
                f"{disk.name:<15} {-(-disk.size_kb // factor):>13} {disk.failure_group:>8} {metadata:<8} {data:<5} "
                f"{_free(disk.free_blocks_kb, disk.size_kb, factor, 3):>20} "
                f"{_free(disk.fragments_kb, disk.size_kb, factor, 2):>19}{' ' if mark or not wide else ''}{mark}"
            )
        lines.append(_RULE.replace("=", "-"))
        lines.append(_total("(pool total)", _sum(listed), factor))
        lines.append("")
    if pool:
        return "\n".join(lines) + "\n"
    lines.append(_RULE)
    if _mixed(fs):
        data_sum, metadata_sum = _kinds(wanted, only)
        lines += [_total("(data)", data_sum, factor), _total("(metadata)", metadata_sum, factor), _RULE]
    lines.append(_total("(total)", _sum(wanted), factor))
    return "\n".join(lines) + "\n"


def _mixed(fs: FileSystem) -> bool:
    return len({disk.usage for disk in fs.disks}) > 1 or len(fs.pools) > 1


def _kinds(disks: list[Disk], only: str) -> tuple[_Sum, _Sum]:
    """Sums of what holds data and of what holds metadata."""
    nothing = _Sum(0, 0, 0)
    data = nothing if only == "metadata" else _sum(disk for disk in disks if disk.holds_data)
    return data, nothing if only == "data" else _sum(disk for disk in disks if disk.holds_metadata)


def space_y(fs: FileSystem, only: str = "", pool: str = "", *, inodes: bool = True, disks: bool = True) -> str:
    """`mmdf -Y`: sizes in KB, percentages bare, all headers first."""
    name = "mmdf"
    free = ("freeBlocks", "freeBlocksPct", "freeFragments", "freeFragmentsPct")
    text = ylines.header(
        name,
        "nsd",
        ("nsdName", "storagePool", "diskSize", "failureGroup", "metadata", "data", *free, "diskAvailableForAlloc"),
    )
    text += ylines.header(name, "poolTotal", ("poolName", "poolSize", *free, "maxDiskSize"))
    text += ylines.header(name, "data", ("totalData", *free))
    text += ylines.header(name, "metadata", ("totalMetadata", *free))
    text += ylines.header(name, "fsTotal", ("fsSize", *free))
    text += ylines.header(name, "inode", ("usedInodes", "freeInodes", "allocatedInodes", "maxInodes"))
    wanted = _chosen(fs, only, pool) if disks else []
    for disk in wanted:
        cells = _cells(_Sum(disk.size_kb, disk.free_blocks_kb, disk.fragments_kb))
        metadata, data = holds(disk)
        text += ylines.row(
            name,
            "nsd",
            (
                *(disk.name, disk.pool, cells[0], disk.failure_group, metadata, data, *cells[1:]),
                "" if disk.accepts else "No",
            ),
        )
    for each in fs.pools:
        if listed := [disk for disk in wanted if disk.pool == each]:
            text += ylines.row(name, "poolTotal", (each, *_cells(_sum(listed)), max(disk.size_kb for disk in listed)))
    if disks and not pool:
        if _mixed(fs):
            data_sum, metadata_sum = _kinds(wanted, only)
            text += ylines.row(name, "data", _cells(data_sum)) + ylines.row(name, "metadata", _cells(metadata_sum))
        text += ylines.row(name, "fsTotal", _cells(_sum(wanted)))
    if inodes:
        counts = fs.inodes
        text += ylines.row(name, "inode", (counts.used, counts.free, counts.allocated, counts.maximum))
    return text


def _cells(total: _Sum) -> tuple[int, int, int, int, int]:
    return (
        total.size,
        total.blocks,
        percent(total.blocks, total.size),
        total.fragments,
        percent(total.fragments, total.size),
    )


def inode_block(fs: FileSystem) -> str:
    """The inode information, in the wording for one inode space or for several."""
    heading = "Inode Information\n-----------------\n"
    counts = fs.inodes
    if fs.inode_spaces == 1:
        one = (
            ("Number of used inodes:", counts.used),
            ("Number of free inodes:", counts.free),
            ("Number of allocated inodes:", counts.allocated),
            ("Maximum number of inodes:", counts.maximum),
        )
        return heading + "".join(f"{text:<27}{count:>12}\n" for text, count in one)
    rows = (
        ("Total number of used inodes in all Inode spaces:", counts.used),
        ("Total number of free inodes in all Inode spaces:", counts.free),
        ("Total number of allocated inodes in all Inode spaces:", counts.allocated),
        ("Total of Maximum number of inodes in all Inode spaces:", counts.maximum),
    )
    return heading + "".join(f"{text:<54} {count:>12}\n" for text, count in rows)
