"""From the start of the program to its first frame, in a pseudo-terminal, against an app of a footer and twelve rows.

Each is a process of its own that a terminal watches until the frame is there, footer and all. Bytecode is cached for
both, as it is where a program has been installed.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks import smallapp
from benchmarks.figures import Figure, medians

ROUNDS = 15
AIM = 1.3
SIZE = (24, 80)
PATIENCE = 60.0
ROOT = Path(__file__).parents[1]
RECORDING = ROOT / "recordings" / "seed-3.5.jsonl"
NOBODY = "192.0.2.1"
"""An address that is kept for documents: nobody answers there."""
OURS = ("Cluster", "Problems", "quit")
"""Words of the frame: of the line of screens, of the body, and of the footer."""
THEIRS = (smallapp.LAST, "quit")


def first_paint(command: Sequence[str], words: Sequence[str], environment: Mapping[str, str]) -> float:
    """Seconds until a terminal has been sent all these words."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
    began = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, cwd=ROOT, start_new_session=True
    )
    os.close(theirs)
    try:
        sent = b""
        while not all(word.encode() in sent for word in words):
            ready, _, _ = select.select([ours], [], [], max(0.0, began + PATIENCE - time.perf_counter()))
            assert ready, f"no frame within {PATIENCE:g} s: {sent[-500:]!r}"
            sent += os.read(ours, 1 << 16)
        return time.perf_counter() - began
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def environment(folder: Path) -> dict[str, str]:
    """Nothing of a person's own, and a place for bytecode."""
    no = ("XDG_", "RESTRIPE_", "PYTHON", "TEXTUAL", "NO_COLOR")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(no)}
    places = {"HOME": str(folder / "home"), "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    return kept | places | {"TERM": "xterm-256color", "LANG": "C.UTF-8"}


async def figures() -> list[Figure]:
    """A recording, and a host that does not answer."""
    program = [sys.executable, "-m", "tui.cli"]
    with tempfile.TemporaryDirectory(prefix="restripe-bench-") as name:
        variables = environment(Path(name))

        async def peer() -> float:
            return first_paint([sys.executable, "-m", "benchmarks.smallapp"], THEIRS, variables)

        async def replay() -> float:
            return first_paint([*program, "replay", str(RECORDING)], OURS, variables)

        async def connect() -> float:
            return first_paint([*program, "connect", NOBODY, "--fs", "fs1"], OURS, variables)

        await medians(1, peer=peer, replay=replay, connect=connect)  # writes the bytecode
        taken = await medians(ROUNDS, peer=peer, replay=replay, connect=connect)
    return [
        Figure(
            f"first paint of {what}",
            f"an app of a footer and {smallapp.ROWS} rows",
            taken[key] / taken["peer"],
            AIM,
            note=f"{ROUNDS} rounds",
        )
        for key, what in (
            ("replay", "`restripe replay`"),
            ("connect", "`restripe connect` to a host that does not answer"),
        )
    ]
