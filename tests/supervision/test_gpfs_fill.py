"""What a GPFS file system's disks tell of a scan: which of them empty or fill, and when that is over."""

from __future__ import annotations

import msgspec
import pytest

from supervision.eta_disks import ROUGH
from supervision.filesystem import Phase
from supervision.gpfs_eta import run_kind
from supervision.gpfs_fill import filling, leaving_disks, on_disks, shown
from supervision.gpfs_view import Memo, View
from supervision.happenings import Happening
from supervision.spaces import DiskUse, Look, noted
from supervision.state import Job, State
from supervision.tables import Severity
from tests.supervision.gpfs_states import (
    FS,
    NOW,
    USER_FILES,
    attributes,
    disk,
    disk_list,
    disk_space,
    file_system,
    job,
    log,
    scanning,
    space,
    state,
)

BEGAN = NOW - 18_000.0
DELETING = f"/usr/lpp/mmfs/bin/mmdeldisk /dev/{FS} 'd1;d2' -N n1"


def view(now: State) -> View:
    return View(now, FS, ("n1",))


def with_looks(now: State, *looks: tuple[float, list[DiskUse]]) -> State:
    history: tuple[Look, ...] = ()
    for at, uses in looks:
        history = noted(history, at, uses)
    return msgspec.structs.replace(now, spaces=history)


def draining(now: State, first: int = 400_000) -> State:
    """10 KB a second leave disks d1 and d2, since the beginning."""
    return with_looks(
        now,
        *(
            (BEGAN + 900.0 * look, [DiskUse(name, first - 4500 * look, 10**6, data=True) for name in ("d1", "d2")])
            for look in range(21)
        ),
    )


@pytest.mark.parametrize(
    ("command", "statuses", "leaving"),
    [
        (DELETING, ("ready", "ready"), ("d1", "d2")),
        (f"mmrpldisk {FS} d2 -F /tmp/new", ("ready", "ready"), ("d2",)),
        (f"mmdeldisk {FS} -F /tmp/old", ("ready", "being emptied"), ("d2",)),
        (f"mmrestripefs {FS} -r -N n1", ("to be emptied", "suspended"), ("d1", "d2")),
        (f"mmrestripefs {FS} -r -N n1", ("ready", "ready"), ()),
        (f"mmrestripefs {FS} -r --metadata-only", ("suspended", "suspended"), ()),
        (f"mmrestripefs {FS} -m", ("to be emptied", "suspended"), ()),
        (f"mmchdisk {FS} start -a", ("to be emptied", "suspended"), ()),
        (f"mmdelsnapshot {FS} old", ("to be emptied", "suspended"), ()),
    ],
)
def test_disks_leave_by_the_command_or_by_their_status(
    command: str, statuses: tuple[str, str], leaving: tuple[str, ...]
) -> None:
    disks = disk_list(*(disk(name, status=status) for name, status in zip(("d1", "d2"), statuses, strict=True)))
    assert leaving_disks(view(state({f"disks {FS}": disks})), job(command=command)) == leaving


def test_what_lies_on_a_disk_that_is_down_cannot_be_moved_and_is_no_measure() -> None:
    """As `restripeOnDiskFailure` leaves it: suspended, and down."""
    one = job(command=f"mmrestripefs {FS} -r", began=BEGAN)
    disks = disk_list(disk("d1", status="to be emptied", availability="down"), disk("d2", status="to be emptied"))
    assert leaving_disks(view(state({f"disks {FS}": disks})), one) == ("d2",)


def test_a_disk_that_users_filled_until_it_began_to_leave_is_emptied_from_there_on() -> None:
    one = job(command=f"mmrestripefs {FS} -r", began=BEGAN)
    used = (100, 500, 600, 450)
    looks = [(BEGAN + 900.0 * number, [DiskUse("d1", kb, 10**6, data=True)]) for number, kb in enumerate(used)]
    disks = {f"disks {FS}": disk_list(disk("d1", status="to be emptied"))}
    found = on_disks(view(with_looks(state(disks, jobs=(one,)), *looks)), one)
    assert found is not None
    assert (found.done, found.total) == (150, 600)


