"""A followed log as state: its lines and its scan, however its bytes came."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remote.events import Event, Exact, Header, LogRead, LogRewound
from supervision.eta_rates import Known
from supervision.forecasts import Forecasts, forecast
from supervision.gpfs import READING
from supervision.logs import LONGEST_LINE, POINTS, TAIL, Log, Point, Scan, append
from supervision.reducer import reduce
from supervision.state import State
from tests.recording.any_events import BYTES

HEADER = Header(1, "0", 0.0, 0.0, "mss1", ("h",), "h")
RESTRIPE = (
    b"Scanning file system metadata, phase 1 ... \n"
    b"   1 % complete on Thu Jun  6 15:46:19 2013\n"
    b" 100 % complete on Thu Jun  6 15:47:00 2013\n"
    b"Scan completed successfully.\n"
    b"Scanning user file metadata ...\n"
    b"  98.24 % complete on Thu Jun  6 19:33:14 2013  (  85424754 inodes  285549722 MB)\n"
    b"  98.26 % complete on Thu Jun  6 19:35:45 2013  (  86436023 inodes  286198122 MB)\n"
)


def read(*chunks: bytes) -> Log:
    """The log after these chunks, the first at 100 s and each a second later."""
    log = Log("h", "job:a")
    for number, chunk in enumerate(chunks):
        log = append(log, chunk, 100.0 + number, end=log.size + len(chunk), reading=READING)
    return log


def without_times(log: Log) -> Log:
    points = tuple(msgspec.structs.replace(point, at=0.0) for point in log.scan.points)
    scan = msgspec.structs.replace(log.scan, points=points, together=False, restarted=None)
    return msgspec.structs.replace(log, last_at=0.0, scan=scan, forecasts=Forecasts())


def state_of(*events: Event) -> State:
    state = State(HEADER)
    for event in events:
        state = reduce(state, event)
    return state


def chunk(at: float, offset: int, data: bytes) -> LogRead:
    return LogRead(at, "h", "job:a", offset, Exact(data))


def log_of(*events: Event) -> Log:
    log = state_of(*events).job_log("h", "a")
    assert log is not None
    return log


def test_the_seed_s_lines_become_a_scan() -> None:
    """The second phase is scanned; its counters are the last line's, the first phase is done."""
    log = read(RESTRIPE)
    assert log.lines == 7
    assert log.tail[1] == "1 % complete on Thu Jun 6 15:46:19 2013"
    assert log.scan == Scan(
        phase="Scanning user file metadata",
        number=None,
        phases_done=1,
        in_phase=True,
        percent=98.26,
        stamp="Thu Jun 6 19:35:45 2013",
        printed=1370547345.0,  # as if its zone were UTC
        done=86436023,
        mb=286198122,
        points=(Point(100.0 - 151.0, 98.24, 85424754, 285549722), Point(100.0, 98.26, 86436023, 286198122)),
        together=True,
    )


def test_counters_outlive_a_line_that_has_none() -> None:
    """The last line of a scan has no counters: what was counted is still what was counted."""
    log = read(RESTRIPE, b" 100.00 % complete on Thu Jun  6 19:41:03 2013\n", b"Scan completed successfully.\n")
    assert (log.scan.percent, log.scan.done, log.scan.mb) == (100.0, 86436023, 286198122)
    assert (log.scan.phases_done, log.scan.in_phase) == (2, False)
    assert log.scan.points[-1] == Point(101.0, 100.0, None, None)


def test_a_line_counts_when_it_is_whole() -> None:
    log = read(b"  98.24 % complete on Thu Jun  6 19:33:14 2013  (  85424754 inodes")
    assert (log.lines, log.scan.percent) == (0, None)
    log = append(log, b"  285549722 MB)\n", 200.0, end=999, reading=READING)
    assert (log.lines, log.scan.percent, log.scan.points[0].at, log.size) == (1, 98.24, 200.0, 999)


