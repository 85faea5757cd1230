"""Bars of text, for what is full and how far something is."""

from __future__ import annotations

from functools import cache


def bar(fraction: float | None, width: int) -> str:
    """A bar of eighths; a row of dots while the fraction is unknown."""
    if fraction is None:
        return "·" * width
    eighths = round(max(0.0, min(1.0, fraction)) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (" ▏▎▍▌▋▊▉"[rest] if rest else "")).ljust(width, "░")


@cache
def eighths(width: int) -> tuple[str, ...]:
    """All bars of that many cells, from empty to full: ten thousand rows have no more of them than these."""
    return tuple(bar(eighth / 8 / width, width) for eighth in range(width * 8 + 1))
