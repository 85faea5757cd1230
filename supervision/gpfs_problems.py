"""What is wrong with a GPFS file system, each with what to do about it; the worst first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from remote.errors import ADVICE
from remote.events import LinkChanged
from remote.gpfs.models import NodeStates, Waiters
from remote.jobs import JobState
from remote.linux.host_time import HostTime
from remote.names import fold
from supervision.clocktext import duration_text
from supervision.facts import Fact
from supervision.filesystem import Phase
from supervision.gpfs_brake import brake_problems
from supervision.gpfs_diskproblems import disk_problems
from supervision.gpfs_nodes import daemon_states
from supervision.gpfs_progress import is_scan, launching, progress, scan_job
from supervision.gpfs_view import View
from supervision.tables import Line, Severity

CLOCK_OFF = 60.0
"""Seconds by which a host's clock may differ: beyond that its log's times cannot be compared with anything."""
WAITS = 60.0
"""Seconds from which on a thread that waits is told."""
OLD = 3
"""Cadences after which a figure is old."""
REAL_SLACK = 10.0
"""Real seconds that asking and answering may take: nothing beside a cadence, unless the clock runs faster."""
LAUNCH = 60.0
"""Seconds in which a job that is being launched should have been heard of."""

_LINKS_ALL_RIGHT = ("up", "connecting", "idle", "closed")
_LINK_WORDS = {"waiting": "lost, to be tried again"}
_TROUBLES = {trouble.value: advice for trouble, advice in ADVICE.items()}
_JOB_ADVICE = {
    JobState.LOST: "See on its host whether the command still runs (ps, mmdiag --waiters) before it is started again",
    JobState.ORPHAN: "It goes on; follow its log, and judge its end by what mmlsdisk and mmdf say then",
    JobState.REBOOTED: "It did not survive the reboot and was not started again; look at the disks, then run it again",
    JobState.ENDED: "Judge its end by its last lines, and by what mmlsdisk and mmdf say now",
    JobState.UNKNOWN: "Nothing is known until its host answers; never start it a second time meanwhile",
    JobState.ERROR: "Read its log on the host by hand",
}


def problems(view: View, cadences: Mapping[str, float]) -> tuple[Line, ...]:
    """Everything that is wrong. `cadences` tells how often (s) a fact is asked, by its key."""
    parts = (disk_problems, _scan, brake_problems, _daemons, _waiters, _links, _clocks, _jobs)
    lines = [line for part in parts for line in part(view)]
    lines += _old(view, cadences)
    return tuple(sorted(lines, key=lambda line: -line.severity))


def _scan(view: View) -> Iterator[Line]:
    """The newest scan, when it failed or is silent for too long."""
    job = scan_job(view)
    told = progress(view, job) if job else None
    if job is None or told is None:
        return
    what = job.status.command or job.status.id
    if told.phase is Phase.FAILED:
        advice = "Find out why before it is run again; what was moved stays moved"
        yield Line("Restripe", f"{what}: {told.why}", Severity.BAD, advice, job.at)
    elif told.phase is Phase.STOPPING and job.status.state.settled:
        advice = "Begin no other until its work has ended: it would wait, or be refused"
        yield Line("Restripe", f"{what}: {told.why}", Severity.WARNING, advice, job.at)
    elif told.phase is Phase.STALLED:
        advice = "See mmdiag --waiters on the nodes that work; never start a second one meanwhile"
        yield Line("Restripe", f"{what}: {told.why}", Severity.WARNING, advice, told.last_line_at)


def _daemons(view: View) -> Iterator[Line]:
    """Nodes where GPFS does not run."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name, state in daemon_states(view).items():
        if not state.active:
            groups[state.state].append(view.label(name))
    asked = view.daemon_facts()
    at = asked[-1].at if asked else None
    for word, names in groups.items():
        severity = Severity.BAD if word == "down" else Severity.WARNING
        advice = "See /var/adm/ras/mmfs.log.latest there; disks that only they serve are down with them"
        if word == "unknown":
            advice = "GPFS could not ask them: see whether the hosts are up"
        yield Line("Nodes", f"GPFS is {word} on {fold(names)}", severity, advice, at)


def _links(view: View) -> Iterator[Line]:
    """Hosts of ours that cannot be asked."""
    groups: dict[tuple[str, str], list[LinkChanged]] = defaultdict(list)
    for host in view.hosts:
        link = view.state.links.get(host)
        if link and link.state not in _LINKS_ALL_RIGHT:
            groups[link.state, link.trouble].append(link)
    for (state, trouble), links in groups.items():
        refused = state == "refused"
        advice = _TROUBLES.get(trouble) or ("It is not tried again by itself" if refused else "It is tried again")
        why = ": ".join(part for part in (trouble, links[0].detail if len(links) == 1 else "") if part)
        text = f"{fold(link.host for link in links)} {_LINK_WORDS.get(state, state)}" + (f": {why}" if why else "")
        yield Line("Hosts", text, Severity.BAD if refused else Severity.WARNING, advice, max(link.t for link in links))


