"""Which part of a run is seen on a time axis: zoomed, moved, with a cursor on a moment. Pure; times are seconds."""

from __future__ import annotations

from math import ceil

import msgspec

from supervision.charting import HOUR, MINUTE, Axis

ZOOMS = (10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 12 * HOUR)
"""Seconds that a zoomed axis has; beyond them there is the whole run."""
GRAIN, COARSE = 10.0, 60.0
"""Seconds by which the axis of a whole run grows, and of one that is longer than an hour."""


class Run(msgspec.Struct, frozen=True):
    """What there is to look at, from its beginning until now or until it ended (Site's clock)."""

    began: float
    end: float

    @property
    def seconds(self) -> float:
        """How long it is; a run that has only just begun has the shortest axis all the same."""
        return max(self.end - self.began, ZOOMS[0])


class Lens(msgspec.Struct, frozen=True):
    """`span` is how much is seen, None for the whole run. `until` is where that ends, None for the end of the run as
    that goes on. `cursor` is the moment that is pointed at, None for none.
    """

    span: float | None = None
    until: float | None = None
    cursor: float | None = None


def zooms(run: Run) -> tuple[float | None, ...]:
    """The spans that show less than a run, and None for the whole of it."""
    return (*(zoom for zoom in ZOOMS if zoom < run.seconds), None)


def axis_of(run: Run, lens: Lens, columns: int, zone: int = 0) -> Axis:
    """The axis that is seen. It ends after a whole number of columns, so that it stands still while little time passes.

    The columns of a whole run grow with it, a little at a time.
    """
    columns = max(1, columns)
    span = lens.span
    if span is None or span >= run.seconds:
        grain = COARSE if run.seconds > HOUR else GRAIN
        return Axis(run.began, run.began + ceil(round(run.seconds / grain, 6)) * grain, columns, zone)
    width = span / columns
    last = run.end if lens.until is None else min(run.end, max(run.began + span, lens.until))
    end = ceil(round(last / width, 6)) * width
    return Axis(end - span, end, columns, zone)


def zoomed(run: Run, lens: Lens, by: int) -> Lens:
    """Seen nearer (-1) or from further away (1): around the cursor, or else with the same end."""
    spans = zooms(run)
    here = next((at for at, span in enumerate(spans) if span is None or span == lens.span), len(spans) - 1)
    span = spans[max(0, min(len(spans) - 1, here + by))]
    if span is None:
        return Lens(cursor=lens.cursor)
    until = lens.until if lens.cursor is None else lens.cursor + span / 2
    return _held(run, Lens(span, until, lens.cursor))


def panned(run: Run, lens: Lens, halves: int) -> Lens:
    """Moved by so many halves of what is seen, to what was earlier (negative) or later."""
    if lens.span is None:
        return lens
    until = (run.end if lens.until is None else lens.until) + halves * lens.span / 2
    return _held(run, Lens(lens.span, until, lens.cursor))


def pointed(run: Run, lens: Lens, axis: Axis, columns: int) -> Lens:
    """With the cursor moved by so many columns; beyond the end it is gone. What is seen goes with it."""
    at = run.end if lens.cursor is None else lens.cursor + columns * axis.width
    if at > run.end and lens.cursor is not None:
        return Lens(lens.span, None)
    at = max(run.began, min(run.end, at))
    until = lens.until
    if at < axis.start:
        until = at + (axis.end - axis.start)
    elif at > axis.end:
        until = at
    return _held(run, Lens(lens.span, until, at))


def _held(run: Run, lens: Lens) -> Lens:
    """What is seen stays within the run; at its end it goes on with it."""
    if lens.until is None or lens.span is None or lens.until >= run.end:
        return Lens(lens.span, None, lens.cursor)
    return Lens(lens.span, max(run.began + lens.span, lens.until), lens.cursor)


def span_text(span: float | None) -> str:
    """`10 min`, `3 h`, `whole run`."""
    if span is None:
        return "whole run"
    return f"{span / HOUR:.0f} h" if span >= HOUR else f"{span / MINUTE:.0f} min"
