"""A session as lines: whatever the far side says, each line is ours and no byte of it steers a terminal."""

from __future__ import annotations

import io
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remote.command import Command, Effect
from remote.events import (
    Answered,
    Asked,
    Decided,
    Event,
    Exact,
    Header,
    JobChanged,
    Launching,
    LinkChanged,
    LogRead,
    LogRewound,
    Marked,
    Reply,
    StepChanged,
    Unanswered,
)
from remote.jobs import JobSpec, JobState, JobStatus
from remote.text import one_line, safe
from supervision.clocktext import duration_text, local_time
from supervision.reducer import reduce
from supervision.state import State
from tests.recording.any_events import EVENTS
from tui.plain import Plain, clock_text

HEADER = Header(1, "0", 0.0, 0.0, "mss1", ("pollux1",), "pollux1")
MMDF = Command(("mmdf", "mss1"), Effect.READS)
EVIL = "\x1b]0;owned\x07\x9b31m\u202e\u2066\x00\r"
CONTROL = {chr(code) for code in (*range(32), *range(127, 160))} - {"\n", "\t"}


def told(*events: Event, live: bool = False, before: tuple[Event, ...] = ()) -> str:
    """What is written of these events; those in `before` were told to somebody else."""
    out = io.StringIO()
    plain = Plain(out, live=live)
    state = State(HEADER)
    for event in before:
        state = reduce(state, event)
    if before:
        plain.begin(state)
    for event in events:
        state = reduce(state, event)
        plain.on_event(state, event)
    plain.close()
    return out.getvalue()


def log(data: bytes, offset: int = 0, at: float = 0.0) -> LogRead:
    return LogRead(at, "pollux1", "job:a-1", offset, Exact(data))


# hostile text


@settings(max_examples=150, deadline=None)
@given(st.lists(EVENTS, max_size=20))
def test_no_event_puts_a_control_character_on_a_line(events: list[Event]) -> None:
    text = told(*events)
    assert not set(text) & CONTROL
    text.encode("utf-8")


@settings(max_examples=100, deadline=None)
@given(st.lists(EVENTS, max_size=20))
def test_on_a_terminal_nothing_steers_it_but_the_progress_line(events: list[Event]) -> None:
    assert not set(told(*events, live=True).replace("\r\x1b[K", "")) & CONTROL


HOSTILE: dict[str, tuple[Event, ...]] = {
    "link": (LinkChanged(0.0, EVIL, EVIL, EVIL, EVIL),),
    "step": (StepChanged(0.0, 1, EVIL, "checking", EVIL), StepChanged(0.0, 1, EVIL, EVIL, EVIL, detail=EVIL)),
    "decision": (Decided(0.0, EVIL, EVIL),),
    "launch": (Launching(0.0, EVIL, JobSpec("a", EVIL, EVIL, MMDF, (("f", f"{EVIL[:-2]}\n"),))),),
    "job": (JobChanged(0.0, EVIL, JobStatus(EVIL, JobState.LOST, note=EVIL)),),
    "log": (log(f"{EVIL}\nScanning {EVIL} metadata, phase 1 ...\n".encode()),),
    "log progress": (
        log(f"Scanning {EVIL[:-1]} metadata, phase 1 ...\n 1 % complete on {EVIL[:4]} Jun 6 15:46:19 2013\n".encode()),
    ),
    "rewound": (LogRewound(0.0, EVIL, EVIL, EVIL),),
    "unanswered": (Asked(0.0, 1, EVIL, (MMDF,)), Unanswered(0.0, 1, EVIL)),
    "exit code": (Asked(0.0, 1, EVIL, (MMDF,)), Answered(0.0, 1, (Reply(9, Exact(EVIL.encode())),))),
}


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("events", HOSTILE.values(), ids=HOSTILE.keys())
def test_control_sequences_are_shown_and_not_obeyed(events: tuple[Event, ...], live: bool) -> None:
    text = told(*events, live=live)
    assert text.strip()
    steering = CONTROL | {"\u202e", "\u2066"}
    assert not set(text.replace("\r\x1b[K", "")) & steering


