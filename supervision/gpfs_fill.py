"""What the disks of a GPFS file system say of a scan: how full it makes them, and when it will be over, log or none.

Which disks empty is told by the command, or by their status; which ones fill, by what they may hold.
"""

from __future__ import annotations

import msgspec

from supervision import eta_disks
from supervision.eta import Estimate, Estimator
from supervision.eta_disks import Filling
from supervision.filesystem import Fill
from supervision.footprint import Assumptions
from supervision.gpfs_disks import LEAVING, fills
from supervision.gpfs_view import View
from supervision.jobwords import words_of
from supervision.spaces import since
from supervision.state import Job

METADATA_EACH = Assumptions().each_plan
"""Bytes of metadata that an inode and its copy have each besides the inode itself. An assumption, from one file system
of 84 million files: 1,840 there."""
BELOW = 0.05
"""Part of its size by which a disk is emptier than its pool for a rebalance to fill it."""


class OnDisks(msgspec.Struct, frozen=True):
    """A forecast from disks alone, and what it was made of: `done` of `total` KB.

    `exact` tells that the total is known: disks that are emptied will hold nothing.
    """

    estimate: Estimate
    basis: str
    exact: bool = False
    done: int = 0
    total: int = 0


class _Measured(msgspec.Struct, frozen=True):
    """What was seen on the disks; `emptied` are KB done and in all where they are emptied."""

    estimator: Estimator
    basis: str
    emptied: tuple[int, int] | None = None


def filling(view: View, job: Job) -> tuple[Filling, ...]:
    """How full a scan makes the disks that hold metadata alone; nothing while it is too early to tell."""
    log = view.state.job_log(job.host, job.status.id)
    names = [disk.name for disk in fills(view)]
    if log is None or not names or not view.space or not view.space.inodes:
        return ()
    counted = [(point.at, point.done) for point in log.scan.points if point.done is not None]
    # one that began again counts from the start again, and what it wrote before that is on the disks already
    again = (each.at for each in view.state.happened if each.kind == "restart" and each.host == job.host)
    began = max((view.began(job), *again))
    return eta_disks.fillings(view.state.spaces, names, began, counted, view.space.inodes.allocated)


def shown(view: View, job: Job | None) -> tuple[Fill, ...]:
    """The disks that a scan fills with metadata, and those that it empties, with what it leaves on them."""
    running = job if job and not job.status.state.settled else None
    log = view.state.job_log(running.host, running.status.id) if running else None
    points = log.scan.points if log else None
    values = (view.state.spaces, view.disks, view.space, view.file_system, running, points)
    return view.remember("fills", values, lambda: _shown(view, running))


def _shown(view: View, running: Job | None) -> tuple[Fill, ...]:
    if view.space is None or not view.space.exact:
        return ()
    ends = {each.name: each.end_kb for each in filling(view, running)} if running else {}
    leaving = set(leaving_disks(view, running)) if running else set()
    emptied = [
        Fill(disk.nsd, disk.used_kb, disk.size_kb, 0, emptied=True) for disk in view.space.disks if disk.nsd in leaving
    ]
    filled = [fill for fill in fills(view) if fill.name not in leaving]
    return (*(msgspec.structs.replace(fill, end=ends.get(fill.name)) for fill in filled), *emptied)


def on_disks(view: View, job: Job) -> OnDisks | None:
    """When a scan will be over by what leaves disks, or roughly by what comes on them; None where neither is told.

    What it leaves the disks with is known, nothing; so what empties is a good measure, as good as any counter. What
    earlier runs taught is of other measures, and is not used.
    """
    values = (view.state.spaces, view.disks, view.space, view.file_system, job)
    found = view.remember("on disks", values, lambda: _measured(view, job))
    if found is None:
        return None
    done, total = found.emptied or (0, 0)
    estimate = found.estimator.copy().estimate(view.state.at)
    return OnDisks(estimate, found.basis, exact=found.emptied is not None, done=done, total=total)


def _measured(view: View, job: Job) -> _Measured | None:
    """What was seen on the disks of a scan, and what that is."""
    looks, began = view.state.spaces, view.began(job)
    leaving = leaving_disks(view, job)
    if leaving:
        found = eta_disks.emptied(looks, leaving, began)
        told = [sum(used) for _, used in since(looks, leaving, began)]
        basis = f"KB left on {_disks(len(leaving))} that are emptied"
        most = max(told, default=0)  # a disk that began to leave only later was filled until then
        return _Measured(found, basis, (most - told[-1], most)) if found else None
    names, target = _filled(view, job)
    found = eta_disks.filled(looks, names, target, began) if names else None
    return _Measured(found, f"KB on {_disks(len(names))} of {target:,} KB expected there") if found else None


def leaving_disks(view: View, job: Job) -> tuple[str, ...]:
    """The disks that a scan empties: those that its command names, or those in a status in which they are emptied.

    Other scans leave them as they are, or leave some of what is on them, however long they run. What lies on a disk
    that is down cannot be moved; it is written anew elsewhere, and stays there too.
    """
    word, _, *rest = (*words_of(job), "", "")
    program = word.rpartition("/")[2]
    removes = program in ("mmdeldisk", "mmrpldisk")
    if removes and rest[0] and not rest[0].startswith("-"):
        return tuple(name for name in rest[0].split(";") if name)
    restripes = program == "mmrestripefs" and "-r" in rest and "--metadata-only" not in rest
    if not removes and not restripes:
        return ()
    disks = view.disks.disks if view.disks else ()
    return tuple(disk.nsd for disk in disks if disk.status in LEAVING and disk.availability == "up")


def _filled(view: View, job: Job) -> tuple[tuple[str, ...], int]:
    """The disks that a scan fills, and what they will hold together in KB; none where that is not known."""
    words = words_of(job)
    if not view.state.spaces or not words or words[0].rpartition("/")[2] != "mmrestripefs":
        return (), 0
    if "-b" in words:
        return _evened_out(view, view.began(job))
    names = tuple(disk.name for disk in fills(view))
    fs, inodes = view.file_system, view.space.inodes if view.space else None
    if "-r" not in words or not inodes or not fs or not fs.inode_size or not fs.metadata_replicas:
        return (), 0
    return names, fs.metadata_replicas * inodes.allocated * (fs.inode_size + METADATA_EACH) // 1024


def _evened_out(view: View, began: float) -> tuple[tuple[str, ...], int]:
    """The disks that are emptier than the others of their pools, and what they hold once all are alike."""
    looks = view.state.spaces
    look = next((look for look in reversed(looks) if look.at <= began), looks[0])
    even = eta_disks.evened_out(look)
    names = tuple(
        place.name
        for place, used in zip(look.places, look.used_kb, strict=True)
        if even[place.name] - used > BELOW * place.size_kb
    )
    return names, sum(even[name] for name in names)


def _disks(count: int) -> str:
    return "1 disk" if count == 1 else f"{count} disks"
