"""`signatures.sh` in every shell: what lies on the disks, never down a path of a map, and past disks that hang."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.resources
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.linux.commands import devices, signatures
from remote.linux.contents_parsing import parse_signatures
from remote.linux.inventory import Content, Contents, ReadState, Signature
from tests.linux.sysroot import GPFS, LINUX, MIB, VOLUME_ID, Sysroot, gpt, lvm_member, nsd_server, write_image
from tests.processes import alive, environ, every_pid, send
from tests.remote.local_host import HOST, SHELLS, LocalHost
from tests.remote.test_questions_shells import sudo_site
from tests.waiting import until, until_now

PATHS = ("sdb", "sdc", "sdd", "sde")


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Sysroot]:
    """A server that is not there; whoever still reads one of its devices afterwards is ended."""
    made = nsd_server(tmp_path / "root")
    yield made
    send(readers(made), signal.SIGKILL)
    until_now(lambda: not readers(made))


def readers(tree: Sysroot, kname: str = "") -> list[int]:
    """The processes that read a device of the tree, whoever started them."""
    mark = f"RESTRIPE_READS={tree.directory}:{kname}".encode()
    return [pid for pid in every_pid() if mark in environ(pid) and alive(pid)]


async def asked(host: LocalHost, env: dict[str, str]) -> Contents:
    """What a host answers, which must be understood to the last line."""
    host.env.update(env)
    (answer,) = await host.site.query(HOST, signatures())
    assert (answer.rc, answer.stderr) == (0, b"")
    parsed = parse_signatures(answer.stdout.decode())
    assert (parsed.problems, parsed.notes) == ((), ())
    return parsed.model


def states(told: Contents) -> dict[str, ReadState]:
    return {content.kname: content.state for content in told.devices}


def of(told: Contents, kname: str) -> Content:
    content = told.get(kname)
    assert content is not None
    return content


async def test_every_shell_reads_each_disk_once_and_no_path(host: LocalHost, tree: Sysroot) -> None:
    """The paths are FIFOs: opening one would hang."""
    before = tree.state()
    told = await asked(host, tree.env)
    read = dict.fromkeys(("sda", "sdf", "nvme0n1", "dm-0", "dm-1"), ReadState.READ)
    assert states(told) == read | dict.fromkeys(PATHS, ReadState.PATH)
    assert of(told, "sdf").empty
    assert of(told, "nvme0n1").empty
    old, new, boot = of(told, "dm-0"), of(told, "dm-1"), of(told, "sda")
    assert (old.signatures, old.partitions, old.nonzero) == ((), (), sum(byte != 0 for byte in VOLUME_ID))
    assert old.sector2 == VOLUME_ID.hex().ljust(128, "0")
    assert not old.empty
    assert new.partitions == (GPFS,)
    assert boot.partitions == (LINUX,)
    tables = {(signature.type, signature.usage, signature.offset) for signature in new.signatures}
    assert ("gpt", "partition-table", 512) in tables
    assert tree.state() == before
    assert readers(tree) == []


async def test_a_disk_that_hangs_is_left_alone_until_its_reader_is_gone(tmp_path: Path) -> None:
    """In every shell that is here, each begun while those before it wait for their disk: that takes the time."""
    async with asyncio.TaskGroup() as group:
        for shell, words in SHELLS.items():
            if shutil.which(words.split()[0]):
                (tmp_path / shell).mkdir()
                host, tree = LocalHost(tmp_path / shell, shell), nsd_server(tmp_path / shell / "root")
                group.create_task(left_alone(host, tree, shell))
                await until(lambda tree=tree: readers(tree) == readers(tree, "sdf") != [], every=0.1)  # type: ignore[misc]


async def left_alone(host: LocalHost, tree: Sysroot, shell: str) -> None:
    """Play it with one shell, as which a failure names it."""
    try:
        (tree.directory / "dev/sdf").unlink()
        tree.fifo("sdf")
        env = tree.env | {"RESTRIPE_READ_SECONDS": "4"}
        first = await asked(host, env)  # it would not come back if a reader held its streams
        assert states(first) == {
            **dict.fromkeys(("sda", "nvme0n1", "dm-0", "dm-1"), ReadState.READ),
            **dict.fromkeys(PATHS, ReadState.PATH),
            "sdf": ReadState.HANGS,
        }, shell
        left = readers(tree)
        assert left == readers(tree, "sdf") != [], shell
        second = await asked(host, env)
        assert states(second) == states(first) | {"sdf": ReadState.STILL}, shell
        assert readers(tree) == left, shell
        send(left, signal.SIGKILL)
        await until(lambda: not readers(tree))
        (tree.directory / "dev/sdf").unlink()
        tree.image("sdf")
        assert states(await asked(host, env))["sdf"] is ReadState.READ, shell
    finally:
        host.kill_all()
        send(readers(tree), signal.SIGKILL)
        await until(lambda: not readers(tree))


async def test_a_disk_that_another_session_reads_this_moment_does_not_hang(dash: LocalHost, tree: Sysroot) -> None:
    """The other one ends as soon as this one is at work: when it opens sda, which is a pipe here."""
    (tree.directory / "dev/sda").unlink()
    tree.fifo("sda")
    mark = {"RESTRIPE_READS": f"{tree.directory}:sdf"}
    with subprocess.Popen(["sh", "-c", 'exec 3>"$0"', tree.directory / "dev/sda"], env=os.environ | mark):
        told = await asked(dash, tree.env | {"RESTRIPE_READ_SECONDS": "3"})
    assert states(told)["sdf"] is ReadState.READ


async def test_a_reader_that_is_left_behind_keeps_no_question_from_being_asked(dash: LocalHost, tree: Sysroot) -> None:
    (tree.directory / "dev/sdf").unlink()
    tree.fifo("sdf")
    await asked(dash, tree.env | {"RESTRIPE_READ_SECONDS": "1"})
    left = readers(tree, "sdf")
    assert left
    for pid in left:
        assert b"RESTRIPE_Q=" not in environ(pid)
        assert os.readlink(f"/proc/{pid}/cwd") == "/"  # it keeps no file system from being unmounted


async def test_a_path_whose_map_is_not_made_yet_is_known_by_udev(dash: LocalHost, tree: Sysroot) -> None:
    tree.write("run/udev/data/b8:80", "E:DM_MULTIPATH_DEVICE_PATH=1")
    (tree.directory / "dev/sdf").unlink()
    tree.fifo("sdf")
    assert states(await asked(dash, tree.env))["sdf"] is ReadState.PATH


async def test_what_must_not_be_read_is_told_with_the_tools_word(dash: LocalHost, tree: Sysroot) -> None:
    dash.tool("dd", 'case "$*" in *nvme0n1*) echo "dd: failed to open \'x\': Permission denied" >&2; exit 1;; esac\n'
              'case "$*" in *sdf*) echo "dd: error reading \'x\': Input/output error" >&2; exit 1;; esac\n'
              'exec /usr/bin/dd "$@"')  # fmt: skip
    told = await asked(dash, tree.env)
    assert of(told, "nvme0n1") == Content(
        "nvme0n1", ReadState.DENIED, detail="dd: failed to open 'x': Permission denied"
    )
    assert of(told, "sdf") == Content("sdf", ReadState.FAILED, detail="dd: error reading 'x': Input/output error")
    assert states(told)["dm-0"] is ReadState.READ


@pytest.mark.parametrize("tool", ["blkid", "partx"])
async def test_a_tool_that_is_missing_is_a_failure_and_never_an_empty_disk(
    dash: LocalHost, tree: Sysroot, tool: str
) -> None:
    dash.tool(tool, f'echo "sh: {tool}: not found" >&2; exit 127')
    told = await asked(dash, tree.env)
    assert of(told, "dm-1").state is ReadState.FAILED
    assert tool in of(told, "dm-1").detail
    assert not any(content.empty for content in told.devices) or tool == "partx"


ATA = """
ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE
  5 Reallocated_Sector_Ct   0x0032   100   100   000    Old_age   Always       -       3
  9 Power_On_Hours          0x0032   100   100   000    Old_age   Always       -       20041
