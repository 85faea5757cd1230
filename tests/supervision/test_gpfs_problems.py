"""What is wrong: each problem by a state made by hand, with how bad it is and what to do."""

from __future__ import annotations

import msgspec
import pytest

from remote.gpfs.models import DiskList, NodeState, NodeStates, Waiter, Waiters
from remote.jobs import JobState
from remote.linux.host_time import HostTime
from remote.parsed import Parsed, Problem
from supervision.filesystem import worst
from supervision.gpfs import GpfsFileSystem
from supervision.state import Job, State
from supervision.tables import Line, Severity
from tests.supervision import gpfs_states as made
from tests.supervision.gpfs_states import FS, NOW, disk, disk_list, disk_space, job

DISKS, SPACE, FILE_SYSTEM = f"disks {FS}", f"space {FS}", f"filesystem {FS}"
NOT_REPLICATED = "Attention: Due to an earlier configuration change the file system is no longer properly replicated."
CHANGE = f"mmchdisk {FS} change -F /x/f"


def problems(state: State) -> tuple[Line, ...]:
    return made.file_system().problems(state)


def only(state: State) -> Line:
    """The one problem there is."""
    found = problems(state)
    assert len(found) == 1, found
    assert found[0].advice
    return found[0]


def test_nothing_is_wrong_where_nothing_is_known_or_all_is_well() -> None:
    assert problems(made.state()) == ()
    well = {DISKS: disk_list(disk("a"), disk("b", "2")), SPACE: made.space(disk_space("a"))}
    assert problems(made.state(well, links=dict.fromkeys(made.HOSTS, "up"))) == ()


@pytest.mark.parametrize(
    ("availability", "severity"),
    [("down", Severity.BAD), ("unrecovered", Severity.BAD), ("recovering", Severity.WARNING)],
)
def test_disks_that_are_not_up(availability: str, severity: Severity) -> None:
    line = only(
        made.state({DISKS: disk_list(disk("a1", availability=availability), disk("a2", availability=availability))})
    )
    assert (line.severity, line.value, line.at) == (severity, f"2 {availability}: a[1-2]", NOW)
    assert ("start -a" in line.advice) is (severity is Severity.BAD)


@pytest.mark.parametrize("status", ["suspended", "to be emptied", "being emptied", "emptied", "odd"])
def test_disks_that_are_not_ready(status: str) -> None:
    line = only(made.state({DISKS: disk_list(disk("a", status=status), disk("b"))}))
    assert (line.severity, line.value) == (Severity.WARNING, f"1 {status}: a")
    assert ("resume" in line.advice) is (status != "odd")


def replication(*jobs_of: Job, at: float = NOW) -> Line:
    facts = {DISKS: made.fact(DISKS, disk_list(disk("a"), attention=(NOT_REPLICATED,)), at=at)}
    lines = [line for line in problems(made.state(facts, jobs=jobs_of)) if line.label == "Replication"]
    assert len(lines) == 1
    return lines[0]


def test_it_is_expected_between_mmchdisk_and_the_restripes_end() -> None:
    change = job(JobState.FINISHED, CHANGE, job_id="c", rc=0, began=NOW - 7200)
    since_change = replication(change)
    assert (since_change.severity, "mmchdisk" in since_change.advice) == (Severity.NOTE, True)
    assert replication(change, job()).severity is Severity.NOTE
    assert replication(job()).severity is Severity.NOTE
    # the change came after the last restripe
    old = job(JobState.FINISHED, job_id="r", rc=0, began=NOW - 9000)
    assert replication(old, change).severity is Severity.NOTE


def test_it_is_a_warning_at_any_other_time() -> None:
    assert replication().severity is Severity.WARNING
    assert "mmrestripefs" in replication().advice
    failed = replication(job(JobState.FINISHED, rc=1))
    assert (failed.severity, "exit code 1" in failed.advice) == (Severity.WARNING, True)
    assert replication(job(JobState.UNKNOWN)).severity is Severity.WARNING
    assert replication(job(JobState.LOST)).severity is Severity.WARNING


def test_after_a_restripe_that_ended_well_it_counts_only_if_it_was_asked_after_it() -> None:
    ended = job(JobState.FINISHED, rc=0)
    ended = msgspec.structs.replace(ended, status=msgspec.structs.replace(ended.status, ended=NOW - 100))
    assert replication(ended, at=NOW - 200).severity is Severity.NOTE
    assert replication(ended, at=NOW - 50).severity is Severity.WARNING


