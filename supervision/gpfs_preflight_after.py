"""What must be so after a step, read back: exit code 0 is no part of it. And the proof at the end, which is indirect.

No mm command tells what metadata is left on a dataOnly disk.
"""

from __future__ import annotations

from collections.abc import Mapping

from remote.gpfs.models import DiskList, NsdList, Usage
from remote.jobs import JobState
from supervision.footprint import FULL
from supervision.gpfs_preflight_disks import ATTENTION, DESCRIPTORS, READY, describe, names_text
from supervision.gpfs_preflight_grounds import Finding, Grounds, Rule, block, note, passed, unread, warning
from supervision.gpfs_preflight_made import FREE, IN_PLACE, MADE
from supervision.gpfs_preflight_old import BACK
from supervision.gpfs_preflight_sizes import exact_space, found_now, fullest, new_disks
from supervision.gpfs_view import is_about
from supervision.state import Job


def _data_only(grounds: Grounds) -> Finding:
    disks = grounds.disks()
    wrong = [
        f"{old.nsd} is {describe(disk)}"
        for old in grounds.plan.old_disks
        if (disk := disks.get(old.nsd)) is None
        or disk.usage is not Usage.DATA_ONLY
        or not disk.ready
        or disk.failure_group != old.failure_group
    ]
    if wrong:
        return block("; ".join(wrong[:4]), "They must be dataOnly, ready and up, each in its group")
    return passed(f"{len(grounds.plan.old_disks)} old disks are dataOnly, ready and up")


def _due(grounds: Grounds) -> Finding:
    """The sentence that mmchdisk brings about, and the restripe takes away."""
    if grounds.need(DiskList).not_properly_replicated:
        return passed('"no longer properly replicated", as it must be until the restripe has ended')
    text = 'mmlsdisk does not say "no longer properly replicated", as it must after mmchdisk'
    return block(text, "See whether anything was changed at all, before a restripe is begun")


def _replicated(grounds: Grounds) -> Finding:
    """The sentence must be gone; with --metadata-only nobody knows whether it goes."""
    if not grounds.need(DiskList).not_properly_replicated:
        return passed('"no longer properly replicated" is gone')
    if grounds.plan.options.metadata_only:
        text = 'unknown: "no longer properly replicated" is still there, which --metadata-only may leave'
        return note(text, "A restripe (-r) without --metadata-only takes it away for certain")
    text = 'mmlsdisk still says "no longer properly replicated"'
    return block(text, f"Run `mmrestripefs {grounds.view.name} -r` again; see that no disk was down meanwhile")


def _ended(grounds: Grounds) -> Finding:
    """Exit code 0, and no file that failed."""
    job = _last_restripe(grounds)
    if job is None:
        unread("no restripe of this plan is known")
    status = job.status
    if status.state is not JobState.FINISHED or status.rc is None:
        unread(f"job {status.id}: {status.meaning}")
    log = grounds.view.state.job_log(job.host, status.id)
    failures = log.scan.failures if log else ()
    if status.rc or failures:
        words = "; ".join(failures[-3:])
        return block(f"exit code {status.rc}{f': {words}' if words else ''}", "Find out why, then run it again")
    if log is None:
        return warning("exit code 0; its log was not read", "Read it on its host: a file that failed is told there")
    return passed("exit code 0, and no file failed")


def _last_restripe(grounds: Grounds) -> Job | None:
    mine = [
        job
        for job in grounds.view.state.jobs.values()
        if job.status.id.startswith(f"{grounds.plan.id}-") and is_about(job, grounds.view.name, "mmrestripefs")
    ]
    return max(mine, key=grounds.view.began, default=None)


def _moved(grounds: Grounds) -> Finding:
    """At least the inodes must be on the new disks. More cannot be proven."""
    used = sum(row.used_kb for row in new_disks(grounds))
    sizing = found_now(grounds).sizing
    indirect = "The proof is indirect: no mm command tells what is left on a dataOnly disk"
    text = f"{used:,} KB used on the new disks; the inodes alone are {sizing.floor_kb:,} KB"
    if used < sizing.floor_kb:
        return block(text, f"Not all metadata has moved: run the restripe again. {indirect}")
    return Finding(passed("").outcome, text, indirect)


def _as_computed(grounds: Grounds) -> Finding:
    """How the figures of the plan stand against the truth."""
    used = sum(row.used_kb for row in new_disks(grounds))
    sizing = grounds.plan.sizing
    text = f"{used:,} KB used; planned {sizing.low_kb:,} to {sizing.high_kb:,} KB, {sizing.plan_kb:,} KB by plan"
    if used > sizing.plan_kb:
        return warning(text, "More than planned: see how full the disks are, and what grew since")
    if used < sizing.low_kb:
        return warning(text, "Less than the least that was planned: files may have gone since; see that all was moved")
    return passed(text)


def _full(grounds: Grounds) -> Finding:
    part, nsd = fullest(new_disks(grounds))
    text = f"the fullest new disk is {nsd}, {part:.0%} used"
    if part >= FULL:
        return warning(text, "Full metadata disks stop the file system: add metadata disks in every group now")
    return passed(text)


def _inodes(grounds: Grounds) -> Finding:
    """Files come and go meanwhile: how many there are may drift."""
    inodes = exact_space(grounds).inodes
    if inodes is None:
        unread("mmdf tells nothing of inodes")
    return note(f"{inodes.used:,} of {inodes.allocated:,} allocated inodes used", "It may have drifted: users went on")


def _removed(grounds: Grounds) -> Finding:
    disks = grounds.disks()
    left = [device.nsd for device in grounds.plan.devices if device.nsd in disks]
    if left:
        return block(f"{names_text(left)} is in the file system still", "See how mmdeldisk ended; it can be run again")
    return passed(f"none of the {len(grounds.plan.devices)} new disks is in the file system any more")


def _deleted(grounds: Grounds) -> Finding:
    listed = {nsd.nsd for nsd in grounds.need(NsdList).nsds}
    left = [device.nsd for device in grounds.plan.devices if device.nsd in listed]
    if left:
        return block(f"there still is NSD {names_text(left)}", "See how mmdelnsd ended; other nodes may lag")
    return passed(f"none of the {len(grounds.plan.devices)} NSDs is there any more")


_DATA_ONLY = Rule("old-disks-data", "The old disks hold data alone", _data_only)
_REPLICATED = Rule("replication", "The file system is properly replicated again", _replicated)
_MOVED = Rule("moved", "The metadata is on the new disks", _moved)
_FILL = Rule("new-disks-fill", "The new disks have room", _full)
_RESTRIPED = (READY, _REPLICATED, ATTENTION, _MOVED, _FILL)

AFTER: Mapping[str, tuple[Rule, ...]] = {
    "mmcrnsd": (FREE, MADE),
    "mmadddisk": (READY, IN_PLACE),
    "mmchdisk": (_DATA_ONLY, IN_PLACE, Rule("restripe-due", "mmlsdisk says that a restripe is due", _due)),
    "mmrestripefs": _RESTRIPED,
    "mmchdisk-back": (BACK,),
    "mmdeldisk": (READY, Rule("removed", "The new disks are out of the file system", _removed)),
    "mmdelnsd": (Rule("deleted", "The NSDs are gone", _deleted),),
}
"""What each step that changes something promises, by its name."""

PROOF = (
    Rule("restripe-ended", "The restripe ended well", _ended),
    *_RESTRIPED,
    DESCRIPTORS,
    IN_PLACE,
    _DATA_ONLY,
    Rule("size-as-computed", "It takes as much as was planned", _as_computed),
    Rule("inodes", "Inodes", _inodes),
)
"""The last look."""
