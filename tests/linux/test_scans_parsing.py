"""What `scans.sh` prints, read to the last line: an exact text, what is missing, what is hostile, and garbage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.linux.scans import Goes, Output, RunningScan, RunningScans, scans
from remote.linux.scans_parsing import parse_scans
from remote.parsed import Note, Problem

TOLD = """\
Welcome to pollux1
restripe-scans 1
clock 1384445000 5000.25 100
scan 4711 4700 140025
arg =/bin/ksh
arg =/usr/lpp/mmfs/bin/mmrestripefs
arg =mss1
arg =-r
uid 0 =root
login 1001 =maria
cwd =/root/with space
out 1 file 4712 3 =/root/restripe.log
name 4712 =tee
out 1 terminal 4600 - =/dev/pts/3
name 4600 =sshd
out 2 file 4712 3 =/root/restripe.log
scan 4800 1 500024
arg =tsdeldisk
uid 12 =
fds hidden
job =/var/lib/restripe/a-1
more 3
end
"""


def test_the_whole_answer_is_read() -> None:
    parsed = parse_scans(TOLD, "id: no such user\n")
    first = RunningScan(
        pid=4711,
        parent=4700,
        start=140025,
        age=3600.0,  # 5000.25 s - 140025 ticks of a hundredth
        uid=0,
        user="root",
        login="maria",
        argv=("/bin/ksh", "/usr/lpp/mmfs/bin/mmrestripefs", "mss1", "-r"),
        cwd="/root/with space",
        outputs=(
            Output(Goes.FILE, "/root/restripe.log", "tee", 4712, 3, (1, 2)),
            Output(Goes.TERMINAL, "/dev/pts/3", "sshd", 4600, None, (1,)),
        ),
    )
    second = RunningScan(
        pid=4800,
        parent=1,
        start=500024,
        age=5000.25 - 5000.24,
        uid=12,
        argv=("tsdeldisk",),
        job="/var/lib/restripe/a-1",
        hidden=True,
    )
    assert parsed.model == RunningScans(1384445000.0, (first, second), 3)
    assert parsed.notes == (Note(1, "Welcome to pollux1"), Note(25, "id: no such user"))
    assert parsed.problems == ()
    assert (first.words, first.who) == (("mmrestripefs", "mss1", "-r"), "maria (as root)")
    assert (second.words, second.who) == (("tsdeldisk",), "uid 12")


def test_an_age_needs_both_a_clock_and_a_start() -> None:
    parsed = parse_scans("restripe-scans 1\nscan 1 0 5\nend\n")
    assert parsed.model == RunningScans(None, (RunningScan(1, 0, 5),))


def test_bytes_come_back_as_they_were_and_a_name_that_is_no_text_is_read_through_proc() -> None:
    hexes = "a\nö".encode().hex()
    lines = f"out 1 file 2 7 x{hexes}\nout 2 file 2 8 xff61\narg x{hexes}\narg =x\\xff"
    (scan,) = parse_scans(f"restripe-scans 1\nscan 1 0 5\n{lines}\nend\n").model.scans
    assert scan.argv == ("a\nö", "x\\xff")
    assert [output.readable for output in scan.outputs] == ["a\nö", "/proc/2/fd/8"]


def test_a_name_that_only_looks_escaped_is_a_name() -> None:
    (scan,) = parse_scans("restripe-scans 1\nscan 1 0 5\nout 1 file 2 7 =/a\\xff\nend\n").model.scans
    assert [output.readable for output in scan.outputs] == ["/a\\xff"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("scan 4711", "not a pid, a parent and a start"),
        ("scan 0 1 1", "not a pid, a parent and a start"),
        ("clock now", "not a clock, an uptime and ticks a second"),
        ("uid root", "not a number with a name"),
        ("login 5 root", "not a number with a name"),
        ("arg words", "not a value"),
        ("arg x6", "not a value"),
        ("cwd x6g", "not a value"),
        ("fds seen", "not `hidden`"),
        ("out 3 file 1 1 =/a", "not a stream, a kind, a pid, an open file and a path"),
        ("out 1 cloud 1 1 =/a", "not a stream, a kind, a pid, an open file and a path"),
        ("out 1 file 1 1 /a", "not a stream, a kind, a pid, an open file and a path"),
        ("name 1 tee", "not a pid with a name"),
        ("more many", "not a word that is known"),
        ("kill 1", "not a word that is known"),
    ],
)
def test_a_broken_line_is_a_problem_and_spoils_no_other(line: str, why: str) -> None:
    parsed = parse_scans(f"restripe-scans 1\nscan 1 0 5\n{line}\narg =a\nend\n")
    assert parsed.problems == (Problem(3, line, why),)
    assert parsed.model.scans == (RunningScan(1, 0, 5, argv=("a",)),)


def test_a_field_without_a_scan_and_an_answer_without_an_end_are_told() -> None:
    parsed = parse_scans("restripe-scans 1\narg =a\n")
    assert parsed.problems == (Problem(0, "", "the answer is not whole"), Problem(2, "arg =a", "it belongs to no scan"))


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("/usr/lpp/mmfs/bin/mmrestripefs", "a b"), ("mmrestripefs", "a b")),
        (("/bin/ksh93", "-p", "/x/mmdeldisk", "mss1"), ("mmdeldisk", "mss1")),
        (("busybox", "sh", "./mmdeldisk"), ("mmdeldisk",)),
        (("/usr/bin/python3", "/usr/bin/lfs", "migrate"), ("lfs", "migrate")),
        (("sh",), ("sh",)),
        ((), ()),
    ],
)
def test_the_words_are_those_that_a_person_would_type(argv: tuple[str, ...], words: tuple[str, ...]) -> None:
    assert RunningScan(1, argv=argv).words == words


def test_the_question_changes_nothing_and_names_programs_only_when_told_to() -> None:
    assert (scans().text, scans("lfs", "a b").text) == ("restripe-scans", "restripe-scans lfs 'a b'")


_WORDS = st.sampled_from(["scan", "arg", "out", "uid", "login", "cwd", "job", "fds", "name", "more", "clock", "end"])
_VALUES = st.one_of(st.text(max_size=30), st.sampled_from(["1 0 5", "=x", "x6162", "1 file 2 3 =/a", "9" * 30, "1 =a"]))


@given(st.lists(st.tuples(_WORDS, _VALUES), max_size=12), st.text(max_size=40))
def test_the_parser_never_raises(lines: list[tuple[str, str]], garbage: str) -> None:
    parse_scans(garbage, garbage)
    text = "restripe-scans 1\n" + "".join(f"{word} {value}\n" for word, value in lines) + garbage
    for scan in parse_scans(text, garbage).model.scans:
        assert scan.pid > 0
        assert isinstance(scan.words, tuple)
        assert isinstance(scan.who, str)
