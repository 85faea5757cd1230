"""How a savemeta, a restoremeta or an fsck ended. An exit status of 0 is no success of the first two. Pure."""

from __future__ import annotations

import signal

import msgspec

from remote.gfs2.commands import gzip_test, path_trouble
from remote.gfs2.doubts import check_restoremeta, check_savemeta, of_restoremeta, of_savemeta
from remote.gfs2.metadata import parse_restoremeta, parse_savemeta
from remote.gfs2.models import Counted, RestoremetaLog, SavemetaLog
from remote.gfs2.progress import parse_progress_line
from supervision import eta_runs
from supervision.eta import Span
from supervision.eta_runs import FinishedRun
from supervision.filesystem import Phase
from supervision.gfs2_reading import run_kind
from supervision.gfs2_view import GFS2, View
from supervision.gfs2_work import FSCK, RESTOREMETA, SAVEMETA, Work, is_gfs2_job, work_of
from supervision.jobtimes import clock_ahead
from supervision.jobwords import words_of
from supervision.logs import Log, Scan
from supervision.state import Job
from supervision.supervisor import LATE, LATE_LOOKS

LAST_LINES = 3
"""Lines of the log that tell why it failed."""
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
FSCK_BITS = 128
"""The largest of them; what is larger tells of a signal."""
_LOOKED_AT, _LEFT = 3, 4


def is_over(scan: Scan) -> bool:
    """Whether a log tells that the last work in it came to its end."""
    return scan.phases_done > 0 and not scan.in_phase


def end_of(log: Log, work: Work | None) -> SavemetaLog | RestoremetaLog | None:
    """What a savemeta or restoremeta told of itself, when it has come to its end; None before.

    Of a long log the lines of its beginning and of its end are known. What the guard script counted stands behind the
    last line of the tool, and may have driven it out of these.
    """
    if not is_over(log.scan):
        return None
    text = "\n".join((*log.head, *log.tail))
    done = log.scan.done
    counted = () if done is None else (Counted(done, int(log.scan.percent or 0)),)
    if work is not None and work.kind == RESTOREMETA:
        restored = parse_restoremeta(text).model
        outcome = restored.outcome or "successful"
        return msgspec.structs.replace(restored, outcome=outcome, counted=counted, errors=log.scan.failures)
    saved = parse_savemeta(text).model
    return msgspec.structs.replace(saved, finished=True, counted=counted, errors=log.scan.failures)


