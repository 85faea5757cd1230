"""What a person may run as a job of their own beside a GFS2 file system, and what may be stopped.

GFS2's own tools are for the guided migrations: without their checks a savemeta tells of a success that is none, and an
fsck of a file system that is mounted somewhere destroys it. Of what others there are see `supervision.rules`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from supervision import rules
from supervision.gfs2_work import FSCK, RESTOREMETA, SAVEMETA, same_path, work_of
from supervision.jobwords import words_of
from supervision.rules import GUIDE, READS, like, name_of, path_in
from supervision.state import Job

_TOOLS = ("gfs2_*", "gfs_*", "fsck.gfs*", "mkfs.gfs*", "tunegfs2", "mount.gfs*", "umount.gfs*")
_PRINTED = re.compile(
    r"sb|superblock|statfs|rgs|rindex|master|root|jindex|journals|journal[0-9]{1,3}|quota|inum|per_node"
    r"|0x[0-9a-f]{1,16}|[0-9]{1,18}"
)
"""What `gfs2_edit -p` prints of a device: a structure, or a block by its address. Of other words some write."""
_MANAGER = (
    "pcs", "crm*", "cib*", "corosync*", "pacemaker*", "stonith_admin", "attrd_updater", "dlm_*", "fence_*",
    "fenced", "group_tool", "cman_tool", "ccs*", "rgmanager", "clu*adm", "clusvcadm", "lvmlockctl",
)  # fmt: skip
_MANAGER_READS = (
    ("pcs", "status"),
    ("crm_mon",),
    ("crm_node", "-l"),
    ("crm_verify", "-L"),
    ("cibadmin", "-Q"),
    ("corosync-cmapctl",),
    ("corosync-quorumtool",),
    ("corosync-quorumtool", "-l"),
    ("corosync-quorumtool", "-s"),
    ("dlm_tool", "ls"),
    ("dlm_tool", "status"),
    ("group_tool", "ls"),
    ("cman_tool", "status"),
    ("cman_tool", "nodes"),
)
"""What only looks, to the word; `crm_mon -1` besides, which ends by itself."""

_SAVEMETA = (
    "The file that it writes is left behind, empty or cut off, and is of no use: remove it. The device is as it was. "
    "A new savemeta begins from the start."
)
_RESTOREMETA = (
    "The target holds a part of what was saved, which is no file system: nothing may mount it. A new restoremeta "
    "begins from the start."
)
_LOOK = "It has changed nothing. What it found so far stands in its log; a new fsck.gfs2 begins from the start."
_REPAIR = (
    "What it has repaired stays, and what it was about is half done: nothing may mount the file system before a whole "
    "`fsck.gfs2 -y`, which begins from the start. It is ended by TERM; ctrl-C (INT) would make it ask a question that "
    "nobody answers."
)


def may_run(argv: Sequence[str], device: str) -> str:
    """Why a person may not run this as a job of their own beside the GFS2 on `device`; empty when they may."""
    return rules.may_run(argv, lambda name, words: _own(name, words, device))


def _own(name: str, words: Sequence[str], device: str) -> str | None:
    """What GFS2 says of a command; None where it has no word."""
    if like(name, _TOOLS):
        if name == "gfs2_edit" and len(words) == 3 and words[0] == "-p" and _PRINTED.fullmatch(words[1]):
            return ""
        return f"{name} works on the file system itself: {GUIDE}"
    if like(name, _MANAGER):
        only_looks = (name, *words) in _MANAGER_READS or (name, *words) == ("crm_mon", "-1")
        return "" if only_looks else f"{name} may change the cluster under a live file system; run it there by hand"
    if any(same_path(path_in(word), device) for word in words) and not like(name, READS):
        return f"{device} is the GFS2 itself, and {name} might write to it: {GUIDE}"
    return None


def may_stop(job: Job, device: str) -> str:
    """Why a job may not be stopped; empty when it may. It is ended by TERM and by nothing else."""
    if why := rules.not_stoppable(job, "interrupted it can leave the file system inconsistent. Wait for its end"):
        return why
    work = work_of(words_of(job))
    if (work and same_path(work.device, device)) or rules.leaves_nothing(job):
        return ""
    if work:
        return f"it works on {work.device}, and this session is about {device}, whose name is typed to confirm"
    program = name_of((words_of(job) or ("it",))[0])
    return (
        f"only savemeta, restoremeta and fsck of {device} may be stopped; what {program} leaves half done is not known"
    )


def stop_leaves(job: Job, device: str) -> str:
    """What a job leaves behind when it is stopped, in words."""
    work = work_of(words_of(job))
    if work is None or not same_path(work.device, device):
        return rules.probe_leaves(job)
    if work.kind == FSCK:
        return _REPAIR if work.repairs else _LOOK
    return {SAVEMETA: _SAVEMETA, RESTOREMETA: _RESTOREMETA}[work.kind]
