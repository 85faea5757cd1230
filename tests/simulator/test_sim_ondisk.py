"""What lies on simulated devices: their first bytes, and what blkid, wipefs and partx say of them."""

from __future__ import annotations

import shutil
import subprocess
import uuid
from pathlib import Path

import pytest

from simulator import ondisk
from simulator.blocknodes import find, first_bytes
from simulator.hardware import GPFS_PARTITION
from tests.simulator.inside import Inside

BLKID = ("blkid", "-p", "-o", "export", "-c", "/dev/null")
WIPEFS = ("wipefs", "-n", "-p")
PARTX = ("partx", "-s", "-g", "-o", "TYPE")


def beginning(inside: Inside, host: str, name: str) -> bytes:
    """The first 32 KiB of a device."""
    machine = inside.world.cluster.hosts[host]
    node = find(machine, f"/dev/{name}")
    assert node is not None
    data = first_bytes(machine, node)
    assert len(data) == 32768
    return data


def test_an_nsd_of_3_5_is_eight_bytes_in_sector_2(inside: Inside) -> None:
    data = beginning(inside, "pollux1", "sdb")
    assert data[1024:1032] == bytes.fromhex("8CFC1C05507CC5D1")
    assert not any(data[:1024] + data[1032:])


def test_a_free_device_is_all_zeros_and_a_formatted_one_is_not(inside: Inside) -> None:
    assert not any(beginning(inside, "pollux1", "sdg"))
    for name in ("sde", "sde1", "sde3", "md1"):
        assert any(beginning(inside, "pollux1", name)), name


def test_an_nsd_of_later_releases_has_a_partition_table(tmp_path: Path) -> None:
    inside = Inside(tmp_path, scenario="scale")
    data = beginning(inside, "nsd01", "dm-0")
    assert data[510:520] == b"\x55\xaaEFI PART"
    assert data[1024:1040] == uuid.UUID(GPFS_PARTITION).bytes_le
    # A path leads to the same medium.
    assert beginning(inside, "nsd01", "sdc") == data == beginning(inside, "nsd01", "mapper/mpatha")


async def test_what_lies_on_a_device_goes_with_it_to_its_next_name(inside: Inside) -> None:
    host = inside.world.cluster.hosts["pollux1"]
    before = {device.wwn: beginning(inside, "pollux1", device.name) for device in host.devices.values()}
    host.reboot(shuffle=True)
    assert {device.wwn: beginning(inside, "pollux1", device.name) for device in host.devices.values()} == before


async def test_nothing_is_known_of_an_nsd_of_3_5_and_of_a_free_device(inside: Inside) -> None:
    for name in ("/dev/sda", "/dev/sdg", "/some/where/dev/sdg"):
        answer = await inside.run(*BLKID, name)
        assert (answer.rc, answer.out, answer.err) == (2, "", "")
        assert await inside.good(*WIPEFS, name) == ""
        answer = await inside.run(*PARTX, name)
        assert (answer.rc, answer.err) == (1, f"partx: {name}: failed to read partition table\n")


async def test_a_raid_member_and_what_the_array_holds(inside: Inside) -> None:
    member = dict(line.split("=", 1) for line in (await inside.good(*BLKID, "/dev/sde2")).splitlines())
    other = dict(line.split("=", 1) for line in (await inside.good(*BLKID, "/dev/sdf2")).splitlines())
    assert member["DEVNAME"] == "/dev/sde2"
    assert (member["TYPE"], member["USAGE"], member["LABEL"]) == ("linux_raid_member", "raid", "pollux1:1")
    assert (member["PART_ENTRY_TYPE"], member["PART_ENTRY_NUMBER"]) == ("0xfd", "2")
    assert member["UUID"] == other["UUID"]
    assert member["UUID_SUB"] != other["UUID_SUB"]
    rows = (await inside.good(*WIPEFS, "/dev/sde2")).splitlines()
    assert rows == ["# offset,uuid,label,type", f"0x1000,{member['UUID']},pollux1:1,linux_raid_member"]
    assert "\nTYPE=ext4\nUSAGE=filesystem\n" in await inside.good(*BLKID, "/dev/md1")
    assert await inside.good(*PARTX, "/dev/sde") == "0xfd\n0xfd\n0x82\n"
    assert await inside.good(*BLKID, "/dev/sde") == "DEVNAME=/dev/sde\nPTTYPE=dos\n"


