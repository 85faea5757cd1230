"""How late the event loop is while 128 simulated hosts connect and answer; the simulator is another process.

A screen is drawn by the same loop, so this is what a person feels. The delay is that of a timer of 5 ms. The peer is
the same timer in a loop that is kept as busy by nothing but arithmetic, a millisecond at a time: what it suffers is
the machine's doing.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from benchmarks.figures import Figure
from remote.clock import WallClock
from remote.command import Command, Effect
from remote.live import LiveOptions, LiveSite
from remote.ssh.settings import SshSettings
from simulator.client import Simulation

HOSTS = 128
ROUNDS = 3
TICK = 0.005
AIM_MS = 50.0
UNAME = Command(("uname", "-n"), Effect.READS)


@asynccontextmanager
async def watched(delays: list[float]) -> AsyncIterator[None]:
    """Collect in milliseconds how late the loop is."""

    async def beat() -> None:
        while True:
            due = time.perf_counter() + TICK
            await asyncio.sleep(TICK)
            delays.append((time.perf_counter() - due) * 1000)

    beating = asyncio.create_task(beat())
    try:
        yield
    finally:
        beating.cancel()


def p99(delays: list[float]) -> float:
    """The delay that 99 of 100 do not exceed."""
    return sorted(delays)[int(len(delays) * 0.99)]


async def _connecting(simulation: Simulation) -> float:
    delays: list[float] = []
    options = LiveOptions(ssh=SshSettings(config_files=(simulation.ssh_config,)))
    site = LiveSite(simulation.hosts, WallClock(), options=options)
    try:
        async with watched(delays):
            answers = await asyncio.gather(*(site.query(host, UNAME) for host in simulation.hosts))
    finally:
        await site.close()
    assert len(answers) == HOSTS
    return p99(delays)


async def arithmetic() -> float:
    """The p99 delay in milliseconds of a loop that is kept busy by nothing that takes long."""
    delays: list[float] = []
    async with watched(delays):
        ends = time.perf_counter() + 3.0
        while time.perf_counter() < ends:
            pause = time.perf_counter() + 0.001
            while time.perf_counter() < pause:
                pass
            await asyncio.sleep(0)
    return p99(delays)


async def figures() -> list[Figure]:
    """Milliseconds, with those of the peer in the same rounds beside them."""
    ours, peer = [], []
    async with Simulation.start("big", speed=1, hosts=HOSTS, disks=HOSTS) as simulation:
        for _ in range(ROUNDS):
            peer.append(await arithmetic())
            ours.append(await _connecting(simulation))
    what = f"p99 delay of the event loop while {HOSTS} hosts connect and answer"
    beside = f"a loop that is busy with arithmetic: {statistics.median(peer):.1f} ms"
    return [Figure(what, beside, statistics.median(ours), AIM_MS, unit=" ms", note=f"{ROUNDS} rounds")]
