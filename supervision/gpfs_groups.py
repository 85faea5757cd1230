"""Failure groups for new disks: copied from the disks that share their enclosure or server, never made up.

Replicas lie in different failure groups, so two groups must have nothing in common whose loss takes both away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from remote.folding import fold
from remote.gpfs.models import DiskList, Usage
from supervision.identity import HostLook, Seen
from supervision.verdicts import UNFIT, UNLIKE, Level, Verdict

_NEVER = (Usage.DESC_ONLY, Usage.LOCAL_CACHE)
"""Disks of these usages have groups for a reason of their own, or none."""
ALONE = "-1"
"""The group of a disk that has nothing in common with any other: no place for replicas."""


class Group(msgspec.Struct, frozen=True):
    """What speaks for failure groups of a new disk: the `found` ones, each with the disks that are in it.

    `why` tells where they come from. Only a single one is taken without asking.
    """

    found: tuple[str, ...]
    why: str

    @property
    def certain(self) -> str:
        """The one group, or "" where a person must choose."""
        return self.found[0] if len(self.found) == 1 else ""


def group_for(seen: Seen, look: HostLook, disks: DiskList | None) -> Group:
    """The failure groups of the disks in the enclosure of a device, or else of those of its server."""
    by_nsd = {disk.nsd: disk for disk in disks.disks if disk.usage not in _NEVER} if disks else {}
    mine = [(other, by_nsd[other.known_as]) for other in look.devices if other.known_as in by_nsd]
    if seen.enclosure:
        beside = [disk for other, disk in mine if other.enclosure == seen.enclosure]
        if beside:
            return Group(_groups(disk.failure_group for disk in beside), f"disks in enclosure {seen.enclosure}")
    if mine:
        return Group(_groups(disk.failure_group for _, disk in mine), f"disks of {look.host}")
    return Group((), f"{look.host} has no disk of this file system")


def _groups(groups: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(groups), key=lambda group: (len(group), group)))


class Placed(msgspec.Struct, frozen=True):
    """A disk in its failure group: what it is called, its servers, where it sits, and how large it is."""

    nsd: str
    group: str
    servers: tuple[str, ...]
    enclosure: str
    size_bytes: int


def judge_groups(placed: Sequence[Placed], sites: Mapping[str, str] | None = None) -> list[Verdict]:
    """What two failure groups have in common although they must not.

    Two groups share a server when each has a disk that this server alone serves: a second server would keep it up.
    `sites` are the places of servers, as far as anybody has told.
    """
    found = []
    alone = [disk.nsd for disk in placed if disk.group == ALONE]
    if alone and len(alone) < len(placed):
        text = f"{fold(alone)} in failure group -1, which has nothing in common with any other: no place for replicas"
        found.append(Verdict(Level.WARNING, UNFIT, "", "", text, "Give every disk the group of its server"))
    sole: dict[str, set[str]] = defaultdict(set)
    boxes: dict[str, set[str]] = defaultdict(set)
    places: dict[str, set[str]] = defaultdict(set)
    for disk in placed:
        if disk.group == ALONE:
            continue
        if len(disk.servers) == 1:
            sole[disk.servers[0]].add(disk.group)
        if disk.enclosure:
            boxes[disk.enclosure].add(disk.group)
        for server in disk.servers:
            if sites and server in sites:
                places[sites[server]].add(disk.group)
    for what, shared in (("server", sole), ("enclosure", boxes), ("site", places)):
        for name, groups in shared.items():
            if len(groups) > 1:
                text = f"failure groups {', '.join(_groups(groups))} share {what} {name}: its loss would take both"
                found.append(Verdict(Level.BLOCK, UNFIT, "", "", text, f"One {what} is one failure group"))
    return found


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
