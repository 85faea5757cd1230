"""Lines of logs, by texts of several releases and programs: when, how bad, about what, how often."""

from __future__ import annotations

import calendar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.linux.log_entries import (
    DISK,
    ERROR,
    EXPEL,
    IO,
    LEASE,
    NETWORK,
    NOTE,
    OTHER,
    WAITER,
    WARNING,
    Moment,
    Words,
    stamp,
    words,
)
from remote.linux.log_tails import LogEntry, LogTail, parse_logs

HOUR = 3600
MST = Moment((2013, 6, 6), -7 * HOUR)


def utc(*date: int) -> int:
    return calendar.timegm((*date, 0, 0, 0)[:6])


@pytest.mark.parametrize(
    ("line", "at", "rest"),
    [
        ("2017-11-01_14:10:09.157+0900: [N] mmfsd ready", utc(2017, 11, 1, 5, 10, 9) + 0.157, "[N] mmfsd ready"),
        (
            "Fri Mar 19 02:46:21.345 2010 GPFS: 6027-1710 Connecting to 10.0.1.21 pcoral8b-ib",
            utc(2010, 3, 19, 9, 46, 21) + 0.345,
            "GPFS: 6027-1710 Connecting to 10.0.1.21 pcoral8b-ib",
        ),
        ("Mon Jun 25 16:11:16 2018: Close connection to", utc(2018, 6, 25, 23, 11, 16), "Close connection to"),
        ("May  7 22:25:39 gpfs02 mmfs: [E] x", utc(2013, 5, 8, 5, 25, 39), "gpfs02 mmfs: [E] x"),
        ("2026-11-30T19:28:52+0100 n1 kernel: x", utc(2026, 11, 30, 18, 28, 52), "n1 kernel: x"),
        ("2026-11-30T19:28:52.250000+01:00 n1 kernel: x", utc(2026, 11, 30, 18, 28, 52) + 0.25, "n1 kernel: x"),
        ("[Mon Nov 30 19:28:52 2026] x", utc(2026, 12, 1, 2, 28, 52), "x"),
    ],
)
def test_times_of_every_program_are_read(line: str, at: float, rest: str) -> None:
    found = stamp(line, MST)
    assert found is not None
    assert (round(found[0], 6), *found[1:]) == (at, rest, None)


def test_a_kernel_line_is_placed_by_its_seconds_since_the_boot_and_has_a_priority() -> None:
    booted = Moment((2013, 6, 6), 0, booted=1_370_000_000.0)
    assert stamp("<3>[ 4233.500000] x", booted) == (1_370_004_233.5, "x", 3)
    assert stamp("<11>[ 4233.500000] x", booted) == (1_370_004_233.5, "x", 3)
    assert stamp("<3>[ 4233.500000] x", MST) is None


@pytest.mark.parametrize(
    ("today", "line", "year", "month", "day"),
    [
        ((2013, 1, 2), "Dec 31 10:00:00 x", 2012, 12, 31),
        ((2013, 1, 2), "Jan  2 10:00:00 x", 2013, 1, 2),
        ((2013, 11, 30), "Dec  1 00:00:00 x", 2013, 12, 1),
        ((2013, 12, 31), "Jan  1 00:00:00 x", 2014, 1, 1),
        ((2013, 6, 6), "Jun  8 00:00:00 x", 2012, 6, 8),
        ((2013, 3, 1), "Feb 29 10:00:00 x", 2012, 2, 29),
    ],
)
def test_a_date_without_a_year_is_the_last_one_of_that_name(
    today: tuple[int, int, int], line: str, year: int, month: int, day: int
) -> None:
    found = stamp(line, Moment(today))
    assert found is not None
    assert found[0] // 86400 == utc(year, month, day) // 86400


