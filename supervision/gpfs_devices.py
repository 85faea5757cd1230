"""The block devices of all hosts as one table, equal roles together.

So a name that means the boot disk on one host and an SSD on the others is seen at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from remote.gpfs.models import NsdDevice, NsdDevices
from remote.linux.models import BlockDevices
from supervision.gpfs_roles import GROUPS, NOT_UNIQUE, Device, of_host, settle
from supervision.gpfs_text import natural, size_text
from supervision.gpfs_view import View, failure_of, good_at
from supervision.tables import Cell, Column, Detail, Row, Severity, Table

COLUMNS = (
    Column("role", "role"),
    Column("host", "host"),
    Column("name", "name"),
    Column("drift", "drift"),
    Column("size", "size", right=True, unit="bytes"),
    Column("kind", "kind"),
    Column("use", "use"),
    Column("model", "model", wide=True),
    Column("serial", "serial", wide=True),
    Column("identity", "identity", wide=True),
)
DRIFT = "≠ name"
"""The mark of a role that has another name on another host."""


def devices(view: View) -> Table:
    """Every disk and multipath map of every host that was asked."""
    known = [at for host in view.hosts if (at := good_at(view.facts.fact(BlockDevices, host))) is not None]
    seen = {host: view.block_devices(host) for host in view.hosts}
    rows = view.remember("devices", (view.devices, view.cluster, *seen.values()), lambda: _rows(view, seen))
    # the oldest look is the age of the whole: a choice rests on all of it
    return Table(COLUMNS, rows, min(known, default=None), _failure(view))


def _rows(view: View, hosts: Mapping[str, BlockDevices | None]) -> tuple[Row, ...]:
    """NSDs without a device first, then every device by its role."""
    found: list[Device] = []
    missing: list[Row] = []
    for host, seen in hosts.items():
        if seen is not None:
            rows = view.nsds_by_node.get(view.node_name(host), ())
            mine, lost = of_host(host, seen, rows, asked=view.devices is not None)
            found += mine
            missing += (_missing(host, row) for row in lost)
    settle(found)
    found.sort(key=_place)
    # the row follows the disk and not its name, which may be another one after a boot; paths are called as their map
    counts = Counter((device.host, device.identity) for device in found if device.group != "path" and device.identity)
    once = {key for key, count in counts.items() if count == 1}
    return (
        *missing,
        *(_row(device, unique=device.group != "path" and (device.host, device.identity) in once) for device in found),
    )


def _failure(view: View) -> str:
    """What is missing or could not be asked again."""
    facts = [view.facts.fact(BlockDevices, host) for host in view.hosts]
    texts = [failure_of(view.facts.fact(NsdDevices))]
    texts += [f"{fact.host}: {failure_of(fact)}" for fact in facts if fact and fact.failure]
    if any(facts):
        silent = [host for host, fact in zip(view.hosts, facts, strict=True) if fact is None]
        texts += [f"{', '.join(silent)}: not asked" if silent else ""]
    return "; ".join(text for text in texts if text)


def _place(device: Device) -> tuple[object, ...]:
    block, known = device.block, device.known_by
    return (
        GROUPS.index(device.group),
        device.kind,
        -block.size_bytes,
        known.model,
        device.number,
        natural(device.host),
    )


def _row(device: Device, *, unique: bool) -> Row:
    block, known = device.block, device.known_by
    order = f"{GROUPS.index(device.group)} {device.kind} {block.size_bytes:020d} {known.model} {device.number:06d}"
    cells = (
        Cell(f"{device.group} {device.kind} #{device.number}", order),
        Cell(device.host, device.host),
        Cell(block.name, block.name),
        Cell(DRIFT if device.drift else ""),
        Cell(size_text(block.size_bytes / 1024), block.size_bytes),
        Cell(device.kind),
        Cell(f"{device.use}?" if device.doubtful else device.use),
        Cell(known.model),
        Cell(known.serial),
        Cell(device.identity or "none"),
    )
    key = f"{device.host} {device.identity if unique else '=' + block.kname}"
    severity = Severity.NOTE if device.drift or device.doubtful else Severity.NORMAL
    return Row(key, cells, severity, Detail(lambda: _detail(device)))


def _detail(device: Device) -> tuple[tuple[str, str], ...]:
    block, known = device.block, device.known_by
    rotating = {True: "rotating", False: "not rotating", None: "rotation not known"}[block.rotational]
    pairs = [
        ("host", device.host),
        ("name", f"{block.name} in this boot"),
        ("identity", device.identity or "none: it has neither a WWN nor a serial number"),
        ("doubt", NOT_UNIQUE if device.doubtful else ""),
        ("serial", known.serial),
        ("model", " ".join(part for part in (known.vendor, known.model) if part)),
        ("size", f"{block.size_bytes:,} bytes ({size_text(block.size_bytes / 1024)})"),
        ("kind", f"{rotating} (the kernel's guess), {known.transport or 'transport not known'}"),
        ("sectors", f"{block.logical_sector or '?'} bytes, physically {block.physical_sector or '?'}"),
        ("place", known.hctl),
        ("state", block.state),
        ("NSD", device.nsd),
        ("use", _use(device)),
        *(("in use", reason) for reason in device.reasons),
        ("same role", device.drift),
    ]
    return tuple((label, text) for label, text in pairs if text)


def _use(device: Device) -> str:
    if device.group == "free":
        return "free: no mount, partition, signature or NSD is known. That does not prove it empty"
    return "" if device.use == device.nsd else device.use


def _missing(host: str, row: NsdDevice) -> Row:
    """An NSD of which its node sees no device."""
    texts = {"role": "NSD, no device", "host": host, "name": row.device or "-", "use": row.nsd}
    cells = tuple(Cell(texts.get(column.id, "")) for column in COLUMNS)
    detail = (
        ("NSD", row.nsd),
        ("volume id", row.volume_id),
        ("mmlsnsd -X", f"{row.device or '-'} {row.remarks}".strip()),
        ("lsblk", f"does not show it on {host}" if row.found else "not looked for"),
    )
    return Row(f"{host} nsd {row.nsd}", cells, Severity.WARNING, detail)
