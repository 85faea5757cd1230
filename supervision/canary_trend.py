"""How what the logs complain of rose and fell, as rates over equal pieces of time for a chart.

A week of a noisy host is thousands of counts. They are added up once for each hour in which something was heard, since
the past stays as it is; a chart, whatever its axis, then takes a few look-ups a column.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate

import msgspec

from supervision.canary import DAY, Bucket, Listening
from supervision.state import State

MOST = 10_000
"""Pieces of time that are told at most."""


class Point(msgspec.Struct, frozen=True):
    """Lines a minute over one piece of time that begins at `at` (Site's clock); None where nothing is known of it."""

    at: float
    errors: float | None
    warnings: float | None


class Sums(msgspec.Struct, frozen=True):
    """Pieces of time of `width` seconds each, by number since 1970 and rising, and the lines before each of them.

    `errors` and `warnings` have one figure more than there are pieces: the last is of all.
    """

    width: float
    numbers: tuple[int, ...]
    errors: tuple[int, ...]
    warnings: tuple[int, ...]

    def before(self, at: float) -> tuple[float, float]:
        """Errors and warnings before a time; of the piece that it is in, the part that is before."""
        index = bisect_right(self.numbers, at / self.width)
        if not index:
            return 0.0, 0.0
        part = min(1.0, max(0.0, (at - self.numbers[index - 1] * self.width) / self.width))
        return (
            self.errors[index - 1] + (self.errors[index] - self.errors[index - 1]) * part,
            self.warnings[index - 1] + (self.warnings[index] - self.warnings[index - 1]) * part,
        )


Remember = Callable[[str, tuple[object, ...], object, Callable[[], Sums]], Sums]
"""Gives what was made under a name, made anew only if one of the sources is another object."""


def trend(
    state: State,
    begins: float,
    ends: float,
    seconds: float = 60.0,
    hosts: Sequence[str] | None = None,
    remember: Remember | None = None,
) -> tuple[Point, ...]:
    """Rates over equal pieces of time, of `seconds` each; what is older than a day is told by the hour.

    With `remember` only hours in which something new was heard are gone through.
    """
    many = max(0, min(MOST, -int(-(ends - begins) // seconds)))
    edges = [begins + index * seconds for index in range(many + 1)]
    errors, warnings, known = [0.0] * many, [0.0] * many, [False] * many
    for host in state.hosts if hosts is None else hosts:
        heard, fact = state.heard.get(host), state.facts.get(f"logs {host}")
        if heard is None or fact is None or not heard.since:
            continue
        _note_known(known, edges, heard, fact.at + fact.took)
        for sums in _summed(host, heard, remember or _anew):
            for index, (more, milder) in _between(sums, edges, seconds):
                errors[index] += more
                warnings[index] += milder
    return tuple(
        Point(
            edges[index],
            errors[index] * 60 / seconds if known[index] else None,
            warnings[index] * 60 / seconds if known[index] else None,
        )
        for index in range(many)
    )


def _anew(_name: str, _sources: tuple[object, ...], _axis: object, make: Callable[[], Sums]) -> Sums:
    return make()


def _between(sums: Sums, edges: Sequence[float], seconds: float) -> Iterator[tuple[int, tuple[float, float]]]:
    """Errors and warnings between each two edges that the sums reach into, by the number of the first of the two."""
    if not sums.numbers:
        return
    begins, ends = sums.numbers[0] * sums.width, (sums.numbers[-1] + 1) * sums.width
    first = max(0, int((begins - edges[0]) // seconds))
    last = min(len(edges) - 1, int((ends - edges[0]) // seconds) + 1)
    if first >= last:
        return
    errors, warnings = sums.before(edges[first])
    for index in range(first, last):
        after = sums.before(edges[index + 1])
        yield index, (after[0] - errors, after[1] - warnings)
        errors, warnings = after


def _note_known(known: list[bool], edges: Sequence[float], heard: Listening, until: float) -> None:
    """Note the pieces of time of which something is known by a host that was read up to a time."""
    since = min(heard.since.values())
    for index, already in enumerate(known):
        at, end = edges[index], edges[index + 1]
        if already or not (since < end and at < until):
            continue
        known[index] = not any(gap <= at and end <= ended for gap, ended in heard.gaps)


def _summed(host: str, heard: Listening, remember: Remember) -> Iterator[Sums]:
    """What was heard of a host by the hour, and of each hour that is known so by the minute."""
    yield remember(f"trend {host}", (heard.hours,), None, partial(_sums, heard.hours, 3600.0))
    for hour, minutes in heard.minutes.items():
        # of a day's hours no two have the same name, and those of days before are not kept
        yield remember(f"trend {host} {hour % (DAY + 1)}", (minutes,), None, partial(_sums, minutes, 60.0))


def _sums(buckets: Mapping[int, Bucket], width: float) -> Sums:
    numbers = tuple(sorted(buckets))
    counts = [buckets[number].values() for number in numbers]
    return Sums(
        width,
        numbers,
        tuple(accumulate((sum([count.errors for count in each]) for each in counts), initial=0)),
        tuple(accumulate((sum([count.warnings for count in each]) for each in counts), initial=0)),
    )
