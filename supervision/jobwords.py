"""A job's command, word by word."""

from __future__ import annotations

import shlex

from supervision.state import Job


def words_of(job: Job) -> tuple[str, ...]:
    """The words of a job's command; where its quotes are broken, what stands between blanks."""
    return job.spec.command.argv if job.spec is not None else split_words(job.status.command)


def split_words(command: str) -> tuple[str, ...]:
    """The words of a command as a shell would take them; where its quotes are broken, what stands between blanks."""
    try:
        return tuple(shlex.split(command))
    except ValueError:
        return tuple(command.split())
