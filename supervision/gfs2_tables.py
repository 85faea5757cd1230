"""A GFS2 file system in a few lines, its resource groups, its device, and the block devices of its hosts."""

from __future__ import annotations

from remote.gfs2.models import ResourceGroup
from remote.linux.models import BlockDevices
from supervision.facts import Fact
from supervision.figures import UNKNOWN, percent_text, share, size_text
from supervision.gfs2_nodes import mounted_line
from supervision.gfs2_view import GFS2, View
from supervision.tables import Cell, Column, Line, Row, Severity, Table

_NOLOCK = "lock_nolock"
_FILLED = (
    (100.0, "full"),
    (90.0, "90 % and more"),
    (50.0, "50 to 90 %"),
    (10.0, "10 to 50 %"),
    (0.0, "less than 10 %"),
)
"""How full resource groups are, the fullest first: a large file system has fifty thousand of them."""
_TOLD_BY = {"rgs": "by its resource groups", "statfs": "by its statfs file, which may be behind"}
_GROUPS = (
    Column("filled", "used"),
    Column("groups", "groups", right=True),
    Column("size", "size", right=True, unit="kb"),
    Column("free", "free", right=True, unit="kb"),
    Column("dinodes", "dinodes", right=True),
)
_DEVICE = (
    Column("device", "device"),
    Column("holds", "holds"),
    Column("size", "size", right=True, unit="kb"),
    Column("free", "free", right=True, unit="kb"),
    Column("percent", "free %", right=True),
    Column("dinodes", "dinodes", right=True),
)
_DEVICES = (
    Column("host", "host"),
    Column("name", "name"),
    Column("type", "type"),
    Column("size", "size", right=True, unit="kb"),
    Column("holds", "holds"),
    Column("mounted", "mounted at"),
    Column("model", "model", wide=True),
    Column("serial", "serial", wide=True),
)


def facts(view: View) -> tuple[Line, ...]:
    """What the file system is, each with its age. Nothing at all while nothing was asked."""
    return (*_of_superblock(view), *mounted_line(view), *_of_blocks(view))


def _of_superblock(view: View) -> list[Line]:
    sb, at = view.superblock, view.at("sb")
    if sb is None or sb.block_size is None:
        return []
    form = "" if sb.fs_format is None else f", format {sb.fs_format}"
    lines = [
        Line("Device", f"{view.device} on {view.entry}", at=view.at("blkid") or at),
        Line("Block size", f"{_block_size(sb.block_size)}{form}", at=at),
    ]
    if sb.lock_protocol == _NOLOCK:
        lines.append(Line("Lock table", f"none ({_NOLOCK}): for one node alone", at=at))
    elif sb.lock_protocol:
        lines.append(Line("Lock table", f"{sb.lock_table or UNKNOWN} ({sb.lock_protocol})", at=at))
    if sb.uuid:
        lines.append(Line("UUID", sb.uuid, at=at))
    return lines


def _block_size(size: int) -> str:
    """Blocks may be of 512 bytes, which are no whole KiB."""
    return size_text(size / 1024) if size >= 1024 else f"{size} bytes"


def _of_blocks(view: View) -> list[Line]:
    lines: list[Line] = []
    if used := view.used:
        done, whole, by = used
        text = f"{done:,} of {whole:,} blocks used, {percent_text(share(done, whole))}, {_TOLD_BY[by]}"
        lines.append(Line("Space", text, at=view.at(by)))
    groups, at = view.groups, view.at("rgs")
    if groups:
        if groups.dinodes is None:
            told = UNKNOWN if groups.told is None else f"{groups.told:,}"
            text = f"{len(groups.groups):,} are there of {told}: the list is not whole, so nothing is added up"
            lines.append(Line("Groups", text, Severity.WARNING, "Ask again (R)", at))
        else:
            lines += [
                Line("Groups", f"{len(groups.groups):,}", at=at),
                Line("Dinodes", f"{groups.dinodes:,}", at=at),
                Line(
                    "savemeta saves", f"at least {groups.saved_at_least:,} blocks; how many more, nobody knows", at=at
                ),
            ]
    elif statfs := view.statfs:
        lines.append(Line("Dinodes", f"{statfs.dinodes or 0:,}, {_TOLD_BY['statfs']}", at=view.at("statfs")))
    return lines


