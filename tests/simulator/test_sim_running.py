"""What can happen to a restripe that runs: it stands still, goes at another pace, loses nodes and disks.

The clock is turned by hand, so that every figure is arithmetic.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from simulator import faults, qos, timeline
from simulator.clock import Clock
from simulator.given import Given
from simulator.pacing import Steps
from simulator.restripe import RestripeRun
from simulator.runoperations import RunOperations
from simulator.state import READY, Snapshot
from tests.simulator.inside import Inside

USER_PHASE = 42
"""Offset of the phase that moves, in the published run."""


class Bench:
    """A prepared cluster and a restripe that no command waits for; `later` turns the clock."""

    def __init__(self, inside: Inside) -> None:
        self.inside, self.world, self.fs = inside, inside.world, inside.fs
        self._real = 0.0

    async def prepare(self, *leaving: str) -> None:
        await self.inside.migrate()
        if leaving:
            await self.inside.good("mmchdisk", self.fs.name, "empty", "-d", ";".join(leaving))
        self.world.clock = Clock(1_370_557_200, 1.0, lambda: self._real)

    def start(self, *nodes: str, goes_on: bool = False) -> RestripeRun:
        call, _ = self.inside.call("mmrestripefs", self.fs.name, "-r", host="pollux1")
        run = RestripeRun(self.world, self.fs, call, nodes=nodes, goes_on=goes_on)
        self.world.run = run
        return run

    def later(self, seconds: float) -> None:
        self._real += seconds

    async def op(self, op: str, **arguments: Any) -> dict[str, Any]:
        given: Mapping[str, Any] = arguments
        return await RunOperations(self.world).table[op](Given(given, {}))


@pytest.fixture
async def bench(tmp_path: Path) -> Bench:
    bench = Bench(Inside(tmp_path, scenario="seed-5.2"))
    await bench.prepare()
    return bench


def test_work_is_summed_over_changes_of_its_rate() -> None:
    work = Steps()
    work.put(100, 1.0)
    work.put(200, 0.5)
    assert (work.total(150), work.total(200), work.total(300)) == (50, 100, 150)
    assert work.mean(150, 250) == 0.75
    # What was foreseen holds no longer when something else is said of an earlier moment.
    work.put(400, 1.0)
    work.put(250, 0.0)
    assert (work.total(1000), work.rate(99), work.rate(220), work.rate(500)) == (125, 0, 0.5, 0)
    work.put(250, 0.25)
    assert work.total(254) == 126


async def test_a_restripe_that_stands_still_scans_and_moves_nothing(bench: Bench) -> None:
    run = bench.start()
    begin = run.report()["first_line"] - bench.world.clock.now()
    bench.later(begin + 5000)
    whole = timeline.full(88772608, wide=True)
    before, ends = run.report(), run.report()["ends"]
    assert before["inodes"] == whole.inodes_at(5000)
    bench.world.settle()
    moved = bench.world.cluster.metadata_left_kb
    answer = await bench.op("stall", seconds=600)
    assert answer == {"standing_since": bench.world.clock.now(), "host": "pollux1"}
    bench.later(599)
    bench.world.settle()
    assert run.report()["inodes"] == before["inodes"]
    assert bench.world.cluster.metadata_left_kb == moved
    assert run.report()["ends"] == ends + 600
    bench.later(101)
    assert run.report()["inodes"] == whole.inodes_at(5100)
    assert run.standing_since is None


async def test_a_stall_without_an_end_is_released(bench: Bench) -> None:
    run = bench.start()
    bench.later(2000)
    await bench.op("stall")
    inodes = run.report()["inodes"]
    assert run.report()["ends"] is None
    bench.later(1e6)
    assert run.report()["inodes"] == inodes
    await bench.op("stall", release=True)
    bench.later(160)
    assert inodes + 160 * 5500 < run.report()["inodes"] < inodes + 160 * 7500
    with pytest.raises(ValueError, match="no disk 'x'"):
        await bench.op("stall", disk="x")
    bench.world.run = None
    with pytest.raises(ValueError, match="no restripe runs"):
        await bench.op("stall")


async def waiters(bench: Bench, host: str) -> list[str]:
    text = await bench.inside.good("mmdiag", "--waiters", host=host)
    return [line.partition("sec since")[0] + line.partition("thread ")[2] for line in text.splitlines()[2:]]


async def test_helpers_wait_for_the_thread_that_holds_a_stalled_restripe_up(bench: Bench) -> None:
    assert await waiters(bench, "pollux1") == []
    bench.start("pollux1", "pollux2")
    bench.later(1000)
    short = [
        "Waiting 0.0400 23170 PitWorkerThread: for I/O completion",
        "Waiting 0.0100 23177 NSDThread: for I/O completion",
    ]
    assert await waiters(bench, "pollux2") == short
    # No helper, but it serves disks.
    assert await waiters(bench, "pollux3") == ["Waiting 0.0100 23170 NSDThread: for I/O completion"]
    await bench.op("stall", disk="foo2_nsd3", seconds=5000)
    bench.later(900)
    assert await waiters(bench, "pollux2") == [
        "Waiting 900.0000 23170 NSDThread: for I/O completion on disk sdc",
        "Waiting 899.5000 23177 PitWorkerThread: on ThCond 0x7F138008EC50 (MsgRecordCondvar), reason 'RPC wait'",
        "Waiting 899.0000 23184 PitWorkerThread: on ThCond 0x7F138008EC90 (MsgRecordCondvar), reason 'RPC wait'",
    ]
    assert [line.split()[1] for line in await waiters(bench, "pollux1")] == ["899.5000", "899.0000"]
    assert await waiters(bench, "pollux3") == []
    assert ":MsgRecordCondvar:RPC wait:" in await bench.inside.good("mmdiag", "--waiters", "-Y", host="pollux1")
    await bench.op("stall", release=True)
    assert await waiters(bench, "pollux2") == short


async def test_the_command_may_wait_for_its_helpers_all_the_time(bench: Bench) -> None:
    bench.world.policies.command_waits = "seen"
    bench.start()
    bench.later(7200)
    assert (await waiters(bench, "pollux1"))[0] == (
        "Waiting 7200.0000 23170 PitCommandThread: on ThCond 0x7F138008EC10 (PitDoneCondvar), "
        "reason 'waiting for helper worker threads'"
    )
    assert "PitCommandThread" not in str(await waiters(bench, "pollux2"))


async def test_other_load_changes_the_pace_without_any_limit(bench: Bench) -> None:
    run = bench.start()
    bench.later(run.report()["first_line"] - bench.world.clock.now() + 1000)
    await bench.op("pace", factor=0.25)
    bench.later(400)
    assert run.report()["inodes"] == timeline.full(88772608).inodes_at(1100)
    assert run.report()["pace"] == 0.25
    await bench.op("pace", factor=1)
    bench.later(100)
    assert run.report()["inodes"] == timeline.full(88772608).inodes_at(1200)
    with pytest.raises(ValueError, match="factor must be between"):
        await bench.op("pace", factor=0)


async def test_a_restripe_goes_on_with_fewer_nodes_at_a_lower_pace(bench: Bench) -> None:
    run = bench.start()
    bench.later(3000)
    bench.world.policies.down_nodes = ["pollux3"]
    faults.node_lost(bench.world, "pollux3", keep_disks=True)
    assert run.report()["helpers"] == ["pollux1", "pollux2"]
    assert run.report()["pace"] == pytest.approx(2 / 3)
    assert run.failure == ()
    assert all(disk.availability == "up" for disk in bench.fs.disks)
    bench.world.policies.down_nodes = []
    faults.node_back(bench.world, "pollux3")
    assert run.report()["pace"] == pytest.approx(2 / 3)


async def test_a_node_that_does_not_take_part_is_not_missed(bench: Bench) -> None:
    run = bench.start("pollux1", "pollux2")
    faults.node_lost(bench.world, "pollux3", keep_disks=True)
    assert run.report()["pace"] == 1.0
    # And without any it ends.
    faults.node_lost(bench.world, "pollux2", keep_disks=True)
    assert (run.report()["pace"], run.failure) == (0.5, ())


async def test_a_failed_disk_starts_the_scan_over_where_the_configuration_says_so(bench: Bench) -> None:
    await bench.op("config", parameter="restripeOnDiskFailure", value="yes")
    assert await bench.inside.good("mmlsconfig", "restripeOnDiskFailure") == "restripeOnDiskFailure yes\n"
    run = bench.start()
    working = asyncio.create_task(run.work())
    bench.later(4000)
    await asyncio.sleep(0)
    scanned = run.report()["inodes"]
    faults.set_disk(bench.world, "foo2_nsd3", "down")
    for _ in range(5):
        await asyncio.sleep(0)
    lines = [run.lines.get_nowait() or "" for _ in range(run.lines.qsize())]
    assert [line for line in lines if "phase 1 " in line] == ["Scanning file system metadata, phase 1 ... \n"] * 2
    assert scanned > 0 == run.report()["inodes"]
    assert run.failure == ()
    disk = faults.find_disk(bench.world, "foo2_nsd3")
    assert (disk.status, disk.availability) == ("to be emptied", "down")
    faults.set_disk(bench.world, "foo2_nsd3", "up")
    assert disk.status == READY
    working.cancel()


async def test_without_that_a_failed_disk_ends_it(bench: Bench) -> None:
    run = bench.start()
    bench.later(4000)
    faults.set_disk(bench.world, "foo2_nsd3", "down")
    assert run.failure[0].startswith("Scan failed on ")
    assert faults.find_disk(bench.world, "foo2_nsd3").status == READY


async def test_a_daemon_tells_for_how_long_it_has_run(bench: Bench) -> None:
    text = await bench.inside.good("mmdiag", "--version", host="pollux2")
    assert text == (
        '\n=== mmdiag: version ===\nCurrent GPFS build: "5.2.1.0 ".\n'
        "Running 41 days 0 hours 32 minutes 34 secs, pid 27159\n"
    )
    faults.node_lost(bench.world, "pollux2", keep_disks=True)
    faults.node_back(bench.world, "pollux2")
    bench.later(3723)
    text = await bench.inside.good("mmdiag", "--version", host="pollux2")
    assert "\nRunning 0 days 1 hours 2 minutes 3 secs, pid " in text


async def iops(bench: Bench, seconds: int = 5) -> dict[str, list[float]]:
    text = await bench.inside.good("mmlsqos", bench.fs.name, "--seconds", str(seconds), "-Y")
    rows = [line.split(":") for line in text.splitlines() if line.startswith("mmlsqos:stats:0")]
    return {name: [float(row[9]) for row in rows if row[8] == name] for name in {row[8] for row in rows}}


async def test_the_rates_of_mmlsqos_follow_the_restripe(bench: Bench) -> None:
    bench.fs.qos.enabled = True
    bench.start()
    bench.later(3000)
    assert (await iops(bench))["maintenance"] == [2600.0]
    await bench.inside.good("mmchqos", "mss1", "--enable", "pool=*,maintenance=260IOPS")
    bench.later(20)
    told = (await iops(bench, 60))["maintenance"]
    assert len(told) == 12
    assert (told[0], told[-1]) == (2600.0, 260.0)
    await bench.op("stall")
    bench.later(60)
    rates = await iops(bench, 60)
    assert len(rates["other"]) == 12
    assert rates["maintenance"][-11:] == [0.0] * 11
    assert len((await iops(bench, 600))["other"]) == 10


async def test_limits_that_do_not_bite_leave_the_rates_high(bench: Bench) -> None:
    bench.world.policies.qos_effect = "nothing"
    await bench.inside.good("mmchqos", "mss1", "--enable", "pool=*,maintenance=100IOPS")
    run = bench.start()
    bench.later(3000)
    told = await iops(bench)
    assert (told["maintenance"], told["misc"]) == ([100.0], [2470.0])
    assert run.report()["pace"] == 1.0


LIMITS: list[tuple[Callable[[Bench], None], tuple[str, ...], float]] = [
    (lambda bench: None, (), 600 / 2600),
    (lambda bench: None, ("pollux1",), 200 / 2600),
    (lambda bench: bench.fs.mounted_on.extend(["c1", "c2", "c3"]), (), 300 / 2600),
]


@pytest.mark.parametrize(("others", "helpers", "share"), LIMITS)
async def test_a_limit_is_divided_over_the_nodes_that_mount(
    bench: Bench, others: Callable[[Bench], None], helpers: tuple[str, ...], share: float
) -> None:
    others(bench)
    await bench.inside.good("mmchqos", "mss1", "--enable", "pool=*,maintenance=600IOPS")
    assert bench.start(*helpers).report()["pace"] == pytest.approx(share)


async def test_fewer_nodes_that_mount_have_more_of_a_limit_each(bench: Bench) -> None:
    await bench.inside.good("mmchqos", "mss1", "--enable", "pool=*,maintenance=600IOPS")
    run = bench.start("pollux1", "pollux2")
    assert run.report()["pace"] == pytest.approx(400 / 2600)
    bench.world.policies.down_nodes = ["pollux3"]
    faults.node_lost(bench.world, "pollux3", keep_disks=True)
    assert run.report()["pace"] == pytest.approx(600 / 2600)
    bench.world.policies.down_nodes = []
    faults.node_back(bench.world, "pollux3")
    assert run.report()["pace"] == pytest.approx(400 / 2600)


async def test_a_limit_for_some_nodes_is_divided_over_them(bench: Bench) -> None:
    bench.fs.mounted_on.extend(["c1", "c2", "c3"])
    run = bench.start()
    nodes = "pollux3,foo1,pollux2"
    await bench.inside.good("mmchqos", "mss1", "--enable", "-N", nodes, "pool=*,maintenance=600IOPS")
    assert run.report()["pace"] == pytest.approx(600 / 2600)
    listing = await bench.inside.good("mmlsqos", "mss1")
    assert "pool=system,other=inf,maintenance=inf,maintenance/pollux1+pollux2+pollux3=600IOPS\n" in listing
    # With both, it is the one for the node that holds.
    await bench.inside.good("mmchqos", "mss1", "--enable", "pool=*,maintenance=60IOPS")
    assert qos.allowed_share(bench.world, bench.fs, ("pollux1",)) == pytest.approx(200 / 2600)
    await bench.inside.good("mmchqos", "mss1", "--enable", "-N", nodes, "pool=*,maintenance=unlimited")
    assert bench.fs.qos.scopes == {}
    assert qos.allowed_share(bench.world, bench.fs, ("pollux1",)) == pytest.approx(10 / 2600)


async def test_a_scan_walks_the_inodes_of_snapshots_too(bench: Bench) -> None:
    answer = await bench.op("snapshot", name="nightly", metadata_kb=5_000_000)
    assert answer == {"snapshots": {"nightly": 10_000_000}}
    assert "nightly" in await bench.inside.good("mmlssnapshot", "mss1")
    assert bench.fs.inodes.allocated == 88772608
    report = bench.start().report()
    assert report["inodes_total"] == 88772608 + 10_000_000
    assert report["ends"] - report["first_line"] == 42 + 98772608 // 6250
    with pytest.raises(ValueError, match="there is a snapshot nightly"):
        await bench.op("snapshot", name="nightly")
    assert await bench.op("snapshot", name="nightly", delete=True) == {"snapshots": {}}
    assert bench.fs.snapshots == []
    assert Snapshot("s", 1, 0.0, metadata_kb=4).inodes(4096) == 1


async def free_of(bench: Bench, disk: str) -> int:
    text = await bench.inside.good("mmdf", "mss1")
    return next(int(line.split()[5]) for line in text.splitlines() if line.startswith(f"{disk} "))


@pytest.mark.parametrize("mode", ["-r", "-m"])
async def test_leaving_disks_become_free_with_the_work(tmp_path: Path, mode: str) -> None:
    bench = Bench(Inside(tmp_path, scenario="seed-5.2"))
    await bench.prepare("foo1_nsd4")
    disk = faults.find_disk(bench.world, "foo1_nsd4")
    held = disk.metadata_kb + disk.data_kb
    call, _ = bench.inside.call("mmrestripefs", "mss1", mode, host="pollux1")
    run = bench.world.run = RestripeRun(bench.world, bench.fs, call, mode)
    seen = []
    for _ in range(4):
        bench.later(3500)
        bench.world.settle()
        report = run.report()
        left = disk.metadata_kb + disk.data_kb
        assert left == pytest.approx(held * (1 - report["inodes"] / report["inodes_total"]), rel=1e-6)
        seen.append(await free_of(bench, "foo1_nsd4"))
    assert seen == sorted(set(seen))
