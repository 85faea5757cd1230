"""What each host's devices were called and used for, look after look: the history by which a changed name is seen.

A look is kept only where it told something else than the one before; the times of the others are nowhere but in the
recording. It is part of the state, so a replay has it at every moment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec

from remote.linux.inventory import Inventory
from remote.linux.models import BlockDevices
from supervision.facts import Fact
from supervision.identity import Identity, Seen, is_path, look
from supervision.tables import Line, Severity

T = TypeVar("T")
MOST = 20
"""Looks that are kept of each host."""


class Sight(msgspec.Struct, frozen=True):
    """A device at one look: what it was called, what it is, and the worst of its uses, "" for none that was known."""

    name: str
    identity: Identity
    use: str = ""


class Sighting(msgspec.Struct, frozen=True):
    """The devices of a host as they were from `at` (Site's clock) on, in one boot; "" where that was not told."""

    at: float
    boot_id: str
    devices: tuple[Sight, ...]


def noted(before: tuple[Sighting, ...], host: str, facts: Mapping[str, Fact], at: float) -> tuple[Sighting, ...]:
    """The history of a host after an answer that was asked for at `at`; the same one when nothing is different."""
    blocks = _model(facts.get(f"devices {host}"), BlockDevices)
    if blocks is None:
        return before
    now = _sighting(host, at, blocks, facts)
    last = before[-1] if before else None
    if last is None:
        return (now,)
    rebooted = bool(now.boot_id and last.boot_id and now.boot_id != last.boot_id)
    if now.devices != last.devices or rebooted:
        now = now if now.boot_id else msgspec.structs.replace(now, boot_id=last.boot_id)
        return (*before, now)[-MOST:]
    if now.boot_id and not last.boot_id:
        return (*before[:-1], msgspec.structs.replace(last, boot_id=now.boot_id))
    return before


def _sighting(host: str, at: float, blocks: BlockDevices, facts: Mapping[str, Fact]) -> Sighting:
    inventory = _model(facts.get(f"inventory {host}"), Inventory)
    # what lies on them is read less often, and what was not read once must not look like a change
    one = look(host, at, blocks, inventory, None)
    devices = (Sight(seen.name, seen.identity, _use(seen)) for seen in one.devices if not is_path(seen))
    return Sighting(at, one.boot_id, tuple(devices))


def _use(seen: Seen) -> str:
    """Its worst use, in words that are the same whatever it is called."""
    words = seen.uses[0].text.split() if seen.uses else []
    return " ".join(word for word in words if not word.startswith(seen.name))


def _model(fact: Fact | None, kind: type[T]) -> T | None:
    model = fact.parsed.model if fact and fact.parsed else None
    return model if isinstance(model, kind) else None


def names_of(history: Sequence[Sighting], identity: Identity) -> tuple[tuple[str, float, str], ...]:
    """What a device was called: each name with the time and the boot from which on, the newest first.

    "" stands for a look at which it was not there, or not alone.
    """
    found: list[tuple[str, float, str]] = []
    for sighting in history:
        names = [sight.name for sight in sighting.devices if same_device(sight.identity, identity)]
        name = names[0] if len(names) == 1 else ""
        if not found or found[-1][0] != name:
            found.append((name, sighting.at, sighting.boot_id))
    return tuple(reversed(found))


def moments(histories: Mapping[str, Sequence[Sighting]]) -> tuple[float, ...]:
    """The times of all looks that told something else than those before, the newest first."""
    times = {sighting.at for history in histories.values() for sighting in history}
    return tuple(sorted(times, reverse=True))


def as_of(history: Sequence[Sighting], at: float) -> Sighting | None:
    """How a host was at a time; None where nobody had looked."""
    return next((sighting for sighting in reversed(history) if sighting.at <= at), None)


def changes(histories: Mapping[str, Sequence[Sighting]], at: float) -> tuple[Line, ...]:
    """What is different now from how it was at a time, host by host; from the first look where that was later."""
    found = []
    for host, history in histories.items():
        if not history:
            continue
        before, now = as_of(history, at), history[-1]
        found += _differences(host, before or history[0], now)
    return tuple(found)


def _differences(host: str, before: Sighting, now: Sighting) -> list[Line]:
    found = []
    if before.boot_id and now.boot_id and before.boot_id != now.boot_id:
        text = f"rebooted: boot id {before.boot_id[:8]} is now {now.boot_id[:8]}; every name may mean another device"
        found.append(Line(host, text, Severity.WARNING, at=now.at))
    left = list(now.devices)
    gone = []
    for old in before.devices:
        new = _find(left, old)
        if new is None:
            gone.append(old)
            continue
        left.remove(new)
        if new.name != old.name:
            text = f"renamed: {old.name} is now {new.name} ({_which(new)}{_used(new)})"
            found.append(Line(host, text, Severity.BAD))
        if new.use != old.use:
            text = f"use of {new.name} changed: {old.use or 'none known'} → {new.use or 'none known'}"
            found.append(Line(host, text, Severity.WARNING))
    found += [Line(host, f"gone: {old.name} ({_which(old)}{_used(old)})", Severity.WARNING) for old in gone]
    found += [Line(host, f"new: {new.name} ({_which(new)}{_used(new)})", Severity.NOTE) for new in left]
    return found


def _find(sights: Sequence[Sight], old: Sight) -> Sight | None:
    """The same device, or what has the name of one that nothing identifies."""
    same = [sight for sight in sights if same_device(sight.identity, old.identity)]
    named = [sight for sight in same if sight.name == old.name]
    if not old.identity.text or len(same) > 1:
        return named[0] if named else None
    return same[0] if same else None


def same_device(one: Identity, other: Identity) -> bool:
    """Whether two looks mean one device; one of them may have been told only the first half of its WWN."""
    if one.size_bytes != other.size_bytes:
        return False
    cut = one.text.startswith("wwn:6") and other.text.startswith("wwn:6")
    return one.text == other.text or (cut and (one.text.startswith(other.text) or other.text.startswith(one.text)))


def _which(sight: Sight) -> str:
    return sight.identity.text or "without identity"


def _used(sight: Sight) -> str:
    return f", {sight.use}" if sight.use else ""
