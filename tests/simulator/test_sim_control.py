"""Each operation of the control interface, as it is seen over SSH."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from simulator.client import SimulationError
from tests.simulator.far_side import FarSide, far_side, processes_of, until
from tests.simulator.test_sim_migration import METADATA, RESTRIPE, prepare

SPEED = 5000
"""A restripe lasts 3 s of real time: long enough that something can happen to it."""


@pytest.fixture
async def slow() -> AsyncIterator[FarSide]:
    """A simulator whose restripe takes a while."""
    async with far_side("seed-5.2", speed=SPEED) as side:
        yield side


async def refused(far: FarSide, op: str, **arguments: Any) -> str:
    """What the control interface says to a bad request."""
    with pytest.raises(SimulationError) as problem:
        await far.sim.control(op, **arguments)
    return str(problem.value)


async def moving(far: FarSide) -> None:
    """Wait until a restripe has moved something."""

    async def begun() -> bool:
        return bool((await far.facts())["metadata_left_on_rotating_kb"] < METADATA)

    await until(begun)


async def started(far: FarSide, host: str = "pollux1") -> None:
    """A restripe in the background of a host, as a detached job: its log and exit status are files."""
    await prepare(far)
    await far.run(f"setsid sh -c '{RESTRIPE}; echo $? > rc' > log 2>&1 < /dev/null &", host)
    await moving(far)


async def status(far: FarSide, host: str = "pollux1") -> str:
    """The exit status of that restripe, once there is one; nobody has to wait for the rest of it."""
    await far.sim.control("pace", factor=100)

    async def ended() -> bool:
        return bool((await far.run("cat rc 2>/dev/null", host))[1])

    await until(ended)
    return (await far.run("cat rc", host))[1].strip()


async def test_a_reboot_changes_names_and_kills_everything(far: FarSide) -> None:
    before = (await far.run("lsblk -dn -o NAME,WWN; echo $RESTRIPE_BOOT_ID", "pollux3"))[1]
    await far.run("setsid sleep 1000 >/dev/null 2>&1 </dev/null &", "pollux3")
    connection = await far.connection("pollux3")
    answer = await far.sim.control("reboot", host="pollux3", seconds=20_000)
    assert answer["host"] == "pollux3"
    await connection.wait_closed()
    assert not any("sleep 1000" in command for command in processes_of(far.sim.directory))
    with pytest.raises(OSError, match="onnect"):
        await far.connect("pollux3")
    assert "pollux3          unknown" in (await far.run("mmgetstate -a"))[1]
    assert "could not be reached:\n\npollux3\n" in (await far.run("mmgetstate -a"))[2]
    down = {disk["name"] for disk in (await far.facts())["disks"] if disk["availability"] == "down"}
    assert down == {f"foo3_nsd{number}" for number in (1, 2, 3, 4)}

    async def back() -> bool:
        return bool((await far.facts())["hosts"]["pollux3"]["power"])

    await until(back)
    del far.connections["pollux3"]
    after = (await far.run("lsblk -dn -o NAME,WWN; echo $RESTRIPE_BOOT_ID", "pollux3"))[1]
    names = [{line.split()[1]: line.split()[0] for line in text.splitlines()[:-1]} for text in (before, after)]
    assert names[0].keys() == names[1].keys()
    assert sorted(names[0].values()) == sorted(names[1].values())
    assert all(names[0][wwn] != names[1][wwn] for wwn in names[0])
    assert before.splitlines()[-1] != after.splitlines()[-1] == (await far.facts())["boot_ids"]["pollux3"]
    # Its disks wait for a command, under their new names.
    assert (
        "foo3_nsd1    nsd         512       3 Yes      Yes   ready         down" in (await far.run("mmlsdisk mss1"))[1]
    )
    assert (await far.run("mmchdisk mss1 start -a"))[0] == 0
    assert " down " not in (await far.run("mmlsdisk mss1"))[1]
    device = next(line.split()[2] for line in (await far.run("mmlsnsd -X"))[1].splitlines() if "foo3_nsd1" in line)
    wwn = next(nsd["wwn"] for nsd in (await far.facts())["nsds"] if nsd["name"] == "foo3_nsd1")
    assert device == f"/dev/{names[1][wwn]}"


async def test_power_and_names_that_stay(far: FarSide) -> None:
    await far.sim.control("power_off", host="pollux2")
    assert "is not off" in await refused(far, "power_on", host="pollux1")
    assert "is off" in await refused(far, "outsider", host="pollux2")
    before = (await far.facts())["boot_ids"]["pollux2"]
    answer = await far.sim.control("power_on", host="pollux2", shuffle=False)
    assert answer["boot_id"] != before
    assert "sda " in (await far.run("lsblk -n -o NAME,TYPE,MOUNTPOINT /dev/sda", "pollux2"))[1]
    assert "mounted on 3 nodes" in (await far.run("mmlsmount mss1"))[1]


async def test_the_host_of_a_restripe_reboots(slow: FarSide) -> None:
    await started(slow, "pollux2")
    await slow.sim.control("reboot", host="pollux2", seconds=10)

    async def over() -> bool:
        return (await slow.facts())["restripe"] is None

    await until(over)
    facts = await slow.facts()
    assert 0 < facts["metadata_left_on_rotating_kb"] < METADATA
    assert facts["metadata_total_kb"] == METADATA
    history = (await slow.sim.control("history"))["commands"]
    assert [record["rc"] for record in history if record["argv"][0] == "mmrestripefs"] == [None]


async def test_connections_are_cut_and_come_again(far: FarSide) -> None:
    connection = await far.connect("pollux1")
    other = await far.connection("pollux2")
    process = await connection.create_process("cat", encoding=None)
    assert (await far.sim.control("cut", host="pollux1"))["cut"] == 1
    await connection.wait_closed()
    with pytest.raises(asyncssh.ConnectionLost):
        await process.stdout.read()
    assert (await far.run("echo again"))[1] == "again\n"
    assert (await other.run("echo same")).stdout == "same\n"
    assert (await far.sim.control("cut"))["cut"] == 2
    far.connections.clear()


async def test_a_frozen_host_answers_nothing_and_loses_nothing(far: FarSide) -> None:
    connection = await far.connection("pollux1")
    process = await connection.create_process("cat", encoding=None)
    assert (await far.sim.control("freeze", host="pollux1")) == {"hosts": ["pollux1"], "frozen": True}
    assert (await far.facts())["hosts"]["pollux1"]["frozen"] is True
    process.stdin.write(b"kept")
    reading = asyncio.ensure_future(process.stdout.readexactly(4))
    fresh = asyncio.ensure_future(far.connect("pollux1"))

    async def waiting() -> bool:
        return bool((await far.facts())["hosts"]["pollux1"]["connections"] == 2)

    await until(waiting)
    # Another host answers meanwhile, this one does not.
    assert (await far.run("echo other", "pollux2"))[1] == "other\n"
    assert not reading.done()
    assert not fresh.done()
    await far.sim.control("freeze", host="pollux1", frozen=False)
    assert await reading == b"kept"
    second = await fresh
    assert (await second.run("echo here")).stdout == "here\n"
    second.close()
    await second.wait_closed()


async def test_a_slow_host_still_delivers(far: FarSide) -> None:
    await far.sim.control("slow", host="pollux1", rate=200_000, delay=0.001)
    assert (await far.run("head -c 20000 /dev/zero | wc -c; echo 1"))[1] == "20000\n1\n"
    await far.sim.control("slow")
    assert "at least 64 bytes" in await refused(far, "slow", rate=3)
    assert len((await far.run("head -c 3000000 /dev/zero"))[1]) == 3_000_000


async def test_a_disk_that_fails_ends_a_restripe(slow: FarSide) -> None:
    await started(slow)
    await slow.sim.control("disk", disk="foo2_nsd3", availability="down")
    assert await status(slow) == "1"
    log = (await slow.run("cat log"))[1]
    assert re.search(r"^Scan failed on \d+ user or system files\.$", log, re.MULTILINE)
    assert "no disk 'x'" in await refused(slow, "disk", disk="x", availability="down")
    assert "availability is one of" in await refused(slow, "disk", disk="foo2_nsd3", availability="gone")
    await slow.sim.control("disk", disk="foo2_nsd3", availability="up")
    assert (await slow.facts())["metadata_total_kb"] == METADATA
    assert (await slow.run(RESTRIPE))[0] == 0  # at the pace of the first one's end
    assert (await slow.facts())["metadata_left_on_rotating_kb"] == 0


async def test_a_restripe_that_was_told_to_goes_on(slow: FarSide) -> None:
    await prepare(slow)
    await slow.run(f"setsid sh -c '{RESTRIPE} --pit-continues-on-error; echo $? >rc' >log 2>&1 </dev/null &")
    await moving(slow)
    await slow.sim.control("disk", disk="foo2_nsd3", availability="down")
    await slow.sim.control("disk", disk="foo2_nsd3", availability="up")
    assert await status(slow) == "1"
    log = (await slow.run("cat log"))[1]
    assert " 100.00 % complete on " in log
    assert "Scan failed on " in log


async def test_daemons(far: FarSide) -> None:
    assert (await far.sim.control("daemon", host="pollux1"))["state"] == "down"
    facts = await far.facts()
    # It managed the file system and served four disks.
    assert facts["manager"] == "pollux2"
    assert sum(disk["availability"] == "down" for disk in facts["disks"]) == 4
    assert "Connection refused" in (await far.run("mmdf mss1"))[2]
    assert "pollux2)" in (await far.run("mmlsmgr", "pollux3"))[1]
    assert (await far.sim.control("daemon", host="pollux1", state="up"))["state"] == "active"
    assert (await far.run("mmdf mss1 -F"))[0] == 0
    assert "state is one of" in await refused(far, "daemon", host="pollux1", state="tired")


async def test_a_daemon_restarts_while_others_serve_its_disks(slow: FarSide) -> None:
    await started(slow)
    answer = await slow.sim.control("daemon", host="pollux3", state="restart", seconds=400, disks="stay")
    assert answer["state"] == "down"
    facts = await slow.facts()
    assert all(disk["availability"] == "up" for disk in facts["disks"])
    assert facts["restripe"]["helpers"] == ["pollux1", "pollux2"]

    async def back() -> bool:
        return bool((await slow.facts())["hosts"]["pollux3"]["daemon"] == "active")

    await until(back)
    assert await status(slow) == "0"
    assert "Running 0 days " in (await slow.run("mmdiag --version", "pollux3"))[1]
    assert (
        "[N] Normal shutdown" in (await slow.run("cat $RESTRIPE_SYSROOT/var/adm/ras/mmfs.log.previous", "pollux3"))[1]
    )
    await slow.sim.control("power_off", host="pollux2", disks="stay")
    assert all(disk["availability"] == "up" for disk in (await slow.facts())["disks"])


async def test_the_manager_moves(slow: FarSide) -> None:
    await started(slow)
    assert await slow.sim.control("manager", host="pollux3") == {"manager": "pollux3"}
    assert "(pollux3)" in (await slow.run("mmlsmgr"))[1]
    assert await status(slow) == "0"
    await slow.sim.control("daemon", host="pollux2")
    assert "is not active" in await refused(slow, "manager", host="pollux2")


async def test_quorum(slow: FarSide) -> None:
    await started(slow)
    assert await slow.sim.control("quorum") == {"quorum": False}
    assert await status(slow) == "1"
    assert "GPFS lost quorum." in (await slow.run("cat log"))[1]
    assert (await slow.run("mmgetstate -a"))[1].count("arbitrating") == 3
    assert "no quorum" in (await slow.run("mmlsdisk mss1"))[2]
    assert await slow.sim.control("quorum", lost=False) == {"quorum": True}
    assert (await slow.run("mmlsdisk mss1"))[0] == 0
    # Two of three daemons are as good as a split.
    await slow.sim.control("daemon", host="pollux1")
    await slow.sim.control("daemon", host="pollux2")
    assert "arbitrating" in (await slow.run("mmgetstate", "pollux3"))[1]


async def test_a_full_job_disk(far: FarSide) -> None:
    _, jobs, _ = await far.run("mkdir -p $RESTRIPE_JOBS/old; echo kept > $RESTRIPE_JOBS/old/log; echo $RESTRIPE_JOBS")
    how = (await far.sim.control("job_disk", host="pollux1", state="full"))["how"]
    if how == "nothing":
        pytest.skip("root without the right to mount: nothing can be made full")
    code, _, err = await far.run("cd $RESTRIPE_JOBS && mkdir new && head -c 9000 /dev/zero > new/file")
    assert code != 0
    assert ("No space left" if how == "tmpfs" else "denied") in err
    assert (await far.run("cat $RESTRIPE_JOBS/old/log"))[1] == "kept\n"
    assert (await far.run("echo 1 > other; cat other"))[1] == "1\n"
    await far.sim.control("job_disk", host="pollux1", state="ok")
    assert (await far.run("mkdir -p $RESTRIPE_JOBS/new && echo 2 > $RESTRIPE_JOBS/new/file"))[0] == 0
    # The mount was this simulator's alone.
    assert jobs.strip() not in Path("/proc/self/mounts").read_text()


async def test_filling_a_disk_ends_a_restripe_in_want_of_space(slow: FarSide) -> None:
    await started(slow)
    for number in (1, 2):
        for server in (1, 2, 3):
            answer = await slow.sim.control("fill", disk=f"foo{server}_ssd{number}", free_kb=4096)
            assert answer["free_blocks_kb"] == 4096
    assert await status(slow) == "1"
    assert "Not enough space for the desired number of replicas.\n" in (await slow.run("cat log"))[1]
    rows = [line for line in (await slow.run("mmdf mss1"))[1].splitlines() if "ssd" in line]
    assert all(int(row.split()[5]) <= 4096 for row in rows)
    assert "cannot have" in await refused(slow, "fill", disk="foo1_ssd1", free_kb=10**12)


async def test_somebody_elses_command(far: FarSide) -> None:
    await far.put("change.txt", "%nsd: nsd=foo1_nsd1 usage=dataAndMetadata\n")
    await far.sim.control("occupy", program="mmdelsnapshot", seconds=20_000)
    assert (await far.facts())["busy_with"] == "mmdelsnapshot"
    assert "has the file system already" in await refused(far, "occupy")
    await far.sim.control("set_policy", conflict="terminate")
    code, _, err = await far.run("mmrestripefs mss1 -r")
    assert (code, err.splitlines()[0]) == (
        1,
        "Terminating mmrestripefs on mss1 because a conflicting program mmdelsnapshot is running.",
    )
    await far.sim.control("set_policy", conflict="wait")
    code, out, _ = await far.run("mmchdisk mss1 change -F change.txt")
    assert code == 0
    assert out.startswith("Unable to start mmchdisk on 'mss1' because conflicting program mmdelsnapshot is running.")
    assert (await far.facts())["busy_with"] == ""


async def test_a_command_stands_before_or_after_its_work_until_it_is_let_go(far: FarSide) -> None:
    await far.put("change.txt", "%nsd: nsd=foo1_nsd1 usage=dataOnly\n")
    for place, usage in (("begin", "dataAndMetadata"), ("end", "dataOnly")):
        await far.sim.control("hold", command="mmchdisk", at=place)
        running = asyncio.create_task(far.run("mmchdisk mss1 change -F change.txt"))

        async def stands() -> bool:
            held: list[str] = (await far.facts())["held"]
            return held == ["mmchdisk"]

        await until(stands)
        assert (await far.facts())["disks"][0]["usage"] == usage
        assert (await far.run("mmlsdisk mss1"))[0] == 0  # no other command waits
        await far.sim.control("hold", release=True)
        assert (await running)[0] == 0
    facts = await far.facts()
    assert (facts["held"], facts["disks"][0]["usage"]) == ([], "dataOnly")


async def test_limits_set_by_others_and_workers(slow: FarSide) -> None:
    answer = await slow.sim.control("qos", limits="pool=*,maintenance=150IOPS")
    assert answer["limits"] == {"system": {"maintenance": "150IOPS"}}
    assert "maintenance=150IOPS" in (await slow.run("mmlsqos mss1"))[1]
    assert "Incorrect QOS" in await refused(slow, "qos", limits="speed=3")
    await slow.sim.control("qos", enabled=False)
    assert "disabled" in (await slow.run("mmlsqos mss1"))[1]
    await slow.sim.control("set_policy", pit_limit=31)
    assert "PIT worker threads" in (await slow.run("mmrestripefs mss1 -r"))[2]


async def test_a_limit_slows_a_restripe_from_now_on(slow: FarSide) -> None:
    await started(slow)
    before = (await slow.facts())["restripe"]
    await slow.run("mmchqos mss1 --enable pool=*,maintenance=260IOPS", "pollux2")
    after = (await slow.facts())["restripe"]
    assert (before["pace"], after["pace"]) == (1.0, 0.1)
    assert after["inodes"] >= before["inodes"]
    now = (await slow.facts())["now"]
    assert after["ends"] - now > 5 * (before["ends"] - now)
    await slow.sim.control("qos", limits="maintenance=unlimited")
    assert (await slow.facts())["restripe"]["pace"] == 1.0
    assert await status(slow) == "0"
    assert (await slow.facts())["metadata_left_on_rotating_kb"] == 0
    percents = re.findall(r"^ +(\d+\.\d\d) % complete", (await slow.run("cat log"))[1], re.MULTILINE)
    assert len(percents) == 100


async def test_an_outsiders_restripe_has_a_log_and_no_job(slow: FarSide) -> None:
    await prepare(slow)
    answer = await slow.sim.control("outsider", host="pollux3", file="restripe of today.log")
    await moving(slow)
    assert answer["command"] == "mmrestripefs mss1 -r"
    pids = {record["pid"] for record in (await slow.facts())["running"]}
    assert len(pids) == 1
    assert Path(f"/proc/{answer['pid']}").exists()
    assert (await slow.run(f"kill -0 {pids.pop()}", "pollux3"))[0] == 0
    log = (await slow.run(f"cat '{answer['file']}'", "pollux3"))[1]
    assert log.startswith("Scanning file system metadata, phase 1 ... \n")
    assert (await slow.run("test -e $RESTRIPE_JOBS", "pollux3"))[0] == 1
    second = await slow.run(f"timeout 0.3 {RESTRIPE}")
    assert "conflicting program mmrestripefs is running" in second[1]
    await slow.sim.control("pace", factor=100)

    async def ended() -> bool:
        return not Path(f"/proc/{answer['pid']}").exists()

    await until(ended)
    assert (await slow.facts())["metadata_left_on_rotating_kb"] == 0
    assert (await slow.run(f"tail -1 '{answer['file']}'", "pollux3"))[1] == "Scan completed successfully.\n"


async def test_an_outsiders_restripe_may_be_left_to_nohup_or_a_screen(slow: FarSide) -> None:
    await prepare(slow)
    ways = (("nohup", "-r", "restripe.log", "\n"), ("screen", "-b", "screenlog.0", "\r\n"))
    for through, options, file, end in ways:
        answer = await slow.sim.control("outsider", host="pollux3", through=through, options=options)
        path = Path(answer["file"])
        assert path.name == file

        async def begun(path: Path = path, end: str = end) -> bool:
            return path.exists() and path.read_bytes().startswith(
                f"Scanning file system metadata, phase 1 ... {end}".encode()
            )

        await until(begun)
        assert len((await slow.facts())["running"]) == 1
        # The file is held open by the command itself, or by the parent that keeps its terminal.
        process = Path(f"/proc/{answer['pid']}")
        opened = {os.readlink(each) for each in (process / "fd").iterdir()}
        assert str(path.resolve()) in opened
        assert f"RESTRIPE_SYSROOT={path.parent.parent / 'sysroot'}".encode() in (
            process / "environ"
        ).read_bytes().split(b"\0")
        if through == "screen":
            assert (process / "comm").read_text() == "screen\n"
            assert (process / "cmdline").read_bytes().rstrip(b"\0") == b"SCREEN\0-L"
            assert "/dev/ptmx" in opened or "/dev/pts/ptmx" in opened
        await slow.sim.control("pace", factor=100)

        async def ended(process: Path = process) -> bool:
            return not process.exists()

        await until(ended)
        await slow.sim.control("pace", factor=1)


async def test_a_scan_that_starts_over(slow: FarSide) -> None:
    assert "no restripe runs" in await refused(slow, "start_over")
    await started(slow)
    before = await slow.facts()
    await slow.sim.control("start_over")
    assert await status(slow) == "0"
    log = (await slow.run("cat log"))[1]
    assert log.count("Scanning file system metadata, phase 1 ... \n") == 2
    assert len(re.findall(r"^ +1 % complete on", log, re.MULTILINE)) == 2
    assert log.count(" 100.00 % complete on ") == 1
    facts = await slow.facts()
    assert facts["metadata_left_on_rotating_kb"] == 0 < before["metadata_left_on_rotating_kb"]
    assert facts["metadata_total_kb"] == METADATA


async def test_waiters(slow: FarSide) -> None:
    await slow.sim.control("waiter", host="pollux2", thread="RebuildWorkThread", seconds=900)
    text = (await slow.run("mmdiag --waiters", "pollux2"))[1]
    found = re.search(
        r"^Waiting (\d+)\.\d{4} sec since [\d:]{8}, monitored, thread \d+ RebuildWorkThread: ", text, re.M
    )
    assert found is not None
    assert int(found[1]) >= 900
    assert "RebuildWorkThread" not in (await slow.run("mmdiag --waiters"))[1]
    assert ":RebuildWorkThread:2013-06-06_" in (await slow.run("mmdiag --waiters -Y", "pollux2"))[1]


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("reboot", {}, "host is missing"),
    ("reboot", {"host": "x"}, "no host 'x': pollux1, pollux2, pollux3"),
    ("reboot", {"host": 3}, "host must be a text"),
    ("reboot", {"host": "pollux1", "seconds": "soon"}, "seconds must be a number"),
    ("reboot", {"host": "pollux1", "seconds": -1}, "seconds must be between 0"),
    ("reboot", {"host": "pollux1", "shuffle": 1}, "shuffle must be true or false"),
    ("cut", {"hosts": "pollux1"}, "no argument 'hosts'"),
    ("facts", {"x": 1}, "no argument 'x'"),
    ("fill", {"disk": "foo1_nsd1"}, "free_kb is missing"),
    ("set_policy", {"pit_limit": "many"}, "pit_limit is one of the whole numbers"),
    ("dance", {}, "no operation 'dance': facts, history"),
]


async def test_bad_requests_are_told(far: FarSide) -> None:
    for op, arguments, complaint in BAD:
        assert complaint in await refused(far, op, **arguments)
    assert all(host["power"] for host in (await far.facts())["hosts"].values())


async def test_stopping_while_hosts_are_off_and_frozen(far: FarSide) -> None:
    await far.sim.control("power_off", host="pollux1")
    await far.connection("pollux2")
    await far.sim.control("freeze", host="pollux2")
    await far.sim.control("occupy", seconds=1e8)
    assert os.path.exists(far.sim.control_socket)
    for connection in far.connections.values():
        connection.abort()
    with pytest.raises((OSError, asyncssh.Error)):
        await far.connect("pollux1")
