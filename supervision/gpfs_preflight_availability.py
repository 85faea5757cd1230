"""Availability may not fall: servers, failure groups and copies of metadata before and after."""

from __future__ import annotations

from remote.folding import fold
from remote.gpfs.models import DiskList, FileSystem, NsdList
from supervision.gpfs_groups import ALONE, NEVER
from supervision.gpfs_preflight_disks import names_text
from supervision.gpfs_preflight_grounds import Finding, Grounds, Rule, block, note, passed, unread, warning
from supervision.gpfs_site import looks_of
from supervision.identity import Seen
from supervision.plan import PlannedDevice


def _availability(grounds: Grounds) -> Finding:
    """With one copy, or all copies in one group, metadata is as safe as the one drive that holds it, and its server."""
    copies = _copies(grounds)
    devices = grounds.plan.devices
    groups = {device.failure_group for device in devices}
    held = f"{copies} cop{'y' if copies == 1 else 'ies'} of metadata (-m) in {len(groups)} failure groups"
    if copies > 1 and len(groups) > 1:
        return passed(f"{held}: what is lost with one drive or one server is elsewhere")
    singles = [device.nsd for device in devices if len(set(device.servers)) < 2]
    if singles:
        text = f"{held}, and {names_text(singles)} has one server"
        return block(text, "Metadata would leave disks of two servers for one drive of one: two groups and -m 2 first")
    bare = [device.nsd for device in devices if _is_bare(_seen(grounds, device))]
    if bare:
        text = f"{held}, and {names_text(bare)} is a drive in a slot of an enclosure, without redundancy of its own"
        return block(text, "The loss of one drive would be the loss of the file system: two groups and -m 2 first")
    advice = (
        "No command tells whether the array behind them keeps copies: make sure that it does, for one drive does not"
    )
    return warning(f"{held}, on disks of two servers each", advice)


def _seen(grounds: Grounds, device: PlannedDevice) -> Seen | None:
    look = looks_of(grounds.view).get(device.pin.first.host)
    there = look.find(device.pin.key) if look else ()
    return there[0] if len(there) == 1 else None


def _is_bare(seen: Seen | None) -> bool:
    """Whether a device is a single drive for certain: SCSI enclosures tell slots of drives, and of no LUN."""
    return seen is not None and bool(seen.slot) and seen.type != "mpath"


def _copies(grounds: Grounds) -> int:
    copies = grounds.need(FileSystem).metadata_replicas
    if copies is None:
        unread("mmlsfs does not tell -m")
    return copies


def _servers(grounds: Grounds) -> Finding:
    """How many servers each disk with metadata has, before and after."""
    listed = {nsd.nsd: nsd for nsd in grounds.need(NsdList).nsds}
    copies = _copies(grounds)
    old = grounds.plan.old_disks
    before = [len(listed[disk.nsd].servers) if disk.nsd in listed else len(disk.servers) for disk in old]
    after = [len(set(device.servers)) for device in grounds.plan.devices]
    groups = [sorted({each.failure_group for each in disks}) for disks in (old, grounds.plan.devices)]
    text = (
        f"before: {len(old)} disks with {_span(before)} servers in groups {', '.join(groups[0])}; "
        f"after: {len(after)} with {_span(after)} in groups {', '.join(groups[1])}; {copies} copies"
    )
    if before and min(after) < min(before):
        advice = "While one server is down, its disks are too: copies are written anew elsewhere, or wait for it"
        return warning(text, advice)
    if len(groups[1]) < len(groups[0]):
        return warning(text, "Fewer groups: after the loss of one, fewer are left for the copies")
    return passed(text)


def _span(counts: list[int]) -> str:
    return str(min(counts, default=0)) if len(set(counts)) < 2 else f"{min(counts)} to {max(counts)}"


def _groups_after(grounds: Grounds) -> Finding:
    """Failure groups of new disks: enough for the copies, and the group -1 is none."""
    copies = _copies(grounds)
    groups = {device.failure_group for device in grounds.plan.devices}
    if ALONE in groups:
        return block(
            "a new disk is in failure group -1", "It has nothing in common with any other: no place for copies"
        )
    text = f"{len(groups)} failure groups ({', '.join(sorted(groups))}) for {copies} copies of metadata"
    if len(groups) < copies:
        return block(text, "Take disks in as many failure groups as there are copies")
    if len(groups) == copies > 1:
        return note(text, "While a whole group is gone, new metadata has one copy fewer")
    return passed(text)


def _groups_stay(grounds: Grounds) -> Finding:
    """After mmchdisk the disks that may hold metadata: as many groups as copies, all ready and up."""
    copies = _copies(grounds)
    old = {disk.nsd for disk in grounds.plan.old_disks}
    stay = [
        disk
        for disk in grounds.need(DiskList).disks
        if disk.metadata and disk.usage not in NEVER and disk.nsd not in old and disk.ready
    ]
    groups = {disk.failure_group for disk in stay}
    text = f"{len(stay)} disks for metadata stay, in {len(groups)} failure groups ({fold(disk.nsd for disk in stay)})"
    if len(groups) < copies:
        return block(f"{text}; {copies} copies need as many", "Add disks to the other groups first")
    return passed(text)


def _factors(grounds: Grounds) -> Finding:
    fs = grounds.need(FileSystem)
    advice = "Files with fewer copies keep them: only -R would change that, and no recipe does"
    return note(f"-r keeps the copies that each file has; the default is -m {fs.metadata_replicas}", advice)


RULES = (
    Rule("availability", "Metadata does not become less available", _availability),
    Rule("servers-compared", "Servers, groups and copies before and after", _servers),
    Rule("groups-after", "The new disks are in enough failure groups", _groups_after),
)
FACTORS = Rule("replica-factors", "Each file keeps its own number of copies", _factors)
GROUPS_STAY = Rule("groups-stay", "Enough failure groups for metadata stay", _groups_stay)
