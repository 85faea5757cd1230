"""The terminal, as the library drives it, on days on which it goes away, does not read, or a shell wants it back."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import termios
import time
import tty
from collections.abc import Callable
from io import TextIOWrapper
from typing import IO, TYPE_CHECKING, cast

from textual.drivers.linux_driver import LinuxDriver
from textual.events import Resize
from textual.geometry import Size

from remote.text import one_line

if TYPE_CHECKING:
    from textual.app import App

STALLED = 0.3
"""Seconds after which a terminal that takes no bytes is no longer drawn for."""


def has_shell() -> bool:
    """Whether a shell with job control waits for this program: without one nobody could continue it."""
    return os.getpgrp() != os.getsid(0)


class TerminalDriver(LinuxDriver):
    """The library's driver, whose output outlives the terminal, and which stops and goes on in order only."""

    def __init__(
        self, app: App[object], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._output = _Output(self._file)
        self._file = cast("TextIOWrapper", self._output)
        self._title = ""
        # in the loop, between two callbacks: the library's own handlers may strike while the queue of output is locked
        for number, handler in ((signal.SIGTSTP, self._stop_in_order), (signal.SIGCONT, self._go_on)):
            signal.signal(number, signal.SIG_DFL)
            self._loop.add_signal_handler(number, handler)

    @property
    def stalled(self) -> bool:
        """Whether the terminal takes no bytes now: a window of a connection that hangs, for example."""
        return self._output.seconds > STALLED

    def ring(self) -> None:
        """Ring the terminal's bell."""
        self.write("\a")

    def set_title(self, text: str) -> None:
        """Show a title; with nothing the one that was there before is again, where the terminal has kept it.

        What could steer the terminal is not sent, whoever made the title.
        """
        text = one_line(text)
        if text == self._title:
            return
        if not self._title:
            self.write("\x1b[22;2t")  # keep the one that is there
        self.write(f"\x1b]2;{text}\a")
        if not text:
            self.write("\x1b[23;2t")
        self._title = text

    def stop_application_mode(self) -> None:
        """Leave the terminal as it was: at the end, and while a shell has it."""
        self.set_title("")
        super().stop_application_mode()

    def close(self) -> None:
        """Wait for what is still to be written, if it can be."""
        if not self.stalled:
            super().close()

    def _stop_in_order(self) -> None:
        if not has_shell():
            return
        if self._app.is_running:
            self.suspend_application_mode()
            self._must_signal_resume = True
            self._output.write("restripe is stopped and watches nothing until fg; jobs on hosts go on.\n")
            self._output.flush()
        os.kill(os.getpid(), signal.SIGSTOP)

    def _go_on(self) -> None:
        """Take the terminal again if a shell had it; systemd and a hang-up send SIGCONT to programs that run, too."""
        if not self._app.is_running:
            return
        if self._must_signal_resume:
            self.resume_application_mode()
        elif self._lines_are_edited():
            self._retake()

    def _retake(self) -> None:
        """Have the terminal as before after a SIGSTOP, which nobody hears: what a shell changed of it, and the picture.

        Nothing of the library is begun anew. It would wait for the thread that reads keys, and that may hang in a read
        that began under the shell's settings, until a whole line is typed.
        """
        with contextlib.suppress(termios.error):
            settings = termios.tcgetattr(self.fileno)
            settings[tty.LFLAG] = self._patch_lflag(settings[tty.LFLAG])
            settings[tty.IFLAG] = self._patch_iflag(settings[tty.IFLAG])
            settings[tty.CC][termios.VMIN] = 1
            termios.tcsetattr(self.fileno, termios.TCSANOW, settings)
        self.write("\x1b[?1049h\x1b[?25l")  # the other screen, and no cursor
        self._enable_bracketed_paste()
        self._enable_mouse_support()
        self.flush()
        size = Size(*self._get_terminal_size())  # of a change meanwhile only the shell was told
        self._app.post_message(Resize(size, size))
        self._app.post_message(self.SignalResume())

    def take_back(self) -> None:
        """Take the terminal again if it is ours and a shell's settings are still on it: a signal may have been missed.

        To be called now and then. Who is in the background must not touch it. A terminal that is gone is the end of the
        program, also where nobody sends SIGHUP and nothing is written: the library would read from it without a pause.
        """
        try:
            foreground = os.tcgetpgrp(self.fileno) == os.getpgrp()
        except OSError as error:
            if error.errno == errno.EIO:
                os.kill(os.getpid(), signal.SIGHUP)
            return
        if foreground and self._lines_are_edited():
            self._go_on()

    def _lines_are_edited(self) -> bool:
        try:
            return bool(termios.tcgetattr(self.fileno)[3] & termios.ICANON)
        except termios.error:
            return False


class _Output:
    """What the library's thread writes to.

    A terminal that is gone is the end of the program, but not of the thread: the event loop would wait for it for ever.
    """

    def __init__(self, file: IO[str] | None) -> None:
        self._out = file or sys.stderr
        self._gone = False
        self._began: float | None = None

    @property
    def seconds(self) -> float:
        """How long the write that goes on has lasted."""
        began = self._began
        return 0.0 if began is None else time.monotonic() - began

    def fileno(self) -> int:
        """The terminal's."""
        return self._out.fileno()

    def write(self, text: str) -> None:
        """Write; nothing is said to a terminal that is gone."""
        self._do(lambda: self._out.write(text))

    def flush(self) -> None:
        """Let it be seen."""
        self._do(self._out.flush)

    def _do(self, work: Callable[[], object]) -> None:
        if self._gone:
            return
        self._began = time.monotonic()
        try:
            work()
        except OSError:
            self._gone = True
            nothing = os.open(os.devnull, os.O_WRONLY)
            for number in (1, 2):  # what is said at the very end must not fail either
                os.dup2(nothing, number)
            os.close(nothing)
            os.kill(os.getpid(), signal.SIGHUP)
        finally:
            self._began = None
