"""Checks of what else runs, or will: commands that want the file system to themselves, waiters, jobs at night.

No mm command lists what runs. Processes on the manager, the servers and the host of the jobs are looked at, and threads
of a scan among the waiters. Commands that others start elsewhere are seen by their threads alone.
"""

from __future__ import annotations

from remote.command import Command
from remote.folding import fold
from remote.gpfs.models import Callbacks, Managers, Snapshots, Waiters
from remote.jobs import JobState
from remote.linux.nightly import NightlyJobs
from remote.linux.scans import RunningScan, RunningScans, programs
from remote.text import one_line
from supervision.clocktext import duration_text
from supervision.gpfs_aftermath import at_work
from supervision.gpfs_alive import is_expected
from supervision.gpfs_preflight_grounds import Finding, Grounds, Rule, block, note, passed, unread, warning
from supervision.gpfs_preflight_nodes import hosts_that_matter, manager_host
from supervision.gpfs_problems import WAITS
from supervision.gpfs_view import View
from supervision.jobwords import words_of

CONFLICTING = (
    "mmrestripefs", "mmrestripefile", "mmdefragfs", "mmfsck", "mmfsckx", "mmadddisk", "mmdeldisk", "mmrpldisk",
    "mmchdisk", "mmcrsnapshot", "mmdelsnapshot", "mmrestorefs", "mmcheckquota", "mmchfs", "mmchmgr", "mmcrfileset",
    "mmdelfileset", "mmchfileset", "mmlinkfileset", "mmunlinkfileset", "mmcrnsd", "mmdelnsd", "mmchnsd", "tsrestripefs",
    "tsdeldisk", "tsadddisk", "tschdisk", "tsrpldisk", "tsdelsnapshot",
)  # fmt: skip
"""Programs that a change or a restripe would wait for, or that would wait for it."""
COMPETING = ("mmapplypolicy", "mmbackup", "tsapolicy")
"""Programs that scan it, too: both take longer, and neither waits."""
_OF_THE_CLUSTER = ("mmcrnsd", "mmdelnsd", "mmchnsd", "mmchmgr")
"""Those that name no file system."""
_GOING = (JobState.RUNNING, JobState.ORPHAN)
_LONG = 5
"""Lines that are told one by one."""


def running_programs() -> Command:
    """Asks a host whether one of them runs there."""
    return programs(*CONFLICTING, *COMPETING)


def _conflicting(grounds: Grounds) -> Finding:
    found, unseen = _others_running(grounds)
    if found:
        return block("; ".join(found[:_LONG]), "Wait until it has ended; a second one would wait for it, or be refused")
    hosts = hosts_that_matter(grounds.view, grounds.plan)
    if unseen:
        text = f"nothing runs on {fold(hosts)}; {unseen}"
        return warning(text, "See there (ps, mmdiag --waiters) that nothing else runs, before you go on")
    return passed(f"no such command and no thread of one on {fold(hosts)}")


def _escape_conflicting(grounds: Grounds) -> Finding:
    """For the way back nothing is blocked: a restripe that fills the disks runs then, and must be stopped first.

    A host that does not answer holds nothing up either.
    """
    view = grounds.view
    found = _own_jobs(view)
    silent = []
    for host in hosts_that_matter(view, grounds.plan):
        told = grounds.may(RunningScans, host)
        found += _processes(told, host, view) if told else []
        silent += [] if told else [host]
    if found:
        return warning(
            "; ".join(found[:_LONG]), "Stop a restripe first: mmchdisk may wait for it, and it goes on to fill"
        )
    if silent:
        return warning(f"nobody knows what runs on {fold(silent)}", "See there for a restripe, and stop it first")
    return passed("nothing else runs")


def _others_running(grounds: Grounds) -> tuple[list[str], str]:
    """What runs, in words, and where nobody could look."""
    view = grounds.view
    found = _own_jobs(view)
    for host in hosts_that_matter(view, grounds.plan):
        told = grounds.need(RunningScans, host)
        if told.more:
            unread(f"{told.more} more programs run on {host} than are told")
        found += _processes(told, host, view)
    threads = [host for host in hosts_that_matter(view, grounds.plan) if at_work(grounds.need(Waiters, host))]
    if threads and not found:
        found.append(f"threads of a scan wait on {fold(threads)}: somebody's, begun on another node")
    return found, _unseen_manager(grounds)


def _own_jobs(view: View) -> list[str]:
    return [
        f"{job.status.command} runs as job {job.status.id} on {job.host}"
        for job in view.state.jobs.values()
        if job.status.state in _GOING and _is_about(words_of(job), view.name)
    ]


def _processes(told: RunningScans, host: str, view: View) -> list[str]:
    """Those of a host that are no jobs which are told anyway."""
    going = {job.status.id for job in view.state.jobs.values() if job.status.state in _GOING}
    return [
        _process_text(scan, host)
        for scan in told.scans
        if scan.job.rpartition("/")[2] not in going and _is_about(scan.words, view.name)
    ]


