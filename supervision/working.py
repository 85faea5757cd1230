"""Whether a job's processes work: by what they read, write and compute, by their output, and by the lines of its log.

Pure. All of these count together: a process that moves any of them works. A host that does not tell is unknown, and
never a stall.
"""

from __future__ import annotations

from enum import Enum

import msgspec

from supervision.state import Job, State
from supervision.tables import Line
from supervision.works import Seen


class Going(Enum):
    """How it goes with a job's processes."""

    MOVES = "moves"
    STILL = "still"
    """It is there, and nothing has moved."""
    STOPPED = "stopped"
    """A signal has stopped all of them (SIGSTOP, ^Z, a debugger)."""
    GONE = "gone"
    """They were there and are not any more."""
    UNKNOWN = "unknown"


class Judgement(msgspec.Struct, frozen=True):
    """How it goes. `since` (Site's clock) is when it last moved, was stopped or was found gone; None where that is not
    known. `moves` are the counters that moved: `cpu`, `read`, `written`, `chars_read`, `chars_written`, `output`, `log`.
    `why` says it in words, with what it rests on.
    """

    going: Going
    why: str
    since: float | None = None
    moves: tuple[str, ...] = ()


def of_job(state: State, job: Job) -> tuple[Seen, ...]:
    """The processes of a job, as they were seen last, those that are gone too."""
    raise NotImplementedError


def judged(state: State, job: Job, *, within: float, printed: float | None = None) -> Judgement:
    """How it goes with a job: whether anything has moved in the last `within` seconds before its host told of it.

    `printed` is when its log last got something (Site's clock), where that is known.
    """
    raise NotImplementedError


def evidence(state: State, job: Job, output: str = "") -> tuple[Line, ...]:
    """What the host tells of a job's processes: memory, I/O and its rate, computing, the size of `output` (a path)."""
    raise NotImplementedError


def peak_kb(state: State, job: Job) -> int | None:
    """The most memory that a process of the job had, in KiB, as far as it was seen."""
    raise NotImplementedError


def output_size(state: State, job: Job, path: str) -> int | None:
    """The size in bytes of a file that the job writes, when it was last seen; None where it was not."""
    raise NotImplementedError
