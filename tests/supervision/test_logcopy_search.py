"""Searching and filtering whole logs finds what is shown, and nothing else."""

from __future__ import annotations

import asyncio
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervision import logsearch
from supervision.logcopy import LogCopy
from supervision.logsearch import SLICE, Filter, Pattern, find
from supervision.patterns import TooSlowError, read, within_lines
from tests.supervision.test_logcopy import copy_of

words = st.sampled_from([b"disk", b"DISK", b" ", b"\n", b"\r", b"98.26 %", b"[/x", b"\xff", "ü".encode()])
IN_LINES = (
    r"[^d]s",
    r"\Wdisk",
    r"^$",
    r"(?<!k)\s",
    r"k(?! )",
    r"[\s%]$",
    r"[^]x]k",
    r"D\b.?",
    r"\Ad",
    "{e<=2}",
    r"(d)\1*",
)
texts = st.lists(words, max_size=60).map(b"".join)
patterns = st.sampled_from(["disk", "DISK", "d.sk", "98.26 %", "[/x", "^disk$", "k\\s+d", "ü", "(", "x*", *IN_LINES])


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


@given(texts, st.sampled_from(IN_LINES))
def test_lines_match_as_they_do_by_themselves(data: bytes, text: str) -> None:
    copy, flags = copy_of(data), re.IGNORECASE if text == text.lower() else re.NOFLAG
    alone = re.compile(text.encode(), flags)
    wanted = [line for line in range(copy.lines()) if alone.search(copy.shown(line))]
    assert (logsearch.matches_in(copy, Pattern(text), 0, copy.lines()) if data else []) == wanted


@pytest.mark.parametrize(
    "source", [r"\n", r"[^\n]", r"\x0a", r"(?s).", r"[\s]", r"[\D]", "[\t-z]", r"\Z", r"(a)\1", r"\B"]
)
def test_what_may_reach_over_the_end_of_a_line_is_looked_for_line_by_line(source: str) -> None:
    assert within_lines(read(source)) is None


SLOW = (r"(a+)+$", r"(\w|a)+\n?$")
"""One that is looked for in many lines at once, and one line by line."""


@pytest.mark.parametrize("text", SLOW)
def test_what_takes_too_long_is_given_up_and_not_tried_again(text: str) -> None:
    copy, pattern = copy_of(b"first\n", b"a" * 3000 + b"!\n", b"last\n"), Pattern(text)
    with pytest.raises(TooSlowError):
        asyncio.run(find(copy, pattern, 0))
    assert pattern.gave_up
    with pytest.raises(TooSlowError):
        pattern.spans("last")
    kept = Filter(copy, Pattern(text))
    with pytest.raises(TooSlowError):
        kept.step()


def test_a_last_line_that_takes_too_long_is_shown() -> None:
    copy = copy_of(b"a" * 3000 + b"!")
    kept = Filter(copy, Pattern(SLOW[0]))
    assert (kept.rows(), kept.line(0), kept.pattern.gave_up) == (1, 0, True)


def test_a_line_longer_than_a_slice_is_looked_at_as_far_as_it_is_shown() -> None:
    copy = copy_of(b"first\n", b"needle" + b"x" * (5 * SLICE) + b"hidden\n", b"needle\n")
    assert logsearch.matches_in(copy, Pattern("needle"), 1, 2) == [1]
    assert asyncio.run(find(copy, Pattern("hidden"), 0)) is None
    assert asyncio.run(find(copy, Pattern("needle"), 2)) == 2
