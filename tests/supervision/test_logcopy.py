"""Copies of whole logs: however the bytes come, the same lines, and what is shown of each."""

from __future__ import annotations

import errno
import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.events import Exact, Header, LogRead, LogRewound
from remote.text import decode, safe
from supervision.logcopy import BLOCK, IN_MEMORY, LONGEST, LogCopies, LogCopy
from supervision.state import State
from tests.supervision.seed import log_bytes, recorded

pieces = st.lists(st.binary(max_size=40) | st.sampled_from([b"\n", b"\r", b"\r\n", b"\n\n", b"", "ü\n".encode()]))


def copy_of(*parts: bytes) -> LogCopy:
    copy = LogCopy()
    for part in parts:
        copy.write(copy.size, part)
    return copy


def naive(data: bytes) -> list[str]:
    """What the lines are, by splitting everything at once."""
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [safe(decode(line.rstrip(b"\r").rpartition(b"\r")[2])) for line in lines]


def all_lines(copy: LogCopy, limit: int | None = None) -> list[str]:
    return [copy.line(number, limit) for number in range(copy.lines(limit))]


@given(pieces)
def test_any_cutting_gives_the_lines_of_the_whole(parts: list[bytes]) -> None:
    data = b"".join(parts)
    copy = copy_of(*parts)
    assert all_lines(copy) == naive(data)
    assert copy.whole_lines() == data.count(b"\n")
    assert copy.line(copy.lines()) == ""
    assert copy.read(0, len(data) + 10) == data


@given(pieces, st.integers(0, 300))
def test_a_limit_shows_the_log_as_it_was_when_it_was_so_long(parts: list[bytes], limit: int) -> None:
    data = b"".join(parts)
    assert all_lines(copy_of(*parts), limit) == naive(data[:limit])


@given(st.lists(st.integers(0, 3 * BLOCK), max_size=40), st.lists(st.integers(1, 3 * BLOCK), max_size=6))
def test_lines_across_blocks(newlines: list[int], cuts: list[int]) -> None:
    data = bytearray(b"x" * 3 * BLOCK)
    for at in newlines:
        data[at : at + 1] = b"\n"
    copy, done = LogCopy(), 0
    for cut in [*sorted(cuts), len(data)]:
        copy.write(done, bytes(data[done:cut]))
        done = max(done, cut)
    starts = [0, *(found.end() for found in re.finditer(b"\n", data))]
    if starts[-1] == len(data):
        starts.pop()
    assert [copy.span(number)[0] for number in range(copy.lines())] == starts
    assert [copy.line_at(start) for start in starts] == list(range(len(starts)))


@given(st.lists(st.tuples(st.integers(0, 200), st.integers(0, 200))))
def test_overlapping_and_late_pieces_are_taken_once(windows: list[tuple[int, int]]) -> None:
    data = bytes((index * 7) % 250 for index in range(200))
    copy = LogCopy()
    known = 0
    for begin, end in windows:
        copy.write(begin, data[begin:end])
        if begin <= known:
            known = max(known, end if end > begin else known)
    assert copy.read(0, 300) == data[:known]


def test_a_progress_line_that_is_rewritten_is_one_line_that_changes() -> None:
    copy = copy_of(b"begin\n", b"  1 %\r", b"  2 %\r")
    assert all_lines(copy) == ["begin", "  2 %"]
    copy.write(copy.size, b"  3")
    assert all_lines(copy) == ["begin", "  3"]
    copy.write(copy.size, b" %\r\nend\r\n")
    assert all_lines(copy) == ["begin", "  3 %", "end"]


@pytest.mark.parametrize("versions", [2000, 200_000])
def test_of_a_line_that_was_rewritten_very_often_the_last_version_is_shown(versions: int) -> None:
    data = b"".join(b"%7d of many\r" % number for number in range(versions))
    copy = copy_of(data)
    assert copy.lines() == 1
    assert copy.line(0) == f"{versions - 1:7d} of many"
    copy.write(copy.size, b"x" * (BLOCK * 2))
    assert copy.line(0) == "x" * LONGEST + f"… {BLOCK * 2 - LONGEST:,} bytes more"


@pytest.mark.parametrize("length", [LONGEST - 1, LONGEST, LONGEST + 1, BLOCK + 7])
def test_a_long_line_is_cut_between_characters_and_says_so(length: int) -> None:
    copy = copy_of(b"a" + "ü".encode() * length + b"\nnext\n")
    line = copy.line(0)
    assert "\\x" not in line
    assert set(line.partition("…")[0]) == {"a", "ü"}
    assert ("bytes more" in line) == (2 * length + 1 > LONGEST)
    assert copy.line(1) == "next"


def test_a_log_that_was_replaced_is_another_generation() -> None:
    copy = copy_of(b"old\n" * 100_000)
    copy.rewind("truncated", 5.0)
    assert (copy.lines(), copy.size, copy.generation, copy.rewound) == (0, 0, 1, ("truncated", 5.0))
    copy.write(0, b"new")
    assert all_lines(copy) == ["new"]


def test_each_line_knows_when_its_end_was_read() -> None:
    copy = LogCopy()
    copy.write(0, b"one\ntw", 10.0)
    copy.write(6, b"o\nthree", 20.0)
    copy.write(13, b"\nfour\n")
    assert [copy.arrived(number) for number in range(5)] == [10.0, 20.0, None, None, None]
    assert copy.arrived(1, 6) == 10.0


def test_without_room_the_copy_stays_a_true_beginning_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    copy = copy_of(b"kept\n")

    def full(*_args: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    copy.write(copy.size, b"x" * IN_MEMORY)
    assert copy.failure == "No space left on device"
    assert all_lines(copy) == ["kept"]
    monkeypatch.undo()
    copy.write(5, b"again\n")
    assert (all_lines(copy), copy.failure) == (["kept", "again"], "")


def test_the_recorded_logs_are_whole() -> None:
    header, events = recorded()
    copies = LogCopies()
    for event in events:
        copies.on_event(State(header), event)
    for source, data in log_bytes(events).items():
        copy = copies.get(header.entry, source)
        assert copy.read(0, copy.size) == data
        assert all_lines(copy) == naive(data)


def test_a_log_that_was_rotated_begins_anew() -> None:
    state = State(Header(1, "test", 0.0, 0.0), at=0.0)
    copies = LogCopies()
    for event in (
        LogRead(1.0, "a", "file:/x", 0, Exact(b"before\n")),
        LogRewound(2.0, "a", "file:/x", "rotated"),
        LogRead(3.0, "a", "file:/x", 0, Exact(b"after\n")),
    ):
        copies.on_event(state, event)
    copy = copies.get("a", "file:/x")
    assert (all_lines(copy), copy.generation, copy.rewound) == (["after"], 1, ("rotated", 2.0))
    assert copies.known["a", "file:/x"] is copy