async def test_a_map_by_its_alias_and_its_partition(tmp_path: Path) -> None:
    inside = Inside(tmp_path, scenario="scale")
    part = (await inside.good(*BLKID, "/dev/mapper/mpatha1", host="nsd01")).splitlines()
    assert f"PART_ENTRY_TYPE={GPFS_PARTITION}" in part
    assert "PART_ENTRY_NAME=GPFS:" in part
    assert not any(line.startswith("TYPE=") for line in part)
    whole = await inside.good(*BLKID, "/dev/mapper/mpatha", host="nsd01")
    assert whole.splitlines()[2:] == ["PTTYPE=gpt"]
    assert whole.splitlines()[1:] == (await inside.good(*BLKID, "/dev/dm-0", host="nsd01")).splitlines()[1:]
    # Size 13 999 996 928 KB: the copy of the table is in the last sector. From 2.31 on there is no heading.
    rows = (await inside.good(*WIPEFS, "/dev/dm-0", host="nsd01")).splitlines()
    assert rows == ["0x200,,,gpt", f"0x{13_999_996_928 * 1024 - 512:x},,,gpt", "0x1fe,,,PMBR"]
    assert await inside.good(*PARTX, "/dev/dm-0", host="nsd01") == f"{GPFS_PARTITION}\n"


async def test_of_two_kinds_of_content_blkid_can_tell_none(inside: Inside) -> None:
    inside.world.cluster.hosts["pollux1"].devices["sdg"].fstype = "xfs,swap"
    answer = await inside.run(*BLKID, "/dev/sdg")
    assert (answer.rc, answer.out) == (8, "")
    assert "ambivalent result" in answer.err
    types = [row.rpartition(",")[2] for row in (await inside.good(*WIPEFS, "/dev/sdg")).splitlines()[1:]]
    assert types == ["xfs", "swap"]


@pytest.mark.parametrize("argv", [("blkid",), (*BLKID[:-2], "/dev/sda"), ("wipefs", "-a"), ("wipefs", "-n"), PARTX])
async def test_nothing_else_can_be_asked_and_nothing_is_ever_written(inside: Inside, argv: tuple[str, ...]) -> None:
    answer = await inside.run(*argv, *(["/dev/sda"] if argv[-1] != "/dev/sda" and argv != PARTX else []))
    assert answer.rc != 0
    assert f"{argv[0]}: simulated only as: {argv[0]} -" in answer.err


async def test_a_device_that_is_not_there(inside: Inside) -> None:
    assert (await inside.run(*BLKID, "/dev/sdz")).rc == 2
    assert "No such file or directory" in (await inside.run(*WIPEFS, "/dev/sdz")).err
    assert "No such file or directory" in (await inside.run(*PARTX, "/dev/sdz")).err


# a witness beside the simulated one: Debian's minimal images may lack it, and CI fails where it is skipped
@pytest.mark.skipif(shutil.which("partx", path="/sbin:/usr/sbin:/bin:/usr/bin") is None, reason="there is no partx")
@pytest.mark.parametrize(
    ("scenario", "host", "name"), [("seed", "pollux3", "sdg"), ("scale", "nsd01", "sda"), ("scale", "nsd01", "dm-3")]
)
async def test_the_real_partx_reads_the_partition_tables_like_the_simulated_one(
    tmp_path: Path, scenario: str, host: str, name: str
) -> None:
    inside = Inside(tmp_path, scenario=scenario)
    device = inside.world.cluster.hosts[host].devices[name]
    file = tmp_path / "device"
    with file.open("wb") as medium:
        medium.write(ondisk.device_bytes(device))
        medium.truncate(device.size_bytes)
    real = subprocess.run([*PARTX, file], capture_output=True, text=True, check=True, timeout=30)
    assert real.stdout == await inside.good(*PARTX, f"/dev/{name}", host=host)
