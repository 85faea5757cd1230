"""The block devices of all hosts as one table, equal roles together.

So a name that means the boot disk on one host and an SSD on the others is seen at once. A row is a device by its
identity, whatever it is called. The table is made host by host, in steps between which others have their turn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from remote.gpfs.models import NsdDevice, NsdDevices, NsdList
from remote.linux.inventory import Contents, Inventory
from remote.linux.models import BlockDevices
from remote.names import UnknownNodeError
from supervision.gpfs_choosing import row_key
from supervision.gpfs_devicedetail import Around, detail_of
from supervision.gpfs_looks import lost_rows
from supervision.gpfs_roles import Device, called, group_of, settle, verdict_of
from supervision.gpfs_site import look_of, looks_of
from supervision.gpfs_text import folded, natural, size_text
from supervision.gpfs_view import View, failure_of
from supervision.identity import HostLook, Seen
from supervision.tables import Cell, Column, Detail, Row, Severity, Table
from supervision.verdicts import told

COLUMNS = (
    Column("role", "role"),
    Column("host", "host"),
    Column("name", "name"),
    Column("drift", "drift"),
    Column("verdict", "verdict"),
    Column("size", "size", right=True, unit="bytes"),
    Column("kind", "kind"),
    Column("use", "use", wide=True),
    Column("model", "model", wide=True),
    Column("serial", "serial", wide=True),
    Column("identity", "identity", wide=True),
    Column("firmware", "firmware", wide=True),
    Column("slot", "slot", wide=True),
    Column("sector", "sector", right=True, wide=True, unit="bytes"),
    Column("disk", "NSD", only="file"),
    Column("server", "server", only="file"),
    Column("alike", "alike", only="file"),
)
DRIFT = "≠ name"
"""The mark of a role that has another name on another host."""


def devices(view: View) -> Table:
    """Every disk and multipath map of every host that was asked."""
    making = _making(view)
    for _ in making.steps:
        pass
    known = [look.at for look in making.looks.values()]
    # the oldest look is the age of the whole: a choice rests on all of it
    return Table(COLUMNS, making.rows, min(known, default=None), _failure(view, making.looks))


def steps(view: View) -> Iterator[None]:
    """The work of `devices` in steps of some milliseconds; after the last one `devices` has only to take the result."""
    looked: dict[str, HostLook | None] = view.remember("looked", (), dict)
    for host in view.hosts:
        one = look_of(view, host)
        if one is not looked.get(host):
            looked[host] = one
            yield
    for _ in _making(view).steps:  # whoever stops here goes on there the next time; yield from would end it
        yield


def _making(view: View) -> _Making:
    looks = looks_of(view)
    nsds = view.facts.get(NsdList)
    fact = view.facts.fact(NsdDevices)
    asked = fact if fact and fact.parsed and not fact.failure else None
    histories = [view.state.sightings.get(host, ()) for host in looks]
    values = (looks, view.devices, asked and asked.parsed, view.cluster, nsds, *histories)
    return view.remember("devices", values, lambda: _Making(view, looks, nsds, asked=asked is not None))


class _Making:
    """The rows in the making, `rows` when `steps` have ended: NSDs without a device, then every device by its role."""

    def __init__(self, view: View, looks: Mapping[str, HostLook], nsds: NsdList | None, *, asked: bool) -> None:
        self.looks = looks
        self.rows: tuple[Row, ...] = ()
        servers = {nsd.nsd: nsd.servers for nsd in nsds.nsds} if nsds else {}
        self._around = {
            host: Around(
                look,
                {row.nsd: row for row in view.nsds_by_node.get(view.node_name(host), ())},
                _places(view, host, servers),
                view.state.sightings.get(host, ()),
                view.state.utc_offset,
                asked,
            )
            for host, look in looks.items()
        }
        self._held: dict[str, tuple[tuple[object, ...], Row]] = view.remember("device rows", (), dict)
        self.steps = self._make()

    def _make(self) -> Iterator[None]:
        found: list[Device] = []
        missing: list[Row] = []
        for host, look in self.looks.items():
            found += (Device(seen, group_of(seen)) for seen in look.devices)
            # what carries its volume id is there, whatever mmlsnsd was told while the host was away
            there = {seen.known_as for seen in look.devices}
            lost = lost_rows(look, self._around[host].rows.values())
            missing += (_missing(host, row) for row in lost if row.nsd not in there)
        yield
        yield from settle(found)
        orders = [(device.order, natural(device.seen.host), device.seen.name) for device in found]
        yield
        rows: list[Row] = []
        for number, place in enumerate(sorted(range(len(found)), key=orders.__getitem__), 1):
            rows.append(self._row(found[place], orders[place][0]))
            if number % 100 == 0:
                yield
        self.rows = (*missing, *rows)

    def _row(self, device: Device, order: str) -> Row:
        """The row of a device, the same one as long as nothing that it tells is different."""
        seen, around = device.seen, self._around[device.seen.host]
        values = (
            seen,
            device.drift,
            device.label,
            order,
            around.history,
            around.asked,
            around.places.get(seen.known_as),
        )
        key = row_key(seen)
        held = self._held.get(key)
        if held and all(a is b or (isinstance(a, str) and a == b) for a, b in zip(held[0], values, strict=True)):
            return held[1]
        row = _row(key, device, order, around)
        self._held[key] = (values, row)
        return row


def _places(view: View, host: str, servers: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Which of its servers a host is, by NSD: `1 of 2`."""
    mine = view.node_name(host)
    found = {}
    resolved: dict[str, str] = {}
    for nsd, names in servers.items():
        for name in names:
            if name not in resolved:
                try:
                    resolved[name] = view.table.resolve(name).daemon_name
                except UnknownNodeError:
                    resolved[name] = name
        at = next((number for number, name in enumerate(names, 1) if resolved[name] == mine), 0)
        if at:
            found[nsd] = f"{at} of {len(names)}"
    return found


