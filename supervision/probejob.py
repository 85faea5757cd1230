"""The probe as a job: how it is started, and which of a session's jobs are one."""

from __future__ import annotations

import importlib.resources
import math
import posixpath
import shlex
from collections.abc import Iterator
from functools import cache

import msgspec

from remote.command import Command, Effect
from remote.jobs import JobSpec, JobStatus, Place
from supervision.impact import Impact, impact
from supervision.jobtimes import began_here
from supervision.probing import Samples
from supervision.state import Job, State

FILE = "probe.sh"
"""The attached file that the job runs."""
MEAN, DEADLINE, MOST, LIFETIME = 20.0, 30.0, 4, 28 * 86_400.0
"""Seconds between two probes, seconds for one, how many may be outstanding, and seconds until it ends by itself."""
LEAST_MEAN, MOST_MEAN = 1.0, 60.0
"""Seconds: more often would be a load of its own, more rarely tells too little within ten minutes."""


class Wish(msgspec.Struct, frozen=True):
    """What a person has set of a probe to be started: where, how often (seconds), and the budget (a factor)."""

    directory: str = ""
    host: str = ""
    mean: float = MEAN
    budget: float | None = None


class Probe(msgspec.Struct, frozen=True):
    """A probe of a session: its job, where that is known, and what it told."""

    host: str
    job: Job
    samples: Samples


def probe_spec(
    place: Place,
    job_id: str,
    operator: str,
    directory: str,
    *,
    mean: float = MEAN,
    deadline: float = DEADLINE,
    most: int = MOST,
    lifetime: float = LIFETIME,
    budget: float | None = None,
) -> JobSpec:
    """The job that probes `directory` (absolute) on the host of that `place`. Times are seconds, `budget` is a factor.

    ValueError where something cannot be meant. It runs as who logs in and never as another: whoever may write there.
    """
    if why := refusal(directory, mean, budget):
        raise ValueError(why)
    numbers = (mean, deadline, float(most), lifetime, *(() if budget is None else (budget,)))
    words = ("sh", place.file(job_id, FILE), directory, *(_plain(number) for number in numbers))
    return JobSpec(job_id, "probe of users' latency", operator, Command(words, Effect.CHANGES), ((FILE, _script()),))


def refusal(directory: str, mean: float, budget: float | None) -> str:
    """Why no such probe is started; empty when it may be."""
    if not posixpath.isabs(directory) or not directory.isprintable():
        return f"not an absolute path: {directory!r}"
    if not 0.01 <= mean <= MOST_MEAN:
        return f"a probe comes every {LEAST_MEAN:g} to {MOST_MEAN:g} seconds, not every {mean:g}"
    if budget is not None and not (math.isfinite(budget) and budget >= 1):
        return f"a budget is a factor of at least 1, not {budget:g}"
    return ""


def is_probe(status: JobStatus) -> bool:
    """Whether a job is a probe, whoever started it."""
    return bool(_directory(status))


def _directory(status: JobStatus) -> str:
    """What a job probes; empty when it is no probe."""
    try:
        words = shlex.split(status.command)
    except ValueError:
        return ""
    mine = len(words) >= 7 and words[0] == "sh" and words[1].endswith(f"/{status.id}/run/{FILE}")
    return words[2] if mine else ""


def probes(state: State) -> Iterator[Probe]:
    """The probes of a session, the newest first."""
    jobs = [job for job in state.jobs.values() if is_probe(job.status)]
    for job in sorted(jobs, key=lambda job: (job.status.began or job.at, job.host, job.status.id), reverse=True):
        log = state.job_log(job.host, job.status.id)
        yield Probe(job.host, job, log.samples if log else Samples())


def probe_at(state: State, host: str, directory: str) -> str:
    """The job that probes a directory of a host and may still run; empty when none is known."""
    same = (probe.job.status for probe in probes(state) if probe.host == host)
    return next((status.id for status in same if not status.state.settled and _directory(status) == directory), "")


class Hurt(msgspec.Struct, frozen=True):
    """What the newest probe that runs, else the newest, tells of users' latency; `directory` is what it probes."""

    probe: Probe
    directory: str
    impact: Impact


def hurt(
    state: State,
    scan: Job | None = None,
    *,
    budget: float | None = None,
    before: tuple[float, float] | None = None,
) -> Hurt | None:
    """What a scan does to users, by what is known; None where there is no probe. `budget`, `before`: as in `impact`."""
    known = sorted(probes(state), key=lambda probe: probe.job.status.state.settled)  # stable: the newest first
    if not known:
        return None
    probe, *others = known
    status, directory = probe.job.status, _directory(probe.job.status)
    found = impact(
        probe.samples,
        state.at,
        None if scan is None else began_here(state, scan),
        budget=budget,
        before=before,
        earlier=[
            each.samples for each in others if (each.host, _directory(each.job.status)) == (probe.host, directory)
        ],
        speed=state.header.speed,
    )
    if status.state.settled and not probe.samples.over:  # it was killed, or its host went down
        ended = f"the probe has ended: {status.meaning}"
        found = msgspec.structs.replace(found, why=ended, hung=None, hung_since=None)
    return Hurt(probe, directory, found)


@cache
def _script() -> str:
    return (importlib.resources.files("remote") / "linux" / FILE).read_text(encoding="utf-8")


def _plain(number: float) -> str:
    """A number as the script reads it: no exponent."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
