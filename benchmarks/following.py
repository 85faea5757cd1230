"""A log of 100 MB, followed as the program follows any log, against `ssh HOST cat`. Both open a new connection."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from benchmarks.figures import Figure, medians
from benchmarks.servers import Fan
from remote.site import Chunk, FileLog

ROUNDS = 5
SIZE = 100_000_000
AIM = 0.6


def _write(path: Path) -> None:
    """A log of lines that differ, so that nothing about it is easy."""
    with path.open("wb") as file:
        left = SIZE
        number = 0
        while left > 0:
            text = b"".join(
                b"%012d inodes processed, %d MB\n" % (line, line) for line in range(number, number + 10_000)
            )
            file.write(text[:left])
            left -= len(text)
            number += 10_000


async def _followed(fan: Fan, path: Path) -> float:
    site = fan.site([fan.hosts[0]])
    size = 0
    began = time.perf_counter()
    try:
        async for event in site.follow(fan.hosts[0], FileLog(str(path))):
            if isinstance(event, Chunk):
                assert event.offset == size
                size += len(event.data)
                if size == SIZE:
                    break
        return time.perf_counter() - began
    finally:
        await site.close()


async def _cat(fan: Fan, path: Path) -> float:
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *("ssh", "-F", str(fan.config), fan.hosts[0], f"cat {path}"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    size = 0
    while data := await process.stdout.read(1 << 20):
        size += len(data)
    await process.wait()
    assert size == SIZE
    return time.perf_counter() - began


async def figures(fan: Fan) -> list[Figure]:
    """Throughput of ours as a part of the peer's."""
    path = fan.servers[0].account.home / "large.log"
    await asyncio.to_thread(_write, path)
    fan.servers[0].account.give(path)
    taken = await medians(ROUNDS, ours=lambda: _followed(fan, path), peer=lambda: _cat(fan, path))
    path.unlink()
    what = f"following a log of {SIZE // 1_000_000} MB, throughput"
    ratio = taken["peer"] / taken["ours"]
    return [Figure(what, "`ssh HOST cat`", ratio, AIM, more_is_better=True, note=f"{ROUNDS} rounds")]