@settings(max_examples=300, deadline=None)
@given(whole=BYTES | st.just(RESTRIPE), cuts=st.lists(st.integers(0, 1000), max_size=12))
def test_where_the_bytes_are_cut_makes_no_difference(whole: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(cut * len(whole) // 1000 for cut in cuts), len(whole)]
    pieces = [whole[begin:end] for begin, end in pairwise(places)]
    assert without_times(read(*pieces)) == without_times(read(whole))


@pytest.mark.parametrize("length", [LONGEST_LINE - 1, LONGEST_LINE, LONGEST_LINE + 1, 3 * LONGEST_LINE])
def test_a_line_without_end_is_one_line_however_it_is_cut(length: int) -> None:
    whole = b"x" * length + b"\nnext\n"
    pieces = [whole[at : at + 1000] for at in range(0, len(whole), 1000)]
    assert without_times(read(*pieces)) == without_times(read(whole))
    log = read(*pieces)
    assert log.tail == ("x" * min(length, LONGEST_LINE), "next")


def test_a_line_without_end_takes_no_more_memory_than_a_long_one() -> None:
    assert len(read(*[b"x" * 100_000] * 5).partial) == LONGEST_LINE


@pytest.mark.parametrize(
    "pieces",
    [(b"a\r\nb\r\n",), (b"a\r", b"\nb\r", b"\n"), (b"a\r\n", b"b\r\n"), (b"a", b"\r", b"\n", b"b", b"\r", b"\n")],
)
def test_the_two_bytes_of_one_line_end_may_come_apart(pieces: tuple[bytes, ...]) -> None:
    assert read(*pieces).tail == ("a", "b")


def test_a_carriage_return_alone_ends_a_line_at_once() -> None:
    """What redraws its line is told as it goes, not only when a newline comes after hours."""
    log = read(b"1 of 3\r", b"2 of 3\r", b"3 of 3\n")
    assert log.tail == ("1 of 3", "2 of 3", "3 of 3")
    assert read(b"1 of 3\r").tail == ("1 of 3",)
    assert read(b"a\r", b"\r\n", b"b\n").tail == ("a", "", "b")


def test_what_is_kept_is_bounded() -> None:
    log = read(b"".join(b"line %d\n" % number for number in range(TAIL + 50)))
    assert (log.lines, len(log.tail)) == (TAIL + 50, TAIL)
    assert (log.tail[0], log.tail[-1]) == ("line 50", f"line {TAIL + 49}")
    line = b" 5 % complete on Thu Jun  6 15:46:19 2013\n"
    full = Log("h", "job:a", scan=Scan(points=(Point(0.0, 1.0, None, None),) * POINTS))
    points = append(full, line, 7.0, end=1, reading=READING).scan.points
    assert (len(points), points[-1]) == (POINTS, Point(7.0, 5.0, None, None))


def test_nothing_that_steers_a_terminal_gets_into_the_state() -> None:
    evil = b"\x1b]0;x\x07\xe2\x80\xae"
    log = read(
        b"Scanning " + evil + b" metadata, phase 1 ...\n",
        b" 1 % complete on " + evil + b" Jun  6 15:46:19 2013\n",
        b"Unable to start mmrestripefs on 'mss1' because conflicting program mm" + evil + b" is running.\n",
        b"mmrestripefs: 6027-531 [E] " + evil + b"\n",
    )
    scan = log.scan
    assert scan.phase.startswith("Scanning")
    assert scan.stamp.endswith("2013")
    assert scan.waiting_for.startswith("mm")
    forecasts = [told.why for told in log.forecasts.told]
    assert any(why.startswith("waits until mm") for why in forecasts)
    texts = [*log.tail, scan.phase, scan.stamp, scan.waiting_for, *scan.failures, *forecasts]
    assert not [text for text in texts if set(text) & set("\x1b\x07\u202e")]


def test_a_log_that_is_read_on_goes_on() -> None:
    log = log_of(chunk(1, 0, b"a\nb"), chunk(2, 3, b"c\nd\n"))
    assert (log.tail, log.size, log.lines, log.last_at) == (("a", "bc", "d"), 7, 3, 2)


def test_what_is_known_already_is_not_told_twice() -> None:
    """Another follower, or an overlap, reads bytes again; the log is no shorter for that."""
    whole = [chunk(1, 0, b"a\nb\nc\n"), chunk(2, 2, b"b\n")]
    assert log_of(*whole).size == 6
    log = log_of(*whole, chunk(3, 4, b"c\nd\n"))
    assert (log.tail, log.size, log.lines) == (("a", "b", "c", "d"), 8, 4)


def test_a_log_read_from_its_start_again_is_that_log_once() -> None:
    log = log_of(chunk(1, 0, RESTRIPE), chunk(2, 0, RESTRIPE))
    assert (log.lines, log.size) == (7, len(RESTRIPE))
    assert len(log.scan.points) == 2


def test_after_a_gap_nothing_is_claimed_of_what_came_before() -> None:
    log = log_of(chunk(1, 0, RESTRIPE), chunk(2, 5000, b"of a line\nnext\n"))
    assert (log.tail, log.size, log.scan) == (("of a line", "next"), 5015, Scan())


@pytest.mark.parametrize("why", ["truncated", "rotated", "rewritten"])
def test_a_log_that_is_another_one_begins_anew(why: str) -> None:
    rewound = LogRewound(2, "h", "job:a", why)
    assert log_of(chunk(1, 0, RESTRIPE), rewound) == Log("h", "job:a")
    log = log_of(chunk(1, 0, RESTRIPE), rewound, chunk(3, 0, b"new\n"))
    assert (log.tail, log.size, log.scan) == (("new",), 4, Scan())


def test_nothing_read_changes_nothing() -> None:
    before = log_of(chunk(1, 0, b"a\nb"))
    for offset in (0, 3, 100):
        assert log_of(chunk(1, 0, b"a\nb"), chunk(2, offset, b"")) == before


def test_a_long_log_that_is_read_in_pieces_has_the_times_of_its_stamps() -> None:
    lines = [
        f" 9.00 % complete on Thu Jun  6 {15 + n // 30:02}:{n % 30 * 2:02}:00 2013  ( {1000 * n} inodes  {n} MB)\n"
        for n in range(120)
    ]
    head = b"Scanning user file metadata ...\n"
    whole, first, second = head + "".join(lines).encode(), head + "".join(lines[:50]).encode(), lines[50:90]
    known = Known(200_000)
    at_once = append(Log("h", "job:a"), whole, 20_000.0, end=len(whole), reading=READING, known=known)
    log = append(Log("h", "job:a"), first, 19_998.0, end=len(first), reading=READING, known=known)
    for at, piece in ((19_999.0, second), (20_000.0, lines[90:])):
        data = "".join(piece).encode()
        log = append(log, data, at, end=log.size + len(data), reading=READING, known=known)
    assert [point.at for point in log.scan.points] == [20_000.0 - 120 * (119 - n) for n in range(120)]
    assert log.scan == at_once.scan
    now = forecast(log.forecasts, 20_000.0, known)
    expected = forecast(at_once.forecasts, 20_000.0, known)
    assert now is not None
    assert expected is not None
    assert now.remaining is not None
    assert now.remaining == expected.remaining
    assert now.remaining.mid == pytest.approx(81 * 120.0, rel=0.02)
    assert all(one.at <= 20_000.0 for one in log.forecasts.told)
