"""`restripe verify` over 64 storage servers with 100 disks each, against clush that collects the same text.

The far side only prints: `sh`, `lsblk` and the mm* commands of its sessions are stubs with fixed answers, so that what
is measured is this side and the way there, and not how fast one machine can play 64 servers. Both ask with new
connections. Ours carries more than the peer: the scripts themselves, `timeout` around each question, the questions on
the cluster, and all of the reading and judging; its own start is not counted, theirs is.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks import storagehosts
from benchmarks.figures import Figure
from benchmarks.loopdelay import arithmetic, p99, watched
from benchmarks.servers import Fan, fan
from remote.gpfs.stanza import nsd_stanzas, parse_stanzas
from supervision.gpfs_site import look_in_turns, site_of
from supervision.gpfs_stanzacheck import judge_in_turns
from supervision.gpfs_verify import verify
from supervision.gpfs_view import View
from supervision.supervisor import Supervisor
from supervision.verdicts import PROVEN
from tui.connecting import Target, look

HOSTS = 64
ROUNDS = 3
AIM = 2.0
AIM_MS = 50.0
_ASKED = "lsblk; sh -c : restripe-devices; sh -c : restripe-signatures; mmdevdiscover"
"""What the peer sends: each of our questions on devices by its name, answered by the same stubs."""


class Answers:
    """Stubs for PATH of the far side, and what each host answers: its address is the server's side of a connection."""

    def __init__(self, directory: Path) -> None:
        directory.chmod(0o755)
        self.stubs = directory / "bin"
        self.stubs.mkdir()
        self._texts = directory / "texts"
        cat = f"set -- $SSH_CONNECTION\nexec /bin/cat {self._texts}/$3/"
        for name in ("lsblk", "mmdevdiscover", "mmlscluster", "mmlsnsd", "mmlsfs", "mmlsdisk", "mmgetstate"):
            self._stub(name, cat + name)
        self._stub("sh", f'case $3 in\nrestripe-*) name=$3\n{cat}$name ;;\nesac\nexec /bin/sh "$@"')

    def _stub(self, name: str, text: str) -> None:
        file = self.stubs / name
        file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        file.chmod(0o755)

    def tell(self, hosts: list[str]) -> int:
        """Write the answers of all hosts; returns the bytes of those that the peer collects, too."""
        with tempfile.TemporaryDirectory() as tree:
            server = storagehosts.Server(Path(tree))
        size = 0
        for number, host in enumerate(hosts):
            texts = server.answers(number)
            size += sum(len(text.encode()) for text in texts.values())
            self._write(host, texts)
        self._write(hosts[0], storagehosts.cluster_answers(hosts))
        return size

    def _write(self, host: str, texts: dict[str, str]) -> None:
        directory = self._texts / host
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (directory / name).write_text(text, encoding="utf-8")


@contextmanager
def _answering() -> Iterator[tuple[Fan, list[str], int]]:
    """Servers that answer, the hosts that are asked, and the size of what each side collects in bytes."""
    with tempfile.TemporaryDirectory(prefix="rs-answers-") as directory:
        answers = Answers(Path(directory))
        path = f"{answers.stubs}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
        with fan({"PATH": path}) as servers:
            # spread over the servers, as many on each
            hosts = sorted(servers.hosts, key=lambda host: int(host.rpartition(".")[2]))[:HOSTS]
            yield servers, hosts, answers.tell(hosts)


async def _peer(servers: Fan, hosts: list[str], size: int) -> float:
    command = ["clush", "-N", "-f", str(HOSTS), "-o", f"-F {servers.config}", "-w", ",".join(hosts), _ASKED]
    with tempfile.TemporaryFile() as output:
        began = time.perf_counter()
        process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.DEVNULL, stdout=output)
        await process.wait()
        seconds = time.perf_counter() - began
        came = os.fstat(output.fileno()).st_size
    assert came == size, f"clush collected {came} of {size} bytes"
    return seconds


async def _ours(servers: Fan, hosts: list[str]) -> tuple[float, list[float], list[float]]:
    """Seconds of a whole verification, and how late the loop was in it, and in judging alone (ms)."""
    delays: list[float] = []
    judging: list[float] = []
    text = storagehosts.stanzas(hosts)
    async with look(Target(hosts[0], config=servers.config), storagehosts.FS) as supervisor:
        began = time.perf_counter()
        async with watched(delays):
            verified = await verify(supervisor, text)
        seconds = time.perf_counter() - began
        proven = sum(verdict.kind == PROVEN for verdict in verified.judged.verdicts)
        assert proven == len(hosts), f"{proven} of {len(hosts)} devices are proven"
        async with watched(judging):
            await _judge(supervisor, text)
    return seconds, delays, judging


async def _judge(supervisor: Supervisor, text: str) -> None:
    """Judge once more from the answers, as `verify` does, with nothing else going on."""
    view = View(supervisor.store.state, supervisor.fs, tuple(supervisor.site.hosts))
    await look_in_turns(view)
    await judge_in_turns(nsd_stanzas(parse_stanzas(text).model).model, site_of(view))
    await asyncio.sleep(0.02)  # so that the beat tells how late it was at the end


async def figures() -> list[Figure]:
    """The ratio of times, and milliseconds that the loop is late."""
    ours, theirs, peers = [], [], []
    with _answering() as (servers, hosts, size):
        for _ in range(ROUNDS):
            peers.append(await arithmetic())
            ours.append(await _ours(servers, hosts))
            if shutil.which("clush"):
                theirs.append(await _peer(servers, hosts, size))
    seconds, delays, judging = zip(*ours, strict=True)
    ratio = statistics.median(seconds) / statistics.median(theirs) if theirs else None
    disks = f"{HOSTS} hosts with {storagehosts.DISKS} disks each"
    note = f"{ROUNDS} rounds, {size / 1e6:.0f} MB of fixed answers" if theirs else "clush is not installed"
    peer = f"`clush -f {HOSTS}` that collects the same answers"
    whole = statistics.median(p99(each) for each in delays)
    late = f"longest {max(map(max, judging)):.0f} ms; {whole:.0f} ms while they connect, answer and are read, too"
    busy = f"a loop that is busy with arithmetic: {statistics.median(peers):.1f} ms"
    held = statistics.median(p99(each) for each in judging)
    return [
        Figure(f"`restripe verify` of a new disk on each of {disks}", peer, ratio, AIM, note=note),
        Figure(f"p99 delay of the event loop while {disks} are judged", busy, held, AIM_MS, unit=" ms", note=late),
    ]
