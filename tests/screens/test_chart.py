"""Charts as they stand on the screen, cell by cell: readable without colour, blank where nothing is known."""

from __future__ import annotations

from screens.widgets.chart import (
    FRAME,
    Finish,
    Sign,
    Trend,
    axis_line,
    columns_of,
    finish_lines,
    legend,
    mark_lines,
    sign_line,
    trend_lines,
)
from supervision.charting import Axis
from supervision.charting_forecasts import Band, Clock

NOON = 1370520000.0
"""Thu Jun 6 12:00:00 2013 in UTC."""
AXIS = Axis(NOON, NOON + 720, 12)
CLOCK = Clock(NOON + 600, 300.0, 4)
"""Four rows: 12:10, 12:15, 12:20 and 12:25."""
SIGNS = {"disk": Sign("D", "disk"), "qos": Sign("Q", "QoS")}


def drawn(low: float, mid: float, high: float) -> Band:
    return Band(NOON + low, NOON + mid, NOON + high)


BANDS = (
    None,
    None,
    drawn(660, 1799, 1799),
    drawn(700, 1200, 1500),
    drawn(700, 1300, 1500),
    drawn(900, 1400, 1400),
    None,
    drawn(600, 2000, 2100),
    drawn(300, 590, 610),
    *[None] * 3,
)


def test_a_drawing_takes_what_the_words_beside_it_leave() -> None:
    assert columns_of(77) == 77 - FRAME == 45
    assert columns_of(20) == 10


def test_a_forecast_is_a_range_of_clock_times_with_its_middle_in_thirds_of_a_row() -> None:
    finish = Finish(BANDS, CLOCK, NOON + 720)
    assert [line.plain for line in finish_lines(finish, AXIS)] == [
        "finish          12:25   ▔░░  ▲",
        "                12:20   ░▁━▔ ░",
        "                12:15   ░░░░ ░",
        "                12:10   ░░░  ░▼ ╱╱",
    ]


def test_the_true_end_is_a_line_once_it_is_told_and_a_hit_is_another_sign() -> None:
    finish = Finish(BANDS, CLOCK, NOON + 720, truth=NOON + 1250)
    assert finish_lines(finish, AXIS)[1].plain == "                12:20 ═══≡≡≡══════ ═ true"


def test_events_run_through_what_is_empty_and_the_cursor_has_a_style_of_its_own() -> None:
    finish = Finish(BANDS, CLOCK, NOON + 720)
    line = finish_lines(finish, AXIS, [0, 3], cursor=1)[1]
    assert line.plain == "                12:20 ┊ ░▁━▔ ░    "
    assert any(span.style == "reverse" and (span.start, span.end) == (23, 24) for span in line.spans)


def test_nothing_is_the_lowest_bar_anything_more_is_higher_and_unknown_is_blank() -> None:
    trend = Trend("rate", "40/s", (0.0, 1.0, 50.0, 100.0, None, 100.0), scale="max 100")
    assert [line.plain for line in trend_lines(trend)] == ["rate             40/s ▁▂▅█ █ max 100"]
    zero = Trend("canary", "0/min", (0.0, None, 0.0))
    assert trend_lines(zero)[0].plain == "canary          0/min ▁ ▁"


def test_bars_may_be_two_lines_high() -> None:
    trend = Trend("rate", "", (0.0, 25.0, 50.0, 75.0, 100.0), height=2)
    assert [line.plain[22:] for line in trend_lines(trend)] == ["  ▁▄█", "▁▅███"]


def test_what_is_above_a_limit_is_marked_without_colour_too() -> None:
    trend = Trend("users", "1.6x", (1.5, 3.0, 3.1, None, 9.0), top=3.0, scale="budget 3x", limited=True)
    assert trend_lines(trend)[0].plain == "users            1.6x ▅█▲ ▲ budget 3x"


def test_marks_are_letters_and_several_in_the_last_row_are_a_star() -> None:
    marks = [(NOON, "qos"), (NOON + 70, "disk"), (NOON + 71, "qos"), (NOON + 72, "odd"), (NOON + 719, "odd\x1b[2J")]
    assert [line.plain for line in mark_lines("events", marks, SIGNS, AXIS)] == [
        "events                QD         O",
        "                       *",
    ]


def test_the_legend_tells_what_is_in_sight() -> None:
    assert legend(["odd", "qos"], SIGNS, 77).plain == "           Q QoS  O odd"
    assert legend(["qos"], SIGNS, 77, several=True).plain == "           Q QoS  * several"


def test_a_row_of_signs() -> None:
    assert sign_line("state", "estimate", [("s", ""), ("─", ""), (" ", "")]).plain == "state        estimate s─"


def test_the_axis_has_round_times_and_a_pointer_with_its_own() -> None:
    axis = Axis(NOON - 60, NOON + 4 * 3600 - 60, 48)
    assert axis_line(axis, "whole run").plain == "            whole run ╵12:00      ╵13:00      ╵14:00      ╵15:00"
    assert axis_line(axis, "", cursor=14).plain == "                      ╵12:00        ▼13:09    ╵14:00      ╵15:00"
    assert axis_line(axis, "", cursor=47).plain.endswith("╵14:00      ╵15:00     ▼15:54")


def test_the_time_of_a_pointer_at_the_right_edge_has_room_and_a_tick_gives_way_to_it() -> None:
    assert axis_line(AXIS, "", cursor=11).plain == "                      ╵12:00     ▼12:11"
    seconds = axis_line(Axis(NOON, NOON + 600, 60), "", cursor=59).plain
    assert seconds.endswith("╵12:08     ▼12:09:50")
    assert len(seconds) <= 60 + FRAME
