"""The file system in a few lines, its pools, and sums over its disks by what they hold and where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import msgspec

from remote.gpfs.models import Cluster, DiskSpace, FileSystem, FsSpace, SpaceTotal, Usage
from supervision.gpfs_text import UNKNOWN, USAGE_WORDS, natural, percent_text, share, size_text
from supervision.gpfs_view import View, cost_of, failure_of
from supervision.tables import Cell, Column, Line, Row, Severity, Table

_SPACE = (
    Column("size", "size", right=True),
    Column("used", "used", right=True),
    Column("free", "free", right=True),
    Column("percent", "free %", right=True),
)


class _Sum(msgspec.Struct):
    """A sum over disks, in KB; grows while it is made."""

    disks: int = 0
    size: int = 0
    blocks: int = 0
    fragments: int = 0
    both: int = 0

    def add(self, disk: DiskSpace) -> None:
        """Count a disk."""
        self.disks += 1
        self.size += disk.size_kb
        self.blocks += disk.free_blocks_kb
        self.fragments += disk.free_fragments_kb
        self.both += disk.usage is Usage.DATA_AND_METADATA

    @property
    def total(self) -> SpaceTotal:
        """The sum as mmdf has it."""
        return SpaceTotal(self.size, self.blocks, self.fragments)


def facts(view: View) -> tuple[Line, ...]:
    """What the file system is, each with its age. Nothing at all while nothing was asked."""
    lines: list[Line] = []
    fs, at = view.file_system, view.at(FileSystem)
    if view.cluster:
        nodes = f"{view.cluster.name}, {len(view.cluster.nodes)} nodes"
        lines.append(Line("Cluster", nodes, at=view.at(Cluster)))
    if fs:
        lines.append(Line("Version", fs.version or UNKNOWN, at=at))
        block = UNKNOWN if fs.block_size is None else size_text(fs.block_size / 1024)
        inode = UNKNOWN if fs.inode_size is None else f"{fs.inode_size:,} bytes"
        lines.append(Line("Block size", f"{block}, inodes of {inode}", at=at))
        lines.append(Line("Replicas", _replicas(fs), at=at))
    inodes, asked = (view.space.inodes, view.at(FsSpace)) if view.space else (None, None)
    if inodes:
        used, allocated = share(inodes.used, inodes.allocated), share(inodes.allocated, inodes.maximum)
        lines += [
            Line("Inodes used", f"{inodes.used:,}, {percent_text(used) or UNKNOWN} of the allocated", at=asked),
            Line("  allocated", f"{inodes.allocated:,}, {percent_text(allocated) or UNKNOWN} of the maximum", at=asked),
            Line("  maximum", f"{inodes.maximum:,}", at=asked),
        ]
    elif fs:
        lines.append(Line("Inodes used", f"{UNKNOWN}: mmdf has not told them", at=asked))
    return tuple(lines)


def _replicas(fs: FileSystem) -> str:
    def word(count: int | None) -> str:
        return "?" if count is None else str(count)

    metadata, data = (fs.metadata_replicas, fs.max_metadata_replicas), (fs.data_replicas, fs.max_data_replicas)
    return f"metadata -m {word(metadata[0])} (-M {word(metadata[1])}), data -r {word(data[0])} (-R {word(data[1])})"


def pools(view: View) -> Table:
    """The use of each pool by what its disks may hold; the parts of a pool never overlap, so they add up."""
    columns = (Column("pool", "pool"), Column("holds", "holds"), Column("disks", "disks", right=True), *_SPACE)
    rows = view.remember("pools", (view.space,), lambda: _pools(view))
    return Table(columns, rows, view.at(FsSpace), failure_of(view.facts.fact(FsSpace)))


def _pools(view: View) -> tuple[Row, ...]:
    rows: list[Row] = []
    if view.space:
        parts: dict[tuple[str, Usage], _Sum] = defaultdict(_Sum)
        for disk in view.space.disks:
            parts[disk.pool, disk.usage].add(disk)
        told = dict(view.space.pools)
        for pool in sorted({*told, *(pool for pool, _ in parts)}, key=natural):
            mine = {usage: part for (name, usage), part in parts.items() if name == pool}
            for usage in (usage for usage in Usage if usage in mine):
                part = mine[usage]
                rows.append(_row(f"{pool}/{usage.value}", (pool, USAGE_WORDS[usage]), part.disks, part.total, view))
            if len(mine) != 1 and pool in told:
                disks = sum(part.disks for part in mine.values())
                rows.append(_row(f"{pool}/", (pool, "all"), disks, told[pool], view))
        if len(told) != 1 and view.space.total:
            rows.append(_row("/", ("all pools", "all"), len(view.space.disks), view.space.total, view))
    return tuple(rows)


def totals(view: View) -> Table:
    """Metadata and data by pool and failure group.

    A disk that holds both counts under both, so metadata and data do not add up to the whole, which comes last.
    """
    columns = (
        Column("holds", "for"),
        Column("pool", "pool"),
        Column("group", "group", right=True),
        Column("disks", "disks", right=True),
        *_SPACE,
        Column("shared", "shared", wide=True),
    )
    rows = view.remember("totals", (view.space,), lambda: _totals(view))
    fact = view.facts.fact(FsSpace)
    return Table(columns, rows, view.at(FsSpace), failure_of(fact), cost=cost_of(fact))


def _totals(view: View) -> tuple[Row, ...]:
    rows: list[Row] = []
    if view.space:
        for holds in ("metadata", "data"):
            mine = [disk for disk in view.space.disks if (disk.metadata if holds == "metadata" else disk.data)]
            rows += _by_group(holds, mine, view)
            told = view.space.metadata if holds == "metadata" else view.space.data
            if mine:
                added = _added(mine)
                shared = f"{added.both} disks hold both" if added.both else ""
                rows.append(_row(f"{holds}//", (holds, "all", "all"), added.disks, told or added.total, view, shared))
        if view.space.total:
            disks = len(view.space.disks)
            rows.append(_row("//", ("all", "all", "all"), disks, view.space.total, view, ""))
    return tuple(rows)


def _by_group(holds: str, disks: Iterable[DiskSpace], view: View) -> list[Row]:
    groups: dict[tuple[str, str], _Sum] = defaultdict(_Sum)
    for disk in disks:
        groups[disk.pool, disk.failure_group].add(disk)
    return [
        _row(
            f"{holds}/{pool}/{group}",
            (holds, pool, group),
            groups[pool, group].disks,
            groups[pool, group].total,
            view,
            f"{groups[pool, group].both} disks hold both" if groups[pool, group].both else "",
        )
        for pool, group in sorted(groups, key=lambda key: (natural(key[0]), natural(key[1])))
    ]


def _added(disks: Iterable[DiskSpace]) -> _Sum:
    added = _Sum()
    for disk in disks:
        added.add(disk)
    return added


def _row(key: str, words: tuple[str, ...], disks: int, total: SpaceTotal, view: View, *more: str) -> Row:
    unit = view.space.unit if view.space else ""
    exact = unit == "KB"

    def size(amount: int) -> Cell:
        return Cell(size_text(amount) if exact else f"{amount:,} {unit or '(unit unknown)'}", amount)

    percent = share(total.free_blocks_kb, total.size_kb)
    cells = (
        *(Cell(word, int(word) if word.isdigit() and len(word) < 16 else word) for word in words),
        Cell(f"{disks:,}", disks),
        size(total.size_kb),
        size(total.used_kb),
        size(total.free_blocks_kb),
        Cell(percent_text(percent), percent),
        *(Cell(text) for text in more),
    )
    detail = (
        ("size", f"{total.size_kb:,} {unit}"),
        ("used", f"{total.used_kb:,} {unit}"),
        ("free blocks", f"{total.free_blocks_kb:,} {unit}"),
        ("free fragments", f"{total.free_fragments_kb:,} {unit} (only small files and directories can use them)"),
    )
    return Row(key, cells, Severity.NORMAL, detail)
