"""What stanzas and selections are judged by, gathered from the state: the looks at all hosts, NSDs, disks, names."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

import msgspec

from remote.gpfs.models import Discovery, DiskList, FileSystem, NodeStates, NsdDevices
from remote.jobs import Place
from remote.linux.inventory import Contents, Inventory
from remote.linux.models import BlockDevices
from remote.text import one_line
from supervision.gpfs_groups import places
from supervision.gpfs_looks import share, still_true, volume_ids, with_nsds
from supervision.gpfs_stanzacheck import Site
from supervision.gpfs_view import View
from supervision.identity import HostLook, look
from supervision.verdicts import UNREAD, Level, Verdict


def looks_of(view: View) -> dict[str, HostLook]:
    """The last look at every host that was looked at. The same answers give the same looks."""
    alone = {host: one for host in view.hosts if (one := look_of(view, host)) is not None}
    return view.remember("looks", alone.values(), lambda: share(alone))


def look_of(view: View, host: str) -> HostLook | None:
    """A host's devices with the NSDs that its own node sees; those that others see are not said yet."""
    blocks, devices, cluster = view.block_devices(host), view.devices, view.cluster
    fact = view.facts.fact(BlockDevices, host)
    if blocks is None or fact is None:
        return None
    inventory, contents, at = _together(view, host, fact.at)
    rows = view.nsds_by_node.get(view.node_name(host), []) if devices is not None else None
    history, table = view.state.sightings.get(host, ()), view.facts.fact(NsdDevices)
    alone = view.remember(
        f"look at {host} alone",
        (blocks, inventory, contents, fact),
        lambda: _all_understood(look(host, at, blocks, inventory, contents), view),
    )
    own = view.facts.get(NodeStates, host)  # may tell which node the host is
    ids = view.remember("volume ids", (devices,), lambda: volume_ids(devices.rows) if devices else {})
    place = view.state.places.get(host)

    def make() -> HostLook:
        told = _of_boot(alone, place)
        if rows is None or table is None:
            return with_nsds(told, rows, ids)
        kept, why = still_true(rows, told, history, table.at)
        found = with_nsds(told, kept, ids)
        return msgspec.structs.replace(found, missing=(*found.missing, why)) if why else found

    # the table's age counts only where names have changed, which the history tells
    return view.remember(f"look {host}", (alone, devices, cluster, own, place, history), make)


def _all_understood(one: HostLook, view: View) -> HostLook:
    """A look whose answers were not wholly understood leaves open what uses its devices: the line may have told it."""
    for kind in (BlockDevices, Inventory, Contents):
        fact = view.facts.fact(kind, one.host)
        if fact is None or fact.parsed is None or not fact.parsed.problems:
            continue
        problem = fact.parsed.problems[0]
        why = (
            f"{fact.command.partition(' ')[0]} was not wholly understood ({problem.why}): {one_line(problem.text)[:80]}"
        )
        devices = tuple(msgspec.structs.replace(seen, unread=seen.unread or why) for seen in one.devices)
        return msgspec.structs.replace(one, devices=devices, missing=(*one.missing, why))
    return one


def _of_boot(alone: HostLook, place: Place | None) -> HostLook:
    """A look of an earlier boot is one at names that may be others' by now."""
    if place is None or not place.boot_id or not alone.boot_id or place.boot_id == alone.boot_id:
        return alone
    return msgspec.structs.replace(alone, stale="its host is in another boot than it was looked at in")


async def look_in_turns(view: View) -> None:
    """Make every host's look in a turn of the loop of its own; `looks_of` has them then.

    A look at a hundred devices takes some milliseconds, and there may be a hundred hosts. The view must remember.
    """
    for host in view.hosts:
        look_of(view, host)
        await asyncio.sleep(0)


def _together(view: View, host: str, at: float) -> tuple[Inventory | None, Contents | None, float]:
    """What sysfs told, and what lay on the devices if both were asked in one batch.

    Names hold only for a moment: what was read of sdg an hour ago may be another device's.
    """
    told, lying = view.facts.fact(Inventory, host), view.facts.fact(Contents, host)
    inventory = view.facts.get(Inventory, host) if told and not told.failure else None
    same = told and lying and not lying.failure and lying.at == told.at
    contents = view.facts.get(Contents, host) if same else None
    return inventory, contents, min(at, told.at) if inventory and told else at


def site_of(view: View) -> Site:
    """All that is known for judging."""
    looks = looks_of(view)
    hosts = {view.node_name(host): host for host in reversed(view.hosts) if view.node_of(host)}
    nsds = view.devices
    fact = view.facts.fact(NsdDevices)
    if fact and (fact.failure or (fact.parsed and fact.parsed.problems)):
        nsds = None  # what it was before may be wrong by now, and a row that was not understood is an NSD
    sites, odd = places(view.sites, view.table)
    return Site(
        table=view.table,
        hosts=hosts,
        looks=looks,
        nsds=nsds,
        disks=view.disks,
        file_system=view.file_system,
        offered=_offered(view),
        sites=sites,
        odd=odd,
    )


def unread_system(view: View) -> list[Verdict]:
    """What blocks where a file system is named and did not tell of itself: groups and alignment cannot be judged."""
    if not view.name:
        return []
    told = ((view.file_system, view.facts.fact(FileSystem)), (view.disks, view.facts.fact(DiskList)))
    advice = "Check the spelling (mmlsfs all tells the names): its failure groups and alignment are not known"
    return [
        Verdict(Level.BLOCK, UNREAD, "", "", f"{fact.command}: {fact.failure}", advice)
        for model, fact in told
        if model is None and fact is not None and fact.failure
    ]


def _offered(view: View) -> dict[str, Collection[str]]:
    """The names that GPFS discovers on each host that told them."""
    found: dict[str, Collection[str]] = {}
    for host in view.hosts:
        fact, told = view.facts.fact(Discovery, host), view.facts.get(Discovery, host)
        if fact and told is not None and not fact.failure:
            found[host] = tuple(name for name, _ in told.devices)
    return found
