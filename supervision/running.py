"""What runs on a file system now, as far as that can be told of any kind: our own jobs, and which hosts were asked."""

from __future__ import annotations

from remote.jobs import JobState
from supervision.clocktext import moment_text
from supervision.filesystem import FileSystem, Phase, Progress
from supervision.joblist import STOPPING, state_word
from supervision.jobtimes import began_here
from supervision.state import Job, State
from supervision.tables import Line, Severity

AWAY = frozenset(("waiting", "refused", "closed"))


def goes_on(fs: FileSystem, state: State, job: Job) -> bool:
    """Whether a job runs, may run for all one knows, or has left work behind that goes on."""
    if job.status.state is JobState.ABSENT:
        return False
    return not job.status.state.settled or state_word(fs, state, job) == STOPPING


def job_lines(fs: FileSystem, state: State) -> list[Line]:
    """A line for each detached job that has not ended, the oldest first: how it stands, what, where, since when."""
    jobs = [job for job in state.jobs.values() if goes_on(fs, state, job)]
    jobs.sort(key=lambda job: (began_here(state, job) or job.at, job.host, job.status.id))
    return [_line(fs, state, job) for job in jobs]


def unasked(state: State) -> tuple[str, ...]:
    """The hosts of which it is not known what runs there: they cannot be asked, or have not told of their jobs yet."""
    if state.closed:  # all connections end then
        return tuple(host for host in state.hosts if host not in state.listed)
    away = {host for host, link in state.links.items() if link.state in AWAY}
    return tuple(host for host in state.hosts if host in away or host not in state.listed)


def share_text(progress: Progress) -> str:
    """How far a scan is, by work that can be trusted and by nothing else."""
    counter = progress.counter
    if counter is None or counter.done is None:
        return progress.phase.value
    if counter.fraction is not None:
        return f"{counter.fraction * 100:.1f} % of the work"
    return f"{counter.done:,} {counter.unit}"


def _line(fs: FileSystem, state: State, job: Job) -> Line:
    began = began_here(state, job)
    since = "" if began is None else f", since {moment_text(began, state.at, state.utc_offset)}"
    word = state_word(fs, state, job)
    progress = fs.progress(state, job) if fs.is_scan(job) else None
    far = f", {share_text(progress)}" if progress else ""
    if progress and progress.phase is Phase.STALLED:
        word = progress.phase.value  # its process is there, and that is all
    severity = Severity.NORMAL if word == JobState.RUNNING.value else Severity.WARNING
    return Line(word, f"{job.status.shown or job.status.id} on {job.host}{since}{far}", severity)
