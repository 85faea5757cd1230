"""What the ends of earlier runs teach about the next one of the same kind and place: how wide its range is to be.

A forecast is judged by how far beside its middle the end was, in units of what the range reached on that side: -1 is
its lower end, 1 its upper one. A run is kept as some of these figures, its residuals.

Quantiles are those of split conformal prediction with the run as the unit: forecasts of one run are not independent,
so each run counts as one, whatever it has of residuals, and the run that is still to come counts as one more, of which
nothing is known. Where the theory puts that one at infinity, which needs nine runs before it says anything, it is
taken here for a run as the ranges expect it without any history. So no run leaves them as they are, one moves them
a little, and many have the word.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from supervision.eta import Span
from supervision.eta_rates import Calibration

OUTSIDE = 0.1
"""Part of the ends that is meant to be below the range, and above it."""
RESIDUALS = 24
"""Residuals kept of a run, from equal parts of its time."""
RECENT = 30
"""The last runs of a kind that count: a site changes."""
FURTHEST = 20.0
"""A residual beyond that is taken for that."""
LEAST, MOST = 0.25, 6.0
"""Bounds of the factors: no history makes a range a point, or worthless."""
KEPT = 300
"""Runs that are kept of all kinds and sites together, the last ones."""
SAME_END = 120.0
"""Seconds: of one kind at one site, two that ended within that time are one run that was watched twice."""
_STEPS = 50
"""Halvings in the search for a quantile."""


NAME = 300
"""Characters of a kind or a site that are kept at most."""
Name = Annotated[str, Meta(max_length=NAME)]
Moment = Annotated[float, Meta(ge=0, le=1e11)]
Residual = Annotated[float, Meta(ge=-FURTHEST, le=FURTHEST)]


class FinishedRun(msgspec.Struct, frozen=True):
    """A run that ended: the kind of its command, such as `mmrestripefs -r`, and the site, such as a cluster's name.

    `ended` is in seconds since 1970, `seconds` how long it took.
    """

    kind: Name
    site: Name
    ended: Moment
    seconds: Moment
    residuals: Annotated[tuple[Residual, ...], Meta(min_length=1, max_length=RESIDUALS)]


def finished(
    kind: str,
    site: str,
    began: float,
    ended: float,
    forecasts: Iterable[tuple[float, Span]],
    calibration: Calibration | None = None,
) -> FinishedRun | None:
    """A run as it is kept: what was forecast of it when, as (time, seconds left), and when it was over.

    `calibration` is what these forecasts were made with. Times are of one clock, in seconds. None where nothing was
    forecast that the end can be held against.
    """
    chosen: dict[int, float] = {}
    length = ended - began
    for at, span in forecasts:
        if began <= at < ended and (found := residual(ended - at, span, calibration)) is not None:
            chosen.setdefault(int((at - began) / length * RESIDUALS), round(found, 4))
    return FinishedRun(kind, site, ended, length, tuple(chosen.values())) if chosen else None


def with_run(runs: Iterable[FinishedRun], run: FinishedRun) -> tuple[FinishedRun, ...]:
    """The history with one run more; of a run that was watched twice, what was seen last. It stays bounded."""
    rest = [each for each in runs if not (_alike(each, run) and abs(each.ended - run.ended) < SAME_END)]
    of_kind = [each for each in rest if _alike(each, run)]
    if len(of_kind) >= RECENT:
        rest.remove(of_kind[0])
    return (*rest, run)[-KEPT:]


def _alike(one: FinishedRun, other: FinishedRun) -> bool:
    return (one.kind, one.site) == (other.kind, other.site)


def encode_run(run: FinishedRun) -> bytes:
    """A run as a line of its file, with its newline."""
    return msgspec.json.encode(run) + b"\n"


def decode_run(line: bytes) -> FinishedRun | None:
    """A run of such a line; None for anything else."""
    try:
        return msgspec.json.decode(line, type=FinishedRun)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def residual(left: float, span: Span, calibration: Calibration | None = None) -> float | None:
    """Where in its range the truth was, `left` seconds; None where a forecast cannot be judged."""
    used = calibration or Calibration()
    if not (left > 0 and 0 < span.low <= span.mid <= span.high < math.inf):
        return None
    beside = math.log(left / span.mid)
    reach = math.log(span.high / span.mid) / used.above if beside > 0 else math.log(span.mid / span.low) / used.below
    return max(-FURTHEST, min(FURTHEST, beside / reach)) if reach > 0 else None


def calibration(runs: Sequence[FinishedRun], kind: str, site: str) -> Calibration:
    """What the last runs of a kind at a site teach."""
    alike = [run.residuals for run in runs if (run.kind, run.site) == (kind, site)]
    return calibrated(alike[-RECENT:])


def calibrated(runs: Sequence[Sequence[float]]) -> Calibration:
    """The factors by which a range reaches further, or less far, after runs of which these are the residuals.

    None of the runs is without any.
    """
    below = _quantile([[-each for each in run] for run in runs])
    return Calibration(below, _quantile(runs), len(runs))


def _quantile(runs: Sequence[Sequence[float]]) -> float:
    """What the residuals of a run to come exceed with the probability OUTSIDE."""
    low, high = LEAST, MOST
    for _ in range(_STEPS):
        middle = (low + high) / 2
        beyond = sum(sum(each > middle for each in run) / len(run) for run in runs)
        if (beyond + _expected(middle)) / (len(runs) + 1) > OUTSIDE:
            low = middle
        else:
            high = middle
    return round(high, 6)


def _expected(residual: float) -> float:
    """The share of residuals above one that the ranges expect by themselves: a half above 0, OUTSIDE above 1."""
    return 0.5 * math.pow(OUTSIDE / 0.5, residual)
