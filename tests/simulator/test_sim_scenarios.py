"""The scenarios `scale` and `big`: their traps are there, and their size costs little."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from remote.linux.lsblk import parse_lsblk_pairs
from simulator import scenario_big, scenario_scale, scenarios
from simulator.client import Simulation
from simulator.lsblk import lsblk
from tests.simulator.far_side import FarSide, far_side, processes_of
from tests.simulator.inside import Inside

NSDS = 128


@pytest.fixture
async def scale() -> AsyncIterator[FarSide]:
    async with far_side("scale", speed=20_000) as side:
        yield side


def test_its_figures_are_whole() -> None:
    for name in ("scale", "big"):
        fs = scenarios.choose(name).cluster.fs
        for disk in fs.disks:
            parts = (disk.maps_kb, disk.metadata_kb, disk.data_kb, disk.fragments_kb, disk.free_blocks_kb)
            assert min(parts) >= 0
            assert sum(parts) == disk.size_kb
            assert disk.free_blocks_kb % fs.block_kb == 0
        assert len({disk.nsd.volume_id for disk in fs.disks}) == len({disk.wwn for disk in fs.disks}) == len(fs.disks)
        assert len({disk.uid for disk in fs.disks}) == len(fs.disks)


def test_one_lun_has_four_names_on_two_hosts() -> None:
    cluster = scenarios.choose("scale").cluster
    assert len(cluster.nsds) == NSDS
    for nsd in cluster.nsds.values():
        sights = cluster.sights(nsd.device.wwn)
        assert [host.name for host, _ in sights] == sorted(nsd.servers)
        assert [len(device.paths) for _, device in sights] == [2, 2]
        assert all(device.volume_id == nsd.volume_id for _, device in sights)
    differing = [
        nsd for nsd in cluster.nsds.values() if len({device.name for _, device in cluster.sights(nsd.device.wwn)}) == 2
    ]
    assert len(differing) > NSDS // 2
    for host in cluster.hosts.values():
        names = [path.name for device in host.devices.values() for path in device.paths]
        names += [name for name, device in host.devices.items() if not device.paths]
        assert len(names) == len(set(names))


def test_lsblk_prints_a_map_below_each_path() -> None:
    host = scenarios.choose("scale").cluster.hosts["nsd02"]
    text = lsblk(host, ["-P", "-b", "-o", "NAME,KNAME,PKNAME,TYPE,SIZE,RO,WWN,SERIAL,PARTTYPE"], (2, 32))
    parsed = parse_lsblk_pairs(text)
    assert parsed.problems == ()
    maps = [device for device in parsed.model.devices if device.type == "mpath"]
    assert len(maps) == 36
    assert all(len(device.parents) == 2 and not device.wwn and not device.serial for device in maps)
    assert text.count('TYPE="mpath"') == 72
    labels = [device for device in parsed.model.devices if device.name.startswith("mpath") and device.type == "part"]
    assert len(labels) == 32
    assert text.count('PARTTYPE="37affc90-ef7d-4e96-91c3-2d7ae055b174"') == 64
    assert "LOG_SEC=" in lsblk(host, ["-P", "-o", "NAME,LOG-SEC"], (2, 37))
    for release, rota in (((2, 32), "0"), ((2, 37), False)):
        tree = json.loads(lsblk(host, ["-J", "-b", "-o", "NAME,ROTA,TYPE"], release))["blockdevices"]
        boot = next(device for device in tree if device["name"] == "sda")
        assert boot["rota"] == rota
        assert [part["name"] for part in boot["children"]] == ["sda1", "sda2"]
    # The oldest shows 16 digits of a WWN: all LUNs of an array look the same.
    cut = {line for line in lsblk(host, ["-d", "-n", "-o", "WWN"]).split() if line.startswith("0x6005")}
    assert len(cut) == 1


async def test_who_may_say_what(scale: FarSide) -> None:
    assert len(scale.sim.hosts) == 1 + 8 + 1 + scenario_scale.CLIENTS
    assert (await scale.run("mmlsdisk proj | wc -l", "adm01"))[1] == f"{NSDS + 3}\n"
    code, out, err = await scale.run("mmlsdisk proj", "nsd01")
    assert (code, out) == (1, "")
    assert "adminMode is central" in err
    assert (await scale.run("mmgetstate -a", "cl01"))[0] == 1
    assert "active" in (await scale.run("mmgetstate", "nsd01"))[1]
    assert (await scale.run("mmdiag --waiters && mmlscluster && mmlsconfig adminMode", "nsd01"))[0] == 0
    states = (await scale.run("mmgetstate -a", "adm01"))[1]
    assert states.count(" down ") == len(scenario_scale.DEAD)
    assert "perfmon-ces" in (await scale.run("mmlscluster", "adm01"))[1]
    assert "CES IP address list" in (await scale.run("mmlscluster --ces", "adm01"))[1]
    mounts = (await scale.run("mmlsmount proj -L", "adm01"))[1]
    assert "is mounted on 25 nodes:" in mounts
    assert mounts.count("hpc.example.org") == 6
    assert "cl03" not in mounts
    assert "maintenance=2000IOPS" in (await scale.run("mmlsqos proj", "adm01"))[1]
    assert (await scale.run("mmlssnapshot proj -d", "adm01"))[1].count("Valid") == 3
    assert (await scale.run("ssh -V 2>/dev/null; command -v mmlsqos", "cl03"))[0] == 0


async def test_a_restripe_needs_few_nodes(scale: FarSide) -> None:
    assert "PIT worker threads" in (await scale.run("mmrestripefs proj -b", "adm01"))[2]
    assert "not active on node cl03" in (await scale.run("mmrestripefs proj -b -N nsd01,cl03", "adm01"))[2]


async def test_metadata_moves_to_new_luns(tmp_path: Path) -> None:
    inside = Inside(tmp_path, scenario="scale")
    hosts = inside.world.cluster.hosts
    stanzas = ""
    for enclosure in range(1, 5):
        server = f"nsd{2 * enclosure - 1:02d}"
        new = [device for device in hosts[server].devices.values() if device.paths and not device.volume_id]
        assert len(new) == scenario_scale.NEW_SSDS
        for index, device in enumerate(new):
            name = f"mapper/{device.alias}" if index % 2 else device.name
            pair = f"{server},nsd{2 * enclosure:02d}"
            stanzas += f"%nsd: device=/dev/{name} nsd=e{enclosure}_ssd{index} servers={pair} "
            stanzas += f"usage=metadataOnly failureGroup={enclosure} pool=system\n"
    # A path is no device of its own.
    path = hosts["nsd01"].devices["dm-0"].paths[0].name
    bad = inside.write(f"%nsd: device={path} nsd=wrong servers=nsd01\n", "bad")
    assert "does not exist" in (await inside.run("mmcrnsd", "-F", bad)).err
    file = inside.write(stanzas)
    await inside.good("mmcrnsd", "-F", file)
    rows = [line.split() for line in (await inside.good("mmlsnsd", "-X")).splitlines() if "_ssd" in line]
    assert len(rows) == 32
    assert all(row[2].startswith("/dev/dm-") and row[3] == "dmm" for row in rows)
    await inside.good("mmadddisk", "proj", "-F", file)
    old = "".join(
        f"%nsd: nsd={disk.name} usage=dataOnly\n" for disk in inside.fs.disks if disk.usage == "dataAndMetadata"
    )
    await inside.good("mmchdisk", "proj", "change", "-F", inside.write(old, "change"))
    before = inside.world.cluster.metadata_total_kb
    assert inside.world.cluster.metadata_left_kb == before
    await inside.good("mmrestripefs", "proj", "-r", "-N", "nsd01,nsd03,nsd05")
    assert (inside.world.cluster.metadata_left_kb, inside.world.cluster.metadata_total_kb) == (0, before)


async def test_a_twin_tailed_disk_survives_one_of_its_servers(scale: FarSide) -> None:
    await scale.sim.control("power_off", host="nsd01")
    assert {disk["availability"] for disk in (await scale.facts())["disks"]} == {"up"}
    await scale.sim.control("daemon", host="nsd02")
    down = [disk["name"] for disk in (await scale.facts())["disks"] if disk["availability"] == "down"]
    assert len(down) == 32
    assert all(name.startswith("e1_") for name in down)
    assert "(not found) server node" in (await scale.run("mmlsnsd -X", "adm01"))[1]


async def test_a_big_cluster() -> None:
    async with Simulation.start("big", speed=20_000, hosts=24, disks=10_000) as sim:
        far = FarSide(sim)
        assert len(sim.hosts) == 24
        assert (await far.run("mmlsdisk big | wc -l; mmlsnsd -X | wc -l; mmdf big -Y | grep -c :nsd:0", sim.entry))[
            1
        ] == ("10003\n10003\n10000\n")
        disks = (await far.run("lsblk -d -n | wc -l", sim.hosts[-1]))[1]
        assert int(disks) == 10_000 // 24 + 2
        await far.close()
    assert processes_of(sim.directory) == []


@pytest.mark.parametrize(
    ("scenario", "size", "complaint"),
    [
        ("big", {"hosts": 0}, "number of hosts must be between 1 and 1024"),
        ("big", {"hosts": 20, "disks": 10}, "must be between the number of hosts"),
        ("big", {"disks": 10**6}, "and 100000"),
        ("scale", {"disks": 30}, "take 32, 64, 96 or 128"),
        ("seed", {"hosts": 3}, "only scenario big takes"),
        ("seed-7", {}, "no scenario 'seed-7': seed, seed-3.5"),
    ],
)
def test_sizes_that_do_not_exist(scenario: str, size: dict[str, int], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        scenarios.choose(scenario, size.get("hosts"), size.get("disks"))


def test_names_of_disks_go_on_after_z() -> None:
    host = scenario_big.build(1, 800).hosts["s0001"]
    assert len(host.devices) == 802
    assert {"sdz", "sdaa", "sdzz", "sdaaa"} <= host.devices.keys()
