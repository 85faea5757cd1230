"""What this program has changed of the limits of a GPFS file system, as the jobs tell that did it, and what came of it.

Nothing of it is kept here: the title of each job holds the settings before our first change and the rates before its
own, so another session, or another person's, knows as much.
"""

from __future__ import annotations

import calendar
import math
import re

import msgspec

from remote.gpfs.models import Qos, QosLimit
from remote.gpfs.qos import iops_of, limits_text, read_limits, scope_of
from remote.gpfs.schedule import SCRIPT
from remote.jobs import JobState
from supervision.brake import Effect, Held, Judged, Limit, Rate, iops_text
from supervision.clocktext import time_of_day
from supervision.gpfs_limits import MMCHQOS, is_mmqos
from supervision.gpfs_qos import MAINTENANCE, MISC, rates
from supervision.gpfs_view import View, is_about
from supervision.jobtimes import clock_ahead
from supervision.jobwords import words_of
from supervision.state import Job

EASE, PART, RELEASE, SCHEDULE = "ease", "part", "release", "schedule"
SETTLES = 30.0
"""Seconds after a change that count for neither: it has to reach all nodes first."""
READY = 90.0
"""Seconds after which a look at the last minute shows nothing of the time before."""
JUDGED_BY = 180.0
FALLEN = 0.2
"""The part of its rate by which a class must have fallen."""
SLACK = 1.25
"""How far above its limit a class may be seen: nodes take turns, and intervals are short."""
_TITLE = re.compile(
    r"brake (ease|part|release|schedule) (.{0,200}?); set (\S{0,4000}); earlier (on|off) (\S{0,4000}); "
    r"before (\S{0,2000})\Z"
)
_KEPT = re.compile(
    r"(?P<y>[0-9]{4})-(?P<m>0[1-9]|1[0-2])-(?P<d>[0-3][0-9]) "
    r"(?P<hour>[0-2][0-9]):(?P<minute>[0-5][0-9]):(?P<s>[0-5][0-9]) (?P<what>tight|free|restored) \("
)


class Change(msgspec.Struct, frozen=True):
    """A change of ours: its job, and what the title tells. `before` are IOPS by `pool/class`."""

    job: Job
    kind: str
    words: str
    set_to: tuple[QosLimit, ...]
    earlier_on: bool
    earlier: tuple[QosLimit, ...]
    before: dict[str, float]

    @property
    def done(self) -> float | None:
        """When it was done, by its host's clock; None while that is not known."""
        return self.job.status.ended if self.job.status.rc == 0 else None

    @property
    def may_hold(self) -> bool:
        """Whether it has changed something, or may have for all one knows."""
        status = self.job.status
        if status.state in (JobState.SEALED, JobState.ABSENT, JobState.ERROR):
            return False
        # a schedule that has ended well has restored what was before; one that has not may have left anything
        return status.rc != 0 if self.kind == SCHEDULE else status.rc in (0, None)


def title(
    kind: str, words: str, set_to: tuple[QosLimit, ...], *, on: bool, earlier: tuple[QosLimit, ...],
    before: tuple[Rate, ...] = (),
) -> str:  # fmt: skip
    """The title of a job that changes limits."""
    told = ",".join(f"{rate.pool}/{rate.of}={rate.iops:.0f}" for rate in before)
    return (
        f"brake {kind} {words}; set {limits_text(set_to) or '-'}; earlier {'on' if on else 'off'} "
        f"{limits_text(earlier) or '-'}; before {told or '-'}"
    )


def changes(view: View) -> list[Change]:
    """Our changes of this file system, the oldest first."""
    found = [change for job in view.state.jobs.values() if (change := _change(view, job))]
    return sorted(found, key=lambda change: (view.began(change.job), change.job.status.id))


def _change(view: View, job: Job) -> Change | None:
    match = _TITLE.match(job.status.title)
    if match is None or not any(
        (is_about(job, view.name, MMCHQOS), is_mmqos(job, view.name), is_schedule(job, view.name))
    ):
        return None
    kind, words, set_to, on, earlier, before = match.groups()
    return Change(job, kind, words, _read(set_to), on == "on", _read(earlier), _rates(before))


def is_schedule(job: Job, fs: str) -> bool:
    """Whether a job is a schedule of limits for the file system."""
    words = words_of(job)
    return len(words) > 2 and words[0] == "sh" and words[1].endswith(f"/{SCRIPT}") and words[2] == fs


def _read(text: str) -> tuple[QosLimit, ...]:
    return tuple(read_limits(text) or ()) if text != "-" else ()


def _rates(text: str) -> dict[str, float]:
    pairs = (pair.partition("=") for pair in text.split(",") if pair != "-")
    return {name: float(value) for name, _, value in pairs if value.isdigit() and len(value) < 16}


def held(view: View) -> tuple[Change, Held] | None:
    """The first change of ours that was not taken back yet with how it stands; None when nothing of ours holds.

    What was before it are the settings to return to.
    """
    ours = [change for change in changes(view) if change.kind != PART]
    ends = [at for at, change in enumerate(ours) if _restored(change)]
    since = [change for change in ours[ends[-1] + 1 if ends else 0 :] if change.kind != RELEASE and change.may_hold]
    if not since:
        return None
    first, last = since[0], since[-1]
    status = last.job.status
    running = last.kind == SCHEDULE and not status.state.settled
    sure = last.done is not None or running
    others = "" if running else _others(view, first, last)
    if others is None:
        return None
    text = "QoS is to be off" if not first.earlier_on else limits_text(first.earlier)
    at = view.began(last.job)
    return first, Held(last.job.host, status.id, at, last.words, text, others, sure, running)


def _restored(change: Change) -> bool:
    return change.job.status.rc == 0 and change.kind in (RELEASE, SCHEDULE)


