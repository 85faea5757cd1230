"""Checks of the new devices: each is found by its identity, on every server, and nothing speaks against taking it.

The judging is that of `restripe verify`: verdicts become checks, one for each kind, so that each can be acknowledged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from remote.folding import fold
from remote.gpfs.models import Cluster, DiskList, FileSystem, NsdDevices
from remote.gpfs.stanza import NsdStanza
from remote.linux.inventory import Contents, Inventory
from remote.linux.models import BlockDevices
from supervision import verdicts
from supervision.checking import Check, Outcome, missing
from supervision.gpfs_looks import lost_rows
from supervision.gpfs_preflight_grounds import Finding, Grounds, Rule, UnreadError, block, note, passed, warning
from supervision.gpfs_preflight_refused import stanzas_of
from supervision.gpfs_proof import examine, reached, rebuild
from supervision.gpfs_site import site_of
from supervision.gpfs_stanzacheck import Site
from supervision.gpfs_view import View
from supervision.plan import Plan
from supervision.verdicts import Level, Verdict, gathered, whose

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


BOOTS = Rule("boots", "No host was rebooted since it was looked at", _boots)
LOST = Rule("nsds-found", "Every NSD leads to a device", _lost)
NATIVE_SECTORS = Rule("sector-inodes", "Inodes fit the sectors of the new disks", _native)
