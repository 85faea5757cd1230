"""The forecast that a log carries: fed as lines come, kept as it moved, and the same in a replay."""

from __future__ import annotations

import pytest

from supervision.eta import State
from supervision.eta_rates import Known
from supervision.forecasts import MOST, MOST_AT_ONCE, Forecasts, Told, advanced, changed, forecast, steady_since
from supervision.reading import Counted, PhaseBegun, PhaseOver, WaitsFor

KNOWN = Known(1_000_000)
BEGUN = (0.0, PhaseBegun("Scanning user file metadata"))


def fed(count: int, *, gap: float = 100.0, step: int = 10_000, before: Forecasts | None = None) -> Forecasts:
    """A scan of 100 inodes a second, line by line."""
    held = advanced(before or Forecasts(), [BEGUN], KNOWN)
    for number in range(1, count + 1):
        held = advanced(held, [(gap * number, Counted(1.0, step * number))], KNOWN)
    return held


def test_each_line_is_told_of_with_the_finish_on_the_clock() -> None:
    held = fed(10)
    # the first is told of at once, where nothing is counted yet; figures come with the second minute and a hundredth
    assert held.told[0].state is State.STARTING
    figures = [one for one in held.told if one.mid is not None]
    assert [one.at for one in figures] == [600.0, 700.0, 800.0, 900.0, 1000.0]
    assert [one.mid for one in figures] == pytest.approx([10_000.0] * 5)
    assert all(one.low < one.mid < one.high for one in figures if one.low and one.mid and one.high)


def test_what_is_taken_in_changes_nothing_that_was_there() -> None:
    held = fed(10)
    before = forecast(held, 1000.0, KNOWN)
    advanced(held, [(1100.0, Counted(2.0, 500_000))], KNOWN)
    changed(held, "a limit was set")
    assert forecast(held, 1000.0, KNOWN) == before
    assert fed(10) == held


def test_lines_that_come_together_tell_the_same_as_one_by_one() -> None:
    lines = [(100.0 * number, Counted(1.0, 10_000 * number)) for number in range(1, 11)]
    assert advanced(Forecasts(), [BEGUN, *lines], KNOWN) == fed(10)


def test_forecasts_are_kept_further_apart_the_longer_it_runs_and_never_more_than_so_many() -> None:
    held = fed(3000, gap=20.0, step=100)
    assert len(held.told) <= MOST
    gaps = [later.at - earlier.at for earlier, later in zip(held.told[1:], held.told[2:], strict=False)]
    assert min(gaps) >= 30.0
    assert held.told[-1].at > 59_000.0


def test_weeks_of_lines_that_come_together_are_told_of_in_few_forecasts() -> None:
    lines = [(120.0 * number, Counted(1.0, 100 * number)) for number in range(1, 5001)]
    held = advanced(Forecasts(), [BEGUN, *lines], KNOWN)
    assert MOST_AT_ONCE - 2 <= len(held.told) <= MOST_AT_ONCE + 2
    assert held.told[-1].at > 590_000.0
    later = advanced(held, [(600_120.0, Counted(1.0, 500_100))], KNOWN)
    now = forecast(later, 600_120.0, KNOWN)
    assert now is not None
    assert now.remaining is not None
    assert now.remaining.mid == pytest.approx((1_000_000 - 500_100) * 1.2, rel=0.01)


def test_a_wait_is_told_at_once_and_its_end_too() -> None:
    held = advanced(fed(10), [(1001.0, WaitsFor("mmdeldisk"))], KNOWN)
    assert (held.told[-1].at, held.told[-1].state) == (1001.0, State.WAITING)
    held = advanced(held, [(1002.0, Counted(2.0, 110_000))], KNOWN)
    assert (held.told[-1].at, held.told[-1].state) == (1002.0, State.ESTIMATE)


def test_a_change_of_rate_that_is_known_is_the_reason_that_is_told() -> None:
    held = changed(fed(10), "QoS: maintenance of system 300IOPS, was unlimited")
    held = advanced(held, [(1100.0, Counted(2.0, 110_000))], KNOWN)
    assert "300IOPS" in held.told[-1].why
    assert changed(Forecasts(), "nothing to be told") == Forecasts()


def test_lines_that_tell_nothing_of_a_scan_cost_nothing() -> None:
    held = fed(3)
    assert advanced(held, [(400.0, PhaseOver())], KNOWN) is held
    assert advanced(held, [], KNOWN) is held
    assert forecast(Forecasts(), 0.0, KNOWN) is None


def test_how_long_a_forecast_has_been_steady() -> None:
    told = [
        Told(0.0, State.ESTIMATE, "inodes", 50.0, 60.0, 70.0),
        Told(10.0, State.ESTIMATE, "inodes", 80.0, 90.0, 99.0),
        Told(20.0, State.ESTIMATE, "inodes", 80.0, 95.0, 99.0),
    ]
    assert steady_since(told, 85.0, 97.0) == 10.0
    assert steady_since(told, 40.0, 99.0) == 0.0
    assert steady_since(told, 10.0, 20.0) is None
    assert steady_since([*told, Told(30.0, State.STALLED)], 85.0, 97.0) is None


def test_where_snapshots_make_the_total_unsure_the_forecast_is_wider_and_says_so() -> None:
    held = fed(20)
    sure = forecast(held, 2000.0, KNOWN)
    unsure = forecast(held, 2000.0, Known(1_000_000, snapshots=True))
    assert sure is not None
    assert unsure is not None
    assert sure.remaining is not None
    assert unsure.remaining is not None
    assert unsure.remaining.high > 2 * sure.remaining.high
    assert "with snapshots" in unsure.why
    assert forecast(held, 2000.0, KNOWN) == sure


def test_while_the_totals_are_still_asked_for_no_percentage_stands_in_for_them() -> None:
    awaited = Known(awaited=True)
    lines = [(100.0 * number, Counted(96.0 + number / 10, 10_000 * number)) for number in range(1, 11)]
    held = advanced(Forecasts(), [BEGUN, *lines], awaited)
    assert {one.state for one in held.told} == {State.STARTING}
    assert held.told[-1].why == "what its counters run up to is not known yet"
    found = forecast(held, 1000.0, KNOWN)
    assert found is not None
    assert found.remaining is not None
    assert found.remaining.mid == pytest.approx(9000.0)
