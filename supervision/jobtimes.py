"""How long jobs have run, by the clock of their host: neither a wrong clock here nor one there may falsify it."""

from __future__ import annotations

from remote.jobs import JobState
from supervision import hostclock
from supervision.state import Job, State


def clock_ahead(state: State, host: str) -> float:
    """Seconds that a host's clock is ahead of the Site's (negative: behind); 0 where nothing is known of it."""
    return hostclock.ahead(state.facts, host)


def began_here(state: State, job: Job) -> float | None:
    """When a job began, on the Site's clock; None when its host has not told."""
    began = job.status.began
    return None if began is None else began - clock_ahead(state, job.host)


def ended_here(state: State, job: Job) -> float | None:
    """When a job ended, on the Site's clock: as its host says, else when it was first seen to be over; None before."""
    if not job.status.state.settled:
        return None
    ended = job.status.ended
    return job.settled_at if ended is None else ended - clock_ahead(state, job.host)


def ran_seconds(state: State, job: Job, now: float) -> float | None:
    """How long a job has run at `now` (Site's clock). None where that is not known: it ended nobody knows when."""
    status = job.status
    if status.began is None:
        return None
    if status.ended is not None:
        return max(0.0, status.ended - status.began)
    if status.state in (JobState.RUNNING, JobState.ORPHAN):
        return max(0.0, now + clock_ahead(state, job.host) - status.began)
    return None
