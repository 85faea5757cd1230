"""`restripe verify` on a simulated cluster: what proves a stanza file, what blocks it, and that nothing changes."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.terminal.cluster import Cluster, simulated
from tests.tui.program import no_traceback, restripe
from tests.waiting import until_now

NAMES = {1: ("sdg", "sdh"), 2: ("sdg", "sdh"), 3: ("sde", "sdf")}
"""The new SSDs in the seed; on the third server sdg and sdh are the boot disks."""


AS_THEY_WERE = {
    "fstype": "",
    "nsd_id": "",
    "logical_sector": 512,
    "physical_sector": 4096,
    "model": "INTEL SSDSC2BA200G3",
    "firmware": "5DV10250",
    "hangs": False,
}
"""What `set_device` is told so that a new SSD is again as the seed has it, but for its identity."""


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster for a test that leaves it changed."""
    with simulated(tmp_path, speed=60) as made:
        yield made


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster for tests that only look, and for those that put a device back as it was."""
    with simulated(tmp_path_factory.mktemp("unbroken"), speed=60) as made:
        yield made


class Ended(NamedTuple):
    """How the program ended, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def blocks(self) -> list[str]:
        """The paragraphs that block, each as one line."""
        return [" ".join(part.split()) for part in self.out.split("\n\n") if part.startswith("BLOCK ")]


def stanzas(names: dict[int, tuple[str, str]]) -> str:
    return "".join(
        f"%nsd: device={name} nsd=foo{server}_ssd{number} servers=foo{server} usage=metadataOnly "
        f"failureGroup={server} pool=system\n"
        for server, both in names.items()
        for number, name in enumerate(both, 1)
    )


def verify_now(home: Path, config: Path, text: str, *words: str, host: str = "pollux1") -> Ended:
    done = restripe(home, "verify", "-", host, "-F", str(config), *words, stdin=text, seconds=120)
    assert no_traceback(done.stderr.replace("Error: --", ""))
    return Ended(done.returncode, done.stdout, done.stderr)


def verify(cluster: Cluster, text: str, *words: str, host: str = "pollux1", fs: str = "mss1") -> Ended:
    return verify_now(cluster.directory, cluster.config, text, "--fs", fs, *words, host=host)


def as_json(cluster: Cluster, text: str, *words: str) -> Any:
    ended = verify(cluster, text, *words, "--json")
    assert ended.err == ""
    told = json.loads(ended.out)
    assert told["exit"] == ended.code
    return told


def unchanged(cluster: Cluster) -> bool:
    """Whether nothing but looking was done."""
    ran = {command["argv"][0] for command in cluster.ctl("history")["commands"]}
    return not ran & {"mmcrnsd", "mmdelnsd", "mmadddisk", "mmchdisk", "mmrestripefs"}


@contextlib.contextmanager
def altered(cluster: Cluster, host: str = "pollux2", name: str = "sdh", **change: Any) -> Iterator[None]:
    """A new SSD, else the second one of the second server, is something else meanwhile."""
    device = {"host": host, "device": name}
    was = cluster.ctl("set_device", **device)
    cluster.ctl("set_device", **device, **change)
    try:
        yield
    finally:
        assert cluster.ctl("set_device", **device, **AS_THEY_WERE, wwn=was["wwn"], serial=was["serial"]) == was


def test_the_same_names_on_all_servers_are_blocked_with_the_boot_disks_named(unbroken: Cluster) -> None:
    ended = verify(unbroken, stanzas({1: ("sdg", "sdh"), 2: ("sdg", "sdh"), 3: ("sdg", "sdh")}))
    assert ended.code == 4
    assert len(ended.blocks) == 2
    for block, name in zip(ended.blocks, ("sdg", "sdh"), strict=True):
        assert block.startswith(f"BLOCK in use: {name} on pollux3 (foo3_ssd")
        assert "BOOT DISK" in block
        assert "mounted on /" in block
        assert block.endswith("Free on pollux3 and like the others of this file: sde, sdf")
    assert "do not run mmcrnsd" in ended.out
    assert all(len(line) <= 80 for line in ended.out.splitlines() if not line.startswith(("-", "!!")))
    assert unchanged(unbroken)


