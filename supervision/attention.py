"""What deserves a person's attention who looks elsewhere: when to ring, and how it stands in a few words.

Pure functions. They know no terminal: who rings and where the words stand is not said here.
"""

from __future__ import annotations

import msgspec

from remote.text import one_line
from supervision.clocktext import range_texts
from supervision.filesystem import Phase, Progress

_RING = {
    Phase.FINISHED: "the {scan} has finished",
    Phase.FAILED: "the {scan} has FAILED",
    Phase.STALLED: "the {scan} is STALLED: nothing moves",
    Phase.STOPPED: "the {scan} was stopped",
    Phase.LOST: "the {scan} is lost from sight",
    Phase.UNKNOWN: "it is not known any more how it stands with the {scan}",
}
"""Where a scan has come to when a person is to be called."""
_NO_FIGURE = (Phase.STARTING, Phase.RUNNING, Phase.QUIET)
"""Phases that go without saying where there is a percentage."""
LONGEST = 80
"""Characters of a title; terminals cut longer ones where they like."""


class Standing(msgspec.Struct, frozen=True):
    """How it stood at a look: which scan (host, job), in which phase, and whether users wait longer than is allowed."""

    job: tuple[str, str]
    phase: Phase
    over: bool = False


def news(before: Standing | None, after: Standing | None, scan: str) -> str:
    """Why a person is to be called now; empty where nothing has changed for the worse, or for good.

    At the first look nothing is news: whoever opens the screens reads them. Nor is another scan.
    """
    if before is None or after is None or before.job != after.job:
        return ""
    if after.phase is not before.phase and after.phase in _RING:
        return _RING[after.phase].format(scan=scan)
    if after.over and not before.over:
        return "users wait longer than the budget allows"
    return ""


def title(name: str, progress: Progress | None, now: float, zone: int, *, replayed: bool = False) -> str:
    """`97.4 % mss1 19:38-19:44`: the trouble if there is one, how far, which file system, and the finish."""
    parts = ["REPLAY"] if replayed else []
    if progress is not None:
        ended = progress.phase in (Phase.FINISHED, Phase.FAILED, Phase.STOPPED)
        if progress.phase not in _NO_FIGURE or progress.counter is None or progress.counter.fraction is None:
            parts.append(progress.phase.value if progress.phase is not Phase.STALLED else "STALLED")
        if progress.counter is not None and progress.counter.fraction is not None and not ended:
            parts.append(f"{progress.counter.fraction * 100:.1f} %")
    parts.append(one_line(name) or "restripe")
    if progress is not None and progress.finish is not None:
        finish = progress.finish
        low, _mid, high = range_texts(finish.low, finish.mid, finish.high, now, zone)
        parts.append(f"{low}-{high}")
    return " ".join(parts)[:LONGEST]
