"""Searching and filtering whole logs finds what is shown, and nothing else."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from supervision import logsearch
from supervision.logcopy import LogCopy
from supervision.logsearch import SLICE, Filter, Pattern, find
from tests.supervision.test_logcopy import copy_of

words = st.sampled_from([b"disk", b"DISK", b" ", b"\n", b"\r", b"98.26 %", b"[/x", b"\xff", "ü".encode()])
texts = st.lists(words, max_size=60).map(b"".join)
patterns = st.sampled_from(["disk", "DISK", "d.sk", "98.26 %", "[/x", "^disk$", "k\\s+d", "ü", "(", "x*"])


def expected(copy: LogCopy, pattern: Pattern) -> list[int]:
    return [line for line in range(copy.lines()) if pattern.matches(copy.shown(line))]


@given(texts, patterns)
def test_next_and_previous_find_every_line_in_turn(data: bytes, text: str) -> None:
    copy, pattern = copy_of(data), Pattern(text)
    lines = expected(copy, pattern)
    for start in range(copy.lines()):
        later = [line for line in lines if line >= start] or lines
        before = [line for line in lines if line <= start] or lines
        assert asyncio.run(find(copy, pattern, start)) == (later[0] if later else None)
        assert asyncio.run(find(copy, pattern, start, forward=False)) == (before[-1] if before else None)


@given(texts, patterns, st.booleans(), st.integers(0, 200))
def test_a_filter_keeps_the_matching_lines(data: bytes, text: str, inverse: bool, limit: int) -> None:
    copy, pattern = LogCopy(), Pattern(text)
    kept = Filter(copy, pattern, inverse=inverse)
    for at in range(0, len(data), 7):
        copy.write(at, data[at : at + 7])
        kept.step()
    for size in (None, limit):
        wanted = [line for line in range(copy.lines(size)) if pattern.matches(copy.shown(line, size)) != inverse]
        assert [kept.line(row, size) for row in range(kept.rows(size))] == wanted


def test_a_search_across_many_slices_gives_way_to_others() -> None:
    copy = copy_of(b"nothing here\n" * (SLICE), b"needle\n", b"nothing here\n" * (SLICE))
    line = SLICE

    async def search() -> tuple[int | None, int]:
        turns = 0

        async def count() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        counting = asyncio.create_task(count())
        found = await find(copy, Pattern("needle"), 0)
        counting.cancel()
        return found, turns

    found, turns = asyncio.run(search())
    assert found == line
    assert turns > 10
    assert asyncio.run(find(copy, Pattern("needle"), copy.lines() - 1, forward=False)) == line
    assert asyncio.run(find(copy, Pattern("n.edle"), line + 1)) == line
    assert asyncio.run(find(copy, Pattern("needles"), 5)) is None


def test_capitals_matter_once_there_is_one() -> None:
    assert Pattern("disk").matches(b"a DISK")
    assert not Pattern("Disk").matches(b"a DISK")
    assert Pattern("disk").spans("a DISK, a disk") == [(2, 6), (10, 14)]


def test_what_is_no_regular_expression_is_sought_as_it_stands() -> None:
    assert Pattern("[/gpfs/fs1").matches(b"failed on [/gpfs/fs1]")
    assert Pattern("*(").spans("a*(b") == [(1, 3)]


def test_a_line_longer_than_a_slice_is_looked_at_as_far_as_it_is_shown() -> None:
    copy = copy_of(b"first\n", b"needle" + b"x" * (5 * SLICE) + b"hidden\n", b"needle\n")
    assert logsearch.matches_in(copy, Pattern("needle"), 1, 2) == [1]
    assert asyncio.run(find(copy, Pattern("hidden"), 0)) is None
    assert asyncio.run(find(copy, Pattern("needle"), 2)) == 2