@pytest.mark.parametrize(
    ("sentence", "severity"),
    [
        ("Attention: the file system may contain data that is at risk of being lost.", Severity.BAD),
        ("Attention: the file system is no longer properly balanced.", Severity.NOTE),
        ("Attention: something new.", Severity.WARNING),
    ],
)
def test_other_sentences(sentence: str, severity: Severity) -> None:
    assert only(made.state({DISKS: disk_list(disk("a"), attention=(sentence,))})).severity is severity


def test_replicas_need_failure_groups() -> None:
    two = made.attributes(m="2", r="1")
    one_group = {DISKS: disk_list(disk("a"), disk("b")), FILE_SYSTEM: two}
    line = only(made.state(one_group))
    assert (line.label, line.severity) == ("Replicas", Severity.BAD)
    assert "2 copies of metadata" in line.value
    groups = {DISKS: disk_list(disk("a"), disk("b", "2", status="suspended")), FILE_SYSTEM: two}
    lines = [line for line in problems(made.state(groups)) if line.label == "Replicas"]
    assert [line.severity for line in lines] == [Severity.WARNING]
    # groups of data disks do not help metadata
    data = {DISKS: disk_list(disk("a", "1", "YN"), disk("b", "2", "NY")), FILE_SYSTEM: two}
    assert only(made.state(data)).severity is Severity.BAD


def test_metadata_disks_that_fill_up() -> None:
    full = disk_space("ssd1", free=149), disk_space("ssd2", free=150), disk_space("both", "YY", free=1)
    line = only(made.state({SPACE: made.space(*full)}))
    assert (line.label, line.severity) == ("Metadata", Severity.WARNING)
    assert "ssd1" in line.value
    assert "ssd2" not in line.value


def test_disks_out_of_use_and_inodes_that_run_out() -> None:
    out = msgspec.structs.replace(disk_space("a"), available=False)
    assert "a" in only(made.state({SPACE: made.space(out)})).value
    inodes = only(made.state({SPACE: made.space(disk_space("a"), allocated=1000, used=1950)}))
    assert (inodes.label, inodes.severity) == ("Inodes", Severity.WARNING)


def test_daemons() -> None:
    line = only(made.state({"cluster": made.cluster(), "node states": made.states("active", "down", "down")}))
    assert (line.severity, line.value) == (Severity.BAD, "GPFS is down on n[2-3]")
    newer = {
        "cluster": made.cluster(),
        "node states": made.fact("node states", made.states("active", "down"), at=NOW - 100),
        "node state n2": NodeStates((NodeState(2, "n2", "active"),)),
    }
    assert problems(made.state(newer)) == ()
    unknown = NodeStates((), unreachable=("n3",))
    assert only(made.state({"cluster": made.cluster(), "node states": unknown})).severity is Severity.WARNING


def test_hosts_that_cannot_be_asked() -> None:
    links = {"n1": "up", "n2": "refused", "n3": "refused"}
    line = only(made.state(links=links))
    assert (line.severity, line.value) == (Severity.BAD, "n[2-3] refused")
    lost = only(made.state(links={"n2": "waiting"}))
    assert (lost.severity, lost.value) == (Severity.WARNING, "n2 lost, to be tried again")
    assert problems(made.state(links={"n1": "connecting", "n2": "idle", "n3": "closed"})) == ()


@pytest.mark.parametrize(("off", "told"), [(61, "ahead"), (-61, "behind"), (60, ""), (-60, "")])
def test_clocks(off: int, told: str) -> None:
    # the question took a second, and the answer has whole seconds
    off += 1 if off > 0 else 0
    found = problems(made.state({"time n2": HostTime(NOW + off, 0)}))
    assert [told in line.value and "n2" in line.value for line in found] == ([True] if told else [])


@pytest.mark.parametrize("word", [JobState.LOST, JobState.ORPHAN, JobState.REBOOTED, JobState.UNKNOWN, JobState.ERROR])
def test_jobs_that_cannot_be_judged(word: JobState) -> None:
    line = only(made.state(jobs=(job(word),), logs=(made.scanning(),)))  # its log goes on
    assert line.label == "Jobs"
    assert job(word).status.meaning in line.value
    assert line.severity >= Severity.WARNING


