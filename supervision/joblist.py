"""The jobs of all hosts as a table: whoever started them, how it stands with each, and how it ended."""

from __future__ import annotations

from remote.jobs import JobState
from supervision.clocktext import age_text, duration_text, moment_text
from supervision.filesystem import FileSystem
from supervision.jobtimes import ran_seconds
from supervision.state import Job, State
from supervision.tables import Cell, Column, Row, Severity, Table

COLUMNS = (
    Column("host", "Host"),
    Column("state", "State"),
    Column("exit", "Exit", right=True),
    Column("ran", "Ran", right=True, unit="seconds"),
    Column("operator", "By"),
    Column("told", "Told", right=True, unit="seconds"),
    Column("command", "Command"),
    Column("began", "Began", wide=True),
    Column("title", "What for", wide=True),
    Column("id", "Job", wide=True),
)
LAUNCHING = "it is being launched"
STOPPING, STOPPED = "stopping", "stopped"
SIGNALLED = range(129, 192)
"""Exit codes of a command that a signal ended."""
_TROUBLED = {
    JobState.LOST: Severity.BAD,
    JobState.REBOOTED: Severity.BAD,
    JobState.ERROR: Severity.BAD,
    JobState.ORPHAN: Severity.WARNING,
    JobState.ENDED: Severity.WARNING,
    JobState.UNKNOWN: Severity.WARNING,
}


def state_word(fs: FileSystem, state: State, job: Job) -> str:
    """How it stands with a job, in a word.

    It is *stopping* from the signal until its host says that it ended and the file system shows no work of it any more.
    """
    status = job.status
    if status.state is JobState.UNKNOWN and status.note == LAUNCHING:
        return "launching"
    told_to_end = (job.host, status.id) in state.stops
    if told_to_end and not status.state.settled:
        return STOPPING
    after = fs.aftermath(state, job)
    if after and after.working:
        return STOPPING
    if told_to_end and status.rc in SIGNALLED:
        return STOPPED
    return status.state.value


def jobs_table(fs: FileSystem, state: State, now: float) -> Table:
    """All jobs: those that may still run first, then the newest."""
    jobs = sorted(state.jobs.values(), key=lambda job: (job.status.state.settled, -(job.status.began or job.at)))
    # without a time of its own: every second changes some age, and a grid would mark that as a change
    return Table(COLUMNS, tuple(_row(fs, state, job, now) for job in jobs))


def _row(fs: FileSystem, state: State, job: Job, now: float) -> Row:
    status, seconds = job.status, ran_seconds(state, job, now)
    log = state.job_log(job.host, status.id)
    # bytes of its log come with a look at how it stands, which is an event only when that has changed
    told = max(job.at, log.last_at) if log and not status.state.settled else job.at
    word = state_word(fs, state, job)
    ended_badly = Severity.BAD if status.rc else Severity.NORMAL
    severity = Severity.WARNING if word in (STOPPING, STOPPED) else _TROUBLED.get(status.state, ended_badly)
    began = "" if status.began is None else moment_text(status.began, now, state.utc_offset)
    cells = (
        Cell(job.host, job.host),
        Cell(word),
        Cell("" if status.rc is None else str(status.rc), status.rc),
        Cell("" if seconds is None else duration_text(seconds), seconds),
        Cell(status.operator),
        Cell(age_text(told, now), now - told),
        Cell(status.shown),
        Cell(began, status.began),
        Cell(status.title),
        Cell(status.id),
    )
    return Row(f"{job.host} {status.id}", cells, severity)
