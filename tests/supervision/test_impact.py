"""Does it hurt? Latencies against those of before, the budget, what hangs, and what cannot be known."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervision.impact import BUDGET, Baseline, Impact, Standing, baseline, impact
from supervision.impacttext import detail_lines, factor_text, impact_text, latency_text
from supervision.probing import Samples, Spread, advanced
from tests.supervision.probelines import DIRECTORY, begin, ended, hangs, heard, own, steady

BEGAN = 1200.0
"""When the scan began: an hour's third after the probe."""
BEFORE = (begin(), *steady(20, 1200, 2000))
NOON = 43_200
"""The zone of the texts: 0 s is 12:00 there."""
DAYS = 864_000.0


def text(found: Impact, now: float) -> str:
    """In words, ten days later: before 2 January 1970 there is no calendar."""
    later = {name: at and at + DAYS for name in ("over_since", "hung_since") for at in [getattr(found, name)]}
    return impact_text(msgspec.structs.replace(found, **later), now + DAYS, NOON)


def test_operations_are_held_against_what_they_took_before_the_scan() -> None:
    samples = heard(*BEFORE, *steady(1220, 1900, 3000))
    found = impact(samples, 1890.0, BEGAN)
    create, stat, unlink, whole = found.changes
    # before the scan are the levels at 0, 120, ... 1080, of which the first saw no probe
    assert found.baseline.basis == "54 probes over 18 min"
    assert (create.before, create.now) == (
        Spread(2000.0, 2000.0, 6 + 12 + 18 + 24 + 30 * 5),
        Spread(3000.0, 3000.0, 30),
    )
    assert (create.factor, create.tail_factor) == (1.5, 1.5)
    assert (stat.factor, unlink.factor) == (None, None)  # too quick to be compared
    assert whole.factor == 3010 / 2010
    assert (found.factor, found.standing, found.hung, found.why) == (1.5, Standing.WITHIN, 0, "")
    assert text(found, 1890.0) == "create 2.0 ms, 3.0 ms now, 1.5x (budget 3x)   hung probes 0"


def test_create_is_judged_whatever_the_process_for_unlink_takes() -> None:
    lines = (ended(at, at, 2000, 10, 10_000) for at in range(1200, 1900, 20))
    found = impact(heard(*BEFORE, *lines), 1890.0, BEGAN)
    assert (found.judged.name, found.factor) == ("create", 1.0)
    assert found.changes[3].factor == 12_010 / 2010


def test_the_baseline_is_the_median_of_windows_so_a_bad_quarter_of_an_hour_is_none() -> None:
    lines = (*steady(20, 3600, 1000), *steady(3600, 4500, 90_000), *steady(4500, 7200, 1000))
    create = baseline(heard(begin(), *lines), 7200.0).spreads[0]
    assert create is not None
    assert (create.p50, create.p95) == (1000.0, 1000.0)


@pytest.mark.parametrize(
    ("lines", "basis"),
    [
        ((), "no baseline: no probe has told anything"),
        ((begin(1300), *steady(1320, 1900, 3000)), "no baseline: the probe began only after the scan"),
        ((begin(1100), *steady(1120, 1900, 3000)), "no baseline: it needs 20 probes, and has 0"),
        ((begin(900), *steady(920, 1900, 3000)), "no baseline: it needs 20 probes, and has 12"),
    ],
)
def test_too_little_before_the_scan_is_no_baseline_and_no_verdict(lines: tuple[str, ...], basis: str) -> None:
    found = impact(heard(*lines), 1890.0, BEGAN)
    assert found.baseline == Baseline(basis, found.baseline.count)
    assert (found.factor, found.standing, found.over_since) == (None, Standing.UNKNOWN, None)
    assert [point.factor for point in found.trend] == [None] * len(found.trend)


def test_what_is_known_without_a_baseline_is_told() -> None:
    found = impact(heard(begin(1300), *steady(1320, 1900, 3000)), 1890.0, BEGAN)
    assert text(found, 1890.0) == "create 3.0 ms now, no baseline (budget 3x)   hung probes 0"
    assert "before: no baseline: the probe began only after the scan" in detail_lines(found)


def test_a_person_may_choose_the_time_of_the_baseline() -> None:
    samples = heard(begin(), *steady(20, 3000, 2000), *steady(3000, 6000, 1000), *steady(6000, 6700, 4000))
    assert impact(samples, 6690.0, 6000.0, before=(0.0, 2900.0)).factor == 2.0
    assert impact(samples, 6690.0, 6000.0, before=(3000.0, 6000.0)).factor == 4.0
    later = baseline(samples, 6000.0, 3000.0)
    assert later.basis == "150 probes over 50 min"
    assert baseline(samples, 3100.0, 3000.0).basis.startswith("no baseline: it needs 20 probes")


def test_a_probe_that_began_too_late_has_the_baseline_of_an_earlier_one_of_the_same_place() -> None:
    late, before = heard(begin(1300), *steady(1320, 1900, 3000)), heard(*BEFORE)
    found = impact(late, 1890.0, BEGAN, earlier=[heard(begin()), before])
    assert (found.factor, found.baseline) == (1.5, baseline(before, BEGAN))
    assert impact(late, 1890.0, BEGAN, earlier=[heard(begin())]).baseline == baseline(late, BEGAN)


def test_without_a_scan_all_that_was_is_the_baseline() -> None:
    found = impact(heard(*BEFORE), 1190.0)
    assert (found.factor, found.standing) == (1.0, Standing.WITHIN)


