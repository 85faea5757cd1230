"""`make bench`: measure everything, print it as it comes, write docs/benchmarks.md and docs/eta.md.

`python -m benchmarks NAME...` measures only those, and writes nothing but docs/eta.md, which is of `eta` alone.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from benchmarks import devices, fanout, firstpaint, following, logs, loopdelay, parsing, replay, startup, tables
from benchmarks.eta import page as eta
from benchmarks.figures import Figure, page
from benchmarks.servers import fan, have_sshd

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


async def _over_ssh(only: list[str]) -> list[Figure]:
    if not have_sshd():
        print("no OpenSSH server here: fan-out and following are not measured")
        return []
    made: list[Figure] = []
    with fan() as servers:
        if not only or "fanout" in only:
            for count in (32, 128):
                made += await fanout.figures(servers, count)
        if not only or "following" in only:
            made += await following.figures(servers)
    return made


async def _devices() -> list[Figure]:
    if not have_sshd():
        print("no OpenSSH server here: devices are not measured")
        return []
    return await devices.figures()


async def measure(only: list[str]) -> list[Figure]:
    """Every figure, or those of the named parts."""
    parts: dict[str, Callable[[], Awaitable[list[Figure]]]] = {
        "startup": startup.figures,
        "paint": firstpaint.figures,
        "ssh": lambda: _over_ssh(only),
        "devices": _devices,
        "parsers": parsing.figures,
        "loop": loopdelay.figures,
        "tables": tables.figures,
        "logs": logs.figures,
        "replay": replay.figures,
    }
    if only:
        names = {"ssh" if name in ("fanout", "following") else name for name in only}
        parts = {name: part for name, part in parts.items() if name in names}
    found: list[Figure] = []
    for part in parts.values():
        made = await part()
        for figure in made:
            print("; ".join(word for word in figure.cells if word), flush=True)
        found += made
    return found


def main(only: list[str]) -> None:
    """Measure and write."""
    began = time.monotonic()
    if not only or "eta" in only:
        eta.write()
    figures = asyncio.run(measure(only))
    print(f"{time.monotonic() - began:.0f} s")
    if not only:
        PAGE.write_text(page(figures), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
