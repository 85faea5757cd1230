"""Whether a job's processes work: by what they read, write and compute, by their output, and by the lines of its log.

Pure. All of these count together: a process that moves any of them works. A host that does not tell is unknown, and
never a stall.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum

import msgspec

from remote.linux.work import Worker
from supervision.clocktext import age_text, duration_text, moment_text
from supervision.figures import size_text
from supervision.jobwords import words_of
from supervision.running import AWAY
from supervision.state import Job, State
from supervision.tables import Line, Severity
from supervision.works import Moved, Seen, Works

OLD = 60.0
"""Seconds: what was told longer ago says nothing of now, unless a longer time is asked for."""
KIB = 1024
COUNTERS = {
    "read": "it reads from disk",
    "written": "it writes to disk",
    "chars_read": "it reads",
    "chars_written": "it writes",
    "cpu": "it computes",
    "output": "its files grow",
    "log": "its log grows",
}
"""What moves, and how that is said; what tells more of work comes first."""


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
    known. `moves` are the counters that moved, by the names of COUNTERS. `why` says it in words, with what it rests on.
    """

    going: Going
    why: str
    since: float | None = None
    moves: tuple[str, ...] = ()


def of_job(state: State, job: Job) -> tuple[Seen, ...]:
    """The processes of a job, as they were seen last, those that are gone too.

    They are known by the job's directory, of jobs of others by pid and start. Of one that no job is known of, the
    command has to be that of the job, and no other process may have it.
    """
    works = state.works.get(job.host)
    if works is None:
        return ()
    if job.pid is not None:
        same = (seen for seen in works.seen if (seen.worker.pid, seen.worker.start) == (job.pid, job.start))
        return tuple(same)
    place = state.places.get(job.host)
    wanted = job.status.id
    found = tuple(
        seen
        for seen in works.seen
        if seen.worker.job == (f"{place.base}/{wanted}" if place else "")
        or (not place and seen.worker.job.rpartition("/")[2] == wanted)
    )
    return found or _by_words(works, words_of(job))


def _by_words(works: Works, words: Sequence[str]) -> tuple[Seen, ...]:
    """The only process whose command is the last words of a job's."""
    plain = [word.rpartition("/")[2] for word in words]
    found = [
        seen
        for seen in works.seen
        if seen.gone is None
        and not seen.worker.job
        and (own := seen.worker.words)
        and len(own) <= len(words)
        and tuple(words[len(words) - len(own) + 1 :]) == own[1:]
        and plain[len(words) - len(own)] == own[0]
    ]
    return tuple(found) if len(found) == 1 else ()


def judged(state: State, job: Job, *, within: float, printed: float | None = None) -> Judgement:
    """How it goes with a job: whether anything has moved in the last `within` seconds before its host told of it.

    `printed` is when its log last got something (Site's clock), where that is known.
    """
    works = state.works.get(job.host)
    if why := _untold(state, job, works, within):
        return Judgement(Going.UNKNOWN, why)
    assert works is not None
    seen = of_job(state, job)
    here = [each for each in seen if each.gone is None and not each.worker.ended]
    if not seen:
        return Judgement(Going.UNKNOWN, f"no process of it was found on {job.host}")
    if not here:
        gone = max(each.gone or works.at for each in seen)
        return Judgement(Going.GONE, f"its process was gone at {_moment(state, gone)}", gone)
    stops = [each.stopped for each in here]
    stopped = max((at for at in stops if at is not None), default=None)
    went_on = printed is not None and printed > works.at  # since its host told of it
    if stopped is not None and None not in stops and not went_on:
        text = f"its process is stopped (state {here[-1].worker.state}) since {_moment(state, stopped)}: kill -CONT"
        return Judgement(Going.STOPPED, f"{text} {here[-1].worker.pid} lets it go on", stopped)
    return _by_counters(state, works, here, within, printed)


def _untold(state: State, job: Job, works: Works | None, within: float) -> str:
    """Why nothing is known of a job's processes now; empty when something is."""
    fact = state.facts.get(f"work {job.host}")
    link = state.links.get(job.host)
    if link is not None and link.state in AWAY:
        return f"{job.host} cannot be reached"
    if fact is not None and fact.failure:
        return f"{job.host} does not tell of its processes: {fact.failure}"
    if fact is not None and fact.parsed is not None and not fact.parsed.ok:
        return f"what {job.host} tells of its processes is not whole: {fact.parsed.problems[0].why}"
    if works is None:
        return f"{job.host} has not told of its processes yet"
    if state.at - works.at > max(within, OLD):
        return f"{job.host} told of its processes {age_text(works.at, state.at)} ago"
    return ""


