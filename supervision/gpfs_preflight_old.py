"""Checks of the old disks, before they are changed and on the way back, and of what removing the new ones leaves."""

from __future__ import annotations

from remote.gpfs.models import ClusterConfig, DiskList, FileSystem, NsdList, Usage
from supervision.gpfs_groups import NEVER
from supervision.gpfs_preflight_disks import describe, names_text
from supervision.gpfs_preflight_grounds import Finding, Grounds, Rule, block, note, passed, unread, warning


def _covered(grounds: Grounds) -> Finding:
    """All and only the disks that hold metadata besides the new ones are to become dataOnly, and none did so before."""
    plan, disks = grounds.plan, grounds.disks()
    new, old = {device.nsd for device in plan.devices}, {disk.nsd: disk for disk in plan.old_disks}
    holding = [disk for disk in disks.values() if disk.metadata and disk.nsd not in new and disk.usage not in NEVER]
    more = [disk.nsd for disk in holding if disk.nsd not in old]
    if more:
        text = f"{names_text(more)} holds metadata too, and is not in the plan"
        return block(text, "Metadata would stay there: make the plan anew")
    gone = [name for name in old if disks.get(name) is None]
    if gone:
        return block(f"{names_text(gone)} is not in the file system any more", "Make the plan anew")
    holding_names = {disk.nsd for disk in holding}
    done = [name for name in old if name not in holding_names]
    if len(done) == len(old):
        return block(
            "none of the old disks holds metadata any more", "They were changed already: go on with the restripe"
        )
    other = [
        f"{disk.nsd} is {describe(disk)}"
        for disk in holding
        if (disk.usage.value, disk.failure_group) != (old[disk.nsd].usage, old[disk.nsd].failure_group)
    ]
    if other:
        return block("; ".join(other[:4]), "It was otherwise when the plan was made: make it anew")
    if done:
        advice = "An earlier attempt, or somebody, changed them: the same command again changes the rest"
        return warning(f"{names_text(done)} is dataOnly already, {len(old) - len(done)} are not", advice)
    return passed(f"the plan names all {len(old)} disks that hold metadata, and no other")


def _data_left(grounds: Grounds) -> Finding:
    """The file system must keep disks for data."""
    kept = [disk.nsd for disk in grounds.need(DiskList).disks if disk.data]
    if not kept:
        return block("no disk would hold data", "GPFS refuses that: see mmlsdisk")
    return passed(f"{len(kept)} disks hold data")


def _changed(grounds: Grounds) -> Finding:
    """For the change back: the old disks are dataOnly."""
    disks = grounds.disks()
    gone = [old.nsd for old in grounds.plan.old_disks if disks.get(old.nsd) is None]
    if gone:
        return block(f"{names_text(gone)} is not in the file system any more", "Change the others back by hand")
    back = [old.nsd for old in grounds.plan.old_disks if (disk := disks.get(old.nsd)) and disk.usage.value == old.usage]
    if len(back) == len(grounds.plan.old_disks):
        return note("all old disks are as they were already", "Nothing is left to change back")
    return passed(f"{len(grounds.plan.old_disks) - len(back)} of {len(grounds.plan.old_disks)} old disks are to change")


def _back(grounds: Grounds) -> Finding:
    """Before the new disks are removed: the old ones take metadata again, and can."""
    disks = grounds.disks()
    wrong = [
        f"{old.nsd} is {describe(disk)}"
        for old in grounds.plan.old_disks
        if (disk := disks.get(old.nsd)) is None or not disk.metadata or not disk.ready
    ]
    if wrong:
        advice = "First change the old disks back and read that back; only then may the new ones go"
        return block("; ".join(wrong[:4]), advice)
    return passed(f"{len(grounds.plan.old_disks)} old disks take metadata, ready and up")


