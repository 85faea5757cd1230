"""Finished runs of a GPFS file system as the history of forecasts keeps them, and what it teaches the next."""

from __future__ import annotations

from remote.jobs import JobState
from supervision import eta_runs
from supervision.eta import Span
from supervision.eta_runs import FinishedRun
from supervision.gpfs_eta import run_kind
from supervision.gpfs_view import View
from supervision.jobtimes import clock_ahead
from supervision.jobwords import words_of
from supervision.logs import Log
from supervision.state import Job


def finished_run(view: View, job: Job) -> FinishedRun | None:
    """A run that ended well, by what was forecast of it; None for any other, and while its cluster is not known.

    One that somebody else started has no exit code: it ended well when its last words were that its scan is complete.
    """
    kind, log = run_kind(words_of(job)), view.state.job_log(job.host, job.status.id)
    if not kind or view.cluster is None or log is None or not _well(job, log):
        return None
    ended = log.last_at
    if job.status.ended is not None:
        ended = job.status.ended - clock_ahead(view.state, job.host)
    forecasts = [
        (told.at, Span(told.low - told.at, told.mid - told.at, told.high - told.at))
        for told in log.forecasts.told
        if told.low is not None and told.mid is not None and told.high is not None
    ]
    used = log.forecasts.estimator.calibration if log.forecasts.estimator else None
    return eta_runs.finished(kind, view.cluster.name, view.began(job), ended, forecasts, used)


def _well(job: Job, log: Log) -> bool:
    status, scan = job.status, log.scan
    if status.rc is not None:
        return status.state is JobState.FINISHED and status.rc == 0
    over = scan.number is None and not scan.in_phase and scan.percent is not None and scan.percent >= 100.0
    return status.state.settled and over
