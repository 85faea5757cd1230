"""Checks of sizes: what the metadata takes by figures of now, what fits, and how full the new disks are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from remote.gpfs.models import DiskList, DiskSpace, FileSystem, FsSpace
from supervision import footprint, gpfs_footprint
from supervision.checking import Check, missing
from supervision.footprint import FULL, Footprint
from supervision.gpfs_groups import Placed, judge_sizes
from supervision.gpfs_preflight_format import SYSTEM
from supervision.gpfs_preflight_grounds import (
    Finding,
    Grounds,
    Rule,
    UnreadError,
    block,
    note,
    passed,
    unread,
    warning,
)
from supervision.gpfs_view import View
from supervision.plan import Plan

DRIFTED = 0.05
"""Part by which what a plan was sized for may have changed since, before that is told."""
ROUNDED = 1.01
"""The human form of mmdf rounds the largest disk that can be added."""


def exact_space(grounds: Grounds) -> FsSpace:
    """mmdf, in KB. Raises UnreadError where its figures are rounded."""
    space = grounds.need(FsSpace)
    if not space.exact:
        unread(f"mmdf tells {space.unit or 'figures of an unknown unit'}, which are rounded up")
    return space


def found_now(grounds: Grounds) -> Footprint:
    """The footprint by the figures of now, and by the assumptions of the plan. Raises UnreadError."""
    grounds.need(FileSystem)
    exact_space(grounds)
    try:
        return gpfs_footprint.sized(grounds.view, grounds.plan)
    except ValueError as error:
        unread(str(error))


def sizes(view: View, plan: Plan, since: float) -> tuple[Check, ...]:
    """Whether the metadata fits, by figures of now (`supervision.gpfs_footprint.checks`)."""
    grounds = Grounds(view, plan, since)
    try:
        found_now(grounds)
    except UnreadError as why:
        return (missing("size-fits", gpfs_footprint.TITLE, str(why), grounds.source, at=grounds.at),)
    return gpfs_footprint.checks(view, plan, since)


def _drifted(grounds: Grounds) -> Finding:
    """A plan is sized by the figures of its day."""
    then, now = grounds.plan.sizing, found_now(grounds).sizing
    text = f"{now.plan_kb:,} KB by plan now, {then.plan_kb:,} KB when the plan was made"
    if abs(now.plan_kb - then.plan_kb) > DRIFTED * max(1, then.plan_kb):
        return warning(
            text, "Files came or went, or assumptions were changed by hand: see whether the plan still holds"
        )
    return passed(text)


def _even(grounds: Grounds) -> Finding:
    """Copies end where the smallest failure group is full."""
    placed = [
        Placed(device.nsd, device.failure_group, device.servers, "", device.size_bytes)
        for device in grounds.plan.devices
    ]
    found = judge_sizes(placed)
    if found:
        return warning(found[0].text, found[0].advice)
    first = sum(disk.size_bytes for disk in placed if disk.group == placed[0].group)
    return passed(f"{first:,} bytes in every failure group")


def _largest(grounds: Grounds) -> Finding:
    """The allocation map of a pool takes disks up to some size alone."""
    largest = dict(grounds.need(FsSpace).largest_disk_kb).get(SYSTEM)
    if largest is None:
        return note(
            "mmdf does not tell how large a disk of pool system may be", "mmadddisk refuses one that is too large"
        )
    kb = max(device.size_bytes for device in grounds.plan.devices) // 1024
    text = f"the largest new disk has {kb:,} KB; pool system takes disks up to {largest:,} KB"
    if kb > largest * ROUNDED:
        return block(text, "mmadddisk would refuse it: smaller disks, or parts of them")
    return passed(text)


def new_disks(grounds: Grounds) -> tuple[DiskSpace, ...]:
    """The new disks as mmdf tells of them. Raises UnreadError where one is missing."""
    space = exact_space(grounds)
    rows = [space.get(device.nsd) for device in grounds.plan.devices]
    lost = [device.nsd for device, row in zip(grounds.plan.devices, rows, strict=True) if row is None]
    if lost:
        unread(f"mmdf does not list {', '.join(lost[:6])}")
    return tuple(row for row in rows if row is not None)


def fullest(rows: Sequence[DiskSpace]) -> tuple[float, str]:
    """How full the fullest of some disks is, and which that is."""
    return max(((row.used_kb / row.size_kb, row.nsd) for row in rows if row.size_kb), default=(0.0, ""))


def _full_now(grounds: Grounds) -> Finding:
    """How full the new disks are before everything is moved to them."""
    rows = new_disks(grounds)
    part, nsd = fullest(rows)
    used, size = sum(row.used_kb for row in rows), sum(row.size_kb for row in rows)
    text = f"{used:,} of {size:,} KB used on the new disks, the fullest is {nsd} with {part:.0%}"
    if part >= FULL:
        return block(text, "Full metadata disks stop the file system: change the old disks back first")
    left, need = size - used, max(0, grounds.plan.sizing.plan_kb - used)
    if need > left:
        return block(f"{text}; {need:,} KB are to come by plan", "It does not fit: add disks, or change back")
    return passed(text)


def _room_back(grounds: Grounds) -> Finding:
    """What is on the new disks must fit where it goes back to: in the whole, and in as many groups as copies."""
    rows, space, fs = new_disks(grounds), exact_space(grounds), grounds.need(FileSystem)
    names = {device.nsd for device in grounds.plan.devices}
    usable = {disk.nsd: disk for disk in grounds.need(DiskList).disks if disk.metadata and disk.ready}
    groups: dict[str, int] = defaultdict(int)
    for row in space.disks:
        if row.nsd in usable and row.nsd not in names and row.pool == SYSTEM:
            groups[usable[row.nsd].failure_group] += row.free_blocks_kb
    used, copies = sum(row.used_kb for row in rows), fs.metadata_replicas or 1
    room = footprint.usable_kb(tuple(groups.values()), copies)
    text = f"{used:,} KB on the new disks; {room:,} KB fit on the others, in {len(groups)} failure groups"
    if used > room:
        return block(text, "Make room on the other disks first: mmdeldisk would end half-way")
    return passed(text)


EVEN = Rule("group-sizes", "Every failure group has as much space", _even)
LARGEST = Rule("largest-disk", "The pool takes disks of that size", _largest)
DRIFT = Rule("size-as-planned", "The figures of the plan still hold", _drifted)
FULL_NOW = Rule("new-disks-fill", "The new disks have room for what comes", _full_now)
ROOM_BACK = Rule("room-back", "What is on the new disks fits on the others", _room_back)
