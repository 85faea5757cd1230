"""How far a savemeta, a restoremeta or an fsck is, and how it ended: by its job, its log and what its device tells.

Work is blocks over the dinodes of all resource groups, a lower bound. The tools' percentage is the address of a block,
or of one pass of a check: it is shown as theirs, and nothing is made of it.
"""

from __future__ import annotations

import signal

import msgspec

from remote.gfs2.doubts import check_restoremeta, check_savemeta, of_restoremeta, of_savemeta
from remote.gfs2.metadata import parse_end
from remote.gfs2.models import Counted, RestoremetaLog, SavemetaLog
from remote.gfs2.progress import split_time
from remote.jobs import JobState
from supervision import eta_runs
from supervision.clocktext import duration_text
from supervision.eta import Estimate, Span
from supervision.eta_runs import FinishedRun
from supervision.filesystem import Counter, Finish, Phase, Progress
from supervision.forecasts import Told, forecast, steady_since
from supervision.gfs2_reading import run_kind
from supervision.gfs2_view import View
from supervision.gfs2_work import FSCK, SAVEMETA, Work, is_gfs2_job, work_of
from supervision.jobtimes import clock_ahead
from supervision.jobwords import words_of
from supervision.logs import Log, Scan
from supervision.scanrates import counted_points, mean_rate, rate_trend, usual_gap
from supervision.state import Job

QUIET = 20.0
"""Seconds of silence below which nothing is said of it: these tools print a line a second, or every few."""
STALL = 120.0
"""The same for a standstill, where nothing but the lines tells."""
QUIET_GAPS, STALL_GAPS = 4, 12
MOVED = 900.0
"""Seconds for which it is said why the forecast moved."""
LAST_LINES = 3
"""Lines of the log that tell why it failed."""
LAUNCHING = "it is being launched"
"""What the state notes of a job between its launch and the first word of its host."""
POLL = 2.0
"""Seconds between two looks at a log."""
NO_FSCK_END = "a check counts nothing that its passes have in common"
_FSCK_WORDS = (
    (1, "errors were corrected"),
    (2, "errors were corrected, and the host should be rebooted"),
    (4, "errors were left as they are"),
    (8, "an operational error"),
    (16, "a wrong usage"),
    (32, "it was cancelled"),
    (128, "an error of a library"),
)
"""The bits of the exit status of fsck.gfs2."""


def scan_job(view: View) -> Job | None:
    """The newest job that may still run, else the newest."""
    jobs = [job for job in view.state.jobs.values() if is_gfs2_job(job, view.device)]
    return max(jobs, key=lambda job: (_may_run(job), view.began(job), job.host, job.status.id), default=None)


def _may_run(job: Job) -> bool:
    return not job.status.state.settled and job.status.state not in (JobState.ABSENT, JobState.ERROR)


def progress(view: View, job: Job) -> Progress:
    """How far it is, as far as that is known."""
    log = view.state.job_log(job.host, job.status.id)
    scan, work = log.scan if log else Scan(), work_of(words_of(job))
    checks = work is not None and work.kind == FSCK
    counted = counted_points(scan.points)
    gap = usual_gap(scan.points)
    estimate = None if checks or log is None else _estimate(view, job, log)
    phase, why = _phase(view, job, work, log, gap)
    if not job.status.state.settled and (job.host, job.status.id) in view.state.stops:
        why = "; ".join(part for part in ("it was asked to stop, and has not ended yet", why) if part)
    told = log.forecasts.told if log else ()
    goes = phase in (Phase.RUNNING, Phase.QUIET, Phase.STARTING)
    rate = mean_rate(counted)
    finish = _finish(view, estimate, told, rate) if estimate and goes else None
    return Progress(
        phase,
        _passes(scan, phase) if checks else (),
        None if checks else counter_of(view, scan, work),
        scan.percent,
        rate,
        rate_trend(counted),
        log.last_at if log and log.size else None,
        gap,
        finish,
        why,
        estimate.why if estimate and finish is None and goes else NO_FSCK_END if checks and goes else "",
        _moved(view, estimate, told) if finish else None,
        told,
    )


def counter_of(view: View, scan: Scan, work: Work | None = None) -> Counter:
    """The work of a savemeta: blocks over those that there are at least. How many a restoremeta writes is not known."""
    kind = work.kind if work else scan.phase or SAVEMETA
    return Counter("blocks", scan.done, view.saved_at_least if kind == SAVEMETA else None, at_least=True)


