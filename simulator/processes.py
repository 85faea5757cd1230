"""Child processes: one reaper for all of them, adopted orphans included, and an end that leaves none behind.

Linux only: the simulator makes itself the parent of every detached job (`PR_SET_CHILD_SUBREAPER`).
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_CLONE_NEWNS = 0x00020000
_MS_REC = 0x4000
_MS_PRIVATE = 0x40000


def become_subreaper() -> None:
    """Make this process the parent of orphaned descendants. Raises OSError where the kernel refuses."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "cannot become a child subreaper")


def own_mounts() -> bool:
    """Give this process and its children a view of the mounts of their own, which ends with them; needs root.

    Returns False where the kernel refuses: then nothing may be mounted.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() != 0 or libc.unshare(_CLONE_NEWNS) != 0:
        return False
    return bool(libc.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None) == 0)


def descendants() -> set[int]:
    """The pids of all processes below this one, zombies included."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            # The command name stands in parentheses and may itself hold blanks and parentheses.
            fields = (entry / "stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue  # It ended while we looked.
        children.setdefault(int(fields[1]), []).append(int(entry.name))
    found: set[int] = set()
    todo = [os.getpid()]
    while todo:
        below = children.get(todo.pop(), [])
        found.update(below)
        todo += below
    return found


class Processes:
    """Starts and reaps the sessions' shells. Nothing else in the process may wait for children."""

    def __init__(self) -> None:
        self._exits: dict[int, asyncio.Future[int]] = {}
        self._popens: dict[int, subprocess.Popen[bytes]] = {}
        self._closed = False
        self.may_mount = False

    def start(self) -> None:
        """Begin to reap; needs the running event loop in the main thread."""
        become_subreaper()
        self.may_mount = own_mounts()
        asyncio.get_running_loop().add_signal_handler(signal.SIGCHLD, self._reap)

    def spawn(self, argv: list[str], env: Mapping[str, str], cwd: Path) -> subprocess.Popen[bytes]:
        """Start a process in a session of its own with three pipes. Raises OSError when that fails."""
        if self._closed:
            raise OSError("the simulator is ending")
        popen = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=dict(env),
            cwd=cwd,
            start_new_session=True,
        )
        self._exits[popen.pid] = asyncio.get_running_loop().create_future()
        self._popens[popen.pid] = popen
        return popen

    async def exit_of(self, pid: int) -> int:
        """The exit status of a spawned process, negative for a signal; to be asked once for each."""
        try:
            return await asyncio.shield(self._exits[pid])
        finally:
            self._exits.pop(pid, None)

    def forget(self, pid: int) -> None:
        """Nobody will ask for this process's exit status; it is reaped all the same."""
        self._exits.pop(pid, None)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            code = os.waitstatus_to_exitcode(status)
            popen = self._popens.pop(pid, None)
            if popen is not None:
                # So that Popen never waits for it itself.
                popen.returncode = code
            future = self._exits.get(pid)
            if future is not None and not future.done():
                future.set_result(code)

    async def kill_all(self, deadline: float) -> set[int]:
        """Kill and reap every descendant, new ones too, for at most `deadline` real seconds; returns who is left."""
        self._closed = True
        loop = asyncio.get_running_loop()
        end = loop.time() + deadline
        while left := descendants():
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            self._reap()
            if loop.time() > end:
                return descendants()
            await asyncio.sleep(0.002)
        return set()
