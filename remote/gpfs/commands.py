"""The mm* commands as values. Every name is checked here, so that none can turn into an option or a second
name.

Deadlines are generous: a command that GPFS could finish must not be cut. `mmdf` and `mmlsnsd -X` read every
disk or ask every server, which takes minutes on a busy file system. The commands that change the
configuration cannot be interrupted: stopped half-way they leave it inconsistent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from remote.command import Command, Effect

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}\Z")
_NODE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,254}\Z")  # an IPv6 address is a name too
_PATH = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./@+:~-]*\Z")

_CONFIGURATION = 60.0
_EVERY_SERVER = 300.0
_EVERY_DISK = 600.0
_CHANGE = 3600.0
_RESTRIPE = 30 * 24 * 3600.0


def mmlscluster() -> Command:
    """Nodes, their names and roles; reads the local configuration."""
    return _reads("mmlscluster", deadline=_CONFIGURATION)


def mmlsfs(fs: str) -> Command:
    """All attributes of a file system."""
    return _reads("mmlsfs", _file_system(fs), deadline=_CONFIGURATION)


def mmlsdisk(fs: str) -> Command:
    """The disks of a file system, their usage and status."""
    return _reads("mmlsdisk", _file_system(fs), deadline=_EVERY_SERVER)


def mmdf(fs: str, metadata_only: bool = False) -> Command:
    """The space of every disk in KB, and the inodes; with `metadata_only` the disks that hold metadata alone.

    It costs I/O on a large file system, so it is nothing to ask often.
    """
    options = ("-m",) if metadata_only else ()
    return _reads("mmdf", _file_system(fs), *options, deadline=_EVERY_DISK)


def mmlsnsd_devices() -> Command:
    """Which device each NSD is on each of its servers at this moment; asks all servers over the remote shell."""
    return _reads("mmlsnsd", "-X", deadline=_EVERY_SERVER)


def mmcrnsd(stanza_path: str) -> Command:
    """Make NSDs out of devices, whatever is on them. GPFS rewrites the stanza file.

    Never with `-v no`: the check that a disk carries nothing of GPFS is the last one before its content is
    gone.
    """
    return _changes("mmcrnsd", "-F", _path(stanza_path), effect=Effect.DESTROYS)


def mmadddisk(fs: str, stanza_path: str) -> Command:
    """Format NSDs and add them to a file system, which may put data or metadata on them at once."""
    return _changes("mmadddisk", _file_system(fs), "-F", _path(stanza_path), effect=Effect.DESTROYS)


def mmchdisk_change(fs: str, stanza_path: str) -> Command:
    """Change usage or failure group of disks; it takes effect for new blocks, old ones wait for a restripe."""
    return _changes("mmchdisk", _file_system(fs), "change", "-F", _path(stanza_path), effect=Effect.CHANGES)


def mmrestripefs(fs: str, nodes: Sequence[str]) -> Command:
    """Move everything to where it belongs (`-r`), worked on by these nodes.

    It runs for hours and belongs into a detached job, where no deadline applies. It may be stopped: what
    was moved stays moved, and another run starts its scan from the beginning.
    """
    names = [_node(node) for node in nodes]
    if not names:
        raise ValueError("a restripe needs at least one node: without -N every node of the cluster would work")
    return Command(
        ("mmrestripefs", _file_system(fs), "-r", "-N", ",".join(names)),
        Effect.CHANGES,
        deadline=_RESTRIPE,
        line_buffered=True,
        privileged=True,
    )


def _reads(*argv: str, deadline: float) -> Command:
    return Command(argv, Effect.READS, deadline=deadline, privileged=True)


def _changes(*argv: str, effect: Effect) -> Command:
    return Command(argv, effect, deadline=_CHANGE, interruptible=False, privileged=True)


def _file_system(name: str) -> str:
    if not _NAME.match(name):
        raise ValueError(f"not the name of a file system: {name!r}")
    return name


def _node(name: str) -> str:
    if not _NODE.match(name):
        raise ValueError(f"not the name of a node: {name!r}")
    return name


def _path(path: str) -> str:
    if not _PATH.match(path):
        raise ValueError(f"not a path that mm* commands take safely: {path!r}")
    return path