@pytest.mark.parametrize(
    "line", ["Feb 30 10:00:00 x", "2017-13-01_14:10:09.157+0900: x", "May  7 24:00:00 x", "mmfsd ready", "", "[12.3"]
)
def test_what_is_no_time_is_none(line: str) -> None:
    assert stamp(line, MST) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "gpfs02 mmfs: [E] Node 172.17.0.101 (gpfs01) is being expelled due to expired lease.",
            Words(ERROR, EXPEL, "gpfs01"),
        ),
        ("[N] Expelling: 172.17.0.101 (c12 in cluster1)", Words(ERROR, EXPEL, "c12")),
        (
            "gpfs02 mmfs: [E] CCR: failed to connect to node 172.17.0.101:1191 (sock 42 err 1143)",
            Words(ERROR, NETWORK, "172.17.0.101"),
        ),
        ("Close connection to 192.168.10.109 c5n109. Attempting reconnect.", Words(WARNING, NETWORK, "c5n109")),
        ("Lost membership in cluster remote.cluster. Unmounting file systems.", Words(WARNING, LEASE)),
        (
            "[A] Deadlock detected: 2014-02-13 14:52:59: waiting 309.888 seconds on node p7fbn12: SyncHandlerThread",
            Words(ERROR, WAITER, "p7fbn12"),
        ),
        ("[E] Disk failure.  Volume fs1. rc = 22. Physical volume nsd.", Words(ERROR, DISK)),
        ("6027-474 [X] Recovery Log I/O failed, unmounting file system", Words(ERROR, IO)),
        ("6027-426 Warning: mount detected unavailable disks", Words(ERROR, DISK)),
        ("localhost kernel: sd 10:0:0:0: rejecting I/O to offline device", Words(ERROR, IO)),
        ("derek kernel: [62232.210144] Buffer I/O error on device sr0, logical block 0", Words(ERROR, IO)),
        ("localhost kernel: qla2xxx [0000:81:00.1]-500b:10: LOOP DOWN detected (2 7 0 0).", Words(ERROR, DISK)),
        ("n1 kernel: device-mapper: multipath: Failing path 8:16.", Words(ERROR, DISK)),
        ("n1 kernel: INFO: task mmfsd:4711 blocked for more than 120 seconds.", Words(WARNING, WAITER)),
        ("n1 kernel: nf_conntrack: nf_conntrack: table full, dropping packet", Words(WARNING, NETWORK)),
        ("[W] something that nobody knows", Words(WARNING, OTHER)),
        ("n1 kernel: usb 1-1: device descriptor read/64 failed", Words(ERROR, OTHER)),
        ("[N] mmfsd ready", Words(NOTE, OTHER)),
        ("GPFS: 6027-1710 Connecting to 10.0.1.21 pcoral8b-ib", Words(NOTE, OTHER, "pcoral8b-ib")),
        ("[N] This node (172.17.0.102 (gpfs02)) is now Cluster Manager for gpfs01.", Words(NOTE, OTHER, "gpfs02")),
    ],
)
def test_words_tell_the_kind_and_the_node(text: str, told: Words) -> None:
    assert words(text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("quiet_error: 48 callbacks suppressed", Words(ERROR, IO, count=48)),
        ("n1 kernel: [ 180.769204] blk_update_request: 7 callbacks suppressed", Words(ERROR, IO, count=7)),
        ("net_ratelimit: 23807 callbacks suppressed", Words(WARNING, NETWORK, count=23807)),
        ("__ratelimit: 7 callbacks suppressed", Words(NOTE, OTHER, count=7, repeats=True)),
        ("n1 last message repeated 5 times", Words(NOTE, "", count=5, repeats=True)),
        ("n1 kernel: last message repeated 5 times", Words(NOTE, "", count=5, repeats=True)),
        ("n1 kernel: message repeated 3 times: [ Buffer I/O error on device sdd1]", Words(ERROR, IO, count=3)),
        ("n1 kernel: message repeated 3 times: [ [62.2] lost page write due to x on sdd1]", Words(ERROR, IO, count=3)),
    ],
)
def test_lines_that_were_left_out_are_counted(text: str, told: Words) -> None:
    assert words(text) == told


def test_the_kernels_own_priority_goes_before_words_but_not_before_a_kind() -> None:
    assert words("something failed", 6).severity == NOTE
    assert words("something", 4).severity == WARNING
    assert words("something", 3).severity == ERROR
    assert words("Buffer I/O error on device sda", 4).severity == ERROR
    assert words("something", None, WARNING).severity == WARNING