def _competing(grounds: Grounds) -> Finding:
    hosts = hosts_that_matter(grounds.view, grounds.plan)
    found = [
        _process_text(scan, host)
        for host in hosts
        for scan in grounds.need(RunningScans, host).scans
        if scan.words and scan.words[0].rpartition("/")[2] in COMPETING
    ]
    if found:
        advice = "It may be of this file system: let it end first, or see that both take longer together"
        return warning("; ".join(found[:_LONG]), advice)
    return passed(f"none runs on {fold(hosts)}")


def _process_text(scan: RunningScan, host: str) -> str:
    who = f" by {one_line(scan.who)}" if scan.who else ""
    return f"{one_line(' '.join(scan.words))[:120]} runs on {host} (pid {scan.pid}{who})"


def _is_about(words: tuple[str, ...], fs: str) -> bool:
    """Whether a command may be about a file system: it names it, or no other one by its device name."""
    program = words[0].rpartition("/")[2] if words else ""
    if program not in CONFLICTING or program in _OF_THE_CLUSTER:
        return program in _OF_THE_CLUSTER
    device = next((word for word in words[1:] if not word.startswith("-")), "")
    return device.removeprefix("/dev/") == fs or not device or device.startswith("/")


def _unseen_manager(grounds: Grounds) -> str:
    managers = grounds.need(Managers)
    manager = managers.of(grounds.view.name)
    name = (manager.node or manager.address) if manager else ""
    if not name or manager_host(grounds.view) in hosts_that_matter(grounds.view, grounds.plan):
        return ""
    return f"the manager, {grounds.view.label(name)}, is not watched or cannot be reached"


def _waiters(grounds: Grounds) -> Finding:
    """Threads that wait long, and not because a scan runs."""
    found = []
    hosts = hosts_that_matter(grounds.view, grounds.plan)
    for host in hosts:
        for waiter in grounds.need(Waiters, host).waiters:
            if waiter.seconds > WAITS and waiter.monitored is not False and not is_expected(waiter):
                found.append(
                    (waiter.seconds, f"{waiter.name} on {host} for {duration_text(waiter.seconds)}: {waiter.reason}")
                )
    if found:
        found.sort(reverse=True)
        text = "; ".join(text for _, text in found[:_LONG])
        return warning(text, "See what it waits for (disk, network, another node) before anything is changed")
    return passed(f"no thread waits for more than {WAITS:.0f} s on {fold(hosts)}")


def _snapshots(grounds: Grounds) -> Finding:
    told = grounds.need(Snapshots).snapshots
    if not told:
        return passed("there is none")
    odd = [f"{each.name} is {each.status}" for each in told if each.status.lower() != "valid"]
    if odd:
        return warning("; ".join(odd[:_LONG]), "One that is being deleted waits for a restripe: let it end first")
    names = ", ".join(each.name for each in told[:_LONG]) + (f" and {len(told) - _LONG} more" if told[_LONG:] else "")
    return note(f"{len(told)}: {names}", "They hold metadata too, which is moved: it takes longer than the inodes tell")


def _nightly(grounds: Grounds) -> Finding:
    """Snapshots, backups, policies and quota checks that begin meanwhile wait for the restripe, or hold it up."""
    found, unseen = [], []
    hosts = hosts_that_matter(grounds.view, grounds.plan)
    for host in hosts:
        told = grounds.may(NightlyJobs, host)
        if told is None:
            unseen.append(f"{host}: nothing")
            continue
        found += [f"{host} {job.source}: {one_line(job.text)[:160]}" for job in told.jobs]
        unseen += [f"{host}:{path}" for path in told.unread]
        unseen += [f"{host} has more than was looked at"] if told.cut else []
    elsewhere = "Other nodes, backup servers and schedulers were not looked at: ask"
    if found:
        more = f"; and {len(found) - _LONG} more" if found[_LONG:] else ""
        advice = "They queue behind the restripe, or it behind them: hold them for that time, or tell their owners"
        return warning("; ".join(found[:_LONG]) + more, f"{advice}. {elsewhere}")
    if unseen:
        return warning(f"not read: {', '.join(unseen[:_LONG])}", f"See there by hand. {elsewhere}")
    return note(f"none in the crontabs and timers of {fold(hosts)}", elsewhere)


def _callbacks(grounds: Grounds) -> Finding:
    """Programs that GPFS runs by itself. Their form was never seen on a real cluster, so nothing is decided by it."""
    by_hand = "See mmlscallback: what runs a policy or a snapshot by itself would meet the restripe"
    told = grounds.may(Callbacks)
    if told is None:
        return note("what mmlscallback says was not read", by_hand)
    if not told.callbacks:
        return note("mmlscallback tells of none", by_hand)
    words = "; ".join(f"{each.name} at {', '.join(each.events)}: {each.command}" for each in told.callbacks[:_LONG])
    return note(f"{len(told.callbacks)}: {words}", by_hand)


CONFLICTS = Rule("conflicting", "Nothing else has the file system to itself", _conflicting)
ESCAPE_CONFLICTS = Rule("conflicting", "Nothing else has the file system to itself", _escape_conflicting)
WAITERS = Rule("waiters", "No thread waits for long", _waiters)
MEANWHILE = (
    Rule("competing", "No policy and no backup scans it", _competing),
    Rule("snapshots", "Snapshots", _snapshots),
    Rule("nightly", "Nothing begins meanwhile by itself", _nightly),
    Rule("callbacks", "What GPFS begins by itself", _callbacks),
)
