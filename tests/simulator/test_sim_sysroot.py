"""The files of a simulated host's /sys, /proc and /dev: what they say, and that they stay true."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

import pytest

from simulator.devicetree import tree
from simulator.hardware import Host
from simulator.lsblk import lsblk
from simulator.sysroot import Sysroot
from tests.simulator.far_side import FarSide, far_side
from tests.simulator.inside import Inside
from tests.simulator.seed_listings import SSD_STANZAS

COLUMNS = "KNAME,PKNAME,MAJ:MIN,SIZE,TYPE,RO,ROTA,LOG-SEC,PHY-SEC,VENDOR,MODEL,REV,STATE,HCTL,WWN,SERIAL,MOUNTPOINT"


def listed(host: Host) -> list[dict[str, str]]:
    """The rows of lsblk, one for each device and the device above which it is printed."""
    text = lsblk(host, ["-P", "-b", "-o", COLUMNS], (2, 32))
    return [dict(re.findall(r'(\S+)="([^"]*)"', line)) for line in text.splitlines()]


def names(directory: Path) -> list[str]:
    return sorted(entry.name for entry in directory.iterdir())


async def written(host: Host, place: Path) -> Path:
    root = Sysroot(host, place / "sysroot")
    await root.ensure()
    return root.path


def same(root: Path, row: dict[str, str]) -> None:
    """What sysfs tells of a whole device is what lsblk tells."""
    block = root / "sys/block" / row["KNAME"]
    told = {
        "MAJ:MIN": "dev",
        "RO": "ro",
        "ROTA": "queue/rotational",
        "LOG-SEC": "queue/logical_block_size",
        "PHY-SEC": "queue/physical_block_size",
    }
    assert int((block / "size").read_text()) * 512 == int(row["SIZE"])
    for column, file in told.items():
        assert (block / file).read_text() == f"{row[column]}\n"
    if row["TYPE"] != "disk":
        assert not (block / "device").exists()
        return
    device = block / "device"
    assert device.resolve().name == row["HCTL"]
    assert [(device / file).read_text() for file in ("vendor", "rev", "state", "wwid")] == [
        *(f"{row['VENDOR']}\n", f"{row['REV']}\n", f"{row['STATE']}\n", f"naa.{row['WWN'][2:]}\n")
    ]
    # SCSI has room for 16 characters; lsblk has the whole name from udev.
    assert (device / "model").read_text() == f"{row['MODEL']:16.16}\n"
    assert (device / "vpd_pg80").read_bytes()[4:].decode() == row["SERIAL"]
    udev = (root / f"run/udev/data/b{row['MAJ:MIN']}").read_text()
    assert f"E:ID_WWN_WITH_EXTENSION={row['WWN']}\n" in udev


@pytest.mark.parametrize(("scenario", "host"), [("seed", "pollux3"), ("scale", "nsd02"), ("big", "s0001")])
async def test_the_files_tell_what_lsblk_tells(tmp_path: Path, scenario: str, host: str) -> None:
    machine = Inside(tmp_path, scenario=scenario).world.cluster.hosts[host]
    root = await written(machine, tmp_path)
    rows = listed(machine)
    whole = [row for row in rows if row["TYPE"] != "part" or row["KNAME"].startswith("dm-")]
    assert names(root / "sys/block") == sorted({row["KNAME"] for row in whole})
    for row in whole:
        same(root, row)
        # What lsblk prints below a device is its holder, and has it as its slave.
        if row["PKNAME"]:
            above = root / "sys/block" / row["PKNAME"]
            if row["TYPE"].startswith("raid"):
                above = root / "sys/block" / row["PKNAME"].rstrip("0123456789") / row["PKNAME"]
            assert row["KNAME"] in names(above / "holders")
            slave = root / "sys/block" / row["KNAME"] / "slaves" / row["PKNAME"]
            assert slave.resolve() == above.resolve()
    for row in rows:
        assert (root / "dev" / row["KNAME"]).stat().st_size == 1 << 20
        if row not in whole:
            part = root / "sys/block" / row["PKNAME"] / row["KNAME"]
            assert int((part / "size").read_text()) * 512 == int(row["SIZE"])
            assert (part / "dev").read_text() == f"{row['MAJ:MIN']}\n"


async def test_mounts_swap_and_links(tmp_path: Path) -> None:
    host = Inside(tmp_path).world.cluster.hosts["pollux3"]
    root = await written(host, tmp_path)
    mounts = [line.split() for line in (root / "proc/self/mountinfo").read_text().splitlines()]
    assert [(row[2], row[4], *row[-3:-1]) for row in mounts if row[-2].startswith("/dev/")] == [
        ("9:1", "/", "ext4", "/dev/md1"),
        ("9:0", "/boot", "ext4", "/dev/md0"),
    ]
    swaps = [line.split() for line in (root / "proc/swaps").read_text().splitlines()]
    assert [row[:2] for row in swaps[1:]] == [["/dev/sdg3", "partition"], ["/dev/sdh3", "partition"]]
    by_id = root / "dev/disk/by-id"
    assert (by_id / "wwn-0x55cd2e404b7d1a4f").resolve() == (root / "dev/sde").resolve()
    assert (by_id / "ata-INTEL_SSDSC2BA200G3_BTTV31300795200GGN").resolve() == (root / "dev/sde").resolve()
    assert (root / "dev/disk/by-path/pci-0000:06:00.0-scsi-0:0:0:2").resolve() == (root / "dev/sdc").resolve()
    assert not (root / "var").exists()


async def test_firmware_slot_and_write_cache(tmp_path: Path) -> None:
    host = Inside(tmp_path).world.cluster.hosts["pollux1"]
    block = await written(host, tmp_path) / "sys/block/sdg"
    # SCSI tells the last four characters of an ATA disk's revision 5DV10250.
    assert (block / "device/rev").read_text() == "0250\n"
    assert (block / "queue/write_cache").read_text() == "write back\n"
    slot = next((block / "device").glob("enclosure_device:*"))
    assert (slot / "slot").read_text() == "2\n"
    assert (slot.resolve().parent / "id").read_text() == "0x50030480004e71bf\n"


async def test_two_servers_know_a_lun_by_different_names(tmp_path: Path) -> None:
    cluster = Inside(tmp_path, scenario="scale").world.cluster
    found = {}
    for name in ("nsd01", "nsd02"):
        (tmp_path / name).mkdir()
        root = await written(cluster.hosts[name], tmp_path / name)
        maps = [block for block in (root / "sys/block").glob("dm-*") if (block / "dm/uuid").exists()]
        found[name] = {(block / "dm/uuid").read_text(): block.name for block in maps}
        for kname in found[name].values():
            if int(kname.removeprefix("dm-")) < 500:
                assert len(names(root / "sys/block" / kname / "slaves")) == 2
    whole = {uuid for uuid in found["nsd01"] if uuid.startswith("mpath-3600507638080046dd8")}
    assert len(whole) == 36
    assert whole < found["nsd02"].keys()
    assert sum(found["nsd01"][uuid] != found["nsd02"][uuid] for uuid in whole) > 30


async def test_a_reboot_keeps_identities_and_changes_names(tmp_path: Path) -> None:
    host = Inside(tmp_path).world.cluster.hosts["pollux1"]
    root = Sysroot(host, tmp_path / "sysroot")

    def wwids() -> dict[str, str]:
        blocks = (root.path / "sys/block").glob("sd*")
        return {(block / "device/wwid").read_text(): block.name for block in blocks}

    def linked() -> dict[str, str]:
        return {link.name: link.resolve().name for link in (root.path / "dev/disk/by-id").glob("wwn-*")}

    await root.ensure()
    before, links_before = wwids(), linked()
    host.reboot(shuffle=True)
    await root.ensure()
    after, links_after = wwids(), linked()
    assert before.keys() == after.keys()
    assert all(before[wwid] != after[wwid] for wwid in before)
    assert links_before.keys() == links_after.keys()
    assert all(links_before[link] != links_after[link] for link in links_before)
    for wwid, name in after.items():
        assert links_after[f"wwn-0x{wwid.strip().removeprefix('naa.')}"] == name
    # The arrays are made of the same two disks, which have other names.
    boot = sorted(after[wwid] for wwid in before if before[wwid] in ("sde", "sdf"))
    assert names(root.path / "sys/block/md1/slaves") == [f"{name}2" for name in boot]
    assert "9:1 / / " in (root.path / "proc/self/mountinfo").read_text()


async def test_who_is_in_the_files_sees_the_old_ones_to_the_end(tmp_path: Path) -> None:
    host = Inside(tmp_path).world.cluster.hosts["pollux1"]
    root = Sysroot(host, tmp_path / "sysroot")
    await root.ensure()
    handle = os.open(root.path / "sys/block/sdg", os.O_RDONLY | os.O_DIRECTORY)
    try:
        host.devices["sdg"].size_bytes = 1 << 30
        host.changes += 1
        await root.ensure()
        assert (root.path / "sys/block/sdg/size").read_text() == f"{1 << 21}\n"
        file = os.open("size", os.O_RDONLY, dir_fd=handle)
        assert os.read(file, 100) == b"389611520\n"
        os.close(file)
    finally:
        os.close(handle)


async def test_nothing_is_written_again_while_nothing_changes(tmp_path: Path) -> None:
    host = Inside(tmp_path).world.cluster.hosts["pollux1"]
    root = Sysroot(host, tmp_path / "sysroot")
    await root.renew()
    assert not root.path.exists()
    await root.ensure()
    first = root.path.resolve()
    await root.ensure()
    await root.renew()
    assert root.path.resolve() == first
    for _ in range(3):
        host.reboot(shuffle=True)
        await root.renew()
    # The one in use and the one before it.
    assert len(list(tmp_path.glob("sysroot.*"))) == 2


async def test_only_hosts_that_somebody_is_on_have_files() -> None:
    async with far_side("big", speed=20_000) as far:
        assert not list((far.sim.directory / "hosts").glob("*/sysroot"))
        assert (await far.run("ls $RESTRIPE_SYSROOT/sys/block | wc -l", "s0003"))[1] == "35\n"
        assert [path.parent.name for path in (far.sim.directory / "hosts").glob("*/sysroot")] == ["s0003"]


async def test_new_nsds_are_seen_by_who_is_on_the_host(far: FarSide) -> None:
    await far.put("ssd.txt", SSD_STANZAS)
    sector = "dd if=$RESTRIPE_SYSROOT/dev/sdg bs=512 skip=2 count=1 2>/dev/null | od -An -tx1 -N8"
    code, out, err = await far.run(f"{sector}; mmcrnsd -F ssd.txt >/dev/null; {sector}")
    assert (code, err) == (0, "")
    before, after = (line.replace(" ", "").upper() for line in out.splitlines())
    assert before == "0" * 16
    assert after == next(nsd["volume_id"] for nsd in (await far.facts())["nsds"] if nsd["name"] == "foo1_ssd1")
    assert (await far.run(f"mmdelnsd foo1_ssd1 >/dev/null; {sector}"))[1].replace(" ", "") == "0" * 16 + "\n"


async def test_a_device_that_hangs_holds_up_everybody_until_it_no_longer_does(far: FarSide) -> None:
    await far.sim.control("set_device", host="pollux1", device="sdg", hangs=True)
    read = asyncio.ensure_future(far.run("dd if=$RESTRIPE_SYSROOT/dev/sdg bs=512 count=64 2>/dev/null | wc -c"))
    asked = asyncio.ensure_future(far.run("blkid -p -o export -c /dev/null /dev/sdg"))
    # Its neighbour can be read, and so can what the kernel knows of it.
    assert (await far.run("cat $RESTRIPE_SYSROOT/sys/block/sdg/device/state; lsblk -dn -o NAME /dev/sdg"))[1] == (
        "running\nsdg\n"
    )
    assert (await far.run("head -c 32768 $RESTRIPE_SYSROOT/dev/sdh | wc -c"))[1] == "32768\n"
    assert not read.done()
    assert not asked.done()
    # Another change meanwhile forgets nobody who waits.
    await far.sim.control("set_device", host="pollux1", device="sdh", firmware="5DV10270")
    await far.sim.control("set_device", host="pollux1", device="sdg", hangs=False)
    assert (await read)[1] == "32768\n"
    assert (await asked)[0] == 2


def test_a_host_whose_device_hangs_still_lists_everything(inside: Inside) -> None:
    host = inside.world.cluster.hosts["pollux1"]
    before = set(tree(host))
    host.devices["sdg"].hangs = True
    assert set(tree(host)) == before
