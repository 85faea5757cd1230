"""When a scan will be over: figures where they can be stood behind, words where not, and no jump without its reason.

The runs here are exact: so many inodes a second, a line a minute. What is left is then plain arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from supervision.eta import JUMP, LEAST_JUMP, Estimate, Estimator, Observation, Span, State
from supervision.eta_rates import Calibration

TOTAL = 1_000_000
MB_TOTAL = 5_000_000
RATE = 100
"""Inodes a second: the whole takes 10,000 s."""


def fed(lines: Iterable[tuple[float, int]], *, total: int | None = TOTAL) -> Estimator:
    """An estimator that was told of (seconds, inodes) since the beginning at 0."""
    estimator = Estimator(total)
    estimator.begin(0.0)
    for at, inodes in lines:
        estimator.observe(Observation(at, None, inodes))
    return estimator


def steady(until: float, *, since: float = 0.0, clock: float = 0.0) -> Iterator[tuple[float, int]]:
    """A line a minute; `clock` is by how much the stamps are wrong."""
    at = since + 60.0
    while at <= until:
        yield at + clock, int(at * RATE)
        at += 60.0


def span(estimate: Estimate) -> Span:
    assert estimate.state is State.ESTIMATE, estimate
    assert estimate.remaining is not None
    return estimate.remaining


def test_a_steady_run_ends_when_its_rate_says() -> None:
    found = fed(steady(3000)).estimate()
    assert span(found).mid == pytest.approx(7000)
    assert span(found).low < 7000 < span(found).high
    assert (found.unit, found.why) == ("inodes", "")


def test_minutes_without_a_line_are_taken_off_and_never_reach_the_end() -> None:
    estimator = fed(steady(9000))
    assert span(estimator.estimate(9120.0)).mid == pytest.approx(1000 * 1000 / 1120)
    assert span(estimator.estimate(9300.0)).low > 0


def test_inodes_and_mb_count_by_halves() -> None:
    estimator = Estimator(TOTAL, MB_TOTAL)
    estimator.begin(0.0)
    for minute in range(1, 41):
        estimator.observe(Observation(minute * 60.0, None, minute * 10_000, minute * 25_000))
    found = estimator.estimate()
    assert found.unit == "inodes+MB"
    assert span(found).mid == pytest.approx(2400 * (1 - 0.3) / 0.3)  # 40 % of the inodes and 20 % of the MB are done


@pytest.mark.parametrize(("lines", "why"), [(1, "only 1 min"), (4, "only 4 lines")])
def test_too_few_lines_give_no_figure(lines: int, why: str) -> None:
    found = fed(steady(60 * lines)).estimate()
    assert (found.state, found.remaining) == (State.STARTING, None)
    assert found.why.startswith(why)


def test_a_log_whose_middle_is_missing_has_a_figure_at_once() -> None:
    assert span(fed([(9000, 900_000)]).estimate()).mid == pytest.approx(1000)


def test_nothing_is_told_of_the_phases_before_the_one_that_counts() -> None:
    estimator = Estimator(TOTAL)
    estimator.begin(0.0, last=False)
    for line in range(1, 100):
        estimator.observe(Observation(line * 60.0, float(line)))
    assert estimator.estimate().state is State.STARTING
    for minute in range(1, 11):  # the header of the phase that counts is missing
        estimator.observe(Observation(5940 + minute * 60.0, float(minute), minute * 6000))
    assert span(estimator.estimate()).mid == pytest.approx(9400)


def test_waiting_for_another_command_is_said_until_a_line_comes() -> None:
    estimator = Estimator(TOTAL)
    estimator.wait("mmdeldisk")
    assert estimator.estimate() == Estimate(State.WAITING, "", None, "waits until mmdeldisk ends")
    estimator.observe(Observation(0.0, 1.0))
    assert estimator.estimate().state is State.STARTING


def test_silence_is_a_standstill_after_five_minutes_and_six_gaps() -> None:
    estimator = fed(steady(3000))
    assert estimator.estimate(3360.0).state is State.ESTIMATE
    found = estimator.estimate(3361.0)
    assert (found.state, found.remaining, found.why) == (State.STALLED, None, "no progress for 6 min")


def test_lines_that_tell_of_no_progress_are_a_standstill_too() -> None:
    still = [(3000.0 + minute * 60, 300_000) for minute in range(1, 8)]
    assert fed([*steady(3000), *still]).estimate().state is State.STALLED


def test_a_standstill_does_not_count_when_it_is_over() -> None:
    estimator = fed(steady(3000))
    before = span(estimator.estimate()).mid
    for at, inodes in steady(6000, since=3000, clock=7200):
        estimator.observe(Observation(at, None, inodes))
    after = estimator.estimate()
    assert before == pytest.approx(7000)
    assert span(after).mid == pytest.approx(4000)
    assert after.why == "it stood still for 2 h 00 min, or the clock was set"


@pytest.mark.parametrize("step", [-3600.0, -86_400.0, 3600.0, 86_400.0 * 365])
def test_a_step_of_the_clock_changes_nothing(step: float) -> None:
    estimator = fed([*steady(3000), *steady(6000, since=3000, clock=step)])
    assert span(estimator.estimate()).mid == pytest.approx(4000)


def test_lines_at_one_moment_are_no_work_in_no_time() -> None:
    burst = [(3000.0, 300_000 + line * 100) for line in range(1, 30)]
    assert span(fed([*steady(3000), *burst]).estimate()).mid == pytest.approx(7000, rel=0.02)


def test_a_run_that_counts_from_the_start_again_is_a_new_one() -> None:
    estimator = fed(steady(3000))
    estimator.estimate()
    for at, inodes in steady(2400):
        estimator.observe(Observation(3000 + at, None, inodes))
    found = estimator.estimate()
    assert span(found).mid == pytest.approx(7600)
    assert found.why == "it counts from the start again"


def test_a_total_that_grows_is_taken_and_named() -> None:
    estimator = fed(steady(3000))
    estimator.estimate()
    estimator.allocated = 2 * TOTAL
    found = estimator.estimate()
    assert span(found).mid == pytest.approx(17_000)
    assert found.why == "the totals are other ones now"


def test_a_total_to_which_users_add_a_little_is_taken_and_not_named() -> None:
    estimator = fed(steady(3000))
    estimator.estimate()
    estimator.allocated = TOTAL + TOTAL // 100
    found = estimator.estimate()
    assert span(found).mid == pytest.approx(7100)
    assert found.why == ""


def test_near_the_end_a_total_that_grows_a_little_moves_the_finish_and_is_named() -> None:
    estimator = fed(steady(9900))
    estimator.estimate()
    estimator.allocated = TOTAL + TOTAL // 100
    found = estimator.estimate()
    assert span(found).mid == pytest.approx(200)
    assert found.why == "the totals are other ones now"


def test_a_counter_just_past_its_total_is_nearly_over() -> None:
    assert fed(steady(10_080)).estimate().state is State.FINISHING


def test_a_counter_far_past_its_total_is_not_counted_by_any_more() -> None:
    estimator = Estimator(TOTAL, 2 * TOTAL)
    estimator.begin(0.0)
    for at, inodes in steady(12_000):
        estimator.observe(Observation(at, None, inodes, inodes))
    found = estimator.estimate()
    assert found.unit == "MB"
    assert span(found).mid == pytest.approx(8000)
    assert found.why == "there are more inodes than the 1,000,000 it was told of: not counted by them any more"


def test_without_totals_the_percentage_is_taken_and_its_recent_half_counts() -> None:
    estimator = Estimator()
    estimator.begin(0.0)
    for minute in range(1, 41):  # 20 % in the first half, 10 % in the second
        estimator.observe(Observation(minute * 60.0, min(minute, 20) + max(0, minute - 20) * 0.5, minute, minute))
    found = estimator.estimate()
    assert found.unit == "percent"
    assert span(found).mid == pytest.approx(70 / 10 * 1200)


def test_a_percentage_alone_gives_no_figure_near_its_end() -> None:
    estimator = Estimator()
    estimator.begin(0.0)
    for minute in range(1, 99):
        estimator.observe(Observation(minute * 60.0, float(minute)))
        if minute > 5:
            assert estimator.estimate().state is (State.ESTIMATE if minute < 98 else State.FINISHING)


def test_a_rate_that_changed_for_good_is_found_and_named() -> None:
    estimator = fed(steady(3000))
    reasons = []
    for minute in range(1, 61):
        estimator.observe(Observation(3000 + minute * 60.0, None, 300_000 + minute * 60 * RATE // 5))
        reasons.append(estimator.estimate().why)
    assert "the rate has changed: only the time since then counts" in reasons
    assert span(estimator.estimate()).mid == pytest.approx(628_000 / (RATE / 5), rel=0.05)


def test_lines_that_come_a_tenth_as_often_are_slow_work_and_no_standstills() -> None:
    """The tool prints a line for so much work: each gap alone looks like a standstill."""
    estimator = fed(steady(3000))
    estimator.estimate()
    reasons = []
    for line in range(1, 11):
        estimator.observe(Observation(3000 + line * 600.0, None, 300_000 + line * 6000))
        found = estimator.estimate()
        reasons.append(found.why)
    assert reasons[2].startswith("its lines come more slowly now: it does not stand still")
    assert span(found).mid == pytest.approx(640_000 / 10, rel=0.05)
    assert sum("stood still" in why for why in reasons) == 2


def test_a_rate_that_is_told_to_change_counts_after_a_few_lines() -> None:
    estimator = fed(steady(3000))
    estimator.tell("the limit was halved")
    assert estimator.estimate().why == "the limit was halved"
    for minute in range(1, 8):
        estimator.observe(Observation(3000 + minute * 60.0, None, 300_000 + minute * 3000))
    assert span(estimator.estimate()).mid == pytest.approx(679_000 / 50)


_counts = st.none() | st.integers(-(10**20), 10**20) | st.integers(0, 2 * TOTAL)
_times = st.floats() | st.floats(0, 1e5)
_lines = st.builds(Observation, _times, st.none() | st.floats() | st.floats(0, 100), _counts, _counts)
Step = Callable[[Estimator], object]
_steps: st.SearchStrategy[list[Step]] = st.lists(
    st.one_of(
        _lines.map(lambda line: lambda estimator: estimator.observe(line)),
        st.tuples(st.none() | _times, st.booleans()).map(lambda its: lambda e: e.begin(its[0], last=its[1])),
        _times.map(lambda now: lambda estimator: sound(estimator.estimate(now))),
        st.tuples(_counts, _counts).map(lambda totals: lambda estimator: tell_totals(estimator, *totals)),
        st.just(lambda estimator: estimator.wait("")),
        st.just(lambda estimator: estimator.tell("told")),
    ),
    max_size=25,
)


def tell_totals(estimator: Estimator, allocated: int | None, used_mb: int | None) -> None:
    estimator.allocated, estimator.used_mb = allocated, used_mb


def sound(found: Estimate) -> None:
    """A figure only in the one state that has one, and then one that means something."""
    assert (found.remaining is not None) == (found.state is State.ESTIMATE)
    if found.remaining is None:
        assert found.why
        return
    low, mid, high = found.remaining.low, found.remaining.mid, found.remaining.high
    assert all(map(math.isfinite, (low, mid, high)))
    assert 0 <= low <= mid <= high


@given(_steps)
@settings(max_examples=150, deadline=None)
def test_garbage_never_raises_and_never_makes_a_figure_that_is_none(steps: list[Step]) -> None:
    estimator = Estimator(TOTAL, MB_TOTAL)
    for step in steps:
        step(estimator)
        sound(estimator.estimate())
        estimator.snapshots = not estimator.snapshots


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9), st.booleans())
@settings(max_examples=50, deadline=None)
def test_whatever_a_recording_says_that_runs_taught_the_range_is_sound(
    below: float, above: float, snapshots: bool
) -> None:
    estimator = fed(steady(3000))
    estimator.calibration, estimator.snapshots = Calibration(below, above, 1), snapshots
    sound(estimator.estimate())


_runs = st.lists(
    st.tuples(st.floats(-7200, 7200) | st.floats(1, 120), st.integers(-500_000, 50_000) | st.integers(0, 20_000)),
    min_size=8,
    max_size=80,
)


@given(_runs)
@example([*[(0.0, 0)] * 3, *[(0.0, 1)] * 3, (0.0, 797), (2.2e-311, 1)])  # a time too short to divide by
@settings(max_examples=300, deadline=None)
def test_clock_steps_and_falling_counters_give_sound_figures_whose_jumps_have_reasons(
    steps: list[tuple[float, int]],
) -> None:
    """What is left goes down as active time passes; where it does anything else by much, something is said of it."""
    estimator = Estimator(TOTAL)
    estimator.begin(0.0)
    at, inodes, before = 0.0, 0, None
    for step, more in steps:
        at, inodes = at + step, max(0, inodes + more)
        estimator.observe(Observation(at, None, inodes))
        found = estimator.estimate()
        sound(found)
        if found.remaining and before and step >= 0:
            moved = found.remaining.mid + step - before.mid
            if abs(moved) > max(LEAST_JUMP, JUMP * before.mid) + 1e-6:
                assert found.why
        before = found.remaining


def test_a_copy_goes_on_by_itself() -> None:
    first = fed(steady(3000))
    other = first.copy()
    before = first.copy().estimate()
    other.tell("a limit was set")
    other.observe(Observation(20_000.0, 99.0, TOTAL // 2))  # after a long silence, which is cut out and told
    other.allocated = 2 * TOTAL
    other.estimate()
    assert first.copy().estimate() == before
    other.begin(30_000.0)
    assert first.estimate() == before
    assert other.estimate().state is State.STARTING


def test_a_copy_forecasts_what_the_first_one_does() -> None:
    first = fed(steady(3000))
    second = fed(steady(1500))
    second.estimate()
    second = second.copy()
    for at, inodes in steady(3000, since=1500):
        second.observe(Observation(at, None, inodes))
    assert second.estimate() == first.estimate()


def test_with_snapshots_the_total_is_a_range_and_said_to_be_one() -> None:
    """Of N allocated inodes 1 to 3 times as many are passed, every ratio like every other: the middle is sqrt(3) N."""
    estimator = fed(steady(3000))
    without = span(estimator.copy().estimate())
    estimator.snapshots = True
    found = estimator.estimate()
    assert span(found).mid == pytest.approx(3000 * (math.sqrt(3) - 0.3) / 0.3)
    assert "with snapshots more inodes are passed than are allocated: taken for 1 to 3 times as many" in found.why
    assert found.unit == "inodes"
    assert span(found).low < 7000 < span(found).high
    assert span(found).high > 2.5 * without.high
    assert span(found).high / span(found).mid > without.high / without.mid


def test_with_snapshots_as_many_inodes_as_are_allocated_are_not_the_end() -> None:
    estimator = fed([*steady(9960), (9990.0, 999_000)])
    assert estimator.copy().estimate().state is State.FINISHING
    estimator.snapshots = True
    assert span(estimator.estimate()).mid == pytest.approx(9990 * (math.sqrt(3) - 0.999) / 0.999)
    for at in (10_060.0, 10_160.0, 10_220.0):  # 1.6 % more than are allocated
        estimator.observe(Observation(at, at / 200, int(at * RATE)))
    assert estimator.estimate().unit == "percent"


def test_snapshots_say_nothing_where_only_a_percentage_is_known() -> None:
    plain, widened = Estimator(), Estimator(snapshots=True)
    for estimator in (plain, widened):
        estimator.begin(0.0)
        for minute in range(1, 31):
            estimator.observe(Observation(minute * 60.0, float(minute)))
    assert widened.estimate() == plain.estimate()


def test_earlier_runs_scale_the_range_and_leave_the_middle() -> None:
    estimator = fed(steady(3000))
    plain = span(estimator.copy().estimate())
    estimator.calibration = Calibration(below=0.5, above=2.0, runs=10)
    found = span(estimator.estimate())
    assert found.mid == plain.mid
    assert math.log(found.mid / found.low) == pytest.approx(0.5 * math.log(plain.mid / plain.low))
    assert math.log(found.high / found.mid) == pytest.approx(2.0 * math.log(plain.high / plain.mid))


def test_work_in_kb_is_forecast_like_any_other() -> None:
    """1,000 KB of 100,000 a look, a look each 15 minutes."""
    estimator = Estimator(kb=100_000)
    estimator.begin(0.0)
    for look in range(1, 41):
        estimator.observe(Observation(look * 900.0, kb=look * 1000))
    found = estimator.estimate()
    assert (found.unit, found.why) == ("KB", "")
    assert span(found).mid == pytest.approx(60 * 900)
    rough = Estimator(kb=100_000, rough="by the fill alone: rough")
    rough.begin(0.0)
    for look in range(1, 41):
        rough.observe(Observation(look * 900.0, kb=look * 1000))
    other = rough.estimate()
    assert other.why == "by the fill alone: rough"
    assert span(other).low < span(found).low
    assert span(other).high > span(found).high


@pytest.mark.parametrize("begun", [True, False])
def test_a_run_that_is_met_in_the_middle_is_forecast_by_what_is_seen_of_it(*, begun: bool) -> None:
    """The first line is that of 60 %, and earlier ones came with it, spread by their stamps."""
    estimator = Estimator(TOTAL)
    if begun:  # its header was not seen, and neither when it began
        estimator.begin(None)
    for minute in range(7):
        at = 6000.0 + 60 * minute
        estimator.observe(Observation(at, 98.0, int(at * RATE)))
    assert span(estimator.estimate(6360.0)).mid == pytest.approx(10_000 - 6360)
    assert span(estimator.estimate(6400.0)).mid < 10_000 - 6360


def test_a_run_that_is_met_in_the_middle_has_no_figure_at_its_first_line() -> None:
    estimator = Estimator(TOTAL)
    estimator.observe(Observation(6000.0, 98.0, 600_000))
    assert estimator.estimate().state is State.STARTING
    assert estimator.estimate().remaining is None
