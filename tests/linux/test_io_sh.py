"""`io.sh` in every shell: the counters of whole disks and multipath maps, and of nothing below or above them."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from remote.linux.commands import disk_counters
from remote.linux.diskstats import DiskCounter, DiskCounters, parse_io
from remote.text import decode
from tests.linux.sysroot import nsd_server
from tests.remote.local_host import HOST, LocalHost

DISKSTATS = """\
   8       0 sda 100 0 2048 1 50 0 1024 1 0 1 2
   8       1 sda1 100 0 2048 1 50 0 1024 1 0 1 2
   8      16 sdb 1 1 1 1 1 1 1 1 1 1 1
   8      80 sdf 7 0 80000000000 1 9 0 90000000000 1 3 1 2 0 0 0 0
 259       0 nvme0n1 7 0 16 1 9 0 24 1 12 1 2 0 0 0 0 22 18
 253       0 dm-0 7 0 1 1 9 0 2 1 0 1 2
 253       2 dm-2 7 0 1 1 9 0 2 1 0 1 2
 253       9 dm-9 7 0 1 1 9 0 2 1 0 1 2
   8      96 sdx 1 1 1 1 1 1 1 1 1 1 1
"""


async def test_every_shell_tells_whole_disks_and_maps(host: LocalHost, tmp_path: Path) -> None:
    tree = nsd_server(tmp_path / "root")
    tree.write("proc/diskstats", DISKSTATS.encode())
    before = tree.state()
    host.env.update(tree.env)
    (answer,) = await host.site.query(HOST, disk_counters())
    assert (answer.rc, answer.stderr) == (0, b"")
    parsed = parse_io(decode(answer.stdout))
    assert (parsed.problems, parsed.notes) == ((), ())
    # sdb is a path of a map, dm-2 a partition of one and dm-9 a volume; sda1 is in sda, and sdx is gone from sysfs
    assert parsed.model.disks == (
        DiskCounter("sda", 2048, 1024, 0),
        DiskCounter("sdf", 80_000_000_000, 90_000_000_000, 3),
        DiskCounter("nvme0n1", 16, 24, 12),
        DiskCounter("dm-0", 1, 2, 0),
    )
    assert parsed.model.boot_id == "6a3f2c1e-0000-4000-8000-000000000001"
    assert parsed.model.at is not None
    assert tree.state() == before


async def test_this_machine_is_told_without_root_or_with_it(host: LocalHost) -> None:
    host.env["RESTRIPE_ALL_BLOCK"] = "1"
    (answer,) = await host.site.query(HOST, disk_counters())
    parsed = parse_io(decode(answer.stdout), decode(answer.stderr))
    assert (parsed.problems, parsed.notes) == ((), ())
    listed = {line.split()[2] for line in Path("/proc/diskstats").read_text().splitlines()}
    assert {disk.kname for disk in parsed.model.disks} <= listed


async def test_a_host_without_counters_says_so(dash: LocalHost, tmp_path: Path) -> None:
    dash.env.update(nsd_server(tmp_path / "root").env)
    (answer,) = await dash.site.query(HOST, disk_counters())
    parsed = parse_io(decode(answer.stdout))
    assert [problem.why for problem in parsed.problems] == ["this host tells no counters of its disks"]


def test_an_answer_that_is_not_whole_is_a_problem() -> None:
    good = "restripe-io 1\nboot b\nnow 100\ndisk sda 1 2 3\nend\n"
    assert parse_io(good).model == DiskCounters("b", 100.0, (DiskCounter("sda", 1, 2, 3),))
    assert parse_io(good).ok
    for bad in ("", good.removesuffix("end\n"), good.replace(" 3\n", "\n"), good.replace("now", "then")):
        assert not parse_io(bad).ok


WORDS = ("restripe-io 1", "boot b", "now 1", "now 9", "disk sda 1 2 3", "disk sdb 1 2", "end", "state absent")


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=30)).map("\n".join), st.text(max_size=30))
def test_the_parser_is_total(stdout: str, stderr: str) -> None:
    parse_io(stdout, stderr)
