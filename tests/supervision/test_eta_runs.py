"""What finished runs teach: residuals, their quantiles by run, and a history that stays bounded."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supervision.eta import Span
from supervision.eta_rates import Calibration
from supervision.eta_runs import (
    FURTHEST,
    KEPT,
    LEAST,
    MOST,
    RECENT,
    RESIDUALS,
    FinishedRun,
    calibrated,
    calibration,
    decode_run,
    encode_run,
    finished,
    residual,
    with_run,
)

SPAN = Span(50.0, 100.0, 400.0)
KIND, SITE = "mmrestripefs -r", "gpfs.example.com"


def run(ended: float = 1e9, *residuals: float, kind: str = KIND, site: str = SITE) -> FinishedRun:
    return FinishedRun(kind, site, ended, 3600.0, residuals or (0.5,))


@pytest.mark.parametrize(
    ("left", "where"), [(100.0, 0.0), (400.0, 1.0), (50.0, -1.0), (200.0, 0.5), (25.0, -2.0), (1e30, FURTHEST)]
)
def test_a_residual_tells_where_in_its_range_the_truth_was(left: float, where: float) -> None:
    assert residual(left, SPAN) == pytest.approx(where)


def test_a_residual_of_a_calibrated_range_is_that_of_the_range_without() -> None:
    """Twice as far above and half as far below as the ranges would by themselves."""
    calibrated_range = Span(100.0 / math.sqrt(2), 100.0, 1600.0)
    used = Calibration(below=0.5, above=2.0, runs=9)
    assert residual(400.0, calibrated_range, used) == pytest.approx(1.0)
    assert residual(50.0, calibrated_range, used) == pytest.approx(-1.0)


@pytest.mark.parametrize(
    "span", [Span(0, 100, 400), Span(100, 50, 400), Span(50, 100, math.inf), Span(100, 100, 100), Span(50, 100, 100)]
)
def test_a_forecast_that_cannot_be_judged_has_no_residual(span: Span) -> None:
    assert residual(200.0, span) is None
    assert residual(0.0, SPAN) is None


def test_a_run_keeps_one_residual_of_each_part_of_its_time() -> None:
    ended = 1000.0 + RESIDUALS * 100
    forecasts = [(1000.0 + 10 * step, Span(50.0, ended - 1000.0 - 10 * step, 1e5)) for step in range(RESIDUALS * 10)]
    found = finished(KIND, SITE, 1000.0, ended, [*forecasts, (ended, SPAN), (ended + 5, SPAN), (900.0, SPAN)])
    assert found is not None
    assert (found.kind, found.site, found.ended, found.seconds) == (KIND, SITE, ended, RESIDUALS * 100)
    assert found.residuals == (0.0,) * RESIDUALS


def test_a_run_of_which_nothing_was_forecast_is_not_kept() -> None:
    assert finished(KIND, SITE, 0.0, 100.0, []) is None
    assert finished(KIND, SITE, 100.0, 100.0, [(100.0, SPAN)]) is None


def test_no_run_leaves_the_range_as_it_is() -> None:
    found = calibrated([])
    assert [found.below, found.above] == pytest.approx([1.0, 1.0])


def test_the_quantile_counts_each_run_once_and_the_run_to_come_as_the_ranges_expect_it() -> None:
    """Nine runs that ended at twice the upper end: beyond x < 2 are 9 + 0.5 * 0.2 ** x of ten; beyond 2, 0.02 of ten.

    So the factor above is 2. Below, the tenth alone is left: 0.5 * 0.2 ** x = 1 holds for no x above 0.
    """
    found = calibrated([[2.0]] * 8 + [[2.0] * 20])
    assert found.below == pytest.approx(LEAST)
    assert found.above == pytest.approx(2.0, abs=1e-5)


def test_one_run_moves_the_range_only_a_little() -> None:
    """One run inside its range: 0.5 * 0.2 ** x of two are beyond x; that is a tenth at log(0.4) / log(0.2)."""
    found = calibrated([[0.0]])
    assert found.above == pytest.approx(math.log(0.4) / math.log(0.2), abs=1e-5)
    assert found.below == pytest.approx(found.above)


def test_no_history_makes_a_range_worthless() -> None:
    found = calibrated([[FURTHEST]] * 30)
    assert [found.below, found.above, found.runs] == pytest.approx([LEAST, MOST, 30])


def test_only_runs_of_the_same_kind_at_the_same_site_teach_and_of_these_the_last() -> None:
    alike = [run(float(number), 3.0) for number in range(10)]
    others = [run(99.0, -3.0, kind="mmdeldisk"), run(99.0, -3.0, site="elsewhere")]
    assert calibration([*others, *alike, *others], KIND, SITE) == calibrated([[3.0]] * 10)
    assert calibration([*alike, *[run(100.0 + n, 0.1) for n in range(RECENT)]], KIND, SITE) == calibrated(
        [[0.1]] * RECENT
    )


def test_a_history_is_bounded_by_kind_and_in_all_and_a_run_watched_twice_is_one() -> None:
    held: tuple[FinishedRun, ...] = ()
    for number in range(RECENT + 5):
        held = with_run(held, run(1000.0 * number, kind="mmdeldisk"))
    assert [each.ended for each in held] == [1000.0 * number for number in range(5, RECENT + 5)]
    again = run(1000.0 * (RECENT + 4) + 30, 0.9, kind="mmdeldisk")
    assert with_run(held, again) == (*held[:-1], again)
    for number in range(KEPT + 5):
        held = with_run(held, run(1e6, site=f"site {number}"))
    assert len(held) == KEPT
    assert held[0].site == "site 5"


@settings(max_examples=30)
@given(
    st.lists(st.lists(st.floats(-FURTHEST, FURTHEST, allow_nan=False), min_size=1, max_size=RESIDUALS), max_size=RECENT)
)
def test_factors_are_always_within_their_bounds(runs: list[list[float]]) -> None:
    found = calibrated(runs)
    assert LEAST <= found.below <= MOST
    assert LEAST <= found.above <= MOST


def test_a_line_holds_a_run_and_anything_else_is_none() -> None:
    line = encode_run(run(1e9, -0.25, 1.5))
    assert line.endswith(b"\n")
    assert decode_run(line) == run(1e9, -0.25, 1.5)
    for damaged in (line[:-5], b"", b"[]", b"\xff", line.replace(b"1.5", b"1e9"), line.replace(b"1.5", b"NaN")):
        assert decode_run(damaged) is None
    assert decode_run(line.replace(b"[-0.25,1.5]", b"[]")) is None