def pools(view: View) -> Table:
    """The resource groups by how full they are."""
    fact, groups, sb = view.fact("rgs"), view.groups, view.superblock
    failure = _failure(fact)
    if groups is None:
        return Table(_GROUPS, failure=failure)
    classes: dict[str, list[ResourceGroup]] = {}
    for group in groups.groups:
        classes.setdefault(_filled(group), []).append(group)
    rows = []
    for word in (*(word for _, word in _FILLED), UNKNOWN):
        if of_class := classes.get(word):
            rows.append(_group_row(word, of_class, sb.block_size if sb else None))
    return Table(_GROUPS, tuple(rows), view.at("rgs"), failure)


def _filled(group: ResourceGroup) -> str:
    """How full a resource group is, in words."""
    if not group.data:
        return UNKNOWN
    used = 100.0 * max(0, group.data - group.free) / group.data
    return next(word for least, word in _FILLED if used >= least)


def _group_row(word: str, groups: list[ResourceGroup], block_size: int | None) -> Row:
    data = None if any(group.data is None for group in groups) else sum(group.data or 0 for group in groups)
    free, dinodes = sum(group.free for group in groups), sum(group.dinodes for group in groups)
    cells = (
        Cell(word),
        Cell(f"{len(groups):,}", len(groups)),
        _size_cell(data, block_size),
        _size_cell(free, block_size),
        Cell(f"{dinodes:,}", dinodes),
    )
    return Row(word, cells)


def _size_cell(blocks: int | None, block_size: int | None) -> Cell:
    if blocks is None or block_size is None:
        return Cell(UNKNOWN)
    kb = blocks * block_size / 1024
    return Cell(size_text(kb), kb)


def disks(view: View) -> Table:
    """The one device, with what it holds."""
    asked = [view.fact(what) for what in ("blkid", "sb", "rgs")]
    failure = next((text for fact in asked if (text := _failure(fact))), "")
    at = min((fact.at for fact in asked[:2] if fact and fact.parsed), default=None)
    if at is None:
        return Table(_DEVICE, failure=failure)
    probed, sb, used, groups = view.probed, view.superblock, view.used, view.groups
    block_size = sb.block_size if sb else None
    free = used[1] - used[0] if used else None
    dinodes = groups.dinodes if groups else None
    percent = share(free, used[1]) if used and free is not None else None
    holds = probed.kind if probed else "nothing that blkid knows" if view.at("blkid") is not None else UNKNOWN
    cells = (
        Cell(view.device),
        Cell(holds),
        _size_cell(used[1] if used else None, block_size),
        _size_cell(free, block_size),
        Cell(percent_text(percent) or UNKNOWN, percent),
        Cell(UNKNOWN if dinodes is None else f"{dinodes:,}", dinodes),
    )
    detail = [("host", view.entry)]
    if sb:
        detail += [("block size", f"{sb.block_size:,} bytes"), ("lock table", sb.lock_table or sb.lock_protocol)]
        detail += [("uuid", sb.uuid)]
    severity = Severity.NORMAL if probed and probed.kind == GFS2 else Severity.WARNING
    return Table(_DEVICE, (Row(view.device, cells, severity, tuple(detail)),), at, failure)


def devices(view: View) -> Table:
    """The block devices of all hosts, as lsblk tells them."""
    rows: list[Row] = []
    asked: list[float] = []
    failures: list[str] = []
    for host in view.hosts:
        fact = view.state.facts.get(f"devices {host}")
        told = fact.parsed.model if fact and fact.parsed else None
        failures += [f"{host}: {fact.failure}"] if fact and fact.failure else []
        if fact is None or not isinstance(told, BlockDevices):
            continue
        asked.append(fact.at)
        for device in told.devices:
            kb = device.size_bytes / 1024
            cells = (
                Cell(host),
                Cell(device.name),
                Cell(device.type),
                Cell(size_text(kb), kb),
                Cell(device.fstype),
                Cell(device.mountpoint),
                Cell(device.model),
                Cell(device.serial),
            )
            rows.append(Row(f"{host} {device.kname}", cells))
    return Table(_DEVICES, tuple(rows), min(asked, default=None), "; ".join(failures))


def _failure(fact: Fact | None) -> str:
    return f"{fact.command}: {fact.failure}" if fact and fact.failure else ""