def test_jobs_that_run_or_ended_are_no_problem() -> None:
    jobs = tuple(
        job(word, job_id=word.value) for word in (JobState.RUNNING, JobState.FINISHED, JobState.SEALED, JobState.ABSENT)
    )
    assert problems(made.state(jobs=jobs, logs=(made.scanning(job_id="running"),))) == ()


def test_a_scan_that_failed_or_is_silent_for_too_long() -> None:
    failed = only(made.state(jobs=(job(JobState.FINISHED, rc=1),)))
    assert (failed.label, failed.severity, "exit code 1" in failed.value) == ("Restripe", Severity.BAD, True)
    stalled = only(made.state(jobs=(job(),), logs=(made.scanning(last=NOW - 5000),)))
    assert (stalled.severity, "second one" in stalled.advice) == (Severity.WARNING, True)


def waiter(seconds: float, monitored: bool | None = True) -> Waiter:
    return Waiter("1", "NSDThread", seconds, "", monitored, "", "for I/O completion")


def test_long_waiters() -> None:
    waiters = Waiters((waiter(61), waiter(300), waiter(9000, monitored=False), waiter(2)))
    line = only(made.state({"waiters n2": waiters}))
    assert line.value == "2 on n2, the longest 5 min: NSDThread: for I/O completion"
    assert problems(made.state({"waiters n2": Waiters((waiter(60),))})) == ()


def test_where_gpfs_does_not_run_nobody_asks_for_waiters() -> None:
    facts = {
        "cluster": made.cluster(),
        "node state n2": NodeStates((NodeState(2, "n2", "down"),)),
        "waiters n2": made.fact("waiters n2", None, failure="exit code 1: not running"),
    }
    assert only(made.state(facts)).label == "Nodes"


def test_that_old_jobs_are_listed_again_makes_no_warning_a_note() -> None:
    ended = job(JobState.FINISHED, rc=0, at=NOW)  # told again just now
    assert ended.status.ended is not None
    status = msgspec.structs.replace(ended.status, ended=NOW - 100)
    assert replication(msgspec.structs.replace(ended, status=status), at=NOW - 50).severity is Severity.WARNING


def test_facts_that_failed_or_were_not_understood() -> None:
    failed = made.fact(DISKS, DiskList(()), failure="exit code 1: no", at=NOW)
    never = made.fact("managers", None, failure="exit code 1: no")
    line = only(made.state({DISKS: failed, "managers": never}))
    assert (line.label, line.severity) == ("Not asked", Severity.WARNING)
    assert "exit code 1: no" in line.value
    torn = msgspec.structs.replace(
        made.fact(DISKS, DiskList(())), parsed=Parsed(DiskList(()), problems=(Problem(7, "x", "is odd"),))
    )
    assert "line 7: is odd" in only(made.state({DISKS: torn})).value


def test_facts_older_than_three_cadences() -> None:
    seconds = {
        command.text: cadence.seconds
        for cadence in GpfsFileSystem(FS, "n1", made.HOSTS).cadences("n1")
        for command in cadence.commands
    }
    three = 3 * seconds[f"mmdf {FS}"]
    fresh = made.fact(SPACE, made.space(disk_space("a")), at=NOW - three)
    assert problems(made.state({SPACE: fresh})) == ()
    line = only(made.state({SPACE: msgspec.structs.replace(fresh, at=NOW - three - 1)}))
    assert (line.label, line.severity) == ("Old figures", Severity.NOTE)
    disks = made.fact(DISKS, disk_list(disk("a")), at=NOW - 3 * seconds[f"mmlsdisk {FS}"] - 1)
    assert only(made.state({DISKS: disks})).severity is Severity.WARNING
    # what nobody asks again and again does not grow old
    assert problems(made.state({f"metadata space {FS}": made.fact("m", None, at=0.0)})) == ()


def test_the_worst_comes_first() -> None:
    facts = {
        DISKS: disk_list(disk("a", status="suspended"), disk("b", availability="down"), attention=(NOT_REPLICATED,))
    }
    found = problems(made.state(facts, jobs=(job(),)))
    assert [line.severity for line in found] == sorted((line.severity for line in found), reverse=True)
    assert worst(found) is found[0].severity is Severity.BAD
