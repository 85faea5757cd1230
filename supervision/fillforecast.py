"""Disks that a scan fills too much: when the way back is due, before full metadata stops the file system."""

from __future__ import annotations

from collections.abc import Iterable

from supervision.filesystem import Fill
from supervision.footprint import FULL


def at_end(fill: Fill) -> float:
    """The part of a disk that will be in use when the scan is over; of what has no forecast, the part that is now."""
    kb = fill.used if fill.end is None else max(fill.used, fill.end)
    return kb / fill.size if fill.size > 0 else 0.0


def escape_due(fills: Iterable[Fill], full: float = FULL) -> tuple[Fill, ...]:
    """The disks for which the way back is to be offered: at FULL of their size, now or by the forecast; worst first."""
    due = (fill for fill in fills if not fill.emptied and at_end(fill) >= full)
    return tuple(sorted(due, key=lambda fill: (-at_end(fill), fill.name)))
