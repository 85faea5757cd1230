"""How logs of GFS2's tools become a scan and a forecast: in blocks, for every release, and never by the percentage."""

from __future__ import annotations

from itertools import pairwise

import pytest

from remote.command import Command, Effect
from remote.events import Exact, Reply
from remote.gfs2 import commands as gfs2
from supervision.eta import State as Forecast
from supervision.eta_history import Unit
from supervision.facts import Fact, learn
from supervision.forecasts import forecast
from supervision.gfs2 import READING
from supervision.logs import KINDS, OTHER_KINDS, Log
from supervision.reading import Failing, Found, SumBegun
from tests.gfs2.gfs2texts import told
from tests.supervision import gfs2_states as made
from tests.supervision.gfs2_states import DEVICE, HOST, LEAST, NOW, SAVED, SAVEMETA


def pieces(name: str, apart: float = 1.0) -> list[tuple[float, str]]:
    """A text as the tool wrote it: a line of progress every so many seconds, each after a lone CR."""
    first, *rest = told(name).split("\r")
    return [(NOW + apart * number, ("\r" if number else "") + text) for number, text in enumerate([first, *rest])]


@pytest.mark.parametrize("release", ["317", "330", "350"])
def test_the_blocks_saved_are_the_work_whatever_the_release(release: str) -> None:
    log = made.log(*pieces(f"savemeta_{release}"), known=made.device_facts())
    assert (log.scan.done, log.scan.percent, log.scan.phase) == (SAVED, 100.0, "savemeta")
    assert (log.scan.phases_done, log.scan.in_phase) == (1, False)
    counts = [point.done for point in log.scan.points]
    assert all(earlier is not None and later is not None and earlier <= later for earlier, later in pairwise(counts))
    assert log.scan.failures == ()
    assert dict(log.scan.found) == {}  # no line of it is anything that a check would find


@pytest.mark.parametrize(
    ("line", "done"),
    [
        ("\r1234 metadata blocks (7%) processed, \r", None),
        ("\r900 inodes processed, 1234 blocks saved (7%) processed, \r", 1234),
    ],
    ids=["3.1.4", "3.1.5"],
)
def test_old_releases_count_as_much_as_they_tell(line: str, done: int | None) -> None:
    scan = made.log((NOW, line)).scan
    assert (scan.done, scan.percent) == (done, 7.0)


def evenly(seconds: int, rate: int) -> Log:
    """A savemeta that saves `rate` blocks a second, while the address says that it is nearly over."""
    begin = "There are 524287 blocks of 4096 bytes in the filesystem.\nFilesystem size: 2.00GB\n"
    lines = [(NOW, begin), (NOW, "\r0 blocks saved (1% complete)")]
    lines += [(NOW + at, f"\r{at * rate} blocks saved (97% complete)") for at in range(1, seconds + 2)]
    return made.log(*lines, known=made.device_facts())


def test_the_forecast_counts_blocks_over_the_least_there_are() -> None:
    log = evenly(20, 2000)
    known = READING.known(made.device_facts().get, DEVICE, SAVEMETA)
    assert (known.blocks, known.at_least, known.unit) == (LEAST, True, Unit.BLOCKS)
    found = forecast(log.forecasts, log.last_at, known)
    assert found is not None
    assert (found.state, found.unit) == (Forecast.ESTIMATE, "blocks")
    assert found.remaining is not None
    assert found.remaining.low <= (LEAST - 40_000) / 2000  # 24.5 s, were there no more than there are at least
    assert found.remaining.high > (2 * LEAST - 40_000) / 2000
    assert "88,942 blocks are a lower bound" in found.why


def test_without_the_resource_groups_nothing_stands_in_for_the_total() -> None:
    log = evenly(20, 2000)
    refused: dict[str, object] = {f"rgs {DEVICE}": "exit code 1"}
    asked = READING.known(refused.get, DEVICE, SAVEMETA)
    found = forecast(log.forecasts, log.last_at, asked)
    assert found is not None
    assert (found.state, found.remaining) == (Forecast.STARTING, None)
    assert found.why == "how much there is to be counted is not known"
    waited = forecast(log.forecasts, log.last_at, READING.known(dict[str, object]().get, DEVICE, SAVEMETA))
    assert waited is not None
    assert waited.why == "what its counters run up to is not known yet"


def test_a_restoremeta_has_no_total_of_its_device() -> None:
    known = READING.known(made.device_facts().get, DEVICE, f"gfs2_edit restoremeta /x.gz {DEVICE}")
    assert (known.blocks, known.unit, known.awaited) == (None, Unit.BLOCKS, False)


def test_the_passes_of_a_check_are_its_phases_and_their_figures_are_of_one_alone() -> None:
    log = made.log((NOW, told("fsck_350_percentages")))
    assert log.scan.ended[:3] == ("reconcile_bitmaps", "pass1", "pass1b")
    assert log.scan.ended[-2:] == ("pass4", "check_statfs")
    assert log.scan.done is None
    found = forecast(log.forecasts, NOW, READING.known(dict[str, object]().get, DEVICE, f"fsck.gfs2 -n {DEVICE}"))
    assert found is not None
    assert found.remaining is None


