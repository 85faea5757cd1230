"""What is left of a scan whose command was killed: whether GPFS goes on with it, as far as its threads show.

The work is done by the daemons. No public source says for certain that it ends with the command, so the end of the
process proves nothing; threads of it among the waiters prove that it goes on.
"""

from __future__ import annotations

from remote.gpfs.models import Waiters
from remote.names import fold
from supervision.filesystem import Aftermath
from supervision.gpfs_view import View
from supervision.jobtimes import clock_ahead
from supervision.state import Job

SETTLES = 60.0
"""Seconds (Site's clock) after the end of the process from which on the absence of its threads counts: the daemons
notice the death of a command some time after it."""
_THREADS = ("pit",)
"""Begin the names of threads that do the work: parallel inode traversal."""


def aftermath(view: View, job: Job) -> Aftermath | None:
    """What is known of the work of a scan that a signal ended; `None` when there is nothing to ask."""
    status = job.status
    if not status.state.settled or status.rc is None or not 128 < status.rc < 192:
        return None
    since = job.at if job.settled_at is None else job.settled_at
    if status.ended is not None:  # it had ended when its host first told so, whatever the clocks say
        since = min(since, status.ended - clock_ahead(view.state, job.host))
    seen, unasked, quiet, silent = [], [], [], []
    for host in view.hosts:
        fact, link = view.facts.fact(Waiters, host), view.state.links.get(host)
        waiters = view.facts.get(Waiters, host)
        if fact is not None and waiters is not None and fact.at > since and at_work(waiters):
            seen.append(host)
        elif fact is not None and waiters is not None and fact.at > since + SETTLES:
            quiet.append(host)
        elif link is not None and link.state == "up" and (fact is None or not fact.failure):
            unasked.append(host)
        else:
            silent.append(host)
    if seen:
        return Aftermath(True, f"its process has ended, but GPFS works on: its threads wait on {fold(seen)}")
    if unasked:
        told = f"whether GPFS works on is seen at the next look at {fold(unasked)}"
        return Aftermath(True, f"its process has ended; {told}")
    but = f"; {fold(silent)} cannot be asked" if silent else ""
    if not quiet:
        return Aftermath(False, f"its process has ended; whether GPFS works on is not known{but}")
    return Aftermath(False, f"its process has ended, and no thread of its work is seen on {fold(quiet)}{but}")


def at_work(waiters: Waiters) -> bool:
    """Whether threads of a scan are among them, whoever started it."""
    return any(waiter.name.lower().startswith(_THREADS) for waiter in waiters.waiters)
