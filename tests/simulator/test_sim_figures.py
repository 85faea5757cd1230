"""The seed's figures, to the digit, before, between and after."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from simulator import moves, scenario_seed, timeline
from simulator.clock import MST, Clock, ctime, moment
from simulator.spacetable import UNITS, inode_block, percent, space_table
from simulator.state import METADATA_ONLY, FileSystem
from tests.simulator.inside import Inside
from tests.simulator.seed_listings import (
    AFTER,
    BEFORE_1T,
    LAST_LINES,
    LAST_OFFSETS,
    METADATA_CHANGED,
    SSD_STANZAS,
    squeezed,
)

METADATA = 384232320


@pytest.fixture
def inside(tmp_path: Path) -> Inside:
    return Inside(tmp_path)


def consistent(fs: FileSystem) -> bool:
    """Whether every disk's parts are whole, not negative and sum to its size."""
    return all(
        min(disk.metadata_kb, disk.data_kb, disk.maps_kb, disk.fragments_kb, disk.free_blocks_kb) >= 0
        and disk.free_blocks_kb % fs.block_kb == 0
        for disk in fs.disks
    )


def test_before_the_migration_the_table_is_the_published_one() -> None:
    fs = scenario_seed.build().fs
    body = space_table(fs, *UNITS["1T"]).splitlines()[4:]
    assert squeezed("\n".join(body)) == BEFORE_1T
    assert consistent(fs)
    assert sum(disk.metadata_kb for disk in fs.disks) == METADATA
    assert [disk.metadata_kb for disk in fs.disks] == [32019360] * 12
    assert [disk.name for disk in fs.disks][8:] == ["foo3_nsd3", "foo1_nsd4", "foo2_nsd4", "foo3_nsd4"]


async def test_new_disks_show_the_published_metadata_listing(inside: Inside) -> None:
    await inside.migrate()
    answer = await inside.run("mmdf", "mss1", "-m")
    assert squeezed("\n".join(answer.out.splitlines()[4:])) == METADATA_CHANGED
    used = sum(disk.size_kb - disk.free_kb for disk in inside.fs.disks if disk.usage == METADATA_ONLY)
    assert used == 23547648
    table = squeezed((await inside.run("mmdf", "mss1", "--block-size", "1T")).out)
    assert "(pool total) 351 74 ( 21%) 4 ( 1%)" in table
    assert "(data) 350 73 ( 21%) 4 ( 1%)" in table


