"""Lines of progress in every wording that is known, and whole logs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from remote.gpfs.progress import (
    Failed,
    Percent,
    PhaseDone,
    PhaseStarted,
    ProgressEvent,
    Waiting,
    parse_mmrestripefs,
    parse_progress_line,
    parse_stamp,
)

TEXTS = Path(__file__).parent / "texts"


def told(name: str) -> str:
    return (TEXTS / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("line", "event"),
    [
        # 3.5, metadata
        (
            "   1 % complete on Thu Jun  6 15:46:19 2013",
            Percent(1.0, "Thu Jun  6 15:46:19 2013", None, None),
        ),
        ("1 % complete on Thu Jun 6 15:46:19 2013", Percent(1.0, "Thu Jun 6 15:46:19 2013", None, None)),
        # 3.5, files
        (
            "  98.22 % complete on Thu Jun  6 19:30:54 2013  (  84425985 inodes  284678907 MB)",
            Percent(98.22, "Thu Jun  6 19:30:54 2013", 84425985, 284678907),
        ),
        (
            "98.22 % complete on Thu Jun 6 19:30:54 2013 ( 84425985 inodes 284678907 MB)",
            Percent(98.22, "Thu Jun 6 19:30:54 2013", 84425985, 284678907),
        ),
        (
            " 100.00 % complete on Thu Jun  6 19:41:03 2013",
            Percent(100.0, "Thu Jun  6 19:41:03 2013", None, None),
        ),
        # 4.2 to 5.x
        (
            " 100.00 % complete on Fri May 17 15:39:49 2024  (    65792 inodes with total      570 MB data processed)",
            Percent(100.0, "Fri May 17 15:39:49 2024", 65792, 570),
        ),
        # numbered
        (
            "GPFS: 6027-565 [I]  98,28 % complete on Thu Jun  6 19:38:25 2013  (  87601428 inodes  286622429 MB)\r\n",
            Percent(98.28, "Thu Jun  6 19:38:25 2013", 87601428, 286622429),
        ),
        # allocation map, snapshot
        ("   5 % complete on Thu Apr  4 20:57:49 2019", Percent(5.0, "Thu Apr  4 20:57:49 2019", None, None)),
        (
            "  100.00 % complete on Tue Aug 6 21:23:35 2019  (655360 inodes with total  28 MB data processed)",
            Percent(100.0, "Tue Aug 6 21:23:35 2019", 655360, 28),
        ),
        # a zone
        (
            "  7 % complete on Fri May 17 14:38:28 CST 2024",
            Percent(7.0, "Fri May 17 14:38:28 CST 2024", None, None),
        ),
        ("Scanning file system metadata, phase 1 ... ", PhaseStarted("Scanning file system metadata", 1)),
        ("Scanning file system metadata, phase 12 ...", PhaseStarted("Scanning file system metadata", 12)),
        ("Scanning user file metadata ...", PhaseStarted("Scanning user file metadata", None)),
        (
            "Scanning file system metadata for sas storage pool ...",
            PhaseStarted("Scanning file system metadata for sas storage pool", None),
        ),
        (
            "GPFS: 6027-589 Scanning file system metadata, phase 1 ... ",
            PhaseStarted("Scanning file system metadata", 1),
        ),
        ("Scan completed successfully.", PhaseDone()),
        ("GPFS: 6027-552 Scan completed successfully.", PhaseDone()),
        (
            "mmrestripefs: 6027-2763 Unable to start tsrestripefs on 'a' because conflicting program tsb is running.",
            Waiting("tsb", "Unable to start tsrestripefs on 'a' because conflicting program tsb is running."),
        ),
    ],
)
def test_lines_of_progress(line: str, event: ProgressEvent) -> None:
    assert parse_progress_line(line) == event


@pytest.mark.parametrize(
    "text",
    [
        "Command failed. Examine previous error messages to determine cause.",
        "Command failed.  Examine previous error messages to determine cause.",
        "Scan failed on 12 user or system files.",
        "Scan failed on 12 out of 65792 user or system files.",
        "The desired replication factor exceeds the number of available failure groups.",
        "Not enough space for the desired number of replicas.",
        "Some metadata are improperly replicated.",
        "The total number of PIT worker threads of all participating nodes",
        "Terminating tsrestripefs on mss1 because a conflicting program tsrestripefs is running.",
        "Terminating because a conflicting program on the same inode space 0 is running.",
        "File system mss1 is not known to the GPFS cluster.",
    ],
)
@pytest.mark.parametrize("prefix", ["", "mmrestripefs: ", "GPFS: 6027-1 [E] "])
def test_lines_of_failure(prefix: str, text: str) -> None:
    assert parse_progress_line(prefix + text) == Failed(text)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "   ",
        "...",
        "98.22 % complete on Thu Ju",
        "101.00 % complete on Thu Jun  6 19:41:03 2013",
        "mmrestripefs: File system is busy",
        "98.22 % complete on Thu Jun  6 19:30:54 2013  (  84425985 inodes",
        "x" * 5000 + " % complete on Thu Jun  6 19:41:03 2013",
    ],
)
def test_lines_that_are_not_understood(line: str) -> None:
    assert parse_progress_line(line) is None


def test_stamps_tell_differences() -> None:
    start, end = parse_stamp("Thu Jun  6 15:46:19 2013"), parse_stamp("Thu Jun 6 19:41:03 2013")
    assert start is not None
    assert end is not None
    assert end - start == 3 * 3600 + 54 * 60 + 44
    assert start == 1370533579.0
    assert parse_stamp("Thu Jun  6 15:46:19 MST 2013") == start


@pytest.mark.parametrize(
    "text", ["", "yesterday", "Thu Jum  6 15:46:19 2013", "Sun Feb 29 15:46:19 2013", "Thu Jun  6 25:46:19 2013"]
)
def test_stamps_that_are_none(text: str) -> None:
    assert parse_stamp(text) is None


def test_a_whole_log_of_3_5() -> None:
    parsed = parse_mmrestripefs(told("restripe_35"))
    assert parsed.ok
    assert parsed.notes == ()
    kinds = [type(event) for event in parsed.model.events]
    assert kinds == [PhaseStarted, Percent, Percent, Percent, PhaseDone] * 2
    last = parsed.model.last_percent
    assert last == Percent(100.0, "Thu Jun  6 19:41:03 2013", None, None)
    assert parsed.model.failures == ()


def test_collapsed_blanks_tell_the_same() -> None:
    text = told("restripe_42")
    collapsed = "\n".join(re.sub(" +", " ", line).strip() for line in text.split("\n"))
    events, again = parse_mmrestripefs(text).model.events, parse_mmrestripefs(collapsed).model.events
    assert len(events) == len(again) == 11
    assert [event for event in events if not isinstance(event, Percent)] == [
        event for event in again if not isinstance(event, Percent)
    ]


def test_a_log_cut_in_the_middle_and_a_failure() -> None:
    parsed = parse_mmrestripefs(
        told("restripe_35")[:150] + "\nsomething else\n",
        "mmrestripefs: Command failed. Examine previous error messages to determine cause.\n",
    )
    assert parsed.model.failures == ("Command failed. Examine previous error messages to determine cause.",)
    assert [problem.why for problem in parsed.problems] == ["a line of progress that is not whole"]
    assert [note.text for note in parsed.notes] == ["something else"]


def test_an_empty_log() -> None:
    parsed = parse_mmrestripefs("")
    assert [problem.line for problem in parsed.problems] == [0]
    assert parsed.model.last_percent is None