def _failure(view: View, looks: Collection[str]) -> str:
    """What is missing or could not be asked again."""
    facts = [view.facts.fact(BlockDevices, host) for host in view.hosts]
    texts = [failure_of(view.facts.fact(NsdDevices))]
    away = [host for host, link in view.state.links.items() if link.state != "up" and host in looks]
    texts += [f"not connected to {folded(tuple(away))}: what is shown was so when it was looked at"] if away else []
    for host in view.hosts:
        failed = (view.facts.fact(kind, host) for kind in (BlockDevices, Inventory, Contents))
        whys: dict[str, list[str]] = {}
        for fact in failed:
            if fact and fact.failure:
                whys.setdefault(fact.failure, []).append(fact.command.partition(" ")[0])
        texts += [f"{host}: {', '.join(programs)}: {why}" for why, programs in whys.items()]
    if any(facts):
        silent = [host for host, fact in zip(view.hosts, facts, strict=True) if fact is None]
        texts += [f"{folded(tuple(silent))}: not asked" if silent else ""]
    return "; ".join(text for text in texts if text)


def _row(key: str, device: Device, order: str, around: Around) -> Row:
    seen = device.seen
    sign, word = verdict_of(seen, asked=around.asked, stale=bool(around.look.stale))
    size = seen.identity.size_bytes
    cells = (
        Cell(device.label, order),
        Cell(seen.host, seen.host),
        Cell(called(seen)),
        Cell(DRIFT if device.drift else ""),
        Cell(f"{sign or '-'} {word}"),
        Cell(size_text(size / 1024), size),
        Cell(seen.kind),
        Cell(_use(seen, word)),
        Cell(seen.model),
        Cell(seen.serial),
        Cell(seen.identity.text or "none"),
        Cell(seen.firmware),
        Cell(" ".join(part for part in (seen.enclosure, seen.slot) if part)),
        Cell("" if seen.sector is None else str(seen.sector), seen.sector),
        Cell(seen.known_as),
        Cell(around.places.get(seen.known_as, "")),
        Cell(" ".join(part for part in (device.group, seen.kind, size_text(size / 1024), seen.model) if part)),
    )
    severity = Severity.NOTE if device.drift or seen.doubt else Severity.NORMAL
    return Row(key, cells, severity, Detail(lambda: detail_of(device, around)))


def _use(seen: Seen, word: str) -> str:
    if seen.known_as:
        return seen.known_as
    return told(seen.uses) if seen.uses else word


def _missing(host: str, row: NsdDevice) -> Row:
    """An NSD of which its node sees no device."""
    name = row.device.rpartition("/")[2] if row.found else "-"
    texts = {
        "role": "NSD, no device",
        "host": host,
        "name": name,
        "verdict": "! not found",
        "use": row.nsd,
        "disk": row.nsd,
        "alike": "NSD",
    }
    cells = tuple(
        Cell(text, f"  {row.nsd}" if column.id == "role" else None)
        for column in COLUMNS
        for text in (texts.get(column.id, ""),)
    )
    detail = (
        ("NSD", row.nsd),
        ("volume id", row.volume_id),
        ("mmlsnsd -X", f"{row.device or '-'} {row.remarks}".strip()),
        ("lsblk", f"does not show it on {host}" if row.found else "not looked for"),
    )
    return Row(f"{host} nsd {row.nsd}", cells, Severity.WARNING, detail)
