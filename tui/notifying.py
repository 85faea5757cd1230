"""Running a command of the administrator's own when something happens: one at a time, for a bounded time, never waited
for by what is watched.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import sys
from collections import deque
from collections.abc import Mapping, Sequence

from remote.text import one_line

DEADLINE = 30.0
"""Real seconds that a command may take; then it is killed with all that it started."""
WAITING = 50
"""Notices that may wait for the one before them; beyond that the oldest are dropped."""


class NotifyError(Exception):
    """The command is none; the text says why."""


def words_of(command: str) -> tuple[str, ...]:
    """The words of a command line, by a shell's rules of quoting but without a shell. Raises NotifyError."""
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise NotifyError(f"--notify: {error}") from None
    if not words or not words[0]:
        raise NotifyError("--notify: there is no command")
    return words


class Notifier:
    """Runs `words` with the event's word and its text as two more arguments, and all of it in RESTRIPE_* variables.

    Its output goes to our stderr: stdout is for the lines alone. What goes wrong is said there, and ends nothing.
    """

    def __init__(self, words: Sequence[str], deadline: float = DEADLINE) -> None:
        self._words = tuple(words)
        self._deadline = deadline
        self._queue: deque[tuple[str, str, dict[str, str]]] = deque()
        self._task: asyncio.Task[None] | None = None

    def tell(self, event: str, text: str, more: Mapping[str, str]) -> None:
        """Tell of an event when those before it have been told; returns at once."""
        if len(self._queue) >= WAITING:
            dropped = self._queue.popleft()
            _complain(f"--notify is too slow; this was not told: {dropped[0]}: {dropped[1]}")
        self._queue.append((event, text, {f"RESTRIPE_{key.upper()}": value for key, value in more.items()}))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="notify")

    async def finish(self) -> None:
        """Wait until all is told; bounded, since each command is."""
        if self._task:
            await self._task

    async def close(self) -> None:
        """Tell nothing more, and end a command that runs."""
        self._queue.clear()
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while self._queue:
            event, text, more = self._queue.popleft()
            await self._tell(event, text, more)

    async def _tell(self, event: str, text: str, more: dict[str, str]) -> None:
        environment = {**os.environ, **more, "RESTRIPE_EVENT": event, "RESTRIPE_TEXT": text}
        try:
            process = await asyncio.create_subprocess_exec(
                *self._words,
                event,
                text,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=sys.stderr,
                stderr=sys.stderr,
                env=environment,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            _complain(f"--notify: {self._words[0]}: {getattr(error, 'strerror', None) or error}")
            return
        try:
            async with asyncio.timeout(self._deadline):
                rc = await process.wait()
            if rc:
                _complain(f"--notify: {self._words[0]} ended with exit code {rc} (told of {event})")
        except TimeoutError:
            _complain(
                f"--notify: {self._words[0]} took more than {self._deadline:g} s and was killed (told of {event})"
            )
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()


def _complain(text: str) -> None:
    with contextlib.suppress(OSError):
        sys.stderr.write(f"{one_line(text)}\n")
        sys.stderr.flush()
