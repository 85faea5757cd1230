"""Whether a scan that says nothing works or stands still: what speaks for and against it, besides its own lines. Pure.

A process that runs proves nothing, for the work is done by threads of the daemons. What counts is the longest thread
that waits for something else than its fellows, daemons that do not run, and what the maintenance class of QoS reads
and writes. Disks that move prove nothing either: users move them.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

from remote.gpfs.models import NodeStates, Qos, Waiter, Waiters
from remote.names import fold
from supervision.clocktext import duration_text
from supervision.gpfs_view import View
from supervision.io_rates import MB, moved
from supervision.jobtimes import clock_ahead
from supervision.state import Job
from supervision.tables import Line, Severity

LONGEST = 3
"""Waiters that are told of a scan that stands still."""
ALIKE = 0.5
"""Part of the longest time for which others have waited nearly as long: hosts are asked at different times."""
MOVES = 1.0
"""I/Os a second of the maintenance class from which on it counts as work."""
STILL = 0.1
"""MB/s of all disks together below which they stand still."""
_FELLOWS = "waiting for helper"
"""Begins the reason of the thread that leads a scan: it waits as long as those do that work."""
_OF_SCANS = ("tsrestripefs", "tsdeldisk", "tschdisk", "tsrpldisk")
"""Programs whose threads wait until the whole of their scan is over; the name stands in what is waited for."""


def is_expected(waiter: Waiter) -> bool:
    """Whether a thread waits because a scan runs, and not because something is wrong."""
    texts = (waiter.reason, waiter.condition, waiter.name)
    return waiter.reason.lower().startswith(_FELLOWS) or any(word in text for word in _OF_SCANS for text in texts)


def longest(view: View, *, running: bool = True) -> list[tuple[str, Waiter]]:
    """The threads that have waited longest, each with its host; with `running`, without those a scan brings along.

    What holds up a scan holds up threads on all its nodes, which wait for an answer of the one where it is: those come
    after a thread that waits for something itself, and has done so nearly as long.
    """
    found = []
    for host in view.hosts:
        told = view.facts.get(Waiters, host)
        for waiter in told.waiters if told else ():
            if waiter.monitored is not False and not (running and is_expected(waiter)):
                found.append((host, waiter))
    found.sort(key=lambda each: -each[1].seconds)
    as_long = ALIKE * found[0][1].seconds if found else 0.0
    return sorted(found, key=lambda each: each[1].seconds < as_long or _for_an_answer(each[1]))


def _for_an_answer(waiter: Waiter) -> bool:
    """Whether a thread waits for another node to answer."""
    return waiter.reason.startswith("RPC wait")


def waiter_text(host: str, waiter: Waiter) -> str:
    """A thread that waits, in a line."""
    what = "; ".join(part for part in (waiter.reason, waiter.condition) if part)
    return f"{waiter.name} on {host} for {duration_text(waiter.seconds)}" + (f": {what}" if what else "")


def maintenance(view: View, since: float) -> float | None:
    """I/Os a second of the maintenance class, all pools together, after `since` (Site's clock); None: nobody knows."""
    fact = view.state.facts.get(f"qos {view.name}")
    qos = fact.parsed.model if fact and fact.parsed else None
    if fact is None or not isinstance(qos, Qos):
        return None
    ahead = clock_ahead(view.state, fact.host)
    pools: dict[str, list[float]] = {}
    for row in qos.stats:
        if row.name.partition("/")[0] != "maintenance" or row.iops is None or row.time is None:
            continue
        if row.time - ahead - (row.seconds or 0.0) >= since:
            pools.setdefault(row.pool, []).append(row.iops)
    return sum(fmean(rates) for rates in pools.values()) if pools else None


def evidence(view: View, job: Job, since: float) -> tuple[Line, ...]:
    """What is known of a scan besides its lines, of which the last was printed at `since` (Site's clock)."""
    return (*_process(job), *_waiting(view), *_daemons(view), *_maintenance(view, since), *_disks(view, since))


def _process(job: Job) -> Iterator[Line]:
    yield Line("process", f"{job.status.meaning} on {job.host}", at=job.at)


def _waiting(view: View) -> Iterator[Line]:
    asked = [fact.at for host in view.hosts if (fact := view.facts.fact(Waiters, host)) and fact.parsed]
    if not asked:
        yield Line("waiters", "not asked yet")
        return
    found = longest(view)[:LONGEST]
    if not found:
        yield Line("waiters", f"no thread of GPFS waits on {len(asked)} hosts but those of the scan", at=min(asked))
    for host, waiter in found:
        yield Line("waiters", waiter_text(host, waiter), Severity.WARNING, at=view.at(Waiters, host))


def _daemons(view: View) -> Iterator[Line]:
    told = {host: fact for host in view.hosts if (fact := view.state.facts.get(f"node state {host}"))}
    wrong = []
    for host, fact in told.items():
        states = fact.parsed.model if fact.parsed else None
        if not isinstance(states, NodeStates) or any(node.state != "active" for node in states.nodes):
            wrong.append(host)
    if wrong:
        yield Line("daemons", f"GPFS is not active on {fold(wrong)}", Severity.WARNING)
    elif told:
        oldest = min(fact.at for fact in told.values())
        yield Line("daemons", f"GPFS is active on {fold(told)}", at=oldest)


def _maintenance(view: View, since: float) -> Iterator[Line]:
    rate = maintenance(view, since)
    if rate is not None:
        yield Line("QoS", f"{rate:,.0f} I/Os a second of the maintenance class since its last line")


def _disks(view: View, since: float) -> Iterator[Line]:
    """What the disks of the file system have read and written since its last line."""
    hosts, read, written, seconds = [], 0.0, 0.0, 0.0
    for node, rows in view.nsds_by_node.items():
        host = view.host_of(node)
        names = [row.device.rpartition("/")[2] for row in rows if row.device]
        told = moved(view.state, host, names, since) if host and names else None
        if host and told and told.until > told.since:
            hosts.append(host)
            seconds = told.until - told.since
            read, written = read + told.read / seconds, written + told.written / seconds
    if hosts:
        rates = f"{read / MB:,.1f} MB/s read, {written / MB:,.1f} MB/s written"
        still = read + written < STILL * MB
        what = "stand still" if still else "move, which users may do"
        text = f"the disks that {fold(hosts)} serves {what}: {rates} over {duration_text(seconds)}"
        yield Line("disks", text, Severity.WARNING if still else Severity.NORMAL)