233 Media_Wearout_Indicator 0x0032   014   014   000    Old_age   Always       -       0
"""
SCSI = "Percentage used endurance indicator: 7%\nElements in grown defect list: 0\n"
NVME = "Available Spare:                    100%\nPercentage Used:                    104%\n"


@pytest.mark.parametrize(("words", "worn", "reallocated"), [(ATA, 86, 3), (SCSI, 7, 0), (NVME, 104, None)])
async def test_what_a_disk_tells_of_its_age_is_told(
    dash: LocalHost, tree: Sysroot, words: str, worn: int, reallocated: int | None
) -> None:
    dash.tool("smartctl", f"cat <<'END'\nsmartctl 7.3\n{words}END")
    content = of(await asked(dash, tree.env), "dm-0")
    assert (content.state, content.worn, content.reallocated) == (ReadState.READ, worn, reallocated)


@pytest.mark.parametrize("does", ["exec sleep 60", "echo broken; exit 4"])
async def test_a_disk_whose_age_nobody_tells_is_read_all_the_same(dash: LocalHost, tree: Sysroot, does: str) -> None:
    dash.tool("smartctl", f'case "$*" in *dm-0*) {does};; esac')  # each that hangs takes two seconds
    content = of(await asked(dash, tree.env), "dm-0")
    assert (content.state, content.worn, content.reallocated) == (ReadState.READ, None, None)


async def test_sudo_stands_before_the_signatures_alone_and_people_see_a_bare_name(
    dash: LocalHost, tree: Sysroot
) -> None:
    dash.env.update(tree.env)
    site = sudo_site(dash)
    first, second = await site.query(HOST, devices(), signatures())
    assert (first.rc, second.rc) == (0, 0)
    assert (first.command.text, second.command.text) == ("restripe-devices", "restripe-signatures")
    told = (dash.directory / "sudo").read_text()
    assert told.count("sudo -n ") == 1
    assert told.startswith(f"sudo -n {dash.bin}/sh -c # What lies on the disks")
    assert told.rstrip().endswith("restripe-signatures")


def test_nothing_is_opened_for_more_than_reading() -> None:
    """Whoever may only read a device learns all of it: a tool that opened one for writing would be refused."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        directory = Path(name)
        directory.chmod(0o755)
        tree = nsd_server(directory / "root")
        for kname in ("sda", "sdf", "nvme0n1", "dm-0", "dm-1"):
            (tree.directory / "dev" / kname).chmod(0o444)
        nobody = 65534 if os.geteuid() == 0 else None
        script = importlib.resources.files("remote.linux") / "signatures.sh"
        done = subprocess.run(
            ["sh", "-s"], input=script.read_bytes(), env=tree.env | {"PATH": "/usr/bin:/bin"}, capture_output=True,
            check=True, user=nobody, group=nobody,
        )  # fmt: skip
    told = parse_signatures(done.stdout.decode()).model
    assert sorted(content.kname for content in told.devices if content.state is ReadState.READ) == [
        "dm-0", "dm-1", "nvme0n1", "sda", "sdf",
    ]  # fmt: skip
    assert of(told, "dm-1").partitions == (GPFS,)


