"""What the disks of each host had read and written, look after look: the older, the further apart.

It is part of the state, so a replay has it at every moment. What it means is in `supervision.io_rates`.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

import msgspec

from remote.linux.diskstats import DiskCounter, DiskCounters
from supervision.facts import Fact

NEWEST = 6
"""Looks that are all kept; of those before them about two for each doubling of their age."""
_MOST = (1 << 64) - 1


class Look(msgspec.Struct, frozen=True):
    """The counters of a host's disks in one boot. `at` is when they were read, on the Site's clock in seconds.

    `names` are the kernel's, `packed` the numbers behind them: kept states of a long replay hold many looks.
    """

    at: float
    boot_id: str
    names: tuple[str, ...]
    packed: bytes

    @property
    def disks(self) -> Mapping[str, DiskCounter]:
        """The counters by the kernel's names."""
        numbers = struct.iter_unpack("<QQQ", self.packed)
        return {name: DiskCounter(name, *three) for name, three in zip(self.names, numbers, strict=True)}


History = tuple[Look, ...]
"""The looks at one host, the last one last."""


def noted(before: History, fact: Fact) -> History:
    """The history after the fact `io HOST` has changed; answers that were not whole are left out."""
    told = fact.parsed.model if fact.parsed and fact.parsed.ok else None
    if not isinstance(told, DiskCounters):
        return before
    at = fact.at + fact.took / 2
    if before and at <= before[-1].at:
        return before
    names = tuple(disk.kname for disk in told.disks)
    if before and before[-1].names == names:
        names = before[-1].names
    numbers = ((disk.read, disk.written, disk.in_flight) for disk in told.disks)
    packed = b"".join(struct.pack("<QQQ", *(min(number, _MOST) for number in three)) for three in numbers)
    return _thinned((*before, Look(at, told.boot_id, names, packed)))


def _thinned(looks: History) -> History:
    """Without those whose neighbours are no further apart than the later one is old; the oldest and newest always."""
    kept, now = list(looks), looks[-1].at
    index = 1
    while index < len(kept) - NEWEST:
        if kept[index + 1].at - kept[index - 1].at <= now - kept[index + 1].at:
            del kept[index]
        else:
            index += 1
    return tuple(kept)
