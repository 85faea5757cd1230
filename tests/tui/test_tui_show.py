"""`restripe show` against a simulated cluster: tables and JSON, what fails is named, and nothing is changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.terminal.cluster import Cluster, simulated
from tests.tui.program import restripe

SEED_NSDS = {f"foo{server}_nsd{number}" for server in (1, 2, 3) for number in (1, 2, 3, 4)}


ASKING = {
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
"""All that `show` may run, whatever it is to show."""


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster for all tests that only look; nothing that any of them asked has changed anything."""
    with simulated(tmp_path_factory.mktemp("unbroken")) as made:
        yield made
        asked = {call["argv"][0] for call in made.ctl("history")["commands"]}
        assert asked <= ASKING
        assert not (made.directory / "hosts" / "pollux1" / "var" / "lib" / "restripe").exists()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster for a test that breaks something of it."""
    with simulated(tmp_path) as made:
        yield made


class Ended(NamedTuple):
    """How the program ended, and what it printed."""

    code: int
    out: str
    err: str


def show(cluster: Cluster, *words: str, config: str = "") -> Ended:
    done = restripe(cluster.directory, "show", *words, "-F", config or str(cluster.config))
    return Ended(done.returncode, done.stdout, done.stderr)


def as_json(cluster: Cluster, *words: str) -> Any:
    ended = show(cluster, *words, "--json")
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


def test_the_cluster_its_roles_and_its_file_system(unbroken: Cluster) -> None:
    ended = show(unbroken, "cluster", "pollux1", "--fs", "mss1")
    assert (ended.code, ended.err) == (0, "")
    assert "foo[1-3]" in ended.out  # the three admin names, folded
    assert "quorum-manager" in ended.out
    assert "active" in ended.out
    assert "2,097,152" in ended.out  # block size
    told = as_json(unbroken, "cluster", "pollux1", "--fs", "mss1")
    assert [node["daemon_name"] for node in told["cluster"]["nodes"]] == [f"pollux{n}.example.com" for n in (1, 2, 3)]


def test_the_disks_with_their_space(unbroken: Cluster) -> None:
    ended = show(unbroken, "disks", "pollux1", "--fs", "mss1")
    assert ended.code == 0
    rows = [line.split() for line in ended.out.splitlines()[2:]]
    assert {row[1] for row in rows} == SEED_NSDS
    assert {(row[0], row[4], row[5], row[6]) for row in rows} == {("ok", "dataAndMetadata", "ready", "up")}
    told = as_json(unbroken, "disks", "pollux1", "--fs", "mss1")
    assert {disk["size_kb"] for disk in told["space"]["disks"]} == {31251759104}


def test_the_space_and_the_inodes(unbroken: Cluster) -> None:
    ended = show(unbroken, "df", "pollux1", "--fs", "mss1")
    assert "83,693,679 used of 88,772,608 allocated, 146,903,040 at most" in ended.out
    told = as_json(unbroken, "df", "pollux1", "--fs", "mss1")
    assert told["space"]["total"]["size_kb"] == 12 * 31251759104


def test_the_nsds_with_their_devices_and_who_made_them(unbroken: Cluster) -> None:
    ended = show(unbroken, "nsds", "pollux1")
    row = next(line.split() for line in ended.out.splitlines() if line.startswith("foo3_nsd4"))
    # the volume id's first half is the address of the server that wrote it
    assert row[:6] == ["foo3_nsd4", "mss1", "8CFC1C0B5122CB3C", "140.252.28.11", "pollux3.example.com", "/dev/sdd"]


def test_the_devices_of_every_server_and_the_trap_among_them(unbroken: Cluster) -> None:
    told = as_json(unbroken, "devices", "pollux1", "--servers")
    assert set(told["devices"]) == {f"foo{n}.example.com" for n in (1, 2, 3)}
    ended = show(unbroken, "devices", "pollux3")
    rows = {line.split()[0]: line for line in ended.out.splitlines() if line.startswith("sd")}
    assert "no use seen by Linux" in rows["sde"]
    assert "mounted on /" in rows["sdg"]  # the boot disk that is an SSD's name elsewhere


def test_a_disk_that_is_down_is_marked_and_no_success(cluster: Cluster) -> None:
    cluster.ctl("disk", disk="foo2_nsd3", availability="down")
    ended = show(cluster, "disks", "pollux1", "--fs", "mss1")
    assert ended.code == 6
    assert "foo2_nsd3 is ready and down" in ended.err
    row = next(line.split() for line in ended.out.splitlines() if "foo2_nsd3" in line)
    assert row[0] == "!!"


def test_a_name_that_no_command_may_hold_is_wrong_usage(unbroken: Cluster) -> None:
    ended = show(unbroken, "disks", "pollux1", "--fs", "mss1;reboot")
    assert (ended.code, ended.out) == (2, "")
    assert "not the name of a file system" in ended.err


def test_the_jobs_of_a_host_that_has_none(unbroken: Cluster) -> None:
    ended = show(unbroken, "jobs", "pollux1")
    assert (ended.code, ended.out) == (0, "no jobs on pollux1\n")


def test_one_unreachable_server_is_a_warning_and_harms_no_other(cluster: Cluster) -> None:
    cluster.ctl("power_off", host="pollux2")
    ended = show(cluster, "devices", "pollux1", "--servers", "--json")
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
def test_what_goes_wrong_is_named(unbroken: Cluster, words: tuple[str, ...], code: int, said: str) -> None:
    ended = show(unbroken, *words)
    assert (ended.code, ended.out) == (code, "")
    assert said in ended.err
    assert "Traceback" not in ended.err


def test_a_refused_key_is_no_silence(unbroken: Cluster) -> None:
    config = unbroken.directory / "no-key"
    config.write_text(unbroken.config.read_text().replace("id_ed25519", "known_hosts"))
    ended = show(unbroken, "jobs", "pollux1", config=str(config))
    assert ended.code == 3
    assert "pollux1" in ended.err
