"""Checks as values: what stops, what is to be acknowledged, and what is too old."""

from __future__ import annotations

import pytest

from supervision.checking import Check, Outcome, acknowledgeable, fresh, missing, stale, stops, worst


def check(outcome: Outcome, at: float | None = 100.0) -> Check:
    return Check(outcome.value, "It is so", outcome, "read", "do", at, "mmlsdisk fs1")


EVERY = tuple(check(outcome) for outcome in Outcome)


def test_a_block_weighs_most_and_what_is_unknown_stops_as_well() -> None:
    assert [each.key for each in stops(EVERY)] == ["block", "unknown"]
    assert [each.key for each in acknowledgeable(EVERY)] == ["warning"]
    assert worst(EVERY) is Outcome.BLOCK
    assert worst(each for each in EVERY if each.outcome is not Outcome.BLOCK) is Outcome.UNKNOWN
    assert worst(()) is Outcome.PASS


@pytest.mark.parametrize("outcome", Outcome)
def test_what_is_too_old_is_unknown_unless_it_blocks(outcome: Outcome) -> None:
    old = fresh(check(outcome), since=101.0)
    assert old.outcome is (Outcome.BLOCK if outcome is Outcome.BLOCK else Outcome.UNKNOWN)
    assert fresh(check(outcome), since=100.0) == check(outcome)
    assert fresh(check(outcome, at=None), since=101.0) == check(outcome, at=None)


def test_what_was_never_asked_is_old_and_missing_grounds_stop() -> None:
    assert (stale(None, 1.0), stale(0.5, 1.0), stale(1.0, 1.0)) == (True, True, False)
    made = missing("quorum", "There is quorum", "mmgetstate: not asked")
    assert made.stops
    assert made.advice
