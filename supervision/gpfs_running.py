"""What is seen to run on a GPFS file system without being a job of ours: a restripe in somebody's screen, say.

No mm* command lists what runs. Two things betray it: threads of a parallel inode traversal among the waiters of a
node, and our own scan when it is told to wait for another program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from remote.gpfs.models import Waiters
from remote.jobs import JobState
from remote.names import fold
from supervision.gpfs_aftermath import SETTLES, at_work
from supervision.gpfs_progress import is_scan
from supervision.gpfs_view import View
from supervision.jobtimes import clock_ahead
from supervision.jobwords import words_of
from supervision.state import Job
from supervision.tables import Line, Severity

_UNSURE = (JobState.LOST, JobState.REBOOTED)


def outside(view: View, going: Iterable[Job]) -> Iterator[Line]:
    """What others run, as far as it shows; `going` are those of our jobs whose work may go on."""
    going = tuple(going)
    yield from _waited_for(view, going)
    if any(is_scan(job, view.name) for job in going):
        return  # its threads look like anybody's
    scans = [job for job in view.state.jobs.values() if is_scan(job, view.name)]
    since = max((_ended(view, job) + SETTLES for job in scans), default=0.0)
    seen: dict[str, float] = {}
    for host in view.hosts:
        fact, told = view.facts.fact(Waiters, host), view.facts.get(Waiters, host)
        if fact and told and fact.at > since and at_work(told):
            seen[host] = fact.at
    if seen:
        left = [job.status.id for job in scans if job.status.state in _UNSURE]
        who = "nobody's job here: started outside restripe"
        who += f", or left by job {left[-1]}, of which nobody knows how it ended" if left else ""
        advice = "Find who runs it before anything is begun: a second one would wait for it, or be refused"
        yield Line(
            "outside", f"GPFS scans: threads wait on {fold(seen)}; {who}", Severity.WARNING, advice, max(seen.values())
        )


def _waited_for(view: View, going: tuple[Job, ...]) -> Iterator[Line]:
    """Programs that a scan of ours waits for, unless they are jobs of ours themselves."""
    ours = {(words_of(job) or ("",))[0].rpartition("/")[2] for job in going if not is_waiting(view, job)}
    for job in going:
        log = view.state.job_log(job.host, job.status.id)
        program = log.scan.waiting_for if log else ""
        if log and program and program not in ours:
            text = f"{program} runs on {view.name}, says the log of job {job.status.id}; it is nobody's job here"
            yield Line("outside", text, Severity.WARNING, "The job begins by itself when that ends", log.last_at)


def is_waiting(view: View, job: Job) -> bool:
    """Whether a job says that it waits for another program."""
    log = view.state.job_log(job.host, job.status.id)
    return bool(log and log.scan.waiting_for)


def _ended(view: View, job: Job) -> float:
    """When a scan ended, on the Site's clock; where nobody knows, when that was told."""
    ended = job.status.ended
    return job.at if ended is None else ended - clock_ahead(view.state, job.host)
