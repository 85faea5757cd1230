"""The processes of each host that work, look after look: when each of their counters was last seen to move.

It is part of the state, so a replay has it at every moment. What it means is in `supervision.working`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from remote.linux.work import Worker
from supervision.facts import Fact

GONE = 16
"""Processes of each host that are kept after their end, the last ones."""
RECENT = 8
"""Looks of each process from which its present rates are told."""


class Moved(msgspec.Struct, frozen=True, gc=False):
    """How it stands with a counter: `value` as it was told last, `at` the first look that told it (Site's clock), and
    `before` the last look that told another one: it moved between the two. None where it was never seen to move."""

    value: float
    at: float
    before: float | None = None


class Counts(msgspec.Struct, frozen=True, gc=False):
    """The counters of a process at one look: seconds that it has computed, bytes that it has read and written of disks,
    and in all. None where that is hidden."""

    at: float
    cpu: float
    read: int | None = None
    written: int | None = None
    chars_read: int | None = None
    chars_written: int | None = None


class Seen(msgspec.Struct, frozen=True):
    """A process as it was told last. `first` and `last` are the first and last look that told of it, `gone` the first
    after those that did not (Site's clock). `stopped` is the first look that found it stopped, None while it is not.

    `moved` has its counters by their names: `cpu`, `read`, `written`, `chars_read`, `chars_written`, and for each file
    that it writes `size PATH`. `recent` are the last looks, the newest last.
    """

    worker: Worker
    first: float
    last: float
    gone: float | None = None
    stopped: float | None = None
    moved: Mapping[str, Moved] = MappingProxyType({})
    recent: tuple[Counts, ...] = ()


class Works(msgspec.Struct, frozen=True):
    """What is known of a host's processes that work. `at` is the last whole look (Site's clock)."""

    at: float
    boot_id: str = ""
    seen: tuple[Seen, ...] = ()
    more: int = 0


def noted(before: Works | None, fact: Fact) -> Works | None:
    """What is known after the fact `work HOST` has changed; answers that were not whole are left out."""
    del fact
    return before
