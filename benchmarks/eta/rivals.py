"""What other tools do with the same lines: seconds left, or None, from how much of a total is done."""

from __future__ import annotations

import io
from collections import deque
from typing import Protocol

from rich.console import Console
from rich.progress import Progress


class Rival(Protocol):
    """Is told of every line in turn: seconds since the beginning and the part that is done, 0 to 1."""

    def left(self, at: float, done: float) -> float | None:
        """Seconds left after this line."""
        ...


class Linear:
    """The mean since the beginning."""

    def left(self, at: float, done: float) -> float | None:
        """Seconds left after this line."""
        return at * (1 - done) / done if done > 0 else None


class Smoothed:
    """Exponential means of steps and of their times, newest 0.3, as tqdm has them."""

    def __init__(self) -> None:
        self._last = (0.0, 0.0)
        self._step = self._took = 0.0

    def left(self, at: float, done: float) -> float | None:
        """Seconds left after this line."""
        took, step = at - self._last[0], done - self._last[1]
        self._last = (at, done)
        self._step, self._took = 0.3 * step + 0.7 * self._step, 0.3 * took + 0.7 * self._took
        return (1 - done) * self._took / self._step if self._step > 0 else None


class Window:
    """The mean over the last ten minutes."""

    SECONDS = 600.0

    def __init__(self) -> None:
        self._past: deque[tuple[float, float]] = deque([(0.0, 0.0)])

    def left(self, at: float, done: float) -> float | None:
        """Seconds left after this line."""
        self._past.append((at, done))
        while len(self._past) > 2 and self._past[0][0] < at - self.SECONDS:
            self._past.popleft()
        then, before = self._past[0]
        return (1 - done) * (at - then) / (done - before) if done > before else None


class Rich:
    """rich.progress itself, with our lines' time as its clock."""

    def __init__(self) -> None:
        self._now = 0.0
        console = Console(file=io.StringIO(), force_terminal=False)
        self._progress = Progress(console=console, auto_refresh=False, get_time=lambda: self._now)
        self._task = self._progress.add_task("", total=1.0)

    def left(self, at: float, done: float) -> float | None:
        """Seconds left after this line."""
        self._now = at
        self._progress.update(self._task, completed=done)
        return self._progress.tasks[0].time_remaining


RIVALS: dict[str, type[Linear | Smoothed | Window | Rich]] = {
    "linear": Linear,
    "EMA": Smoothed,
    "10 min": Window,
    "rich": Rich,
}
