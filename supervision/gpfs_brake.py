"""The brake of a GPFS file system: how it stands with the limits of a scan, and which steps there are."""

from __future__ import annotations

import math
from collections.abc import Iterator

from remote.gpfs.models import Qos
from supervision.brake import FLOOR, Brake, Held, Judged, Power, Rate, Step, iops_text
from supervision.clocktext import duration_text, time_of_day
from supervision.gpfs_aftermath import aftermath
from supervision.gpfs_braked import effect, held
from supervision.gpfs_progress import is_scan, scan_job
from supervision.gpfs_qos import MAINTENANCE, class_of, helpers, limits, mounted, power, rates
from supervision.gpfs_view import View
from supervision.state import Job
from supervision.tables import Line, Severity

PARTS = ((2, "half"), (4, "a quarter"), (10, "a tenth"))
SCHEDULE_ENDS = 300.0
"""Seconds after a scan in which its schedule sees that, and has brought back the earlier settings."""
USUAL = (10_000.0, 3_000.0, 1_000.0, 300.0)
"""Steps where nobody knows what runs now."""


def brake(view: View, floor: float = FLOOR) -> Brake:
    """How it stands with it now."""
    word, why = power(view)
    at = view.at(Qos)
    if word in (Power.ABSENT, Power.UNKNOWN):
        return Brake(word, why=why, at=at, floor=floor)
    job = scan_job(view)
    going = job is not None and goes_on(view, job)
    scans = helpers(view, job) if job else None
    told = limits(view, scans) if word is Power.ENABLED else ()
    ours = held(view)
    now = rates(view.facts.get(Qos)) if word is Power.ENABLED else ()
    return Brake(
        word,
        told,
        now,
        scans or (),
        steps(now, floor, measured=word is Power.ENABLED),
        floor,
        effect(view, told),
        ours[1] if ours else None,
        going,
        hindrance(view, job if going else None, ours[1] if ours else None) or why,
        at,
        _restore_due(view, job, ours[1] if ours else None),
    )


def goes_on(view: View, job: Job) -> bool:
    """Whether a scan runs, may run for all one knows, or has left work behind that goes on."""
    after = aftermath(view, job)
    return not job.status.state.settled or bool(after and after.working)


def hindrance(view: View, job: Job | None, ours: Held | None) -> str:
    """Why no limit can be set now; empty when one can."""
    if job is None:
        return "no scan runs"
    if class_of(job) != MAINTENANCE:
        return f"the scan runs in class {class_of(job)} as the users do: a limit would hold both"
    if ours and ours.schedule:
        return f"a schedule on {ours.host} keeps the limits (job {ours.job_id}); release it first"
    if not mounted(view).count:
        return "it is not known how many nodes mount it (mmlsmount), and so not what would be left for the helpers"
    if not helpers(view, job):
        return "it is not known which nodes scan: -N names what is no node of the cluster"
    return ""


def steps(now: tuple[Rate, ...], floor: float, *, measured: bool) -> tuple[Step, ...]:
    """Parts of what runs now; round figures where nobody knows that; without QoS also to measure alone."""
    runs = max((rate.iops for rate in now if rate.of == MAINTENANCE), default=0.0)
    if runs / PARTS[0][0] >= floor:
        offered = [(_round(runs / part), f"{word} of the {runs:,.0f} IOPS of now") for part, word in PARTS]
    else:
        offered = [(iops, "") for iops in USUAL]
    made = [Step(iops, text, too_low(iops, floor)) for iops, text in offered]
    return tuple(made if measured else (Step(math.inf, "switch QoS on and measure, without a limit"), *made))


def too_low(iops: float, floor: float) -> str:
    """Why a limit would be too low; empty when it is not."""
    if iops >= floor:
        return ""
    return f"{iops_text(iops)} for all helpers together is below the floor of {iops_text(floor)}"


def _round(value: float) -> float:
    """Two digits that matter: 1,300 and not 1,287."""
    if value <= 0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return round(value / unit) * unit


def _restore_due(view: View, job: Job | None, ours: Held | None) -> bool:
    """Whether the earlier settings may be brought back unasked: no scan is left, and nobody else has changed them."""
    if job is None or ours is None or ours.others or ours.schedule or not ours.sure:
        return False
    scans = [each for each in view.state.jobs.values() if is_scan(each, view.name)]
    return not any(goes_on(view, each) for each in scans)


def brake_problems(view: View) -> Iterator[Line]:
    """What is wrong with it: limits of ours that nobody needs any more, and a brake without effect."""
    now = brake(view)
    if now.effect.judged is Judged.NOTHING and now.scanning:
        advice = "Metadata may be moved in a class that has no limit: fewer helpers, or a stop, is what is left"
        yield Line("Brake", now.effect.text, Severity.WARNING, advice, now.at)
    ours = now.held
    if ours is None:
        return
    since = time_of_day(ours.at, view.state.utc_offset)[:5]
    if not ours.sure:
        text = f"whether {ours.text} was set is not known (job {ours.job_id} on {ours.host}, {since})"
        yield Line("Brake", text, Severity.WARNING, "See mmlsqos before anything else is set", now.at)
    elif not now.scanning and not ours.schedule:
        text = f"limits of ours still hold, set at {since}: {ours.text}. Before it was: {ours.earlier}"
        text += f"; {ours.others}" if ours.others else ""
        yield Line("Brake", text, Severity.WARNING, "Release them, now that no scan runs", now.at)
    elif ours.schedule and not now.scanning and (seconds := _over_for(view)) > SCHEDULE_ENDS:
        text = f"a schedule on {ours.host} still keeps limits (job {ours.job_id}), and no scan "
        text += "is known" if seconds == math.inf else f"has run for {duration_text(seconds)}"
        advice = "Release it: it should have ended by itself. Its log says why it has not"
        yield Line("Brake", text, Severity.WARNING, advice, now.at)
    elif ours.others:
        yield Line(
            "Brake", f"{ours.text} of {since}: {ours.others}", Severity.NOTE, "Ask who, before more is set", now.at
        )


def _over_for(view: View) -> float:
    """Seconds since the last scan was told to have ended; infinite where none is known."""
    job = scan_job(view)
    return math.inf if job is None else view.state.at - (job.at if job.settled_at is None else job.settled_at)