@pytest.mark.parametrize(
    ("create", "standing"),
    [(4000, Standing.WITHIN), (5000, Standing.NEAR), (6000, Standing.NEAR), (6001, Standing.OVER)],
)
def test_the_budget_is_held_nearly_reached_or_exceeded(create: int, standing: Standing) -> None:
    samples = heard(begin(), *(ended(at, at, 2000, 0) for at in range(20, 1200, 20)))
    samples = heard(*(ended(at, at, create, 0) for at in range(1200, 1900, 20)), samples=samples)
    assert impact(samples, 1890.0, BEGAN).standing is standing
    assert impact(samples, 1890.0, BEGAN, budget=100.0).standing is Standing.WITHIN


def test_the_budget_is_the_settings_else_the_probes_else_the_usual() -> None:
    told = heard(begin(budget="2"), *steady(20, 1200, 2000))
    assert impact(told, 1190.0).budget == 2.0
    assert impact(told, 1190.0, budget=5.0).budget == 5.0
    assert impact(heard(*BEFORE), 1190.0).budget == BUDGET


def test_since_when_it_is_over_is_told_from_the_first_window_without_a_break() -> None:
    samples = heard(*BEFORE, *steady(1200, 3000, 9000), *steady(3000, 4000, 2000), *steady(4000, 5400, 9000))
    found = impact(samples, 5390.0, BEGAN)
    # the window at 4320 has 17 of 30 probes at 9 ms, the one at 4200 has 11
    assert (found.standing, found.over_since) == (Standing.OVER, 4320.0)
    assert text(found, 5390.0) == "create 2.0 ms, 9.0 ms now, 4.5x (OVER the budget of 3x since 13:12)   hung probes 0"
    assert [(point.at, point.factor) for point in found.trend if 4200 <= point.at <= 4320] == [
        (4200.0, 1.0),
        (4320.0, 4.5),
    ]


def test_a_hung_probe_is_the_finding_and_no_window_without_it_looks_well() -> None:
    samples = heard(
        *BEFORE, *steady(1220, 1320, 2000), *(hangs(1330 + number, number, number) for number in range(1, 5))
    )
    found = impact(samples, 1340.0, BEGAN)
    assert (found.hung, found.hung_since) == (4, 1331.0)
    # five that took 2 ms and four of 30 s at least: the 5th of nine is 2 ms, the 9th hangs
    assert found.judged.now == Spread(2000.0, 30_000_000.0, 9, 30_000_000.0)
    assert text(found, 1340.0) == "create 2.0 ms, 2.0 ms now, 1x (budget 3x)   hung probes 4 since 12:22"
    samples = heard(*(own(at, "outstanding", 4) for at in range(1360, 2400, 30)), samples=samples)
    found = impact(samples, 2390.0, BEGAN)
    assert (found.hung, found.hung_since, found.factor, found.why) == (
        4,
        1331.0,
        None,
        "too few probes have ended of late",
    )
    assert text(found, 2390.0) == "create 2.0 ms, not known now (budget 3x)   hung probes 4 since 12:22"
    assert found.trend[-1].hung == 4


def test_when_most_probes_hang_the_usual_operation_takes_at_least_that_long() -> None:
    samples = heard(*BEFORE, *(hangs(1230 + number, number, number) for number in range(1, 7)))
    found = impact(samples, 1240.0, BEGAN)
    assert found.standing is Standing.OVER
    assert text(found, 1240.0).startswith(
        "create 2.0 ms, at least 30 s now, 15,000x (OVER the budget of 3x since 12:20)"
    )


@pytest.mark.parametrize(
    ("lines", "now", "why"),
    [
        ((), 5.0, "no probe has told anything yet"),
        (BEFORE, 1400.0, "nothing was heard of the probe for 4 min"),
        ((*BEFORE, own(1200, "end", 0)), 1201.0, "the probe has ended"),
        (
            (*BEFORE, own(1200, "end", 1, f"left {DIRECTORY}")),
            1201.0,
            f"the probe has ended and left {DIRECTORY} behind",
        ),
        ((own(1, "refused", "-", "Permission denied"),), 2.0, "the probe tells no times: it was refused: Permission"),
        (
            (*BEFORE, "restripe-probe 1 1200 60 - - - gone 0 create"),
            1201.0,
            "the probe tells no times: its directory is gone (create)",
        ),
    ],
)
def test_what_is_wrong_with_the_probe_is_told(lines: tuple[str, ...], now: float, why: str) -> None:
    found = impact(heard(*lines), now, BEGAN)
    assert found.why.startswith(why)
    assert found.hung is None or found.why.startswith("the probe tells no times: its directory")


def test_in_a_simulation_a_probes_own_times_are_real_ones_and_its_silence_is_no_end() -> None:
    assert impact(heard(*BEFORE), 1400.0, speed=600.0).why == ""


def test_latencies_and_factors_are_said_as_people_say_them() -> None:
    assert [latency_text(us) for us in (0, 449, 9_949, 9_950, 999_499, 999_500, 30_000_000, 240e6)] == [
        "0.0 ms", "0.4 ms", "9.9 ms", "10 ms", "999 ms", "1.0 s", "30 s", "4 min",
    ]  # fmt: skip
    assert [factor_text(factor) for factor in (1.0, 1.649, 3.0, 9.94, 9.95, 1234.0)] == [
        "1x", "1.6x", "3x", "9.9x", "10x", "1,234x",
    ]  # fmt: skip


@given(
    st.lists(st.text().map("restripe-probe 1 5 {}".format) | st.sampled_from(BEFORE), max_size=30),
    st.floats(-1e9, 1e9),
    st.none() | st.floats(-1e9, 1e9),
)
def test_whatever_was_told_there_is_an_answer(lines: list[str], now: float, began: float | None) -> None:
    found = impact(advanced(Samples(), lines, 5000.0), now, began)
    assert text(found, now)
    assert len(list(detail_lines(found))) >= 5
