"""The size of the metadata on a plan's disks, from what GPFS tells: the seed's figures, ages, and what is not told."""

from __future__ import annotations

import msgspec

from remote.gpfs.models import FsMounts, Mounts, Snapshot, Snapshots
from supervision.checking import Outcome
from supervision.footprint import Assumptions
from supervision.gpfs_footprint import assumed, checks, groups_kb, new_disks, sized
from supervision.gpfs_view import View
from supervision.plan import Options, Plan
from supervision.state import State
from tests.supervision.gpfs_states import FS, NOW, attributes, disk_space, space, state
from tests.supervision.test_plan import PLAN

SSD_KB = 390_711_384
"""One of the devices of the plan; a second one of its size is in another failure group."""


def plan(**assumptions: int | float) -> Plan:
    first = PLAN.devices[0]
    second = msgspec.structs.replace(first, nsd="foo2_ssd1", identity="wwn:2", failure_group="2")
    options = Options(assumptions=msgspec.structs.replace(Assumptions(), **assumptions))
    return msgspec.structs.replace(PLAN, devices=(first, second), options=options)


def view(now: State) -> View:
    return View(now, FS, ("n1",))


def told(**more: object) -> State:
    facts = {f"filesystem {FS}": attributes(i="512", m="2"), f"space {FS}": space(allocated=88_772_608)}
    return state({**facts, **more})


def test_the_new_disks_count_by_their_devices_until_mmdf_shows_them() -> None:
    assert groups_kb(view(told()), new_disks(plan())) == {"1": SSD_KB, "2": SSD_KB}
    there = {f"space {FS}": space(disk_space("foo1_ssd1", "YN", size=390_000_000), disk_space("d1", "YY", group="2"))}
    assert groups_kb(view(told(**there)), new_disks(plan())) == {"1": 390_000_000, "2": SSD_KB}


def test_the_plan_value_is_that_of_the_seed() -> None:
    sizing = sized(view(told()), plan()).sizing
    assert (sizing.floor_kb, sizing.plan_kb, sizing.usable_kb) == (88_772_608, 443_863_040, 2 * SSD_KB)


def test_what_fits_passes_only_with_fresh_facts_and_what_does_not_fit_blocks_however_old() -> None:
    fits = {check.key: check for check in checks(view(told()), plan(), NOW - 1)}
    assert fits["size-fits"].outcome is Outcome.PASS
    assert (fits["size-fits"].at, fits["size-fits"].source) == (NOW, "mmlsfs, mmdf")
    assert {check.outcome for check in checks(view(told()), plan(), NOW + 1)} == {Outcome.UNKNOWN}
    old = {check.key: check for check in checks(view(told()), plan(each_plan=8192), NOW + 1)}
    assert old["size-fits"].outcome is Outcome.BLOCK


def test_what_was_not_told_is_unknown_and_says_which_command_should_have() -> None:
    for missing, word in ((f"filesystem {FS}", "mmlsfs"), (f"space {FS}", "mmdf")):
        now = told()
        facts = {key: fact for key, fact in now.facts.items() if key != missing}
        (check,) = checks(view(msgspec.structs.replace(now, facts=facts)), plan(), 0.0)
        assert (check.key, check.outcome) == ("size-fits", Outcome.UNKNOWN)
        assert check.read.startswith(f"{word} has not told")


def test_snapshots_are_a_warning_until_their_size_is_given() -> None:
    snapshots = {f"snapshots {FS}": Snapshots((Snapshot(FS, "nightly", 7, "Valid", "Thu Jun  6 02:00:00 2013"),))}
    found = {check.key: check for check in checks(view(told(**snapshots)), plan(), 0.0)}
    assert found["size-snapshots"].outcome is Outcome.WARNING
    assert found["size-snapshots"].read.startswith("1 snapshots, whose metadata")
    given = {check.key for check in checks(view(told(**snapshots)), plan(snapshots_kb=1000), 0.0)}
    assert "size-snapshots" not in given


def test_logs_are_read_where_they_can_be_and_what_was_given_stays() -> None:
    fs = attributes(i="512", m="2", L="4194304")
    now = view(told(**{f"filesystem {FS}": fs, f"mounts {FS}": Mounts((FsMounts(FS, 40),))}))
    found = assumed(now)
    assert (found.mounts, found.log_kb, found.log_replicas) == (40, 4096, 2)
    assert assumed(now, Assumptions(mounts=100)).mounts == 100
    assert assumed(view(state())) == Assumptions()
