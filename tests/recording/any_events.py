"""Every kind of event with any content that can really occur, for hypothesis."""

from __future__ import annotations

import typing

from hypothesis import strategies as st

from remote.checked import Check, Outcome
from remote.command import Command, Effect
from remote.events import (
    Acknowledged,
    Adopted,
    Answered,
    Asked,
    Calibrated,
    Checked,
    Closed,
    Decided,
    Event,
    Exact,
    JobChanged,
    JobsListed,
    Launching,
    LinkChanged,
    LogRead,
    LogRewound,
    Marked,
    Placed,
    ProcessChanged,
    Reply,
    Signalling,
    StepChanged,
    Unanswered,
)
from remote.jobs import JobSpec, JobState, JobStatus, Place

# What has broken formats before: UTF-8 cut in the middle, NUL, an encoded surrogate, CR LF, U+2028, what JSON escapes.
PIECES = st.sampled_from(
    [
        "é".encode()[:1],
        "€".encode()[:2],
        "é€😀".encode(),
        b"\x00",
        b"\xed\xa0\x80",
        b"\xed\xb2\x80",
        b"\xff\xfe",
        b"\r\n",
        b"\n\n",
        "\u2028".encode(),
        b'"\\{}[]',
        b"\x1b[2J",
        b"Scanning file system metadata, phase 1 ... \n",
        b" 12 % complete on Thu Jun  6 15:46:19 2013\n",
        b"96.50 % complete on Thu Jun  6 15:46:19 2013  (  8905749 inodes  284678907 MB)\r",
        b"Scan completed successfully.\n",
        b"nsd\n",
    ]
)
BYTES = st.one_of(st.binary(max_size=40), st.lists(PIECES, max_size=8).map(b"".join))
TEXT = st.text(max_size=20)
NAMES = st.sampled_from(["pollux1", "pollux2", "", "foo1\n\x1b[31m"])
FACTORS = st.floats(0.25, 6.0)
TIMES = st.floats(min_value=0, max_value=4e9)
CHECKS = st.builds(Check, TEXT, TEXT, st.sampled_from(Outcome), TEXT, TEXT, st.none() | TIMES, TEXT)
COUNTS = st.integers(min_value=0, max_value=1 << 40)
NUMBERS = st.integers(min_value=1, max_value=4)
"""Few, so that answers meet their questions, repeat, and come twice."""
RCS = st.integers(min_value=-1, max_value=255)

_WORDS = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=12)
COMMANDS = st.one_of(
    st.sampled_from(
        [
            Command(("mmlsdisk", "mss1"), Effect.READS),
            Command(("mmdf", "mss1"), Effect.READS),
            Command(("lsblk", "-P"), Effect.READS),
            Command(("date", "+%s %z"), Effect.READS),
            Command(("mmlsnsd", "-X"), Effect.READS),
        ]
    ),
    st.builds(
        Command,
        st.tuples(st.sampled_from(["mmlsfs", "x.y-z+1"]), _WORDS, _WORDS),
        st.sampled_from(Effect),
        deadline=st.floats(min_value=0.001, max_value=1e7),
        interruptible=st.booleans(),
        line_buffered=st.booleans(),
        privileged=st.booleans(),
    ),
)
REPLIES = st.builds(Reply, RCS, st.builds(Exact, BYTES), st.builds(Exact, BYTES))
JOB_IDS = st.sampled_from(["a-1", "mss1-20130606T152003-3-mmcrnsd-1", "0" * 121])
SPECS = st.builds(
    JobSpec,
    JOB_IDS,
    TEXT,
    TEXT,
    COMMANDS,
    st.lists(st.tuples(st.sampled_from(["a.stanza", "b"]), _WORDS), max_size=2).map(tuple),
)
STATUSES = st.builds(
    JobStatus,
    JOB_IDS,
    st.sampled_from(JobState),
    rc=st.none() | RCS,
    began=st.none() | TIMES,
    ended=st.none() | TIMES,
    size=COUNTS,
    free_kb=st.none() | COUNTS,
    note=TEXT,
    title=TEXT,
    operator=TEXT,
    command=TEXT,
    effect=st.none() | st.sampled_from(Effect),
    interruptible=st.booleans(),
)
SOURCES = st.one_of(JOB_IDS.map(lambda job: f"job:{job}"), st.just("file:/var/log/x"))
OFFSETS = st.integers(min_value=0, max_value=200)

BY_KIND: dict[type, st.SearchStrategy[Event]] = {
    LinkChanged: st.builds(LinkChanged, TIMES, NAMES, TEXT, TEXT, TEXT),
    Asked: st.builds(Asked, TIMES, NUMBERS, NAMES, st.lists(COMMANDS, max_size=3).map(tuple)),
    Answered: st.builds(Answered, TIMES, NUMBERS, st.lists(REPLIES, max_size=3).map(tuple)),
    Unanswered: st.builds(Unanswered, TIMES, NUMBERS, TEXT),
    Placed: st.builds(Placed, TIMES, NAMES, st.builds(Place, TEXT, TEXT)),
    Launching: st.builds(Launching, TIMES, NAMES, SPECS, TEXT),
    Signalling: st.builds(Signalling, TIMES, NAMES, JOB_IDS, st.sampled_from(["TERM", "KILL", "seal", "renew"])),
    JobChanged: st.builds(JobChanged, TIMES, NAMES, STATUSES),
    JobsListed: st.builds(
        JobsListed, TIMES, NAMES, st.lists(STATUSES, max_size=3).map(tuple), st.lists(NAMES, max_size=3).map(tuple)
    ),
    Adopted: st.builds(
        Adopted,
        TIMES,
        NAMES,
        st.builds(
            JobStatus, st.sampled_from(["file:/var/log/x", "process:7:8"]), st.sampled_from(JobState), title=TEXT
        ),
        st.none() | NUMBERS,
        st.none() | COUNTS,
    ),
    LogRead: st.builds(LogRead, TIMES, NAMES, SOURCES, OFFSETS, st.builds(Exact, BYTES)),
    LogRewound: st.builds(LogRewound, TIMES, NAMES, SOURCES, TEXT),
    ProcessChanged: st.builds(ProcessChanged, TIMES, NAMES, SOURCES, st.none() | st.booleans()),
    Decided: st.builds(Decided, TIMES, TEXT, TEXT),
    Calibrated: st.builds(Calibrated, TIMES, TEXT, FACTORS, FACTORS, st.integers(0, 30)),
    Marked: st.builds(Marked, TIMES, TEXT),
    StepChanged: st.builds(
        StepChanged,
        TIMES,
        NUMBERS,
        TEXT,
        st.sampled_from(["waiting", "checking", "running", "verifying", "done", "failed", "\x1b]0;x\x07"]),
        TEXT,
        NAMES,
        TEXT,
        TEXT,
        st.none() | RCS,
    ),
    Checked: st.builds(Checked, TIMES, st.integers(0, 20), st.lists(CHECKS, max_size=3).map(tuple), st.booleans()),
    Acknowledged: st.builds(Acknowledged, TIMES, st.integers(0, 20), TEXT, TEXT),
    Closed: st.builds(Closed, TIMES, TEXT),
}
EVENTS: st.SearchStrategy[Event] = st.one_of(*BY_KIND.values())

assert set(BY_KIND) == set(typing.get_args(Event)), "a kind of event has no strategy"