def test_the_right_names_are_proven_and_the_trap_is_told(unbroken: Cluster) -> None:
    ended = verify(unbroken, stanzas(NAMES))
    assert (ended.code, ended.err) == (0, "")
    assert "PROVEN: 6 of 6 devices" in ended.out
    head = " ".join(ended.out.partition("\n\n")[0].split())
    assert re.fullmatch(
        r"pollux\.example\.com, file system mss1: looked at \d{4}-\d\d-\d\d [\d:]{8} \S+, by way of pollux1", head
    )
    assert "sdg on pollux3: this name is chosen on pollux[1-2]" in " ".join(ended.out.split())
    told = as_json(unbroken, stanzas(NAMES))
    assert [stanza["means"]["identity"] for stanza in told["stanzas"]] == [
        f"wwn:55cd2e404b7d1a{0x31 + 5 * (2 * server + number):02x}" for server in (1, 2, 3) for number in (0, 1)
    ]
    assert {stanza["means"]["size_bytes"] for stanza in told["stanzas"]} == {194805760 * 1024}
    assert {verdict["level"] for verdict in told["verdicts"]} == {"ok", "note"}
    assert sum(verdict["kind"] == "proven" for verdict in told["verdicts"]) == 6
    assert unchanged(unbroken)


def test_a_pin_is_compared_after_a_reboot_that_changes_names(cluster: Cluster, tmp_path: Path) -> None:
    pin = tmp_path / "pin.json"
    names = {2: NAMES[2], 3: NAMES[3]}
    ended = verify(cluster, stanzas(names), "--pin", str(pin))
    assert (ended.code, ended.err) == (0, f"4 devices pinned in {pin}\n")
    assert verify(cluster, stanzas(names), "--against", str(pin)).code == 0

    cluster.ctl("reboot", host="pollux2", shuffle=True)

    def is_back() -> bool:
        host = cluster.ctl("facts")["hosts"]["pollux2"]
        return bool(host["power"]) and host["daemon"] == "active"

    until_now(is_back, seconds=60)
    old = verify(cluster, stanzas(names), "--against", str(pin))
    assert old.code == 4
    assert any("foo2_ssd1 was pinned as wwn:55cd2e404b7d1a45 (sdg then, sdf now)" in block for block in old.blocks)
    assert all("foo2" in block for block in old.blocks if "drift" in block)

    # each device has the name of the one before it now
    new = verify(cluster, stanzas({**names, 2: ("sdf", "sdg")}), "--against", str(pin))
    moved = as_json(cluster, stanzas({**names, 2: ("sdf", "sdg")}), "--against", str(pin))
    means = {s["nsd"]: s["means"]["identity"] for s in moved["stanzas"]}
    assert means["foo2_ssd1"] == "wwn:55cd2e404b7d1a45"
    assert means["foo2_ssd2"] == "wwn:55cd2e404b7d1a4a"
    assert new.code == 0
    assert "foo2_ssd1 was sdg when it was pinned and is sdf now; it is the same device" in " ".join(new.out.split())


def test_a_server_that_only_the_pin_names_is_looked_at(unbroken: Cluster, tmp_path: Path) -> None:
    """Whoever takes a server out of the file has still to find the disk where it was."""
    pin = tmp_path / "pin.json"
    assert verify(unbroken, stanzas({1: NAMES[1], 2: NAMES[2]}), "--pin", str(pin)).code == 0
    told = json.loads(pin.read_text())
    third = {"host": "pollux3", "node": "pollux3.example.com", "name": "sde", "boot_id": ""}
    told["devices"][0]["at"].append(third)
    pin.unlink()
    pin.write_text(json.dumps(told))
    ended = verify(unbroken, stanzas({1: NAMES[1], 2: NAMES[2]}), "--against", str(pin))
    assert ended.code == 4
    (block,) = ended.blocks
    assert "pollux3 does not see wwn:55cd2e404b7d1a3b (was sde); sde is now INTEL" in block


def test_a_pin_is_never_overwritten_and_never_made_of_what_is_blocked(unbroken: Cluster, tmp_path: Path) -> None:
    pin = tmp_path / "pin.json"
    ended = verify(unbroken, stanzas({1: ("sde", "sdf")}), "--pin", str(pin))
    assert ended.code == 4
    assert "was not written" in ended.err
    assert not pin.exists()
    pin.write_text("mine")
    ended = verify(unbroken, stanzas(NAMES), "--pin", str(pin))
    assert (ended.code, ended.out) == (2, "")
    assert "never overwritten" in ended.err
    assert pin.read_text() == "mine"
    ended = verify(unbroken, stanzas(NAMES), "--against", str(pin))
    assert ended.code == 2
    assert "it is no pin file" in ended.err


