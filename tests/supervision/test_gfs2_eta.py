"""Forecasts of a savemeta: by blocks, of a lower bound, and only where somebody knows how the time went."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from supervision.eta import Estimate, Estimator, Observation, State
from supervision.eta_rates import LEAST_TIMES
from supervision.gfs2_eta import NO_COUNT, NO_TIMES, NO_TOTAL, Forecast, SavemetaForecaster
from tests.gfs2.gfs2texts import told

NOW = 1_796_083_200.0
"""2026-12-01 00:00:00, without a zone."""


def fed(forecaster: SavemetaForecaster, lines: Iterable[str]) -> Forecast:
    for number, text in enumerate(lines, 1):
        for drawn in text.split("\r"):
            forecaster.read(number, drawn.strip())
    found = forecaster.forecast()
    assert found is not None
    return found


def steadily(lines: int, each: int = 1000, every: int = 10) -> list[str]:
    """A log with times from 20:00 on: `each` blocks `every` seconds, from the header on."""
    head = ["Nov 30 20:00:00 There are 524284 blocks of 4096 bytes in the filesystem."]
    head += ["Nov 30 20:00:00 Filesystem size: 2.00GB", "Nov 30 20:00:00 "]
    at = [line * every for line in range(1, lines + 1)]
    clock = [f"{20 + seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}" for seconds in at]
    counts = [f"{(line + 1) * each} blocks saved ({12 if line < 5 else 99}% complete)" for line in range(lines)]
    return [*head, *(f"Nov 30 {time} {count}" for time, count in zip(clock, counts, strict=True))]


def test_with_times_and_a_total_the_finish_is_a_range_over_a_lower_bound() -> None:
    found = fed(SavemetaForecaster(100_000, now=NOW), steadily(30))
    assert (found.counter.done, found.counter.total, found.counter.at_least) == (30_000, 100_000, True)
    assert found.counter.fraction == pytest.approx(0.3)
    estimate = found.estimate
    assert (estimate.state, estimate.unit) == (State.ESTIMATE, "blocks")
    assert estimate.remaining is not None
    # 30,000 in 300 s; a third of all has no more than the bound, so that the middle is a quarter of the way to 3 times
    assert estimate.remaining.mid == pytest.approx((100_000 * LEAST_TIMES**0.25 - 30_000) / 100)
    assert estimate.remaining.low < 700 < estimate.remaining.high
    assert "100,000 blocks are a lower bound: taken for 1 to 3 times as many" in estimate.why
    assert found.printed == NOW - 4 * 3600 + 300


def test_the_tools_percentage_is_told_and_never_counted_by() -> None:
    found = fed(SavemetaForecaster(100_000, now=NOW), steadily(30))
    assert found.percent == 99
    without = fed(SavemetaForecaster(None, now=NOW), steadily(30))
    assert without.estimate == Estimate(State.UNKNOWN, "", None, NO_TOTAL)


def test_past_the_lower_bound_there_is_no_percentage_and_no_finish() -> None:
    found = fed(SavemetaForecaster(20_000, now=NOW), steadily(30))
    assert found.counter.fraction is None
    assert (found.estimate.state, found.estimate.remaining) == (State.UNKNOWN, None)
    assert "more blocks than the 20,000 that there are at least" in found.estimate.why


def test_what_the_page_tells_of_the_one_recorded_run_is_true() -> None:
    """It saved hardly more than the 376,254 dinodes there are, and became faster: docs/eta.md says how good it is."""
    forecaster, found = SavemetaForecaster(376_254, now=NOW), []
    for number, text in enumerate(told("savemeta_350_times").splitlines(), 1):
        if forecaster.read(number, text.strip()) and (one := forecaster.forecast()):
            found.append(one)
    end = found[-1].printed
    assert end is not None
    assert (len(found), found[-1].counter.done, end) == (35, 378_725, NOW - 10_004)  # 21:13:16
    told_of = [(one.printed, one.estimate.remaining) for one in found if one.printed != end]
    spans = [(end - at, span) for at, span in told_of if at is not None and span is not None]
    assert len(spans) == 26
    assert sum(span.low <= left <= span.high for left, span in spans) == 6
    assert sum(left < span.low for left, span in spans) == 20


def test_of_restoremeta_the_total_is_all_there_is() -> None:
    log = ["Nov 30 20:00:00 This is gfs2 metadata.", *steadily(30)[2:]]
    found = fed(SavemetaForecaster(100_000, now=NOW), log[:1] + log[2:])
    assert (found.phase, found.counter.at_least) == ("restoremeta", False)
    assert found.estimate.remaining is not None
    assert found.estimate.remaining.mid == pytest.approx(700)


def test_without_times_nobody_can_say_when_it_ends() -> None:
    log = told("savemeta_317").partition(" saved (76%)")[0] + " saved (76%)"
    found = fed(SavemetaForecaster(88_900, now=NOW), log.split("\n"))
    assert (found.line, found.printed, found.counter.done, found.percent) == (4, None, 75_904, 76)
    assert found.estimate == Estimate(State.UNKNOWN, "", None, NO_TIMES)
    neither = fed(SavemetaForecaster(now=NOW), log.split("\n"))
    assert neither.estimate.why == f"{NO_TIMES}; {NO_TOTAL}"


def test_how_long_it_had_run_makes_up_for_times() -> None:
    log = told("savemeta_317").partition(" saved (76%)")[0] + " saved (76%)"
    found = fed(SavemetaForecaster(88_900, 1000.0, now=NOW), log.split("\n"))
    assert found.estimate.remaining is not None
    # the mean rate since the beginning
    assert found.estimate.remaining.mid == pytest.approx((88_900 * 3**0.25 - 75_904) / 75.904)
    early = fed(SavemetaForecaster(10_000_000, 1000.0, now=NOW), log.split("\n"))
    assert early.estimate.state is State.STARTING


def test_a_release_that_counts_nothing_is_not_forecast_by_an_address() -> None:
    found = fed(SavemetaForecaster(88_900, 1000.0), ["\r470126 metadata blocks (89%) processed, "])
    assert found.counter.done is None
    assert found.estimate == Estimate(State.UNKNOWN, "", None, NO_COUNT)


def test_all_addresses_passed_is_nearly_the_end_and_no_more() -> None:
    found = fed(SavemetaForecaster(88_900), ["\r91251 blocks saved (100% complete)"])
    assert found.estimate.state is State.FINISHING


def test_the_end_is_told_with_what_speaks_against_it() -> None:
    forecaster = SavemetaForecaster(88_900)
    found = fed(forecaster, told("savemeta_350").split("\n"))
    assert forecaster.over
    assert found.estimate.state is State.FINISHING
    assert found.estimate.why == "its lines tell that it completed; whether it did its work is to be checked"
    blank = fed(SavemetaForecaster(), told("savemeta_350_no_gfs2").split("\n"))
    assert "holds no GFS2" in blank.estimate.why
    few = fed(SavemetaForecaster(91_252), told("savemeta_350").split("\n"))
    assert "it is not whole" in few.estimate.why
    long = fed(SavemetaForecaster(), told("savemeta_100tb_317").split("\n"))
    assert "completed, after 5 d 21 h" in long.estimate.why
    cut = fed(SavemetaForecaster(4827), told("restoremeta_350_truncated").split("\n"))
    assert (cut.phase, "1,672 blocks were restored of 4,827" in cut.estimate.why) == ("restoremeta", True)
    bad = SavemetaForecaster()
    assert "that it failed" in fed(bad, ["\r5 blocks saved (100% complete)", "File /a restore error."]).estimate.why
    assert not bad.over


def test_a_failure_is_told_and_forgotten_when_it_is_begun_again() -> None:
    failed = ["\r12 blocks saved (1% complete)", "write error: No space left on device from here"]
    found = fed(SavemetaForecaster(100), failed)
    assert found.estimate.why == f"it tells of a failure: {failed[1]}"
    again = fed(SavemetaForecaster(100), [*failed, "Filesystem size: 2.00GB", "\r7 blocks saved (1% complete)"])
    assert again.estimate.why == NO_TIMES


def test_times_of_every_form_give_the_same_rate() -> None:
    log = steadily(30)
    mid = fed(SavemetaForecaster(100_000, now=NOW), log).estimate.remaining
    assert mid is not None
    for old, new in (("Nov 30 ", "2026-11-30 "), ("Nov 30 ", "[2026-11-30 "), ("Nov 30 ", "")):
        stamped = [line.replace(old, new, 1) for line in log]
        if new.startswith("["):
            stamped = [f"{line[:20]}]{line[20:]}" for line in stamped]
        assert fed(SavemetaForecaster(100_000, now=NOW), stamped).estimate.remaining == mid


def test_midnight_and_new_year_pass() -> None:
    def at(day: str, clock: str, count: int) -> str:
        return f"{day} {clock} {count} blocks saved (1% complete)".strip()

    for days in (("Dec 31", "Jan  1"), ("", "")):
        forecaster = SavemetaForecaster(100_000, now=NOW + 40 * 86_400)
        late = [at(days[0], f"23:{minute}:00", (minute - 49) * 1000) for minute in range(50, 60)]
        early = [at(days[1], f"00:{minute:02}:00", (minute + 11) * 1000) for minute in range(10)]
        found = fed(forecaster, [*late, *early])
        assert found.estimate.remaining is not None
        assert found.estimate.remaining.mid == pytest.approx((100_000 * 3**0.25 - 20_000) / 1000 * 60)
        # 2027-01-01 00:09
        assert found.printed == (NOW + 31 * 86_400 + 540 if days[0] else None)


def test_a_day_without_a_year_is_not_in_the_future() -> None:
    found = fed(SavemetaForecaster(100, now=NOW), ["Dec 20 10:00:00 5 blocks saved (1% complete)"])
    assert found.printed == NOW - (365 - 19) * 86_400 + 36_000


def test_a_percentage_of_the_estimator_stays_out_where_blocks_pass_their_bound() -> None:
    estimator = Estimator(blocks=1000, at_least=True)
    estimator.begin(0.0)
    for minute in range(1, 11):
        estimator.observe(Observation(minute * 60.0, blocks=minute * 90))
    assert estimator.estimate().state is State.ESTIMATE
    estimator.observe(Observation(660.0, blocks=1011))
    assert estimator.estimate().state is State.UNKNOWN
    estimator.blocks = 5000
    assert estimator.estimate().state is State.ESTIMATE