def _estimate(view: View, job: Job, log: Log) -> Estimate | None:
    return forecast(log.forecasts, view.state.at, view.state.known(job.host, log.source))


def _finish(view: View, estimate: Estimate, told: tuple[Told, ...], rate: float | None) -> Finish | None:
    """The finish on the clock; None where the forecast has no figure."""
    span = estimate.remaining
    if span is None:
        return None
    now = view.state.at
    basis = f"by {estimate.unit}" + (f"; mean {rate:,.0f} blocks/s" if rate else "")
    low, high = now + span.low, now + span.high
    return Finish(low, now + span.mid, high, basis, steady_since(told, low, high))


def _moved(view: View, estimate: Estimate | None, told: tuple[Told, ...]) -> tuple[float, str] | None:
    """When and why the forecast last moved, where that is not long ago."""
    if estimate and estimate.why:
        return view.state.at, estimate.why
    last = next((one for one in reversed(told) if one.why and one.mid is not None), None)
    return (last.at, last.why) if last and view.state.at - last.at <= MOVED else None


def _phase(view: View, job: Job, work: Work | None, log: Log | None, gap: float | None) -> tuple[Phase, str]:
    """How it stands, and why where that says more."""
    status = job.status
    match status.state:
        case JobState.FINISHED if status.rc is not None:
            return _ended(view, job, work, status.rc, log)
        case JobState.RUNNING:
            return _running(view, job, log, gap)
        case JobState.ORPHAN:  # its log goes on, and so does the forecast
            phase, why = _running(view, job, log, gap)
            return phase, "; ".join(part for part in (status.meaning, why) if part)
        case JobState.UNKNOWN if job.spec is not None and status.note == LAUNCHING:
            return Phase.STARTING, status.note
        case JobState.UNKNOWN:
            return Phase.LOST, f"{status.meaning}; it goes on, as far as one knows"
        case JobState.LOST | JobState.REBOOTED:
            return Phase.LOST, status.meaning
        case JobState.ENDED:
            return _ended_unseen(view, job, work, log)
    return Phase.UNKNOWN, status.meaning


def _running(view: View, job: Job, log: Log | None, gap: float | None) -> tuple[Phase, str]:
    """How it stands with one whose process runs."""
    now = view.state.at
    if log is None and job.status.size:
        if now - job.at <= 2 * POLL:
            return Phase.STARTING, "it runs; its log is only just being read"
        return Phase.UNKNOWN, f"it runs, but its log of {job.status.size:,} bytes has not been read yet"
    scan = log.scan if log else Scan()
    since = log.last_at if log and log.size else view.began(job)
    silent = max(0.0, now - since)
    what = "no line" if log and log.size else "it has printed nothing"
    if silent > max(STALL, STALL_GAPS * (gap or 0.0)):
        return Phase.STALLED, f"{what} for {duration_text(silent)}{_than(gap)}"
    if over := _nearly_over(log):
        return Phase.FINISHING, over
    if not scan.points and not scan.phases_done:
        return Phase.STARTING, "" if scan.phase else "nothing is counted yet"
    if silent > max(QUIET, QUIET_GAPS * (gap or 0.0)):
        return Phase.QUIET, f"{what} for {duration_text(silent)}{_than(gap)}"
    return Phase.RUNNING, ""


def _than(gap: float | None) -> str:
    return f", where {duration_text(gap)} is usual" if gap else ""


def _nearly_over(log: Log | None) -> str:
    """Why it may end at any moment; empty when it may not."""
    if log is None or log.scan.phase not in ("", SAVEMETA, "restoremeta"):
        return ""
    if end_of(log) is not None:
        return "its last line is printed; the job has not ended"
    if log.scan.percent is not None and log.scan.percent >= 100.0:
        return "the tool has passed the last address; the job has not ended"
    return ""


def end_of(log: Log) -> SavemetaLog | RestoremetaLog | None:
    """What the last line of a savemeta or restoremeta tells, with what was counted and what it complained of."""
    end = next((found for line in reversed(log.tail[-LAST_LINES:]) if (found := parse_end(split_time(line)[1]))), None)
    if end is None:
        return None
    done = log.scan.done
    counted = () if done is None else (Counted(done, int(log.scan.percent or 0)),)
    return msgspec.structs.replace(end, counted=counted, errors=log.scan.failures)


