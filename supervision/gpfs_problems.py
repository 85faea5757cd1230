"""What is wrong with a GPFS file system, each with what to do about it; the worst first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from remote.errors import ADVICE
from remote.events import LinkChanged
from remote.gpfs.models import Disk, DiskList, FsSpace
from remote.jobs import JobState
from remote.linux.host_time import HostTime
from remote.names import fold
from supervision.clocktext import duration_text
from supervision.facts import Fact
from supervision.gpfs_disks import BROKEN, FULL, LEAVING, too_full
from supervision.gpfs_nodes import daemon_states
from supervision.gpfs_progress import began, is_scan, launching
from supervision.gpfs_text import percent_text, share
from supervision.gpfs_view import View, is_about
from supervision.state import Job
from supervision.tables import Line, Severity

CLOCK_OFF = 60.0
"""Seconds by which a host's clock may differ: beyond that its log's times cannot be compared with anything."""
OLD = 3
"""Cadences after which a figure is old."""
LAUNCH = 60.0
"""Seconds in which a job that is being launched should have been heard of."""
INODES_FULL = 95.0
"""Percent of all inodes there can be."""

_LINKS_ALL_RIGHT = ("up", "connecting", "idle", "closed")
_LINK_WORDS = {"waiting": "lost, to be tried again"}
_TROUBLES = {trouble.value: advice for trouble, advice in ADVICE.items()}
_JOB_ADVICE = {
    JobState.LOST: "See on its host whether the command still runs (ps, mmdiag --waiters) before it is started again",
    JobState.ORPHAN: "It goes on; follow its log, and judge its end by what mmlsdisk and mmdf say then",
    JobState.REBOOTED: "It did not survive the reboot and was not started again; look at the disks, then run it again",
    JobState.UNKNOWN: "Nothing is known until its host answers; never start it a second time meanwhile",
    JobState.ERROR: "Read its log on the host by hand",
}


def problems(view: View, cadences: Mapping[str, float]) -> tuple[Line, ...]:
    """Everything that is wrong. `cadences` tells how often (s) a fact is asked, by its key."""
    parts = (_disks, _attention, _leaving, _replicas, _space, _daemons, _links, _clocks, _jobs)
    lines = [line for part in parts for line in part(view)]
    lines += _old(view, cadences)
    return tuple(sorted(lines, key=lambda line: -line.severity))


def _disks(view: View) -> Iterator[Line]:
    """Disks that do not work."""
    if view.disks is None:
        return
    at = view.at(DiskList)
    groups: dict[str, list[Disk]] = defaultdict(list)
    for disk in view.disks.disks:
        if disk.availability != "up":
            groups[disk.availability].append(disk)
    for availability, disks in groups.items():
        bad = availability in BROKEN
        advice = (
            f"Repair the path to them, then `mmchdisk {view.name} start -a`, all at once"
            if bad
            else "Wait until they are up; nothing else should be changed meanwhile"
        )
        text = f"{len(disks)} {availability}: {fold(disk.nsd for disk in disks)}"
        yield Line("Disks", text, Severity.BAD if bad else Severity.WARNING, advice, at)


def _leaving(view: View) -> Iterator[Line]:
    """Disks that are not ready: suspended, to be emptied, and whatever else GPFS calls it."""
    if view.disks is None:
        return
    groups: dict[str, list[str]] = defaultdict(list)
    for disk in view.disks.disks:
        if disk.status != "ready":
            groups[disk.status].append(disk.nsd)
    for status, names in groups.items():
        advice = f"See `mmlsdisk {view.name} -L`"
        if status in LEAVING:
            advice = (
                f"Nothing new is written to them, and a restart keeps it so: `mmchdisk {view.name} resume` undoes it"
            )
        yield Line("Disks", f"{len(names)} {status}: {fold(names)}", Severity.WARNING, advice, view.at(DiskList))


def _attention(view: View) -> Iterator[Line]:
    """What mmlsdisk says in whole sentences at its end."""
    if view.disks is None:
        return
    at = view.at(DiskList)
    for sentence in view.disks.attention:
        alone = DiskList((), (sentence,))
        if alone.at_risk:
            advice = "Find the disks that are not ready and up first; a restripe (-r) comes after that"
            yield Line("Replication", "data at risk of being lost, says mmlsdisk", Severity.BAD, advice, at)
        elif alone.not_properly_replicated:
            severity, advice = _replication(view, at or 0.0)
            yield Line("Replication", "no longer properly replicated, says mmlsdisk", severity, advice, at)
        elif alone.unbalanced:
            advice = "It costs speed alone: `mmrestripefs -b` at a quiet time"
            yield Line("Balance", "no longer properly balanced, says mmlsdisk", Severity.NOTE, advice, at)
        else:
            yield Line("mmlsdisk", sentence, Severity.WARNING, f"See `mmlsdisk {view.name} -L`", at)


def _replication(view: View, asked: float) -> tuple[Severity, str]:
    """Whether it is expected that the file system is not properly replicated, and why."""
    jobs = sorted(view.state.jobs.values(), key=began)
    scans = [job for job in jobs if is_about(job, view.name, "mmrestripefs")]
    changes = [job for job in jobs if is_about(job, view.name, "mmchdisk", "change")]
    last = scans[-1] if scans else None
    change = changes[-1] if changes else None
    if last and change and began(last) < began(change):
        last = None  # the change came after it
    if last is None:
        if change:
            return Severity.NOTE, "Expected since mmchdisk; the restripe (-r) must follow"
        return (
            Severity.WARNING,
            f"A restripe is due: `mmrestripefs {view.name} -r -N ...` with the nodes near the disks",
        )
    state, rc = last.status.state, last.status.rc
    if state is JobState.RUNNING or state is JobState.ORPHAN:
        return Severity.NOTE, "Expected until the restripe ends; it must be gone then"
    if state is JobState.FINISHED and rc == 0:
        if asked < last.at:
            return Severity.NOTE, "Said before the restripe ended; it must be gone when mmlsdisk is asked again"
        return Severity.WARNING, "A restripe ended well and it is still so: run it again, and see that it was -r on all"
    if launching(last):
        return Severity.NOTE, "Expected until the restripe that is being launched has ended"
    if not state.settled:
        return Severity.WARNING, f"Whether the restripe goes on is not known: {last.status.meaning}"
    return Severity.WARNING, f"The restripe did not end well ({_end(last)}): find out why, then run it again"


def _end(job: Job) -> str:
    return job.status.meaning if job.status.rc is None else f"exit code {job.status.rc}"


def _replicas(view: View) -> Iterator[Line]:
    """Whether the failure groups can hold the copies that are to be kept."""
    fs, disks = view.file_system, view.disks
    if fs is None or disks is None or not disks.disks:
        return
    for what, flag, copies, held in (
        ("metadata", "-m", fs.metadata_replicas, [disk for disk in disks.disks if disk.metadata]),
        ("data", "-r", fs.data_replicas, [disk for disk in disks.disks if disk.data]),
    ):
        if not copies:
            continue
        for pool in sorted({disk.pool for disk in held}):
            mine = [disk for disk in held if disk.pool == pool]
            groups = {disk.failure_group for disk in mine}
            usable = {disk.failure_group for disk in mine if disk.ready}
            told = f"{copies} copies of {what} ({flag}), "
            if len(groups) < copies:
                text = f"{told}but only {len(groups)} failure groups hold {what} in pool {pool}"
                advice = "Add disks in another failure group, or correct the failure groups (mmchdisk change)"
                yield Line("Replicas", text, Severity.BAD, advice, view.at(DiskList))
            elif len(usable) < copies:
                text = (
                    f"{told}but only {len(usable)} failure groups have a disk for {what} that is ready in pool {pool}"
                )
                advice = "What is written now has fewer copies: bring the disks back, then restripe (-r)"
                yield Line("Replicas", text, Severity.WARNING, advice, view.at(DiskList))


def _space(view: View) -> Iterator[Line]:
    """Metadata disks that fill up, disks out of use, inodes that run out."""
    space = view.space
    if space is None:
        return
    at = view.at(FsSpace)
    full = [disk for disk in space.disks if space.exact and too_full(disk)]
    if full:
        most = max(share(disk.used_kb, disk.size_kb) or 0.0 for disk in full)
        text = f"{len(full)} over {FULL:.0f} % full, up to {percent_text(most)}: {fold(disk.nsd for disk in full)}"
        advice = "Add metadata disks in every failure group before they are full; a running restripe still writes"
        yield Line("Metadata", text, Severity.WARNING, advice, at)
    unused = [disk.nsd for disk in space.disks if not disk.available]
    if unused:
        text = f"nothing can be allocated on {fold(unused)}"
        yield Line("Allocation", text, Severity.WARNING, f"See `mmlsdisk {view.name} -L`", at)
    inodes = space.inodes
    used = share(inodes.used, inodes.maximum) if inodes else None
    if used is not None and used > INODES_FULL:
        text = f"{percent_text(used)} of the most there can be are used"
        yield Line(
            "Inodes", text, Severity.WARNING, f"`mmchfs {view.name} --inode-limit`: no file can be made at 100 %", at
        )


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
    """Hosts whose clock differs from this program's."""
    for host in view.hosts:
        fact, told = view.facts.fact(HostTime, host), view.facts.get(HostTime, host)
        if fact is None or told is None:
            continue
        # it was read at some moment between question and answer
        early, late = fact.at - told.epoch, told.epoch - (fact.at + fact.took)
        off = max(early, late)
        if off > CLOCK_OFF:
            text = f"{host} is {duration_text(off)} {'behind' if early > late else 'ahead'}"
            advice = "Set the clocks right (chrony, ntp): times of logs and of NSD ids cannot be compared until then"
            yield Line("Clock", text, Severity.WARNING, advice, fact.at)