ANSWER = """\
Welcome to n1
restripe-logs 1
today 2013-06-06 -0700
log mmfs
from /var/adm/ras/mmfs.log.latest
cut
| 2013-06-06_15:28:07.000-0700: [N] mmfsd ready
| 2013-06-06_15:28:08.500-0700: [E] Node 10.0.0.12 (c12) is being expelled due to expired lease.
|  a line that goes on
over
log kernel
booted 1370550000
from /var/log/messages
| Jun  6 15:28:09 n1 kernel: end_request: I/O error, dev sdd, sector 2048
| Jun  6 15:28:09 n1 last message repeated 4 times
| Jun  6 15:28:10 n1 kernel: __ratelimit: 10 callbacks suppressed
over
end
"""
AT = utc(2013, 6, 6, 22, 28, 0)


def test_an_answer_is_two_tails_with_the_entries_that_count() -> None:
    parsed = parse_logs(ANSWER)
    assert (parsed.problems, [note.text for note in parsed.notes]) == ((), ["Welcome to n1"])
    mmfs, kernel = parsed.model.tails
    assert (mmfs.via, mmfs.cut, len(mmfs.marks)) == ("/var/adm/ras/mmfs.log.latest", True, 3)
    assert (mmfs.first_at, mmfs.last_at) == (AT + 7, AT + 8.5)
    text = "[E] Node 10.0.0.12 (c12) is being expelled due to expired lease."
    assert mmfs.entries == (LogEntry(AT + 8.5, ERROR, EXPEL, "c12", 1, text, 1),)
    assert (kernel.cut, kernel.booted) == (False, 1370550000.0)
    assert [(entry.kind, entry.count) for entry in kernel.entries] == [(IO, 1), (IO, 4), (IO, 10)]


def test_a_dump_of_the_kernel_is_one_event() -> None:
    lines = "".join(f"| <4>[  100.{number:06d}]  [<ffff>] function+0x1/0x2\n" for number in range(50))
    answer = (
        "restripe-logs 1\ntoday 2013-06-06 +0000\nlog kernel\nbooted 1370000000\nfrom dmesg\n"
        f"{lines}| <3>[  100.5] BUG: unable to handle\n| <4>[  300.0] another\n| <3>[ 300.1] sd 0: rejecting I/O to x\n"
        "over\nend\n"
    )
    tail = parse_logs(answer).model.get("kernel")
    assert tail is not None
    assert [(entry.severity, entry.kind, entry.count) for entry in tail.entries] == [
        (ERROR, OTHER, 1),
        (WARNING, OTHER, 1),
        (ERROR, IO, 1),
    ]
    assert tail.entries[0].text == "BUG: unable to handle"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("state absent", "there is no such log"),
        ("state denied", "the login may not read it"),
        ("| 2013-06-06_15:28:07.000-0700: [E] x\nstate hangs", "reading it hangs"),
        ("state still", "an earlier look at it still hangs"),
        ("| 2013-06-06_15:28:07.000-0700: [E] x", "its reader has ended before its time"),
    ],
)
def test_what_could_not_be_read_as_a_whole_is_not_known(said: str, why: str) -> None:
    parsed = parse_logs(f"restripe-logs 1\ntoday 2013-06-06 -0700\nlog mmfs\n{said}\nend\n")
    assert parsed.ok
    assert parsed.model.tails == (LogTail("mmfs", why=why),)


def test_an_answer_that_is_not_whole_is_a_problem() -> None:
    assert not parse_logs(ANSWER.removesuffix("end\n")).ok
    assert not parse_logs(ANSWER.replace("today 2013-06-06 -0700\n", "")).ok
    assert not parse_logs("").ok


WORDS = ("restripe-logs 1", "today 2013-06-06 -0700", "log mmfs", "log kernel", "over", "end", "cut", "state hangs",
         "booted 1370000000", "| <3>[ 1.5] x", "| Feb 29 10:00:00 n1 kernel: 9 callbacks suppressed", "|", "from dmesg",
         "| May  7 22:25:39 gpfs02 last message repeated 5 times")  # fmt: skip


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=40)).map("\n".join), st.text(max_size=40))
def test_the_parser_is_total(stdout: str, stderr: str) -> None:
    parse_logs(stdout, stderr)
