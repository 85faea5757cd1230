"""Free devices for a recipe that chooses by itself: only where there is nothing to choose.

A person may choose otherwise (`supervision.gpfs_selection`); what is chosen here is alike on all hosts, and certain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from supervision.identity import HostLook, Seen, is_path


class DeviceError(ValueError):
    """The devices are not as they must be; the text says where and why."""


def free_ssds(look: HostLook) -> tuple[Seen, ...]:
    """The non-rotating disks and maps of a host that nothing uses and on which nothing lies, in the order of names.

    One of which that is not certain leaves everything open: DeviceError says which.
    """
    if look.missing:
        raise DeviceError(f"{look.host}: {look.missing[0]}")
    found = []
    for seen in look.devices:
        if seen.rotational is not False or seen.uses or is_path(seen):
            continue
        if seen.unread:
            raise DeviceError(f"{look.host}: {seen.name} looks free, but {seen.unread}")
        if seen.doubt:
            raise DeviceError(f"{look.host}: {seen.name} looks free, but {seen.doubt}")
        found.append(seen)
    return tuple(found)


def alike(found: Sequence[Seen], hosts: Sequence[str]) -> tuple[Seen, ...]:
    """The devices, once it is certain what they are: one model and size, as many on each host, no identity twice."""
    if not found:
        raise DeviceError("no host has a free non-rotating disk")
    kinds = Counter((seen.model, seen.identity.size_bytes) for seen in found)
    if len(kinds) > 1:
        listed = ", ".join(f"{count} x {model} of {size:,} bytes" for (model, size), count in kinds.items())
        raise DeviceError(f"the free disks are not of one kind, so a person must choose: {listed}")
    counts: Mapping[str, int] = {host: sum(seen.host == host for seen in found) for host in hosts}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{host}: {count}" for host, count in counts.items())
        raise DeviceError(f"the hosts do not have equally many free disks ({listed})")
    twice = [text for text, count in Counter(seen.identity.text for seen in found).items() if count > 1]
    if twice:
        raise DeviceError(f"the same identity was seen twice: {', '.join(twice)}")
    return tuple(found)
