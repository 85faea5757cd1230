"""What `screen -L` looks like to other processes: a parent named SCREEN that holds a terminal and its log open.

python -m simulator.screenlike LOG COMMAND...: the command runs in a terminal of its own, and what it prints is
appended to the log as it comes, with the terminal's line ends. Ends with the command. Linux only.
"""

from __future__ import annotations

import ctypes
import os
import pty
import subprocess
import sys
from pathlib import Path

_PR_SET_NAME = 15
_ARG_START = 45
"""Place of the address of the arguments among the fields of /proc/self/stat that follow the name."""


def pose_as(name: str, arguments: list[str]) -> None:
    """Let /proc tell this name and these arguments, cut to the room that the true ones take."""
    ctypes.CDLL(None).prctl(_PR_SET_NAME, name.encode(), 0, 0, 0)
    fields = Path("/proc/self/stat").read_bytes().rpartition(b") ")[2].split()
    begin, end = int(fields[_ARG_START]), int(fields[_ARG_START + 1])
    told = b"".join(os.fsencode(word) + b"\0" for word in arguments)[: end - begin]
    ctypes.memmove(begin, told.ljust(end - begin, b"\0"), end - begin)


def run(log: Path, command: list[str]) -> int:
    """Run a command in a terminal and keep what it prints; its exit status."""
    master, slave = pty.openpty()
    settings = {**os.environ, "STY": f"{os.getpid()}.pts-0", "WINDOW": "0", "TERM": "screen"}
    child = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, env=settings, start_new_session=True, close_fds=True
    )
    os.close(slave)
    with log.open("ab", buffering=0) as out:
        while True:
            try:
                data = os.read(master, 4096)
            except OSError:
                break  # The last one that had the terminal open is gone.
            if not data:
                break
            out.write(data)
    return child.wait()


if __name__ == "__main__":
    pose_as("screen", ["SCREEN", "-L"])
    sys.exit(run(Path(sys.argv[1]), sys.argv[2:]))
