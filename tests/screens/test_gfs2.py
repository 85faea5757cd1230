"""Every screen over a GFS2 device, from exact texts of its tools and of a host."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from remote.command import Command
from remote.events import Answered, Asked, Event, Exact, Header, JobsListed, LinkChanged, LogRead, Reply
from remote.gfs2 import commands as gfs2
from remote.gfs2.use import gfs2_use
from remote.jobs import JobState, JobStatus
from remote.linux.commands import kernel_log, lsblk
from remote.linux.work import work
from supervision import filesystems
from supervision.gfs2_work import PROGRAMS
from supervision.session import Session
from supervision.store import Store
from supervision.supervisor import Supervisor
from tests.gfs2.gfs2texts import told
from tests.screens.everyscreen import ALIEN, every_screen, shown
from tests.screens.snap import text_of
from tests.waiting import until

NOW = 1_700_000_000.0
DEVICE, OUT = "/dev/vg0/data", "/var/tmp/data.meta.gz"
SIZE = (80, 24)
HEADER = Header(1, "test", NOW, NOW, DEVICE, ("node1",), "node1", "ops@desk", kind="gfs2")
COMMAND = gfs2.savemeta(DEVICE, OUT).text
LSBLK = 'NAME="vg0-data" KNAME="dm-0" TYPE="lvm" SIZE="2147483648" FSTYPE="gfs2"\n'
USE = (
    "restripe-gfs2-use 1\ndevice =/dev/vg0/data\nnumber 253:0\nkernel yes\nmount 253:0 gfs2\nof =/dev/mapper/vg0-data\n"
    "at =/data\nmounts told\nend\n"
)
KERNEL = "restripe-logs 1\ntoday 2023-11-14 +0000\nlog kernel\nbooted 1699990000\nfrom dmesg\nover\nend\n"


def answered(n: int, command: Command, out: str, rc: int = 0) -> tuple[Event, Event]:
    return Asked(NOW, n, "node1", (command,)), Answered(NOW + 1, n, (Reply(rc, Exact(out.encode())),))


def process(at: float, state: str, chars: int) -> str:
    """What the host tells of the process of the job."""
    words = "".join(f"arg ={word}\n" for word in COMMAND.split())
    return (
        f"restripe-work 1\nboot b1\nclock {at:.0f} 1000.0 100\nprocess 77 1 99000 {state} 900 100\n{words}"
        f"job =/jobs/s1\nio {chars} 4096 0 4096\nmemory 62000 40000\nfile 4 4096 ={OUT}\nend\n"
    )


LINK: tuple[Event, ...] = (LinkChanged(NOW, "node1", "up"),)
FACTS: tuple[Event, ...] = (
    *answered(1, gfs2.blkid(DEVICE), told("blkid").replace("/scratch/small", DEVICE)),
    *answered(2, gfs2.sb(DEVICE), told("sb_350")),
    *answered(3, gfs2.statfs(DEVICE), told("statfs_350")),
    *answered(4, gfs2.rgs(DEVICE), told("rgs_350")),
    *answered(5, gfs2_use(DEVICE), USE),
    *answered(6, lsblk(), LSBLK),
    *answered(7, kernel_log(), KERNEL),
)
JOB = JobStatus("s1", JobState.RUNNING, began=NOW, title="savemeta", operator="ops@desk", command=COMMAND)


def lines(until_at: int) -> list[Event]:
    """A line of progress a second: 1,000 blocks in each."""
    texts = ["There are 524287 blocks of 4096 bytes in the filesystem.\nFilesystem size: 2.00GB\n"]
    texts += [f"\r{at * 1000} blocks saved ({at // 2}% complete)" for at in range(until_at + 1)]
    events: list[Event] = []
    offset = 0
    for at, text in enumerate(texts):
        events.append(LogRead(NOW + at, "node1", "job:s1", offset, Exact(text.encode())))
        offset += len(text)
    return events


RUNS: tuple[Event, ...] = (
    JobsListed(NOW, "node1", (JOB,)),
    *lines(40),
    *answered(8, work(*PROGRAMS), process(NOW + 40, "R", 1 << 20)),
)


def live(*events: Event, now: float = NOW + 42) -> Session:
    """A session that only looks, and reaches nobody."""
    store = Store(HEADER)
    site = SimpleNamespace(armed=False, clock=SimpleNamespace(now=lambda: now), hosts=HEADER.hosts)
    supervisor: Any = SimpleNamespace(site=site, runs=lambda _name: False, store=store, start=lambda _name, work: work)
    session = Session(store, filesystems.file_system(HEADER), supervisor=cast("Supervisor", supervisor))
    for event in events:
        store.apply(event)
    return session


async def test_the_screens_show_what_it_has_and_say_no_word_of_another_kind() -> None:
    async with shown(live(*LINK, *FACTS, *RUNS), SIZE) as (app, pilot):
        screens = await every_screen(app, pilot)
    for name, text in screens.items():
        alien = ALIEN.search(text)
        assert alien is None, f"{name} says {alien and alien[0]!r}:\n{text}"
        assert max(len(line) for line in text.splitlines()) <= SIZE[0]
    told_by = {name: " ".join(text.split()) for name, text in screens.items()}
    cluster = told_by["cluster"]
    assert f"GFS2 {DEVICE}" in cluster
    assert "Block size 4 KiB, format 1802" in cluster
    assert "none (lock_nolock): for one node alone" in cluster
    assert "on node1: /dev/mapper/vg0-data on /data" in cluster
    assert "at least 88,942 blocks" in cluster
    assert "Resource groups" in cluster
    assert "43.8 % of the work" in cluster  # 39,000 of at least 88,942; the line of 40,000 has not ended yet
    assert "88,900" in told_by["disks"]
    assert "GFS2 has one device, so there are no sums over several" in told_by["disks"]
    assert "vg0-data" in told_by["devices"]
    restripe = told_by["restripe"]
    assert "39,000 of at least 88,942 blocks" in restripe
    assert "60.5 MiB of memory at its peak" in restripe
    assert "likely, about" in restripe
    assert "gfs2_edit savemeta" in told_by["jobs"]
    assert "restripe-gfs2-rgs" in told_by["commands"]


async def test_a_process_that_was_stopped_is_seen_to_stand_still() -> None:
    _, seen = answered(9, work(*PROGRAMS), process(NOW + 50, "T", 1 << 20))
    assert isinstance(seen, Answered)
    moved = (Asked(NOW + 49, 9, "node1", (work(*PROGRAMS),)), Answered(NOW + 50, 9, seen.replies))
    async with shown(live(*LINK, *FACTS, *RUNS, *moved, now=NOW + 50), SIZE) as (app, pilot):
        await pilot.press("5")
        await until(lambda: "stalled" in text_of(app))
        assert "its process is stopped (state T)" in " ".join(text_of(app).split())


async def test_a_device_that_holds_something_else_is_the_first_problem() -> None:
    other = answered(1, gfs2.blkid(DEVICE), f'{DEVICE}: UUID="x" TYPE="xfs" USAGE="filesystem"\n')
    async with shown(live(*LINK, *other), SIZE) as (app, _pilot):
        await until(lambda: f"!! Device {DEVICE} holds xfs" in " ".join(text_of(app).split()))
