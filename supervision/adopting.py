"""Scans that somebody else started, taken in as jobs: found, followed and judged like our own, and never touched.

A scan whose output goes to a file has the name of that log, `file:PATH`, for its id; one whose output nobody can read
`process:PID:START`. Nobody but its own shell learns of its exit code. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from remote.command import Effect, quote
from remote.events import Adopted
from remote.jobs import JobState, JobStatus
from remote.linux.scans import Goes, Output, RunningScan, RunningScans
from remote.text import one_line

FILE, PROCESS = "file:", "process:"
NO_PID = "no_pid"
_WHERE = {
    Goes.TERMINAL: "a terminal only",
    Goes.PIPE: "a pipe, and from there to no file",
    Goes.SOCKET: "a socket",
    Goes.NULL: "/dev/null",
    Goes.CLOSED: "nowhere",
    Goes.HIDDEN: "a place that only root can see",
    Goes.OTHER: "a place that is no file",
}


def is_adopted(job_id: str) -> bool:
    """Whether a job is a process that somebody else started."""
    return job_id.startswith((FILE, PROCESS))


def log_path(job_id: str) -> str:
    """The path of the log of an adopted job; empty where its output cannot be read."""
    return job_id.removeprefix(FILE) if job_id.startswith(FILE) else ""


def chosen(scan: RunningScan) -> Output | None:
    """The output to follow: one that holds both streams before one of stdout before one of stderr."""
    readable = [output for output in scan.outputs if output.readable.startswith("/")]
    return max(readable, key=lambda output: (len(output.streams), 1 in output.streams), default=None)


def where(scan: RunningScan) -> str:
    """Where the output of a scan goes, in words."""
    output = chosen(scan)
    if output is not None:
        by = f" (by {output.by})" if output.by and output.pid != scan.pid else ""
        gone = ", which has no name any more" if output.kind is Goes.UNLINKED else ""
        return one_line(f"its output goes to {output.path}{gone}{by}")
    if scan.hidden:
        return "where its output goes cannot be seen without root (--sudo)"
    first = next(iter(scan.outputs), None)
    if first is None:
        return "where its output goes is not known"
    by = f" (of {first.by})" if first.by and first.pid != scan.pid else ""
    return one_line(f"its output goes to {_WHERE.get(first.kind, 'no file')}{by}, so nothing of it can be read")


def status_of(scan: RunningScan, now: float | None, speed: float = 1.0) -> JobStatus:
    """A scan as a job's status. `now` is its host's clock when it was seen, `speed` that of a simulated clock."""
    output = chosen(scan)
    began = None if now is None or scan.age is None else now - scan.age * speed
    return JobStatus(
        f"{FILE}{output.readable}" if output else f"{PROCESS}{scan.pid}:{scan.start}",
        JobState.RUNNING,
        began=began,
        title=f"started outside restripe, pid {scan.pid}; {where(scan)}",
        operator=one_line(scan.who),
        command=_text(scan.words),
        effect=Effect.CHANGES,
        interruptible=False,
    )


def unnamed(path: str, pid: int | None) -> JobStatus:
    """A log that a person named, of which nobody knows which process writes it or what that runs."""
    who = "which process writes it is not known" if pid is None else f"pid {pid}"
    return JobStatus(
        f"{FILE}{path}",
        JobState.RUNNING,
        note=NO_PID if pid is None else "",
        title=f"started outside restripe, {who}; its output goes to {one_line(path)}",
        effect=Effect.CHANGES,
        interruptible=False,
    )


def _text(words: tuple[str, ...]) -> str:
    try:
        return quote(words)
    except ValueError:  # no text; it is shown, and never run
        return one_line(" ".join(words))


def found(
    told: RunningScans,
    host: str,
    at: float,
    *,
    is_ours: Callable[[str], bool],
    is_wanted: Callable[[JobStatus], bool],
    speed: float = 1.0,
) -> list[Adopted]:
    """The scans of a host to take in: those that `is_wanted`, and that are no jobs whose directories are ours."""
    events = []
    for scan in told.scans:
        if scan.job and is_ours(scan.job):
            continue
        status = status_of(scan, told.now, speed)
        if is_wanted(status):
            events.append(Adopted(at, host, status, scan.pid, scan.start))
    return events


def writer_of(told: RunningScans, path: str, pid: int | None) -> RunningScan | None:
    """The scan that writes a file, or that has the pid; None where none was seen."""
    for scan in told.scans:
        if scan.pid == pid:
            return scan
        if pid is None and any(output.readable == path for output in scan.outputs):
            return scan
    return None


def named(told: RunningScans | None, host: str, at: float, path: str, pid: int | None, speed: float = 1.0) -> Adopted:
    """A log that a person named, with what is known of the process that writes it."""
    scan = writer_of(told, path, pid) if told else None
    if scan is None:
        return Adopted(at, host, unnamed(path, pid), pid)
    status = status_of(scan, told.now if told else None, speed)
    title = f"started outside restripe, pid {scan.pid}; its output goes to {one_line(path)}"
    return Adopted(at, host, msgspec.structs.replace(status, id=f"{FILE}{path}", title=title), scan.pid, scan.start)


def after_look(status: JobStatus, alive: bool | None) -> JobStatus:
    """The status of an adopted job after a look at its process; None: its host cannot be asked."""
    if status.state.settled:
        return status
    if alive is None:
        return msgspec.structs.replace(status, state=JobState.UNKNOWN)
    return msgspec.structs.replace(status, state=JobState.RUNNING if alive else JobState.ENDED)


def missing(told: RunningScans, held: Iterable[tuple[str, int | None, int | None]]) -> list[str]:
    """Which of some adopted jobs (id, pid, start) run no more, as a look at all scans of their host tells."""
    if told.more:
        return []
    there = {(scan.pid, scan.start) for scan in told.scans}
    return [job_id for job_id, pid, start in held if (pid, start) not in there]