def test_what_a_check_finds_is_counted_by_kind() -> None:
    log = made.log((NOW, told("fsck_350_findings.stdout")), (NOW + 1, told("fsck_350_findings.stderr")))
    assert log.scan.found["Found unlinked inode at N"] == 20
    lines = [line for line in told("fsck_350_findings.stderr").splitlines() if line.strip()]
    assert sum(log.scan.found.values()) == len(lines)


def test_a_sum_of_the_guard_takes_the_place_of_the_one_before() -> None:
    first = "guarded: 1000 lines more, 50000 bytes, so far:\nguarded: 900 x Bad block N\nguarded: 100 x Odd N\n"
    last = "guarded: 2500 lines more, 99000 bytes, in all:\nguarded: 2400 x Bad block N\n"
    last += "guarded: 100 lines of other kinds\n"
    log = made.log((NOW, "Bad block 7 (0x7)\nBad block 8 (0x8)\n"), (NOW + 1, first), (NOW + 2, last))
    assert dict(log.scan.found) == {"Bad block N": 2}
    assert dict(log.scan.summed) == {"Bad block N": 2400, OTHER_KINDS: 100}


def test_kinds_are_bounded_whatever_a_log_says() -> None:
    words = "".join(f"finding {chr(97 + at % 26)}{chr(97 + at // 26 % 26)}{chr(97 + at // 676)}\n" for at in range(900))
    found = made.log((NOW, words)).scan.found
    assert len(found) == KINDS + 1
    assert sum(found.values()) == 900
    assert found[OTHER_KINDS] == 900 - KINDS


def test_another_check_in_the_same_log_counts_anew() -> None:
    one = "Starting pass1\nBad block 7\npass1 completed in 1.0s\n"
    scan = made.log((NOW, one), (NOW + 1, one)).scan
    assert (scan.ended, dict(scan.found)) == (("pass1",), {"Bad block N": 1})


@pytest.mark.parametrize(
    ("line", "event"),
    [
        ("write error: No space left on device", Failing),
        ("Failed to open '/dev/nope': No such file or directory", Failing),
        ("guarded: 3 x Bad block N", Found),
        ("guarded: 1000 lines more, 5 bytes, so far:", SumBegun),
        ("guarded: fsck.gfs2 was ended by signal 11 (SIGSEGV)", None),
        ("Initializing fsck", None),
        ("", None),
        ("x" * 5000, Found),
    ],
)
def test_a_line_tells_what_it_tells(line: str, event: type | None) -> None:
    got = READING.scan_event(line)
    assert got is None if event is None else isinstance(got, event)


def answered(command: Command, rc: int, out: str = "", err: str = "") -> Fact | None:
    return learn(READING, None, HOST, command, Reply(rc, Exact(out.encode()), Exact(err.encode())), NOW, NOW)


def test_blkid_that_finds_nothing_has_answered() -> None:
    found = answered(gfs2.blkid(DEVICE), 2)
    assert found is not None
    assert (found.failure, found.parsed and found.parsed.model) == ("", ())
    failed = answered(gfs2.blkid(DEVICE), 2, err="blkid: error: permission denied")
    assert failed is not None
    assert "permission denied" in failed.failure


def test_each_question_is_kept_by_the_device() -> None:
    for what, command, text in (
        ("sb", gfs2.sb(DEVICE), "sb_350"),
        ("statfs", gfs2.statfs(DEVICE), "statfs_350"),
        ("rgs", gfs2.rgs(DEVICE), "rgs_350"),
        ("blkid", gfs2.blkid(DEVICE), "blkid"),
    ):
        fact = answered(command, 0, told(text))
        assert fact is not None
        assert (fact.key, fact.parsed and fact.parsed.problems) == (f"{what} {DEVICE}", ())
    assert answered(Command(("gfs2_edit", "-p", "root", DEVICE), Effect.READS), 0, "x") is None


def test_a_long_list_of_groups_is_read_in_slices() -> None:
    groups = 2000
    text = f"RG index entries found: {groups}.\n" + "".join(
        f"RG #{at} located at: {17 + at} (0x1)\n  rg_free  5  0x5\n  rg_dinodes  3  0x3\n" for at in range(groups)
    )
    slices = READING.slices(gfs2.rgs(DEVICE), text, "")
    assert slices is not None
    assert len(list(slices)) == (1 + 3 * groups) // 4000
    found = answered(gfs2.rgs(DEVICE), 0, text)
    assert found is not None
    assert found.parsed is not None
    assert found.parsed.model.dinodes == 3 * groups


def test_the_kind_of_a_run_has_the_level_of_gzip() -> None:
    assert READING.run_kind(SAVEMETA) == "savemeta -z1"
    assert READING.run_kind(f"sh /j/guarded.sh -- fsck.gfs2 -n {DEVICE}") == "fsck -n"
    assert READING.run_kind("ls /") == ""
