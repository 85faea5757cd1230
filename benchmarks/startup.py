"""How long `restripe --help` takes against the bare interpreter with the CLI library. Aim: under 1.5."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from benchmarks.figures import Figure

RUNS = 15
AIM = 1.5
OURS = [sys.executable, "-c", "from tui.cli import main; main()", "--help"]
PEER = [sys.executable, "-c", "import click; click.command()(lambda: None)(prog_name='peer')", "--help"]


def seconds(command: list[str]) -> float:
    """Wall time of one run."""
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


async def figures() -> list[Figure]:
    """Measure in turn, so that a drifting machine hits both alike."""
    ours, peer = [], []
    seconds(OURS), seconds(PEER)
    for _ in range(RUNS):
        ours.append(seconds(OURS))
        peer.append(seconds(PEER))
    ratio = statistics.median(ours) / statistics.median(peer)
    return [Figure("`restripe --help`", "a bare click program's `--help`", ratio, AIM, note=f"{RUNS} rounds")]
