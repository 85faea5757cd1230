"""The mm* commands that change nothing.

Deadlines are generous: a command that GPFS could finish must not be cut. `mmdf` and `mmlsnsd -X` read every
disk or ask every server, which takes minutes on a busy file system.

They are built in their human form, which every release has. `remote.gpfs.dialects.forms` gives the order in which to
ask: `-Y` first.
"""

from __future__ import annotations

from collections.abc import Sequence

from remote.command import Command, Effect
from remote.gpfs import arguments, unconfirmed

_CONFIGURATION = 60.0
_ONE_NODE = 60.0
_EVERY_SERVER = 300.0
_EVERY_DISK = 600.0


def mmlscluster() -> Command:
    """Nodes, their names and roles; reads the local configuration."""
    return _reads("mmlscluster", deadline=_CONFIGURATION)


def mmgetstate(*, quorum: bool = False, summary: bool = False, nodes: Sequence[str] = ()) -> Command:
    """The state of GPFS on all nodes or on some; over the remote shell, so a node that hangs takes its time.

    `quorum` adds the columns of `-L`, `summary` the counts of `-s`.
    """
    where = ("-N", arguments.nodes(nodes)) if nodes else ("-a",)
    options = [option for option, wanted in (("-L", quorum), ("-s", summary)) if wanted]
    return _reads("mmgetstate", *where, *options, deadline=_EVERY_SERVER)


def own_daemon() -> Command:
    """The state of GPFS on the host that is asked, which asks no other node."""
    return _reads("mmgetstate", deadline=_ONE_NODE)


def mmlsfs(fs: str) -> Command:
    """All attributes of a file system, or of `all`."""
    return _reads("mmlsfs", arguments.file_system(fs), deadline=_CONFIGURATION)


def mmlsdisk(fs: str, *, long: bool = False, not_ready: bool = False) -> Command:
    """The disks of a file system, their usage and status.

    `long` adds disk ids, remarks and the quorum; `not_ready` lists only the disks that are not ready and up.
    """
    options = [option for option, wanted in (("-L", long), ("-e", not_ready)) if wanted]
    return _reads("mmlsdisk", arguments.file_system(fs), *options, deadline=_EVERY_SERVER)


def mmdf(
    fs: str,
    metadata_only: bool = False,
    *,
    data_only: bool = False,
    inodes_only: bool = False,
    pool: str = "",
    block_size: str = "",
) -> Command:
    """The space of every disk in KB, and the inodes; or of the disks that hold metadata or data, or of one pool.

    It costs I/O on a large file system, so it is nothing to ask often. With `block_size` the figures are rounded up:
    never decide by them.
    """
    options = []
    for meaning, wanted in (("metadata", metadata_only), ("data", data_only), ("inodes", inodes_only)):
        if wanted:
            options.append(unconfirmed.option("mmdf", meaning))
    if len(options) > 1:
        raise ValueError("mmdf shows metadata disks, data disks or inodes, one of them at a time")
    if pool:
        options += [unconfirmed.option("mmdf", "pool"), arguments.pool(pool)]
    if block_size:
        options += [unconfirmed.option("mmdf", "block size"), arguments.block_size(block_size)]
    return _reads("mmdf", arguments.file_system(fs), *options, deadline=_EVERY_DISK)


def mmlsnsd(*, fs: str = "", free: bool = False, long: bool = False) -> Command:
    """All NSDs and their servers, those of one file system, or the free ones; reads the configuration.

    `long` adds the volume ids.
    """
    if fs and free:
        raise ValueError("a free NSD belongs to no file system")
    which = ("-f", arguments.file_system(fs)) if fs else ("-F",) if free else ("-a",)
    return _reads("mmlsnsd", *which, *(("-L",) if long else ()), deadline=_CONFIGURATION)


def mmlsnsd_devices() -> Command:
    """Which device each NSD is on each of its servers at this moment; asks all servers over the remote shell."""
    return _reads("mmlsnsd", "-X", deadline=_EVERY_SERVER)


def mmlsnsd_map() -> Command:
    """Like `mmlsnsd_devices` without the type of the devices (`-m`)."""
    return _reads("mmlsnsd", "-m", deadline=_EVERY_SERVER)


def mmlsmount(fs: str) -> Command:
    """On which nodes a file system (or `all`) is mounted."""
    return _reads("mmlsmount", arguments.file_system(fs), "-L", deadline=_EVERY_SERVER)


def mmlsmgr() -> Command:
    """The manager nodes of the file systems and of the cluster."""
    return _reads("mmlsmgr", deadline=_CONFIGURATION)


def mmlsconfig(*parameters: str) -> Command:
    """The configuration, or single parameters of it."""
    names = [arguments.parameter(name) for name in parameters]
    return _reads("mmlsconfig", *((",".join(names),) if names else ()), deadline=_CONFIGURATION)


def mmlscallback() -> Command:
    """The programs that GPFS runs when something happens; reads the configuration."""
    return _reads("mmlscallback", deadline=_CONFIGURATION)


def mmauth_show() -> Command:
    """The clusters that may mount file systems of this one; reads the configuration."""
    return _reads("mmauth", "show", deadline=_CONFIGURATION)


def mmlsqos(fs: str, seconds: int = 60) -> Command:
    """The throttles of a file system, and what each class of I/O did in the last seconds (1 to 999)."""
    if not 1 <= seconds <= 999:
        raise ValueError("mmlsqos shows between 1 and 999 seconds")
    return _reads("mmlsqos", arguments.file_system(fs), "--seconds", str(seconds), deadline=_EVERY_SERVER)


def mmdiag_waiters() -> Command:
    """The threads that wait, on this node alone."""
    return _reads("mmdiag", "--waiters", deadline=_ONE_NODE)


def mmhealth() -> Command:
    """The health of this node's components; since 4.2."""
    return _reads("mmhealth", "node", "show", deadline=_ONE_NODE)


def mmdevdiscover() -> Command:
    """The devices that GPFS finds on this node, which are those that `mmcrnsd` takes; opens none of them."""
    return _reads("mmdevdiscover", deadline=_ONE_NODE)


def mmlspool(fs: str) -> Command:
    """The storage pools of a file system and their space."""
    return _reads("mmlspool", arguments.file_system(fs), deadline=_EVERY_SERVER)


def mmlssnapshot(fs: str) -> Command:
    """The snapshots of a file system. Without their sizes, which cost a scan of the metadata."""
    return _reads("mmlssnapshot", arguments.file_system(fs), deadline=_EVERY_SERVER)


def _reads(*argv: str, deadline: float) -> Command:
    return Command(argv, Effect.READS, deadline=deadline, privileged=True)
