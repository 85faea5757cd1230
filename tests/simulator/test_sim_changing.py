"""The commands that change something: what they print, what they refuse, and the state behind them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from simulator.lsblk import lsblk
from tests.simulator.inside import ATTENTION, ONE, PROPAGATING, TAIL, Inside, refused
from tests.simulator.seed_listings import DATA_ONLY_STANZAS, SSD_STANZAS


async def test_mmcrnsd_makes_nsds_and_rewrites_its_file(inside: Inside) -> None:
    file = inside.write("# the new SSDs\n" + SSD_STANZAS)
    answer = await inside.run("mmcrnsd", "-F", file)
    assert (answer.rc, answer.err) == (0, "")
    assert answer.out == "".join(
        f"mmcrnsd: Processing disk {device}\n" for device in ("sdg", "sdh", "sdg", "sdh", "sde", "sdf")
    ) + PROPAGATING.format("mmcrnsd")
    new = [nsd for name, nsd in inside.world.cluster.nsds.items() if "ssd" in name]
    assert [nsd.volume_id[:8] for nsd in new] == ["8CFC1C05"] * 2 + ["8CFC1C08"] * 2 + ["8CFC1C0B"] * 2
    times = [int(nsd.volume_id[8:], 16) for nsd in new]
    assert times == sorted(set(times))
    text = (inside.directory / file).read_text().splitlines()
    assert text[0] == "# the new SSDs"
    assert text[1] == "# " + SSD_STANZAS.splitlines()[0]
    assert text[2] == "%nsd: nsd=foo1_ssd1 usage=metadataOnly failureGroup=1 pool=system servers=foo1"
    assert len(text) == 13
    added = await inside.run("mmadddisk", "mss1", "-F", file)
    assert added.out == (
        "\nThe following disks of mss1 will be formatted on node foo1.example.com:\n"
        + "".join(
            f"    {name}: size 194805760 KB\n"
            for name in ("foo1_ssd1", "foo1_ssd2", "foo2_ssd1", "foo2_ssd2", "foo3_ssd1", "foo3_ssd2")
        )
        + "Extending Allocation Map\nChecking Allocation Map for storage pool system\n"
        + "Completed adding disks to file system mss1.\n"
        + PROPAGATING.format("mmadddisk")
    )
    rows = (await inside.run("mmlsdisk", "mss1")).out.splitlines()
    assert len(rows) == 3 + 18
    assert [row.split()[4:6] for row in rows[15:]] == [["Yes", "No"]] * 6


@pytest.mark.parametrize(
    ("stanza", "error"),
    [
        (ONE.replace("sdg", "sdz"), "[E] Device sdz does not exist or is not active on this node."),
        (ONE.replace("sdg", "/dev/sdb"), "mmcrnsd: Disk device sdb refers to an existing NSD foo1_nsd2"),
        (
            ONE.replace("foo1_ssd1", "foo2_nsd1"),
            "mmcrnsd: Disk name foo2_nsd1 is already registered for use by GPFS.",
        ),
        (
            ONE.replace("foo1_ssd1", "gpfs7nsd"),
            "mmcrnsd: Disk name gpfs7nsd is not allowed. Names beginning with gpfs are reserved for use by GPFS.",
        ),
        (ONE.replace("foo1_ssd1", "foo1-ssd1"), "mmcrnsd: Disk name foo1-ssd1 is not allowed."),
        (
            ONE.replace("failureGroup=1", "failureGroup=4001"),
            (
                "mmcrnsd: Value 4001 for the 'failure group' option for disk foo1_ssd1 is out of range. "
                "Valid values are -1 through 4000."
            ),
        ),
        (
            ONE.replace("pool=system", "pool=fast"),
            "mmcrnsd: Disk usage metadataOnly is incompatible with storage pool fast.",
        ),
        (ONE.replace("metadataOnly", "metadata"), "mmcrnsd: Incorrect disk usage metadata for disk foo1_ssd1."),
        (ONE.replace("servers=foo1", "servers=foo9"), "mmcrnsd: Incorrect node foo9 specified for command."),
        (ONE.replace("device=sdg ", ""), "mmcrnsd: The device clause is missing for disk foo1_ssd1."),
    ],
)
async def test_mmcrnsd_refuses(inside: Inside, stanza: str, error: str) -> None:
    file = inside.write(stanza)
    answer = await inside.run("mmcrnsd", "-F", file)
    assert (answer.rc, answer.err) == (1, f"{error}\n" + TAIL.format("mmcrnsd"))
    assert "Propagating" not in answer.out
    assert (inside.directory / file).read_text() == stanza
    assert len(inside.world.cluster.nsds) == 12
    assert not inside.world.cluster.destroyed


@pytest.mark.parametrize("command", [["mmcrnsd"], ["mmadddisk", "mss1"], ["mmchdisk", "mss1", "change"]])
async def test_bad_stanza_files(inside: Inside, command: list[str]) -> None:
    name = command[0]
    refused(
        await inside.run(*command, "-F", "missing"), name, f"{name}: File missing does not exist or cannot be read."
    )
    refused(await inside.run(*command, "-F", "."), name, f"{name}: File . does not exist or cannot be read.")
    for text in ("", "\n# %nsd: device=sdg\n", "%pool: pool=fast blockSize=2M\n"):
        refused(
            await inside.run(*command, "-F", inside.write(text)),
            name,
            f"{name}: No disks were specified in file stanzas.",
        )
    refused(
        await inside.run(*command, "-F", inside.write("\n%ndd: nsd=a\n")),
        name,
        f"{name}: Incorrect stanza keyword %ndd: on line 2.",
    )
    refused(
        await inside.run(*command, "-F", inside.write("%nsd: nsd=a sdg\n")),
        name,
        f"{name}: Incorrect stanza clause sdg on line 1.",
    )


async def test_mmcrnsd_may_succeed_in_part(inside: Inside) -> None:
    file = inside.write(SSD_STANZAS.replace("device=sdg nsd=foo2", "device=sdq nsd=foo2"))
    answer = await inside.run("mmcrnsd", "-F", file)
    assert answer.rc == 1
    assert answer.err == ("[E] Device sdq does not exist or is not active on this node.\n" + TAIL.format("mmcrnsd"))
    assert answer.out.endswith(PROPAGATING.format("mmcrnsd"))
    assert [name for name in inside.world.cluster.nsds if "ssd" in name] == [
        *("foo1_ssd1", "foo1_ssd2", "foo2_ssd2", "foo3_ssd1", "foo3_ssd2"),
    ]
    kept = [line for line in (inside.directory / file).read_text().splitlines() if not line.startswith("#")]
    assert kept[2] == SSD_STANZAS.splitlines()[2].replace("sdg", "sdq")


async def test_a_mounted_boot_disk_is_destroyed_like_any_other(inside: Inside) -> None:
    # The names that are right on pollux1 and pollux2, used on pollux3.
    file = inside.write(SSD_STANZAS.replace("sde", "sdg").replace("sdf", "sdh"))
    host = inside.world.cluster.hosts["pollux3"]
    assert "raid1 /\n" in lsblk(host, [])
    answer = await inside.run("mmcrnsd", "-F", file)
    assert (answer.rc, answer.err) == (0, "")
    lost = inside.world.cluster.destroyed
    assert [(item.host, item.device) for item in lost] == [("pollux3", "sdg"), ("pollux3", "sdh")]
    assert lost[0].what == "sdg1 (raid1 md0 /boot), sdg2 (raid1 md1 /), sdg3 (swap [SWAP])"
    assert "sdg1" not in lsblk(host, [])
    assert "md" not in lsblk(host, [])
    assert "sde1" in lsblk(inside.world.cluster.hosts["pollux1"], [])


async def test_mmadddisk_refuses_and_adds_nothing(inside: Inside) -> None:
    name = "mmadddisk"
    run = ("mmadddisk", "mss1", "-F")
    for text, error in (
        (ONE, "mmadddisk: Disk foo1_ssd1 is not known to the GPFS cluster."),
        ("%nsd: nsd=foo1_nsd1\n", "mmadddisk: Disk foo1_nsd1 belongs to file system mss1."),
        ("%nsd: device=sdg\n", "mmadddisk: The nsd clause is missing in a stanza."),
    ):
        refused(await inside.run(*run, inside.write(text)), name, error)
    await inside.run("mmcrnsd", "-F", inside.write(ONE))
    wrong = inside.write(ONE.replace("=1 ", "=x "))
    assert "out of range" in (await inside.run(*run, wrong)).err
    refused(
        await inside.run(*run, inside.write(ONE + ONE)), name, "mmadddisk: Disk foo1_ssd1 is specified more than once."
    )
    refused(
        await inside.run(*run, inside.write(ONE.replace("system", "fast"))),
        name,
        "mmadddisk: Disk usage metadataOnly is incompatible with storage pool fast.",
    )
    assert len(inside.fs.disks) == 12


async def test_mmchdisk_changes_columns_and_raises_the_attention(inside: Inside) -> None:
    await inside.add()
    answer = await inside.run("mmchdisk", "mss1", "change", "-F", inside.write(DATA_ONLY_STANZAS))
    assert answer.out == "Verifying file system configuration information ...\n" + PROPAGATING.format("mmchdisk")
    listing = (await inside.run("mmlsdisk", "mss1")).out
    assert listing.endswith(ATTENTION)
    assert "foo3_nsd4    nsd         512       3 No       Yes   ready" in listing
    restripe = await inside.run("mmrestripefs", "mss1", "-r", "-N", "foo1,pollux2,pollux3")
    assert (restripe.rc, restripe.err) == (0, "")
    assert restripe.out.endswith("Scan completed successfully.\n")
    assert "Attention" not in (await inside.run("mmlsdisk", "mss1")).out


async def test_mmchdisk_refuses_and_changes_nothing(inside: Inside) -> None:
    run = ("mmchdisk", "mss1", "change", "-F")
    everything = DATA_ONLY_STANZAS

    async def refusal(text: str) -> str:
        answer = await inside.run(*run, inside.write(text))
        assert answer.rc == 1
        assert answer.err.endswith(TAIL.format("mmchdisk"))
        return answer.err.removesuffix(TAIL.format("mmchdisk"))

    assert await refusal(everything) == (
        "Each disk specifies dataOnly for disk usage. This file system could not store metadata.\n"
        "The file system must contain at least one disk for metadata.\n"
    )
    assert await refusal(everything.replace("dataOnly", "metadataOnly")) == (
        "Each disk specifies metadataOnly for disk usage. This file system could not store data.\n"
    )
    assert await refusal("%nsd: nsd=foo1_ssd1 usage=dataOnly\n") == (
        "mmchdisk: foo1_ssd1 not found in file system mss1\n"
    )
    assert await refusal("%nsd: nsd=foo1_nsd1 usage=dataOnly pool=fast\n") == (
        "mmchdisk: The storage pool of disk foo1_nsd1 cannot be changed.\n"
    )
    assert {disk.usage for disk in inside.fs.disks} == {"dataAndMetadata"}
    assert inside.fs.properly_replicated


async def test_mmrestripefs_refuses(inside: Inside) -> None:
    name = "mmrestripefs"
    refused(
        await inside.run(name, "mss1", "-r", "-N", "foo1,foo9"),
        name,
        "mmrestripefs: Incorrect node foo9 specified for command.",
    )
    inside.world.policies.change("down_nodes", ["pollux3"], {"pollux3"})
    refused(
        await inside.run(name, "mss1", "-r", "-N", "foo1,pollux3"),
        name,
        "mmrestripefs: GPFS is not active on node foo3.example.com.",
    )
    inside.world.policies.change("down_nodes", [], set())
    groups = "".join(f"%nsd: nsd={disk.name} failureGroup=7\n" for disk in inside.fs.disks)
    assert (await inside.run("mmchdisk", "mss1", "change", "-F", inside.write(groups))).rc == 0
    refused(
        await inside.run(name, "mss1", "-r"),
        name,
        "The desired replication factor exceeds the number of available failure groups.",
    )
    assert inside.world.busy_with == ""


async def test_a_restripe_with_nothing_to_move_is_short(inside: Inside) -> None:
    before = inside.world.clock.now()
    answer = await inside.run("mmrestripefs", "mss1", "-r")
    assert answer.rc == 0
    assert answer.out.count("Scan completed successfully.") == 5
    assert [disk.metadata_kb for disk in inside.fs.disks] == [32019360] * 12
    assert inside.fs.inodes.used == 83693679
    # At this speed a millisecond is a quarter of an hour: only the printed lines tell how long it was.
    assert "98." not in answer.out
    assert inside.world.clock.now() > before


async def test_a_second_command_waits_for_a_restripe(tmp_path: Path) -> None:
    inside = Inside(tmp_path, speed=20_000)
    await inside.migrate()
    first = asyncio.create_task(inside.run("mmrestripefs", "mss1", "-r"))
    while inside.world.run is None:
        await asyncio.sleep(0)
    change = inside.write("%nsd: nsd=foo1_nsd1 usage=dataAndMetadata\n", "back")
    second = await inside.run("mmchdisk", "mss1", "change", "-F", change)
    assert second.out.startswith(
        "Unable to start mmchdisk on 'mss1' because conflicting program mmrestripefs is running. "
        "Waiting until it completes.\n"
    )
    assert second.rc == 0
    assert first.done()
    assert (await first).rc == 0


async def test_a_second_command_ends_if_the_policy_says_so(tmp_path: Path) -> None:
    inside = Inside(tmp_path, speed=1000)
    await inside.migrate()
    inside.world.policies.change("conflict", "terminate", set())
    first = asyncio.create_task(inside.run("mmrestripefs", "mss1", "-r"))
    while inside.world.run is None:
        await asyncio.sleep(0)
    refused(
        await inside.run("mmrestripefs", "mss1", "-r"),
        "mmrestripefs",
        "Terminating mmrestripefs on mss1 because a conflicting program mmrestripefs is running.",
    )
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    await inside.world.stop()
