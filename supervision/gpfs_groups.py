"""Failure groups for new disks: copied from the disks that share their enclosure or server, never made up.

Replicas lie in different failure groups, so two groups must have nothing in common whose loss takes both away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from remote.folding import fold
from remote.gpfs.models import DiskList, Usage
from remote.names import NodeTable, UnknownNodeError
from supervision.identity import HostLook, Seen
from supervision.verdicts import NAME, UNFIT, UNLIKE, Level, Verdict

NEVER = (Usage.DESC_ONLY, Usage.LOCAL_CACHE)
"""Disks of these usages have groups for a reason of their own, or none: they hold no replicas."""
ALONE = "-1"
"""The group of a disk that has nothing in common with any other: no place for replicas."""


class Group(msgspec.Struct, frozen=True):
    """What speaks for failure groups of a new disk: the `found` ones, each with the disks that are in it.

    `why` tells where they come from. Only a single one is taken without asking, and none of a `guess`.
    """

    found: tuple[str, ...]
    why: str
    guess: bool = False

    @property
    def certain(self) -> str:
        """The one group, or "" where a person must choose."""
        return self.found[0] if len(self.found) == 1 and not self.guess else ""


def group_for(seen: Seen, look: HostLook, disks: DiskList | None, *, shared: bool = False) -> Group:
    """The failure groups of the disks in the enclosure of a device, or else of those of its server.

    A `shared` disk, which several servers see, is in no server: its servers' groups are no more than a guess.
    """
    by_nsd = {disk.nsd: disk for disk in disks.disks if disk.usage not in NEVER} if disks else {}
    mine = [(other, by_nsd[other.known_as]) for other in look.devices if other.known_as in by_nsd]
    if seen.enclosure:
        beside = [disk for other, disk in mine if other.enclosure == seen.enclosure]
        if beside:
            return Group(_groups(disk.failure_group for disk in beside), f"disks in enclosure {seen.enclosure}")
    if mine:
        return Group(_groups(disk.failure_group for _, disk in mine), f"disks of {look.host}", guess=shared)
    return Group((), f"{look.host} has no disk of this file system")


def _groups(groups: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(groups), key=lambda group: (len(group), group)))


def placed_before(
    disks: DiskList | None, looks: Mapping[str, HostLook], servers: Mapping[str, tuple[str, ...]]
) -> list[Placed]:
    """The disks of the file system that hosts were seen to have. `servers` are those of each NSD, by admin names."""
    by_nsd = {disk.nsd: disk for disk in disks.disks if disk.usage not in NEVER} if disks else {}
    found: dict[str, Placed] = {}
    for look in looks.values():
        for seen in look.devices:
            disk = by_nsd.get(seen.known_as)
            if disk and disk.nsd in servers:
                box = seen.enclosure or (found[disk.nsd].enclosure if disk.nsd in found else "")
                size = seen.identity.size_bytes
                found[disk.nsd] = Placed(disk.nsd, disk.failure_group, servers[disk.nsd], box, size)
    return list(found.values())


class Placed(msgspec.Struct, frozen=True):
    """A disk in its failure group: what it is called, its servers, where it sits, and how large it is."""

    nsd: str
    group: str
    servers: tuple[str, ...]
    enclosure: str
    size_bytes: int


def judge_groups(
    placed: Sequence[Placed], sites: Mapping[str, str] | None = None, old: Sequence[Placed] = ()
) -> list[Verdict]:
    """What failure groups of new disks have in common with each other, or with those of `old` ones, and must not.

    Two groups share a server when each has a disk that this server alone serves: a second server would keep it up.
    Where old disks are in several groups already, a new one may join any of them: that is for whoever did so.
    `sites` are the places of servers, as far as anybody has told.
    """
    found = []
    alone = [disk.nsd for disk in placed if disk.group == ALONE]
    if alone and any(disk.group != ALONE for disk in (*placed, *old)):
        text = f"{fold(alone)} in failure group -1, which has nothing in common with any other: no place for replicas"
        found.append(Verdict(Level.WARNING, UNFIT, "", "", text, "Give every disk the group of its server"))
    before = _boxes(old, sites or {})
    for (what, name), groups in _boxes(placed, sites or {}).items():
        there = before.get((what, name), set())
        if len(groups) > 1 and not (there and groups <= there):
            text = f"failure groups {', '.join(_groups(groups))} share {what} {name}: its loss would take both"
            found.append(Verdict(Level.BLOCK, UNFIT, "", "", text, f"One {what} is one failure group"))
        elif there and not groups <= there:
            mine, theirs = ", ".join(_groups(groups)), ", ".join(_groups(there))
            text = f"failure group {mine} is to have disks of {what} {name}, whose other disks are in {theirs}"
            found.append(Verdict(Level.BLOCK, UNFIT, "", "", text, f"One {what} is one failure group: take {theirs}"))
    return found


def _boxes(placed: Sequence[Placed], sites: Mapping[str, str]) -> dict[tuple[str, str], set[str]]:
    """The failure groups by what takes their disks away when it is lost: a server, an enclosure, a site."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for disk in placed:
        if disk.group == ALONE:
            continue
        if len(disk.servers) == 1:
            found["server", disk.servers[0]].add(disk.group)
        if disk.enclosure:
            found["enclosure", disk.enclosure].add(disk.group)
        for server in disk.servers:
            if server in sites:
                found["site", sites[server]].add(disk.group)
    return found


def places(sites: Mapping[str, Sequence[str]], table: NodeTable) -> tuple[dict[str, str], tuple[Verdict, ...]]:
    """The site of each node by its admin name, from names of nodes by sites, and what cannot be meant of them."""
    found: dict[str, str] = {}
    odd = []
    for site, names in sites.items() if table.nodes else ():
        for name in names:
            try:
                node = table.resolve(name).admin_name
            except UnknownNodeError as error:
                text = f"of site {site}: {error}"
                advice = "It counts for nothing here. Mend [sites] in the configuration file, if it is of this cluster"
                odd.append(Verdict(Level.WARNING, NAME, "", "", text, advice))
                continue
            if found.setdefault(node, site) != site:
                text = f"{node} is at site {found[node]} and at site {site}: only {found[node]} counts"
                odd.append(Verdict(Level.WARNING, NAME, "", "", text, "Mend [sites] in the configuration file"))
    return found, tuple(odd)


def judge_sizes(placed: Sequence[Placed]) -> list[Verdict]:
    """Whether one failure group is smaller than another."""
    sizes: dict[str, int] = defaultdict(int)
    for disk in placed:
        sizes[disk.group] += disk.size_bytes
    if len(sizes) < 2 or len(set(sizes.values())) < 2:
        return []
    least = min(sizes, key=lambda group: (sizes[group], group))
    most = max(sizes.values())
    text = (
        f"failure group {least} has {sizes[least]:,} bytes, another {most:,}: replicas end where the smallest is full"
    )
    return [Verdict(Level.WARNING, UNLIKE, "", "", text, "Give every group as much")]
