"""Checks of the new devices: each is found by its identity, on every server, and nothing speaks against taking it.

The judging is that of `restripe verify`: verdicts become checks, one for each kind, so that each can be acknowledged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from remote.folding import fold
from remote.gpfs.models import Cluster, DiskList, FileSystem, NsdDevices, NsdList
from remote.gpfs.stanza import NsdStanza
from remote.jobs import JobState
from remote.linux.host_time import HostTime
from remote.linux.inventory import Contents, Inventory
from remote.linux.models import BlockDevices
from remote.names import UnknownNodeError
from supervision import verdicts
from supervision.checking import Check, Outcome, missing
from supervision.gpfs_looks import lost_rows
from supervision.gpfs_preflight_disks import describe, names_text
from supervision.gpfs_preflight_grounds import Finding, Grounds, Rule, UnreadError, block, note, passed, warning
from supervision.gpfs_preflight_refused import stanzas_of
from supervision.gpfs_proof import examine, prove_made, reached, rebuild
from supervision.gpfs_recycled import of_an_nsd
from supervision.gpfs_site import site_of
from supervision.gpfs_stanzacheck import Site
from supervision.gpfs_view import View
from supervision.pins import Pin
from supervision.plan import Plan
from supervision.uses import UseKind
from supervision.verdicts import Level, Verdict, gathered, whose

SKEW = 300.0
"""Seconds by which clocks that nobody compared may be apart."""
NATIVE = 4096
_OUTCOMES = {
    Level.OK: Outcome.PASS,
    Level.NOTE: Outcome.NOTE,
    Level.WARNING: Outcome.WARNING,
    Level.BLOCK: Outcome.BLOCK,
}
_KINDS = (
    verdicts.UNREAD, verdicts.IDENTITY, verdicts.DRIFT, verdicts.IN_USE, verdicts.NSD_ID, verdicts.NAME,
    verdicts.UNFIT, verdicts.UNLIKE, verdicts.DISCOVERY,
)  # fmt: skip
_MOST = 4


def stanzas_now(view: View, plan: Plan) -> tuple[NsdStanza, ...]:
    """The stanzas of the new disks with the names of the last look. Raises ProofError where a device is not certain."""
    return rebuild(stanzas_of(plan.stanzas.new)[0], plan.pins, site_of(view)).stanzas


def device_checks(view: View, plan: Plan, since: float) -> tuple[Check, ...]:
    """What was found about the devices, by a look of just now at every host that serves them."""
    title = "Every device is what the plan says, on every server, and free"
    grounds = Grounds(view, plan, since)
    try:
        site = fresh_site(grounds)
    except UnreadError as why:
        return (missing("devices", title, str(why), grounds.source, at=grounds.at),)
    stanzas, wrong = stanzas_of(plan.stanzas.new)
    rebuilt, found = examine(stanzas, plan.pins, site)
    told = _by_kind(found, grounds, _KINDS)
    free = [f"{one.nsd} is {one.device} on {one.servers[0]}" for one in rebuilt.stanzas]
    whole = len(rebuilt.stanzas) == len(plan.devices) and not wrong
    if not whole or any(check.stops for check in told):
        text = f"{len(rebuilt.stanzas)} of {len(plan.devices)} are found; see below"
        first = Check(
            "devices", title, Outcome.BLOCK, text, "Nothing is made of any of them", grounds.at, grounds.source
        )
    else:
        moved = f"; {'; '.join(rebuilt.moved)}" if rebuilt.moved else ""
        text = f"{len(free)} devices: {', '.join(free[:_MOST])}{', …' if free[_MOST:] else ''}{moved}"
        first = Check("devices", title, Outcome.PASS, text, "", grounds.at, grounds.source)
    return (first, *told)


def fresh_site(grounds: Grounds) -> Site:
    """Everything that devices are judged by, all of it fresh. Raises UnreadError."""
    view = grounds.view
    grounds.need(Cluster)
    grounds.need(NsdDevices)
    grounds.need(DiskList)
    grounds.need(FileSystem)
    site = site_of(view)
    pins = [reached(pin, site) for pin in grounds.plan.pins]
    for host in dict.fromkeys(place.host for pin in pins for place in pin.at):
        for kind in (BlockDevices, Inventory, Contents):
            grounds.need(kind, host)
    return site


def _by_kind(found: Iterable[Verdict], grounds: Grounds, kinds: Sequence[str]) -> tuple[Check, ...]:
    """One check for each kind of verdict that is more than good, the worst of it first."""
    groups = gathered(verdict for verdict in found if verdict.level > Level.OK)
    checks = []
    for kind in kinds:
        mine = [(verdict, same) for verdict, same in groups if verdict.kind == kind]
        if not mine:
            continue
        texts = [": ".join(part for part in (whose(same), verdict.text) if part) for verdict, same in mine]
        more = f"; and {len(texts) - _MOST} more" if texts[_MOST:] else ""
        advice = dict.fromkeys(verdict.advice for verdict, _ in mine if verdict.advice)
        key = f"devices-{kind.lower().replace(' ', '-')}"
        outcome = _OUTCOMES[mine[0][0].level]
        text = "; ".join(texts[:_MOST]) + more
        checks.append(Check(key, f"Devices: {kind}", outcome, text, ". ".join(advice), grounds.at, grounds.source))
    return tuple(checks)


def _boots(grounds: Grounds) -> Finding:
    """Names of devices hold for one boot: the host must still be in the one in which it was looked at."""
    site = fresh_site(grounds)
    places = grounds.view.state.places
    hosts = dict.fromkeys(place.host for pin in grounds.plan.pins for place in reached(pin, site).at)
    silent = [host for host in hosts if host not in places or not places[host].boot_id]
    other = [host for host in hosts if host in site.looks and site.looks[host].stale]
    if other:
        return block(f"{fold(other)} was rebooted since the look", "Look at the devices again: names may mean others")
    if silent:
        raise UnreadError(f"not asked in which boot {fold(silent)} is")
    since = [
        place.host
        for pin in grounds.plan.pins
        for place in reached(pin, site).at
        if place.boot_id and place.boot_id != places[place.host].boot_id
    ]
    if since:
        text = f"{fold(dict.fromkeys(since))} was rebooted since the plan was made"
        return note(text, "Devices were found again by identity; names in the plan may be old")
    return passed(f"{len(hosts)} hosts are in the boot in which they were looked at, and pinned")


def _lost(grounds: Grounds) -> Finding:
    """NSDs that lead to no device leave open which disk is taken."""
    site = fresh_site(grounds)
    found = []
    for host, look in site.looks.items():
        rows = grounds.view.nsds_by_node.get(grounds.view.node_name(host), [])
        found += [f"{row.nsd} on {host} ({row.remarks or row.device})" for row in lost_rows(look, rows)]
    if found:
        return block(f"mmlsnsd -X does not tell which device it is: {', '.join(found[:_MOST])}", "See why first")
    return passed("every NSD of the servers leads to a device")


def _native(grounds: Grounds) -> Finding | None:
    """Disks with sectors of 4096 bytes want inodes as large: general knowledge, no page that was found says so."""
    site = fresh_site(grounds)
    sectors = {
        seen.sector
        for pin in grounds.plan.pins
        if (look := site.looks.get(reached(pin, site).first.host))
        for seen in look.find(pin.key)
    }
    size = grounds.need(FileSystem).inode_size
    if not any(sector and sector >= NATIVE for sector in sectors) or size is None or size >= NATIVE:
        return None
    text = f"the new disks have sectors of {NATIVE} bytes, and inodes have {size}"
    return warning(text, "Inodes then share sectors: it is said that metadata wants inodes of 4096 bytes there")


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
    disks = grounds.need(DiskList)
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


BOOTS = Rule("boots", "No host was rebooted since it was looked at", _boots)
LOST = Rule("nsds-found", "Every NSD leads to a device", _lost)
NATIVE_SECTORS = Rule("sector-inodes", "Inodes fit the sectors of the new disks", _native)
MADE = Rule("nsds-made", "The new NSDs are the devices that were chosen", _made)
STILL_MADE = Rule("nsds-made", "The NSDs are the devices that were chosen", _still_made)
FREE = Rule("nsds-free", "The new NSDs are in no file system", _free)
UNTOUCHED = Rule("signatures", "Nothing but the NSDs lies on the devices", _untouched)
IN_PLACE = Rule("new-disks", "The new disks are in the file system as planned", _in_place)
