"""What happens mid-run: which difference of two answers is an event, and what a scan's counters run up to."""

from __future__ import annotations

import pytest

from remote.command import Command, Effect
from remote.events import Answered, Asked, Event, Exact, LinkChanged, LogRead, Placed, Reply
from remote.gpfs.models import DiskSpace, FsManager, Managers, Qos, QosLimit, Snapshot, Snapshots
from remote.jobs import Place
from supervision.eta_rates import Known
from supervision.gpfs_happened import QUICK, changes, known
from supervision.happenings import MOST, Happening, noted
from supervision.reading import Change
from supervision.reducer import reduce
from supervision.state import State
from tests.supervision import gpfs_states as made
from tests.supervision.gpfs_states import FS

DISKS = made.disk_list(*(made.disk(name) for name in "abcde"))


def qos(limit: str, *, enabled: bool = True) -> Qos:
    return Qos(enabled, True, True, (QosLimit("system", "maintenance", limit), QosLimit("system", "other", "inf")))


def snapshots(*names: str) -> Snapshots:
    return Snapshots(tuple(Snapshot(FS, name, number, "Valid", "") for number, name in enumerate(names)))


def test_a_disk_that_goes_down_is_told_with_how_it_was() -> None:
    after = made.disk_list(made.disk("a", availability="down"), *(made.disk(name) for name in "bcde"))
    assert changes(f"disks {FS}", DISKS, after) == (
        Change("disk", "a: now ready down, holding metadata and data, was ready up, holding metadata and data"),
    )


def test_many_disks_that_change_alike_are_one_event() -> None:
    after = made.disk_list(*(made.disk(name, usage="NY") for name in "abcde"))
    assert changes(f"disks {FS}", DISKS, after) == (
        Change("disk", "5 disks (a,b,c,d,e): now ready up, holding data, was ready up, holding metadata and data"),
    )


def test_disks_that_come_and_go_are_events_and_so_is_the_sentence_on_replicas() -> None:
    sentence = "Attention: Due to an earlier configuration change the file system is no longer properly replicated."
    after = made.disk_list(*(made.disk(name) for name in "bcdef"), attention=(sentence,))
    assert changes(f"disks {FS}", DISKS, after) == (
        Change("disk", "f: added"),
        Change("disk", "a: removed"),
        Change("disk", '"no longer properly replicated" is told of'),
    )
    assert changes(f"disk details {FS}", DISKS, after) == ()  # the same once more, asked for its ids


def test_a_node_that_leaves_or_comes_back_changes_the_rate() -> None:
    left = changes("node states", made.states("active", "active"), made.states("active", "down"))
    assert left == (Change("node", "GPFS on n2 is down, was active", rate=True, of="GPFS on n2 is "),)
    further = changes("node states", made.states("active", "unknown"), made.states("active", "down"))
    assert further == (Change("node", "GPFS on n2 is down, was unknown", rate=False, of="GPFS on n2 is "),)
    assert changes("node states", made.states("active"), made.states("active", "down")) == ()


def test_managers_that_move_are_events() -> None:
    before, after = Managers((FsManager(FS, "n1"),), "n1"), Managers((FsManager(FS, "n2"),), "n3")
    assert changes("managers", before, after) == (
        Change("manager", f"the manager of {FS} is n2, was n1"),
        Change("manager", "the cluster manager is n3, was n1"),
    )


def test_a_limit_that_changes_is_told_with_both_values_and_changes_the_rate() -> None:
    assert changes(f"qos {FS}", qos("inf"), qos("300Iops")) == (
        Change("qos", "QoS: maintenance of system 300IOPS, was unlimited", rate=True),
    )
    assert changes(f"qos {FS}", qos("inf"), qos("inf", enabled=False)) == (
        Change("qos", "QoS: switched off", rate=True),
    )
    assert changes(f"qos {FS}", qos("inf"), qos("inf")) == ()


def test_snapshots_made_and_deleted_are_events() -> None:
    assert changes(f"snapshots {FS}", snapshots("mon", "tue"), snapshots("tue", "wed")) == (
        Change("snapshot", "snapshots: wed made, mon gone"),
    )


