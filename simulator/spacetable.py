"""`mmdf` of GPFS 3.5: free space per disk, pool, kind and file system, and the inode block."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from simulator.state import Disk, FileSystem
from simulator.tables import holds

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


def space_table(fs: FileSystem, unit: str, factor: int, only: str = "") -> str:
    """The table without the inode block. `only` is `metadata` or `data` for the options -m and -d."""
    wanted = [disk for disk in fs.disks if not only or (disk.holds_metadata if only == "metadata" else disk.holds_data)]
    lines = [
        f"disk                disk size  failure holds    holds {f'free {unit}':>20} {f'free {unit}':>19}",
        f"{'name':<15} {f'in {unit}':>13}    group metadata data        in full blocks        in fragments",
        "--------------- ------------- -------- -------- ----- -------------------- -------------------",
    ]
    pools = list(dict.fromkeys(disk.pool for disk in fs.disks))
    for pool in pools:
        listed = listing_order(fs, (disk for disk in wanted if disk.pool == pool))
        if not listed:
            continue
        lines.append(f"Disks in storage pool: {pool} (Maximum disk size allowed is {fs.max_disk_size})")
        for disk in listed:
            metadata, data = holds(disk)
            lines.append(
                f"{disk.name:<15} {-(-disk.size_kb // factor):>13} {disk.failure_group:>8} {metadata:<8} {data:<5} "
                f"{_free(disk.free_blocks_kb, disk.size_kb, factor, 3):>20} "
                f"{_free(disk.fragments_kb, disk.size_kb, factor, 2):>19} "
            )
        lines.append(_RULE.replace("=", "-"))
        lines.append(_total("(pool total)", _sum(listed), factor))
        lines.append("")
    lines.append(_RULE)
    if len({disk.usage for disk in fs.disks}) > 1 or len(pools) > 1:
        nothing = _Sum(0, 0, 0)
        data_sum = nothing if only == "metadata" else _sum(disk for disk in wanted if disk.holds_data)
        metadata_sum = nothing if only == "data" else _sum(disk for disk in wanted if disk.holds_metadata)
        lines += [_total("(data)", data_sum, factor), _total("(metadata)", metadata_sum, factor), _RULE]
    lines.append(_total("(total)", _sum(wanted), factor))
    return "\n".join(lines) + "\n"


def inode_block(fs: FileSystem) -> str:
    """The inode information, in the wording for several inode spaces."""
    rows = (
        ("Total number of used inodes in all Inode spaces:", fs.inodes.used),
        ("Total number of free inodes in all Inode spaces:", fs.inodes.free),
        ("Total number of allocated inodes in all Inode spaces:", fs.inodes.allocated),
        ("Total of Maximum number of inodes in all Inode spaces:", fs.inodes.maximum),
    )
    return "Inode Information\n-----------------\n" + "".join(f"{text:<54} {count:>12}\n" for text, count in rows)
