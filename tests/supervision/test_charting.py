"""The arithmetic of charts: columns of time, what is known in them, clock times, and how good forecasts were."""

from __future__ import annotations

from supervision.charting import Axis, Sample, held, means, most, place, rates, ticks
from supervision.charting_forecasts import Band, Clock, Judged, bands, clock_of, judged, states, with_silences
from supervision.eta import State
from supervision.forecasts import Told

NOON = 1370520000.0
"""Thu Jun 6 12:00:00 2013 in UTC."""
AXIS = Axis(NOON, NOON + 600, 10)


def test_a_column_is_found_by_its_time_and_nothing_is_outside() -> None:
    assert [AXIS.column(NOON + at) for at in (-1, 0, 59, 60, 599, 600, 601)] == [None, 0, 0, 1, 9, 9, None]


def test_ticks_are_round_times_of_the_hosts_zone_with_room_for_their_labels() -> None:
    assert ticks(Axis(NOON, NOON + 4 * 3600, 48, 3600)) == [
        (0, "13:00"),
        (12, "14:00"),
        (24, "15:00"),
        (36, "16:00"),
        (47, "17:00"),
    ]
    assert ticks(Axis(NOON + 5, NOON + 65, 30)) == [(7, "12:00:20"), (17, "12:00:40"), (27, "12:01:00")]


def test_a_tick_at_midnight_is_the_new_day() -> None:
    night = Axis(NOON + 10 * 3600, NOON + 14 * 3600, 40)
    assert [label for _column, label in ticks(night)] == ["22:00", "23:00", "Fri 7", "01:00", "02:00"]


def test_rates_are_between_two_points_and_none_where_a_counter_went_back() -> None:
    assert rates([(0.0, 0), (10.0, 50), (10.0, 60), (20.0, 40), (30.0, 90)]) == [
        Sample(0.0, 10.0, 5.0),
        Sample(20.0, 30.0, 5.0),
    ]


def test_a_value_holds_until_the_next_one_but_not_longer_than_it_is_believed() -> None:
    assert held([(0.0, 1.0), (10.0, 2.0), (100.0, 3.0)], 20.0, 105.0) == [
        Sample(0.0, 10.0, 1.0),
        Sample(10.0, 30.0, 2.0),
        Sample(100.0, 105.0, 3.0),
    ]


def test_a_column_of_which_nothing_is_known_has_no_value() -> None:
    samples = [
        Sample(NOON - 60, NOON + 90, 4.0),
        Sample(NOON + 90, NOON + 120, 8.0),
        Sample(NOON + 300, NOON + 301, 1.0),
    ]
    assert means(samples, AXIS) == (4.0, 6.0, None, None, None, 1.0, None, None, None, None)
    assert most(samples, AXIS)[1] == 8.0


def test_zero_is_known() -> None:
    assert means([Sample(NOON, NOON + 60, 0.0)], AXIS)[:2] == (0.0, None)


def test_a_forecast_holds_until_the_next_one_and_not_beyond_now() -> None:
    told = [
        Told(NOON, State.STARTING),
        Told(NOON + 60, State.ESTIMATE, "inodes", 100.0, 200.0, 300.0),
        Told(NOON + 150, State.ESTIMATE, "inodes", 150.0, 180.0, 400.0),
        Told(NOON + 240, State.STALLED),
    ]
    assert bands(told, AXIS, NOON + 300) == (
        None,
        Band(100.0, 200.0, 300.0),
        Band(100.0, 180.0, 400.0),
        Band(150.0, 180.0, 400.0),
        *[None] * 6,
    )
    assert states(told, AXIS, NOON + 300) == ("starting", "estimate", "estimate", "estimate", "stalled", *[""] * 5)


def test_of_a_silence_it_is_told_that_nothing_came_and_no_figure_stands_there() -> None:
    first = Told(NOON + 60, State.ESTIMATE, "inodes", 100.0, 200.0, 300.0)
    later = Told(NOON + 420, State.ESTIMATE, "inodes", 150.0, 250.0, 350.0)
    lines = [NOON, NOON + 60, NOON + 360, NOON + 420]
    stalled = Told(NOON + 180, State.STALLED, why="no line came")
    again = Told(NOON + 360, State.ESTIMATE, "inodes", 100.0, 200.0, 300.0)
    assert with_silences([first, later], lines, 120.0, NOON + 430) == [first, stalled, again, later]
    assert with_silences([first, later], lines, 400.0, NOON + 430) == [first, later]
    now_too = Told(NOON + 540, State.STALLED, why="no line came")
    assert with_silences([first, later], lines, 120.0, NOON + 900)[-1] == now_too
    assert with_silences([], lines, 120.0, NOON + 900) == []


def test_what_was_bad_for_a_moment_of_a_column_stays_in_sight() -> None:
    told = [Told(NOON, State.STALLED), Told(NOON + 10, State.ESTIMATE)]
    assert states(told, AXIS, NOON + 60, ["stalled"])[0] == "stalled"
    assert states(told, AXIS, NOON + 60)[0] == "estimate"


def test_a_scale_of_clock_times_has_round_rows_around_what_is_shown() -> None:
    shown = [Band(NOON, NOON + 1500, NOON + 9000), None, Band(NOON + 1200, NOON + 1800, NOON + 2400)]
    assert clock_of(shown, 6) == Clock(NOON + 1200, 300.0, 6)
    assert clock_of([None], 6) is None


def test_one_wild_forecast_does_not_flatten_the_others() -> None:
    steady = [Band(NOON, NOON + 60, NOON + 120)] * 40
    wild = Band(NOON, NOON + 864_000, NOON + 9e6)
    clock = clock_of([wild, *steady], 4)
    assert clock is not None
    assert clock.step == 60.0


def test_the_truth_is_on_the_scale() -> None:
    clock = clock_of([Band(NOON, NOON + 60, NOON + 120)], 4, truth=NOON + 7200)
    assert clock is not None
    assert clock.low <= NOON + 7200 < clock.high


def test_a_label_of_another_day_says_so() -> None:
    clock = Clock(NOON, 7200.0, 8)
    assert [clock.label(row, NOON) for row in (0, 5, 6)] == ["12:00", "22:00", "Fri 00:00"]


def test_forecasts_are_judged_by_how_long_they_stood() -> None:
    told = [
        Told(0.0, State.STARTING),
        Told(10.0, State.ESTIMATE, "inodes", 80.0, 90.0, 99.0),
        Told(30.0, State.ESTIMATE, "inodes", 90.0, 110.0, 120.0),
    ]
    assert judged(told, 100.0, 90.0) == Judged(60.0 / 80.0, 10.0)
    assert judged(told, 100.0, 500.0) == Judged(70.0 / 90.0, 10.0)
    assert judged(told[:1], 100.0, 90.0) == Judged(None, None)


def test_marks_of_one_column_stand_above_each_other_and_the_rest_share_the_last_row() -> None:
    marks = [(NOON, "qos"), (NOON + 1, "disk"), (NOON + 2, "disk"), (NOON + 3, "node"), (NOON + 70, "qos"), (0.0, "x")]
    assert place(marks, AXIS, 2) == [{0: ("qos",), 1: ("qos",)}, {0: ("disk", "node")}]
