"""What is wrong with the disks of a GPFS file system, its replicas and its space, each with what to do about it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from remote.gpfs.models import Disk, DiskList, FsSpace
from remote.jobs import JobState
from remote.names import fold
from supervision import fillforecast
from supervision.gpfs_disks import BROKEN, FULL, LEAVING, too_full
from supervision.gpfs_fill import shown
from supervision.gpfs_progress import launching, scan_job
from supervision.gpfs_text import percent_text, share
from supervision.gpfs_view import View, is_about
from supervision.state import Job
from supervision.tables import Line, Severity

INODES_FULL = 95.0
"""Percent of all inodes there can be."""


def disk_problems(view: View) -> Iterator[Line]:
    """All that mmlsdisk and mmdf tell of what is wrong."""
    for part in (_disks, _attention, _leaving, _replicas, _space, _filling):
        yield from part(view)


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
    jobs = sorted(view.state.jobs.values(), key=view.began)
    scans = [job for job in jobs if is_about(job, view.name, "mmrestripefs")]
    changes = [job for job in jobs if is_about(job, view.name, "mmchdisk", "change")]
    last = scans[-1] if scans else None
    change = changes[-1] if changes else None
    if last and change and view.began(last) < view.began(change):
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
        if asked < (last.at if last.status.ended is None else last.status.ended):
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


def _filling(view: View) -> Iterator[Line]:
    """Disks that the running scan is forecast to fill too much, while there is time to do something about it."""
    due = [fill for fill in fillforecast.escape_due(shown(view, scan_job(view))) if fill.end is not None]
    if not due:
        return
    worst, part = due[0], fillforecast.at_end(due[0])
    names = fold(fill.name for fill in due)
    text = (
        f"forecast {percent_text(100 * part)} full on {worst.name} when the restripe ends; over {FULL:.0f} %: {names}"
    )
    advice = (
        f"Full metadata disks stop the file system. The way back: `mmchdisk {view.name} change` the old disks to "
        "dataAndMetadata before it comes to that, so that metadata has room there again"
    )
    yield Line("Metadata", text, Severity.BAD if part >= 1 else Severity.WARNING, advice, view.at(FsSpace))
