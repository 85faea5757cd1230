"""How far a restripe is, and whether it is alive: from its job's state, its log and the allocated inodes.

The counter runs over allocated inodes, whatever mmdf says of used ones. The finish is the forecast of its log.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from remote.gpfs.models import Snapshots
from remote.jobs import JobState
from remote.linux.host_time import HostTime
from supervision import gpfs_adopted
from supervision.clocktext import duration_text
from supervision.eta import Estimate
from supervision.eta import State as Forecast
from supervision.filesystem import Counter, Finish, Phase, Progress
from supervision.forecasts import Told, forecast, steady_since
from supervision.gpfs_aftermath import aftermath
from supervision.gpfs_alive import MOVES, evidence, longest, maintenance, waiter_text
from supervision.gpfs_fill import on_disks
from supervision.gpfs_phases import phases
from supervision.gpfs_view import View, is_about
from supervision.jobtimes import clock_ahead
from supervision.logs import Log, Scan
from supervision.scanrates import counted_points, mean_rate, rate_trend, usual_gap
from supervision.state import Job

STALL = 300.0
"""Seconds of silence below which nothing is said to be stalled: GPFS is quiet for minutes even when all is well."""
STALL_GAPS = 6
QUIET_GAPS = 2
NEARLY = 0.998
"""Work from which on it may end at any moment; the last stage is not counted."""
MOVED = 900.0
"""Seconds for which it is said why the forecast moved."""
LAST_LINES = 3
"""Lines of the log that tell why it failed."""
LAUNCHING = "it is being launched"
"""What the state notes of a job between its launch and the first word of its host; a lost host has other notes."""
POLL = 2.0
"""Seconds (Site's clock) between two looks at a log."""
POLL_REAL = 0.5
"""Real seconds that a look takes at least: much, in a simulation that runs six hundred times as fast."""

_SCANS = (
    ("mmrestripefs", ()),
    ("mmdeldisk", ()),
    ("mmrpldisk", ()),
    ("mmchdisk", ("start",)),
    ("mmadddisk", ("-r",)),
    ("mmdelsnapshot", ()),
)


def is_scan(job: Job, fs: str) -> bool:
    """Whether a job scans the file system as a restripe does."""
    return any(is_about(job, fs, program, *verbs) for program, verbs in _SCANS)


def scan_job(view: View) -> Job | None:
    """The newest scan that may still run, else the newest, by when its host says it began.

    One that has ended says nothing of one that goes on, however late it began.
    """
    jobs = [job for job in view.state.jobs.values() if is_scan(job, view.name)]
    return max(jobs, key=lambda job: (_may_run(job), view.began(job), job.host, job.status.id), default=None)


def _may_run(job: Job) -> bool:
    """Whether a job has neither ended nor failed to begin, for all one knows."""
    return not job.status.state.settled and job.status.state not in (JobState.ABSENT, JobState.ERROR)


def launching(job: Job) -> bool:
    """Whether this program launched it and its host has not said a word of it yet."""
    return job.status.state is JobState.UNKNOWN and job.spec is not None and job.status.note == LAUNCHING


def progress(view: View, job: Job) -> Progress:
    """How far a scan is, as far as it is known."""
    log = view.state.job_log(job.host, job.status.id)
    scan = log.scan if log else Scan()
    counted = counted_points(scan.points)
    gap = usual_gap(scan.points)
    counter = counter_of(view, scan)
    last = _last_line(view, job, log)
    estimate = _estimate(view, job, log)
    phase, why = _phase(view, job, log, counter, gap, estimate, counting=bool(counted), last=last)
    if not job.status.state.settled and (job.host, job.status.id) in view.state.stops:
        why = "; ".join(part for part in ("it was asked to stop, and has not ended yet", why) if part)
    rate = mean_rate(counted)
    told = log.forecasts.told if log else ()
    goes = phase in (Phase.RUNNING, Phase.QUIET, Phase.STARTING)
    disks = on_disks(view, job) if goes else None
    by = _basis(estimate, rate)
    by_log = estimate is not None and estimate.remaining is not None
    if disks and disks.estimate.remaining and (disks.exact or not by_log):
        # what leaves a disk is a better measure than files that were looked at; what fills one is better than nothing
        estimate = msgspec.structs.replace(disks.estimate, why="")
        by = "; ".join(part for part in (f"by {disks.basis}", disks.estimate.why) if part)
    if disks and disks.exact:
        counter, rate = Counter("KB", disks.done, disks.total, "KB on disks that are emptied"), None
    finish = _finish(view, estimate, told, by) if estimate and goes else None
    silent = phase in (Phase.STALLED, Phase.QUIET)
    return Progress(
        phase,
        phases(scan, job, phase),
        counter,
        scan.percent,
        rate,
        rate_trend(counted),
        last,
        gap,
        finish,
        why,
        estimate.why if estimate and finish is None and goes else "",
        _moved(view, estimate, told) if finish else None,
        told,
        evidence(view, job, view.began(job) if last is None else last) if silent else (),
    )


def _basis(estimate: Estimate | None, rate: float | None) -> str:
    """What a forecast of the log rests on."""
    unit = estimate.unit.replace("+", " and ") if estimate else ""
    return f"by {unit}" + (f"; mean {rate:,.0f} inodes/s" if rate else "")


def _estimate(view: View, job: Job, log: Log | None) -> Estimate | None:
    """The forecast now; None where nothing was told of a scan."""
    if log is None:
        return None
    return forecast(log.forecasts, view.state.at, view.state.known(job.host, log.source))


def _finish(view: View, estimate: Estimate, told: Sequence[Told], basis: str) -> Finish | None:
    """The finish on the clock; None where the forecast has no figure."""
    span = estimate.remaining
    if span is None:
        return None
    now = view.state.at
    low, high = now + span.low, now + span.high
    return Finish(low, now + span.mid, high, basis, steady_since(told, low, high))


def _moved(view: View, estimate: Estimate | None, told: Sequence[Told]) -> tuple[float, str] | None:
    """When and why the forecast last moved, where that is not long ago."""
    if estimate and estimate.why:
        return view.state.at, estimate.why
    last = next((one for one in reversed(told) if one.why and one.mid is not None), None)
    return (last.at, last.why) if last and view.state.at - last.at <= MOVED else None


def counter_of(view: View, scan: Scan) -> Counter:
    """The work of a scan: inodes over allocated inodes. Used ones are fewer than it examines; with snapshots, more."""
    inodes = view.space.inodes if view.space else None
    fact = view.state.facts.get(f"snapshots {view.name}")
    told = fact.parsed.model if fact and fact.parsed else None
    more = isinstance(told, Snapshots) and bool(told.snapshots)
    return Counter("inodes", scan.done, inodes.allocated if inodes else None, "allocated inodes", at_least=more)


def _last_line(view: View, job: Job, log: Log | None) -> float | None:
    """When its last line was printed, on the Site's clock; None while there is none.

    That is when it came, unless it came together with earlier ones, as on connecting in the middle of a run: then it
    may be older, and its own stamp tells how much, where the clock and the zone of its host are known.
    """
    if log is None or not log.size:
        return None
    told, printed = view.facts.get(HostTime, job.host), log.scan.printed
    if not log.scan.together or told is None or printed is None:
        return log.last_at
    return min(log.last_at, printed - told.utc_offset - clock_ahead(view.state, job.host))


def poll_seconds(speed: float) -> float:
    """Seconds between two looks at a log. `speed` is the simulation's, 1 for a real cluster."""
    return max(POLL, POLL_REAL * speed)


def stall_limit(gap: float | None, speed: float) -> float:
    """Seconds of silence after which a scan counts as stalled: never before two looks could have seen a line."""
    return max(STALL, STALL_GAPS * (gap or 0.0), 2 * poll_seconds(speed))


def _phase(
    view: View,
    job: Job,
    log: Log | None,
    counter: Counter,
    gap: float | None,
    estimate: Estimate | None,
    *,
    counting: bool,
    last: float | None,
) -> tuple[Phase, str]:
    """How it stands, and why where that says more."""
    status = job.status
    match status.state:
        case JobState.FINISHED if status.rc is not None:
            return _ended(view, job, status.rc, log)
        case JobState.RUNNING if told := gpfs_adopted.unseen(job, log):
            return told
        case JobState.RUNNING:
            return _running(view, job, log, counter, gap, estimate, counting=counting, last=last)
        case JobState.ORPHAN:  # its log goes on, and so does the forecast
            phase, why = _running(view, job, log, counter, gap, estimate, counting=counting, last=last)
            return phase, "; ".join(part for part in (status.meaning, why) if part)
        case JobState.UNKNOWN if launching(job):
            return Phase.STARTING, status.note
        case JobState.UNKNOWN:
            return Phase.LOST, f"{status.meaning}; it goes on, as far as one knows"
        case JobState.LOST | JobState.REBOOTED:
            return Phase.LOST, status.meaning
        case JobState.ENDED:
            return gpfs_adopted.ended(view, job, log)
    return Phase.UNKNOWN, status.meaning


def _ended(view: View, job: Job, rc: int, log: Log | None) -> tuple[Phase, str]:
    """How it ended; a failure with the words that say why, of which GPFS's own come before its last lines."""
    if rc == 0:
        return Phase.FINISHED, ""
    after = aftermath(view, job)
    if after and (after.working or (job.host, job.status.id) in view.state.stops):
        return (Phase.STOPPING if after.working else Phase.STOPPED), after.text
    code = f"exit code {rc}" + (f" (signal {rc - 128})" if 128 < rc < 192 else "")
    if log is None:
        return Phase.FAILED, f"{code}; its log has not been read"
    said = [line for line in log.tail if line][-LAST_LINES:]
    first = [line for line in log.scan.failures[:1] if line not in said]
    return Phase.FAILED, f"{code}: {' / '.join((*first, *said))}" if said else f"{code}; its log is empty"


def _running(
    view: View,
    job: Job,
    log: Log | None,
    counter: Counter,
    gap: float | None,
    estimate: Estimate | None,
    *,
    counting: bool,
    last: float | None,
) -> tuple[Phase, str]:
    """How it stands with a scan whose job runs; `counting` tells whether this phase has a counted line."""
    if log is None and job.adopted:
        return gpfs_adopted.unread(view, job, 2 * poll_seconds(view.state.header.speed))
    if log is None and job.status.size:  # how long it has been silent is not known before that
        if view.state.at - job.at <= 2 * poll_seconds(view.state.header.speed):
            return Phase.STARTING, "it runs; its log is only just being read"
        return Phase.UNKNOWN, f"it runs, but its log of {job.status.size:,} bytes has not been read yet"
    scan = log.scan if log else Scan()
    if scan.waiting_for:
        return Phase.WAITING, _waits(view, scan, last)
    over = _nearly_over(scan, counter)
    since = view.began(job) if last is None else last
    silent = max(0.0, view.state.at - since)
    speed = view.state.header.speed
    if silent > stall_limit(gap, speed):
        what = "no line" if last is not None else "it has printed nothing"
        return _silent(view, since, f"{what} for {duration_text(silent)}{_than(gap)}")
    if over:
        return Phase.FINISHING, over
    if not scan.in_phase or not counting:
        return Phase.STARTING, "" if scan.phase else "nothing is counted yet"
    if gap is not None and silent > max(QUIET_GAPS * gap, 2 * poll_seconds(speed)):
        return Phase.QUIET, f"no line for {duration_text(silent)}{_than(gap)}"
    if estimate and estimate.state is Forecast.STALLED:
        return _silent(view, since, f"its lines come, but they count nothing more: {estimate.why}")
    return Phase.RUNNING, ""


def _waits(view: View, scan: Scan, last: float | None) -> str:
    since = "" if last is None else f" (for {duration_text(max(0.0, view.state.at - last))} so far)"
    return f"waits until {scan.waiting_for} on {view.name} ends{since}, then begins by itself (6027-2763)"


def _silent(view: View, since: float, what: str) -> tuple[Phase, str]:
    """A scan that tells of no progress stands still, unless GPFS itself says that maintenance work goes on."""
    rate = maintenance(view, since)
    if rate is not None and rate >= MOVES:
        return Phase.QUIET, f"{what}; yet the maintenance class does {rate:,.0f} I/Os a second: it works"
    return Phase.STALLED, what + _held_up(view)


def _held_up(view: View) -> str:
    """The longest thread that waits for something else than its fellows."""
    found = longest(view)
    return f". Longest waiter: {waiter_text(*found[0])}" if found else ""


def _than(gap: float | None) -> str:
    return f", where {duration_text(gap)} is usual" if gap else ""


def _nearly_over(scan: Scan, counter: Counter) -> str:
    """Why it may end at any moment; empty when it may not. Metadata phases reach 100 % long before the end."""
    if not scan.phase or scan.number is not None:
        return ""
    if not scan.in_phase:
        return "the last scan that it told of is complete; the job has not ended"
    if scan.percent is not None and scan.percent >= 100.0:
        return "the tool says 100 %; the job has not ended"
    if counter.fraction is not None and counter.fraction >= NEARLY and not counter.at_least:
        return "nearly every allocated inode is examined; what comes after that is not counted"
    return ""
