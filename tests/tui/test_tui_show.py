"""`restripe show` against a simulated cluster: tables and JSON, what fails is named, and nothing is changed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import pytest

from simulator.client import Simulation
from tests.tui.program import restripe

SEED_NSDS = {f"foo{server}_nsd{number}" for server in (1, 2, 3) for number in (1, 2, 3, 4)}


@pytest.fixture
async def cluster() -> AsyncIterator[Simulation]:
    async with Simulation.start(scenario="seed", speed=600) as simulation:
        yield simulation


class Ended(NamedTuple):
    """How the program ended, and what it printed."""

    code: int
    out: str
    err: str


async def show(cluster: Simulation, *words: str, config: str = "") -> Ended:
    done = await asyncio.to_thread(restripe, cluster.directory, "show", *words, "-F", config or str(cluster.ssh_config))
    return Ended(done.returncode, done.stdout, done.stderr)


async def as_json(cluster: Simulation, *words: str) -> Any:
    ended = await show(cluster, *words, "--json")
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


async def test_the_cluster_its_roles_and_its_file_system(cluster: Simulation) -> None:
    ended = await show(cluster, "cluster", "pollux1", "--fs", "mss1")
    assert (ended.code, ended.err) == (0, "")
    assert "foo[1-3]" in ended.out  # the three admin names, folded
    assert "quorum-manager" in ended.out
    assert "active" in ended.out
    assert "2,097,152" in ended.out  # block size
    told = await as_json(cluster, "cluster", "pollux1", "--fs", "mss1")
    assert [node["daemon_name"] for node in told["cluster"]["nodes"]] == [f"pollux{n}.example.com" for n in (1, 2, 3)]


async def test_the_disks_with_their_space(cluster: Simulation) -> None:
    ended = await show(cluster, "disks", "pollux1", "--fs", "mss1")
    assert ended.code == 0
    rows = [line.split() for line in ended.out.splitlines()[2:]]
    assert {row[1] for row in rows} == SEED_NSDS
    assert {(row[0], row[4], row[5], row[6]) for row in rows} == {("ok", "dataAndMetadata", "ready", "up")}
    told = await as_json(cluster, "disks", "pollux1", "--fs", "mss1")
    assert {disk["size_kb"] for disk in told["space"]["disks"]} == {31251759104}


async def test_the_space_and_the_inodes(cluster: Simulation) -> None:
    ended = await show(cluster, "df", "pollux1", "--fs", "mss1")
    assert "83,693,679 used of 88,772,608 allocated, 146,903,040 at most" in ended.out
    told = await as_json(cluster, "df", "pollux1", "--fs", "mss1")
    assert told["space"]["total"]["size_kb"] == 12 * 31251759104


async def test_the_nsds_with_their_devices_and_who_made_them(cluster: Simulation) -> None:
    ended = await show(cluster, "nsds", "pollux1")
    row = next(line.split() for line in ended.out.splitlines() if line.startswith("foo3_nsd4"))
    # the volume id's first half is the address of the server that wrote it
    assert row[:6] == ["foo3_nsd4", "mss1", "8CFC1C0B5122CB3C", "140.252.28.11", "pollux3.example.com", "/dev/sdd"]


async def test_the_devices_of_every_server_and_the_trap_among_them(cluster: Simulation) -> None:
    told = await as_json(cluster, "devices", "pollux1", "--servers")
    assert set(told["devices"]) == {f"foo{n}.example.com" for n in (1, 2, 3)}
    ended = await show(cluster, "devices", "pollux3")
    rows = {line.split()[0]: line for line in ended.out.splitlines() if line.startswith("sd")}
    assert "no use seen by Linux" in rows["sde"]
    assert "mounted on /" in rows["sdg"]  # the boot disk that is an SSD's name elsewhere


async def test_a_disk_that_is_down_is_marked_and_no_success(cluster: Simulation) -> None:
    await cluster.control("disk", disk="foo2_nsd3", availability="down")
    ended = await show(cluster, "disks", "pollux1", "--fs", "mss1")
    assert ended.code == 6
    assert "foo2_nsd3 is ready and down" in ended.err
    row = next(line.split() for line in ended.out.splitlines() if "foo2_nsd3" in line)
    assert row[0] == "!!"


async def test_a_name_that_no_command_may_hold_is_wrong_usage(cluster: Simulation) -> None:
    ended = await show(cluster, "disks", "pollux1", "--fs", "mss1;reboot")
    assert (ended.code, ended.out) == (2, "")
    assert "not the name of a file system" in ended.err


async def test_the_jobs_of_a_host_that_has_none(cluster: Simulation) -> None:
    ended = await show(cluster, "jobs", "pollux1")
    assert (ended.code, ended.out) == (0, "no jobs on pollux1\n")


async def test_one_unreachable_server_is_a_warning_and_harms_no_other(cluster: Simulation) -> None:
    await cluster.control("power_off", host="pollux2")
    ended = await show(cluster, "devices", "pollux1", "--servers", "--json")
    assert ended.code == 6
    told = json.loads(ended.out)
    assert set(told["devices"]) == {"foo1.example.com", "foo3.example.com"}
    assert any("foo2.example.com" in warning for warning in told["warnings"])
    assert "foo2.example.com" in ended.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("df", "pollux1", "--fs", "nope"), 1, "mmdf nope"),
        (("df", "no-such-host.invalid", "--fs", "mss1"), 3, "no-such-host.invalid"),
        (("df", "pollux1"), 2, "needs --fs"),
        (("df", "pollux1", "--fs", "mss1", "--servers"), 2, "--servers goes with"),
        (("everything", "pollux1"), 2, "everything"),
    ],
)
async def test_what_goes_wrong_is_named(cluster: Simulation, words: tuple[str, ...], code: int, said: str) -> None:
    ended = await show(cluster, *words)
    assert (ended.code, ended.out) == (code, "")
    assert said in ended.err
    assert "Traceback" not in ended.err


async def test_a_refused_key_is_no_silence(cluster: Simulation) -> None:
    config = cluster.directory / "no-key"
    config.write_text(cluster.ssh_config.read_text().replace("id_ed25519", "known_hosts"))
    ended = await show(cluster, "jobs", "pollux1", config=str(config))
    assert ended.code == 3
    assert "pollux1" in ended.err


async def test_nothing_that_it_asks_changes_anything(cluster: Simulation) -> None:
    for kind in ("cluster", "disks", "nsds", "df", "devices", "jobs"):
        await show(cluster, kind, "pollux1", "--fs", "mss1")
    asked = {call["argv"][0] for call in (await cluster.control("history"))["commands"]}
    assert asked <= {
        "mmlscluster",
        "mmlsfs",
        "mmgetstate",
        "mmlsmgr",
        "mmlsmount",
        "mmlsdisk",
        "mmdf",
        "mmlsnsd",
        "lsblk",
    }
    assert not (cluster.directory / "hosts" / "pollux1" / "var" / "lib" / "restripe").exists()
