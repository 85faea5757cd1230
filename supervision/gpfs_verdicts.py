"""What GPFS demands of a device beyond what anybody would: alignment, discovery, servers, and volume ids that fit."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from remote.folding import fold
from remote.gpfs.models import ClusterNode, FileSystem, NsdDevice, decode_volume_id
from remote.names import NodeTable, UnknownNodeError
from supervision import verdicts
from supervision.devicemodels import power_loss_protected
from supervision.gpfs_roles import called
from supervision.identity import HostLook, Identity, Seen, is_path
from supervision.verdicts import DISCOVERY, DRIFT, IDENTITY, NAME, NSD_ID, UNFIT, UNREAD, Level, Verdict

NATIVE = 4096
"""Bytes of a logical sector that GPFS must be aligned to."""
_MMVDISK = "mmvdisk makes and removes what lies on these drives; nothing else may"


class KnownNsds:
    """What mmlsnsd -X tells, found once for many devices: the `names` of NSDs, the rows of each host, and `servers`.

    Those are the admin names of the nodes that serve each NSD; others may see it. `hosts` are the watched hosts by the
    daemon names of their nodes.
    """

    def __init__(self, rows: Iterable[NsdDevice], table: NodeTable, hosts: Mapping[str, str]) -> None:
        self.names: set[str] = set()
        self.rows: dict[str, list[NsdDevice]] = {}
        self.servers: dict[str, tuple[str, ...]] = {}
        nodes: dict[str, ClusterNode | None] = {}
        for row in rows:
            self.names.add(row.nsd)
            if row.node not in nodes:
                nodes[row.node] = _node(row.node, table)
            node = nodes[row.node]
            if node is None:
                continue
            if host := hosts.get(node.daemon_name):
                self.rows.setdefault(host, []).append(row)
            if "server" in row.remarks:
                self.servers[row.nsd] = (*self.servers.get(row.nsd, ()), node.admin_name)


def _node(name: str, table: NodeTable) -> ClusterNode | None:
    try:
        return table.resolve(name)
    except UnknownNodeError:
        return None


def judge_sector(seen: Seen, look: HostLook, file_system: FileSystem | None) -> list[Verdict]:
    """A disk with sectors of 4096 bytes needs a file system that is aligned to them."""
    if seen.sector is None or seen.sector < NATIVE:
        return []
    aligned = (file_system.get("--is4KAligned") or file_system.get("is4KAligned")) if file_system else ()
    if aligned and aligned[0].lower() == "yes":
        return []
    name = file_system.name if file_system else "the file system"
    if aligned:
        text = f"it has sectors of {seen.sector} bytes, and {name} is not 4K-aligned"
        return [_of(Level.BLOCK, UNFIT, seen, look, text, "Take disks with sectors of 512 bytes")]
    text = f"it has sectors of {seen.sector} bytes, and it is not known whether {name} is 4K-aligned"
    # up to 4.1 there was no such attribute, and no file system that was
    level = Level.BLOCK if file_system else Level.WARNING
    return [_of(level, UNFIT, seen, look, text, "See mmlsfs FS --is4KAligned")]


def judge_cache(seen: Seen, look: HostLook) -> list[Verdict]:
    """A write cache that is on is a warning, and a note where the model is known to be safe with it."""
    advice = "Its model is known to be protected against power loss"
    found = verdicts.judge_cache(seen, look)
    if not power_loss_protected(seen.model):
        return found
    return [msgspec.structs.replace(each, level=Level.NOTE, advice=advice) for each in found]


def judge_owner(seen: Seen, look: HostLook, rows: Iterable[NsdDevice]) -> list[Verdict]:
    """The drives of a server of a recovery group belong to mmvdisk. `rows` are those of this host's node.

    Disks of a recovery group have a device without /dev/.
    """
    groups = sorted({row.nsd for row in rows if row.found and row.device and not row.device.startswith("/")})
    if not groups:
        return []
    text = f"its host serves {groups[0]} of a recovery group, and it may be one of the drives of that"
    return [_of(Level.BLOCK, UNFIT, seen, look, text, _MMVDISK)]


def judge_thin(kind: str, host: str, device: str) -> list[Verdict]:
    """What a stanza says of thin provisioning: space can run out below a file system that still has some."""
    if kind.lower() in ("", "no"):
        return []
    text = f"thinDiskType={kind}: it is thinly provisioned"
    return [Verdict(Level.BLOCK, UNFIT, host, device, text, "A live file system must not depend on space that may end")]


def judge_discovery(hosts: Sequence[str], looks: Mapping[str, HostLook]) -> list[Verdict]:
    """Servers with different nsddevices scripts do not see the same devices."""
    told = {host: looks[host].nsddevices for host in hosts if host in looks}
    found = [
        Verdict(Level.WARNING, DISCOVERY, host, "", "/var/mmfs/etc/nsddevices could not be read", at=looks[host].at)
        for host, value in told.items()
        if value is None
    ]
    kinds = {value: [host for host in told if told[host] == value] for value in told.values() if value is not None}
    if len(kinds) > 1:
        parts = [f"{fold(who)}: {f'checksum {value}' if value else 'none'}" for value, who in kinds.items()]
        text = f"/var/mmfs/etc/nsddevices is not the same on all servers ({'; '.join(sorted(parts))})"
        at = min(looks[host].at for host in told)
        found.append(Verdict(Level.WARNING, DISCOVERY, "", "", text, "Make it the same everywhere", at=at))
    return found


def judge_offered(seen: Seen, look: HostLook, offered: Collection[str] | None) -> list[Verdict]:
    """Whether GPFS' own discovery offers a device. `offered` are the names that mmdevdiscover printed."""
    if offered is None:
        text = "what GPFS discovers on its host was not read (mmdevdiscover)"
        return [_of(Level.WARNING, DISCOVERY, seen, look, text)]
    if any(seen.called(name) for name in offered):
        return []
    text = "GPFS does not discover it: mmcrnsd would not find it"
    return [_of(Level.BLOCK, DISCOVERY, seen, look, text, "See mmdevdiscover there, and /var/mmfs/etc/nsddevices")]


