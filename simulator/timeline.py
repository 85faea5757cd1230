"""When a restripe says what: the lines of `mmrestripefs -r` and the counters behind them. Pure, no I/O.

Offsets are simulated seconds after the first percentage line. A full run is that of the seed: 1..5 % of phase 1
within 19 s, then hours of `98.xx %` in steps of 0.02 %, the last four lines with the published counters, and a
jump to 100 %. The percentage says nothing about the time that is left; the inode counter does.
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


def _tails(offset: float) -> list[Line]:
    return [
        Line(offset, " 100.00 % complete on ", "", stamped=True),
        Line(offset, "Scan completed successfully."),
    ]


def full(allocated_inodes: int) -> Timeline:
    """The run that moves something: 14084 s from the first percentage line to the last."""
    begin = _PHASE_ENDS[-1]
    (first, first_inodes, first_mb), *_ = _KNOWN_LINES
    lengths = [140.0 + 18.0 * math.sin(1.7 * step) for step in range(_STEPS)]
    stretch = (first - begin) / sum(lengths)
    rates = [1.0 + 0.05 * math.sin(0.61 * step) for step in range(_STEPS)]
    weights = [length * rate for length, rate in zip(lengths, rates, strict=True)]
    points = [(begin, 0, 0)]
    time = weight = 0.0
    for length, share in zip(lengths, weights, strict=True):
        time += length * stretch
        weight += share / sum(weights)
        points.append((begin + round(time), round(first_inodes * weight), round(first_mb * weight)))
    points[-1:] = _KNOWN_LINES
    lines = _heads(
        _PHASE_ENDS,
        tuple(Line(at, f" {percent} % complete on ", stamped=True) for percent, at in enumerate(_PHASE_1, 1)),
    )
    for index, (offset, inodes, megabytes) in enumerate(points[1:], 1):
        hundredths = _LAST_STEPS - 2 * (_STEPS - index)
        text = f" {hundredths // 100}.{hundredths % 100:02d} % complete on "
        lines.append(Line(offset, text, f"  ({inodes:>10} inodes {megabytes:>10} MB)", stamped=True))
    points.append((_END, allocated_inodes, _END_MB))
    lines.extend(_tails(_END))
    return Timeline(tuple(lines), tuple(points))


def short(allocated_inodes: int) -> Timeline:
    """The run that finds nothing to move."""
    return Timeline(
        (*_heads((2, 4, 6, 8), (Line(0, " 1 % complete on ", "", stamped=True),)), *_tails(20)),
        ((8, 0, 0), (20, allocated_inodes, _END_MB)),
    )
