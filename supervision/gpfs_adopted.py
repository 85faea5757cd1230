"""How it stands with a scan that somebody else started, where its process and its output do not tell all of it."""

from __future__ import annotations

from supervision.adopting import log_path
from supervision.filesystem import Phase
from supervision.gpfs_view import View
from supervision.logs import Log
from supervision.state import Job
from supervision.supervisor import LATE, LATE_LOOKS

LAST_LINES = 5
"""The last lines of its output, in which a failure is that of its end."""


def unread(view: View, job: Job, just_now: float) -> tuple[Phase, str]:
    """A scan that runs, of whose output nothing has been read; `just_now` seconds ago it could not have been."""
    if not log_path(job.status.id):
        return Phase.UNKNOWN, f"it runs; {job.status.title.partition('; ')[2] or 'nothing of its output can be read'}"
    if view.state.at - job.at <= just_now:
        return Phase.STARTING, "it runs; its output is only just being read"
    return Phase.UNKNOWN, "it runs, but nothing of its output could be read yet"


def last_word(log: Log | None) -> tuple[Phase, str] | None:
    """How a scan ended, as far as its last lines tell; None where they tell of no end."""
    if log is None:
        return None
    scan = log.scan
    said = [line for line in log.tail if line][-LAST_LINES:]
    failed = next((text for text in scan.failures if any(text in line for line in said)), "")
    if failed:
        return Phase.FAILED, f"its output tells of a failure: {failed.rstrip('.')}"
    if scan.phase and not scan.in_phase and scan.number is None:
        return Phase.FINISHED, "its output ends as that of one that completed"
    return None


def unseen(job: Job, log: Log | None) -> tuple[Phase, str] | None:
    """The end of a scan of which nobody knows which process it is: by its lines alone; None while they tell of none."""
    told = last_word(log) if job.adopted and job.pid is None else None
    return (told[0], f"{told[1]}; {job.status.meaning.partition(' (')[2].rstrip(')')}") if told else None


def ended(view: View, job: Job, log: Log | None) -> tuple[Phase, str]:
    """How a scan ended whose exit code nobody knows: by its last lines, and said to be no more than that."""
    code = job.status.meaning.removeprefix("it has ended; ")
    if log is None:
        return Phase.LOST, f"{job.status.meaning}, and nothing of its output was read"
    told = last_word(log)
    if told:
        return told[0], f"{told[1]}; {code}"
    settled = job.settled_at if job.settled_at is not None else job.at
    if view.state.at - settled <= LATE * LATE_LOOKS:
        return Phase.FINISHING, "its process has ended; its last lines may not be written yet"
    where = f"in the middle of {log.scan.phase!r}" if log.scan.in_phase else "without telling of a scan to its end"
    return Phase.LOST, f"its output ends {where}; {code}"
