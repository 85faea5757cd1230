"""The logs of simulated hosts: what is in them, in the form of the release, and as files."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from simulator import faults, telling
from simulator.client import SimulationError
from simulator.hostlogs import MAX_BYTES, MESSAGES, MMFS, LogFile
from simulator.livefiles import LiveFiles
from simulator.sysroot import Sysroot
from simulator.traffic import Traffic
from tests.simulator.far_side import far_side, until
from tests.simulator.inside import Inside
from tests.simulator.test_sim_running import Bench


@pytest.fixture
async def bench(tmp_path: Path) -> Bench:
    bench = Bench(Inside(tmp_path, scenario="seed-5.2"))
    await bench.prepare()
    return bench


def said(bench: Bench, host: str, file: str = MMFS) -> list[str]:
    """What was written since the scenario began: at its first moment, by the clock of the bench."""
    mark = "2013-06-06_15:20:00.000-0700: " if file == MMFS else f"Jun  6 15:20:00 {host} "
    return [line.removeprefix(mark).rstrip() for line in bench.world.logs.file(host, file).lines if mark in line]


async def test_a_log_begins_with_an_ordinary_day_in_the_form_of_the_release(bench: Bench, tmp_path: Path) -> None:
    lines = bench.world.logs.file("pollux1", MMFS).lines
    assert lines[0] == "2013-04-26_15:03:43.000-0700: [N] mmfsd initializing. {Version: 5.2.1.0} ...\n"
    assert lines[1] == "2013-04-26_15:03:45.000-0700: [N] Connected to 140.252.28.8 pollux2\n"
    assert lines[-2] == "2013-04-26_15:03:52.000-0700: [N] mmfsd ready\n"
    old = Inside(tmp_path / "3").world
    assert old.logs.file("pollux1", MMFS).lines[-2] == "Fri Apr 26 15:03:52.000 2013 GPFS: mmfsd ready\n"
    old.logs.event("pollux1", "disk_failure", telling.fields(old, old.cluster.hosts["pollux1"], disk="d1"))
    assert (
        old.logs.file("pollux1", MMFS)
        .lines[-1]
        .endswith(" 2013 GPFS: 6027-680 [E] Disk failure.  Volume mss1. rc = 5. Physical volume d1.\n")
    )
    assert bench.world.logs.file("pollux1", MESSAGES).lines[-1] == (
        "Jun  6 15:19:00 pollux1 ntpd[1997]: synchronized to 140.252.1.1, stratum 2\n"
    )


async def test_a_disk_that_fails_is_told_by_its_server_and_the_manager(bench: Bench) -> None:
    faults.set_disk(bench.world, "foo2_nsd3", "down")
    failure = "[E] Disk failure.  Volume mss1. rc = 5. Physical volume foo2_nsd3."
    assert said(bench, "pollux1") == said(bench, "pollux2") == [failure]
    assert said(bench, "pollux3") == said(bench, "pollux3", MESSAGES) == []
    assert said(bench, "pollux2", MESSAGES) == [
        "kernel: sd 6:0:0:2: rejecting I/O to offline device",
        f"kernel: blk_update_request: I/O error, dev sdc, sector {2 * 32019360}",
        f"mmfs: {failure}",
    ]


async def test_a_node_that_is_lost_is_expelled_and_its_office_taken_over(bench: Bench) -> None:
    bench.world.powered_off.add("pollux1")
    faults.node_lost(bench.world, "pollux1", keep_disks=True)
    assert said(bench, "pollux2") == [
        "[N] Node 140.252.28.5 (pollux1) lease renewal is overdue. Pinging to check if it is alive",
        "[E] Node 140.252.28.5 (pollux1) is being expelled due to expired lease.",
        "[N] Node 140.252.28.8 (pollux2) appointed as manager for mss1.",
        "[N] Node 140.252.28.8 (pollux2) completed take over for mss1.",
    ]
    assert said(bench, "pollux3") == [
        "[W] Close connection to 140.252.28.5 pollux1 (Connection reset by peer). Attempting reconnect."
    ]
    assert said(bench, "pollux1") == []


async def test_a_daemon_that_starts_begins_a_new_log(bench: Bench) -> None:
    bench.world.policies.down_nodes = ["pollux2"]
    faults.node_lost(bench.world, "pollux2", keep_disks=True)
    assert said(bench, "pollux2") == ["[N] Normal shutdown"]
    bench.world.policies.down_nodes = []
    faults.node_back(bench.world, "pollux2")
    log = bench.world.logs.file("pollux2", MMFS)
    assert [line[30:-1] for line in log.lines] == ["[N] mmfsd initializing. {Version: 5.2.1.0} ...", "[N] mmfsd ready"]
    assert "[N] Normal shutdown" in log.previous[-1]
    assert said(bench, "pollux3")[-1] == "[N] Accepted and connected to 140.252.28.8 pollux2"


async def test_a_thread_that_holds_up_a_restripe_is_written_of_again_and_again(bench: Bench) -> None:
    bench.start()
    bench.later(1000)
    faults.stall(bench.world, 1500, faults.find_disk(bench.world, "foo3_nsd1"), "NSDThread", "for I/O completion")
    bench.later(700)
    writing = asyncio.create_task(telling.long_waiters(bench.world))
    for _ in range(3):
        await asyncio.sleep(0)
    lines = bench.world.logs.file("pollux3", MMFS).lines
    waits = "[A] Unexpected long waiter detected: waiting {} seconds on node pollux3: NSDThread: for I/O completion\n"
    assert [line[30:] for line in lines[-2:]] == [waits.format("300.0"), waits.format("600.0")]
    kernel = bench.world.logs.file("pollux3", MESSAGES).lines
    assert sum(" blocked for more than 120 seconds." in line for line in kernel) == 2
    writing.cancel()


def test_a_log_is_bounded_and_keeps_one_that_went_before() -> None:
    log, told = LogFile(), list[str | None]()
    log.watch = told.append
    for number in range(3):
        for _ in range(MAX_BYTES // 1024):
            log.append(f"{number}{'x' * 1022}\n")
        assert log.size == MAX_BYTES
    assert (log.lines[0][0], log.previous[0][0]) == ("2", "1")
    assert told.count(None) == 2


class Host:
    """The files of pollux2, as its sessions find them."""

    def __init__(self, bench: Bench, place: Path) -> None:
        self.host = bench.world.cluster.hosts["pollux2"]
        self.traffic = Traffic(bench.world)
        shared = place / "fs"
        shared.mkdir()
        base = place / "hosts" / "pollux2"
        base.mkdir(parents=True)
        self.live = LiveFiles(bench.world, self.host, self.traffic, base / "live", shared)
        self.root = Sysroot(self.host, base / "sysroot", self.live.links)

    async def look(self) -> Path:
        await self.root.ensure()
        self.live.look()
        return self.root.path

    async def diskstats(self) -> Mapping[str, list[int]]:
        """Columns from the fourth on, by device."""
        rows = [line.split() for line in (await self.look() / "proc/diskstats").read_text().splitlines()]
        assert {len(row) for row in rows} == {18}
        return {row[2]: [int(word) for word in row[3:]] for row in rows}


async def test_logs_are_files_that_are_appended_to_and_rotated(bench: Bench, tmp_path: Path) -> None:
    host = Host(bench, tmp_path)
    root = await host.look()
    ras = root / "var/adm/ras"
    assert (ras / "mmfs.log.latest").readlink() == Path("mmfs.log.2013.06.06.15.20.00.pollux2")
    before = (ras / "mmfs.log.latest").read_text()
    assert before == "".join(bench.world.logs.file("pollux2", MMFS).lines)
    bench.world.logs.write("pollux2", MMFS, "one more", severity="E")
    assert (ras / "mmfs.log.latest").read_text() == f"{before}2013-06-06_15:20:00.000-0700: [E] one more\n"
    assert (root / "var/log/messages").read_text().endswith("Jun  6 15:20:00 pollux2 mmfs: [E] one more\n")
    for number in range(3):
        bench.world.logs.file("pollux2", MMFS).rotate()
        bench.world.logs.write("pollux2", MMFS, f"file {number}")
    assert (ras / "mmfs.log.latest").read_text() == "2013-06-06_15:20:00.000-0700: file 2\n"
    assert (ras / "mmfs.log.previous").read_text() == "2013-06-06_15:20:00.000-0700: file 1\n"
    assert len(list(ras.glob("mmfs.log.2*"))) == 2
    bench.world.logs.file("pollux2", MESSAGES).rotate()
    assert (root / "var/log/messages").read_text() == ""
    # A change of the devices writes another tree, which leads to the same logs.
    host.host.changes += 1
    assert (await host.look() / "var/adm/ras/mmfs.log.latest").read_text().endswith("file 2\n")
    (root / "mss1" / "of a user").touch()
    assert (tmp_path / "fs" / "of a user").exists()
    await host.live.stop()


async def test_the_counters_of_disks_rise_with_the_work_and_stand_still_in_a_stall(
    bench: Bench, tmp_path: Path
) -> None:
    host = Host(bench, tmp_path)
    first = await host.diskstats()
    bench.later(100)
    second = await host.diskstats()
    # Nothing but users: 30 reads of 128 sectors and 9 writes of 256 a second.
    assert [second["sda"][at] - first["sda"][at] for at in (0, 2, 4, 6)] == [3000, 384_000, 900, 230_400]
    run = bench.start()
    bench.later(run.report()["first_line"] - bench.world.clock.now())
    third = await host.diskstats()
    bench.later(1000)
    fourth = await host.diskstats()
    # The scan reads 2600 times a second from 18 disks, and metadata leaves this one and arrives on the SSDs.
    moved = 32019360 - faults.find_disk(bench.world, "foo2_nsd1").metadata_kb
    assert moved > 0
    assert fourth["sda"][0] - third["sda"][0] == pytest.approx(1000 * (30 + 2600 / 18) + moved / 1024, abs=2)
    assert fourth["sdg"][6] - third["sdg"][6] == pytest.approx(
        1000 * 9 * 256 + 2 * faults.find_disk(bench.world, "foo2_ssd1").metadata_kb, rel=1e-3
    )
    await bench.op("stall", disk="foo2_nsd1")
    bench.later(1000)
    fifth = await host.diskstats()
    assert [fifth["sda"][at] - fourth["sda"][at] for at in (0, 4)] == [30_000, 9000]
    assert [fifth[name][8] for name in ("sda", "sdb")] == [8, 0]
    await host.live.stop()


async def test_counters_begin_again_with_a_boot_and_follow_the_server(bench: Bench, tmp_path: Path) -> None:
    host = Host(bench, tmp_path)
    root = await host.look()
    assert (root / "proc/stat").read_text().splitlines()[1] == f"btime {1_370_557_200 - 45 * 86400}"
    before = (await host.diskstats())["sda"]
    bench.later(500)
    host.traffic.advance()
    host.traffic.reboot(host.host)
    assert (await host.diskstats())["sda"][0] == 0 < before[0]
    assert (root / "proc/stat").read_text().splitlines()[1] == f"btime {1_370_557_200 + 500}"
    # While its daemon is down nobody serves its disks.
    bench.world.policies.down_nodes = ["pollux2"]
    bench.later(500)
    assert (await host.diskstats())["sda"][0] == 0
    await host.live.stop()


async def test_lines_are_written_by_hand_and_seen_in_sessions() -> None:
    async with far_side("seed-5.2", speed=1000) as far:
        log = "cat $RESTRIPE_SYSROOT/var/adm/ras/mmfs.log.latest"
        assert "[N] mmfsd ready" in (await far.run(log))[1]
        await far.sim.control("log", host="pollux1", kind="expel", node="pollux3")
        await far.sim.control("log", host="pollux1", text="something new", severity="W", count=3)
        told = (await far.run(log))[1].splitlines()[-4:]
        assert told[0].endswith(": [E] Node 140.252.28.11 (pollux3) is being expelled due to expired lease.")
        assert [line[28:] for line in told[1:]] == [": [W] something new"] * 3
        answer = await far.sim.control("log", host="pollux1", kind="io_error", device="sdc", count=40, seconds=100)
        assert answer == {"host": "pollux1", "lines": 40, "seconds": 100}

        async def written() -> bool:
            return (await far.run("grep -c 'I/O error, dev sdc' $RESTRIPE_SYSROOT/var/log/messages"))[1] == "40\n"

        await until(written)
        stamps = [line[7:15] for line in (await far.run("tail -40 $RESTRIPE_SYSROOT/var/log/messages"))[1].splitlines()]
        assert stamps == sorted(set(stamps))
        await far.sim.control("rotate", host="pollux1")
        assert (await far.run(log))[1] == ""
        for arguments, words in (
            ({"kind": "flood"}, "kind is one of disk_failure, "),
            ({"text": "two\nlines"}, "text is one line"),
            ({"text": "x", "file": "kern"}, "file is one of mmfs, messages"),
            ({}, "kind is missing"),
        ):
            with pytest.raises(SimulationError, match=words):
                await far.sim.control("log", host="pollux1", **arguments)
        assert (await far.run("cat $RESTRIPE_SYSROOT/proc/diskstats | wc -l"))[1] == "16\n"
        assert (await far.run("touch $RESTRIPE_SYSROOT/mss1/mine && ls $RESTRIPE_SYSROOT/mss1", "pollux3"))[
            1
        ] == "mine\n"