def _groups_left(grounds: Grounds) -> Finding:
    """Failure groups that are left, for metadata and for data (6027-000)."""
    fs, disks = grounds.need(FileSystem), grounds.disks()
    new = {device.nsd for device in grounds.plan.devices}
    left = [disk for disk in disks.values() if disk.nsd not in new and disk.usage not in NEVER and disk.ready]
    if not left:
        return block("no disk would be left", "The last disks of a file system cannot be removed")
    told = []
    for what, flag, copies, groups in (
        ("metadata", "-m", fs.metadata_replicas, {disk.failure_group for disk in left if disk.metadata}),
        ("data", "-r", fs.data_replicas, {disk.failure_group for disk in left if disk.data}),
    ):
        if copies is None:
            unread(f"mmlsfs does not tell {flag}")
        text = f"{len(groups)} failure groups for {what}, {flag} {copies}"
        if len(groups) < copies:
            return block(f"{text} (6027-000)", "Too few would be left for the copies: add or change disks first")
        told.append(text)
    return passed("; ".join(told))


def _removable(grounds: Grounds) -> Finding:
    """New disks are there, and are not stopped: what lies on a stopped disk cannot be moved.

    A stopped mmdeldisk has taken some out and leaves others suspended; it can be run again.
    """
    disks = grounds.disks()
    there = [disk for device in grounds.plan.devices if (disk := disks.get(device.nsd))]
    if not there:
        return block("none of the new disks is in the file system", "They were removed already, or never added")
    down = [disk.nsd for disk in there if disk.availability != "up"]
    if down:
        text = f"{names_text(down)} is not up"
        return block(text, f"`mmchdisk {grounds.view.name} start -a` first; never -p, which gives up what is there")
    strange = [f"{disk.nsd} is {describe(disk)}" for disk in there if disk.usage is not Usage.METADATA_ONLY]
    if strange:
        return block("; ".join(strange[:4]), "It is not as this plan added it: see who changed it")
    gone = len(grounds.plan.devices) - len(there)
    return passed(f"{len(there)} new disks, metadataOnly and up" + (f"; {gone} are out already" if gone else ""))


def _unused(grounds: Grounds) -> Finding:
    """mmdelnsd takes NSDs off devices: only those of this plan, and none that is in a file system."""
    listed = {nsd.nsd: nsd for nsd in grounds.need(NsdList).nsds}
    there = [listed[device.nsd] for device in grounds.plan.devices if device.nsd in listed]
    taken = [f"{nsd.nsd} belongs to {nsd.fs}" for nsd in there if not nsd.free]
    if taken:
        return block(", ".join(taken[:4]), "Take it out of the file system first (mmdeldisk)")
    if not there:
        return block("none of the plan's NSDs is there", "They were removed already: see mmlsnsd")
    lost = len(grounds.plan.devices) - len(there)
    return passed(f"{len(there)} NSDs in no file system" + (f"; {lost} are gone already" if lost else ""))


def _tiebreakers(grounds: Grounds) -> Finding:
    """Tiebreaker disks keep the quorum."""
    told = grounds.need(ClusterConfig).get("tiebreakerDisks") or ""
    names = {name.strip() for name in told.replace(",", ";").split(";")}
    mine = [device.nsd for device in grounds.plan.devices if device.nsd in names]
    if mine:
        return block(
            f"{names_text(mine)} is a tiebreaker disk", "mmdelnsd refuses it: mmchconfig tiebreakerDisks first"
        )
    return passed(f"none is among the tiebreaker disks ({told or 'there are none'})")


COVERED = Rule("old-disks", "The plan names all and only the disks that hold metadata", _covered)
DATA_LEFT = Rule("data-disks", "Disks for data are left", _data_left)
CHANGED = Rule("old-disks-changed", "The old disks can be changed back", _changed)
BACK = Rule("old-disks-back", "The old disks take metadata again", _back)
GROUPS_LEFT = Rule("groups-left", "Enough failure groups are left", _groups_left)
REMOVABLE = Rule("removable", "The new disks can be removed", _removable)
UNUSED = Rule("nsds-unused", "The NSDs are in no file system", _unused)
TIEBREAKERS = Rule("tiebreakers", "No NSD keeps the quorum", _tiebreakers)
