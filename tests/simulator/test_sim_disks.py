"""Disks that are suspended, emptied, stopped, started, deleted and replaced: what is moved, to the KB."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from remote.gpfs import parsers
from simulator import moves
from simulator.state import Disk
from tests.simulator.inside import Inside
from tests.simulator.seed_listings import SSD_STANZAS

TAIL = "{}: Command failed. Examine previous error messages to determine cause.\n"


@pytest.fixture
def inside(tmp_path: Path) -> Inside:
    return Inside(tmp_path, scenario="seed-5.2")


def amounts(inside: Inside) -> tuple[int, int]:
    """Metadata and data on all disks of the file system."""
    return sum(disk.metadata_kb for disk in inside.fs.disks), sum(disk.data_kb for disk in inside.fs.disks)


def named(inside: Inside, name: str) -> Disk:
    disk = inside.fs.disk(name)
    assert disk is not None
    return disk


def consistent(inside: Inside) -> bool:
    return all(
        min(disk.metadata_kb, disk.data_kb, disk.fragments_kb, disk.free_blocks_kb) >= 0
        and disk.free_blocks_kb % inside.fs.block_kb == 0
        for disk in inside.fs.disks
    )


@pytest.mark.parametrize(
    ("release", "action", "status"),
    [("3.5", "suspend", "suspended"), ("4.2", "suspend", "to be emptied"), ("6.0", "empty", "to be emptied")],
)
async def test_suspending_is_told_and_taken_back(tmp_path: Path, release: str, action: str, status: str) -> None:
    inside = Inside(tmp_path, scenario=f"seed-{release}")
    out = await inside.good("mmchdisk", "mss1", action, "-d", "foo1_nsd1;foo2_nsd1")
    assert out.startswith("Verifying file system configuration information ...\n")
    assert [disk.name for disk in inside.fs.disks if disk.status == status] == ["foo1_nsd1", "foo2_nsd1"]
    row = (await inside.good("mmlsdisk", "mss1")).splitlines()[3]
    assert f" Yes   {status:<13} up           system" in row
    wrong = (await inside.good("mmlsdisk", "mss1", "-e")).splitlines()
    assert [line.split()[0] for line in wrong[3:]] == ["foo1_nsd1", "foo2_nsd1"]
    assert (await inside.good("mmdf", "mss1")).count("*") == 2
    await inside.good("mmchdisk", "mss1", "resume", "-a")
    assert {disk.status for disk in inside.fs.disks} == {"ready"}


async def test_an_emptied_disk_is_deleted_at_once(inside: Inside) -> None:
    await inside.good("mmchdisk", "mss1", "empty", "-d", "foo1_nsd1")
    before = amounts(inside)
    await inside.good("mmrestripefs", "mss1", "-r")
    disk = named(inside, "foo1_nsd1")
    assert (disk.status, disk.metadata_kb, disk.data_kb) == ("emptied", 0, 0)
    metadata, data = amounts(inside)
    assert (metadata, data >= before[1]) == (before[0], True)
    assert consistent(inside)
    assert "emptied" in await inside.good("mmlsdisk", "mss1")
    out = await inside.good("mmdeldisk", "mss1", "foo1_nsd1")
    assert out.startswith("Deleting disks ...\nScanning file system metadata, phase 1 ... \n")
    assert out.endswith(
        "Checking Allocation Map for storage pool system\ntsdeldisk completed.\n"
        "mmdeldisk: Propagating the cluster configuration data to all\n"
        "  affected nodes.  This is an asynchronous process.\n"
    )
    assert len(inside.fs.disks) == 11
    assert amounts(inside) == (metadata, data)
    assert "foo1_nsd1" in await inside.good("mmlsnsd", "-F")


async def test_a_full_disk_is_emptied_by_deleting_it(inside: Inside) -> None:
    before = amounts(inside)
    await inside.good("mmdeldisk", "mss1", "foo3_nsd4;foo3_nsd3")
    metadata, data = amounts(inside)
    assert metadata == before[0]
    assert data >= before[1]
    assert consistent(inside)
    names = [disk.name for disk in inside.fs.disks]
    assert len(names) == 10
    assert not {"foo3_nsd4", "foo3_nsd3"} & set(names)


async def test_deleting_is_refused_where_it_cannot_work(inside: Inside) -> None:
    async def refusal(names: str) -> str:
        answer = await inside.run("mmdeldisk", "mss1", names)
        assert answer.rc == 1
        assert answer.err.endswith(TAIL.format("mmdeldisk"))
        return answer.err.removesuffix(TAIL.format("mmdeldisk"))

    assert await refusal("nsd1") == "mmdeldisk: nsd1 not found in file system mss1\n"
    everything = [disk.name for disk in inside.fs.disks]
    assert await refusal(";".join(everything)) == "All disks of the file system would be deleted.\n"
    two = [name for name in everything if not name.startswith("foo3")]
    assert await refusal(";".join(two)) == (
        "Attention: A disk being removed reduces the number of failure groups to 1,\n"
        "which is below the number required for replication: 2.\n"
    )
    many = [name for name in everything if not name.endswith("1")]
    assert await refusal(";".join(many)) == "Not enough space for the desired number of replicas.\n"
    # It failed on the way: the disks wait for another try.
    assert {disk.status for disk in inside.fs.disks if disk.name in many} == {"being emptied"}
    assert inside.world.busy_with == ""


async def test_a_deletion_that_is_killed_can_be_given_again(tmp_path: Path) -> None:
    inside = Inside(tmp_path, speed=20_000, scenario="seed-5.2")
    before = amounts(inside)
    task = asyncio.create_task(inside.run("mmdeldisk", "mss1", "foo1_nsd1"))
    while named(inside, "foo1_nsd1").metadata_kb in (0, 32019360):
        inside.world.settle()
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    while inside.world.run is not None:
        await asyncio.sleep(0)
    disk = named(inside, "foo1_nsd1")
    assert disk.status == "being emptied"
    assert 0 < disk.metadata_kb < 32019360
    assert amounts(inside)[0] == before[0]
    await inside.good("mmdeldisk", "mss1", "foo1_nsd1")
    assert (amounts(inside)[0], len(inside.fs.disks)) == (before[0], 11)


async def test_replacing_a_disk(inside: Inside) -> None:
    await inside.good("mmcrnsd", "-F", inside.write(SSD_STANZAS))
    before = amounts(inside)
    small = inside.write("%nsd: nsd=foo1_ssd1\n")
    refused = await inside.run("mmrpldisk", "mss1", "foo1_nsd1", "-F", small)
    assert refused.rc == 0  # What finds no room on the new disk goes to the others.
    assert "Replacing foo1_nsd1 ...\n" in refused.out
    assert "    foo1_ssd1: size 190240 MB\n" in refused.out
    assert refused.out.endswith("affected nodes.  This is an asynchronous process.\n")
    new = named(inside, "foo1_ssd1")
    assert (new.usage, new.failure_group, new.pool) == ("dataAndMetadata", "1", "system")
    assert inside.fs.disk("foo1_nsd1") is None
    metadata, data = amounts(inside)
    assert (metadata, data >= before[1], consistent(inside)) == (before[0], True, True)


async def test_deleting_nsds(inside: Inside) -> None:
    await inside.good("mmcrnsd", "-F", inside.write(SSD_STANZAS))
    device = inside.world.cluster.nsds["foo1_ssd1"].device
    assert (device.volume_id[:8], len(device.partitions)) == ("8CFC1C05", 1)
    belongs = await inside.run("mmdelnsd", "foo1_nsd1")
    assert belongs.err.startswith("mmdelnsd: Disk foo1_nsd1 belongs to file system mss1.\n")
    inside.world.cluster.tiebreakers = ("foo1_ssd2",)
    assert "tiebreaker" in (await inside.run("mmdelnsd", "foo1_ssd1;foo1_ssd2")).err
    assert (await inside.good("mmdelnsd", "foo1_ssd1")).startswith("mmdelnsd: Processing disk foo1_ssd1\n")
    assert (device.volume_id, device.partitions, len(inside.world.cluster.nsds)) == ("", [], 17)
    assert (await inside.run("mmdelnsd", "foo1_ssd1")).err.startswith("mmdelnsd: Disk foo1_ssd1 is not known")
    await inside.good("mmcrnsd", "-F", inside.write(SSD_STANZAS.splitlines()[0] + "\n"))


async def test_stopping_and_starting(inside: Inside) -> None:
    await inside.good("mmchdisk", "mss1", "stop", "-d", "foo2_nsd2")
    assert " down " in await inside.good("mmlsdisk", "mss1")
    refused = await inside.run("mmrestripefs", "mss1", "-r")
    assert refused.err.startswith("Attention: 1 disks are not available: foo2_nsd2\n")
    out = await inside.good("mmchdisk", "mss1", "start", "-a")
    assert out.startswith("mmnsddiscover:  Attempting to rediscover the disks.  This may take a while ...\n")
    assert "pollux2:  Rediscovered nsd server access to foo2_nsd2.\n" in out
    assert {disk.availability for disk in inside.fs.disks} == {"up"}
    inside.world.policies.down_nodes = ["pollux2"]
    named(inside, "foo2_nsd2").availability = "down"
    lost = await inside.run("mmchdisk", "mss1", "start", "-d", "foo2_nsd2")
    assert lost.err.startswith("Failed to open disks foo2_nsd2.\n")
    assert named(inside, "foo2_nsd2").availability == "unrecovered"


async def test_rebalancing_levels_all_disks(inside: Inside) -> None:
    await inside.good("mmcrnsd", "-F", inside.write(SSD_STANZAS))
    await inside.good(
        "mmadddisk", "mss1", "-r", "-F", inside.write(SSD_STANZAS.replace("metadataOnly", "dataAndMetadata"))
    )
    shares = [(disk.data_kb + disk.metadata_kb) / disk.size_kb for disk in inside.fs.disks]
    assert max(shares) - min(shares) < 0.03
    assert amounts(inside)[0] == 384232320
    assert consistent(inside)


async def test_a_sentence_that_only_rebalancing_clears(inside: Inside) -> None:
    inside.world.policies.change("balance_attention", "after_add", ())
    await inside.add()
    sentence = "Attention: Due to an earlier configuration change the file system\nis no longer properly balanced.\n"
    assert (await inside.good("mmlsdisk", "mss1")).endswith(sentence)
    assert ":ill_unbalanced_fs:" in await inside.good("mmhealth", "node", "show", "-Y")
    await inside.good("mmrestripefs", "mss1", "-r")
    assert (await inside.good("mmlsdisk", "mss1")).endswith(sentence)
    await inside.good("mmrestripefs", "mss1", "-b")
    assert "Attention" not in await inside.good("mmlsdisk", "mss1")


async def test_data_stays_in_its_pool(tmp_path: Path) -> None:
    inside = Inside(tmp_path, scenario="scale")

    def by_pool() -> dict[str, int]:
        return {pool: sum(d.data_kb for d in inside.fs.disks if d.pool == pool) for pool in inside.fs.pools}

    before = by_pool()
    await inside.good("mmchdisk", "proj", "empty", "-d", "e1_lun25;e1_lun01")
    plan = moves.plan(inside.fs)
    assert plan.unplaced_kb == 0
    for done in (1, 499, 1000):
        plan.apply(inside.fs, done, 1000)
        assert sum(by_pool().values()) == sum(before.values())
    assert by_pool() == before
    assert named(inside, "e1_lun25").data_kb == named(inside, "e1_lun01").metadata_kb == 0


async def test_metadata_only_is_quick_and_may_leave_the_sentence(tmp_path: Path) -> None:
    for policy, left in (("stays", True), ("goes", False)):
        inside = Inside(tmp_path, scenario="seed-5.2")
        inside.world.policies.change("metadata_only_attention", policy, ())
        await inside.migrate()
        out = await inside.good("mmrestripefs", "mss1", "-r", "--metadata-only", "-N", "pollux1,pollux2")
        assert "(  29590869 inodes with total " in out
        assert inside.world.cluster.metadata_left_kb == 0
        assert ("Attention" in await inside.good("mmlsdisk", "mss1")) is left
    old = await Inside(tmp_path).run("mmrestripefs", "mss1", "-r", "--metadata-only")
    assert old.err.startswith("mmrestripefs: Incorrect option: --metadata-only\n")


async def test_too_many_workers_are_refused(inside: Inside) -> None:
    inside.world.policies.change("pit_limit", 31, ())
    answer = await inside.run("mmrestripefs", "mss1", "-r", "-N", "foo1,foo2")
    assert answer.err == (
        "mmrestripefs: The total number of PIT worker threads of all participating nodes\n"
        "has been exceeded to safely restripe the file system. The total number of PIT\n"
        "worker threads of all participating nodes cannot exceed 31.\n" + TAIL.format("mmrestripefs")
    )
    await inside.good("mmrestripefs", "mss1", "-r", "-N", "foo1")


@pytest.mark.parametrize("mode", ["-m", "-R", "-p", "-c", "-z", "-b"])
async def test_every_mode_runs_and_loses_nothing(inside: Inside, mode: str) -> None:
    before = amounts(inside)
    out = await inside.good("mmrestripefs", "mss1", mode)
    assert out.endswith("Scan completed successfully.\n")
    metadata, data = amounts(inside)
    assert (metadata, consistent(inside)) == (before[0], True)
    assert data >= before[1]


async def test_limits_of_qos(inside: Inside) -> None:
    out = await inside.good("mmchqos", "mss1", "--enable", "pool=*,maintenance=300IOPS,other=unlimited")
    assert out == (
        "Adjusted QOS Class specification: pool=*,maintenance=300IOPS,other=unlimited\n"
        "QOS configuration has been installed and broadcast to all nodes.\n"
    )
    assert "QOS values::            pool=system,other=inf,maintenance=300IOPS\n" in await inside.good("mmlsqos", "mss1")
    machine = await inside.good("mmlsqos", "mss1", "-Y")
    assert "mmlsqos:config:0:1:::pool=system,other=inf,maintenance/all_local=300Iops:\n" in machine
    for wrong in ("maintenance=fast", "pool=gold,other=1IOPS", "misc=3IOPS", "maintenance"):
        assert (await inside.run("mmchqos", "mss1", "--enable", wrong)).rc == 1
    await inside.good("mmchqos", "mss1", "--disable")
    assert "QOS config::            disabled\n" in await inside.good("mmlsqos", "mss1")


@pytest.mark.parametrize(("release", "off", "rc"), [("3.5", ["pollux2"], 1), ("5.2", ["pollux2"], 0)])
async def test_who_must_be_up_to_change_the_configuration(
    tmp_path: Path, release: str, off: list[str], rc: int
) -> None:
    inside = Inside(tmp_path, scenario=f"seed-{release}")
    inside.world.powered_off.update(off)
    one = SSD_STANZAS.splitlines()[0] + "\n"
    answer = await inside.run("mmcrnsd", "-F", inside.write(one))
    assert answer.rc == rc
    assert ("cannot be accessed for a change" in answer.err) is bool(rc)
    if not rc:
        other = await inside.run("mmcrnsd", "-F", inside.write(SSD_STANZAS.splitlines()[2] + "\n"))
        assert other.err.startswith("mmcrnsd: Node foo2.example.com could not be reached.\n")


async def test_large_disks_are_added_with_percentages(tmp_path: Path) -> None:
    inside = Inside(tmp_path, scenario="scale")
    ssd = next(
        device
        for device in inside.world.cluster.hosts["nsd01"].devices.values()
        if not device.volume_id and device.paths
    )
    file = inside.write(f"%nsd: device={ssd.name} nsd=large servers=nsd01,nsd02 usage=dataAndMetadata failureGroup=1\n")
    await inside.good("mmcrnsd", "-F", file)
    out = await inside.good("mmadddisk", "proj", "-F", file)
    assert [line.split()[0] for line in out.splitlines() if "% complete on" in line] == ["5", "60", "100"]
    assert parsers.parse(("mmadddisk",), out, "").problems == ()


async def test_the_configuration_is_saved_into_the_file_that_is_named(inside: Inside, tmp_path: Path) -> None:
    assert (await inside.run("mmbackupconfig", "mss1")).rc == 1
    said = await inside.good("mmbackupconfig", "mss1", "-o", "saved")
    assert said == "\nmmbackupconfig: Processing file system mss1 ...\nmmbackupconfig: Command successfully completed\n"
    saved = (tmp_path / "saved").read_text().splitlines()
    assert saved[0] == "filesystem:mss1:2"
    assert len(saved) == 1 + 12
    refused = await inside.run("mmbackupconfig", "mss1", "-o", "no/such/place")
    assert (refused.rc, "could not be written" in refused.err) == (1, True)
