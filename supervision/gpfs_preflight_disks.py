"""Checks of the disks: ready and up, descriptors, and what mmlsdisk says in whole sentences at its end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from remote.folding import fold
from remote.gpfs.models import Disk, DiskList, FileSystem, Usage
from supervision.checking import Outcome
from supervision.gpfs_preflight_grounds import Finding, Grounds, Rule, block, note, passed, warning

MOST = 6
"""Names that are told one by one."""


def names_text(names: list[str]) -> str:
    """Names of disks, folded where there are many."""
    return ", ".join(names) if len(names) <= MOST else f"{len(names)} disks ({fold(names)})"


def describe(disk: Disk | None) -> str:
    """A disk in a few words."""
    if disk is None:
        return "not there"
    return f"{disk.usage.value}, {disk.status} and {disk.availability}, failure group {disk.failure_group}"


def _ready(grounds: Grounds) -> Finding:
    return ready(grounds.view.name, grounds.need(DiskList).disks)


def _others_ready(grounds: Grounds) -> Finding:
    """For taking the new disks out, which a stopped mmdeldisk leaves suspended: it is run again then."""
    new = {device.nsd for device in grounds.plan.devices}
    return ready(grounds.view.name, [disk for disk in grounds.need(DiskList).disks if disk.nsd not in new])


def ready(fs: str, disks: Sequence[Disk]) -> Finding:
    """Whether disks are ready and up, with what to do about those that are not."""
    if not disks:
        return block(f"mmlsdisk lists no disk of {fs}", "See mmlsdisk there")
    groups: dict[str, list[str]] = defaultdict(list)
    for disk in disks:
        if not disk.ready:
            groups[f"{disk.status} and {disk.availability}"].append(disk.nsd)
    if not groups:
        return passed(f"all {len(disks)} disks are ready and up")
    words = "; ".join(
        f"{names_text(names)} {'is' if len(names) == 1 else 'are'} {how}" for how, names in groups.items()
    )
    return block(words, _advice(fs, [disk for disk in disks if not disk.ready]))


def convertible(fs: str, disks: DiskList, file_system: FileSystem) -> tuple[Disk, ...]:
    """The disks that a plan turns into dataOnly ones: all that hold metadata. ValueError where there can be no plan."""
    found = ready(fs, disks.disks)
    if found.outcome is not Outcome.PASS:
        raise ValueError(f"{found.read}. {found.advice}")
    if disks.not_properly_replicated:
        raise ValueError(f"{fs} is not properly replicated now; a restripe must end well first")
    mixed = tuple(disk for disk in disks.disks if disk.usage is Usage.DATA_AND_METADATA and disk.pool == "system")
    if not mixed or any(disk.usage is Usage.METADATA_ONLY for disk in disks.disks):
        raise ValueError("this recipe begins with disks that hold data and metadata, and none that hold metadata alone")
    groups, copies = {disk.failure_group for disk in mixed}, file_system.metadata_replicas
    if copies is None:
        raise ValueError(f"mmlsfs does not tell how many replicas of metadata {fs} keeps")
    if len(groups) < copies:
        raise ValueError(f"{len(groups)} failure groups cannot hold {copies} replicas of the metadata")
    return mixed


def _advice(fs: str, bad: list[Disk]) -> str:
    if any(disk.availability != "up" for disk in bad):
        return f"See `mmlsdisk {fs} -e`; once their servers are back: `mmchdisk {fs} start -a`, all at once"
    return f"Nothing new is written to them, and a restart keeps it so: `mmchdisk {fs} resume`, or remove them first"


def _descriptors(grounds: Grounds) -> Finding:
    told = grounds.disk_details()
    holders = [disk for disk in told.disks if "desc" in disk.remarks.split()]
    if not holders:
        return block("mmlsdisk -L marks no disk that holds a descriptor of the file system", "See mmlsdisk -L")
    up = [disk.nsd for disk in holders if disk.availability == "up"]
    need = told.quorum.write if told.quorum else len(holders) // 2 + 1
    groups = {disk.failure_group for disk in holders}
    text = f"{len(up)} of {len(holders)} descriptors are on disks that are up ({names_text(up)}), {need} needed"
    if len(up) < need:
        return block(text, "The file system would be unmounted: bring the disks back first")
    if len(groups) < 3 <= len(holders):
        advice = (
            "Losing the group with most of them unmounts it: a descOnly disk in a third failure group prevents that"
        )
        return note(f"{text}; all in failure groups {', '.join(sorted(groups))}", advice)
    return passed(text)


def _replicated_before(grounds: Grounds) -> Finding:
    """Before the old disks are changed nothing may be amiss: afterwards nobody could tell what was there before."""
    disks = grounds.need(DiskList)
    if not disks.not_properly_replicated:
        return passed("mmlsdisk says nothing of replication")
    text = f'mmlsdisk says that {grounds.view.name} is "no longer properly replicated"'
    return block(text, f"A restripe must end well first: `mmrestripefs {grounds.view.name} -r -N ...`")


def _replicated_at_change(grounds: Grounds) -> Finding:
    """The same for mmchdisk; where an earlier attempt changed some of the old disks, the sentence is of that."""
    disks = grounds.need(DiskList)
    old = {each.nsd for each in grounds.plan.old_disks}
    done = any(disk.nsd in old and not disk.metadata for disk in disks.disks)
    if disks.not_properly_replicated and done:
        return note(
            '"no longer properly replicated", since some old disks were changed', "The rest of them must follow"
        )
    return _replicated_before(grounds)


def _replicated_between(grounds: Grounds) -> Finding:
    """Between mmchdisk and the end of the restripe the sentence is expected."""
    if grounds.need(DiskList).not_properly_replicated:
        return passed('"no longer properly replicated", as expected since mmchdisk; it must be gone afterwards')
    advice = "Either it was moved already, or mmchdisk changed nothing: compare mmlsdisk with the plan"
    return warning('mmlsdisk does not say "no longer properly replicated", as it should since mmchdisk', advice)


def _sentences(grounds: Grounds) -> Finding:
    """Every other sentence that begins with Attention."""
    disks = grounds.need(DiskList)
    if disks.at_risk:
        risk = next(text for text in disks.attention if "at risk" in text)
        return block(risk, "Find the disks that are not ready and up first; then a restripe (-r)")
    others = [
        text
        for text in disks.attention
        if not DiskList((), (text,)).not_properly_replicated and not DiskList((), (text,)).unbalanced
    ]
    if others:
        return warning("; ".join(others), f"See `mmlsdisk {grounds.view.name} -L`, and what it means here")
    if disks.unbalanced:
        return note('"no longer properly balanced"', "It costs speed alone; -r never clears it, `mmrestripefs -b` does")
    return passed("no other word of Attention")


READY = Rule("disks-ready", "Every disk is ready and up", _ready)
OTHERS_READY = Rule("disks-ready", "Every disk that stays is ready and up", _others_ready)
DESCRIPTORS = Rule("descriptors", "The descriptors of the file system are safe", _descriptors)
REPLICATED = Rule("replication", "The file system is properly replicated", _replicated_before)
AT_CHANGE = Rule("replication", "The file system is properly replicated", _replicated_at_change)
DUE = Rule("replication", "A restripe is due, and nothing else is said", _replicated_between)
ATTENTION = Rule("attention", "mmlsdisk says nothing else", _sentences)
ANY = (READY, DESCRIPTORS, ATTENTION)
