"""Which file system is meant where nobody has named one: that of the newest scan of a host."""

from __future__ import annotations

import shlex

import msgspec

from remote.jobs import JobStatus
from remote.linux.scans import RunningScans, scans
from supervision import adopting, filesystems
from supervision.state import Job, State
from tui.connecting import Target, look


async def file_system_of(target: Target, job_id: str = "", log: str = "", pid: int | None = None) -> str:
    """Ask a host for its jobs and scans, unrecorded; the file system of the one that is meant, "" where none tells.

    Raises SiteError.
    """
    async with look(target, "") as supervisor:
        await supervisor.site.jobs(target.host)
        await supervisor.ask(target.host, scans())
        return named_by(supervisor.store.state, target.host, job_id, log, pid)


def named_by(state: State, host: str, job_id: str = "", log: str = "", pid: int | None = None) -> str:
    """The file system that the newest scan names in its command: one that runs before one that has ended."""
    fact = state.facts.get(f"scans {host}")
    told = fact.parsed.model if fact and fact.parsed else None
    others = told if isinstance(told, RunningScans) else RunningScans()
    known = [job.status for job in state.jobs.values() if job_id in ("", job.status.id)]
    if log:
        writer = adopting.writer_of(others, log, pid)
        known = [adopting.status_of(writer, others.now)] if writer else []
    elif not job_id:
        known += [adopting.status_of(scan, others.now) for scan in others.scans if not scan.job]
    known.sort(key=lambda status: (not status.state.settled, status.began or 0.0), reverse=True)
    return next((name for status in known if (name := _named(state, host, status))), "")


def _named(state: State, host: str, status: JobStatus) -> str:
    """The file system that a command scans; "" where it scans none."""
    try:
        words = shlex.split(status.command)
    except ValueError:
        return ""
    for word in words[1:2]:
        name = word.removeprefix("/dev/")
        fs = filesystems.file_system(msgspec.structs.replace(state.header, file_system=name))
        if fs.is_scan(Job(host, status, state.at)):
            return name
    return ""