def images(directory: Path) -> dict[str, Path]:
    """Disks with what is found on real ones, made by the real tools where there are any."""
    found = {name: directory / name for name in ("ext4", "swap", "lvm", "gpfs", "both", "nothing", "old")}
    for name, file in found.items():
        pieces = {"lvm": (lvm_member(),), "gpfs": gpt(GPFS, 8 * MIB), "old": ((1024, VOLUME_ID),)}.get(name, ())
        write_image(file, *pieces, size=8 * MIB)
    for name in ("ext4", "both"):
        subprocess.run(["/sbin/mkfs.ext4", "-q", "-F", "-L", 'a,b "c', str(found[name])], check=True)
    subprocess.run(["/sbin/mkswap", str(found["swap"])], check=True, capture_output=True)
    with found["both"].open("r+b") as out:
        at, label = lvm_member()
        out.seek(at)
        out.write(label)
    return found


class Attached:
    """Images as devices of this machine, or below a sysroot where there are no loop devices."""

    def __init__(self, directory: Path, *, loops: bool) -> None:
        self.images = images(directory)
        self.env = {"RESTRIPE_ALL_BLOCK": "1"}
        self.knames: dict[str, str] = {}
        for name, file in self.images.items() if loops else ():
            made = subprocess.run(
                ["/sbin/losetup", "-f", "--show", str(file)], capture_output=True, check=False, text=True
            )
            if made.returncode:
                break
            self.knames[name] = made.stdout.strip().removeprefix("/dev/")
        if len(self.knames) < len(self.images):
            self.detach()
            tree = Sysroot(directory / "root")
            for minor, (name, file) in enumerate(self.images.items()):
                self.knames[name] = tree.block("sys/devices/virtual/block", f"loop{minor}", f"7:{minor}", 16 * 1024)[
                    len("sys/devices/virtual/block/") :
                ]
                (tree.directory / "dev" / self.knames[name]).symlink_to(file)
            self.env = tree.env

    def detach(self) -> None:
        """Give the loop devices back."""
        for kname in self.knames.values():
            subprocess.run(["/sbin/losetup", "-d", f"/dev/{kname}"], capture_output=True, check=False)
        self.knames.clear()


@pytest.fixture(params=["loop devices", "files"])
def attached(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Attached]:
    """Disks with real signatures."""
    made = Attached(tmp_path, loops=request.param == "loop devices")
    yield made
    made.detach()


async def test_real_signatures_are_found_and_left_as_they_are(dash: LocalHost, attached: Attached) -> None:
    def sums() -> dict[str, tuple[str, int]]:
        return {
            name: (hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_mtime_ns)
            for name, file in attached.images.items()
        }

    before = sums()
    told = await asked(dash, attached.env)
    assert sums() == before
    found = {name: of(told, kname) for name, kname in attached.knames.items()}
    assert {content.state for content in found.values()} == {ReadState.READ}
    ext4 = found["ext4"].signatures[0]
    assert (ext4.type, ext4.usage, ext4.label, ext4.offset) == ("ext4", "filesystem", 'a,b "c', 0x438)
    assert len(ext4.uuid) == 36
    assert [(each.type, each.offset) for each in found["swap"].signatures] == [("swap", 4086)]
    assert found["lvm"].signatures == (
        Signature("LVM2_member", "raid", "", "012345-6789-abcd-ef01-2345-6789-abcdef", 0x218),
    )
    assert {each.type for each in found["both"].signatures} >= {"ext4", "LVM2_member"}
    assert found["gpfs"].partitions == (GPFS,)
    assert found["nothing"].empty
    assert not found["old"].empty
    assert (found["old"].signatures, found["old"].sector2[:16]) == ((), VOLUME_ID.hex())