def judge_server(
    identity: Identity, server: str, host: str | None, looks: Mapping[str, HostLook], about: str
) -> list[Verdict]:
    """Whether a server of an NSD sees the device, under whatever name."""
    look = looks.get(host) if host else None
    if look is None:
        text = f"{server} could not be read, so it is not known whether it sees {identity.text}"
        return [Verdict(Level.BLOCK, UNREAD, host or server, "", text, "See why first", about)]
    if look.stale:
        text = f"{look.stale}, so it is not known whether {server} sees {identity.text}"
        return [Verdict(Level.BLOCK, DRIFT, look.host, "", text, "Look at the devices again", about, look.at)]
    there = [seen for seen in look.find(identity) if not is_path(seen)]
    if len(there) == 1 and identity.text.startswith("wwn:"):
        return []
    if len(there) == 1:
        text = f"that {server} sees the same disk rests on a serial number, {identity.text}, and on no WWN"
        advice = "Compare them at the machine: of two disks with one serial number mmcrnsd takes that of the first"
        return [Verdict(Level.WARNING, IDENTITY, look.host, there[0].name, text, advice, about, look.at)]
    text = f"{server} is to serve {about} and sees {identity.text} {len(there) or 'no'} times"
    if not there:
        text = f"{server} is to serve {about} and does not see {identity.text} at all"
    return [Verdict(Level.BLOCK, DRIFT, look.host, "", text, "Check its cabling, zoning or multipath", about, look.at)]


