"""Forecasts from what is on the disks: the seed's fill, disks that empty, and what is told without any log."""

from __future__ import annotations

import pytest

from supervision.eta import Estimator, Span, State
from supervision.eta_disks import ROUGH, Filling, emptied, evened_out, filled, fillings
from supervision.spaces import DiskUse, Look, noted
from tests.supervision.seedlog import ALLOCATED

BEGAN, FINISH = 0.0, 14_084.0
SIZE = 194_805_760
BEFORE = {"foo1_ssd1": 3_934_784, "foo2_ssd1": 3_922_560}
AFTER = {"foo1_ssd1": 67_993_984, "foo2_ssd1": 67_988_608}
"""KB in use on two of the seed's SSDs, as mmdf told before its restripe and after it."""
GROUPS = {"foo1_ssd1": "1", "foo2_ssd1": "2"}


def seed(at: float, part: float) -> tuple[float, list[DiskUse]]:
    """A look at the seed's SSDs when so much of what was written in all was written."""
    return at, [
        DiskUse(name, round(old + part * (AFTER[name] - old)), SIZE, GROUPS[name], "system", metadata=True)
        for name, old in BEFORE.items()
    ]


def looks(*told: tuple[float, list[DiskUse]]) -> tuple[Look, ...]:
    history: tuple[Look, ...] = ()
    for at, uses in told:
        history = noted(history, at, uses)
    return history


def counted(until: float) -> list[tuple[float, int]]:
    """The seed's counter, had it gone on evenly: a line each two minutes."""
    return [(at, round(ALLOCATED * at / FINISH)) for at in range(120, int(until) + 1, 120)]


@pytest.mark.parametrize("part", [0.5, 0.6, 0.75, 0.9, 1.0])
@pytest.mark.parametrize("uneven", [0.96, 1.0, 1.04])
def test_from_half_way_on_the_fill_of_the_seed_is_within_5_percent_of_what_it_was_in_the_end(
    part: float, uneven: float
) -> None:
    """Also where the inodes so far took 4 % more or less than those to come."""
    at = part * FINISH
    found = fillings(looks(seed(-60.0, 0.0), seed(at, part * uneven)), tuple(BEFORE), BEGAN, counted(at), ALLOCATED)
    assert [disk.name for disk in found] == list(BEFORE)
    for disk in found:
        assert disk.end_kb == pytest.approx(AFTER[disk.name], rel=0.05)
        assert SIZE - disk.end_kb == pytest.approx(126_117_888 + 693_888, rel=0.05)
        assert disk.full == pytest.approx(0.349, abs=0.02)


def test_the_fill_is_what_came_by_what_was_done_when_it_was_told() -> None:
    """The last look was at a quarter of the work, whatever was counted since."""
    history = looks((0.0, [DiskUse("d", 100, 1000)]), (25.0, [DiskUse("d", 200, 1000)]))
    (found,) = fillings(history, ("d",), 10.0, [(20.0, 0), (30.0, 500), (40.0, 900)], 1000)
    assert found == Filling("d", 1000, 100, 200, 500)


@pytest.mark.parametrize(
    ("began", "lines", "total"),
    [
        (10.0, [(20.0, 50), (30.0, 90)], 1000),  # 7 %: too early
        (10.0, [(20.0, 0), (30.0, 500)], None),  # of an unknown total
        (-5.0, [(20.0, 0), (30.0, 500)], 1000),  # nobody looked before it began
        (30.0, [(40.0, 500)], 1000),  # nobody has looked since
    ],
)
def test_nothing_is_said_of_the_fill_where_it_would_be_a_guess(
    began: float, lines: list[tuple[float, int]], total: int | None
) -> None:
    history = looks((0.0, [DiskUse("d", 100, 1000)]), (25.0, [DiskUse("d", 200, 1000)]))
    assert fillings(history, ("d",), began, lines, total) == ()


def span(found: Estimator | None) -> Span:
    """What is left after the last look that saw progress."""
    assert found is not None
    told = found.copy().estimate()
    assert told.state is State.ESTIMATE, told
    assert told.remaining is not None
    return told.remaining


def emptying(first: float, last: float) -> tuple[Look, ...]:
    """Two disks with 1,200,000 KB together at 0, of which 5 a second leave: a look each quarter of an hour."""
    return looks(
        *(
            (at, [DiskUse("a", 800_000 - round(2 * at), 10**6), DiskUse("b", 400_000 - round(3 * at), 10**6)])
            for at in (first + 900.0 * look for look in range(int((last - first) / 900) + 1))
        )
    )


def test_an_evacuation_is_over_when_nothing_is_left_on_the_leaving_disks() -> None:
    found = emptied(emptying(0.0, 18_000.0), ("a", "b"), 0.0)
    assert span(found).mid == pytest.approx((1_200_000 - 5 * 18_000) / 5)
    assert found is not None
    assert (found.estimate().unit, found.estimate().why) == ("KB", "")
    assert span(found).low < span(found).mid < span(found).high


def test_an_evacuation_that_was_met_in_the_middle_is_measured_from_the_first_look() -> None:
    found = emptied(emptying(90_000.0, 108_000.0), ("a", "b"), 0.0)
    assert span(found).mid == pytest.approx((1_200_000 - 5 * 108_000) / 5)


def test_work_of_before_the_run_is_none_of_it() -> None:
    """The looks before it began tell of other work; the run has gone on for five hours."""
    found = emptied(emptying(0.0, 36_000.0), ("a", "b"), 18_000.0)
    assert span(found).mid == pytest.approx((1_200_000 - 5 * 36_000) / 5)


def test_an_evacuation_stalls_and_says_so() -> None:
    history = emptying(0.0, 18_000.0)
    for at in (18_900.0, 40_000.0):
        history = noted(history, at, [DiskUse("a", 800_000 - 36_000, 10**6), DiskUse("b", 400_000 - 54_000, 10**6)])
    found = emptied(history, ("a", "b"), 0.0)
    assert found is not None
    assert found.estimate(40_000.0).state is State.STALLED


def test_nothing_is_told_of_disks_that_hold_nothing_or_that_nobody_looked_at() -> None:
    assert emptied((), ("a",), 0.0) is None
    assert emptied(looks((0.0, [DiskUse("a", 0, 10)])), ("a",), 0.0) is None
    assert emptied(emptying(0.0, 900.0), (), 0.0) is None


def test_without_a_log_the_fill_tells_roughly_when_it_is_over() -> None:
    """10 KB a second onto a disk that is to hold 500,000 more than at first."""
    history = looks(*((900.0 * look, [DiskUse("a", 1000 + 9000 * look, 10**6)]) for look in range(21)))
    found = filled(history, ("a",), 501_000, 0.0)
    assert span(found).mid == pytest.approx((500_000 - 180_000) / 10)
    assert found is not None
    assert found.estimate().why == ROUGH
    exact = emptied(emptying(0.0, 18_000.0), ("a", "b"), 0.0)
    assert span(found).high / span(found).mid > span(exact).high / span(exact).mid
    assert filled(history, ("a",), 1000, 0.0) is None


def test_disks_are_even_when_each_of_a_pool_is_as_full() -> None:
    """1,500 of 3,000 KB are in use in pool p: a half of the new disk's 1,000; pool q is another matter."""
    uses = [
        DiskUse("old", 1500, 2000, pool="p"),
        DiskUse("new", 0, 1000, pool="p"),
        DiskUse("other", 900, 1000, pool="q"),
    ]
    (look,) = looks((0.0, uses))
    assert evened_out(look) == {"old": 1000, "new": 500, "other": 900}