def _doubts(view: View, job: Job, log: Log, work: Work | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What speaks against an end that is told to be a success, and what else is to be looked at."""
    tested = _tested(view, job, work)
    broken = (f"gzip -t does not find {work.file} whole",) if tested is False and work else ()
    match end_of(log, work):
        case SavemetaLog() as end:
            dinodes = view.groups.dinodes if view.groups else None
            counted = dinodes is not None and view.probed is not None and view.probed.kind == GFS2
            return (*of_savemeta(end, dinodes), *broken), check_savemeta(end, counted=counted, whole=tested is True)
        case RestoremetaLog() as end if end.outcome != "successful":
            return ("its last line tells of an error",), ()
        case RestoremetaLog() as end:
            return (*of_restoremeta(end), *broken), check_restoremeta(end, whole=tested is True)
    return ("its log does not tell that it came to its end",), ()


def _tested(view: View, job: Job, work: Work | None) -> bool | None:
    """Whether `gzip -t` found the file of a work whole, as a job that ran since it was written; None without one."""
    if work is None or not work.file or job.status.ended is None:
        return None
    wanted = gzip_test(work.file).argv if not path_trouble(work.file) else ()
    since = job.status.ended if work.kind == SAVEMETA else 0.0
    ends = [
        (each.status.began or 0.0, each.status.rc)
        for each in view.state.jobs.values()
        if each.host == job.host and words_of(each) == wanted and (each.status.began or 0.0) >= since
    ]
    rc = max(ends, default=(0.0, None))[1]
    return None if rc is None else rc == 0


def ended(view: View, job: Job, work: Work | None, rc: int, log: Log | None) -> tuple[Phase, str]:
    """How it ended: an exit status of 0 is no success yet, and that of fsck has a meaning for each bit."""
    if work is not None and work.kind == FSCK:
        return _fsck_ended(work, rc, log)
    if rc != 0:
        return Phase.FAILED, _failed(rc, log)
    if log is None or log.size < job.status.size:
        what = "exit code 0, which these tools also have where they failed; its log is not read yet"
        return (Phase.FINISHING if _lately(view, job) else Phase.UNKNOWN), what
    doubts, to_check = _doubts(view, job, log, work)
    if doubts:
        return Phase.FAILED, f"exit code 0, yet {'; '.join(doubts)}"
    if to_check:
        return Phase.FINISHED, f"exit code 0, which is no proof; still to be looked at: {'; '.join(to_check)}"
    if not _tested(view, job, work):
        return Phase.FINISHED, "exit code 0, and nothing else speaks against it"
    counted = ", and no fewer blocks were saved than there are dinodes" if work and work.kind == SAVEMETA else ""
    return Phase.FINISHED, f"exit code 0; gzip -t read its file to the end{counted}"


def unproven(view: View, job: Job, work: Work | None, log: Log | None) -> bool:
    """Whether something is still to be looked at of one that ended with 0."""
    return log is not None and work is not None and work.kind != FSCK and bool(_doubts(view, job, log, work)[1])


def _fsck_ended(work: Work, rc: int, log: Log | None) -> tuple[Phase, str]:
    """A check that found errors and was only to look has done its work; one that left some has not."""
    if rc == 0:
        return Phase.FINISHED, "exit code 0: no errors were found"
    words = "" if rc > FSCK_BITS else ", ".join(word for bit, word in _FSCK_WORDS if rc & bit)
    if words and not rc & ~(_LOOKED_AT | _LEFT):
        well = not rc & _LEFT or not work.repairs
        return (Phase.FINISHED if well else Phase.FAILED), f"exit code {rc}: {words}"
    return Phase.FAILED, _failed(rc, log, words)


def _failed(rc: int, log: Log | None, words: str = "") -> str:
    """Why it failed: its signal by name, or what the tool means by the code; its complaints, else its last lines."""
    code = f"exit code {rc}{signal_text(rc) or (words and f' ({words})')}"
    if log is None:
        return f"{code}; its log has not been read"
    if not any(log.tail):
        return f"{code}; its log is empty"
    said = log.scan.failures or tuple(line for line in log.tail if line and parse_progress_line(line) is None)
    return f"{code}: {' / '.join(said[-LAST_LINES:])}" if said else code


def signal_text(rc: int) -> str:
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


def ended_unseen(view: View, job: Job, work: Work | None, log: Log | None) -> tuple[Phase, str]:
    """The end of what others started: nobody but their shell knows the exit code, so its last lines have the word."""
    if log is None:
        return Phase.LOST, f"{job.status.meaning}, and nothing of its output was read"
    code = job.status.meaning.removeprefix("it has ended; ")
    checks = work is not None and work.kind == FSCK
    if not is_over(log.scan):
        if _lately(view, job):
            return Phase.FINISHING, "its process has ended; its last lines may not be written yet"
        where = f" in {log.scan.phase}" if log.scan.phase else ""
        return Phase.LOST, f"its output breaks off{where}; {code}"
    doubts = () if checks else _doubts(view, job, log, work)[0]
    if doubts:
        return Phase.FAILED, f"its last lines tell that it came to its end, yet {'; '.join(doubts)}; {code}"
    return Phase.FINISHED, f"its last lines tell that it came to its end; {code}"


def _lately(view: View, job: Job) -> bool:
    """Whether it was seen to be over so lately that the rest of its log may be on its way."""
    settled = job.settled_at if job.settled_at is not None else job.at
    return view.state.at - settled <= LATE * LATE_LOOKS


def finished_run(view: View, job: Job) -> FinishedRun | None:
    """A run that ended without a doubt, by what was forecast of it; None for any other."""
    words = words_of(job)
    log, sb, kind, work = view.state.job_log(job.host, job.status.id), view.superblock, run_kind(words), work_of(words)
    well = job.status.rc == 0 and is_gfs2_job(job, view.device)
    if sb is None or log is None or not kind or not well or job.status.ended is None:
        return None
    if _doubts(view, job, log, work)[0]:
        return None
    forecasts = [
        (told.at, Span(told.low - told.at, told.mid - told.at, told.high - told.at))
        for told in log.forecasts.told
        if told.low is not None and told.mid is not None and told.high is not None
    ]
    used = log.forecasts.estimator.calibration if log.forecasts.estimator else None
    at = job.status.ended - clock_ahead(view.state, job.host)
    site = sb.lock_table.partition(":")[0] or sb.uuid
    return eta_runs.finished(kind, site, view.began(job), at, forecasts, used)
