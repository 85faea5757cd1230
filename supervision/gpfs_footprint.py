"""How much metadata a GPFS file system will have on the disks of a plan, from what its commands tell. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import msgspec

from remote.gpfs.models import FileSystem, FsSpace, Mounts, Snapshots, Usage
from supervision import footprint
from supervision.checking import Check, Outcome, fresh, missing
from supervision.footprint import Assumptions, Footprint, Known
from supervision.gpfs_view import View, good_at
from supervision.plan import Plan

SOURCE = "mmlsfs, mmdf"
DEFAULT = Assumptions()
TITLE = "How much metadata there will be"


class New(msgspec.Struct, frozen=True):
    """A disk that is to hold metadata: the NSD that it becomes, its failure group, its bytes."""

    nsd: str
    failure_group: str
    size_bytes: int


def new_disks(plan: Plan) -> tuple[New, ...]:
    """The new disks of a plan."""
    return tuple(New(device.nsd, device.failure_group, device.size_bytes) for device in plan.devices)


def groups_kb(view: View, disks: Sequence[New]) -> Mapping[str, int]:
    """KB for metadata by failure group: the new disks, as mmdf tells them once they are there, and what is there."""
    there = {disk.nsd: disk for disk in view.space.disks} if view.space and view.space.exact else {}
    groups: dict[str, int] = defaultdict(int)
    for new in disks:
        if new.nsd not in there:
            groups[new.failure_group] += new.size_bytes // 1024
    for disk in there.values():
        if disk.usage is Usage.METADATA_ONLY:
            groups[disk.failure_group] += disk.size_kb
    return dict(groups)


def known(view: View, disks: Sequence[New]) -> Known:
    """What is known of the metadata. Raises ValueError, which says what was not told."""
    fs, space = view.file_system, view.space
    if fs is None or not fs.inode_size or not fs.metadata_replicas:
        raise ValueError("mmlsfs has not told the size of an inode (-i) and the copies of metadata (-m)")
    if space is None or space.inodes is None or not space.inodes.allocated:
        raise ValueError("mmdf has not told how many inodes are allocated")
    return Known(
        allocated=space.inodes.allocated,
        maximum=space.inodes.maximum,
        inode_bytes=fs.inode_size,
        copies=fs.metadata_replicas,
        groups=groups_kb(view, disks),
    )


def assumed(view: View, base: Assumptions = DEFAULT) -> Assumptions:
    """The assumptions with what can be read instead: one log for each node that mounts, of its size and copies.

    What `base` has already stays.
    """
    fs, mounts = view.file_system, view.facts.get(Mounts)
    of = mounts.of(view.name) if mounts else None
    copies = _count(fs, "--log-replicas") or (fs.metadata_replicas if fs else 0) or 0
    told = {
        "mounts": of.count if of else 0,
        "log_kb": (_count(fs, "-L") or 0) // 1024,
        "log_replicas": copies,
    }
    return msgspec.structs.replace(base, **{name: getattr(base, name) or value for name, value in told.items()})


def _count(fs: FileSystem | None, flag: str) -> int | None:
    text = next(iter(fs.get(flag)), "") if fs else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


def sized(view: View, plan: Plan) -> Footprint:
    """The footprint of a plan by what is known now. Raises ValueError."""
    return footprint.footprint(known(view, new_disks(plan)), plan.options.assumptions)


def checks(view: View, plan: Plan, since: float) -> tuple[Check, ...]:
    """Whether the metadata fits on the plan's disks, by facts that were asked after `since`."""
    told = [view.at(FileSystem), view.at(FsSpace)]
    at = min((each for each in told if each is not None), default=None) if None not in told else None
    try:
        found = sized(view, plan)
    except ValueError as error:
        return (missing("size-fits", TITLE, str(error), SOURCE, at=at),)
    every = (*footprint.checks(found, at, SOURCE), *snapshots(view, plan.options.assumptions))
    return tuple(fresh(check, since) for check in every)


def snapshots(view: View, assumptions: Assumptions) -> tuple[Check, ...]:
    """Snapshots have metadata of their own, which mmdf's inodes do not count: a warning where there are some."""
    fact = view.state.facts.get(f"snapshots {view.name}")
    listed = fact.parsed.model if fact and fact.parsed else None
    if not isinstance(listed, Snapshots) or not listed.snapshots or assumptions.snapshots_kb:
        return ()
    read = f"{len(listed.snapshots)} snapshots, whose metadata is moved as well and is not counted here"
    advice = f"`mmlssnapshot {view.name} -d` tells their sizes, and scans for it; then set snapshots_kb in the plan"
    title = "Metadata of snapshots"
    source = fact.command if fact else ""
    return (Check("size-snapshots", title, Outcome.WARNING, read, advice, good_at(fact), source),)
