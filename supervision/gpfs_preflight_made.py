"""Checks of the new NSDs: they are the devices that were chosen, made by this plan, and nobody has used them since."""

from __future__ import annotations

from collections.abc import Sequence

from remote.gpfs.models import NsdList
from remote.jobs import JobState
from remote.linux.host_time import HostTime
from remote.names import UnknownNodeError
from supervision.gpfs_preflight_devices import fresh_site
from supervision.gpfs_preflight_disks import describe, names_text
from supervision.gpfs_preflight_grounds import Finding, Grounds, Rule, UnreadError, block, note, passed
from supervision.gpfs_proof import prove_made, reached
from supervision.gpfs_recycled import of_an_nsd
from supervision.pins import Pin
from supervision.uses import UseKind
from supervision.verdicts import Level

SKEW = 300.0
"""Seconds by which clocks that nobody compared may be apart."""
_MOST = 4


def _made(grounds: Grounds) -> Finding:
    """The NSDs are the pinned devices, by mmlsnsd -X, the servers' looks and the volume ids, and made by this plan."""
    return _proven_made(grounds, grounds.plan.pins)


def _still_made(grounds: Grounds) -> Finding:
    """The same of those that are there, before they are removed."""
    there = {nsd.nsd for nsd in grounds.need(NsdList).nsds}
    return _proven_made(grounds, tuple(pin for pin in grounds.plan.pins if pin.label in there))


def _proven_made(grounds: Grounds, pins: Sequence[Pin]) -> Finding:
    site = fresh_site(grounds)
    since, until = _when_made(grounds)
    found = prove_made(pins, site, since=since, until=until, skew=_skew(grounds))
    wrong = [verdict for verdict in found if verdict.level is Level.BLOCK]
    if wrong:
        text = "; ".join(dict.fromkeys(f"{verdict.about}: {verdict.text}" for verdict in wrong[:_MOST]))
        return block(text, "Add nothing to a file system, and remove no NSD, before it is clear which disks these are")
    return passed(f"{len(pins)} NSDs, and every one leads to the device that was chosen")


def _when_made(grounds: Grounds) -> tuple[float, float]:
    """When mmcrnsd ran for this plan; else any time since the plan was made."""
    jobs = [
        job
        for job in grounds.view.state.jobs.values()
        if job.status.id.startswith(f"{grounds.plan.id}-") and job.status.command.startswith("mmcrnsd ")
        if job.status.state is JobState.FINISHED
    ]
    begun = [job.status.began for job in jobs if job.status.began is not None]
    ended = [job.status.ended for job in jobs if job.status.ended is not None]
    return min(begun, default=grounds.plan.made), max(ended, default=grounds.view.state.at)


def _skew(grounds: Grounds) -> float:
    """How far the clocks of the servers may be off ours, in seconds: what they told, and some minutes."""
    off = []
    for host in grounds.view.hosts:
        fact, told = grounds.view.facts.fact(HostTime, host), grounds.view.facts.get(HostTime, host)
        if fact and told:
            off.append(abs(told.epoch - fact.at))
    return SKEW + max(off, default=0.0)


def _free(grounds: Grounds) -> Finding:
    """The NSDs are in no file system yet, and have the servers of the plan."""
    listed = {nsd.nsd: nsd for nsd in grounds.need(NsdList).nsds}
    lost = [device.nsd for device in grounds.plan.devices if device.nsd not in listed]
    if lost:
        return block(f"there is no NSD {names_text(lost)}", "mmcrnsd has not made it, or it was removed: see mmlsnsd")
    taken = [listed[device.nsd] for device in grounds.plan.devices if not listed[device.nsd].free]
    wrong = [nsd for nsd in taken if nsd.fs != grounds.view.name]
    if wrong or len(taken) == len(grounds.plan.devices):
        text = ", ".join(f"{nsd.nsd} belongs to {nsd.fs}" for nsd in (wrong or taken)[:_MOST])
        return block(text, "It was added already, or it is another one: compare mmlsdisk with the plan")
    other = [
        f"{device.nsd} has servers {', '.join(listed[device.nsd].servers)}"
        for device in grounds.plan.devices
        if not _same_nodes(grounds, listed[device.nsd].servers, device.servers)
    ]
    if other:
        return block("; ".join(other[:_MOST]), "The plan has others: correct them (mmchnsd), or make the plan anew")
    if taken:
        text = f"{names_text([nsd.nsd for nsd in taken])} was added already, the others are in no file system"
        return note(text, "By an earlier attempt: only the others are added now")
    return passed(f"{len(grounds.plan.devices)} NSDs in no file system, with the servers of the plan")


def _same_nodes(grounds: Grounds, one: Sequence[str], other: Sequence[str]) -> bool:
    table = grounds.view.table
    try:
        return [table.resolve(name).number for name in one] == [table.resolve(name).number for name in other]
    except UnknownNodeError:
        return False


def _untouched(grounds: Grounds) -> Finding:
    """A second look at what lies on the devices: since mmcrnsd nothing but the NSD may."""
    site = fresh_site(grounds)
    found = []
    for pin in grounds.plan.pins:
        for place in reached(pin, site).at:
            look = site.looks.get(place.host)
            for seen in look.find(pin.key) if look else ():
                if seen.unread:
                    raise UnreadError(f"{seen.name} on {place.host}: {seen.unread}")
                alien = [use.text for use in seen.uses if not of_an_nsd(use) and use.kind is not UseKind.NSD]
                found += [f"{pin.label} ({seen.name} on {place.host}): {', '.join(alien)}"] if alien else []
    if found:
        return block("; ".join(found[:_MOST]), "Somebody uses it: mmadddisk would format it. Find out who first")
    return passed("nothing lies on the devices but their NSDs")


def _in_place(grounds: Grounds) -> Finding:
    """The new disks are in the file system as planned."""
    disks = grounds.disks()
    wrong = [
        f"{device.nsd} is {describe(disk)}"
        for device in grounds.plan.devices
        if (disk := disks.get(device.nsd)) is None
        or not disk.ready
        or (disk.metadata, disk.data, disk.failure_group, disk.pool) != (True, False, device.failure_group, device.pool)
    ]
    if wrong:
        return block("; ".join(wrong[:_MOST]), "They must be metadataOnly, ready and up, in the groups of the plan")
    return passed(f"{len(grounds.plan.devices)} metadataOnly disks, ready and up, in the groups of the plan")


MADE = Rule("nsds-made", "The new NSDs are the devices that were chosen", _made)
STILL_MADE = Rule("nsds-made", "The NSDs are the devices that were chosen", _still_made)
FREE = Rule("nsds-free", "The new NSDs are in no file system", _free)
UNTOUCHED = Rule("signatures", "Nothing but the NSDs lies on the devices", _untouched)
IN_PLACE = Rule("new-disks", "The new disks are in the file system as planned", _in_place)
