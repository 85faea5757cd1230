"""What the disks of a host read and write, and whether anything has moved. Pure functions of the state.

A counter goes on from the boot. What cannot be told, since a host was booted or a disk was changed for another, is
None and never 0.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from remote.linux.diskstats import SECTOR, DiskCounter
from supervision.io_history import Look
from supervision.state import State

MB = 1_000_000
_WRAP = 1 << 32
"""Where the counters of old 32-bit kernels begin anew."""
_FASTEST = 32e9
"""Bytes a second that no disk does."""


class DiskRate(msgspec.Struct, frozen=True, gc=False):
    """What one disk does: MB (1,000,000 bytes) a second read and written between two looks, I/Os under way at the last.

    The rates are None where they cannot be told.
    """

    kname: str
    read_mb: float | None
    written_mb: float | None
    in_flight: int


class Moved(msgspec.Struct, frozen=True):
    """Bytes read and written from `since` until `until` (Site's clock, seconds)."""

    read: int
    written: int
    since: float
    until: float


def rates(state: State, host: str) -> tuple[DiskRate, ...]:
    """What each disk did between the last two looks at a host; nothing where nobody has looked."""
    looks = state.disk_counters.get(host, ())
    if not looks:
        return ()
    before = looks[-2] if len(looks) > 1 else None
    then = before.disks if before else {}
    return tuple(_rate(before, looks[-1], then.get(name), now) for name, now in looks[-1].disks.items())


def moved(state: State, host: str, devices: Iterable[str], since: float) -> Moved | None:
    """What some disks of a host (kernel names) have read and written since a time (Site's clock).

    It is counted from the last look before that time, else from the first one after it: `since` of the answer tells.
    None where it cannot be told: fewer than two looks, a boot between them, or a disk that is not in both.
    """
    looks = state.disk_counters.get(host, ())
    if len(looks) < 2:
        return None
    last = looks[-1]
    first = next((look for look in reversed(looks[:-1]) if look.at <= since), looks[0])
    then, now = first.disks, last.disks
    read = written = 0
    for name in devices:
        both = _difference(first, last, then.get(name), now.get(name))
        if both is None:
            return None
        read, written = read + both[0], written + both[1]
    return Moved(read, written, first.at, last.at)


def _rate(before: Look | None, last: Look, then: DiskCounter | None, now: DiskCounter) -> DiskRate:
    both = _difference(before, last, then, now) if before else None
    if before is None or both is None:
        return DiskRate(now.kname, None, None, now.in_flight)
    seconds = last.at - before.at
    return DiskRate(now.kname, both[0] / MB / seconds, both[1] / MB / seconds, now.in_flight)


def _difference(first: Look, last: Look, before: DiskCounter | None, now: DiskCounter | None) -> tuple[int, int] | None:
    """Bytes read and written between two looks; None where the counters are not of one disk in one boot."""
    boots = first.boot_id, last.boot_id
    if before is None or now is None or (boots[0] != boots[1] and all(boots)):
        return None
    most = (last.at - first.at) * _FASTEST / SECTOR
    read, written = _sectors(before.read, now.read, most), _sectors(before.written, now.written, most)
    return None if read is None or written is None else (read * SECTOR, written * SECTOR)


def _sectors(before: int, now: int, most: float) -> int | None:
    if now >= before:
        return now - before
    turned = now + _WRAP - before
    return turned if before < _WRAP and turned <= min(most, _WRAP // 2) else None
