"""A long day of a large cluster: how soon it is on the screen, how fast one moves in it, what it holds in memory.

`write_day` makes such a recording with the real writer; tests use a small one. `python -m benchmarks.replay` makes a
large one, or takes a FILE.
"""

from __future__ import annotations

import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from benchmarks.figures import Figure
from remote.command import Command, Effect
from remote.events import (
    Answered,
    Asked,
    Event,
    Exact,
    Header,
    JobChanged,
    Launching,
    LinkChanged,
    LogRead,
    LogRewound,
    Marked,
    Reply,
    Unanswered,
)
from remote.jobs import JobSpec, JobState, JobStatus
from remote.recording import Recording, Writer
from supervision.index import Index
from supervision.player import Player
from supervision.reducer import reduce
from supervision.replay import Replay
from supervision.state import State

BEGAN = 1370557200.0
ZONE = -25200
FS = "mss1"
JOB = "mss1-restripe-1"
SOURCE = f"job:{JOB}"
FULL = "mmdf:nsd:HEADER:version:reserved:reserved:nsdName:storagePool:diskSize:failureGroup:metadata:data:freeBlocks:\
freeBlocksPct:freeFragments:freeFragmentsPct:diskAvailableForAlloc:"
DISKS_HEAD = """\
disk         driver   sector failure holds    holds                            storage
name         type       size   group metadata data  status        availability pool
------------ -------- ------ ------- -------- ----- ------------- ------------ ------------
"""
LSBLK = "NAME,KNAME,PKNAME,TYPE,SIZE,ROTA,RO,RM,TRAN,VENDOR,MODEL,SERIAL,WWN,HCTL,FSTYPE,MOUNTPOINT,LABEL,PARTLABEL,\
LOG-SEC,PHY-SEC,STATE"


class Shape(msgspec.Struct, frozen=True):
    """How large a day is. Cadences are in seconds of the session.

    `moved` is how often a host's devices are listed in another order than before.
    """

    hosts: int = 64
    disks: int = 2000
    seconds: float = 86400.0
    disks_every: float = 120.0
    space_every: float = 900.0
    devices_every: float = 600.0
    moved: float = 0.4
    seed: int = 1


SMALL = Shape(hosts=4, disks=120, seconds=7200.0)


def write_day(path: Path, shape: Shape) -> None:
    """Write the recording of a day."""
    hosts = tuple(f"nsd{number:02}" for number in range(shape.hosts))
    header = Header(1, "benchmark", 0.0, BEGAN, FS, hosts, hosts[0], "somebody", utc_offset=ZONE)
    writer = Writer(path, header)
    for written, event in enumerate(day(shape, hosts)):
        writer.write(event)
        if written % 50 == 0:
            writer.sync_now()  # the writer gives up on a disk that is 64 MB behind
    writer.close()
    assert not writer.failure, writer.failure


def day(shape: Shape, hosts: tuple[str, ...]) -> Iterator[Event]:
    """The events of a day, in their order."""
    chance = random.Random(shape.seed)
    numbers = iter(range(1, 1 << 40))

    def ask(t: float, host: str, argv: tuple[str, ...], out: str) -> Iterator[Event]:
        n = next(numbers)
        yield Asked(t, n, host, (Command(argv, Effect.READS),))
        if chance.random() < 0.003:
            yield Unanswered(t + 30, n, "no answer within 30 s")
        else:
            yield Answered(t + chance.random(), n, (Reply(0, Exact(out.encode())),))

    at = BEGAN
    for host in hosts:
        at += 0.1
        yield LinkChanged(at, host, "up")
    command = Command(("mmrestripefs", FS, "-r"), Effect.CHANGES)
    yield Marked(at, "step 6: mmrestripefs")
    yield Launching(at, hosts[0], JobSpec(JOB, "restripe", "somebody", command))
    yield JobChanged(at, hosts[0], JobStatus(JOB, JobState.RUNNING, began=at, command=command.text))
    log = (
        b"Scanning file system metadata, phase 1 ... \nScan completed successfully.\nScanning user file metadata ...\n"
    )
    yield LogRead(at, hosts[0], SOURCE, 0, Exact(log))
    size, inodes = len(log), 0
    sick: set[int] = set()
    due = dict.fromkeys(("disks", "space", "devices", "mark"), 0.0)
    while at < BEGAN + shape.seconds:
        since = at - BEGAN
        if since >= due["devices"]:
            due["devices"] += shape.devices_every
            for number, host in enumerate(hosts):
                yield from ask(at, host, ("lsblk", "-P", "-b", "-o", LSBLK), _lsblk(shape, number, chance))
        if since >= due["space"]:
            due["space"] += shape.space_every
            yield from ask(at + 2, hosts[0], ("mmdf", FS, "-Y"), _mmdf(shape, int(since), chance))
        if since >= due["disks"]:
            due["disks"] += shape.disks_every
            if chance.random() < 0.05:
                sick ^= {chance.randrange(shape.disks)}
            yield from ask(at + 4, hosts[0], ("mmlsdisk", FS), _mmlsdisk(shape, sick))
        if since >= due["mark"]:
            due["mark"] += shape.seconds / 8
            yield Marked(at + 6, f"look {int(since)}")
        if chance.random() < 0.1:
            host = chance.choice(hosts)
            yield LinkChanged(at + 7, host, "waiting", "the connection was lost")
            yield LinkChanged(at + 20, host, "up")
        inodes += chance.randrange(400_000)
        percent = since / shape.seconds * 100
        line = f" {percent:5.2f} % complete on Thu Jun  6 17:00:00 2013  ({inodes:10} inodes  {9:9} MB)\n"
        yield LogRead(at + 21, hosts[0], SOURCE, size, Exact(line.encode()))
        size += len(line)
        yield LogRead(at + 22, hosts[1], "file:/var/log/messages", 0, Exact(f"{since}\n".encode() * 40))
        if chance.random() < 0.02:
            yield LogRewound(at + 23, hosts[1], "file:/var/log/messages", "rotated")
        at += 120.0


