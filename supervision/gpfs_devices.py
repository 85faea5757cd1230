"""The block devices of all hosts by their role: which NSD, free, or in use, and where names differ for one role.

Equal roles stand together over all hosts, so that a name which means the boot disk on one of them is seen at once.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import msgspec

from remote.gpfs.models import NsdDevice, NsdDevices
from remote.linux.models import BlockDevice, BlockDevices
from supervision.gpfs_text import UNKNOWN, natural, size_text
from supervision.gpfs_view import View, failure_of
from supervision.tables import Cell, Column, Row, Severity, Table

COLUMNS = (
    Column("role", "role"),
    Column("host", "host"),
    Column("name", "name"),
    Column("drift", "drift"),
    Column("size", "size", right=True),
    Column("kind", "kind"),
    Column("use", "use"),
    Column("model", "model", wide=True),
    Column("serial", "serial", wide=True),
    Column("identity", "identity", wide=True),
)
DRIFT = "≠ name"
"""The mark of a role that has another name on another host."""
_ORDER = ("NSD", "free", "in use", UNKNOWN, "path", "other")
_SHOWN = ("disk", "mpath")
"""Types with a row of their own; partitions, RAIDs and volumes stand in the detail of what they lie on."""


class _Device(msgspec.Struct):
    """A device of a host with what it is for. `rank` counts the equal ones of a host from 1."""

    host: str
    block: BlockDevice
    group: str
    use: str
    nsd: str = ""
    reasons: tuple[str, ...] = ()
    rank: int = 1
    drift: str = ""

    @property
    def kind(self) -> str:
        """By the kernel's guess, which is often wrong behind RAID controllers."""
        return {True: "HDD", False: "SSD", None: "?"}[self.block.rotational]

    @property
    def alike(self) -> tuple[str, str, int, str]:
        """What devices of one role have in common."""
        return (self.group, self.kind, self.block.size_bytes, self.block.model)


def devices(view: View) -> Table:
    """Every disk and multipath map of every host."""
    facts = [view.facts.fact(BlockDevices, host) for host in view.hosts]
    known = [fact.at for fact in facts if fact and fact.parsed]
    found: list[_Device] = []
    missing: list[Row] = []
    for host in view.hosts:
        seen = view.block_devices(host)
        if seen is not None:
            mine, lost = _of_host(view, host, seen)
            found += mine
            missing += lost
    _rank(found)
    _mark_drift(found)
    found.sort(key=_place)
    keys = Counter((device.host, device.block.identity) for device in found)
    rows = [_row(device, keys[device.host, device.block.identity] == 1) for device in found]
    failure = failure_of(*facts, view.facts.fact(NsdDevices))
    # the oldest look is the age of the whole: a choice rests on all of it
    return Table(COLUMNS, (*missing, *rows), min(known, default=None), failure)


def _of_host(view: View, host: str, seen: BlockDevices) -> tuple[list[_Device], list[Row]]:
    """The devices of a host, and the NSDs that it should have and that lead to none of them."""
    table = view.devices
    rows = [row for row in table.rows if row.node == view.node_name(host)] if table else []
    by_name = {row.device.rpartition("/")[2]: row for row in rows if row.found}
    found = []
    matched: set[str] = set()
    for block in seen.devices:
        if block.type in _SHOWN:
            row = by_name.get(block.kname) or by_name.get(block.name)
            if row:
                matched.add(row.nsd)
            found.append(_device(host, block, seen, row, asked=table is not None))
    lost = [_lost(host, row) for row in rows if row.nsd not in matched and not _on_other(row, seen)]
    return found, lost


def _on_other(row: NsdDevice, seen: BlockDevices) -> bool:
    """Whether an NSD lies on a device that has no row of its own, such as a partition or a RAID."""
    name = row.device.rpartition("/")[2]
    return row.found and any(name in (block.kname, block.name) for block in seen.devices)


def _device(host: str, block: BlockDevice, seen: BlockDevices, row: NsdDevice | None, *, asked: bool) -> _Device:
    reasons = seen.in_use(block.kname)
    if row:
        return _Device(host, block, "NSD", row.nsd, row.nsd, reasons)
    maps = [child.name for child in seen.children(block.kname) if child.type == "mpath"]
    if maps:
        return _Device(host, block, "path", f"path of {', '.join(maps)}", reasons=reasons)
    if reasons:
        return _Device(host, block, "in use", _loudest(reasons), reasons=reasons)
    if not asked:
        return _Device(host, block, UNKNOWN, "mmlsnsd -X not asked")
    return _Device(host, block, "free", "free")


def _loudest(reasons: tuple[str, ...]) -> str:
    """The reason that says most: what is mounted, else swap, else the first."""
    for word in ("mounted on", "used as swap"):
        found = [reason for reason in reasons if word in reason]
        if found:
            return (
                "mounted on " + min((reason.rpartition(" ")[2] for reason in found), key=len)
                if word[0] == "m"
                else "swap"
            )
    return reasons[0]


