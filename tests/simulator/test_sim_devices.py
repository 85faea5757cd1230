"""What can happen to a device, and the list of devices that GPFS is given."""

from __future__ import annotations

from typing import Any

import pytest

from simulator.client import SimulationError
from tests.simulator.far_side import FarSide, far_side
from tests.simulator.inside import ONE, TAIL, Inside


async def told(far: FarSide, device: str, file: str, host: str = "pollux1") -> str:
    """A file of a device in the host's /sys/block."""
    return (await far.run(f"cat $RESTRIPE_SYSROOT/sys/block/{device}/{file}", host))[1].strip()


async def listing(far: FarSide, columns: str, device: str = "/dev/sdg") -> list[str]:
    return (await far.run(f"lsblk -dnr -o {columns} {device}"))[1].split()


async def test_another_device_with_the_same_name(far: FarSide) -> None:
    before = await listing(far, "WWN,SERIAL,SIZE", "/dev/sdb")
    answer = await far.sim.control("set_device", host="pollux1", device="sdb", swap=True)
    after = await listing(far, "WWN,SERIAL,SIZE", "/dev/sdb")
    assert (before[0] != after[0], before[1] != after[1], before[2] == after[2]) == (True, True, True)
    assert [answer["wwn"], answer["serial"], answer["nsd_id"]] == [*after[:2], ""]
    # The NSD is gone, and only its server tells.
    rows = [line for line in (await far.run("mmlsnsd -X"))[1].splitlines() if "foo1_nsd2" in line]
    assert "(not found)" in rows[0]
    assert (await far.run("tr -d '\\0' < $RESTRIPE_SYSROOT/dev/sdb | wc -c"))[1] == "0\n"


async def test_two_devices_that_claim_one_identity_and_one_that_claims_none(far: FarSide) -> None:
    await far.sim.control("set_device", host="pollux1", device="sdg", like="sdh")
    assert await listing(far, "WWN,SERIAL") == await listing(far, "WWN,SERIAL", "/dev/sdh")
    assert await told(far, "sdg", "device/wwid") == await told(far, "sdh", "device/wwid")
    await far.sim.control("set_device", host="pollux1", device="sdg", wwn="", serial="")
    assert await listing(far, "WWN,SERIAL") == []
    assert (await far.run("ls $RESTRIPE_SYSROOT/sys/block/sdg/device/"))[1].split() == [
        *("block", "enclosure_device:Slot", "02", "model", "rev", "state", "vendor")
    ]
    linked = (await far.run("ls -l $RESTRIPE_SYSROOT/dev/disk/by-id"))[1].splitlines()
    assert not any(line.endswith("/sdg") for line in linked)


async def test_an_id_that_is_left_of_another_cluster(far: FarSide) -> None:
    await far.sim.control("set_device", host="pollux1", device="sdg", nsd_id="0A0B0C0D51B10D01")
    sector = await far.run("od -An -tx1 -j1024 -N8 $RESTRIPE_SYSROOT/dev/sdg")
    assert sector[1] == " 0a 0b 0c 0d 51 b1 0d 01\n"
    assert (await far.run("blkid -p -o export -c /dev/null /dev/sdg"))[0] == 2
    await far.sim.control("set_device", host="pollux1", device="sdg", nsd_id="")
    assert (await far.run("od -An -tx1 -j1024 -N8 $RESTRIPE_SYSROOT/dev/sdg"))[1] == " 00" * 8 + "\n"


async def test_sectors_firmware_cache_slot_and_state(far: FarSide) -> None:
    values = {"logical_sector": 4096, "firmware": "5DV10270", "write_cache": "write through", "slot": 11}
    await far.sim.control("set_device", host="pollux1", device="/dev/sdg", state="offline", read_only=True, **values)
    assert await listing(far, "LOG-SEC,PHY-SEC,REV,STATE,RO") == ["4096", "4096", "0270", "offline", "1"]
    assert await told(far, "sdg", "queue/logical_block_size") == "4096"
    assert await told(far, "sdg", "queue/write_cache") == "write through"
    assert await told(far, "sdg", "device/rev") == "0270"
    assert await told(far, "sdg", "device/enclosure_device*/slot") == "11"
    # Its size in sysfs stays in sectors of 512 bytes.
    assert int(await told(far, "sdg", "size")) * 512 == 194805760 * 1024
    await far.sim.control("set_device", host="pollux1", device="sdg", write_cache="")
    assert (await far.run("ls $RESTRIPE_SYSROOT/sys/block/sdg/queue"))[1].split() == [
        *("logical_block_size", "physical_block_size", "rotational")
    ]


async def test_a_device_without_a_table_that_holds_a_file_system(far: FarSide) -> None:
    await far.sim.control("set_device", host="pollux1", device="sdg", fstype="xfs", mountpoint="/my scratch")
    assert "TYPE=xfs\n" in (await far.run("blkid -p -o export -c /dev/null /dev/sdg"))[1]
    assert (await far.run("head -c 4 $RESTRIPE_SYSROOT/dev/sdg"))[1] == "XFSB"
    assert "8:96 / /my\\040scratch rw" in (await far.run("cat $RESTRIPE_SYSROOT/proc/self/mountinfo"))[1]
    await far.put("ssd.txt", "%nsd: device=sdg nsd=foo1_ssd1 usage=metadataOnly failureGroup=1 pool=system\n")
    await far.run("mmcrnsd -F ssd.txt")
    assert (await far.facts())["destroyed"][0]["what"] == "sdg (xfs /my scratch)"
    assert (await far.run("cat $RESTRIPE_SYSROOT/proc/self/mountinfo"))[1].count("scratch") == 0


