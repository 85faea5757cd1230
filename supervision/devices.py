"""Free devices for a recipe that chooses by itself: only where there is nothing to choose.

A person may choose otherwise (`supervision.gpfs_selection`); what is chosen here is certain.
"""

from __future__ import annotations

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