def test_an_evacuation_is_forecast_in_kb_left_without_any_log() -> None:
    one = job(command=DELETING, began=BEGAN)
    found = on_disks(view(draining(state(jobs=(one,)))), one)
    assert found is not None
    assert found.estimate.unit == "KB"
    assert found.estimate.remaining is not None
    assert found.estimate.remaining.mid == pytest.approx((800_000 - 180_000) / 10)
    assert found.basis == "KB left on 2 disks that are emptied"


def test_a_rebalance_fills_the_disks_that_are_emptier_than_their_pool() -> None:
    """Half of the pool is in use, so the empty disk will hold 500,000 KB; 10 KB a second come on it."""
    one = job(command=f"mmrestripefs {FS} -b -N n1", began=BEGAN)
    looks = [
        (BEGAN + 900.0 * look,
         [DiskUse("new", 9000 * look, 10**6, pool="p"), DiskUse("old", 10**6 - 9000 * look, 10**6, pool="p")])
        for look in range(21)
    ]  # fmt: skip
    found = on_disks(view(with_looks(state(jobs=(one,)), *looks)), one)
    assert found is not None
    assert found.estimate.remaining is not None
    assert found.estimate.remaining.mid == pytest.approx((500_000 - 180_000) / 10)
    assert found.estimate.why == ROUGH
    assert found.basis == "KB on 1 disk of 500,000 KB expected there"


def metadata_run(one: Job) -> State:
    """Two copies of a million inodes of 512 bytes: 5,000,000 KB with what else is metadata; 100 KB a second come."""
    facts = {
        f"filesystem {FS}": attributes(i="512", m="2"),
        f"space {FS}": space(*(disk_space(name, free=9_100_000, size=10**7) for name in ("ssd1", "ssd2"))),
    }
    looks = [
        (BEGAN + 900.0 * look, [DiskUse(f"ssd{n}", 45_000 * look, 10**7, metadata=True) for n in (1, 2)])
        for look in range(21)
    ]
    return with_looks(state(facts, jobs=(one,), logs=(scanning(),)), *looks)


def test_a_restripe_of_metadata_without_a_log_is_forecast_by_what_metadata_is_expected_to_take() -> None:
    one = job(began=BEGAN)
    found = on_disks(view(metadata_run(one)), one)
    assert found is not None
    assert found.estimate.remaining is not None
    assert found.estimate.remaining.mid == pytest.approx((5_000_000 - 1_800_000) / 100)
    assert found.estimate.why == ROUGH


def test_what_metadata_is_expected_to_take_is_less_than_a_tenth_too_much_for_the_seed() -> None:
    """2 copies of 88,772,608 inodes of 512 bytes took 407,779,968 KB."""
    assert 1.0 < 2 * 88_772_608 * (512 + 2048) // 1024 / 407_779_968 < 1.1


def test_the_log_tells_how_full_the_metadata_disks_will_be() -> None:
    """At the last line a tenth of a million inodes were passed, and each disk had 900,000 KB."""
    one = job(began=BEGAN)
    found = filling(view(metadata_run(one)), one)
    assert [(disk.name, disk.now_kb, disk.end_kb) for disk in found] == [
        ("ssd1", 900_000, 9_000_000),
        ("ssd2", 900_000, 9_000_000),
    ]
    assert found[0].full == 0.9


def test_disks_that_will_be_too_full_are_told_with_the_way_back_while_they_are_still_empty() -> None:
    """Each disk is 9 % full and will be 90 %."""
    one = job(began=BEGAN)
    (line,) = (line for line in file_system().problems(metadata_run(one)) if line.label == "Metadata")
    assert line.severity is Severity.WARNING
    assert line.value == "forecast 90 % full on ssd1 when the restripe ends; over 85 %: ssd[1-2]"
    assert "`mmchdisk fs1 change` the old disks to dataAndMetadata" in line.advice


