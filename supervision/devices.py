"""Which device is which: free devices by identity, on every host, and never by name.

A device's name is a name of this minute on this host. What is chosen here is pinned by identity and size, and
looked up again just before a command names it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from remote.gpfs.models import ClusterNode, NsdDevices
from remote.linux.models import BlockDevice, BlockDevices
from remote.names import NodeTable, UnknownNodeError


class DeviceError(ValueError):
    """The devices are not as they must be; the text says where and why."""


class Pin(msgspec.Struct, frozen=True):
    """A device that was chosen: where it is, what it is, and what it was called when it was looked at.

    `host` is the host as it is reached, `node` the cluster node's daemon name; `size_bytes` is part of the
    identity.
    """

    host: str
    node: str
    identity: str
    size_bytes: int
    model: str
    seen_as: str


def free_ssds(
    host: str, node: ClusterNode, devices: BlockDevices, nsds: NsdDevices, names: NodeTable
) -> tuple[Pin, ...]:
    """The non-rotating disks of a host that nothing uses: no mount, no partition, no signature, no NSD.

    GPFS up to 3.5 leaves no signature that Linux knows, so its own table is asked too. A row of it that names an
    unknown node, or does not tell the device on this one, leaves open which disk is taken: then none is free.
    """
    taken = set()
    for row in nsds.rows:
        try:
            here = names.resolve(row.node).daemon_name == node.daemon_name
        except UnknownNodeError as error:
            raise DeviceError(f"mmlsnsd -X tells of {row.nsd}: {error}") from None
        if here and not row.found:
            raise DeviceError(
                f"{host}: mmlsnsd -X does not tell which device {row.nsd} is ({row.remarks}): see why first"
            )
        if here:
            taken.add(row.device.removeprefix("/dev/"))
    pins = []
    for device in devices.disks():
        if device.rotational is not False or device.kname in taken or devices.in_use(device.kname):
            continue
        if not device.identity:
            raise DeviceError(f"{host}: {device.kname} looks free but has neither a WWN nor a serial number")
        pins.append(Pin(host, node.daemon_name, device.identity, device.size_bytes, device.model, device.kname))
    return tuple(sorted(pins, key=lambda pin: (len(pin.seen_as), pin.seen_as)))


def alike(pins: Sequence[Pin], hosts: Sequence[str]) -> tuple[Pin, ...]:
    """The pins, once it is certain what they are: one model and size, as many on each host, no identity twice."""
    if not pins:
        raise DeviceError("no host has a free non-rotating disk")
    kinds = Counter((pin.model, pin.size_bytes) for pin in pins)
    if len(kinds) > 1:
        listed = ", ".join(f"{count} x {model} of {size:,} bytes" for (model, size), count in kinds.items())
        raise DeviceError(f"the free disks are not of one kind, so a person must choose: {listed}")
    counts = {host: sum(pin.host == host for pin in pins) for host in hosts}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{host}: {count}" for host, count in counts.items())
        raise DeviceError(f"the hosts do not have equally many free disks ({listed})")
    twice = [identity for identity, count in Counter(pin.identity for pin in pins).items() if count > 1]
    if twice:
        raise DeviceError(f"the same identity was seen twice: {', '.join(twice)}")
    return tuple(pins)


def find(pin: Pin, devices: BlockDevices) -> BlockDevice:
    """The device that a pin means, as it is called now. DeviceError unless it is there once, whole and unused."""
    found = [device for device in devices.disks() if device.identity == pin.identity]
    if len(found) != 1:
        raise DeviceError(f"{pin.host}: {pin.identity} was {pin.seen_as} and is now seen {len(found)} times")
    device = found[0]
    if device.size_bytes != pin.size_bytes:
        raise DeviceError(
            f"{pin.host}: {pin.identity} ({device.kname}) has {device.size_bytes:,} bytes, not {pin.size_bytes:,}"
        )
    return device


def drift(pins: Sequence[Pin], devices: Mapping[str, BlockDevices]) -> tuple[str, ...]:
    """What a person would do wrong by going by names: names that mean a chosen disk here and another thing there."""
    notes = []
    for name in sorted({pin.seen_as for pin in pins}):
        for host, seen in devices.items():
            if any(pin.host == host and pin.seen_as == name for pin in pins):
                continue
            there = seen.get(name)
            if there is None:
                notes.append(f"there is no {name} on {host}")
            else:
                why = telling(seen.in_use(name)) or f"another disk ({there.model}, {there.size_bytes:,} bytes)"
                notes.append(f"{name} on {host} is another disk: {why}")
    return tuple(notes)


def telling(reasons: Sequence[str], most: int = 3) -> str:
    """The reasons that say most, what is mounted or swapped on first, and how many more there are."""
    loud = [reason for reason in reasons if "mounted" in reason or "as swap" in reason]
    ordered = [*loud, *(reason for reason in reasons if reason not in loud)]
    more = f" (+{len(ordered) - most} more)" if len(ordered) > most else ""
    return "; ".join(ordered[:most]) + more