def test_a_server_that_cannot_be_reached_is_unknown_and_unknown_is_not_ok(cluster: Cluster) -> None:
    cluster.ctl("power_off", host="pollux3")
    ended = verify(cluster, stanzas(NAMES))
    assert ended.code == 5
    (block,) = ended.blocks
    assert block.startswith("BLOCK unread: sde, sdf on pollux3 (foo3_ssd1, foo3_ssd2): the host could not be read")
    assert "See that the host is up and sshd runs there" in block
    assert "Unknown is not ok" in ended.out
    ended = verify(cluster, stanzas(NAMES), host="pollux3")
    assert (ended.code, ended.out) == (5, "")
    assert "pollux3" in ended.err


def test_a_file_system_that_the_cluster_does_not_know_is_unknown(unbroken: Cluster) -> None:
    ended = verify(unbroken, stanzas({1: NAMES[1]}), fs="mss2")
    assert ended.code == 5
    assert all("mss2 is not known" in block for block in ended.blocks)
    assert ended.blocks


def test_a_disk_that_hangs_is_unknown_and_the_others_are_proven(unbroken: Cluster) -> None:
    with altered(unbroken, hangs=True):
        ended = verify(unbroken, stanzas({2: NAMES[2]}))
    assert ended.code == 5
    assert "1 of 2 devices are proven" in ended.out
    (block,) = ended.blocks
    assert block.startswith("BLOCK unread: sdh on pollux2 (foo2_ssd2): what lies on it could not be read: hangs")


def told_of(cluster: Cluster, changes: dict[tuple[str, str], dict[str, Any]]) -> tuple[int, list[str]]:
    """The exit status, and all that is said, each as one line, while these new SSDs are something else."""
    with contextlib.ExitStack() as stack:
        for (host, name), change in changes.items():
            stack.enter_context(altered(cluster, host, name, **change))
        ended = verify(cluster, stanzas(NAMES))
    assert ended.err == ""
    return ended.code, [" ".join(part.split()) for part in ended.out.split("\n\n")]


def test_what_blocks_a_device_is_told_with_its_name(unbroken: Cluster) -> None:
    code, said = told_of(
        unbroken,
        {
            ("pollux1", "sdg"): {"wwn": "", "serial": ""},
            ("pollux1", "sdh"): {"logical_sector": 4096},
            ("pollux2", "sdh"): {"like": "sdg"},
            ("pollux3", "sde"): {"fstype": "xfs"},
        },
    )
    assert code == 4
    for device, why in (
        ("sdg on pollux1", "nothing proves which device it is"),
        ("sdh on pollux1", "it has sectors of 4096 bytes"),
        ("sdh on pollux2", "sdg, sdh have the same identity"),
        ("sde on pollux3", "xfs"),
    ):
        assert any(part.startswith("BLOCK") and device in part and why in part for part in said), (device, said)


def test_what_is_unlike_the_others_is_a_warning_with_its_name(unbroken: Cluster) -> None:
    code, said = told_of(
        unbroken, {("pollux2", "sdh"): {"model": "OTHER 9000"}, ("pollux3", "sdf"): {"firmware": "0999"}}
    )
    assert code == 6
    for device, why in (
        ("sdh on pollux2", "its model is OTHER 9000; 5 of 6 have INTEL SSDSC2BA200G3"),
        ("sdf on pollux3", "its firmware is 0999; 5 of 6 have 0250"),
    ):
        assert any(part.startswith("WARNING") and device in part and why in part for part in said), (device, said)


def test_an_old_nsd_id_blocks_and_the_way_out_is_only_told(unbroken: Cluster) -> None:
    with altered(unbroken, nsd_id="0A00010F507CC5D0"):
        ended = verify(unbroken, stanzas({2: NAMES[2]}))
    assert ended.code == 4
    assert "sector 2 may hold the NSD volume id 0A00010F507CC5D0" in " ".join(ended.out.split())
    assert "mmcrnsd -F foo2_ssd2.stanza -v no" in ended.out
    assert shlex.join(("mmdelnsd", "-p", "0A00010F507CC5D0", "-N", "foo2")) in ended.out
    assert "may another cluster on this SAN own it?" in " ".join(ended.out.split())
    assert unchanged(unbroken)


