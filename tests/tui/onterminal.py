"""The program on a terminal of its own: what it prints there, and how it ends."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

from tests.tui.program import COMMAND, environment

_MODES = re.compile("\x1b\\[[?<>=][0-9;]*[a-z]")
"""What sets the terminal back: the mouse, the cursor and the like."""


class OnTerminal:
    """A process whose stdin, stdout and stderr are one pseudo-terminal. `code` is Python that runs in its place."""

    def __init__(self, home: Path, *words: str, code: str = "", size: tuple[int, int] = (80, 24), **more: str) -> None:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        command = (sys.executable, "-c", code) if code else COMMAND
        self.printed = b""
        self._file = ours
        self._process = subprocess.Popen(
            (*command, *words),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment(home, TERM="xterm-256color", **more),
            start_new_session=True,
        )
        os.close(theirs)
        os.set_blocking(ours, False)

    def until(self, seen: Callable[[str], bool], seconds: float = 60) -> None:
        """Read what it prints until that is as wanted; fail where it ends before, or takes too long."""
        ends = time.monotonic() + seconds
        while not seen(self.text):
            if not self._read() and self._process.poll() is not None and not self._read():
                assert seen(self.text), f"it ended before that: {self.text[-2000:]!r}"
                return
            assert time.monotonic() < ends, f"still {self.text[-2000:]!r}"

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self._file, keys.encode())

    def ended(self, seconds: float = 60) -> int:
        """Read to its end; its exit status."""
        ends = time.monotonic() + seconds
        while self._process.poll() is None:
            self._read()
            if time.monotonic() > ends:
                self._process.kill()
                raise AssertionError(f"it goes on: {self.text[-2000:]!r}")
        while self._read():
            pass
        os.close(self._file)
        return self._process.returncode

    @property
    def text(self) -> str:
        """All that was printed, with what steers the terminal."""
        return self.printed.decode("utf-8", "replace")

    @property
    def afterwards(self) -> str:
        """What stands on the terminal after the screens were gone; fails where they never were, or never left."""
        _screens, left, after = self.text.rpartition("\x1b[?1049l")
        assert left, self.text[-2000:]
        return _MODES.sub("", after).replace("\r\n", "\n")

    def _read(self) -> bool:
        try:
            data = os.read(self._file, 1 << 16)
        except BlockingIOError:
            time.sleep(0.01)
            return False
        except OSError:  # nobody has the other end any more
            time.sleep(0.01)
            return False
        self.printed += data
        return bool(data)