def test_other_answers_are_no_events() -> None:
    assert changes("cluster", made.cluster(), made.cluster("new")) == ()
    assert changes(f"disks {FS}", DISKS, None) == ()


def data_disk(name: str, used_mb: int) -> DiskSpace:
    return made.disk_space(name, "NY", free=(1000 - used_mb) * 1024, size=1000 * 1024)


@pytest.mark.parametrize(("copies", "mb"), [("1", 900), ("2", 450)])
def test_totals_are_allocated_inodes_and_one_copy_of_the_data(copies: str, mb: int) -> None:
    told = {
        f"space {FS}": made.space(data_disk("a", 600), data_disk("b", 300), made.disk_space("ssd")),
        f"filesystem {FS}": made.attributes(r=copies),
        f"snapshots {FS}": snapshots(),
    }
    assert known(told.get, FS, f"mmrestripefs {FS} -r") == Known(1_000_000, mb)
    assert known(told.get, FS, f"mmrestripefs {FS} -r --metadata-only") == Known(1_000_000, rough=QUICK)


def test_what_is_not_known_is_no_total_and_snapshots_make_it_unsure() -> None:
    assert known(lambda _key: None, FS, "") == Known(awaited=True)
    assert known(lambda _key: "exit code 1", FS, "") == Known()
    told = {f"space {FS}": made.space(data_disk("a", 600)), f"snapshots {FS}": snapshots("mon", "tue")}
    # how many copies of data there are was not told
    assert known(told.get, FS, "") == Known(1_000_000, snapshots=True)


# in the state

MANAGERS = Command(("mmlsmgr",), Effect.READS)


def mmlsmgr(node: str) -> bytes:
    head = "file system      manager node\n---------------- ------------------\n"
    return f"{head}{FS}              10.0.0.1 ({node})\n".encode()


def answers(*nodes: str) -> list[Event]:
    events: list[Event] = []
    for number, node in enumerate(nodes, 1):
        events.append(Asked(100.0 * number, number, "n1", (MANAGERS,)))
        events.append(Answered(100.0 * number + 1, number, (Reply(0, Exact(mmlsmgr(node))),)))
    return events


def after(*events: Event) -> State:
    state = made.state(at=0.0)
    for event in events:
        state = reduce(state, event)
    return state


def test_the_state_notes_what_is_different_from_the_answer_before_and_not_the_first() -> None:
    assert after(*answers("n1")).happened == ()
    assert after(*answers("n1", "n1", "n2")).happened == (
        Happening(301.0, "n1", "manager", f"the manager of {FS} is n2, was n1"),
    )


def mmgetstate(number: int, host: str, command: Command, *nodes: tuple[str, str]) -> list[Event]:
    head = " Node number  Node name        GPFS state\n------------------------------------------\n"
    rows = "".join(f"{which:8}      {name:16} {word}\n" for which, (name, word) in enumerate(nodes, 1))
    reply = Reply(0, Exact((head + rows).encode()))
    return [Asked(number, number, host, (command,)), Answered(number + 0.5, number, (reply,))]


def test_what_a_host_has_told_of_its_daemon_is_not_told_again_by_the_look_at_all_nodes() -> None:
    own, every = Command(("mmgetstate",), Effect.READS), Command(("mmgetstate", "-a"), Effect.READS)
    looks = (
        mmgetstate(1, "n1", every, ("n1", "active"), ("n2", "active"), ("n9", "active")),
        mmgetstate(2, "n2", own, ("n2", "active")),
        mmgetstate(3, "n2", own, ("n2", "down")),
        mmgetstate(4, "n1", every, ("n1", "active"), ("n2", "down"), ("n9", "down")),
        mmgetstate(5, "n2", own, ("n2", "active")),
        mmgetstate(6, "n2", own, ("n2", "down")),
    )
    state = after(*(event for look in looks for event in look))
    assert [(each.at, each.text) for each in state.happened] == [
        (3.5, "GPFS on n2 is down, was active"),
        (4.5, "GPFS on n9 is down, was active"),
        (5.5, "GPFS on n2 is active, was down"),
        (6.5, "GPFS on n2 is down, was active"),
    ]


