"""When a recorded scan was over in truth, and how good what was said of that before was. For replays only.

The end is what the host told of the job later in the recording; where the recording ends before, nobody knows it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from supervision.charting_forecasts import judged
from supervision.clocktext import duration_text, time_of_day
from supervision.forecasts import Told
from supervision.jobtimes import ended_here
from supervision.replay import Replay

EXACT = 30.0
"""Seconds of an error that is none: no log tells its lines more often."""


class Truth(msgspec.Struct, frozen=True):
    """When a job ended (Site's clock); None where that is not known, and `why` says why not."""

    at: float | None = None
    why: str = ""


def true_end(replay: Replay, host: str, job_id: str) -> Truth:
    """When a job of the recording ended."""
    state = replay.furthest
    job = state.job(host, job_id)
    at = ended_here(state, job) if job else None
    if at is not None:
        return Truth(at)
    if replay.complete:
        return Truth(why="the recording ends before it does")
    return Truth(why=f"not known yet: {replay.folded:.0%} of the recording is read")


def truth_text(truth: Truth, told: Sequence[Told], now: float, zone: int) -> str:
    """`19:41:03; forecast now 2 min early; in range 96 % of the time`; or why the end is not known."""
    if truth.at is None:
        return truth.why
    parts = [time_of_day(truth.at, zone)]
    found = judged(told, truth.at, now)
    if found.error is not None and now < truth.at:
        off, word = abs(found.error), "late" if found.error > 0 else "early"
        parts.append("forecast now right" if off < EXACT else f"forecast now {duration_text(off)} {word}")
    if found.inside is not None:
        parts.append(f"in range {found.inside * 100:.0f} % of the time")
    return "; ".join(parts)
