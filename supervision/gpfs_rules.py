"""What a person may run as a job of their own on GPFS, and what may be stopped.

Of the mm* commands only those are allowed that are known to change neither disks, NSDs nor the file system; of all
others see `supervision.rules`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from supervision import rules
from supervision.gpfs_braked import is_schedule
from supervision.gpfs_view import is_about
from supervision.jobwords import words_of
from supervision.rules import GUIDE, READS, like, name_of, path_in
from supervision.state import Job

_READING = ("mmls*", "mmdf", "mmgetstate", "mmgetacl", "mmdiag", "mmnetverify", "mmfileid", "mmsdrquery")
_WORK = ("mmrestripefile", "mmbackup", "mmcheckquota", "mmdefragfs")
"""They work on files or on free space and leave disks, NSDs and the configuration as they are."""
_OWN = ("/var/mmfs", "/usr/lpp/mmfs", "/var/adm/ras")
"""Where GPFS keeps its configuration, its programs and its logs."""

_MMDELDISK = (
    "Stopped, mmdeldisk leaves the disks suspended (being emptied), and what was moved stays moved. Run the same "
    "mmdeldisk again to go on, or `mmchdisk resume` to take the disks back into use."
)
_MMRESTRIPEFS = (
    "What was moved stays moved. A new mmrestripefs begins its scan from the start; until one has ended well the file "
    "system may not be properly replicated."
)

_SCHEDULE = "It brings back the limits that were there before it, and then ends; that may take a minute."


def may_run(argv: Sequence[str], fs: str) -> str:
    """Why a person may not run this as a job of their own on the file system `fs`; empty when they may."""
    return rules.may_run(argv, lambda name, words: _own(name, words, fs))


def _own(name: str, words: Sequence[str], fs: str) -> str | None:
    """What GPFS says of a command; None where it has no word."""
    if name.startswith("mm"):
        return _refusal_of_gpfs(name, words, fs)
    if like(name, ("ts[a-z]*",)):
        return f"{name} may write to a disk or take it away: {GUIDE}"
    own = [word for word in words if path_in(word).startswith(_OWN)]
    if own and not like(name, READS):
        return f"{own[0]} belongs to GPFS, and {name} might change it: {GUIDE}"
    return None


def _refusal_of_gpfs(name: str, words: Sequence[str], fs: str) -> str:
    """Why an mm* command is refused."""
    if like(name, _READING) or name in _WORK:
        return ""
    if name == "mmhealth":
        return "" if "show" in words or "eventlog" in words else "only `mmhealth ... show` reads alone"
    if name == "mmapplypolicy":
        test = ("-I", "test") in pairwise(words) or "-Itest" in words
        return "" if test else "mmapplypolicy may move or delete files and run other programs; `-I test` only looks"
    if name == "mmfsck":
        repairs = any(word.startswith("-") and not word.startswith("--") and "y" in word for word in words)
        return "" if "-n" in words and not repairs else f"mmfsck without -n changes the file system: {GUIDE}"
    if name == "mmrestripefs":
        if words[:1] and words[0].removeprefix("/dev/") != fs:
            return f"this session is about {fs}, whose name is typed to confirm; {words[0]} is another file system"
        nodes = [name for before, after in pairwise(words) if before == "-N" for name in after.split(",")]
        if nodes and "all" not in nodes:
            return ""
        return f"mmrestripefs without -N works on every node of the cluster: name the nodes, or {GUIDE}"
    return f"{name} changes disks, NSDs, the file system or the cluster, or is not known to leave them alone: {GUIDE}"


def may_stop(job: Job, fs: str) -> str:
    """Why a job may not be stopped; empty when it may."""
    why = rules.not_stoppable(
        job, "it changes the configuration: interrupted it can leave GPFS inconsistent. Wait for its end"
    )
    if why:
        return why
    if is_about(job, fs, "mmrestripefs") or is_about(job, fs, "mmdeldisk"):
        return ""
    if rules.leaves_nothing(job) or is_schedule(job, fs):
        return ""
    program = name_of((words_of(job) or ("it",))[0])
    return f"only mmrestripefs and mmdeldisk of {fs} may be stopped; what {program} leaves behind half-way is not known"


def stop_leaves(job: Job, fs: str) -> str:
    """What a job leaves behind when it is stopped, in words."""
    if is_schedule(job, fs):
        return _SCHEDULE
    if is_about(job, fs, "mmdeldisk"):
        return _MMDELDISK
    if is_about(job, fs, "mmrestripefs"):
        return _MMRESTRIPEFS
    return rules.probe_leaves(job)
