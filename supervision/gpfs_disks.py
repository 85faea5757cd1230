"""The disks of a GPFS file system as one table: mmlsdisk, mmdf and mmlsnsd joined by the NSD's name."""

from __future__ import annotations

from collections import defaultdict

from remote.gpfs.models import (
    Disk,
    DiskList,
    DiskSpace,
    FsSpace,
    Nsd,
    NsdDevice,
    NsdList,
    Usage,
    decode_volume_id,
)
from supervision import footprint
from supervision.bars import eighths
from supervision.clocktext import local_time
from supervision.filesystem import Fill
from supervision.gpfs_text import UNKNOWN, USAGE_WORDS, folded, percent_text, share, size_text
from supervision.gpfs_view import NOT_ASKED, View, failure_of
from supervision.tables import Cell, Column, Detail, Row, Severity, Table

FULL = 100 * footprint.FULL
"""Percent of a metadata disk from which on it is said to be too full: a restripe still has to write somewhere."""
LEAVING = ("suspended", "to be emptied", "being emptied", "emptied", "replacing")
"""Statuses in which nothing new is written to a disk."""
BROKEN = ("down", "unrecovered")


def disk_severity(disk: Disk, space: DiskSpace | None) -> Severity:
    """How bad it stands with a disk."""
    if disk.availability in BROKEN:
        return Severity.BAD
    if not disk.ready or (space and too_full(space)) or (space and not space.available):
        return Severity.WARNING
    return Severity.NORMAL


def too_full(space: DiskSpace) -> bool:
    """Whether a disk that holds metadata alone is fuller than FULL."""
    if space.usage is not Usage.METADATA_ONLY:
        return False
    used = share(space.used_kb, space.size_kb)
    return used is not None and used > FULL


def fills(view: View) -> tuple[Fill, ...]:
    """The disks that a restripe of metadata fills: those that hold nothing else."""
    if view.space is None or not view.space.exact:
        return ()  # figures that are rounded up would show an empty disk as full
    return tuple(
        Fill(disk.nsd, disk.used_kb, disk.size_kb, group=disk.failure_group)
        for disk in sorted(view.space.disks, key=lambda disk: disk.nsd)
        if disk.usage is Usage.METADATA_ONLY
    )


def disks(view: View) -> Table:
    """One row a disk."""
    facts = view.facts
    values = (view.disks, view.details, view.space, view.devices, facts.get(NsdList), view.cluster, view.state.header)
    columns, rows = view.remember("disks", values, lambda: _table(view))
    failure = failure_of(facts.fact(DiskList), facts.fact(FsSpace))
    return Table(columns, rows, view.at(DiskList), failure)


def _table(view: View) -> tuple[tuple[Column, ...], tuple[Row, ...]]:
    """Columns and rows; of ten thousand rows only those are made again whose status or space is another."""
    rest = (view.details, view.devices, view.facts.get(NsdList), view.cluster, view.state.header)
    known = view.remember("disks by name", rest, lambda: _Disks(view))
    made: dict[str, tuple[Disk, DiskSpace | None, Row]] = view.remember("disk rows", rest, dict)
    return known.table(view.disks, view.space, made)


BAR = 6
"""Cells of a bar, which has eight steps in each: 80 cells show the pool beside it."""


