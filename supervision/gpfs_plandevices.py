"""Choosing the devices of a plan: all free SSDs where they are alike, else those that a person named. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from remote.names import fold
from supervision.devices import DeviceError, free_ssds
from supervision.gpfs_selection import PATTERN, Built, Key, Selection, build
from supervision.gpfs_site import looks_of, site_of
from supervision.gpfs_view import View
from supervision.identity import HostLook, Seen
from supervision.plan import PlannedDevice
from supervision.verdicts import Level, gathered, whose


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What a person wants. `devices` are identities or serial numbers, () for all free SSDs if they are alike.

    `groups` are failure groups by the place that asks (`server` or `server enclosure`), `nodes` those of the restripe,
    () for the servers of the disks. `assumed` are fields of Assumptions.
    """

    devices: tuple[str, ...] = ()
    groups: Mapping[str, str] = {}
    nodes: tuple[str, ...] = ()
    pattern: str = PATTERN
    metadata_only: bool = False
    assumed: Mapping[str, int | float] = {}


def built_of(view: View, wish: Wish, hosts: Sequence[str]) -> Built:
    """The stanzas of the new disks. Raises DeviceError when a person must choose, or something blocks."""
    looks = {host: look for host, look in looks_of(view).items() if host in hosts}
    found = _wanted(wish.devices, looks) if wish.devices else _all_alike(looks)
    comment = "the new SSDs; device names are as they were when the plan was made"
    built = build(Selection(_spread(found, looks), wish.pattern, groups=wish.groups), site_of(view), comment=comment)
    if built.asked:
        whys = "; ".join(f"{asked.place}: {asked.why}" for asked in built.asked)
        options = " ".join(
            f"--group '{asked.place}={asked.found[0] if len(asked.found) == 1 else 'GROUP'}'" for asked in built.asked
        )
        raise DeviceError(f"which failure group? {whys}. Say so: {options}")
    if built.level is Level.BLOCK:
        lines = [
            ": ".join(part for part in (verdict.kind, whose(same), verdict.text, verdict.advice) if part)
            for verdict, same in gathered(built.judged.verdicts)
            if verdict.level is Level.BLOCK
        ]
        raise DeviceError("; ".join(lines))
    return built


def _all_alike(looks: Mapping[str, HostLook]) -> tuple[Seen, ...]:
    """Every free SSD, once each, if all are of one kind. Raises DeviceError."""
    found = {seen.identity: seen for look in looks.values() for seen in reversed(free_ssds(look))}
    if not found:
        raise DeviceError(
            f"no free SSD is seen on {fold(looks)}: `restripe show devices --servers` tells what is there"
        )
    kinds = Counter((seen.model, seen.identity.size_bytes) for seen in found.values())
    if len(kinds) > 1:
        listed = ", ".join(f"{count} x {model} of {size:,} bytes" for (model, size), count in kinds.items())
        raise DeviceError(
            f"the free SSDs are not of one kind ({listed}): say which by --device IDENTITY, once for each"
        )
    return tuple(sorted(found.values(), key=lambda seen: seen.identity.text))


def _wanted(names: Sequence[str], looks: Mapping[str, HostLook]) -> tuple[Seen, ...]:
    """The devices of some identities or serial numbers. Raises DeviceError."""
    found: list[Seen] = []
    for name in names:
        there = {
            seen.identity: seen
            for look in looks.values()
            for seen in look.devices
            if name and name in (seen.identity.text, seen.identity.text.partition(":")[2], seen.serial)
        }
        if len(there) != 1:
            advice = "`restripe show devices --servers` tells identities and serial numbers"
            raise DeviceError(f"{name} is {len(there)} devices on {fold(looks)}: {advice}")
        found += there.values()
    return tuple(found)


def _spread(found: Sequence[Seen], looks: Mapping[str, HostLook]) -> tuple[Key, ...]:
    """Where each device is to be named first: of several servers that see it, the one that is first for the fewest."""
    first: Counter[str] = Counter()
    chosen: list[Key] = []
    for seen in found:
        hosts = [host for host, look in looks.items() if len(look.find(seen.identity)) == 1] or [seen.host]
        host = min(hosts, key=lambda host: first[host])
        first[host] += 1
        chosen.append((host, seen.identity))
    order = {host: number for number, host in enumerate(looks)}
    return tuple(sorted(chosen, key=lambda key: order[key[0]]))


def planned_devices(built: Built) -> tuple[PlannedDevice, ...]:
    """The devices of stanzas as a plan has them. Raises ValueError for one that nothing proves."""
    pins = {pin.label: pin for pin in built.judged.pins}
    lost = [stanza.nsd for stanza in built.stanzas if stanza.nsd not in pins]
    if lost:
        raise ValueError(f"{fold(lost)}: no identity proves them, so they cannot be pinned")
    return tuple(
        PlannedDevice(
            nsd=stanza.nsd,
            identity=pins[stanza.nsd].identity,
            size_bytes=pins[stanza.nsd].size_bytes,
            model=pins[stanza.nsd].model,
            serial=pins[stanza.nsd].serial,
            servers=stanza.servers,
            failure_group=stanza.failure_group,
            pool=stanza.pool,
            at=pins[stanza.nsd].at,
        )
        for stanza in built.stanzas
    )
