"""What goes on: a restripe, commands, threads that wait. All moments are simulated UNIX times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class Run(Protocol):
    """A restripe that is running in the daemons."""

    def advance(self) -> None:
        """Bring the disks up to the present moment."""

    def adjust(self) -> None:
        """The limits of QoS have changed."""

    def report(self) -> dict[str, Any]:
        """How far it is, for the control interface."""

    @property
    def helpers(self) -> Sequence[str]:
        """The hosts that work on it."""

    @property
    def standing_since(self) -> float | None:
        """Since when it stands still; None while it moves."""

    @property
    def waiting_for(self) -> tuple[str, str, str]:
        """Host, thread and reason of what it waits for while it stands still."""


@dataclass
class Record:
    """One command of the history; times are simulated UNIX times, `rc` is None while it runs or if it was killed."""

    host: str
    argv: list[str]
    pid: int
    start: float
    end: float | None = None
    rc: int | None = None


@dataclass(frozen=True)
class Waiter:
    """A thread that waits for something; `since` is a UNIX time, `condition` the variable it waits on, if any."""

    thread: str
    reason: str
    since: float
    monitored: bool = True
    condition: str = ""