def _rank(found: list[_Device]) -> None:
    """Number the equal devices of each host, NSDs by their names and others by their device's."""
    groups: dict[tuple[str, tuple[str, str, int, str]], list[_Device]] = defaultdict(list)
    for device in found:
        groups[device.host, device.alike].append(device)
    for group in groups.values():
        group.sort(key=lambda device: natural(device.nsd or device.block.name))
        for number, device in enumerate(group, 1):
            device.rank = number


def _mark_drift(found: list[_Device]) -> None:
    """Mark roles whose devices have different names on different hosts.

    A disk that several hosts see is compared with itself, by identity and size; all others with those of the same
    number among their equals.
    """
    shared: dict[tuple[str, int], list[_Device]] = defaultdict(list)
    for device in found:
        if device.block.identity and device.group != "path":
            shared[device.block.identity, device.block.size_bytes].append(device)
    roles: dict[tuple[object, ...], list[_Device]] = defaultdict(list)
    for device in found:
        same = shared.get((device.block.identity, device.block.size_bytes), [])
        if len({other.host for other in same}) > 1:
            roles["identity", device.block.identity, device.block.size_bytes].append(device)
        elif device.group != "path":
            roles["role", device.alike, device.rank].append(device)
    for role in roles.values():
        if len({device.block.name for device in role}) > 1 and len({device.host for device in role}) > 1:
            for device in role:
                others = sorted((other.host, other.block.name) for other in role if other is not device)
                if any(name != device.block.name for _, name in others):
                    device.drift = ", ".join(f"{name} on {host}" for host, name in others[:8])


def _place(device: _Device) -> tuple[object, ...]:
    group = _ORDER.index(device.group) if device.group in _ORDER else len(_ORDER)
    return (group, device.kind, -device.block.size_bytes, device.block.model, device.rank, natural(device.host))


def _row(device: _Device, unique: bool) -> Row:
    block = device.block
    role = f"{device.group} {device.kind} #{device.rank}"
    identity = block.identity
    cells = (
        Cell(role, f"{_ORDER.index(device.group)} {device.kind} {block.size_bytes:020d} {device.rank:06d}"),
        Cell(device.host, device.host),
        Cell(block.name, block.name),
        Cell(DRIFT if device.drift else ""),
        Cell(size_text(block.size_bytes / 1024), block.size_bytes),
        Cell(device.kind),
        Cell(device.use),
        Cell(block.model),
        Cell(block.serial),
        Cell(identity or "none: neither WWN nor serial"),
    )
    # the row follows the disk and not its name, which may be another one after a boot
    key = f"{device.host} {identity}" if identity and unique else f"{device.host} {identity} {block.kname}"
    return Row(key, cells, Severity.NOTE if device.drift else Severity.NORMAL, _detail(device))


def _detail(device: _Device) -> tuple[tuple[str, str], ...]:
    block = device.block
    rotating = {True: "rotating", False: "not rotating", None: "rotation not known"}[block.rotational]
    pairs = [
        ("host", device.host),
        ("name", f"{block.name} at this boot"),
        ("identity", block.identity or "none: it has neither a WWN nor a serial number"),
        ("serial", block.serial),
        ("model", " ".join(part for part in (block.vendor, block.model) if part)),
        ("size", f"{block.size_bytes:,} bytes ({size_text(block.size_bytes / 1024)})"),
        ("kind", f"{rotating} (the kernel's guess), {block.transport or 'transport not known'}"),
        ("sectors", f"{block.logical_sector or '?'} bytes, physically {block.physical_sector or '?'}"),
        ("place", block.hctl),
        ("state", block.state),
        ("NSD", device.nsd),
    ]
    if device.group == "free":
        pairs.append(("use", "free: no mount, partition, signature or NSD is known. That does not prove it empty"))
    elif not device.nsd:
        pairs.append(("use", device.use))
    pairs += [("in use", reason) for reason in device.reasons]
    if device.drift:
        pairs.append(("same role", device.drift))
    return tuple((label, text) for label, text in pairs if text)


def _lost(host: str, row: NsdDevice) -> Row:
    """An NSD of which its server sees no device."""
    texts = {"role": "NSD MISSING", "host": host, "name": row.device or "-", "use": row.nsd}
    cells = tuple(Cell(texts.get(column.id, "")) for column in COLUMNS)
    detail = (
        ("NSD", row.nsd),
        ("volume id", row.volume_id),
        ("device", f"mmlsnsd -X says {row.device or '-'} {row.remarks}; lsblk on {host} does not show it"),
    )
    return Row(f"{host} nsd {row.nsd}", cells, Severity.WARNING, detail)
