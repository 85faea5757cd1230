"""Which file system is meant where nobody has named one: that of the newest scan of a host."""

from __future__ import annotations

import msgspec

from remote.jobs import JobStatus
from remote.linux.scans import RunningScans, scans
from supervision import adopting, filesystems
from supervision.jobwords import split_words
from supervision.state import Job, State
from tui.connecting import Target, look

WORDS = 30
"""Words of a command that are looked at."""


async def file_system_of(target: Target, job_id: str = "", log: str = "", pid: int | None = None) -> tuple[str, str]:
    """Ask a host for its jobs and scans, unrecorded; kind and name of the file system of the one that is meant.

    The name is "" where none tells. Raises SiteError.
    """
    async with look(target, "") as supervisor:
        await supervisor.site.jobs(target.host)
        await supervisor.ask(target.host, scans())
        return named_by(supervisor.store.state, target.host, job_id, log, pid)


def named_by(state: State, host: str, job_id: str = "", log: str = "", pid: int | None = None) -> tuple[str, str]:
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
    return next((found for status in known if (found := _named(state, host, status))[1]), (filesystems.USUAL, ""))


def _named(state: State, host: str, status: JobStatus) -> tuple[str, str]:
    """The file system that a command scans, of whichever kind; the name is "" where it scans none."""
    job = Job(host, status, state.at)
    for word in split_words(status.command)[1:WORDS]:
        for name in dict.fromkeys((word, word.removeprefix("/dev/"))):
            for kind in filesystems.KINDS:
                header = msgspec.structs.replace(state.header, kind=kind, file_system=name)
                if filesystems.file_system(header).is_scan(job):
                    return kind, name
    return filesystems.USUAL, ""
