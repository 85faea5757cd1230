"""The processes of each host that work, look after look: when each of their counters was last seen to move.

It is part of the state, so a replay has it at every moment. What it means is in `supervision.working`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import msgspec

from remote.linux.work import Work, Worker
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
    told = fact.parsed.model if fact.parsed and fact.parsed.ok else None
    if not isinstance(told, Work):
        return before
    at = fact.at + fact.took / 2
    if before is None:
        return Works(at, told.boot_id, tuple(_seen(None, worker, at) for worker in told.workers), told.more)
    if at <= before.at:
        return before
    same_boot = not told.boot_id or told.boot_id == before.boot_id
    held = {(seen.worker.pid, seen.worker.start): seen for seen in before.seen if seen.gone is None and same_boot}
    now = tuple(_seen(held.pop((worker.pid, worker.start), None), worker, at) for worker in told.workers)
    left = list(held.values()) if same_boot else [seen for seen in before.seen if seen.gone is None]
    if told.more:  # it may be among those that were left out
        now, left = (*now, *left), []
    gone = [seen for seen in before.seen if seen.gone is not None]
    gone += [msgspec.structs.replace(seen, gone=at) for seen in left]
    return Works(at, told.boot_id or before.boot_id, (*gone[-GONE:], *now), told.more)


def _seen(before: Seen | None, worker: Worker, at: float) -> Seen:
    """A process after a look that told of it."""
    counts = Counts(at, worker.cpu, worker.read, worker.written, worker.chars_read, worker.chars_written)
    stopped = ((before.stopped if before else None) or at) if worker.stopped else None
    if before is None:
        moved = {name: Moved(value, at) for name, value in _values(worker)}
        return Seen(worker, at, at, None, stopped, MappingProxyType(moved), (counts,))
    moved = dict(before.moved)
    for name, value in _values(worker):
        held = moved.get(name)
        if held is None:  # a file that was opened since is a movement, a counter that was hidden so far is none
            moved[name] = Moved(value, at, before.last if name.startswith("size ") else None)
        elif held.value != value:
            moved[name] = Moved(value, at, before.last)
    files = {f"size {file.path}" for file in worker.files}
    for name in [name for name in moved if name.startswith("size ") and name not in files]:
        del moved[name]  # it was closed: a process may open any number of files in its life
    return Seen(
        worker, before.first, at, None, stopped, MappingProxyType(moved), (*before.recent[1 - RECENT :], counts)
    )


def _values(worker: Worker) -> Iterator[tuple[str, float]]:
    """The counters of a process that are told, by their names."""
    yield "cpu", worker.cpu
    for name in ("read", "written", "chars_read", "chars_written"):
        value: int | None = getattr(worker, name)
        if value is not None:
            yield name, value
    for file in worker.files:
        yield f"size {file.path}", file.size
