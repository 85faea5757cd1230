"""The processes of this machine, as tests look at them and signal them."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path


def environ(pid: int) -> bytes:
    """The environment of a process, or nothing when it is gone or another's."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/environ").read_bytes()
    return b""


def command_line(pid: int) -> str:
    """The words of a process, or nothing when it is gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def stat_fields(pid: int) -> list[str]:
    """/proc/PID/stat behind the name: state, parent, group, ...; empty when the process is gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    return []


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    fields = stat_fields(pid)
    return bool(fields) and fields[0] not in ("Z", "X")


def every_pid() -> list[int]:
    """All processes of this machine."""
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def descendants(root: int) -> list[int]:
    """All processes below `root`, parents first."""
    children: dict[int, list[int]] = {}
    for pid in every_pid():
        fields = stat_fields(pid)
        if fields:
            children.setdefault(int(fields[1]), []).append(pid)
    found: list[int] = []
    waiting = [root]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def send(pids: list[int], number: signal.Signals) -> None:
    """Signal processes; those that are gone do not matter."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
