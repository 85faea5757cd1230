"""What the disks of each host had read and written, look after look: the older, the further apart.

It is part of the state, so a replay has it at every moment. What it means is in `supervision.io_rates`.
"""

from __future__ import annotations

import msgspec

from remote.linux.diskstats import DiskCounters
from supervision.facts import Fact

NEWEST = 6
"""Looks that are all kept; of those before them about two for each doubling of their age."""


class Look(msgspec.Struct, frozen=True):
    """The counters of a host's disks. `at` is when they were read, on the Site's clock in seconds."""

    at: float
    counters: DiskCounters


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
    return _thinned((*before, Look(at, told)))


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