def _lsblk(shape: Shape, host: int, chance: random.Random) -> str:
    mine = list(range(host, shape.disks, shape.hosts))
    if chance.random() < shape.moved:
        chance.shuffle(mine)
    return "".join(
        f'NAME="sd{disk}" KNAME="sd{disk}" PKNAME="" TYPE="disk" SIZE="32001801322496" ROTA="1" RO="0" RM="0" '
        f'TRAN="sas" VENDOR="LSI     " MODEL="INF-01-00" SERIAL="6008{disk:020}" WWN="0x6008{disk:020}" '
        f'HCTL="6:0:0:{disk}" FSTYPE="" MOUNTPOINT="" LABEL="" PARTLABEL="" LOG-SEC="512" PHY-SEC="512" '
        f'STATE="running"\n'
        for disk in mine
    )


def _mmdf(shape: Shape, since: int, chance: random.Random) -> str:
    return "\n".join([FULL, *(_space(disk, since, chance) for disk in range(shape.disks)), ""])


def _space(disk: int, since: int, chance: random.Random) -> str:
    free = 6431733760 - since * 1000 - chance.randrange(9999)
    return f"mmdf:nsd:0:1:::nsd_{disk:05}:system:31251759104:{disk % 8 + 1}:Yes:Yes:{free}:21:421305664:1::"


def _mmlsdisk(shape: Shape, sick: set[int]) -> str:
    rows = [
        f"nsd_{disk:05}    nsd         512 {disk % 8 + 1:7} Yes      Yes   ready         "
        f"{'down' if disk in sick else 'up':12} system       \n"
        for disk in range(shape.disks)
    ]
    return DISKS_HEAD + "".join(rows)


def full_fold(path: Path) -> State:
    """The peer: decode and fold everything, one state held."""
    recording = Recording(path)
    state = State(recording.header, at=recording.header.began)
    for event in recording:
        state = reduce(state, event)
    return state


def _wc(path: Path) -> float:
    began = time.perf_counter()
    subprocess.run(["wc", "-l", str(path)], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def _memory() -> float:
    """Megabytes of this process now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def measure(path: Path) -> Iterator[str]:
    """What is found out, a line at a time."""
    size = path.stat().st_size / 1e6
    yield f"{path.name}: {size:.0f} MB"
    wc = _wc(path)
    indexed = _timed(lambda: Index(path).extend_whole())
    yield f"index pass {size / indexed:.0f} MB/s, {indexed:.2f} s; wc -l {wc:.2f} s: {indexed / wc:.1f} times"
    first = _timed(lambda: Replay(path, whole=False).state_after(0))
    replay, before = Replay(path), _memory()
    folded = _timed(lambda: replay.fold_to(len(replay.index)))
    yield f"the first state after {first * 1000:.1f} ms; all folded in {folded:.1f} s, {_memory() - before:.0f} MB held"
    plain = _timed(lambda: full_fold(path))
    yield f"a plain fold takes {plain:.1f} s: {plain / first:.0f} times the first state"
    chance, player = random.Random(2), Player(replay)
    worked = time.process_time()
    seeks = [_timed(lambda: player.seek(BEGAN + chance.random() * replay.seconds)) for _ in range(200)]
    worked = (time.process_time() - worked) / len(seeks) * 1000
    median, most = statistics.median(seeks) * 1000, max(seeks) * 1000
    yield f"200 seeks: median {median:.0f} ms, longest {most:.0f} ms, {worked:.0f} ms of work each"
    yield f"{_memory() - before:.0f} MB held after them"


async def figures() -> list[Figure]:
    """For `make bench`: of a day a quarter as long."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "day.jsonl"
        write_day(path, Shape(seconds=21600.0))
        rounds = [(_wc(path), _timed(lambda: Index(path).extend_whole())) for _ in range(5)]
        wc, indexed = (statistics.median(taken) for taken in zip(*rounds, strict=True))
        plain = _timed(lambda: full_fold(path))
        first = statistics.median(_timed(lambda: Replay(path, whole=False).state_after(0)) for _ in range(5))
        replay = Replay(path)
        folded = _timed(lambda: replay.fold_to(len(replay.index)))
        player, chance = Player(replay), random.Random(2)
        seeks = [_timed(lambda: player.seek(BEGAN + chance.random() * replay.seconds)) for _ in range(100)]
        size = f"{path.stat().st_size >> 20} MB, 64 hosts, 2,000 disks"
    return [
        Figure("opening a recording", "folding all of it", first / plain, 0.05, note=size),
        Figure("index of a recording", "`wc -l`", indexed / wc, 40.0, note=size),
        Figure("folding it, keeping states", "folding it plainly", folded / plain, 1.5, note=size),
        Figure("a seek, the longest of 100", "-", max(seeks) * 1000, 200.0, unit=" ms", note=size),
    ]


def main(arguments: list[str]) -> None:
    """Measure a FILE, or a day made for it."""
    if arguments:
        for line in measure(Path(arguments[0])):
            print(line, flush=True)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "day.jsonl"
        write_day(path, Shape())
        main([str(path)])


if __name__ == "__main__":
    main(sys.argv[1:])