def test_what_no_reader_can_see_does_not_get_through() -> None:
    """Format characters have no shape: two device names that differ by one would look the same."""
    visible = {0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
    through = {
        code
        for code in range(0x110000)
        if unicodedata.category(chr(code)) in ("Cc", "Cf", "Cs", "Zl", "Zp") and safe(chr(code)) == chr(code)
    }
    hieroglyph_joiners = set(range(0x13430, 0x13440))
    assert through - visible - hieroglyph_joiners == {9, 10}
    assert one_line("a\t\n b") == "a b"


def test_a_line_of_ours_cannot_be_forged() -> None:
    """An argument with a newline in it: its rest stands under the command, not where lines begin."""
    forged = "15:00:00  pollux1    job a: it has ended with exit code 0"
    spec = JobSpec("a", "t", "o", Command(("mmdf", f"x\n{forged}"), Effect.READS))
    lines = told(Launching(0.0, "pollux1", spec)).splitlines()
    assert [line for line in lines if line.lstrip("' ").startswith("15:00:00")]
    assert not [line for line in lines if line.startswith("15:00:00")]


# without a terminal


def test_a_file_gets_whole_lines_and_no_redrawing() -> None:
    long = "x" * 500
    text = told(Decided(0.0, "ops", long), log(b" 1 % complete on Thu Jun  6 15:46:19 2013\n"))
    assert "\r" not in text
    assert "\x1b" not in text
    assert any(long in line for line in text.splitlines())


def test_progress_is_told_each_twentieth_of_the_work_and_not_each_line() -> None:
    table = (
        b"Inode Information\n-----------------\n"
        b"Number of used inodes:              50\nNumber of free inodes:              50\n"
        b"Number of allocated inodes:       1000\nMaximum number of inodes:         2000\n"
    )
    space = (Asked(0.0, 1, "pollux1", (MMDF,)), Answered(0.0, 1, (Reply(0, Exact(table)),)))
    lines = [
        f" 5.{number:02} % complete on Thu Jun  6 15:46:19 2013  ( {number * 10} inodes  7 MB)\n".encode()
        for number in range(1, 100)
    ]
    reads = []
    at = 0
    for line in lines:
        reads.append(log(line, at))
        at += len(line)
    told_lines = [line for line in told(*space, *reads).splitlines() if "of 1,000 inodes" in line]
    # from 5 % to 99 % in steps that are 5 % or, where 5 % is just missed, 6 %
    assert 94 // 6 + 1 <= len(told_lines) <= 94 // 5 + 1
    assert "tool says 5.99 %" not in told_lines[0]


# what is told


def test_an_answer_is_told_with_its_own_question() -> None:
    """Two batches are out; the first to be answered is the second, and the other fails."""
    lsblk = Command(("lsblk",), Effect.READS)
    text = told(
        Asked(0.0, 1, "pollux1", (MMDF, lsblk)),
        Asked(0.0, 2, "pollux2", (lsblk,)),
        Answered(1.0, 2, (Reply(0),)),
        Unanswered(2.0, 1, "the connection was lost"),
    )
    _day, first, second = text.splitlines()
    assert first.split(None, 1)[1] == "pollux2    answered lsblk"
    assert second.split(None, 1)[1] == "pollux1    NO ANSWER to mmdf mss1, lsblk: the connection was lost"


def test_a_bad_exit_code_is_told_with_its_command_alone() -> None:
    asked = Asked(0.0, 1, "pollux1", (MMDF, Command(("mmlsfs", "mss1"), Effect.READS)))
    lines = told(asked, Answered(1.0, 1, (Reply(0), Reply(13)))).splitlines()
    (bad,) = [line for line in lines if "EXIT CODE" in line]
    assert bad.split(None, 1)[1] == "pollux1    mmlsfs mss1: EXIT CODE 13"
    assert not [line for line in lines if "answered" in line and "mmlsfs" in line]


def test_an_answer_to_a_question_that_is_lost_tells_nothing() -> None:
    """A recording with a broken line: there is no last command to take it for."""
    assert told(Unanswered(0.0, 7, "gone"), Answered(0.0, 8, (Reply(0),))) == ""
    earlier = (Asked(0.0, 1, "pollux1", (MMDF,)), Answered(0.0, 1, (Reply(0),)))
    assert "mmdf" not in told(Unanswered(0.0, 7, "gone"), Answered(0.0, 8, ()), before=earlier)


def test_beginning_in_the_middle_knows_what_was_asked_and_told() -> None:
    before = (Asked(0.0, 1, "pollux1", (MMDF,)), log(b"old line\npar"))
    text = told(Answered(1.0, 1, (Reply(0),)), log(b"tial\n", 12), before=before)
    assert "answered mmdf mss1" in text
    assert "| partial" in text
    assert "old line" not in text


def test_a_log_that_begins_anew_is_told_anew() -> None:
    text = told(
        log(b"one\ntwo\n"), LogRewound(1.0, "pollux1", "job:a-1", "rotated"), log(b"three\nfour\n"), log(b"five\n", 900)
    )
    assert [line.strip() for line in text.splitlines() if "|" in line] == [
        "| one",
        "| two",
        "| three",
        "| four",
        "| five",
    ]
    assert "job:a-1 was rotated; it is read again from its start" in text


def test_a_mark_and_a_waiting_step_are_no_lines() -> None:
    assert told(Marked(0.0, "x"), StepChanged(0.0, 1, "look", "waiting")) == ""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (38, "38 s"),
        (59.4, "59 s"),
        (60, "1 min"),
        (3540, "59 min"),
        (3600, "1 h 00 min"),
        (15660, "4 h 21 min"),
    ],
)
def test_durations_as_people_say_them(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


def test_times_are_those_of_the_hosts() -> None:
    # the seed's first line of progress: Thu Jun 6 15:46:19 2013, seven hours behind UTC
    assert local_time(1370558779.0, -7 * 3600).strftime("%a %b %d %H:%M:%S %Y") == "Thu Jun 06 15:46:19 2013"
    assert local_time(1370558779.0, 5400).strftime("%H:%M") == "00:16"


@pytest.mark.parametrize("at", [0.0, -1e300, 1e300, 1e12])
@pytest.mark.parametrize("offset", [0, 10**400, -(10**400)], ids=["0", "far east", "far west"])
def test_a_time_that_no_calendar_has_is_still_shown(at: float, offset: int) -> None:
    header = Header(1, "0", 0.0, 0.0, utc_offset=offset)
    assert len(clock_text(State(header, at=at))) == 8


class Gone(io.StringIO):
    """An output whose reader has left."""

    def write(self, text: str) -> int:
        raise BrokenPipeError(32, "Broken pipe")


def test_a_reader_who_left_does_not_end_what_an_event_came_from() -> None:
    """Events come out of connections and pollers; what raises there would end them without a word."""
    calls: list[int] = []
    plain = Plain(Gone(), gone=lambda: calls.append(1))
    state = State(HEADER)
    for _ in range(3):
        plain.on_event(state, Decided(0.0, "ops", "x"))
    assert calls == [1]
    with pytest.raises(BrokenPipeError):
        plain.close()
    with pytest.raises(BrokenPipeError):  # a replay is its own reader's: it ends there and then
        Plain(Gone()).on_event(state, Decided(0.0, "ops", "x"))
