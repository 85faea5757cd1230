"""Checks: what speaks for and against a step, each with the text that was read, its age and what to do. Pure.

What was not read, was not wholly understood or is older than it may be never passes: it is `Outcome.UNKNOWN`, which
stops a step as a block does.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from remote.checked import Check, Outcome

__all__ = ["Check", "Outcome", "acknowledgeable", "fresh", "missing", "stale", "stops", "worst"]

_WEIGHT = {Outcome.PASS: 0, Outcome.NOTE: 1, Outcome.WARNING: 2, Outcome.UNKNOWN: 3, Outcome.BLOCK: 4}


def worst(checks: Iterable[Check]) -> Outcome:
    """The heaviest outcome; a block is heavier than what is unknown. PASS where there is no check."""
    return max((check.outcome for check in checks), key=_WEIGHT.__getitem__, default=Outcome.PASS)


def stops(checks: Iterable[Check]) -> tuple[Check, ...]:
    """Those that keep a step from running, blocks first."""
    return tuple(sorted((check for check in checks if check.stops), key=lambda check: -_WEIGHT[check.outcome]))


def acknowledgeable(checks: Iterable[Check]) -> tuple[Check, ...]:
    """Those that a person must acknowledge, one by one."""
    return tuple(check for check in checks if check.outcome is Outcome.WARNING)


def stale(at: float | None, since: float) -> bool:
    """Whether what was asked at `at` (Site's clock) is older than `since`; what was never asked is."""
    return at is None or at < since


def fresh(check: Check, since: float) -> Check:
    """The check itself, or UNKNOWN where it rests on what was asked before `since`. A block stays one, however old.

    What rests on no question at all (`at` is None) has no age.
    """
    if check.outcome is Outcome.BLOCK or check.at is None or check.at >= since:
        return check
    told = f"too old: {check.read}" if check.read else "too old"
    return msgspec.structs.replace(check, outcome=Outcome.UNKNOWN, read=told, advice="Ask again")


def missing(key: str, title: str, why: str, source: str = "", *, advice: str = "", at: float | None = None) -> Check:
    """A check whose grounds were not read or not wholly understood."""
    return Check(
        key, title, Outcome.UNKNOWN, why, advice or "See why it could not be read, then look again", at, source
    )
