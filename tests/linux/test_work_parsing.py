"""What `work.sh` prints, read to the last line: an exact text, what is hidden, what is broken, and garbage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.linux.work import Work, Worker, Written, parse_work
from remote.parsed import Note, Problem

ANSWER = """\
Welcome
restripe-work 1
boot 6a3f2c1e
clock 1384445000 5000.25 100
process 4711 4700 450025 R 1200 34
arg =/usr/sbin/gfs2_edit
arg =savemeta
arg x2f746d702fc3b6
job =/var/lib/restripe/a-1
io 9000000000000 20 8000000000000 4096
memory 12588 12000
file 1 77 =/var/lib/restripe/a-1/log
unlinked 4 0 =/tmp/gone
process 4712 1 400025 D 0 0
arg =fsck.gfs2
io hidden
memory  900
fds hidden
more 2
end
"""


def test_an_answer_is_read_to_the_last_line() -> None:
    parsed = parse_work(ANSWER, "a complaint\n")
    files = (Written("/var/lib/restripe/a-1/log", 77, 1), Written("/tmp/gone", 0, 4, gone=True))
    first = Worker(
        pid=4711,
        parent=4700,
        start=450025,
        state="R",
        cpu=12.34,
        age=500.0,
        argv=("/usr/sbin/gfs2_edit", "savemeta", "/tmp/ö"),
        chars_read=9_000_000_000_000,
        chars_written=20,
        read=8_000_000_000_000,
        written=4096,
        peak_kb=12588,
        rss_kb=12000,
        files=files,
        job="/var/lib/restripe/a-1",
    )
    second = Worker(4712, 1, 400025, "D", 0.0, 1000.0, ("fsck.gfs2",), rss_kb=900, hidden=True)
    assert parsed.model == Work("6a3f2c1e", 1384445000.0, (first, second), 2)
    assert parsed.notes == (Note(1, "Welcome"), Note(22, "a complaint"))
    assert parsed.problems == ()
    assert first.words == ("gfs2_edit", "savemeta", "/tmp/ö")
    assert (first.size_of("/var/lib/restripe/a-1/log"), first.size_of("/tmp/gone")) == (77, None)


def test_what_is_stopped_and_what_has_ended_is_known_by_its_letter() -> None:
    states = {letter: Worker(1, 0, 0, letter, 0.0) for letter in "RSDTtZX"}
    assert [letter for letter, worker in states.items() if worker.stopped] == ["T", "t"]
    assert [letter for letter, worker in states.items() if worker.ended] == ["Z", "X"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("process 4711", "not a pid, a parent, a start, a state and ticks"),
        ("clock now", "not a clock, an uptime and ticks a second"),
        ("arg words", "not a value"),
        ("job x6", "not a value"),
        ("io 1 2 3", "not what follows `io`"),
        ("memory none", "not what follows `memory`"),
        ("file 1 2", "not what follows `file`"),
        ("file 1 2 name", "not a path"),
        ("fds seen", "not what follows `fds`"),
        ("more many", "not a word that is known"),
        ("kill 1", "not a word that is known"),
    ],
)
def test_a_broken_line_is_a_problem_and_spoils_no_other(line: str, why: str) -> None:
    parsed = parse_work(f"restripe-work 1\nprocess 1 0 5 S 0 0\n{line}\narg =a\nend\n")
    assert parsed.problems == (Problem(3, line, why),)
    assert parsed.model.workers == (Worker(1, 0, 5, "S", 0.0, argv=("a",)),)


def test_a_field_without_a_process_and_an_answer_without_an_end_are_told() -> None:
    parsed = parse_work("restripe-work 1\nio 1 2 3 4\n")
    assert [problem.why for problem in parsed.problems] == ["the answer is not whole", "it belongs to no process"]


WORDS = st.sampled_from(["process", "arg", "job", "io", "memory", "file", "unlinked", "fds", "clock", "more", "end"])
VALUES = st.one_of(
    st.text(max_size=30), st.sampled_from(["1 0 5 S 0 0", "=x", "x6162", "1 2 3 4", "9" * 30, "1 2 =/a", "1 2 xff"])
)


@given(st.lists(st.tuples(WORDS, VALUES), max_size=12), st.text(max_size=40))
def test_the_parser_never_raises(lines: list[tuple[str, str]], garbage: str) -> None:
    parse_work(garbage, garbage)
    text = "restripe-work 1\n" + "".join(f"{word} {value}\n" for word, value in lines) + garbage
    for worker in parse_work(text, garbage).model.workers:
        assert worker.pid > 0
        assert isinstance(worker.words, tuple)