async def test_a_lun_that_one_of_two_servers_does_not_see() -> None:
    async with far_side("scale", speed=20_000) as far:
        nsd = next(nsd for nsd in (await far.facts())["nsds"] if nsd["name"] == "e1_lun01")
        find = f"grep -l {nsd['wwn'][2:]} $RESTRIPE_SYSROOT/sys/block/dm-*/dm/uuid"
        # LUN 0 is dm-7 to the second server, and so is its one partition's map.
        assert (await far.run(f"{find} | wc -l", "nsd02"))[1] == "2\n"
        answer = await far.sim.control("set_device", host="nsd02", device="dm-7", seen=False)
        assert (answer["seen"], answer["wwn"]) == (False, nsd["wwn"])
        assert (await far.run(find, "nsd02"))[0] == 1
        assert (await far.run(f"{find} | wc -l", "nsd01"))[1] == "2\n"
        rows = [
            line for line in (await far.run("mmlsnsd -X -d e1_lun01", "adm01"))[1].splitlines() if "e1_lun01" in line
        ]
        assert [("(not found)" in row) for row in rows] == [False, True]
        await far.sim.control("set_device", host="nsd02", device="dm-7", seen=True)
        assert (await far.run(f"{find} | wc -l", "nsd02"))[1] == "2\n"


BAD: list[tuple[dict[str, Any], str]] = [
    ({}, "device is missing"),
    ({"device": "sdz"}, "no device 'sdz' on pollux1: sda, sdb"),
    ({"device": "sdg", "wwn": "naa.5"}, "wwn is 0x and"),
    ({"device": "sdg", "nsd_id": "12"}, "nsd_id is 16 upper-case hex digits or empty"),
    ({"device": "sdg", "logical_sector": 520}, "logical_sector is one of '512', '4096'"),
    ({"device": "sdg", "write_cache": "on"}, "write_cache is one of '', 'write back'"),
    ({"device": "sdg", "fstype": "ntfs"}, "fstype is one of 'xfs'"),
    ({"device": "sdg", "hangs": 1}, "hangs must be true or false"),
    ({"device": "sdg", "colour": "red"}, "no argument 'colour'"),
    ({"device": "sdg", "like": "sdz"}, "no device 'sdz'"),
]


async def test_bad_requests_are_told(far: FarSide) -> None:
    for arguments, complaint in BAD:
        with pytest.raises(SimulationError) as problem:
            await far.sim.control("set_device", host="pollux1", **arguments)
        assert complaint in str(problem.value)


async def test_gpfs_finds_its_devices_by_itself_where_no_script_is(inside: Inside) -> None:
    names = (await inside.good("mmdevdiscover", host="pollux3")).splitlines()
    assert [name for name in names if "sdg" in name] == [f"sdg{part} generic" for part in ("", 1, 2, 3)]
    assert "md0 generic" not in names


async def test_a_script_replaces_or_adds(inside: Inside) -> None:
    host = inside.world.cluster.hosts["pollux1"]
    own = (await inside.good("mmdevdiscover")).splitlines()
    host.nsddevices = 'echo "mapper/lun0 dmm"\nreturn 0\n'
    assert await inside.good("mmdevdiscover") == "mapper/lun0 dmm\n"
    host.nsddevices = "for dev in $(/bin/ls /dev | egrep '^sd[ab]$'); do\n  echo $dev generic\ndone\nreturn 1\n"
    assert (await inside.good("mmdevdiscover")).splitlines() == ["sda generic", "sdb generic", *own]


async def test_mmcrnsd_takes_no_device_that_gpfs_does_not_find(inside: Inside) -> None:
    host = inside.world.cluster.hosts["pollux1"]
    host.nsddevices = 'echo "sdh generic"\nreturn 0\n'
    answer = await inside.run("mmcrnsd", "-F", inside.write(ONE))
    refused = "[E] Device sdg does not exist or is not active on this node.\n" + TAIL.format("mmcrnsd")
    assert (answer.rc, answer.err) == (1, refused)
    assert (await inside.run("mmcrnsd", "-F", inside.write(ONE.replace("sdg", "sdh")))).rc == 0


async def test_what_lies_on_a_shared_device_is_seen_by_both_servers() -> None:
    async with far_side("scale", speed=20_000) as far:
        # The first of the new SSDs: LUN 32 is dm-32 to one server and dm-23 to the other, (32 * 5 + 7) % 36.
        await far.sim.control("set_device", host="nsd01", device="dm-32", nsd_id="0A0B0C0D51B10D01")
        for host, name in (("nsd01", "dm-32"), ("nsd02", "dm-23")):
            sector = await far.run(f"od -An -tx1 -j1024 -N8 $RESTRIPE_SYSROOT/dev/{name}", host)
            assert sector[1] == " 0a 0b 0c 0d 51 b1 0d 01\n"


async def test_each_host_has_its_own_script_or_none() -> None:
    async with far_side("scale", speed=20_000) as far:
        file = "$RESTRIPE_SYSROOT/var/mmfs/etc/nsddevices"
        sums = [(await far.run(f"cksum < {file}", host))[1] for host in ("nsd01", "nsd02")]
        assert sums[0] == sums[1]
        assert set((await far.run("mmdevdiscover | cut -d' ' -f2", "nsd01"))[1].split()) == {"dmm"}
        assert (await far.run(f"test -e {file}", "cl01"))[0] == 1
        await far.sim.control("nsddevices", host="nsd02", text="return 1\n")
        assert (await far.run(f"cat {file}", "nsd02"))[1] == "return 1\n"
        assert "sda generic" in (await far.run("mmdevdiscover", "nsd02"))[1]
        assert (await far.sim.control("nsddevices", host="nsd02", absent=True))["text"] is None
        assert (await far.run(f"test -e {file}", "nsd02"))[0] == 1
