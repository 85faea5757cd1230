"""What is seen to run on a GFS2 device without being a job of ours: a savemeta in somebody's screen, say."""

from __future__ import annotations

from collections.abc import Iterator

from remote.linux.scans import RunningScan, RunningScans
from supervision.adopting import status_of, where
from supervision.gfs2_view import View
from supervision.gfs2_work import work_of
from supervision.tables import Line, Severity

_ADVICE = "Two at once on one device disturb each other, and a check or a restore makes what the other reads worthless"


def outside(view: View) -> Iterator[Line]:
    """The tools at work on the device that others have started, and that were not taken in as jobs."""
    for host in view.hosts:
        fact = view.state.facts.get(f"scans {host}")
        told = fact.parsed.model if fact and fact.parsed and not fact.failure else None
        if fact is None or not isinstance(told, RunningScans):
            continue
        for scan in told.scans:
            if not scan.job and not _is_taken_in(view, host, scan) and is_at_work(scan, view.device):
                who = scan.who or "nobody knows whom"
                text = f"{status_of(scan, told.now).command} on {host}, pid {scan.pid}, by {who}; {where(scan)}"
                yield Line("outside", text, Severity.WARNING, _ADVICE, fact.at)


def is_at_work(scan: RunningScan, device: str) -> bool:
    """Whether a process does one of the works on a device."""
    work = work_of(scan.words)
    return work is not None and work.device == device


def _is_taken_in(view: View, host: str, scan: RunningScan) -> bool:
    """Whether it is shown as a job already."""
    jobs = view.state.jobs.values()
    return any((job.host, job.pid, job.start) == (host, scan.pid, scan.start) for job in jobs)