async def test_a_restripe_ends_at_the_published_figures(inside: Inside) -> None:
    await inside.migrate()
    plan = moves.plan(inside.fs)
    whole = inside.fs.inodes.allocated
    for done in (0, 1, whole // 3, whole - 1, whole // 7, whole):
        plan.apply(inside.fs, done, whole)
        assert consistent(inside.fs)
        assert inside.world.cluster.metadata_total_kb == METADATA
    table = space_table(inside.fs, *UNITS["1K"]) + "\n" + inode_block(inside.fs)
    assert squeezed("\n".join(table.splitlines()[4:])) == AFTER
    assert inside.world.cluster.metadata_left_kb == 0


async def test_metadata_moves_in_proportion_and_evenly(inside: Inside) -> None:
    await inside.migrate()
    moves.plan(inside.fs).apply(inside.fs, 1, 4)
    assert inside.world.cluster.metadata_left_kb == METADATA * 3 // 4
    arrived = [disk.metadata_kb for disk in inside.fs.disks if disk.usage == METADATA_ONLY]
    assert max(arrived) - min(arrived) < max(arrived) // 500


@pytest.mark.parametrize("first", [0, 1, 12345678, 88772607])
async def test_an_aborted_run_and_a_second_one_end_at_the_same_figures(inside: Inside, first: int) -> None:
    await inside.migrate()
    whole = inside.fs.inodes.allocated
    moves.plan(inside.fs).settle(inside.fs, first, whole)
    moves.plan(inside.fs).settle(inside.fs, whole, whole)
    table = space_table(inside.fs, *UNITS["1K"]) + "\n" + inode_block(inside.fs)
    assert squeezed("\n".join(table.splitlines()[4:])) == AFTER
    assert moves.plan(inside.fs).idle


async def test_another_choice_of_disks_loses_nothing(inside: Inside) -> None:
    # Four of the six, under other names.
    stanzas = "".join(SSD_STANZAS.splitlines(keepends=True)[:4]).replace("ssd", "meta")
    await inside.migrate(stanzas)
    plan = moves.plan(inside.fs)
    for done in (1, 500, 999, 1000):
        plan.apply(inside.fs, done, 1000)
        assert consistent(inside.fs)
        assert inside.world.cluster.metadata_total_kb == METADATA
    assert inside.world.cluster.metadata_left_kb == 0
    assert [disk.metadata_kb for disk in inside.fs.disks[12:]] == [METADATA // 4] * 4


async def test_the_seeds_six_end_alike_whatever_their_names(inside: Inside) -> None:
    await inside.migrate(SSD_STANZAS.replace("ssd", "flash"))
    moves.plan(inside.fs).apply(inside.fs, 1, 1)
    assert squeezed(space_table(inside.fs, *UNITS["1K"])).count("126115840 ( 65%) 709440 ( 0%)") == 1


async def test_boot_disks_are_as_good_as_any_and_lose_nothing_more(inside: Inside) -> None:
    await inside.migrate(SSD_STANZAS.replace("sde", "sdg").replace("sdf", "sdh"))
    assert len(inside.world.cluster.destroyed) == 2
    answer = await inside.run("mmrestripefs", "mss1", "-r")
    assert (answer.rc, answer.err) == (0, "")
    assert inside.world.cluster.metadata_left_kb == 0
    assert inside.world.cluster.metadata_total_kb == METADATA
    assert consistent(inside.fs)
    assert inside.fs.inodes.used == 83929469


async def test_two_disks_have_not_enough_room(inside: Inside) -> None:
    lines = SSD_STANZAS.splitlines(keepends=True)
    await inside.migrate(lines[0] + lines[2])
    plan = moves.plan(inside.fs)
    assert 0 < plan.unplaced_kb < METADATA
    answer = await inside.run("mmrestripefs", "mss1", "-r")
    assert answer.rc == 1
    assert answer.err.splitlines()[0] == "Not enough space for the desired number of replicas."
    assert answer.err.splitlines()[1].startswith("mmrestripefs: Command failed.")
    assert inside.world.cluster.metadata_left_kb == plan.unplaced_kb
    assert inside.world.cluster.metadata_total_kb == METADATA
    assert consistent(inside.fs)
    assert not inside.fs.properly_replicated


async def test_data_leaves_a_disk_that_becomes_metadata_only(inside: Inside) -> None:
    disk = inside.fs.disks[0]
    for name in ("foo1_nsd1", "foo2_nsd1"):
        answer = await inside.run(
            "mmchdisk", "mss1", "change", "-F", inside.write(f"%nsd: nsd={name} usage=metadataOnly\n")
        )
        assert answer.rc == 0
    data = sum(each.data_kb for each in inside.fs.disks)
    assert (await inside.run("mmrestripefs", "mss1", "-r")).rc == 0
    assert disk.data_kb == 0
    assert sum(each.data_kb for each in inside.fs.disks) >= data
    assert consistent(inside.fs)


def test_the_timeline_is_the_published_one() -> None:
    run = timeline.full(88772608)
    percents = [line.offset for line in run.lines if line.stamped]
    assert percents[:5] == [0, 4, 9, 14, 19]
    last = "".join(f"{line.text}{'{}' if line.stamped else ''}{line.tail}\n" for line in run.lines[-6:])
    assert squeezed(last) == LAST_LINES
    assert percents[-5:] == list(LAST_OFFSETS)
    steps = [after - before for before, after in pairwise(percents[5:])]
    assert all(120 <= step <= 160 for step in steps[:-1])
    assert steps[-1] == 158
    user = [line.text for line in run.lines if line.tail]
    hundredths = [int(text.split()[0].replace(".", "")) for text in user]
    assert {after - before for before, after in pairwise(hundredths)} == {2}
    assert [line.text for line in run.lines].count("Scan completed successfully.") == 5
    assert [line.text for line in run.lines if line.text.startswith("Scanning")] == [
        *(f"Scanning file system metadata, phase {phase} ... " for phase in (1, 2, 3, 4)),
        "Scanning user file metadata ...",
    ]


def test_the_counters_rise_all_the_time_at_about_the_published_rate() -> None:
    run = timeline.full(88772608)
    counts = [run.inodes_at(offset) for offset in range(-10, 14100, 7)]
    assert counts == sorted(counts)
    assert counts[-1] == 88772608
    rates = [(i1 - i0) / (t1 - t0) for (t0, i0, _), (t1, i1, _) in pairwise(run.points)]
    assert 5500 < min(rates) < max(rates) < 7500
    assert 6200 < 84425985 / (13475 - run.points[0][0]) < 6300
    megabytes = [mb for _, _, mb in run.points]
    assert megabytes == sorted(megabytes)
    assert run.inodes_at(run.offset_of(0.37)) == pytest.approx(0.37 * 88772608, rel=1e-6)


def test_spread_is_exact_and_respects_room() -> None:
    assert moves.spread(10, {"a": 1, "b": 1, "c": 1}, {"a": 9, "b": 9, "c": 9}) == {"a": 3, "b": 3, "c": 4}
    assert moves.spread(10, {"a": 1, "b": 1}, {"a": 2, "b": 20}) == {"a": 2, "b": 8}
    assert moves.spread(10, {"a": 1, "b": 1}, {"a": 2, "b": 3}) == {"a": 2, "b": 3}
    assert moves.spread(10, {"a": 0, "b": 1}, {"a": 9, "b": 9}) == {"a": 0, "b": 9}
    assert moves.spread(0, {}, {}) == {}


def test_percentages_are_rounded_to_the_nearest() -> None:
    assert [percent(5806698496, 31251759104), percent(1, 3), percent(1, 2), percent(2, 3)] == [19, 33, 50, 67]
    assert percent(0, 0) == 0


def test_time_is_that_of_the_hosts() -> None:
    assert ctime(moment(2013, 6, 6, 15, 46, 19)) == "Thu Jun  6 15:46:19 2013"
    assert moment(2013, 6, 6, 15, 20) == 1370557200
    assert MST.utcoffset(None) is not None
    ticks = iter([100.0, 160.0])
    clock = Clock(1000.0, 2.0, lambda: next(ticks))
    assert clock.now() == 1120.0
    for speed in (0, -1, float("nan"), 1e9):
        with pytest.raises(ValueError, match="speed must be"):
            Clock(0, speed)
