"""How long it takes to understand ten thousand disks, against splitting the same text into words and no more.

Two kinds of figures. The ratio of medians over interleaved rounds: a parser against `[l.split(":") for l in
text.splitlines()]` for `-Y`, or `[l.split() for l in text.splitlines()]` for the human form (aim: at most 6). And how
long an event loop is held up while it drives the same parser in slices (aim: 99 of 100 turns under 20 ms); the
heartbeat that measures it does nothing else.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import time
from collections.abc import Callable
from typing import Any

from remote.gpfs import parsers

DISKS = 10_000
ROUNDS = 15
AIM = 6.0
AIM_P99_MS = 20.0

Y = "version:reserved:reserved"


def mmlsdisk_y() -> str:
    """`mmlsdisk -Y`, 5.0 and later."""
    header = (
        f"mmlsdisk::HEADER:{Y}:nsdName:driverType:sectorSize:failureGroup:metadata:data:status:availability:diskID:"
        "storagePool:remarks:numQuorumDisks:readQuorumValue:writeQuorumValue:diskSizeKB:diskUID:thinDiskType:"
    )
    rows = (
        f"mmlsdisk::0:1:::nsd_{n:05}:nsd:512:{n % 3 + 1}:no:yes:ready:up:{n + 1}:data::3:2:2:31251759104:"
        f"C0A82D155E83{n:04X}::"
        for n in range(DISKS)
    )
    return "\n".join([header, *rows, ""])


def mmdf_y() -> str:
    """`mmdf -Y`."""
    free = "freeBlocks:freeBlocksPct:freeFragments:freeFragmentsPct"
    headers = [
        f"mmdf:nsd:HEADER:{Y}:nsdName:storagePool:diskSize:failureGroup:metadata:data:{free}:diskAvailableForAlloc:",
        f"mmdf:poolTotal:HEADER:{Y}:poolName:poolSize:{free}:maxDiskSize:",
        f"mmdf:fsTotal:HEADER:{Y}:fsSize:{free}:",
        f"mmdf:inode:HEADER:{Y}:usedInodes:freeInodes:allocatedInodes:maxInodes:",
    ]
    rows = (
        f"mmdf:nsd:0:1:::nsd_{n:05}:data:31251759104:{n % 3 + 1}:No:Yes:58997{n:05}0:19:32104{n:04}:1::"
        for n in range(DISKS)
    )
    ends = [
        "mmdf:poolTotal:0:1:::data:312517591040000:58997000000000:19:3210400000000:1:1153081262080:",
        "mmdf:fsTotal:0:1:::312517591040000:58997000000000:19:3210400000000:1:",
        "mmdf:inode:0:1:::83929469:4843139:88772608:146903040:",
    ]
    return "\n".join([*headers, *rows, *ends, ""])


def mmlsnsd_y() -> str:
    """`mmlsnsd -X -Y`, one server for each disk."""
    header = f"mmlsnsd:nsd:HEADER:{Y}:fileSystem:diskName:volumeId:serverList:deviceType:localDiskName:remarks:"
    rows = (
        f"mmlsnsd:nsd:0:1::::nsd_{n:05}:8CFC1C05507C{n:04X}:server{n % 40}.example.com:dmm:/dev/dm-{n}:server node:"
        for n in range(DISKS)
    )
    return "\n".join([header, *rows, ""])


def mmdf_human() -> str:
    """`mmdf`, 4.2 and later."""
    head = (
        "disk                disk size  failure holds    holds           free in KB          free in KB\n"
        "name                    in KB    group metadata data        in full blocks        in fragments\n"
        "--------------- ------------- -------- -------- ----- -------------------- -------------------\n"
        "Disks in storage pool: data (Maximum disk size allowed is 322.37 TB)"
    )
    form = "{:<15} {:>13} {:>8} {:<8} {:<5} {:>20} {:>19}"
    rows = (
        form.format(
            f"nsd_{n:05}", 31251759104, n % 3 + 1, "No", "Yes", f"{5899700000 + n} ( 19%)", f"{321040000 + n} ( 1%)"
        )
        for n in range(DISKS)
    )
    total = form.format("(total)", 312517591040000, "", "", "", "58997000000000 ( 19%)", "3210400000000 ( 1%)")
    return "\n".join([head, *rows, total.replace("(total)", "(pool total)"), total, ""])


def mmlsnsd_human() -> str:
    """`mmlsnsd -X`."""
    head = (
        "\n Disk name       NSD volume ID      Device          Devtype  Node name or Class       Remarks\n" + "-" * 99
    )
    rows = (
        f" nsd_{n:05}       8CFC1C05507C{n:04X}   /dev/sd{n:<8} generic  server{n % 40}.example.com     server node"
        for n in range(DISKS)
    )
    return "\n".join([head, *rows, ""])


def colons(text: str) -> list[list[str]]:
    """The least that can be done with `-Y`."""
    return [line.split(":") for line in text.splitlines()]


def words(text: str) -> list[list[str]]:
    """The least that can be done with the human form."""
    return [line.split() for line in text.splitlines()]


CASES: dict[str, tuple[list[str], str, Callable[[str], Any]]] = {
    "mmlsdisk -Y": (["mmlsdisk", "fs1", "-Y"], mmlsdisk_y(), colons),
    "mmdf -Y": (["mmdf", "fs1", "-Y"], mmdf_y(), colons),
    "mmlsnsd -X -Y": (["mmlsnsd", "-X", "-Y"], mmlsnsd_y(), colons),
    "mmdf": (["mmdf", "fs1"], mmdf_human(), words),
    "mmlsnsd -X": (["mmlsnsd", "-X"], mmlsnsd_human(), words),
}


def seconds(work: Callable[[], Any]) -> float:
    """Wall time of one run, with what is left of the run before it out of the way."""
    gc.collect()
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def ratio(argv: list[str], text: str, least: Callable[[str], Any]) -> tuple[float, float]:
    """Median of the parser in ms, and its ratio to the median of splitting."""
    ours, peer = [], []
    for _ in range(ROUNDS):
        ours.append(seconds(lambda: parsers.parse(argv, text)))
        peer.append(seconds(lambda: least(text)))
    return statistics.median(ours) * 1000, statistics.median(ours) / statistics.median(peer)


async def held_up(argv: list[str], text: str) -> tuple[float, float]:
    """The 99th percentile and the longest time in ms that a turn of the event loop took while parsing in slices."""
    turns: list[float] = []
    done = asyncio.Event()

    async def heartbeat() -> None:
        last = time.perf_counter()
        while not done.is_set():
            await asyncio.sleep(0)
            now = time.perf_counter()
            turns.append((now - last) * 1000)
            last = now

    beating = asyncio.create_task(heartbeat())
    for _ in range(5):
        for _ in parsers.steps(argv, text):
            await asyncio.sleep(0)
    done.set()
    await beating
    turns.sort()
    return turns[int(len(turns) * 0.99)], turns[-1]


def main() -> None:
    """Print a line for each text."""
    print(f"{DISKS} disks, medians of {ROUNDS} interleaved rounds; aims: ratio up to {AIM:g}, p99 {AIM_P99_MS:g} ms")
    for name, (argv, text, least) in CASES.items():
        parsed = parsers.parse(argv, text)
        assert parsed.ok, parsed.problems[:3]
        ms, times = ratio(argv, text, least)
        p99, longest = asyncio.run(held_up(argv, text))
        print(
            f"{name:<14} {ms:6.1f} ms  ratio {times:4.2f}   loop held up: p99 {p99:5.2f} ms, longest {longest:5.2f} ms"
        )


if __name__ == "__main__":
    main()
