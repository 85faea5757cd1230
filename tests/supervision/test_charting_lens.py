"""What is looked at of a run: zooms, moving, and the cursor."""

from __future__ import annotations

import pytest

from supervision.charting import Axis
from supervision.charting_lens import Lens, Run, axis_of, panned, pointed, span_text, zoomed, zooms

NOON = 1370520000.0
RUN = Run(NOON, NOON + 7200)
TEN = Lens(600.0)


def test_zooms_show_less_than_the_run_and_end_with_all_of_it() -> None:
    assert zooms(Run(0.0, 120.0)) == (None,)
    assert zooms(RUN) == (600.0, 1800.0, 3600.0, None)
    assert zooms(Run(0.0, 86_400.0))[-2:] == (43_200.0, None)


def test_the_whole_run_begins_where_it_began_and_a_short_one_has_room_to_grow() -> None:
    assert axis_of(RUN, Lens(), 60) == Axis(NOON, NOON + 7200, 60)
    assert axis_of(Run(NOON, NOON + 5), Lens(), 60, 3600) == Axis(NOON, NOON + 600, 60, 3600)


def test_the_axis_of_a_whole_run_grows_by_a_little_at_a_time() -> None:
    ends = [axis_of(Run(NOON, NOON + seconds), Lens(), 60).end - NOON for seconds in (601, 610, 7201, 7260)]
    assert ends == [610, 610, 7260, 7260]


def test_a_zoomed_axis_stands_still_while_less_than_a_column_passes() -> None:
    first, second, third = (axis_of(Run(NOON, NOON + 7200 + later), TEN, 60) for later in (1, 9, 11))
    assert first == second == Axis(NOON + 7210 - 600, NOON + 7210, 60)
    assert third.end == NOON + 7220


@pytest.mark.parametrize(("until", "end"), [(NOON + 3600, 3600), (NOON - 9e9, 600), (NOON + 9e9, 7200)])
def test_an_axis_stays_within_the_run(until: float, end: float) -> None:
    assert axis_of(RUN, Lens(600.0, until), 60).end == NOON + end


def test_zooming_goes_through_all_levels_and_stops_at_both_ends() -> None:
    lens, seen = Lens(), []
    for _ in range(5):
        seen.append(lens.span)
        lens = zoomed(RUN, lens, -1)
    assert seen == [None, 3600.0, 1800.0, 600.0, 600.0]
    assert zoomed(RUN, Lens(3600.0, NOON + 4000), 1) == Lens()


def test_zooming_keeps_the_end_or_goes_where_the_cursor_is() -> None:
    assert zoomed(RUN, Lens(3600.0, NOON + 4000), -1) == Lens(1800.0, NOON + 4000)
    assert zoomed(RUN, Lens(cursor=NOON + 3000), -1) == Lens(3600.0, NOON + 4800, NOON + 3000)
    assert zoomed(RUN, Lens(cursor=NOON + 7000), -1) == Lens(3600.0, None, NOON + 7000)


def test_moving_goes_by_halves_and_follows_again_at_the_end() -> None:
    back = panned(RUN, TEN, -2)
    assert back == Lens(600.0, NOON + 6600)
    assert panned(RUN, back, 1) == Lens(600.0, NOON + 6900)
    assert panned(RUN, back, 2) == TEN
    assert panned(RUN, TEN, -100) == Lens(600.0, NOON + 600)
    assert panned(RUN, Lens(), -1) == Lens()


def test_a_cursor_begins_at_the_end_takes_what_is_seen_with_it_and_is_gone_beyond_the_end() -> None:
    axis = axis_of(RUN, TEN, 60)
    first = pointed(RUN, TEN, axis, -1)
    assert first == Lens(600.0, None, NOON + 7200)
    assert pointed(RUN, first, axis, -1).cursor == NOON + 7190
    assert pointed(RUN, first, axis, -70) == Lens(600.0, NOON + 7100, NOON + 6500)
    assert pointed(RUN, first, axis, 1) == TEN
    assert pointed(RUN, first, axis, -10_000).cursor == NOON


def test_spans_in_words() -> None:
    assert [span_text(span) for span in (600.0, 3600.0, 43_200.0, None)] == ["10 min", "1 h", "12 h", "whole run"]
