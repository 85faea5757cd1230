"""One short command on many hosts, against clush and pdsh: with new connections, and with those that are open already.

Ours is the program as it runs, a LiveSite that asks all hosts at once; its own start is not counted, theirs is.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import statistics
import time

from benchmarks.figures import Figure
from benchmarks.servers import Fan
from remote.command import Command, Effect
from remote.live import LiveSite

ROUNDS = 3
FANOUT = 64
AIM_NEW = 0.25
AIM_OPEN = 0.05
UNAME = Command(("uname", "-n"), Effect.READS)


async def _ask(site: LiveSite, hosts: list[str]) -> float:
    began = time.perf_counter()
    answers = await asyncio.gather(*(site.query(host, UNAME) for host in hosts))
    seconds = time.perf_counter() - began
    assert [answer.rc for (answer,) in answers] == [0] * len(hosts)
    return seconds


async def _ours(fan: Fan, hosts: list[str]) -> tuple[float, float]:
    """Seconds with new connections, and with open ones."""
    site = fan.site(hosts)
    try:
        return await _ask(site, hosts), statistics.median([await _ask(site, hosts) for _ in range(3)])
    finally:
        await site.close()


async def _peer(command: list[str], hosts: list[str], env: dict[str, str]) -> float:
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, env={**os.environ, **env}
    )
    output, _ = await process.communicate()
    seconds = time.perf_counter() - began
    assert len(output.splitlines()) == len(hosts), f"{command[0]}: {len(output.splitlines())} of {len(hosts)} answered"
    return seconds


def _peers(fan: Fan, hosts: list[str]) -> dict[str, tuple[list[str], dict[str, str]]]:
    named = ",".join(hosts)
    options = f"-F {fan.config}"
    peers = {
        "clush": (["clush", "-f", str(FANOUT), "-o", options, "-w", named, UNAME.text], {}),
        "pdsh": (
            ["pdsh", "-R", "ssh", "-f", str(FANOUT), "-w", named, UNAME.text],
            {"PDSH_SSH_ARGS_APPEND": options},
        ),
    }
    return {name: peer for name, peer in peers.items() if shutil.which(name)}


async def figures(fan: Fan, count: int) -> list[Figure]:
    """Ours and the peers in turn, on the first `count` hosts, spread over the servers."""
    hosts = sorted(fan.hosts, key=lambda host: int(host.rpartition(".")[2]))[:count]
    peers = _peers(fan, hosts)
    new: list[float] = []
    opened: list[float] = []
    theirs: dict[str, list[float]] = {name: [] for name in peers}
    for _ in range(ROUNDS):
        first, then = await _ours(fan, hosts)
        new.append(first)
        opened.append(then)
        for name, (command, env) in peers.items():
            theirs[name].append(await _peer(command, hosts, env))
    made = []
    for name, options, aims in (
        ("clush", f"clush -f {FANOUT}", (AIM_NEW, AIM_OPEN)),
        ("pdsh", f"pdsh -R ssh -f {FANOUT}", (None, None)),
    ):
        median = statistics.median(theirs[name]) if theirs.get(name) else None
        note = f"{ROUNDS} rounds" if median else f"{name} is not installed"
        for what, ours, aim in (("new", new, aims[0]), ("open", opened, aims[1])):
            ratio = statistics.median(ours) / median if median else None
            made.append(
                Figure(f"`uname -n` on {count} hosts, {what} connections", f"`{options}`", ratio, aim, note=note)
            )
    return made
