"""Forecasts from logs of GPFS as they are saved: by tee, by screen -L, whole, torn, and damaged."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supervision.eta import State
from supervision.gpfs_eta import Forecast, LogForecaster, numbered_lines
from tests.gpfs.told import told
from tests.supervision.seedlog import ALLOCATED, SEED_LOG, USED_MB

FINISH = datetime(2013, 6, 6, 19, 41, 3, tzinfo=UTC).timestamp()


def forecasts(log: bytes, allocated: int | None = None, used_mb: int | None = None) -> list[Forecast]:
    """What is told at each line of progress."""
    forecaster = LogForecaster(allocated, used_mb)
    made = []
    for number, text in numbered_lines(log.splitlines(keepends=True)):
        if forecaster.read(number, text):
            found = forecaster.forecast()
            assert found is not None
            made.append(found)
    return made


@pytest.mark.parametrize("log", [SEED_LOG, re.sub(rb" +", b" ", SEED_LOG)], ids=["printed", "as on a page"])
@pytest.mark.parametrize("used_mb", [None, USED_MB], ids=["inodes", "inodes and MB"])
def test_at_every_counted_line_of_the_seed_the_true_finish_is_inside_and_the_middle_within_three_minutes(
    used_mb: int | None, log: bytes
) -> None:
    counted = [found for found in forecasts(log, ALLOCATED, used_mb) if found.said.inodes is not None]
    assert [found.said.percent for found in counted] == [98.22, 98.24, 98.26, 98.28]
    for found in counted:
        span = found.estimate.remaining
        assert found.printed is not None
        assert span is not None
        truth = FINISH - found.printed
        assert span.low <= truth <= span.high
        assert abs(span.mid - truth) <= 180


def test_the_first_middle_of_the_seed_is_plain_arithmetic() -> None:
    """84,425,985 inodes since 15:46:38, the last line without counters: 13,456 s."""
    found = next(found for found in forecasts(SEED_LOG, ALLOCATED) if found.said.inodes is not None)
    assert found.estimate.remaining is not None
    assert found.estimate.remaining.mid == pytest.approx((ALLOCATED - 84_425_985) * 13_456 / 84_425_985)
    assert found.estimate.unit == "inodes"


def test_the_percentage_of_the_seed_is_never_taken_for_the_finish() -> None:
    """5 % after 19 s of four hours, then 98.22 % and ten minutes left, then 98.28 % and 100."""
    states = [found.estimate.state for found in forecasts(SEED_LOG)]
    assert states == [State.STARTING] * 5 + [State.FINISHING] * 5
    assert {found.estimate.remaining for found in forecasts(SEED_LOG)} == {None}


def test_the_last_line_has_no_figure_and_phases_have_their_names() -> None:
    found = forecasts(SEED_LOG, ALLOCATED)
    assert found[-1].estimate.state is State.FINISHING
    assert found[0].phase == "Scanning file system metadata, phase 1"
    assert found[0].estimate.state is State.STARTING


def test_what_screen_and_terminals_add_makes_no_difference() -> None:
    dirty = (
        SEED_LOG.replace(b"\n", b"\r\n")
        .replace(b"98.24 %", b"\x1b[1;32m98.2x\x084\x1b[0m %")
        .replace(b"98.26 %", b"98.2\x0006 %".replace(b"\x000", b"\x00"))
    )
    dirty = (
        b"\x1b]0;root@pollux1: screen\x07\x1b(B"
        + dirty.replace(b"98.28 %", b"waiting\r\x1b[K98.28 %")
        + b"\x1b[?1l\x07"
    )
    clean = [(found.said, found.estimate) for found in forecasts(SEED_LOG, ALLOCATED)]
    assert [(found.said, found.estimate) for found in forecasts(dirty, ALLOCATED)] == clean


def test_a_short_log_with_the_header_of_its_last_phase_counts_from_there() -> None:
    """It is taken to have begun at 15:53:02, the time of the last line before its header."""
    found = next(found for found in forecasts(told("restripe_35").encode(), ALLOCATED) if found.said.inodes)
    assert found.estimate.remaining is not None
    assert found.estimate.remaining.mid == pytest.approx((ALLOCATED - 84_425_985) * 13_072 / 84_425_985)
    assert found.phase == "Scanning user file metadata"


def test_lines_are_counted_as_editors_do() -> None:
    text = b"one\r\n\n 1 % complete on Thu Jun  6 15:46:19 2013\r 2 % complete on Thu Jun  6 15:46:23 2013\n"
    assert [found.line for found in forecasts(text)] == [3, 3]


@pytest.mark.parametrize("name", ["restripe_42", "mmdeldisk_42"])
def test_a_log_that_is_over_says_so(name: str) -> None:
    last = forecasts(told(name).encode())[-1]
    assert last.estimate.state is State.FINISHING
    assert last.phase == "Scanning user file metadata"


def test_a_log_of_mmdelsnapshot_counts_from_its_own_header() -> None:
    lines = [b"Invalidating snapshot files in daily...\n", b"Deleting files in snapshot daily...\n"]
    lines += [
        f"  {minute}.00 % complete on Tue Aug  6 21:{minute:02}:00 2019  ({minute * 1000:10} inodes with total "
        f"{minute:10} MB data processed)\n".encode()
        for minute in range(1, 12)
    ]
    last = forecasts(b"".join(lines), 100_000)[-1]
    assert last.phase == "Deleting files in snapshot daily"
    assert last.estimate.remaining is not None
    assert last.estimate.remaining.mid == pytest.approx(89 * 60)


def test_a_command_that_waits_is_said_to() -> None:
    forecaster = LogForecaster()
    line = (
        "mmrestripefs: 6027-2763 Unable to start mmrestripefs on 'mss1' because conflicting program mmdeldisk is "
        "running. Waiting until it completes."
    )
    assert not forecaster.read(1, line)
    assert forecaster.waiting
    assert forecaster.forecast() is None


def test_a_time_that_no_calendar_has_is_not_told() -> None:
    found = forecasts(b" 1 % complete on Thu Jux  6 15:46:19 2013\n 2 % complete on Thu Jun 31 15:46:19 2013\n")
    assert [each.printed for each in found] == [None, None]


@given(st.lists(st.binary(max_size=80) | st.sampled_from(SEED_LOG.splitlines(keepends=True)), max_size=30))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_read(pieces: list[bytes]) -> None:
    for found in forecasts(b"".join(pieces), ALLOCATED):
        span = found.estimate.remaining
        assert span is None or 0 <= span.low <= span.mid <= span.high


@given(st.lists(st.sampled_from(SEED_LOG.splitlines(keepends=True)), min_size=1, max_size=60))
@settings(max_examples=100, deadline=None)
def test_lines_in_any_order_are_read(lines: list[bytes]) -> None:
    for found in forecasts(b"".join(lines), ALLOCATED):
        span = found.estimate.remaining
        assert span is None or 0 <= span.low <= span.mid <= span.high