def test_what_was_written_before_a_scan_began_again_is_no_work_of_the_one_that_counts_now() -> None:
    """It began again when each disk had 855,000 KB; 45,000 came with the tenth of the inodes passed since."""
    one = job(began=BEGAN)
    again = (Happening(BEGAN + 17_100.0, "n1", "restart", "the scan began again from its first phase"),)
    found = filling(view(msgspec.structs.replace(metadata_run(one), happened=again)), one)
    assert [(disk.now_kb, disk.end_kb) for disk in found] == [(900_000, 1_305_000)] * 2


def test_nothing_is_told_where_no_disk_empties_or_fills() -> None:
    one = job(command=f"mmrestripefs {FS} -R -N n1", began=BEGAN)
    assert on_disks(view(draining(state(jobs=(one,)))), one) is None
    assert on_disks(view(state(jobs=(one,))), job(began=BEGAN)) is None
    assert filling(view(state(jobs=(one,))), one) == ()


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("mmrestripefs fs1 -r -N n1,n2", "mmrestripefs -r"),
        ("/usr/lpp/mmfs/bin/mmrestripefs fs1 -b --metadata-only", "mmrestripefs -b --metadata-only"),
        ("mmrestripefs fs1", "mmrestripefs"),
        ("mmdeldisk fs1 d1;d2", "mmdeldisk"),
        ("mmrpldisk fs1 d1 -F f", "mmrpldisk"),
        ("mmdelsnapshot fs1 s1", "mmdelsnapshot"),
        ("mmchdisk fs1 start -a", "mmchdisk start"),
        ("mmchdisk fs1 suspend -d d1", ""),
        ("sleep 5", ""),
        ("", ""),
    ],
)
def test_runs_are_alike_by_their_command_and_its_work(command: str, kind: str) -> None:
    assert run_kind(command.split()) == kind


def test_the_finish_of_an_evacuation_is_that_of_the_kb_left_and_of_another_scan_that_of_its_log() -> None:
    one = job(command=DELETING, began=BEGAN)
    now = draining(state({f"space {FS}": space()}, jobs=(one,), logs=(scanning(),)))
    told = file_system().progress(now, one)
    assert told.phase is Phase.RUNNING
    assert told.finish is not None
    assert told.finish.mid == pytest.approx(NOW + 62_000)
    assert told.finish.basis == "by KB left on 2 disks that are emptied"
    other = job(began=BEGAN)
    logged = file_system().progress(metadata_run(other), other)
    assert logged.finish is None or "inodes" in logged.finish.basis


def test_where_the_log_tells_no_figure_the_disks_do_and_say_how_rough_it_is() -> None:
    one = job(began=BEGAN)
    now = msgspec.structs.replace(metadata_run(one), logs={("n1", "job:j1"): log((NOW - 20, USER_FILES))})
    told = file_system().progress(now, one)
    assert told.phase is Phase.STARTING
    assert told.finish is not None
    assert told.finish.mid == pytest.approx(NOW + 32_000)
    assert told.finish.basis.endswith(ROUGH)


def test_what_fills_is_worked_out_once_for_each_look_and_line() -> None:
    disks = {f"space {FS}": space(disk_space("ssd", "YN")), f"disks {FS}": disk_list(disk("ssd", usage="YN"))}
    memo = Memo()
    one = job(began=BEGAN)
    first = with_looks(state(disks, jobs=(one,), logs=(scanning(),)), (BEGAN, [DiskUse("ssd", 1, 100)]))
    known = shown(View(first, FS, ("n1",), memo), one)
    assert [(fill.name, fill.group) for fill in known] == [("ssd", "1")]
    assert shown(View(msgspec.structs.replace(first, at=NOW + 9), FS, ("n1",), memo), one) is known
    longer = {**first.logs, ("n1", "job:j1"): scanning(11)}
    assert shown(View(msgspec.structs.replace(first, logs=longer), FS, ("n1",), memo), one) is not known