class _Disks:
    """What is known of the disks besides their status and their space, which are asked most often, by NSD."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._exact, self._unit = True, ""
        nsds = view.facts.get(NsdList)
        self._nsds: dict[str, Nsd] = {nsd.nsd: nsd for nsd in nsds.nsds} if nsds else {}
        self._details = {disk.nsd: disk for disk in view.details.disks} if view.details else {}
        self._rows: dict[str, list[NsdDevice]] = defaultdict(list)
        for row in view.devices.rows if view.devices else ():
            self._rows[row.nsd].append(row)
        self._servers_as_text: dict[tuple[str, ...], str] = {}

    def table(
        self,
        listed: DiskList | None,
        space: FsSpace | None,
        made: dict[str, tuple[Disk, DiskSpace | None, Row]],
    ) -> tuple[tuple[Column, ...], tuple[Row, ...]]:
        """Columns and rows; without mmlsdisk there are no rows. `made` keeps the rows for the next time."""
        exact, unit = space is None or space.exact, (space.unit if space else "") or "of an unknown unit"
        before = made.copy() if (exact, unit) == (self._exact, self._unit) else {}
        self._exact, self._unit = exact, unit
        made.clear()
        spaces = {row.nsd: row for row in space.disks} if space else {}
        rows = []
        for disk in listed.disks if listed else ():
            one, its = before.get(disk.nsd), spaces.get(disk.nsd)
            if one is None or one[0] != disk or one[1] != its:
                one = (disk, its, self._row(disk, its))
            made[disk.nsd] = one
            rows.append(one[2])
        return self._columns(len({disk.pool for disk, _, _ in made.values()}) > 1), tuple(rows)

    def _columns(self, many_pools: bool) -> tuple[Column, ...]:
        """What tells whether all is well comes first: 80 cells show that much."""
        unit = "kb" if self._exact else self._unit.lower().replace(" ", "_")
        return (
            Column("nsd", "NSD"),
            Column("state", "state", only="screen"),
            Column("usage", "holds"),
            Column("failure_group", "group", right=True),
            Column("free", "free %", right=True, unit="percent"),
            Column("full", "used", only="screen"),
            Column("servers", "servers", wide=True),
            Column("size", "size", right=True, wide=True, unit=unit),
            Column("free_blocks", "free", right=True, wide=True, unit=unit),
            Column("fragments", "fragments", right=True, wide=True, unit=unit),
            # a second pool says much, a single one nothing
            Column("pool", "pool", wide=not many_pools),
            Column("status", "status", only="file"),
            Column("availability", "avail", only="file"),
        )

    def _row(self, disk: Disk, space: DiskSpace | None) -> Row:
        size = space.size_kb if space else disk.size_kb
        percent = share(space.free_blocks_kb, space.size_kb) if space else None
        cells = (
            Cell(disk.nsd, disk.nsd),
            Cell(f"{disk.status} {disk.availability}"),
            Cell(USAGE_WORDS[disk.usage], USAGE_WORDS[disk.usage]),
            Cell(disk.failure_group, _number(disk.failure_group)),
            Cell(UNKNOWN if percent is None else percent_text(percent), percent),
            _used(percent),
            Cell(self._servers(disk.nsd)),
            self._size(size),
            self._size(space.free_blocks_kb if space else None),
            self._size(space.free_fragments_kb if space else None),
            Cell(disk.pool, disk.pool),
            Cell(disk.status, disk.status),
            Cell(disk.availability, disk.availability),
        )
        return Row(disk.nsd, cells, disk_severity(disk, space), Detail(lambda: self._detail(disk, space)))

    def _size(self, amount: int | None) -> Cell:
        """As people read it; as printed where mmdf was asked in another unit than KB, which rounds up."""
        if amount is None:
            return Cell(UNKNOWN)
        return Cell(size_text(amount) if self._exact else f"{amount:,} {self._unit}", amount)

    def _servers(self, nsd: str) -> str:
        """The servers of a disk; many disks have the same, so each set is folded once."""
        listed = self._nsds.get(nsd)
        names = listed.servers if listed else tuple([row.node for row in self._rows.get(nsd, ())])
        if not names:
            return "directly attached" if listed else NOT_ASKED
        if names not in self._servers_as_text:
            self._servers_as_text[names] = folded(tuple(self._view.label(name) for name in names))
        return self._servers_as_text[names]

    def _detail(self, disk: Disk, space: DiskSpace | None) -> tuple[tuple[str, str], ...]:
        """What is shown of one disk alone, each a label and its text."""
        more = self._details.get(disk.nsd, disk)
        pairs = [
            ("NSD", disk.nsd),
            ("usage", disk.usage.value),
            ("status", f"{disk.status}, {disk.availability}"),
            ("failure group", disk.failure_group),
            ("pool", disk.pool),
            ("sector size", f"{disk.sector_size} bytes"),
        ]
        if space:
            unit = "KB" if self._exact else self._unit
            pairs += [
                ("size", f"{space.size_kb:,} {unit}"),
                ("used", f"{space.used_kb:,} {unit} ({percent_text(share(space.used_kb, space.size_kb)) or UNKNOWN})"),
                ("free blocks", f"{space.free_blocks_kb:,} {unit} ({space.free_blocks_percent} %)"),
                ("free fragments", f"{space.free_fragments_kb:,} {unit} ({space.free_fragments_percent} %)"),
            ]
            if not space.available:
                pairs.append(("allocation", "mmdf marks it as out of use: nothing can be allocated on it"))
        else:
            pairs.append(("space", f"{UNKNOWN}: mmdf was {NOT_ASKED}"))
        pairs += self._identity(disk.nsd)
        pairs += [(label, text) for label, text in (("disk id", more.disk_id), ("disk uid", more.disk_uid)) if text]
        if more.remarks:
            meaning = " (holds a file system descriptor)" if "desc" in more.remarks.split() else ""
            pairs.append(("remarks", more.remarks + meaning))
        return tuple(pairs)

    def _identity(self, nsd: str) -> list[tuple[str, str]]:
        """The volume id, decoded, and which device it is on which server."""
        rows = self._rows.get(nsd, [])
        listed = self._nsds.get(nsd)
        volume = next((row.volume_id for row in rows if row.volume_id), listed.volume_id if listed else "")
        pairs = []
        decoded = decode_volume_id(volume)
        if decoded:
            made = local_time(decoded.created, self._view.state.utc_offset).strftime("%Y-%m-%d %H:%M:%S")
            pairs.append(("volume id", f"{volume}: written by {decoded.address}, {made} local time"))
        elif volume:
            pairs.append(("volume id", volume))
        for row in rows:
            device = row.device if row.found else "NOT FOUND"
            remark = f" ({row.remarks})" if row.remarks else ""
            pairs.append((f"on {self._view.label(row.node)}", f"{device}{remark}"))
        if not rows:
            pairs.append(("devices", f"{UNKNOWN}: mmlsnsd -X was {NOT_ASKED} or does not list it"))
        return pairs


def _number(text: str) -> float | str:
    """A failure group is text (`01`, `1,0,1`), and still sorts as a number where it is one."""
    try:
        return int(text)
    except ValueError:
        return text


def _used(free_percent: float | None) -> Cell:
    """A bar of how full a disk is."""
    if free_percent is None:
        return Cell("")
    used = max(0.0, min(1.0, 1 - free_percent / 100))
    return Cell(eighths(BAR)[round(used * BAR * 8)], used)
