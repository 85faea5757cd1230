"""When a restripe says what: the lines of `mmrestripefs` and the counters behind them. Pure, no I/O.

Offsets are simulated seconds after the first percentage line. The published run is that of the seed: 1..5 % of phase
1 within 19 s, then hours of `98.xx %` in steps of 0.02 %, the last four lines with the published counters, and a
jump to 100 %. The percentage says nothing about the time that is left; the inode counter does. Runs of other file
systems have the same shape at the seed's rate.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

FIRST_LINE_AFTER = 5.0
"""Seconds from the start of the command to the first percentage line."""

_PHASE_1 = (0, 4, 9, 14, 19)
_PHASE_ENDS = (24, 29, 35, 42)
_KNOWN_LINES = (
    (13475, 84425985, 284678907),
    (13615, 85424754, 285549722),
    (13766, 86436023, 286198122),
    (13926, 87601428, 286622429),
)
_END = 14084
_END_MB = 287048000
_LAST_STEPS = 9822
"""Percentage, in hundredths, of the first of the four known lines."""
_STEPS = 96
"""Lines of the user phase up to the first known one: one every 140 s, give or take 18 s."""


@dataclass(frozen=True)
class Line:
    """One line to print: `text` is put before a time stamp and `tail` after it, if `stamped`."""

    offset: float
    text: str
    tail: str = ""
    stamped: bool = False


@dataclass(frozen=True)
class Timeline:
    """Lines and counters of one run; `points` are (offset, inodes, MB), rising."""

    lines: tuple[Line, ...]
    points: tuple[tuple[int, int, int], ...]

    @property
    def length(self) -> float:
        """Offset of the end."""
        return self.points[-1][0]

    @property
    def inodes_total(self) -> int:
        """Inodes scanned by the end."""
        return self.points[-1][1]

    def inodes_at(self, offset: float) -> int:
        """Inodes scanned at an offset, between the lines in proportion."""
        if offset <= self.points[0][0]:
            return 0
        if offset >= self.length:
            return self.inodes_total
        index = bisect_right(self.points, (offset, math.inf, math.inf)) - 1
        (t0, i0, _), (t1, i1, _) = self.points[index], self.points[index + 1]
        return i0 + int((i1 - i0) * (offset - t0) / (t1 - t0))

    def offset_of(self, fraction: float) -> float:
        """The offset at which a fraction of all inodes has been scanned."""
        wanted = fraction * self.inodes_total
        for (t0, i0, _), (t1, i1, _) in pairwise(self.points):
            if wanted <= i1:
                return t0 + (t1 - t0) * (wanted - i0) / (i1 - i0)
        return self.length


_RATE = 6250
"""Inodes scanned a second, that of the seed."""


def _heads(ends: tuple[float, ...], percents: tuple[Line, ...]) -> list[Line]:
    lines: list[Line] = []
    begin = -FIRST_LINE_AFTER
    for phase, end in enumerate(ends, 1):
        lines.append(Line(begin, f"Scanning file system metadata, phase {phase} ... "))
        if phase == 1:
            lines.extend(percents)
        lines.append(Line(end, "Scan completed successfully."))
        begin = end
    lines.append(Line(begin, "Scanning user file metadata ..."))
    return lines


def _early(offset: float, percent: int, *, wide: bool) -> Line:
    """A line of a metadata phase: whole percents, no counters."""
    return Line(offset, f"{percent:>4} % complete on " if wide else f" {percent} % complete on ", stamped=True)


def _late(offset: float, hundredths: int, inodes: int, megabytes: int, *, wide: bool) -> Line:
    """A line of the user phase; `wide` is the form of 4.2 and later."""
    if wide:
        tail = f"  ({inodes:>10} inodes with total {megabytes:>10} MB data processed)"
        return Line(offset, f" {hundredths / 100:6.2f} % complete on ", tail, stamped=True)
    tail = f"  ({inodes:>10} inodes {megabytes:>10} MB)"
    return Line(offset, f" {hundredths // 100}.{hundredths % 100:02d} % complete on ", tail, stamped=True)


def _tails(offset: float, inodes: int, megabytes: int, *, wide: bool) -> list[Line]:
    last = _late(offset, 10000, inodes, megabytes, wide=wide)
    # 3.5 ends with a line without counters.
    return [last if wide else Line(offset, last.text, stamped=True), Line(offset, "Scan completed successfully.")]


def _steps(begin: int, end: int, inodes: int, megabytes: int, count: int) -> list[tuple[int, int, int]]:
    """(offset, inodes, MB) of `count` lines, at intervals and rates that differ a little; the last is the end."""
    lengths = [140.0 + 18.0 * math.sin(1.7 * step) for step in range(count)]
    stretch = (end - begin) / sum(lengths)
    rates = [1.0 + 0.05 * math.sin(0.61 * step) for step in range(count)]
    weights = [length * rate for length, rate in zip(lengths, rates, strict=True)]
    points = [(begin, 0, 0)]
    time = weight = 0.0
    for length, share in zip(lengths, weights, strict=True):
        time += length * stretch
        weight += share / sum(weights)
        points.append((begin + round(time), round(inodes * weight), round(megabytes * weight)))
    return points


def full(allocated_inodes: int, *, wide: bool = False) -> Timeline:
    """The published run: 14084 s from the first percentage line to the last."""
    (first, first_inodes, first_mb), *_ = _KNOWN_LINES
    points = _steps(_PHASE_ENDS[-1], first, first_inodes, first_mb, _STEPS)
    points[-1:] = _KNOWN_LINES
    lines = _heads(_PHASE_ENDS, tuple(_early(at, percent, wide=wide) for percent, at in enumerate(_PHASE_1, 1)))
    for index, (offset, inodes, megabytes) in enumerate(points[1:], 1):
        lines.append(_late(offset, _LAST_STEPS - 2 * (_STEPS - index), inodes, megabytes, wide=wide))
    points.append((_END, allocated_inodes, _END_MB))
    lines.extend(_tails(_END, allocated_inodes, _END_MB, wide=wide))
    return Timeline(tuple(lines), tuple(points))


def computed(allocated_inodes: int, megabytes: int, *, wide: bool = False) -> Timeline:
    """A run of the seed's shape over any number of inodes, at the seed's rate; at most 500 lines."""
    begin = _PHASE_ENDS[-1]
    end = begin + max(60, allocated_inodes // _RATE)
    count = max(1, min(500, (end - begin) // 140))
    points = _steps(begin, end, allocated_inodes, megabytes, count)
    points[-1] = (end, allocated_inodes, megabytes)
    lines = _heads(_PHASE_ENDS, tuple(_early(at, percent, wide=wide) for percent, at in enumerate(_PHASE_1, 1)))
    for index, (offset, inodes, done) in enumerate(points[1:-1], 1):
        lines.append(_late(offset, 9500 + 490 * index // count, inodes, done, wide=wide))
    lines.extend(_tails(end, allocated_inodes, megabytes, wide=wide))
    return Timeline(tuple(lines), tuple(points))


def short(allocated_inodes: int, *, wide: bool = False) -> Timeline:
    """The run that finds nothing to move."""
    head = _heads((2, 4, 6, 8), () if wide else (_early(0, 1, wide=wide),))
    tail = _tails(20, allocated_inodes, _END_MB, wide=wide)
    return Timeline((*head, *tail), ((8, 0, 0), (20, allocated_inodes, _END_MB)))
