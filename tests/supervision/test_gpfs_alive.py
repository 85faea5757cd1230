"""Alive or not: what speaks for and against a scan that says nothing."""

from __future__ import annotations

from remote.gpfs.models import Qos, QosStat, Waiter, Waiters
from supervision.filesystem import Phase, Progress
from supervision.gpfs_alive import is_expected
from tests.supervision import gpfs_states as made
from tests.supervision.gpfs_states import FS, NOW, counted, job, log, scanning

SPACE = {f"space {FS}": made.space(made.disk_space("a"))}
SILENT = 2000.0


def waiter(seconds: float, name: str = "NSDThread", reason: str = "for I/O completion") -> Waiter:
    return Waiter("1", name, seconds, "", True, "", reason)


LEADER = waiter(7200.1, "PITMgrThread", "waiting for helper worker threads")


def silent(facts: dict[str, object] | None = None) -> Progress:
    """A scan whose last line is old."""
    a_job = job()
    state = made.state({**SPACE, **(facts or {})}, jobs=(a_job,), logs=(scanning(last=NOW - SILENT),))
    return made.file_system().progress(state, a_job)


def stats(*rows: tuple[float, float]) -> Qos:
    """mmlsqos, of (seconds ago, I/Os a second) of the maintenance class."""
    made_rows = [QosStat("system", "maintenance", int(NOW - ago), iops, 0.0, 0.0, 5.0) for ago, iops in rows]
    return Qos(True, True, True, (), (*made_rows, QosStat("system", "other", int(NOW), 9000.0, 0.0, 0.0, 5.0)))


def test_a_scan_that_stands_still_is_told_with_the_longest_waiter_that_is_not_its_own() -> None:
    told = silent({"waiters n1": Waiters((LEADER, waiter(3))), "waiters n2": Waiters((waiter(1900),))})
    assert told.phase is Phase.STALLED
    assert told.why == (
        "no line for 33 min, where 2 min is usual. Longest waiter: NSDThread on n2 for 32 min: for I/O completion"
    )
    assert [line.value for line in told.evidence if line.label == "waiters"] == [
        "NSDThread on n2 for 32 min: for I/O completion",
        "NSDThread on n1 for 3 s: for I/O completion",
    ]
    assert told.finish is None


def test_the_scan_s_own_waiters_are_expected() -> None:
    assert is_expected(LEADER)
    assert is_expected(waiter(7200, "tsdeldisk", "waiting"))
    assert not is_expected(waiter(7200, "PITWorkerThread", "for I/O completion"))  # stuck on a disk
    told = silent({"waiters n1": Waiters((LEADER,))})
    assert told.why == "no line for 33 min, where 2 min is usual"
    assert "no thread of GPFS waits on 1 hosts but those of the scan" in [line.value for line in told.evidence]


def test_a_thread_that_waits_for_another_node_is_told_after_the_one_that_it_waits_for() -> None:
    """Hosts are asked at different times, so the age alone does not tell which was first."""
    rpc = waiter(1910, "PitWorkerThread", "RPC wait")
    told = silent({"waiters n1": Waiters((rpc, waiter(3))), "waiters n2": Waiters((waiter(1900),))})
    assert told.why.endswith("Longest waiter: NSDThread on n2 for 32 min: for I/O completion")
    told = silent({"waiters n1": Waiters((rpc, waiter(3)))})
    assert told.why.endswith("Longest waiter: PitWorkerThread on n1 for 32 min: RPC wait")


def test_maintenance_work_since_the_last_line_shows_that_it_works() -> None:
    told = silent({f"qos {FS}": stats((60, 500.0), (30, 700.0))})
    assert told.phase is Phase.QUIET
    assert "yet the maintenance class does 600 I/Os a second: it works" in told.why


def test_maintenance_work_before_the_last_line_shows_nothing() -> None:
    assert silent({f"qos {FS}": stats((SILENT + 60, 500.0))}).phase is Phase.STALLED
    assert silent({f"qos {FS}": stats((60, 0.0))}).phase is Phase.STALLED


def test_daemons_that_are_not_active_are_told() -> None:
    told = silent({"node state n1": made.states("active"), "node state n2": made.states("down")})
    assert [line.value for line in told.evidence if line.label == "daemons"] == ["GPFS is not active on n2"]


def test_lines_that_count_nothing_more_are_a_standstill_too() -> None:
    lines = [(NOW - 3000 + 100 * index, counted(10_000 * min(index, 10))) for index in range(1, 30)]
    a_job = job()
    state = made.state(SPACE, jobs=(a_job,), logs=(log((NOW - 3000, made.USER_FILES), *lines),))
    told = made.file_system().progress(state, a_job)
    assert told.phase is Phase.STALLED
    assert told.why.startswith("its lines come, but they count nothing more: no progress for")


def test_nothing_is_said_of_a_scan_that_tells_its_progress() -> None:
    a_job = job()
    state = made.state(SPACE, jobs=(a_job,), logs=(scanning(),))
    assert made.file_system().progress(state, a_job).evidence == ()