def test_servers_with_other_nsddevices_are_a_warning(cluster: Cluster) -> None:
    cluster.ctl("nsddevices", host="pollux2", text="ls /dev | grep sd\nreturn 0\n")
    ended = verify(cluster, stanzas(NAMES))
    assert "/var/mmfs/etc/nsddevices is not the same on all servers" in " ".join(ended.out.split())
    assert ended.code in (4, 6)  # the script may list nothing that is chosen


FIRST = "servers=foo1 failureGroup=1"
WRONG = {
    "a": ("device=sdg nsd=a servers=foo9", "'foo9' is no node of the cluster"),
    "b": ("device=sdg nsd=b", "it names no server"),
    "c": (f"device=sdz nsd=c {FIRST}", "no whole disk"),
    "d": (f"device=sdg1 nsd=d {FIRST}", "no whole disk"),
    "foo1_nsd1": (f"device=sdg nsd=foo1_nsd1 {FIRST}", "an NSD of this name already"),
    "foo1_ssd1": ("nsd=foo1_ssd1 usage=metadataOnly failureGroup=1", "it names no server"),
    "e": (
        "device=sdh nsd=e servers=foo1,foo2 failureGroup=1",
        "does not see wwn:55cd2e404b7d1a40 at all",
    ),
    "f": (f"device=/dev/sdg nsd=f {FIRST}", "is meant by foo1_nsd1, h too"),
    "g": ("device=sdh nsd=g servers=foo1 failureGroup=2", "is meant by e too"),
    "h": (f"device=sdg nsd=h {FIRST} thinDiskType=scsi", "thinly provisioned"),
}
"""Stanzas of one file by their NSD: each is blocked, and why."""


def test_every_wrong_stanza_of_a_file_is_blocked_by_its_name(unbroken: Cluster) -> None:
    told = as_json(unbroken, "".join(f"%nsd: {words}\n" for words, _why in WRONG.values()))
    assert told["exit"] == 4
    blocks = [verdict for verdict in told["verdicts"] if verdict["level"] == "block"]
    for nsd, (_words, why) in WRONG.items():
        assert any(block["about"] == nsd and why in block["text"] for block in blocks), (nsd, blocks)
    assert any("failure groups 1, 2 share server foo1" in block["text"] for block in blocks)


def test_what_is_an_nsd_already_is_no_mistake(unbroken: Cluster) -> None:
    text = f"%nsd: device=sda nsd=foo1_nsd1 {FIRST}\n%nsd: nsd=foo1_nsd2 usage=dataOnly failureGroup=1\n"
    ended = verify(unbroken, text)
    assert ended.code == 0, ended
    assert "foo1_nsd1, foo1_nsd2): it is this NSD already" in " ".join(ended.out.split())


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("%nsd: device=sdg nsd=a b servers=foo1\n", 4, "line 1 of the file: not attribute=value: b"),
        ("# %nsd: device=sdg nsd=a servers=foo1\n%pool: pool=data blockSize=1M\n", 4, "no stanza of it is for an NSD"),
        ("nothing\n", 2, "holds no stanza"),
        ("", 2, "holds no stanza"),
    ],
)
def test_files_as_people_have_them(unbroken: Cluster, text: str, code: int, said: str) -> None:
    ended = verify_now(unbroken.directory, unbroken.config, text, "--fs", "mss1")
    assert ended.code == code, ended
    assert said in " ".join((ended.out + ended.err).split())


def test_every_name_of_a_device_and_of_a_node_is_understood(unbroken: Cluster) -> None:
    text = (
        "%nsd: device=/dev/disk/by-id/wwn-0x55cd2e404b7d1a3b nsd=a servers=pollux1.example.com failureGroup=1\n"
        "%nsd:\n  device=/dev/sdg\n  nsd=b\n  servers=140.252.28.8\n  FailureGroup=2\n"
    )
    ended = verify_now(unbroken.directory, unbroken.config, text, "--fs", "mss1")
    assert ended.code == 0, ended


@pytest.mark.parametrize("words", [("--pin", "a", "--against", __file__), ("--fs", "-rf")])
def test_usage_errors(unbroken: Cluster, words: tuple[str, ...]) -> None:
    ended = verify_now(unbroken.directory, unbroken.config, stanzas(NAMES), *words)
    assert (ended.code, ended.out) == (2, "")


def test_without_a_file_system_its_alignment_and_groups_are_not_known_and_nothing_fails(unbroken: Cluster) -> None:
    assert verify_now(unbroken.directory, unbroken.config, stanzas({1: NAMES[1], 2: NAMES[2]})).code == 0