def _doubts(view: View, log: Log) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What speaks against an end that is told to be a success, and what else is to be looked at."""
    match end_of(log):
        case SavemetaLog() as end:
            groups = view.groups
            return of_savemeta(end, groups.dinodes if groups else None), check_savemeta(end)
        case RestoremetaLog() as end:
            return of_restoremeta(end), check_restoremeta(end)
    return ("its log does not tell that it came to its end",), ()


def _ended(view: View, job: Job, work: Work | None, rc: int, log: Log | None) -> tuple[Phase, str]:
    """How it ended: an exit status of 0 is no success yet, and that of fsck has a meaning for each bit."""
    if work is not None and work.kind == FSCK:
        return _fsck_ended(work, rc, log)
    if rc != 0:
        return Phase.FAILED, _failed(rc, log)
    if log is None or log.size < job.status.size:
        return Phase.UNKNOWN, "exit code 0, which these tools also have where they failed; its log is not read yet"
    doubts, to_check = _doubts(view, log)
    if doubts:
        return Phase.FAILED, f"exit code 0, yet {'; '.join(doubts)}"
    return Phase.FINISHED, f"exit code 0; not verified by that: {'; '.join(to_check)}" if to_check else ""


def _fsck_ended(work: Work, rc: int, log: Log | None) -> tuple[Phase, str]:
    if rc > 128 or rc & ~7:
        return Phase.FAILED, _failed(rc, log)
    words = ", ".join(word for bit, word in _FSCK_WORDS if rc & bit)
    if rc == 0:
        return Phase.FINISHED, "no errors were found"
    looked = not work.repairs and rc == 4
    return (Phase.FAILED if rc & 4 and not looked else Phase.FINISHED), f"exit code {rc}: {words}"


def _failed(rc: int, log: Log | None) -> str:
    """Why it failed: its signal by name, the words that fsck has for its bits, and the last lines of the log."""
    code = f"exit code {rc}{_signal(rc)}"
    if log is None:
        return f"{code}; its log has not been read"
    said = [line for line in log.tail if line][-LAST_LINES:]
    first = [line for line in log.scan.failures[:1] if line not in said]
    return f"{code}: {' / '.join((*first, *said))}" if said else f"{code}; its log is empty"


def _signal(rc: int) -> str:
    """A signal by its name; a crash is called so."""
    if not 128 < rc < 193:
        return ""
    try:
        name = signal.Signals(rc - 128).name.removeprefix("SIG")
    except ValueError:
        return ""
    if name in ("SEGV", "BUS", "ABRT", "FPE", "ILL"):
        return f" ({name}: the tool crashed)"
    return f" (ended by {name})"


def _ended_unseen(view: View, job: Job, work: Work | None, log: Log | None) -> tuple[Phase, str]:
    """The end of what others started: nobody but their shell knows the exit status, so the log has the word."""
    if log is None or (work is not None and work.kind == FSCK):
        return Phase.UNKNOWN, job.status.meaning
    doubts, _ = _doubts(view, log)
    return Phase.UNKNOWN, f"{job.status.meaning}; {'; '.join(doubts) or 'its last lines tell that it came to its end'}"


def finished_run(view: View, job: Job) -> FinishedRun | None:
    """A run that ended without a doubt, by what was forecast of it; None for any other."""
    log, sb, kind = view.state.job_log(job.host, job.status.id), view.superblock, run_kind(words_of(job))
    well = job.status.rc == 0 and is_gfs2_job(job, view.device)
    if sb is None or log is None or not kind or not well or _doubts(view, log)[0] or job.status.ended is None:
        return None
    forecasts = [
        (told.at, Span(told.low - told.at, told.mid - told.at, told.high - told.at))
        for told in log.forecasts.told
        if told.low is not None and told.mid is not None and told.high is not None
    ]
    used = log.forecasts.estimator.calibration if log.forecasts.estimator else None
    ended = job.status.ended - clock_ahead(view.state, job.host)
    site = sb.lock_table.partition(":")[0] or sb.uuid
    return eta_runs.finished(kind, site, view.began(job), ended, forecasts, used)


def _passes(scan: Scan, phase: Phase) -> tuple[tuple[str, str], ...]:
    """The passes of a check that are over and the present one."""
    done = [(f"{scan.phases_done} passes", "done")] if scan.phases_done else []
    if not scan.in_phase:
        return tuple(done)
    word = "running" if phase in (Phase.RUNNING, Phase.QUIET, Phase.STARTING, Phase.FINISHING) else phase.value
    share = "" if scan.percent is None else f", {scan.percent:.0f} % of this pass"
    return (*done, (scan.phase, f"{word}{share}"))
