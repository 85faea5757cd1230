"""A job's command, word by word."""

from __future__ import annotations

import shlex

from supervision.state import Job


def words_of(job: Job) -> tuple[str, ...]:
    """The words of a job's command; where its quotes are broken, what stands between blanks."""
    if job.spec is not None:
        return job.spec.command.argv
    try:
        return tuple(shlex.split(job.status.command))
    except ValueError:
        return tuple(job.status.command.split())