def _by_counters(state: State, works: Works, here: Sequence[Seen], within: float, printed: float | None) -> Judgement:
    """How it goes with processes of which one at least is not stopped."""
    moved = dict(_latest(here))
    if printed is not None:
        moved["log"] = printed
    began = works.at - within
    moves = tuple(name for name in COUNTERS if name in moved and moved[name] > began)
    last = max(moved.values(), default=None)
    if moves:
        return Judgement(Going.MOVES, _moves_text(moves), last, moves)
    first = min(each.first for each in here)
    if works.at - first < within:
        return Judgement(Going.UNKNOWN, f"it is watched for {duration_text(works.at - first)} only", last)
    hidden = " (what it reads and writes can be seen by root only)" if any(each.worker.hidden for each in here) else ""
    since = first if last is None else last
    text = f"nothing has moved since {_moment(state, since)}: no I/O, no computing, no output, no line{hidden}"
    return Judgement(Going.STILL, text, since)


def _moves_text(moves: Sequence[str]) -> str:
    """What moves; that disks are read says that it reads."""
    said = [name for name in moves if not (name.startswith("chars_") and name.removeprefix("chars_") in moves)]
    return ", ".join(COUNTERS[name] for name in said)


def _latest(here: Iterable[Seen]) -> Iterator[tuple[str, float]]:
    """When each kind of counter was last seen to have moved."""
    latest: dict[str, float] = {}
    for each in here:
        for name, moved in each.moved.items():
            if moved.before is not None:
                kind = "output" if name.startswith("size ") else name
                latest[kind] = max(latest.get(kind, moved.at), moved.at)
    return iter(latest.items())


def evidence(state: State, job: Job, output: str = "") -> tuple[Line, ...]:
    """What the host tells of a job's processes: memory, I/O and its rate, computing, the size of `output` (a path)."""
    seen = of_job(state, job)
    return tuple(line for each in seen for line in _of_process(state, each, output))


def _of_process(state: State, seen: Seen, output: str) -> Iterator[Line]:
    worker, at = seen.worker, seen.last
    state_text = f"gone at {_moment(state, seen.gone)}" if seen.gone is not None else _STATES.get(worker.state, "runs")
    severity = Severity.WARNING if worker.stopped and seen.gone is None else Severity.NORMAL
    yield Line("process", f"{' '.join(worker.words[:1])}, pid {worker.pid}: {state_text}", severity, at=at)
    if worker.peak_kb is not None:
        now = "" if worker.rss_kb is None else f", now {size_text(worker.rss_kb)}"
        yield Line("memory", f"{size_text(worker.peak_kb)} at its peak{now}", at=at)
    if worker.chars_read is not None and worker.chars_written is not None:
        yield Line("I/O", f"{_done(worker)}{_rates(seen)}", at=at)
    elif worker.hidden:
        yield Line("I/O", "only root is told of what it reads and writes", at=at)
    if worker.age:
        yield Line("CPU", f"{duration_text(worker.cpu)}, {worker.cpu / worker.age * 100:.0f} % of a CPU", at=at)
    size = worker.size_of(output) if output else None
    if size is not None:
        moved = seen.moved.get(f"size {output}")
        yield Line("output", f"{size_text(size / KIB)}{_grew(state, moved)}", at=at)


def _done(worker: Worker) -> str:
    """What it has read and written: what caches have spared the disks counts as well."""
    parts = []
    for word, count, disk in (
        ("read", worker.chars_read, worker.read),
        ("written", worker.chars_written, worker.written),
    ):
        told = "" if disk is None else f" ({size_text(disk / KIB)} by disks)"
        parts.append(f"{size_text((count or 0) / KIB)} {word}{told}")
    return ", ".join(parts)


def _rates(seen: Seen) -> str:
    """What it reads and writes a second over the last looks."""
    first, last = seen.recent[0], seen.recent[-1]
    seconds = last.at - first.at
    if seconds <= 0 or None in (first.chars_read, first.chars_written, last.chars_read, last.chars_written):
        return ""
    read = max(0, (last.chars_read or 0) - (first.chars_read or 0)) / seconds / 1e6
    written = max(0, (last.chars_written or 0) - (first.chars_written or 0)) / seconds / 1e6
    return f"; {read:,.1f} and {written:,.1f} MB/s over {duration_text(seconds)}"


def _grew(state: State, moved: Moved | None) -> str:
    if moved is None or moved.before is None:
        return ""
    return f", grew at {_moment(state, moved.at)}"


def peak_kb(state: State, job: Job) -> int | None:
    """The most memory that a process of the job had, in KiB, as far as it was seen."""
    return max((seen.worker.peak_kb for seen in of_job(state, job) if seen.worker.peak_kb is not None), default=None)


def output_size(state: State, job: Job, path: str) -> int | None:
    """The size in bytes of a file that the job writes, when it was last seen; None where it was not."""
    sizes = (seen.worker.size_of(path) for seen in reversed(of_job(state, job)))
    return next((size for size in sizes if size is not None), None)


_STATES = {
    "R": "runs",
    "S": "waits",
    "D": "waits for a disk or a lock and cannot be interrupted",
    "T": "is stopped by a signal",
    "t": "is stopped by a debugger",
    "Z": "has ended",
    "X": "has ended",
}


def _moment(state: State, at: float) -> str:
    return moment_text(at, state.at, state.utc_offset)
