"""Plans that were begun, found on hosts alone: every job's directory holds its plan."""

from __future__ import annotations

import re

import msgspec

from remote.jobs import JobState, JobStatus
from remote.text import decode
from supervision.guide_jobs import file_of
from supervision.plan import FILE, Plan, PlanError
from supervision.plan import decode as decode_plan
from supervision.supervisor import Supervisor

_ENDED_ID = re.compile(r"(.+)-\d{1,3}-[a-z0-9][a-z0-9-]*?-\d{1,4}\Z")


class FoundPlan(msgspec.Struct, frozen=True):
    """A plan, the host that has its newest job, and when that began (seconds since 1970, the host's clock)."""

    plan: Plan
    host: str
    began: float


async def plans_on(supervisor: Supervisor, host: str) -> tuple[FoundPlan, ...]:
    """The plans of which a host has jobs, the newest first. Raises SiteError."""
    site = supervisor.site
    newest: dict[str, JobStatus] = {}
    for status in await site.jobs(host):
        match = _ENDED_ID.match(status.id)
        if match and status.state not in (JobState.SEALED, JobState.ABSENT):
            held = newest.get(match[1])
            if held is None or (status.began or 0.0) >= (held.began or 0.0):
                newest[match[1]] = status
    if not newest:
        return ()
    place = await site.place(host)
    answers = await site.query(host, *(file_of(place.base, status.id, FILE) for status in newest.values()))
    found = []
    for status, answer in zip(newest.values(), answers, strict=True):
        plan = _plan(decode(answer.stdout)) if answer.rc == 0 else None
        if plan is not None:
            found.append(FoundPlan(plan, host, status.began or 0.0))
    return tuple(sorted(found, key=lambda each: -each.began))


def _plan(text: str) -> Plan | None:
    try:
        return decode_plan(text)
    except PlanError:
        return None
