"""What a probe's lines become: whole or in pieces, ended or hanging, a month of them, and whatever is none."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervision.gpfs import READING
from supervision.logs import Log, append
from supervision.probing import (
    LEVELS,
    RECENT,
    Outcome,
    Sample,
    Samples,
    Setup,
    Spread,
    Told,
    advanced,
    read_line,
    read_setup,
    spreads,
)
from tests.supervision.probelines import DIRECTORY, begin, ended, hangs, heard, own, steady


def test_a_line_is_read_with_what_is_not_known_left_unknown() -> None:
    assert read_line("restripe-probe 1 1796067297 12 1900 8 1100 ok 1 ") == Told(
        1796067297, Outcome.OK, 12, 1900, 8, 1100, 1
    )
    assert read_line("restripe-probe 1 5 3 20 - - full 0 stat: No space left on device") == Told(
        5, Outcome.FULL, 3, 20, None, None, 0, "stat: No space left on device"
    )
    assert read_line("restripe-probe 1 5 - - - - outstanding 2") == Told(5, Outcome.OUTSTANDING, outstanding=2)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "restripe-probe 2 5 1 1 1 1 ok 0",
        "restripe-probe 1 5 1 1 1 1 fine 0",
        "restripe-probe 1 5 1 1 1 ok 0",
        "restripe-probe 1 5 1 1 1 1 o",
        "restripe-probe 1 5 1 -1 1 1 ok 0",
        "restripe-probe 1 5 1 99999999999999999 1 1 ok 0",
        "restripe-probe 1 ٥ 1 1 1 1 ok 0",
        " restripe-probe 1 5 1 1 1 1 ok 0",
    ],
)
def test_any_other_line_is_none(line: str) -> None:
    assert read_line(line) is None


@given(st.lists(st.text() | st.text().map("restripe-probe 1 {}".format)), st.floats(-1e12, 1e12))
def test_no_text_ends_the_reading(lines: list[str], at: float) -> None:
    samples = advanced(Samples(), lines, at)
    read_setup(" ".join(lines))
    assert samples.odd + len(samples.recent) <= len(lines)


@given(
    st.lists(
        st.builds(
            "restripe-probe 1 {} {} {} {} {} {} {}".format,
            st.integers(0, 100_000),
            st.integers(0, 9) | st.just("-"),
            *[st.integers(0, 10**9) | st.just("-")] * 3,
            st.sampled_from([outcome.value for outcome in Outcome]),
            st.integers(0, 5) | st.just("-"),
        ),
        max_size=60,
    )
)
def test_whatever_it_tells_time_never_goes_back_and_figures_are_those_that_were_told(lines: list[str]) -> None:
    samples = advanced(Samples(), lines, 5000.0)
    times = [sample.at for sample in samples.recent]
    assert times == sorted(times)
    assert all(time <= 5000.0 for time in times)
    told = {line.split()[4] for line in lines}
    assert {str(sample.create) for sample in samples.recent if sample.create is not None} <= told
    assert [level.at for level in samples.levels] == sorted(level.at for level in samples.levels)


def test_where_a_log_is_cut_makes_no_difference_to_what_is_told() -> None:
    data = "".join(
        f"{line}\n" for line in (begin(), ended(10, 1, 1000), hangs(40, 2, 1), ended(60, 2, 7, outcome="late"))
    )
    whole = append(Log("h", "job:a"), data.encode(), 60.0, end=len(data), reading=READING)
    log = Log("h", "job:a")
    for at in range(0, len(data), 7):
        log = append(log, data[at : at + 7].encode(), 60.0, end=at + 7, reading=READING)

    def timeless(samples: Samples) -> list[Sample]:
        return [msgspec.structs.replace(sample, at=0.0) for sample in samples.recent]

    assert timeless(log.samples) == timeless(whole.samples)
    assert [sample.at for sample in whole.samples.recent] == [10.0, 60.0]
    assert (log.samples.setup, log.samples.hung, log.samples.late) == (whole.samples.setup, 1, 1)


def test_lines_that_came_together_are_as_old_as_they_say() -> None:
    lines = [begin(1000), *(ended(1000 + 20 * number, number, 500) for number in range(1, 4))]
    samples = advanced(Samples(), lines, 5000.0)  # the host's clock is another
    assert [sample.at for sample in samples.recent] == [4960.0, 4980.0, 5000.0]


def test_a_probe_says_how_it_was_set_up() -> None:
    assert heard(begin(budget="2.5")).setup == Setup(DIRECTORY, "shell", 20.0, 30.0, 2.5)
    assert read_setup("mean=x deadline= budget=1e9 directory=/a b/c") == Setup("/a b/c")


def test_one_that_hangs_counts_as_what_it_took_at_least_until_its_true_time_is_told() -> None:
    samples = heard(begin(), hangs(40, 1, 1))
    assert samples.recent == (Sample(40.0, 1, Outcome.HANGS, create=30_000_000, whole=30_000_000),)
    assert (samples.hung, samples.hung_since, samples.late, samples.ended) == (1, 40.0, 1, 0)
    samples = heard(hangs(50, 2, 2), own(80, "outstanding", 2), samples=samples)
    assert (samples.hung, samples.hung_since, samples.late) == (2, 40.0, 2)
    samples = heard(ended(95, 1, 85_000_000, 10, 40, "late"), own(96, "outstanding", 1), samples=samples)
    assert samples.recent[-1] == Sample(95.0, 1, Outcome.LATE, 85_000_000, 10, 40, 85_000_050)
    assert [sample.number for sample in samples.recent] == [2, 1]
    assert (samples.hung, samples.hung_since, samples.late, samples.ended) == (1, 40.0, 2, 1)
    samples = heard(own(100, "outstanding", 0), samples=samples)
    assert (samples.hung, samples.hung_since) == (0, None)


def test_how_many_hang_is_unknown_until_the_probe_says_so_and_a_single_probe_cannot() -> None:
    assert heard(ended(5, 1, 100)).hung is None
    assert heard(begin(), ended(5, 1, 100)).hung == 0


def test_one_that_ended_just_before_its_deadline_was_told_of_has_ended() -> None:
    samples = heard(begin(), ended(30, 1, 29_900_000), hangs(30, 1, 1), own(31, "outstanding", 0))
    assert [sample.outcome for sample in samples.recent] == [Outcome.OK]
    assert (samples.late, samples.hung) == (0, 0)


def test_a_failure_tells_no_time_and_its_words_last_until_a_probe_succeeds() -> None:
    samples = heard(begin(), "restripe-probe 1 5 1 20 - - full 0 unlink: Disk quota exceeded")
    assert samples.recent == (Sample(5.0, 1, Outcome.FULL),)
    assert samples.trouble == "no space or no quota is left (unlink: Disk quota exceeded)"
    assert (samples.failed, samples.ended) == (1, 0)
    assert heard(ended(25, 2, 100), samples=samples).trouble == ""


def test_how_it_ended_is_kept() -> None:
    assert (
        heard(own(1, "refused", "-", "No such file or directory")).trouble
        == "it was refused: No such file or directory"
    )
    samples = heard(begin(), own(9, "end", 1, f"left {DIRECTORY}"))
    assert (samples.over, samples.left) == (True, DIRECTORY)


def test_ranks_are_those_of_measured_values_and_too_few_are_none() -> None:
    probes = [Sample(0.0, number, Outcome.OK, number, 1, number, 2 * number + 1) for number in range(1, 31)]
    # of thirty the 15th and, since 0.95 x 30 = 28.5, the 29th
    assert spreads(probes) == (
        Spread(15.0, 29.0, 30),
        Spread(1.0, 1.0, 30),
        Spread(15.0, 29.0, 30),
        Spread(31.0, 59.0, 30),
    )
    assert spreads(probes[:4]) == (None, None, None, None)
    hanging = [*probes[:4], Sample(0.0, 99, Outcome.HANGS, create=30_000_000, whole=30_000_000)]
    assert spreads(hanging) == (
        Spread(3.0, 30_000_000.0, 5, 30_000_000.0),
        None,
        None,
        Spread(7.0, 30_000_000.0, 5, 30_000_000.0),
    )


def test_levels_come_every_two_minutes_and_look_back_over_ten() -> None:
    samples = heard(begin(), *steady(20, 700, 1000), *steady(700, 1500, 3000))
    assert [level.at for level in samples.levels] == [float(at) for at in range(0, 1500, 120)]
    create = [level.spreads[0] for level in samples.levels]
    assert create[0] is None  # no probe yet
    assert create[1] == Spread(1000.0, 1000.0, 6)
    assert create[5] == Spread(1000.0, 1000.0, 30)  # at 600: those from 20 to 600
    assert create[6] == Spread(1000.0, 3000.0, 30)  # at 720: 28 at 1000, two at 3000
    assert create[8] == Spread(1000.0, 3000.0, 30)  # at 960: 16 and 14
    assert create[9] == Spread(3000.0, 3000.0, 30)  # at 1080: 10 and 20
    assert [level.ended for level in samples.levels[:3]] == [0, 6, 12]


def test_a_month_of_probes_is_kept_within_bounds_and_each_level_stays_what_it_was() -> None:
    samples, every = heard(begin()), []
    for at in range(120, 120 * 2500, 120):
        samples = heard(ended(at, at, at), samples=samples)
        every.append(samples.levels[-1])
    assert len(samples.recent) == RECENT
    assert LEVELS // 2 <= len(samples.levels) <= LEVELS
    assert set(samples.levels[1:]) <= set(every)
    assert samples.levels[0].at == 0.0  # the beginning is never lost
    assert samples.levels[-LEVELS // 2 :] == tuple(every[-LEVELS // 2 :])
    assert samples.ended == 2499
