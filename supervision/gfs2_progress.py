"""How far a savemeta, a restoremeta or an fsck is, and how it ended: by its job, its log and what its device tells.

Work is blocks over the dinodes of all resource groups, a lower bound. The tools' percentage is the address of a block,
or of one pass of a check: it is shown as theirs, and nothing is made of it.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from remote.jobs import JobState
from supervision.adopting import log_path
from supervision.clocktext import duration_text
from supervision.eta import Estimate
from supervision.figures import size_text
from supervision.filesystem import Counter, Finish, Phase, Progress
from supervision.forecasts import Told, forecast, steady_since
from supervision.gfs2_ends import ended, ended_unseen, is_over, signal_text, unproven
from supervision.gfs2_rules import stop_leaves
from supervision.gfs2_view import View
from supervision.gfs2_work import FSCK, RESTOREMETA, SAVEMETA, Work, is_gfs2_job, same_path, work_of
from supervision.joblist import SIGNALLED
from supervision.jobwords import words_of
from supervision.logs import Log, Scan
from supervision.scanrates import counted_points, mean_rate, rate_trend, usual_gap
from supervision.state import Job
from supervision.tables import Line, Severity
from supervision.working import Going, Judgement, evidence, judged, of_job, output_size, peak_kb

QUIET = 20.0
"""Seconds of silence below which nothing is said of it: these tools print a line a second, or every few."""
STALL = 120.0
"""The same for a standstill, where nothing but the lines tells, or it only computes."""
WITHIN = 30.0
"""Seconds in which something must have moved: its process is looked at every ten of them."""
QUIET_GAPS, STALL_GAPS = 4, 12
MOVED = 900.0
"""Seconds for which it is said why the forecast moved."""
LAUNCHING = "it is being launched"
"""What the state notes of a job between its launch and the first word of its host."""
POLL = 2.0
"""Seconds between two looks at a log."""
KINDS_SHOWN = 3
"""Kinds of what a check found that are shown, the most frequent."""
NO_FSCK_END = "a check counts nothing that its passes have in common"


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
    total = saved_in(view, job.host, work.file) if work and work.kind == RESTOREMETA else None
    estimate = None if checks or log is None else _estimate(view, job, log, total)
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
        None if checks else Counter("blocks", scan.done, total) if total else counter_of(view, scan, work),
        scan.percent,
        rate,
        rate_trend(counted),
        log.last_at if log and log.size else None,
        gap,
        finish,
        why,
        _no_finish(phase, estimate, checks) if finish is None else "",
        _moved(view, estimate, told) if finish else None,
        told,
        (*(_findings(scan) if checks else ()), *_evidence(view, job, work, phase)),
        phase is Phase.FINISHED and (job.status.rc != 0 or unproven(view, job, work, log)),
    )


def _evidence(view: View, job: Job, work: Work | None, phase: Phase) -> tuple[Line, ...]:
    """What its process does besides printing: all of it where that is in doubt, else the figures in a line."""
    lines = evidence(view.state, job, work.file if work else "")
    if not lines or phase in (Phase.QUIET, Phase.STALLED, Phase.UNKNOWN, Phase.LOST):
        return lines
    parts = []
    if (peak := peak_kb(view.state, job)) is not None:
        parts.append(f"{size_text(peak)} of memory at its peak")
    worker = of_job(view.state, job)[-1].worker
    if worker.chars_read is not None and worker.chars_written is not None:
        parts.append(f"{size_text(worker.chars_read / 1024)} read, {size_text(worker.chars_written / 1024)} written")
    if work and work.kind == SAVEMETA and (size := output_size(view.state, job, work.file)) is not None:
        parts.append(f"its file has {size_text(size / 1024)}")
    return (Line("process", "; ".join(parts), at=lines[0].at),) if parts else ()


def counter_of(view: View, scan: Scan, work: Work | None = None) -> Counter:
    """The work of a savemeta: blocks over those that there are at least. Of a restoremeta its device tells no total."""
    kind = work.kind if work else scan.phase or SAVEMETA
    return Counter("blocks", scan.done, view.saved_at_least if kind == SAVEMETA else None, at_least=True)


def saved_in(view: View, host: str, file: str) -> int | None:
    """The blocks in a file of saved metadata, where the session knows the savemeta that wrote it; else None."""
    found = [
        (view.began(job), log.scan.done)
        for job in view.state.jobs.values()
        if job.host == host and job.status.rc == 0 and (log := view.state.job_log(host, job.status.id))
        if (work := work_of(words_of(job))) and work.kind == SAVEMETA and same_path(work.file, file)
    ]
    return max(found, key=lambda each: each[0], default=(0.0, None))[1]


def _estimate(view: View, job: Job, log: Log, total: int | None) -> Estimate | None:
    """The forecast now; `total` is how many blocks there are, where that is known otherwise than by the device."""
    known = view.state.known(job.host, log.source)
    if total is not None:
        known = msgspec.structs.replace(known, blocks=total, at_least=False)
    return forecast(log.forecasts, view.state.at, known)


def _finish(view: View, estimate: Estimate, told: tuple[Told, ...], rate: float | None) -> Finish | None:
    """The finish on the clock; None where the forecast has no figure."""
    span = estimate.remaining
    if span is None:
        return None
    now = view.state.at
    basis = f"by {estimate.unit}" + (f"; mean {rate:,.0f} blocks/s" if rate else "")
    low, high = now + span.low, now + span.high
    return Finish(low, now + span.mid, high, basis, steady_since(told, low, high))


def _no_finish(phase: Phase, estimate: Estimate | None, checks: bool) -> str:
    """Why no finish is told of what has not ended."""
    if phase is Phase.STALLED:
        return "it stands still"
    if phase not in (Phase.RUNNING, Phase.QUIET, Phase.STARTING):
        return ""
    return estimate.why if estimate else NO_FSCK_END if checks else ""


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
            return as_asked(view, job, status.rc) or ended(view, job, work, status.rc, log)
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
            return ended_unseen(view, job, work, log)
    return Phase.UNKNOWN, status.meaning


def as_asked(view: View, job: Job, rc: int) -> tuple[Phase, str] | None:
    """One that a person had stopped has not failed by itself; None for any other."""
    if rc not in SIGNALLED or (job.host, job.status.id) not in view.state.stops:
        return None
    return Phase.STOPPED, f"exit code {rc}{signal_text(rc)}, as it was asked to. {stop_leaves(job, view.device)}"


def _running(view: View, job: Job, log: Log | None, gap: float | None) -> tuple[Phase, str]:
    """How it stands with one whose process runs."""
    now = view.state.at
    if log is None and job.adopted and not log_path(job.status.id):
        where = job.status.title.partition("; ")[2] or "nothing of its output can be read"
        return Phase.UNKNOWN, f"it runs; {where}; {judged(view.state, job, within=WITHIN).why}"
    if log is None and job.status.size:
        if now - job.at <= 2 * POLL:
            return Phase.STARTING, "it runs; its log is only just being read"
        return Phase.UNKNOWN, f"it runs, but its log of {job.status.size:,} bytes has not been read yet"
    printed = log.last_at if log and log.size else None
    since = view.began(job) if printed is None else printed
    silent = max(0.0, now - since)
    said = f"{'it has printed nothing' if printed is None else 'no line'} for {duration_text(silent)}{_than(gap)}"
    found = _unmoved(judged(view.state, job, within=WITHIN, printed=printed), silent, gap, said)
    if found:
        return found
    if over := _nearly_over(log):
        return Phase.FINISHING, over
    scan = log.scan if log else Scan()
    if not scan.points and not scan.phases_done:
        return Phase.STARTING, "" if scan.phase else "nothing is counted yet"
    return Phase.RUNNING, ""


def _unmoved(judgement: Judgement, silent: float, gap: float | None, said: str) -> tuple[Phase, str] | None:
    """What a silence means, by all that its process does; None where nothing is unusual.

    Lines alone prove no standstill: gzip is fed for long without one, and a slow disk holds them up.
    """
    quiet = silent > max(QUIET, QUIET_GAPS * (gap or 0.0))
    match judgement.going:
        case Going.STOPPED:
            return Phase.STALLED, judgement.why
        case Going.GONE:
            return Phase.FINISHING, f"{judgement.why}; the job has not told of its end yet"
        case Going.STILL:
            return Phase.STALLED, f"{said}; {judgement.why}"
        case Going.MOVES if quiet and judgement.moves == ("cpu",) and silent > STALL:
            return Phase.STALLED, f"{said}; it computes, and neither reads, writes nor prints anything"
        case Going.MOVES if quiet:
            return Phase.QUIET, f"{said}; yet {judgement.why}"
        case Going.UNKNOWN if silent > max(STALL, STALL_GAPS * (gap or 0.0)):
            return Phase.STALLED, f"{said}; what its process does is not known: {judgement.why}"
        case Going.UNKNOWN if quiet:
            return Phase.QUIET, f"{said}; what its process does is not known: {judgement.why}"
    return None


def _than(gap: float | None) -> str:
    return f", where {duration_text(gap)} is usual" if gap else ""


def _nearly_over(log: Log | None) -> str:
    """Why it may end at any moment; empty when it may not."""
    if log is None or log.scan.phase not in ("", SAVEMETA, "restoremeta"):
        return ""
    if is_over(log.scan):
        return "its last line is printed; the job has not ended"
    if log.scan.percent is not None and log.scan.percent >= 100.0:
        return "the tool has passed the last address; the job has not ended"
    return ""


def _passes(scan: Scan, phase: Phase) -> tuple[tuple[str, str], ...]:
    """The passes of a check that are over and the present one; a figure is of one pass and of no other."""
    done = [(name, "done") for name in scan.ended]
    if not scan.in_phase:
        return tuple(done)
    goes = phase in (Phase.RUNNING, Phase.QUIET, Phase.STARTING, Phase.FINISHING)
    share = "" if scan.percent is None else f", {scan.percent:.0f} % of it"
    return (*done, (scan.phase, f"{'running' if goes else phase.value}{share}"))


def _findings(scan: Scan) -> Iterator[Line]:
    """What a check found, by kind, the most frequent first."""
    counts: dict[str, int] = {}
    for held in (scan.found, scan.summed):
        for kind, count in held.items():
            counts[kind] = counts.get(kind, 0) + count
    if not counts:
        return
    most = sorted(counts.items(), key=lambda item: -item[1])
    yield Line("found", f"{sum(counts.values()):,} lines of {len(counts):,} kinds", Severity.WARNING)
    for kind, count in most[:KINDS_SHOWN]:
        yield Line("", f"{count:,} x {kind}", Severity.WARNING)
