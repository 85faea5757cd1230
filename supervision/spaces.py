"""How much is on each disk, look after look: the history by which one sees disks fill and empty.

It is part of the state, so a replay has it at every moment. It is bounded: when it is full, every second look of those
between the first and the last is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from supervision.facts import Fact
    from supervision.reading import Reading

MOST_LOOKS = 200
MOST_FIGURES = 200_000
"""Looks that are kept, and disks of all of them together: of ten thousand disks, twenty looks."""


class DiskUse(msgspec.Struct, frozen=True):
    """What a look tells of a disk: KB in use of KB, where it stands, and what it may hold."""

    name: str
    used_kb: int
    size_kb: int
    group: str = ""
    pool: str = ""
    metadata: bool = False
    data: bool = False


class Place(msgspec.Struct, frozen=True):
    """What of a disk is the same from look to look."""

    name: str
    size_kb: int
    group: str = ""
    pool: str = ""
    metadata: bool = False
    data: bool = False


class Look(msgspec.Struct, frozen=True):
    """What was told of the disks at the time `at` (Site's clock): `used_kb` is in the order of `places`.

    A look may be of some of the disks only.
    """

    at: float
    places: tuple[Place, ...]
    used_kb: tuple[int, ...]


def told(
    before: tuple[Look, ...], held: Mapping[str, Fact], facts: Mapping[str, Fact], reading: Reading, name: str
) -> tuple[Look, ...]:
    """The history of the disks of the file system `name` after answers: `held` are the facts before them."""
    for key, fact in facts.items():
        if fact is not held.get(key) and fact.parsed is not None and not fact.failure:
            before = noted(before, fact.at, reading.disk_uses(key, fact.parsed.model, name))
    return before


def noted(before: tuple[Look, ...], at: float, uses: Sequence[DiskUse]) -> tuple[Look, ...]:
    """The history after a look at the time `at`; of looks in a row that tell the same, the first and the last stay."""
    if not uses or (before and at < before[-1].at):
        return before
    places = tuple(
        Place(use.name, use.size_kb, use.group, use.pool, metadata=use.metadata, data=use.data) for use in uses
    )
    places = next((look.places for look in reversed(before[-2:]) if look.places == places), places)  # held once
    look = Look(at, places, tuple(use.used_kb for use in uses))
    if len(before) > 1 and _same(before[-2], look) and _same(before[-1], look):
        return (*before[:-1], look)
    return _thinned((*before, look))


def _same(one: Look, other: Look) -> bool:
    return one.places is other.places and one.used_kb == other.used_kb


def _thinned(looks: tuple[Look, ...]) -> tuple[Look, ...]:
    while len(looks) > 2 and (len(looks) > MOST_LOOKS or sum(len(look.used_kb) for look in looks) > MOST_FIGURES):
        looks = (looks[0], *looks[2:-1:2], looks[-1])
    return looks


def since(looks: Iterable[Look], names: Sequence[str], began: float) -> list[tuple[float, tuple[int, ...]]]:
    """KB in use of some disks at each look that tells of them all, as (time, KB of each in the order of `names`).

    The first is the last look up to `began`, where there was one; else there was nobody to look before it began.
    """
    told: list[tuple[float, tuple[int, ...]]] = []
    places: tuple[Place, ...] | None = None
    where: list[int] | None = None
    for look in looks:
        if look.places is not places:  # most looks share them: of ten thousand disks they are searched once
            places, where = look.places, _where(look.places, names)
        if where is None:
            continue
        figures = (look.at, tuple(map(look.used_kb.__getitem__, where)))
        if told and told[0][0] <= began and look.at <= began:
            told[0] = figures
        else:
            told.append(figures)
    return told


def _where(places: Sequence[Place], names: Sequence[str]) -> list[int] | None:
    """At which places the disks of some names are; None where one of them is not there, or none is asked for."""
    numbers = {place.name: number for number, place in enumerate(places)}
    found = [numbers[name] for name in names if name in numbers]
    return found if found and len(found) == len(names) else None
