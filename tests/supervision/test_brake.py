"""What a person asks of the brake, and how its figures are told."""

from __future__ import annotations

import math

import pytest

from supervision.brake import Hours, iops_text, read_request

NIGHT = Hours("567", 22 * 60 + 30, 23 * 60 + 59)


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("650", (650.0, None)),
        (" 1,300 IOPS ", (1300.0, None)),
        ("measure", (math.inf, None)),
        ("300 mon-fri 07:00-19:00", (300.0, Hours("12345", 420, 1140))),
        ("300 Mon-Fri 7-19", (300.0, Hours())),
        ("300 daily 8-18:30", (300.0, Hours("1234567", 480, 1110))),
        ("300 fri-sun 22:30-23:59", (300.0, NIGHT)),
        ("300 sun-mon 8-9", (300.0, Hours("17", 480, 540))),
    ],
)
def test_a_limit_is_asked_for_in_words(typed: str, wanted: tuple[float, Hours | None]) -> None:
    assert read_request(typed) == wanted


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("half", "a number of IOPS"),
        ("-5", "a number of IOPS"),
        ("300 mon-fri", "a number of IOPS"),
        ("300 mon-foo 7-19", "days are Mon, Tue"),
        ("300 daily 19-7", "the first before the last"),
        ("300 daily 7-24", "the first before the last"),
    ],
)
def test_what_is_no_request_is_refused_in_words(typed: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_request(typed)


def test_hours_are_told_as_they_are_typed() -> None:
    assert Hours().text == "Mon-Fri 07:00-19:00"
    assert Hours("17", 480, 540).text == "Mon,Sun 08:00-09:00"
    assert Hours("3", 480, 540).text == "Wed 08:00-09:00"


def test_figures_have_their_unit() -> None:
    assert [iops_text(value) for value in (1000.0, 4.2, math.inf, None)] == [
        "1,000 IOPS",
        "4.2 IOPS",
        "no limit",
        "? IOPS",
    ]