def _clocks(view: View) -> Iterator[Line]:
    """Hosts whose clock differs from this program's; those that are as wrong together."""
    wrong: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for host in view.hosts:
        fact, told = view.facts.fact(HostTime, host), view.facts.get(HostTime, host)
        if fact is None or told is None:
            continue
        # it was read at some moment between question and answer
        early, late = fact.at - told.epoch, told.epoch - (fact.at + fact.took)
        off = max(early, late)
        if off > CLOCK_OFF:
            wrong[f"{duration_text(off)} {'behind' if early > late else 'ahead'}"].append((host, fact.at))
    advice = "Set the clocks right (chrony, ntp): times of logs and of NSD ids cannot be compared until then"
    for how, hosts in wrong.items():
        text = f"{fold(host for host, _ in hosts)} {'is' if len(hosts) == 1 else 'are'} {how}"
        yield Line("Clock", text, Severity.WARNING, advice, min(at for _, at in hosts))


def _waiters(view: View) -> Iterator[Line]:
    """Threads of GPFS that wait too long, and are not those that wait for ever by design."""
    for host in view.hosts:
        told = view.facts.get(Waiters, host)
        waiting = [waiter for waiter in told.waiters if waiter.monitored is not False] if told else []
        longest = max(waiting, key=lambda waiter: waiter.seconds, default=None)
        if longest and longest.seconds > WAITS:
            late = sum(waiter.seconds > WAITS for waiter in waiting)
            reason = f": {longest.reason}" if longest.reason else ""
            text = f"{late} on {host}, the longest {duration_text(longest.seconds)}: {longest.name}{reason}"
            advice = "See what it waits for (disk, network, another node) before anything is changed"
            yield Line("Waiters", text, Severity.WARNING, advice, view.at(Waiters, host))


def _jobs(view: View) -> Iterator[Line]:
    """Jobs of which it is not known how they stand or ended."""
    for job in view.state.jobs.values():
        status = job.status
        advice = _JOB_ADVICE.get(status.state)
        if advice is None:
            continue
        if launching(job) and view.state.at - job.at < LAUNCH + _slack(view):
            continue
        severity = Severity.BAD if status.state is JobState.LOST and is_scan(job, view.name) else Severity.WARNING
        what = status.title or status.command or status.id
        yield Line("Jobs", f"{what} on {job.host}: {status.meaning}", severity, advice, job.at)


def _old(view: View, cadences: Mapping[str, float]) -> Iterator[Line]:
    """Facts that could not be asked or read, and facts that nobody has asked for a while."""
    failed: dict[str, list[Fact]] = defaultdict(list)
    old: dict[str, Fact] = {}
    unreached: dict[str, list[Fact]] = defaultdict(list)
    links = view.state.links
    away = {host for host in view.hosts if host in links and links[host].state not in _LINKS_ALL_RIGHT}
    down = {host for host in view.hosts if _is_down(view, host)}
    for key, fact in view.state.facts.items():
        if fact.never:
            continue  # no release has everything
        if fact.failure and key.startswith("waiters ") and fact.host in down:
            continue  # where GPFS does not run, nothing of it waits
        if fact.failure and fact.host in away:
            unreached[fact.host].append(fact)
        elif fact.failure:
            failed[fact.failure].append(fact)
        elif fact.parsed and fact.parsed.problems:
            problem = fact.parsed.problems[0]
            text = f"{fact.command} on {fact.host}, line {problem.line}: {problem.why}"
            advice = "Figures of it may be missing; nothing is decided by them"
            yield Line("Not read", text, Severity.WARNING, advice, fact.at)
        if fact.parsed and view.state.at - fact.at > OLD * cadences.get(key, float("inf")) + _slack(view):
            old[key] = fact
    for host, facts in unreached.items():
        text = f"{len(facts)} questions to {host}, which cannot be reached: {_named(facts, hosts=False)}"
        known = [fact.at for fact in facts if fact.parsed]
        advice = "They are asked again when it can be; what is shown of them is from before, if anything is"
        yield Line("Not asked", text, Severity.WARNING, advice, min(known, default=None))
    for why, facts in failed.items():
        text = f"{_named(facts)}: {why}"
        known = [fact.at for fact in facts if fact.parsed]
        advice = (
            "What is shown of it is from before" if len(known) == len(facts) else "Something is not known at all yet"
        )
        yield Line("Not asked", text, Severity.WARNING, advice, min(known, default=None))
    if old:
        severity = Severity.WARNING if f"disks {view.name}" in old else Severity.NOTE
        oldest = max(view.state.at - fact.at for fact in old.values())
        text = f"up to {duration_text(oldest)} old: {_named(list(old.values()))}"
        yield Line("Old figures", text, severity, "Ask anew before anything is decided by them")


def _slack(view: View) -> float:
    """Seconds that pass in a simulation while the program does what takes none on a real cluster's clock."""
    return REAL_SLACK * max(0.0, view.state.header.speed - 1.0)


def _is_down(view: View, host: str) -> bool:
    """Whether a host's own word is that GPFS is not active on it."""
    states = view.facts.get(NodeStates, host)
    return bool(states and not any(state.active for state in states.nodes))


def _named(facts: list[Fact], *, hosts: bool = True) -> str:
    """What was asked, and where: `mmdf mss1 on foo1, lsblk on foo[1-3]`."""
    where: dict[str, list[str]] = defaultdict(list)
    for fact in facts:
        words = [word for word in fact.command.split() if word != "-Y"]
        where[words[0] if words[:1] in (["lsblk"], ["date"]) else " ".join(words)].append(fact.host)
    return ", ".join(f"{command} on {fold(on)}" if hosts else command for command, on in where.items())
