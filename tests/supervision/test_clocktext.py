"""Times and durations as people read them, also over days: a restripe may take weeks."""

from __future__ import annotations

import pytest

from supervision.clocktext import duration_text, moment_text, range_texts

NOON = 1_370_520_000.0
"""Thu Jun  6 12:00:00 UTC 2013."""
DAY = 86400.0


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (NOON, "12:00"),
        (NOON + 11 * 3600 + 3599, "23:59"),
        (NOON + 12 * 3600, "Fri 7 Jun 00:00"),  # a finish after midnight is not this evening's
        (NOON - DAY, "Wed 5 Jun 12:00"),
        (NOON + 200 * DAY, "Mon 23 Dec 12:00"),
        (NOON + 365 * DAY, "Fri 6 Jun 2014 12:00"),
    ],
)
def test_a_moment_has_its_day_where_that_is_not_today(at: float, text: str) -> None:
    assert moment_text(at, NOON, 0) == text


def test_the_day_is_that_of_the_hosts_zone() -> None:
    assert moment_text(NOON + 10 * 3600, NOON, 7200) == "Fri 7 Jun 00:00"
    assert moment_text(NOON + 10 * 3600, NOON, -7200) == "20:00"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (59.4, "59 s"),
        (59.6, "1 min"),
        (3600.0 * 47 + 59 * 60, "47 h 59 min"),
        (3600.0 * 48, "2 d 0 h"),
        (DAY * 12 + 3600 * 6, "12 d 6 h"),
        (DAY * 12 + 3600 * 23 + 3599, "13 d 0 h"),
    ],
)
def test_durations_of_days(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


def test_a_range_tells_each_day_once() -> None:
    hours = [NOON + 3600 * hour for hour in (1, 2, 13, 14, 15, 40)]
    assert range_texts(hours[0], hours[1], hours[1], NOON, 0) == ("13:00", "14:00", "14:00")
    assert range_texts(hours[1], hours[2], hours[3], NOON, 0) == ("14:00", "01:00", "Fri 7 Jun 02:00")
    assert range_texts(hours[2], hours[3], hours[4], NOON, 0) == ("Fri 7 Jun 01:00", "02:00", "03:00")
    assert range_texts(hours[0], hours[3], hours[5], NOON, 0) == ("13:00", "Fri 7 Jun 02:00", "Sat 8 Jun 04:00")
