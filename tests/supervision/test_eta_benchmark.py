"""What the table of docs/eta.md is made of: runs whose end is known, and other tools' rules."""

from __future__ import annotations

import pytest

from benchmarks.eta import picture
from benchmarks.eta.recorded import SEED, names, recorded
from benchmarks.eta.rivals import Linear, Rich, Smoothed, Window
from benchmarks.eta.scoring import Told, after, play, promise, score, taught
from benchmarks.eta.worlds import HELD_OUT, REGIMES, TUNED, run
from supervision.eta import Span
from supervision.eta_rates import Calibration
from tests.supervision.seedlog import USED_MB


def test_there_are_regimes_enough_and_some_were_held_out() -> None:
    assert len(REGIMES) == len(TUNED) + len(HELD_OUT) >= 8
    assert HELD_OUT


@pytest.mark.parametrize("regime", REGIMES)
def test_a_run_is_the_same_each_time_and_goes_on_to_its_end(regime: str) -> None:
    one = run(regime, 7)
    assert one == run(regime, 7)
    assert one != run(regime, 8)
    times, percents = [line.at for line in one.lines], [line.percent for line in one.lines]
    assert times == sorted(times)
    assert percents == sorted(percents)
    assert times[-1] <= one.finish + 1
    for counts, total in (
        ([line.inodes for line in one.lines], one.allocated),
        ([line.mb for line in one.lines], one.used_mb),
    ):
        known = [count for count in counts if count is not None]
        assert known == sorted(known)
        assert (total is None and not known) or (total is not None and (known[-1] <= total or one.snapshots))


@pytest.mark.parametrize("rule", [Linear, Smoothed, Window, Rich])
def test_every_rule_is_right_when_nothing_goes_wrong(rule: type[Linear | Smoothed | Window | Rich]) -> None:
    made = rule()
    told = [made.left(at, at / 1000) for at in range(10, 510, 10)]
    assert told[-1] == pytest.approx(500, abs=1)


def test_rich_knows_no_rate_of_lines_that_come_once_a_minute() -> None:
    rule = Rich()
    assert [rule.left(at, at / 1000) for at in range(60, 600, 60)] == [None] * 9


def test_scores_are_of_relative_errors_and_of_truths_inside() -> None:
    told = [
        Told(100.0, Span(50, 110, 200), {}),
        Told(100.0, Span(110, 150, 200), {}),
        Told(100.0, Span(10, 60, 90), {}),
        Told(100.0, None, {}),
    ]
    assert score(told, "ours") == pytest.approx((0.4, 0.5, 0.75))
    assert score(told, "linear %") is None
    kept = promise(told)
    assert kept is not None
    assert kept == pytest.approx((1 / 3, 1 / 3, 1 / 3, 80 / 60))


def test_every_recorded_run_can_be_played() -> None:
    assert SEED in names()
    for name in names():
        told = list(play(recorded(name), rivals=False))
        assert any(each.ours for each in told), name
        assert all(each.truth > 0 for each in told), name


def test_what_runs_teach_moves_the_ends_of_the_range_and_nothing_else() -> None:
    told = [Told(100.0, Span(50, 100, 200), {}), Told(100.0, None, {})]
    first, second = after(told, Calibration(below=2.0, above=0.5, runs=10))
    assert first.ours is not None
    assert (first.truth, first.ours.low, first.ours.mid) == (100.0, 25.0, 100)
    assert first.ours.high == pytest.approx(100 * 2**0.5)
    assert second.ours is None


def test_steady_runs_teach_a_narrower_range() -> None:
    found = taught(run("steady", seed) for seed in range(2))
    assert found.runs == 2
    assert found.above < 1.0


def test_with_snapshots_counters_pass_the_totals_that_are_told() -> None:
    runs = [run("snapshots", seed) for seed in range(3)]
    assert all(each.snapshots for each in runs)
    ratios = [each.lines[-1].inodes / each.allocated for each in runs if each.allocated and each.lines[-1].inodes]
    assert len(ratios) == 3
    assert max(ratios) > 1.5
    assert all(0.9 < ratio <= 3.0 for ratio in ratios)


def test_the_picture_of_the_docs_is_what_is_drawn_of_the_recording() -> None:
    told = picture.moments()
    assert picture.USED_MB == USED_MB
    assert (len(told), told[-1].percent) == (105, 100.0)
    end = told[-1].at
    spans = [one.ours for one in told if one.ours]
    assert all(span.low < end < span.high for span in spans[:-1])
    assert spans[-1].low - end == pytest.approx(10, abs=1)  # 2.5 minutes before the end: seconds late
    assert all(one.naive <= end for one in told[1:] if one.naive is not None and one.at < end - 1800)
    assert picture.draw(told) == picture.FILE.read_text(encoding="utf-8")