def test_a_host_that_boots_or_is_lost_and_comes_back_is_noted() -> None:
    state = after(
        Placed(1.0, "n2", Place("/jobs", "boot-1")),
        Placed(2.0, "n2", Place("/jobs", "boot-1")),
        Placed(3.0, "n2", Place("/jobs", "boot-2")),
        LinkChanged(4.0, "n2", "connecting"),
        LinkChanged(5.0, "n2", "up"),
        LinkChanged(6.0, "n2", "waiting", "the connection was lost"),
        LinkChanged(7.0, "n2", "connecting"),
        LinkChanged(8.0, "n2", "waiting", "the connection was lost"),
        LinkChanged(9.0, "n2", "up"),
    )
    assert [(each.at, each.kind, each.text) for each in state.happened] == [
        (3.0, "node", "n2 has booted"),
        (6.0, "link", "n2 cannot be reached: the connection was lost"),
        (9.0, "link", "it can be reached again"),
    ]


def test_a_scan_that_begins_again_from_its_first_phase_is_noted() -> None:
    lines = (made.PHASE_1, made.DONE, made.USER_FILES, made.counted(500), made.PHASE_1)
    events, offset = [], 0
    for number, line in enumerate(lines, 1):
        data = f"{line}\n".encode()
        events.append(LogRead(float(number), "n1", "job:j1", offset, Exact(data)))
        offset += len(data)
    state = after(*events)
    assert state.happened == (Happening(5.0, "n1", "restart", "the scan began again from its first phase"),)
    log = state.job_log("n1", "j1")
    assert log is not None
    assert (log.scan.restarts, log.scan.phases_done, log.scan.number) == (1, 0, 1)


def test_a_restart_of_hours_ago_is_noted_when_it_was_and_another_run_in_the_same_file_is_none() -> None:
    def line(clock: str, inodes: int) -> str:
        return f" 50.00 % complete on Thu Jun  6 {clock}:00 2013  ( {inodes} inodes  1 MB)"

    run = (made.PHASE_1, made.DONE, made.USER_FILES, line("10:00", 500))
    again = "\n".join((*run, made.PHASE_1, made.DONE, made.USER_FILES, line("12:00", 7), "")).encode()
    state = after(LogRead(9000.0, "n1", "job:j1", 0, Exact(again)))
    assert state.happened == (Happening(1800.0, "n1", "restart", "the scan began again from its first phase"),)

    ended = (*run, " 100.00 % complete on Thu Jun  6 11:00:00 2013  ( 900 inodes  1 MB)", made.DONE)
    another = "\n".join((*ended, made.PHASE_1, made.DONE, made.USER_FILES, "")).encode()
    state = after(LogRead(9000.0, "n1", "job:j1", 0, Exact(another)))
    assert state.happened == ()
    log = state.job_log("n1", "j1")
    assert log is not None
    assert (log.scan.restarts, log.scan.phases_done, log.scan.done) == (0, 1, None)


def test_what_is_kept_is_bounded() -> None:
    before = tuple(Happening(float(number), "n1", "disk", "x") for number in range(MOST))
    found = noted(before, 9999.0, "n2", (Change("qos", "y"),))
    assert (len(found), found[0].at, found[-1]) == (MOST, 1.0, Happening(9999.0, "n2", "qos", "y"))


def test_a_storm_of_log_lines_displaces_nothing_but_its_own_beginning() -> None:
    happened: tuple[Happening, ...] = (Happening(1.0, "n1", "qos", "limited"), Happening(2.0, "n1", "disk", "down"))
    for number in range(MOST + 10):
        happened = noted(happened, 10.0 + number, "n2", (Change("canary", "I/O error"),))
    assert len(happened) == MOST
    assert [each.kind for each in happened[:3]] == ["qos", "disk", "canary"]
    assert (happened[2].at, happened[-1].at) == (22.0, 1019.0)