def judge_rows(rows: Iterable[NsdDevice], table: NodeTable, at: float) -> list[Verdict]:
    """An NSD on a node that nobody knows leaves open which disk is taken."""
    found = []
    sure: set[str] = set()
    for row in rows:
        if row.node in sure:
            continue
        try:
            table.resolve(row.node)
            sure.add(row.node)
        except UnknownNodeError as error:
            text = f"mmlsnsd -X tells of {row.nsd}: {error}"
            advice = "Until that is clear it is open which disk is taken"
            found.append(Verdict(Level.BLOCK, NAME, "", row.device, text, advice, at=at))
    return found


def judge_volume_ids(
    rows: Sequence[NsdDevice],
    table: NodeTable,
    *,
    made: Mapping[str, ClusterNode] | None = None,
    since: float = 0.0,
    until: float = 0.0,
    skew: float = 300.0,
    at: float = 0.0,
) -> list[Verdict]:
    """Whether volume ids fit: the address is that of the first server, the time that of creation.

    `made` are the NSDs that this plan has just made, each with its first server, between `since` and `until` (UNIX
    seconds); `skew` is how far the servers' clocks may be off. For those it is a block. Others were here before, and
    servers are renumbered in time: a note.
    """
    made = made or {}
    found = []
    for nsd in dict.fromkeys(row.nsd for row in rows):
        mine = [row for row in rows if row.nsd == nsd]
        decoded = decode_volume_id(mine[0].volume_id)
        if decoded is None:
            text = f"the volume id of {nsd} is {mine[0].volume_id!r}, which is none"
            level = Level.BLOCK if nsd in made else Level.NOTE
            found.append(Verdict(level, NSD_ID, "", mine[0].device, text, about=nsd, at=at))
        elif nsd in made:
            found += _judge_made(nsd, mine[0], decoded.address, decoded.created, made[nsd], (since, until, skew), at)
        elif decoded.address not in (addresses := _addresses(mine, table)):
            text = f"{nsd} was made by {decoded.address}; its servers are {', '.join(addresses) or 'not known'} now"
            found.append(Verdict(Level.NOTE, NSD_ID, "", mine[0].device, text, about=nsd, at=at))
    return found


def _judge_made(
    nsd: str, row: NsdDevice, address: str, created: float, first: ClusterNode, window: tuple[float, ...], at: float
) -> list[Verdict]:
    since, until, skew = window
    advice = "Add nothing to a file system before it is clear which disk that is"
    found = []
    if address != first.address:
        text = f"the volume id of {nsd} says {address}, and its first server {first.daemon_name} is {first.address}"
        found.append(Verdict(Level.BLOCK, NSD_ID, "", row.device, text, advice, nsd, at))
    if not since - skew <= created <= until + skew:
        text = f"the volume id of {nsd} is of {_moment(created)}, but mmcrnsd ran {_moment(since)} to {_moment(until)}"
        found.append(Verdict(Level.BLOCK, NSD_ID, "", row.device, text, advice, nsd, at))
    return found


def _addresses(rows: Iterable[NsdDevice], table: NodeTable) -> list[str]:
    found = []
    for row in rows:
        try:
            found.append(table.resolve(row.node).address)
        except UnknownNodeError:
            continue
    return found


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))


def _of(level: Level, kind: str, seen: Seen, look: HostLook, text: str, advice: str = "") -> Verdict:
    return Verdict(level, kind, seen.host, seen.name, text, advice, at=look.at)


def with_name(verdict: Verdict, looks: Mapping[str, HostLook]) -> Verdict:
    """With the name that people have for a multipath map: dm-12 means nothing to them, and is in no file of theirs."""
    look = looks.get(verdict.host)
    seen = look.named(verdict.device) if look and verdict.device else None
    if seen is None or seen.name != verdict.device or called(seen) == seen.name:
        return verdict
    return msgspec.structs.replace(verdict, called=called(seen))


def both_names(seen: Seen) -> str:
    """A device by the name that people have for it and by the kernel's, where they differ."""
    return seen.name if called(seen) == seen.name else f"{called(seen)} ({seen.name})"
