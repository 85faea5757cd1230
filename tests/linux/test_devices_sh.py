"""`devices.sh` in every shell: what the kernel knows of a server, read without opening a device."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from remote.linux.commands import devices
from remote.linux.inventory import BlockNode, Inventory, Mount, Part
from remote.linux.inventory_parsing import parse_devices
from remote.linux.lsblk import parse_lsblk
from tests.linux.sysroot import HDD_SECTORS, NSDDEVICES, SSD_SECTORS, nsd_server
from tests.remote.local_host import HOST, LocalHost


async def asked(host: LocalHost, env: dict[str, str]) -> Inventory:
    """What a host answers, which must be understood to the last line."""
    host.env.update(env)
    (answer,) = await host.site.query(HOST, devices())
    assert (answer.rc, answer.stderr) == (0, b"")
    parsed = parse_devices(answer.stdout.decode())
    assert (parsed.problems, parsed.notes) == ((), ())
    return parsed.model


async def test_every_shell_tells_of_the_whole_server(host: LocalHost, tmp_path: Path) -> None:
    tree = nsd_server(tmp_path / "root")
    before = tree.state()
    told = await asked(host, tree.env)
    assert {node.kname for node in told.nodes} == {
        *("sda", "sdb", "sdc", "sdd", "sde", "sdf", "nvme0n1", "dm-0", "dm-1", "dm-2", "dm-9"),
    }
    assert told.boot_id == "6a3f2c1e-0000-4000-8000-000000000001"
    assert told.get("sdf") == BlockNode(
        kname="sdf",
        number="8:80",
        size_bytes=HDD_SECTORS * 512,
        rotational=True,
        logical_sector=512,
        physical_sector=4096,
        write_cache="write back",
        vendor="SEAGATE",
        model="ST12000NM0027",
        firmware="E004",
        serial="SN-a7b2c3d7",
        wwid="naa.5000c500a7b2c3d7",
        hctl="1:0:2:0",
        enclosure="0x500093d001be0000",
        slot="7",
        links=("by-id/wwn-0x5000c500a7b2c3d7-sdf",),
    )
    assert told.get("nvme0n1") == BlockNode(
        kname="nvme0n1",
        number="259:0",
        size_bytes=SSD_SECTORS * 512,
        rotational=False,
        logical_sector=512,
        physical_sector=4096,
        write_cache="write through",
        model="INTEL SSDPEDMD400G4",
        firmware="8DV1",
        serial="CVFT45",
        wwid="eui.01000000000000005cd2e4d1a2b34f51",
        slot="12",
    )
    shared = told.get("dm-1")
    assert shared is not None
    assert (shared.dm_name, shared.dm_uuid) == ("mpathb", "mpath-35000cca0a1000002")
    assert (set(shared.slaves), shared.holders, shared.links) == ({"sdc", "sde"}, ("dm-2",), ("mapper/mpathb",))
    boot, path = told.get("sda"), told.get("sdb")
    assert boot is not None
    assert path is not None
    assert (boot.parts, boot.holders) == ((Part("sda1", "8:1"),), ("dm-9",))
    assert (path.holders, path.wwid, path.serial) == (("dm-0",), "naa.5000cca0a1000001", "SN-a1000001")
    assert told.mounts == (
        Mount("8:1", "/", "xfs", "/dev/sda1"),
        Mount("0:44", "/gpfs/my data", "gpfs", "/dev/mss1"),
    )
    assert told.swaps == ("/dev/dm-9",)
    sum_of = subprocess.run(["cksum"], input=NSDDEVICES, capture_output=True, check=True).stdout.decode().split()
    assert told.nsddevices == " ".join(sum_of)
    assert tree.state() == before


async def test_lsblk_sees_the_same_server(dash: LocalHost, tmp_path: Path) -> None:
    tree = nsd_server(tmp_path / "root")
    told = await asked(dash, tree.env)
    for kname in [node.kname for node in told.nodes]:  # lsblk looks for properties of udev in these files
        (tree.directory / "dev" / kname).unlink(missing_ok=True)
    command = ["lsblk", "--sysroot", str(tree.directory), "-J", "-b", "-o", "NAME,KNAME,PKNAME,TYPE,SIZE,RO,ROTA,HCTL"]
    listed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    seen = parse_lsblk(listed)
    assert seen.ok, json.loads(listed)
    for node in told.nodes:
        device = seen.model.get(node.kname)
        assert device is not None
        assert (device.size_bytes, device.rotational, device.hctl) == (node.size_bytes, node.rotational, node.hctl)
    assert {device.kname for device in seen.model.devices} == {
        *(node.kname for node in told.nodes),
        *(part.kname for node in told.nodes for part in node.parts),
    }


async def test_this_machine_is_told_without_root_or_with_it(host: LocalHost) -> None:
    told = await asked(host, {"RESTRIPE_ALL_BLOCK": "1", "RESTRIPE_BOOT_ID": "this boot"})
    assert told.boot_id == "this boot"
    hidden = {path.parent.name for path in Path("/sys/block").glob("*/hidden") if path.read_text() == "1\n"}
    # loop devices of other tests come and go meanwhile
    found = {node.kname for node in told.nodes if not node.kname.startswith("loop")}
    assert found == {name for name in os.listdir("/sys/block") if not name.startswith("loop")} - hidden
    for node in told.nodes:
        if node.kname in found:
            assert node.number == Path(f"/sys/block/{node.kname}/dev").read_text().strip()
            assert node.size_bytes == int(Path(f"/sys/block/{node.kname}/size").read_text()) * 512


async def test_loop_devices_and_one_path_of_an_nvme_device_are_not_told(dash: LocalHost, tmp_path: Path) -> None:
    told = await asked(dash, {"RESTRIPE_BOOT_ID": "this boot"})
    assert not [node for node in told.nodes if node.kname.startswith(("loop", "ram", "zram", "sr"))]
    tree = nsd_server(tmp_path / "root")
    tree.write("sys/block/nvme0n1/hidden", "1")
    assert (await asked(dash, tree.env)).get("nvme0n1") is None


async def test_udev_names_what_an_older_kernel_does_not(dash: LocalHost, tmp_path: Path) -> None:
    tree = nsd_server(tmp_path / "root")
    target = (tree.directory / "sys/block/sdf/device").resolve()
    for name in ("wwid", "vpd_pg80"):
        (target / name).unlink()
    tree.write(
        "run/udev/data/b8:80",
        "S:disk/by-id/x\nE:ID_WWN=0x5000c500a7b2c3d7\nE:SCSI_IDENT_SERIAL=ZCH0ABCD\nE:ID_SERIAL_SHORT=5000c500a7b2c3d7",
    )
    node = (await asked(dash, tree.env)).get("sdf")
    assert node is not None
    assert (node.wwid, node.serial) == ("naa.5000c500a7b2c3d7", "ZCH0ABCD")


async def test_a_list_of_devices_that_is_not_there_is_told_from_one_that_cannot_be_read(
    dash: LocalHost, tmp_path: Path
) -> None:
    tree = nsd_server(tmp_path / "root")
    file = tree.directory / "var/mmfs/etc/nsddevices"
    file.unlink()
    assert (await asked(dash, tree.env)).nsddevices == ""
    file.mkdir()  # nobody can read that as a file, root neither
    assert (await asked(dash, tree.env)).nsddevices is None
