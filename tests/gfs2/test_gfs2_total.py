"""No text makes a parser of GFS2's tools raise, and none loses a line without a word."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remote.gfs2 import parsers
from remote.gfs2.reading import duration
from remote.linux.blkid import parse_blkid
from remote.linux.line_stamps import split_stamp
from remote.text import decode
from supervision.eta import State
from supervision.gfs2_eta import SavemetaForecaster
from tests.gfs2.gfs2texts import TEXTS

WHOLE = [path.read_bytes() for path in sorted(TEXTS.glob("*.txt"))]
PIECES = st.sampled_from([line for text in WHOLE for line in text[:3000].replace(b"\r", b"\n").split(b"\n")])
GARBAGE = st.lists(
    st.one_of(PIECES, st.binary(max_size=30), st.sampled_from([b"\r", b"\n", b"9" * 30, b"Nov 30 20:49:06 ", b"\xff"]))
).map(b"".join)
FEW = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@FEW
@given(GARBAGE, GARBAGE)
def test_no_garbage_raises(out: bytes, err: bytes) -> None:
    for parse in (*parsers.PARSERS.values(), parse_blkid):
        parsed = parse(decode(out), decode(err))
        numbers = [note.line for note in parsed.notes]
        assert numbers == sorted(numbers)


@FEW
@given(st.sampled_from(WHOLE), st.integers(0, 4000), st.binary(max_size=20))
def test_no_damage_raises(text: bytes, at: int, put: bytes) -> None:
    for parse in parsers.PARSERS.values():
        parse(decode(text[:at] + put + text[at + len(put) :]), "")


@FEW
@given(st.lists(GARBAGE), st.integers(1, 10**12), st.one_of(st.none(), st.floats(1, 1e9)))
def test_no_log_makes_the_forecast_raise(lines: list[bytes], total: int, elapsed: float | None) -> None:
    forecaster = SavemetaForecaster(total, elapsed, now=1.8e9)
    for number, line in enumerate(lines, 1):
        for drawn in decode(line).split("\r"):
            forecaster.read(number, drawn.strip())
        found = forecaster.forecast()
        assert found is None or (found.estimate.remaining is not None) == (found.estimate.state is State.ESTIMATE)


@pytest.mark.parametrize("parse", parsers.PARSERS.values(), ids=parsers.PARSERS.keys())
def test_a_line_that_is_endless_is_no_work(parse: parsers.Parser) -> None:
    for text in ("9" * 200_000, "a" * 200_000, "(" * 200_000, " 1 " * 60_000, "'" * 200_000, "\r" * 100_000):
        parse(text, text)


def test_command_lines_are_known_by_what_they_do() -> None:
    assert parsers.named(("gfs2_edit", "savemeta", "-z1", "/dev/a", "/b")) == "savemeta"
    assert parsers.named(("gfs2_edit", "-z", "1", "printsavedmeta", "/b")) == "restoremeta"
    assert parsers.named(("gfs2_edit", "-p", "rgs", "/dev/a")) == "gfs2-rgs"
    assert parsers.named(("gfs2_edit", "-p", "statfs", "/dev/a")) == "gfs2-statfs"
    assert parsers.named(("fsck.gfs2", "-n", "/dev/a")) == "fsck.gfs2"
    assert [parsers.named(argv) for argv in ((), ("mmdf",), ("gfs2_edit", "-p", "root", "/dev/a"))] == ["", "", ""]


def test_durations_of_time_and_ps() -> None:
    assert duration("0:42.02") == 42.02
    assert duration("141:01:53") == 141 * 3600 + 60 + 53
    assert duration("5-21:01:53") == duration("141:01:53")
    assert [duration(text) for text in ("", "5", "1:2", "-1:00", "a:00")] == [None] * 5


def test_times_before_lines_are_split_off() -> None:
    midnight = 1_796_083_200.0  # 2026-12-01
    for text in (
        "2026-12-01 00:00:00 x",
        "2026-12-01T00:00:00+01:00 x",
        "[2026-12-01 00:00:00] x",
        "Tue Dec  1 00:00:00 2026 x",
    ):
        stamp, rest = split_stamp(text)
        assert (stamp and stamp.at, rest) == (midnight, "x")
    stamp, rest = split_stamp("00:01:05.5 x")
    assert (stamp and stamp.at, rest) == (65.5, "x")
    stamp, rest = split_stamp("1796083200.25 x")
    assert (stamp and stamp.at, rest) == (midnight + 0.25, "x")
    for text in ("Feb 30 00:00:00 x", "25:61:00", "x 00:00:00 y", "12 blocks", ""):
        assert split_stamp(text) == (None, text)
