"""Checks of what a file system is: format and release, replicas, pools, block size, inodes. None of it is changed."""

from __future__ import annotations

import re

from remote.gpfs.models import ClusterConfig, DiskList, FileSystem, FsSpace, Qos
from supervision.gpfs_diskproblems import INODES_FULL
from supervision.gpfs_groups import NEVER
from supervision.gpfs_preflight_disks import names_text
from supervision.gpfs_preflight_grounds import Finding, Grounds, Rule, block, note, passed, unread, warning

SYSTEM = "system"
"""The pool of metadata, in every release."""
_FORMAT = re.compile(r"\(([0-9]{1,3}(?:\.[0-9]{1,3}){1,3})\)")
_RELEASE = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){1,3}\Z")


def release_of(text: str) -> tuple[int, ...]:
    """The numbers of a release, or of that in parentheses of a format (`22.00 (5.0.4.0)`); () where there is none."""
    found = _FORMAT.search(text)
    number = found[1] if found else text.strip()
    return tuple(int(part) for part in number.split(".")) if _RELEASE.match(number) else ()


def _format(grounds: Grounds) -> Finding:
    """What decides which options there are. Raising either cannot be taken back, and is never part of a recipe."""
    fs, config = grounds.need(FileSystem), grounds.need(ClusterConfig)
    level = config.get("minReleaseLevel") or ""
    if not release_of(fs.version):
        unread(f"mmlsfs -V tells the format as {fs.version!r}")
    kind = (
        "version 2, with a partition table" if release_of(level) >= (4, 1) else "version 1, without a partition table"
    )
    text = f"format {fs.version}, minReleaseLevel {level or 'not told'}; NSDs that are made now are of {kind}"
    return note(text, "Neither is ever changed here: mmchfs -V and release=LATEST cannot be taken back")


def _metadata_only(grounds: Grounds) -> Finding | None:
    if not grounds.plan.options.metadata_only:
        return None
    fs = grounds.need(FileSystem)
    release = release_of(grounds.need(ClusterConfig).get("minReleaseLevel") or "") or release_of(fs.version)
    if release < (4, 2):
        advice = "Make the plan without metadata_only"
        return block(f"--metadata-only came with 4.2, and this is {fs.version}", advice)
    advice = 'Whether "no longer properly replicated" goes then is not known: the proof will say so'
    return note(f"--metadata-only: data is not scanned; format {fs.version}", advice)


def _qos(grounds: Grounds) -> Finding:
    """No step sets a limit: that is done, and taken back, by the brake while the restripe runs."""
    lacks = grounds.lacks(Qos)
    if lacks:
        advice = "It takes all the bandwidth that it can: choose a quiet time, and few nodes (-N)"
        return note(lacks, advice)
    advice = "Without a limit it takes what it can; the brake of the Restripe screen (B) sets one while it runs"
    return note(f"QoS is {'on' if grounds.need(Qos).enabled else 'off'}", advice)


def _replicas(grounds: Grounds) -> Finding:
    """-m and -M as they are, and as many failure groups as copies, now."""
    fs, disks = grounds.need(FileSystem), grounds.need(DiskList)
    copies, most = fs.metadata_replicas, fs.max_metadata_replicas
    if copies is None or most is None:
        unread("mmlsfs does not tell -m and -M")
    groups = {disk.failure_group for disk in disks.disks if disk.metadata and disk.usage not in NEVER}
    text = f"-m {copies}, -M {most}, -r {fs.data_replicas}, -R {fs.max_data_replicas}; metadata in {len(groups)} groups"
    if copies > most:
        return block(text, "More copies are the default than there can be: nothing here changes -m or -M")
    if len(groups) < copies:
        return block(f"{text}: too few for {copies} copies", "Correct the failure groups first (mmchdisk change)")
    return passed(text)


def _pools(grounds: Grounds) -> Finding:
    """Metadata lies in pool system, and mmchdisk cannot move a disk into another pool."""
    plan, disks = grounds.plan, grounds.need(DiskList)
    wrong = [device.nsd for device in plan.devices if device.pool != SYSTEM]
    if wrong:
        return block(
            f"{names_text(wrong)} would be in another pool than {SYSTEM}", "Metadata lies in pool system alone"
        )
    by_name = {disk.nsd: disk for disk in disks.disks}
    moved = [old.nsd for old in plan.old_disks if old.nsd in by_name and by_name[old.nsd].pool != old.pool]
    outside = [old.nsd for old in plan.old_disks if old.pool != SYSTEM]
    if moved or outside:
        text = (
            f"{names_text(moved or outside)} {'is in another pool than planned' if moved else 'is not in pool system'}"
        )
        return block(text, "The pool of a disk cannot be changed by mmchdisk: make the plan anew")
    strange = [disk.nsd for disk in disks.disks if disk.metadata and disk.pool != SYSTEM]
    if strange:
        return block(f"{names_text(strange)} holds metadata outside of pool system", "See mmlsdisk: that should not be")
    return passed("metadata is in pool system, and the pool of no disk changes")


def _blocks(grounds: Grounds) -> Finding:
    fs = grounds.need(FileSystem)
    sizes = ", ".join(dict.fromkeys(fs.get("-B"))) or "not told"
    return note(f"block size {sizes}, subblock {', '.join(fs.get('-f')) or 'not told'}", "Fixed when it was made")


def _inodes(grounds: Grounds) -> Finding:
    """Where free inodes run out GPFS allocates more, in the middle of a scan."""
    inodes = grounds.need(FsSpace).inodes
    if inodes is None:
        unread("mmdf tells nothing of inodes")
    text = f"{inodes.used:,} of {inodes.allocated:,} allocated inodes used, {inodes.maximum:,} at most"
    if inodes.maximum and 100.0 * inodes.used > INODES_FULL * inodes.maximum:
        advice = f"`mmchfs {grounds.view.name} --inode-limit` before, not during the restripe"
        return warning(text, advice)
    if inodes.free * 100 < inodes.allocated:
        return note(text, "More are allocated soon, by itself: the scan then has more to do than is told now")
    return passed(text)


RULES = (
    Rule("format", "Its format and release are known", _format),
    Rule("replicas", "The failure groups hold the replicas of metadata now", _replicas),
    Rule("pools", "Metadata stays in pool system", _pools),
    Rule("block-size", "Block and subblock size", _blocks),
    Rule("inodes", "There are inodes left", _inodes),
)
INODES = RULES[-1]
POOLS = RULES[2]
METADATA_ONLY = Rule("metadata-only", "This release can restripe metadata alone", _metadata_only)
QOS = Rule("qos", "The restripe can be limited", _qos)
