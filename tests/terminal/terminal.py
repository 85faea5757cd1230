"""The program on a real terminal: a pseudo-terminal to run it in, and the display that a person would see."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pexpect
import pyte
from pyte.screens import Cursor

from tests.tui.program import COMMAND, environment
from tests.waiting import until_now

SECONDS = 45.0
"""How long a state may take to be seen: long, since others share the machine."""
DEAF = 0.6
"""Seconds for which a dialog that has just been seen may still ignore keys: half of one, as is promised, and some."""
_PRIVATE = 5
"""pyte keeps the number of a private mode shifted by so much."""
_UNKNOWN_TO_PYTE = re.compile(rb"\x1b\[[<>=][0-9;]*[A-Za-z]|\x1b\]22;[a-z-]*\x07")
"""The keyboard's protocol, which pyte takes for text, and the pointer's shape, which it takes for a title."""
_BEGUN = re.compile(rb"\x1b(?:\[[<>=0-9;?]*|\][^\x07\x1b]*)?\Z")

Wanted = str | re.Pattern[str] | Callable[["Terminal"], object]


class Display(pyte.Screen):
    """A display with an alternate screen, which pyte lacks: what stood there before is back when it is left."""

    def __init__(self, columns: int, lines: int) -> None:
        self._kept: tuple[dict[int, Any], Cursor] | None = None
        super().__init__(columns, lines)

    def set_mode(self, *modes: int, **kwargs: Any) -> None:
        super().set_mode(*modes, **kwargs)
        if kwargs.get("private") and 1049 in modes and self._kept is None:
            self._kept = deepcopy(dict(self.buffer)), deepcopy(self.cursor)
            self.erase_in_display(2)

    def reset_mode(self, *modes: int, **kwargs: Any) -> None:
        super().reset_mode(*modes, **kwargs)
        if kwargs.get("private") and 1049 in modes and self._kept is not None:
            self.buffer.clear()
            self.buffer.update(self._kept[0])
            self.cursor = self._kept[1]
            self._kept = None

    @property
    def private_modes(self) -> set[int]:
        """The private modes that are on, as DECSET numbers them: 25 is a cursor that can be seen."""
        return {mode >> _PRIVATE for mode in self.mode if mode >= 1 << _PRIVATE}


class Terminal:
    """A program below a pseudo-terminal; what it writes is read all the time, as a terminal does."""

    def __init__(
        self, command: Sequence[str], env: Mapping[str, str], *, size: tuple[int, int] = (80, 24), cwd: Path | None
    ) -> None:
        """`size` is columns and lines."""
        columns, lines = size
        self.raw = b""
        """Every byte that was written to the terminal."""
        self._display = Display(columns, lines)
        self._stream = pyte.ByteStream(self._display)
        self._lock = threading.Lock()
        self._child = pexpect.spawn(
            command[0], list(command[1:]), env=dict(env), dimensions=(lines, columns), cwd=str(cwd) if cwd else None
        )
        self._fd: int = self._child.child_fd
        self._fresh = b""
        self._stop, self._stopped = os.pipe()
        self._reader: threading.Thread | None = None
        self.go_on()

    def _read(self) -> None:
        while True:
            ready, _, _ = select.select([self._fd, self._stop], [], [])
            if self._stop in ready:
                os.read(self._stop, 1)
                return
            try:
                data = os.read(self._fd, 65536)
            except OSError:  # nobody holds the other side any more
                return
            with self._lock:
                self.raw += data
                self._show(data)

    def _show(self, data: bytes) -> None:
        """Feed the display with what is whole."""
        data = self._fresh + data
        begun = _BEGUN.search(data)
        data, self._fresh = (data[: begun.start()], data[begun.start() :]) if begun else (data, b"")
        self._stream.feed(_UNKNOWN_TO_PYTE.sub(b"", data))

    # what a person sees

    @property
    def pid(self) -> int:
        """The process that was started."""
        return int(self._child.pid)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines."""
        return self._display.columns, self._display.lines

    @property
    def lines(self) -> list[str]:
        """The display, a line a line, without blanks at the ends."""
        with self._lock:
            return [line.rstrip() for line in self._display.display]

    @property
    def text(self) -> str:
        """The display."""
        return "\n".join(self.lines).rstrip()

    @property
    def title(self) -> str:
        """What the window is called."""
        return f"{self._display.title}{self._display.icon_name}"

    @property
    def modes(self) -> set[int]:
        """The private modes that are on."""
        with self._lock:
            return self._display.private_modes

    def discipline(self) -> tuple[bool, bool, bool]:
        """Whether the line echoes, edits lines, and makes signals of keys."""
        flags = termios.tcgetattr(self._fd)[3]
        return bool(flags & termios.ECHO), bool(flags & termios.ICANON), bool(flags & termios.ISIG)

    def edit_lines(self) -> None:
        """Let the line echo and edit, as shells leave it for the programs that they call."""
        settings = termios.tcgetattr(self._fd)
        settings[3] |= termios.ECHO | termios.ICANON | termios.ISIG
        termios.tcsetattr(self._fd, termios.TCSANOW, settings)

    def wait_for(self, wanted: Wanted, seconds: float = SECONDS) -> None:
        """Wait until a text stands on the display, or anything else is so; fails with the display."""

        def there() -> object:
            if isinstance(wanted, str):
                return wanted in self.text
            return wanted.search(self.text) if isinstance(wanted, re.Pattern) else wanted(self)

        self._until(there, repr(getattr(wanted, "pattern", getattr(wanted, "__name__", wanted))), seconds)

    def wait_gone(self, text: str, seconds: float = SECONDS) -> None:
        """Wait until a text stands nowhere on the display."""
        self._until(lambda: text not in self.text, f"{text!r} to go", seconds)

    def _until(self, there: Callable[[], object], what: str, seconds: float) -> None:
        try:
            until_now(there, seconds, every=0.02)
        except AssertionError:
            ended = "" if self._child.isalive() else ", and the program has ended"
            raise AssertionError(f"waited {seconds:g} s for {what}{ended}; the display:\n{self.framed()}") from None

    def framed(self) -> str:
        """The display as it is shown when a test fails."""
        columns = self.size[0]
        rule = "+" + "-" * columns + "+"
        return "\n".join([rule, *(f"|{line:<{columns}}|" for line in self.lines), rule])

    # what a person does

    def send(self, text: str | bytes) -> None:
        """Type."""
        data = text.encode() if isinstance(text, str) else text
        while data:
            data = data[os.write(self._fd, data) :]

    def outwait_deafness(self) -> None:
        """Read a dialog that is seen before a key is pressed: that it is deaf at first is a time, and no state."""
        time.sleep(DEAF)

    def resize(self, columns: int, lines: int) -> None:
        """Make the window larger or smaller."""
        with self._lock:
            self._display.resize(lines, columns)
        self._child.setwinsize(lines, columns)

    def signal(self, number: signal.Signals) -> None:
        """Send the program a signal."""
        os.kill(self.pid, number)

    def pause(self) -> None:
        """Take no more bytes, as a window does whose connection hangs."""
        if self._reader and self._reader.is_alive():
            os.write(self._stopped, b"x")
            self._reader.join()
        self._reader = None

    def go_on(self) -> None:
        """Take what is written."""
        self._reader = threading.Thread(target=self._read, name="terminal", daemon=True)
        self._reader.start()

    def hang_up(self) -> None:
        """Close the window: the kernel tells the program, and nothing can be read or written any more."""
        self.pause()
        self._child.ptyproc.fileobj.close()  # pexpect's own close() would help the program to its end

    def wait_end(self, seconds: float = SECONDS) -> int:
        """Wait until the program has ended; its exit status, or the signal as a negative number."""
        self._until(lambda: not self._child.isalive(), "the program to end", seconds)
        if self._reader:
            self._reader.join(10)  # what it wrote last is read
        number: int | None = self._child.signalstatus
        return -number if number else int(self._child.exitstatus)

    def close(self) -> None:
        """End the program, if it has not ended, and the terminal."""
        if self._child.isalive():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self._child.wait()
        self.pause()
        self._child.ptyproc.delayafterclose = 0
        self._child.close(force=True)
        os.close(self._stop)
        os.close(self._stopped)


@contextlib.contextmanager
def terminal(
    home: Path, *words: str, size: tuple[int, int] = (80, 24), command: Sequence[str] = COMMAND, **more: str
) -> Iterator[Terminal]:
    """`restripe WORDS...` on a terminal, in an empty home of its own; whatever happens, it is gone afterwards."""
    env = environment(home, TERM="xterm-256color", **more)
    for name in ("COLUMNS", "LINES", "NO_COLOR", "COLORTERM", "TERM_PROGRAM", "TMUX"):
        env.pop(name, None)
    made = Terminal([*command, *words], env, size=size, cwd=home)
    try:
        yield made
    finally:
        made.close()