def _others(view: View, first: Change, last: Change) -> str | None:
    """What somebody else has made of the limits since our last change; None when that is what they were before."""
    qos, at = view.facts.get(Qos), view.at(Qos)
    ended = last.job.status.ended
    since = view.began(last.job) if ended is None else ended - clock_ahead(view.state, last.job.host)
    if qos is None or at is None or at < since:
        return ""
    if last.kind != SCHEDULE and _holds(qos, last.set_to):
        return ""
    if _is_earlier(qos, first):
        return None
    if last.kind == SCHEDULE:
        return ""
    now = limits_text(qos.limits) if qos.enabled else "QoS is off"
    return f"somebody has changed them since: {now}"


def _holds(qos: Qos, wanted: tuple[QosLimit, ...]) -> bool:
    """Whether limits are what was set; the scope may be printed in another way than it was given."""
    return bool(qos.enabled) and all(
        any(
            row.pool == want.pool
            and scope_of(row.name)[0] == scope_of(want.name)[0]
            and iops_of(row.limit) == iops_of(want.limit)
            for row in qos.limits
        )
        for want in wanted
    )


def _is_earlier(qos: Qos, first: Change) -> bool:
    if not first.earlier_on:
        return qos.enabled is False
    return bool(qos.enabled) and all(
        any((row.pool, row.name, iops_of(row.limit)) == (was.pool, was.name, iops_of(was.limit)) for row in qos.limits)
        for was in first.earlier
    )


def effect(view: View, limits: tuple[Limit, ...]) -> Effect:
    """What came of our last change, where that was one that slows."""
    ours = [change for change in changes(view) if change.kind in (EASE, RELEASE, SCHEDULE)]
    last = next((change for change in reversed(ours) if change.done is not None or _keeps(change)), None)
    slowed = [row.pool for row in last.set_to if (iops_of(row.limit) or math.inf) < math.inf] if last else []
    done = _slowed_at(view, last) if last and slowed else None
    if last is None or done is None:
        return Effect()
    ahead = clock_ahead(view.state, last.job.host)
    since = done - ahead
    due = since + JUDGED_BY
    at = view.at(Qos)
    if at is None or at < since + READY:
        by = time_of_day(due, view.state.utc_offset)[:5]
        return Effect(Judged.WAITING, f"its effect is not known yet (judged by {by})", since, due)
    told = rates(view.facts.get(Qos), after=done + SETTLES, host_zone=view.state.utc_offset, at=at + ahead)
    now = {f"{rate.pool}/{rate.of}": rate.iops for rate in told}
    if not any(f"{pool}/{MAINTENANCE}" in now for pool in slowed):
        return Effect(Judged.UNKNOWN, "mmlsqos tells no rate of maintenance, so nothing proves it", since, due)
    allowed = sum(
        limit.iops if limit.effective is None else limit.effective for limit in limits if limit.pool in slowed
    )
    before = last.before if last.kind == EASE else {}  # of a schedule they are from when it was begun
    judged, text = _judge(before, now, slowed, allowed)
    return Effect(judged, text, since, due)


def _keeps(change: Change) -> bool:
    """Whether it is a schedule that goes on."""
    return change.kind == SCHEDULE and not change.job.status.state.settled


def _slowed_at(view: View, change: Change) -> float | None:
    """When a change slowed the scan, by its host's clock; None where it does not: a release, a schedule by night."""
    if change.kind == EASE:
        return change.done
    log = view.state.job_log(change.job.host, change.job.status.id) if _keeps(change) else None
    lines = [match for line in (log.tail if log else ()) if (match := _KEPT.match(line))]
    if not lines or lines[-1]["what"] != "tight":
        return None
    stamp = calendar.timegm(tuple(int(lines[-1][name]) for name in ("y", "m", "d", "hour", "minute", "s")))
    return float(stamp - view.state.utc_offset)


def _judge(before: dict[str, float], now: dict[str, float], pools: list[str], allowed: float) -> tuple[Judged, str]:
    """Compare what the class did with what it does, and with what it may; what moved to `misc` has not gone."""
    does, free = _sum(now, pools, MAINTENANCE), _sum(now, pools, MISC)
    beside = f"; misc, which has no limit, does {free:,.0f}" if free > max(allowed, does) else ""
    if not any(f"{pool}/{MAINTENANCE}" in before for pool in pools):
        if does > SLACK * allowed or beside:
            return Judged.NOTHING, _no_effect(f"{does:,.0f} IOPS, {allowed:,.0f} allowed{beside}")
        return Judged.WITHIN, f"{iops_text(does)} are done; how many it was before is not known"
    did = _sum(before, pools, MAINTENANCE)
    moved = max(0.0, free - _sum(before, pools, MISC))
    if did - does - moved >= FALLEN * did > 0.0:
        return Judged.FELL, f"rates fell from {did:,.0f} to {does:,.0f}"
    if did <= SLACK * allowed and does <= SLACK * allowed and not beside:
        return Judged.WITHIN, f"{iops_text(does)} are done, which was within the limit before"
    if did - does >= FALLEN * did:
        text = (
            f"maintenance fell from {did:,.0f} to {does:,.0f} IOPS, but misc, which has no limit, rose by {moved:,.0f}"
        )
        return Judged.NOTHING, _no_effect(text)
    return Judged.NOTHING, _no_effect(f"{does:,.0f} IOPS after {did:,.0f} before, {allowed:,.0f} allowed{beside}")


def _sum(told: dict[str, float], pools: list[str], name: str) -> float:
    return sum(told.get(f"{pool}/{name}", 0.0) for pool in pools)


def _no_effect(why: str) -> str:
    return f"the brake has no effect: {why}"
