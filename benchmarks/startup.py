"""How long `restripe --help` takes against the bare interpreter with the CLI library. Aim: under 1.5.

Prints a ratio of medians over interleaved runs; single times of a shared machine mean nothing.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

RUNS = 15
OURS = [sys.executable, "-c", "from tui.cli import main; main()", "--help"]
PEER = [sys.executable, "-c", "import click; click.command()(lambda: None)(prog_name='peer')", "--help"]


def seconds(command: list[str]) -> float:
    """Wall time of one run."""
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    """Measure in turn, so that a drifting machine hits both alike."""
    ours, peer = [], []
    seconds(OURS), seconds(PEER)
    for _ in range(RUNS):
        ours.append(seconds(OURS))
        peer.append(seconds(PEER))
    ratio = statistics.median(ours) / statistics.median(peer)
    print(f"restripe --help / click --help: {ratio:.2f} (aim: under 1.5; {RUNS} interleaved runs, medians)")


if __name__ == "__main__":
    main()
