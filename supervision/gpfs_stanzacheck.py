"""Stanzas proven before `mmcrnsd`: each names a device of its first server, and every server must see that device.

The same judgement for a file as people have it and for one that was built from a selection.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Generator, Mapping, Sequence

import msgspec

from remote.gpfs.models import ClusterNode, DiskList, FileSystem, NsdDevices
from remote.gpfs.stanza import NsdStanza
from remote.names import NodeTable, UnknownNodeError
from supervision import verdicts
from supervision.gpfs_groups import Placed, judge_groups, judge_sizes, placed_before
from supervision.gpfs_text import size_text
from supervision.gpfs_verdicts import (
    KnownNsds,
    both_names,
    judge_cache,
    judge_discovery,
    judge_offered,
    judge_owner,
    judge_rows,
    judge_sector,
    judge_server,
    with_name,
)
from supervision.identity import HostLook, Seen
from supervision.pins import Pin, PinnedAt
from supervision.verdicts import Level, Verdict


class Site(msgspec.Struct, frozen=True):
    """All that stanzas are judged by. `hosts` are the watched hosts by the daemon names of their nodes.

    `offered` are the names that GPFS discovers, by host; a host that is not in it was not asked. `sites` are the places
    of servers by their admin names, as far as anybody has told, and `odd` is what was told and cannot be meant.
    """

    table: NodeTable
    hosts: Mapping[str, str]
    looks: Mapping[str, HostLook]
    nsds: NsdDevices | None = None
    disks: DiskList | None = None
    file_system: FileSystem | None = None
    offered: Mapping[str, Collection[str]] = {}
    sites: Mapping[str, str] = {}
    odd: tuple[Verdict, ...] = ()


class Proven(msgspec.Struct, frozen=True):
    """A stanza with what it means: its device on its first server, and where else that is seen.

    `seen` is None where it is not known which device is meant; `made` tells that it is this very NSD already.
    """

    stanza: NsdStanza
    seen: Seen | None
    pin: Pin | None
    made: bool = False


class Judged(msgspec.Struct, frozen=True):
    """The stanzas and everything that was found, in the order of the stanzas, then what concerns them all."""

    proven: tuple[Proven, ...]
    verdicts: tuple[Verdict, ...]

    @property
    def level(self) -> Level:
        """The heaviest verdict."""
        return verdicts.worst(self.verdicts)

    @property
    def pins(self) -> tuple[Pin, ...]:
        """The devices that are known."""
        return tuple(proven.pin for proven in self.proven if proven.pin)


def judge_stanzas(stanzas: Sequence[NsdStanza], site: Site) -> Judged:
    """Judge stanzas as a whole. A stanza without a verdict against it gets one that says what proves it."""
    work = judging(stanzas, site)
    try:
        while True:
            next(work)
    except StopIteration as ended:
        judged: Judged = ended.value
        return judged


async def judge_in_turns(stanzas: Sequence[NsdStanza], site: Site) -> Judged:
    """The same for hundreds of stanzas: others have their turns of the loop meanwhile."""
    work = judging(stanzas, site)
    try:
        while True:
            next(work)
            await asyncio.sleep(0)
    except StopIteration as ended:
        judged: Judged = ended.value
        return judged


def judging(stanzas: Sequence[NsdStanza], site: Site) -> Generator[None, None, Judged]:
    """The steps of `judge_stanzas`, none of which takes long."""
    proven, found = [], list(site.odd)
    known = KnownNsds(site.nsds.rows if site.nsds else (), site.table, site.hosts)
    for stanza in stanzas:
        one, mine = _judge_stanza(stanza, site, known)
        proven.append(one)
        found += mine
        yield
    found += _judge_doubles(proven)
    new = [one for one in proven if one.seen and not one.made]
    bad = {  # what could not be read is the chosen device all the same
        (verdict.host, verdict.device)
        for verdict in found
        if verdict.level is Level.BLOCK and verdict.kind != verdicts.UNREAD
    }
    sound = [one for one in new if one.seen and (one.seen.host, one.seen.name) not in bad]
    chosen = [(one.seen, site.looks[one.seen.host]) for one in sound if one.seen]
    found = [_with_hint(verdict, proven, chosen, site) for verdict in found]
    found += verdicts.judge_peers(chosen)
    names = [((one.stanza.device or one.seen.name).removeprefix("/dev/"), one.seen) for one in sound if one.seen]
    found += verdicts.judge_drift(names, site.looks)
    yield
    old = placed_before(site.disks, site.looks, known.servers)
    found += judge_groups([_placed(one, site) for one in new], site.sites, old)
    if len(sound) == sum(not one.made for one in proven):  # else what a group has is not what it is to have
        found += judge_sizes([_placed(one, site) for one in sound])
    groups = {one.seen.key: one.stanza.failure_group for one in sound if one.seen}
    found += verdicts.judge_batch(chosen, groups)
    oldest = min((look.at for look in site.looks.values()), default=0.0)
    found += judge_rows(site.nsds.rows if site.nsds else (), site.table, oldest)
    found += judge_discovery(tuple(dict.fromkeys(_hosts_of(stanzas, site))), site.looks)
    against = {verdict.about for verdict in found if verdict.level > Level.NOTE}
    found += [_proof(one, site) for one in proven if one.seen and one.stanza.nsd not in against]
    return Judged(tuple(proven), tuple(with_name(verdict, site.looks) for verdict in found))


def _with_hint(
    verdict: Verdict, proven: Sequence[Proven], sound: Sequence[tuple[Seen, HostLook]], site: Site
) -> Verdict:
    """Of a device that must not be taken, which free ones of its host are like the rest of the set."""
    look = site.looks.get(verdict.host)
    if look is None or verdict.kind not in (verdicts.IN_USE, verdicts.NAME) or not sound:
        return verdict
    kinds = Counter((seen.model, seen.identity.size_bytes, seen.rotational) for seen, _ in sound)
    usual = kinds.most_common(1)[0][0]
    meant = {one.seen.key for one in proven if one.seen}
    free = [
        both_names(seen)
        for seen in look.devices
        if seen.free and seen.key not in meant and (seen.model, seen.identity.size_bytes, seen.rotational) == usual
    ]
    if not free:
        return verdict
    hint = f"Free on {look.host} and like the others of this file: {', '.join(free)}"
    return msgspec.structs.replace(verdict, advice=hint)


def _judge_stanza(stanza: NsdStanza, site: Site, known: KnownNsds) -> tuple[Proven, list[Verdict]]:
    nodes, found = _servers(stanza, site.table)
    if not nodes:
        return Proven(stanza, None, None), found
    host = site.hosts.get(nodes[0].daemon_name)
    look = site.looks.get(host) if host else None
    if look is None or host is None:
        text = "the host could not be read, so nobody knows what this name means there"
        found.append(_block(verdicts.UNREAD, stanza, text, "See why first", host or nodes[0].admin_name))
        return Proven(stanza, None, None), found
    seen = look.named(stanza.device) if stanza.device else _served(stanza, look)
    if seen is None:
        what = "this name is no whole disk and no multipath map there" if stanza.device else "no device is that NSD"
        advice = "A name is one of this boot on this host: find the device by its serial number"
        found.append(_block(verdicts.NAME, stanza, what, advice, host, look.at))
        return Proven(stanza, None, None), found
    made = seen.known_as == stanza.nsd and stanza.nsd in known.names
    about = _judge_device(stanza, seen, look, site, known, made=made)
    for node in nodes[1:]:
        about += judge_server(seen.identity, node.admin_name, site.hosts.get(node.daemon_name), site.looks, stanza.nsd)
    found += [msgspec.structs.replace(verdict, about=stanza.nsd) for verdict in about]
    pin = _pin(stanza, seen, nodes, site) if seen.identity.text and not seen.doubt else None
    return Proven(stanza, seen, pin, made), found


def _servers(stanza: NsdStanza, table: NodeTable) -> tuple[list[ClusterNode], list[Verdict]]:
    nodes, found = [], []
    for name in stanza.servers:
        try:
            nodes.append(table.resolve(name))
        except UnknownNodeError as error:
            found.append(_block(verdicts.NAME, stanza, str(error), "Use a name that mmlscluster knows"))
    if not stanza.servers:
        text = "it names no server, so there is no host whose device it could be"
        found.append(_block(verdicts.NAME, stanza, text, "Give servers=, the one that the name is valid on first"))
    return ([] if found else nodes), found


def _served(stanza: NsdStanza, look: HostLook) -> Seen | None:
    """The device of an NSD that is there already, for stanzas that name none."""
    return next((seen for seen in look.devices if seen.known_as == stanza.nsd), None)


def _judge_device(
    stanza: NsdStanza, seen: Seen, look: HostLook, site: Site, known: KnownNsds, *, made: bool
) -> list[Verdict]:
    found = verdicts.judge_identity(seen, look)
    if made:
        text = "it is this NSD already"
        return [*found, Verdict(Level.NOTE, verdicts.IN_USE, seen.host, seen.name, text, at=look.at)]
    if stanza.nsd in known.names:
        text = "there is an NSD of this name already, and it is another device"
        found.append(Verdict(Level.BLOCK, verdicts.NAME, seen.host, seen.name, text, "Choose another name", at=look.at))
    found += verdicts.judge_use(seen, look)
    found += judge_sector(seen, look, site.file_system)
    found += verdicts.judge_wear(seen, look)
    found += judge_owner(seen, look, known.rows.get(look.host, ()))
    found += judge_cache(seen, look)
    if site.nsds is None:
        text = "mmlsnsd -X was not read: an NSD of GPFS 3.5 looks empty to Linux"
        found.append(Verdict(Level.BLOCK, verdicts.UNREAD, seen.host, seen.name, text, "See why first", at=look.at))
    return found + judge_offered(seen, look, site.offered.get(look.host))


def _judge_doubles(proven: Sequence[Proven]) -> list[Verdict]:
    """One device that two stanzas mean, by whatever names."""
    found = []
    counts = Counter(one.seen.identity for one in proven if one.seen and one.seen.identity.text)
    for one in proven:
        if one.seen and counts[one.seen.identity] > 1:
            others = [
                other.stanza.nsd
                for other in proven
                if other is not one and other.seen and other.seen.identity == one.seen.identity
            ]
            text = f"{one.seen.identity.text} is meant by {', '.join(others)} too"
            found.append(_block(verdicts.IDENTITY, one.stanza, text, "One device is one NSD", one.seen.host))
    names = Counter(one.stanza.nsd for one in proven)
    for name in sorted(name for name, count in names.items() if count > 1):
        text = f"NSD {name} comes {names[name]} times"
        found.append(Verdict(Level.BLOCK, verdicts.NAME, "", "", text, "Every NSD has a name of its own", name))
    return found


def _placed(one: Proven, site: Site) -> Placed:
    seen = one.seen
    size = seen.identity.size_bytes if seen else 0
    servers = []
    for name in one.stanza.servers:
        try:
            servers.append(site.table.resolve(name).admin_name)
        except UnknownNodeError:
            servers.append(name)
    return Placed(one.stanza.nsd, one.stanza.failure_group, tuple(servers), seen.enclosure if seen else "", size)


def _hosts_of(stanzas: Sequence[NsdStanza], site: Site) -> list[str]:
    hosts = []
    for stanza in stanzas:
        for node in _servers(stanza, site.table)[0]:
            host = site.hosts.get(node.daemon_name)
            if host:
                hosts.append(host)
    return hosts


def _pin(stanza: NsdStanza, seen: Seen, nodes: Sequence[ClusterNode], site: Site) -> Pin:
    places = []
    for node in nodes:
        host = site.hosts.get(node.daemon_name)
        look = site.looks.get(host) if host else None
        there = look.find(seen.identity) if look else ()
        if host and look and len(there) == 1:
            places.append(PinnedAt(host, node.daemon_name, there[0].name, look.boot_id))
    return Pin(stanza.nsd, seen.identity.text, seen.identity.size_bytes, seen.model, seen.serial, tuple(places))


def _proof(one: Proven, site: Site) -> Verdict:
    """What a device is shown to be, for a person to compare with the label on it."""
    seen = one.seen
    assert seen is not None
    size = size_text(seen.identity.size_bytes / 1024)
    serial = f", serial {seen.serial}" if seen.serial else ""
    state = "its NSD" if one.made else "nothing lies on it, nothing uses it"
    text = f"{seen.model or 'a disk'} {size}{serial}, {seen.identity.text}; {state}"
    at = site.looks[seen.host].at
    return Verdict(Level.OK, verdicts.PROVEN, seen.host, seen.name, text, about=one.stanza.nsd, at=at)


def _block(kind: str, stanza: NsdStanza, text: str, advice: str, host: str = "", at: float = 0.0) -> Verdict:
    return Verdict(Level.BLOCK, kind, host, stanza.device, text, advice, stanza.nsd, at)
