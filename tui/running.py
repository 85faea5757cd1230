"""Running a command's coroutine to the program's exit status; no traceback reaches the terminal."""

from __future__ import annotations

import asyncio
import errno
import io
import os
import signal
import sys
import traceback
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, NoReturn

from remote.text import one_line
from tui.exits import Exit
from tui.paths import state_dir

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Where output goes has no room: no error of restripe's own, and nothing to report."""


class CrashError(Exception):
    """The screens were ended by an error of restripe's own; `code` is how the program ends then."""

    def __init__(self, error: Exception, code: Exit) -> None:
        super().__init__(str(error))
        self.error = error
        self.code = code


def run_to_exit(work: Coroutine[Any, Any, Exit]) -> NoReturn:
    """Run `work` and leave the program with its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal without UTF-8 ends nothing
    try:
        code = asyncio.run(_terminable(work))
        sys.stdout.flush()
    except (KeyboardInterrupt, asyncio.CancelledError):
        _complain("Interrupted. Detached jobs on real hosts go on; a simulated cluster ends with this program.")
        code = Exit.INTERRUPTED
    except BrokenPipeError:
        # whoever read our output is gone; stdout must not complain again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = Exit.FAILED
    except CrashError as crash:
        _confess(crash.error)
        code = crash.code
    except OSError as error:
        if error.errno not in _FULL:
            _confess(error)
        else:
            _complain(f"restripe: {error.strerror}: not all could be printed")
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = Exit.FAILED
    except Exception as error:  # noqa: BLE001  the last net: a person gets a line and a file, never a traceback
        _confess(error)
        code = Exit.FAILED
    sys.exit(int(code))


async def _terminable(work: Coroutine[Any, Any, Exit]) -> Exit:
    """Treat TERM and HUP like an interrupt, so that everything is closed in order.

    They come in pairs, from the kernel and the shell, from a session manager: the second must not disturb the order.
    """
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()

    def end() -> None:
        if not task.cancelling():
            task.cancel()

    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, end)
    return await task


def _confess(error: Exception) -> None:
    """Say which error of our own it was and where, and keep the rest in a file: without the values of variables."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" (in {frames[-1].name}, {Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    _complain(f"restripe has an error of its own: {type(error).__name__}: {one_line(str(error))}{where}")
    _complain(f"Details are in {_keep(error)}; jobs on hosts are not touched by this.")


def _complain(text: str) -> None:
    sys.stderr.write(text + "\n")


def _keep(error: Exception) -> Path:
    path = state_dir() / "crash.txt"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.touch(mode=0o600)
        path.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
    except OSError:
        return Path("(nowhere: the state directory cannot be written)")
    return path