def _jobs(view: View) -> Iterator[Line]:
    """Jobs of which it is not known how they stand or ended, and the last scan if it failed."""
    for job in view.state.jobs.values():
        status = job.status
        advice = _JOB_ADVICE.get(status.state)
        if advice is None:
            continue
        if launching(job) and view.state.at - job.at < LAUNCH:
            continue
        severity = Severity.BAD if status.state is JobState.LOST and is_scan(job, view.name) else Severity.WARNING
        what = status.title or status.command or status.id
        yield Line("Jobs", f"{what} on {job.host}: {status.meaning}", severity, advice, job.at)


def _old(view: View, cadences: Mapping[str, float]) -> Iterator[Line]:
    """Facts that could not be asked or read, and facts that nobody has asked for a while."""
    failed: dict[str, list[Fact]] = defaultdict(list)
    old: dict[str, Fact] = {}
    for key, fact in view.state.facts.items():
        if fact.failure:
            failed[fact.failure].append(fact)
        elif fact.parsed and fact.parsed.problems:
            problem = fact.parsed.problems[0]
            text = f"{fact.command} on {fact.host}, line {problem.line}: {problem.why}"
            advice = "Figures of it may be missing; nothing is decided by them"
            yield Line("Not read", text, Severity.WARNING, advice, fact.at)
        if fact.parsed and view.state.at - fact.at > OLD * cadences.get(key, float("inf")):
            old[key] = fact
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


def _named(facts: list[Fact]) -> str:
    """What was asked and where: `mmdf mss1 on foo1, lsblk on foo[1-3]`."""
    hosts: dict[str, list[str]] = defaultdict(list)
    for fact in facts:
        words = [word for word in fact.command.split() if word != "-Y"]
        hosts[words[0] if words[:1] in (["lsblk"], ["date"]) else " ".join(words)].append(fact.host)
    return ", ".join(f"{command} on {fold(on)}" for command, on in hosts.items())
