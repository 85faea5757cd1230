"""The mm* commands that change something.

Those that change the configuration cannot be interrupted: stopped half-way they leave it inconsistent. Those that
move data (`mmrestripefs`, `mmdeldisk`) may be stopped and run again: what was moved stays moved, and the next run
begins its scan anew. They run for hours and belong into a detached job, where no deadline applies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from remote.command import Command, Effect
from remote.gpfs import arguments, unconfirmed

_CHANGE = 3600.0
_SCAN = 30 * 24 * 3600.0


class DiskVerb(Enum):
    """What `mmchdisk` does. `EMPTY` is known from 4.1.1 on."""

    SUSPEND = "suspend"
    RESUME = "resume"
    START = "start"
    STOP = "stop"
    EMPTY = "empty"
    CHANGE = "change"


class Restripe(Enum):
    """What `mmrestripefs` does."""

    CRITICAL = "-m"
    """Move what has no other copy off suspended disks."""
    ALL = "-r"
    """Move everything off suspended and wrongly used disks, and restore the replicas."""
    REBALANCE = "-b"
    PLACEMENT = "-p"
    """Put files into the pools where they belong."""
    REPLICATION = "-R"
    """Give every file the replicas that are the default now; from 4.2 at the latest."""
    COMPARE = "-c"
    """Compare the replicas; from 4.2 at the latest."""
    COMPRESSION = "-z"
    """Finish deferred compression; from 4.2 at the latest."""


_METADATA_TOO = (Restripe.ALL, Restripe.REBALANCE, Restripe.REPLICATION, Restripe.COMPARE)


def mmbackupconfig(fs: str, path: str) -> Command:
    """Write the configuration of a file system into a file on the host, from which mmrestoreconfig could set it again.

    It changes nothing of the file system.
    """
    return Command(
        ("mmbackupconfig", arguments.file_system(fs), "-o", arguments.path(path)),
        Effect.CHANGES,
        deadline=_CHANGE,
        privileged=True,
    )


def mmcrnsd(stanza_path: str) -> Command:
    """Make NSDs out of devices, whatever is on them. GPFS rewrites the stanza file.

    Never with `-v no`: the check that a disk carries nothing of GPFS is the last one before its content is
    gone.
    """
    return _changes("mmcrnsd", "-F", arguments.path(stanza_path), effect=Effect.DESTROYS)


def mmdelnsd(names: Sequence[str]) -> Command:
    """Take the NSD off devices; GPFS refuses it for a disk of a file system."""
    return _changes("mmdelnsd", arguments.nsds(names), effect=Effect.DESTROYS)


def mmadddisk(
    fs: str, stanza_path: str, *, rebalance: bool = False, nodes: Sequence[str] = (), qos: str = ""
) -> Command:
    """Format NSDs and add them to a file system, which may put data or metadata on them at once.

    With `rebalance` the nodes also move data to the new disks, which takes hours: better a restripe afterwards.
    """
    options = [unconfirmed.option("mmadddisk", "rebalance")] if rebalance else []
    options += _helpers("mmadddisk", nodes, qos)
    return _changes(
        "mmadddisk", arguments.file_system(fs), "-F", arguments.path(stanza_path), *options, effect=Effect.DESTROYS
    )


def mmchdisk_change(fs: str, stanza_path: str) -> Command:
    """Change usage or failure group of disks; it takes effect for new blocks, old ones wait for a restripe."""
    return mmchdisk(fs, DiskVerb.CHANGE, stanza_path=stanza_path)


def mmchdisk(
    fs: str,
    verb: DiskVerb,
    *,
    disks: Sequence[str] = (),
    stanza_path: str = "",
    all_disks: bool = False,
    nodes: Sequence[str] = (),
    qos: str = "",
) -> Command:
    """Change the status of disks that are named, of those in a stanza file, or of all (`start` and `resume` alone).

    `start` scans the metadata afterwards and may take long; so it prints progress.
    """
    if sum((bool(disks), bool(stanza_path), all_disks)) != 1:
        raise ValueError("mmchdisk needs disks, a stanza file, or all disks, and one of them alone")
    if all_disks and verb not in (DiskVerb.START, DiskVerb.RESUME):
        raise ValueError(f"all disks of a file system at once are nothing to {verb.value}")
    if verb is DiskVerb.CHANGE and not stanza_path:
        raise ValueError("what is to change stands in a stanza file")
    which = ["-d", arguments.nsds(disks)] if disks else ["-F", arguments.path(stanza_path)] if stanza_path else ["-a"]
    if nodes:
        which += ["-N", arguments.nodes(nodes)]
    if qos:
        which += ["--qos", arguments.qos_class(qos)]
    return Command(
        ("mmchdisk", arguments.file_system(fs), verb.value, *which),
        Effect.CHANGES,
        deadline=_SCAN if verb is DiskVerb.START else _CHANGE,
        interruptible=False,
        line_buffered=verb is DiskVerb.START,
        privileged=True,
    )


def mmdeldisk(fs: str, disks: Sequence[str], *, nodes: Sequence[str] = (), qos: str = "") -> Command:
    """Move everything off disks and take them out of the file system.

    Stopped, it leaves the disks suspended and can be run again. Never with `-p` or `-c`, which give up what
    cannot be read.
    """
    return Command(
        ("mmdeldisk", arguments.file_system(fs), arguments.nsds(disks), *_helpers("mmdeldisk", nodes, qos)),
        Effect.DESTROYS,
        deadline=_SCAN,
        line_buffered=True,
        privileged=True,
    )


def mmrpldisk(fs: str, disk: str, stanza_path: str, *, nodes: Sequence[str] = (), qos: str = "") -> Command:
    """Replace a disk by the one in the stanza file: format that, move everything to it, take the old one out."""
    return Command(
        ("mmrpldisk", arguments.file_system(fs), arguments.nsd(disk), "-F", arguments.path(stanza_path),
         *_helpers("mmrpldisk", nodes, qos)),
        Effect.DESTROYS,
        deadline=_SCAN,
        interruptible=False,
        line_buffered=True,
        privileged=True,
    )  # fmt: skip


def mmchqos_enable(fs: str, limits: Mapping[str, Mapping[str, str]], *, nodes: Sequence[str] = ()) -> Command:
    """Switch the throttle on, with limits by pool and class: `{"*": {"maintenance": "300IOPS"}}`.

    With `nodes` (from 4.2.3 on) these limits are shared by them alone; else by the nodes that mount the file system.
    Pools and classes that are not named stay as they are.
    """
    checked = {
        pool if pool == "*" else arguments.pool(pool): {
            arguments.qos_class(name): arguments.limit(limit) for name, limit in classes.items()
        }
        for pool, classes in limits.items()
    }
    words = unconfirmed.throttle_words(checked)
    enable = unconfirmed.option("mmchqos", "enable")
    scope = [unconfirmed.option("mmchqos", "nodes"), arguments.nodes(nodes)] if nodes else []
    return _changes("mmchqos", arguments.file_system(fs), enable, *scope, *words, effect=Effect.CHANGES)


def mmchqos_disable(fs: str) -> Command:
    """Switch the throttle off: a restripe then takes all the bandwidth that it can."""
    disable = unconfirmed.option("mmchqos", "disable")
    return _changes("mmchqos", arguments.file_system(fs), disable, effect=Effect.CHANGES)


def mmqos_throttle(fs: str, pool: str, name: str, limit: str, *, node: str = "") -> Command:
    """Limit a class in a pool by mmqos (from 5.1.1 on): for one node or node class, else for the cluster's own nodes.

    Throttles of the classes `maintenance` and `other` are there since QoS was switched on.
    """
    where = (
        (unconfirmed.option("mmqos", "nodes"), arguments.node(node))
        if node
        else (unconfirmed.option("mmqos", "clusters"), "all_local")
    )
    number = arguments.limit(limit).removesuffix("IOPS")
    words = ("--pool", arguments.pool(pool), "--class", arguments.qos_class(name), *where)
    option = unconfirmed.option("mmqos", "limit")
    return _changes(
        "mmqos", "throttle", "update", arguments.file_system(fs), *words, option, number, effect=Effect.CHANGES
    )


def mmqos_filesystem(fs: str, *, enable: bool) -> Command:
    """Switch QoS on or off by mmqos; limits are kept."""
    word = "enable" if enable else "disable"
    return _changes("mmqos", "filesystem", word, arguments.file_system(fs), effect=Effect.CHANGES)


def mmrestripefs(
    fs: str,
    nodes: Sequence[str],
    what: Restripe = Restripe.ALL,
    *,
    pool: str = "",
    qos: str = "",
    inode_criteria: str = "",
    result_file: str = "",
    metadata_only: bool = False,
    strict: bool = False,
    read_only: bool = False,
    go_on_after_errors: bool = False,
) -> Command:
    """Move everything to where it belongs (`-r`) or do another of its works, by these nodes.

    `metadata_only` is known from 4.2 on, `strict` (with REBALANCE) from 5.0.1, `go_on_after_errors` from 5.1;
    `read_only` goes with COMPARE. The two files are paths on the host.
    """
    if not nodes:
        raise ValueError("a restripe needs at least one node: without -N every node of the cluster would work")
    if metadata_only and what not in _METADATA_TOO:
        raise ValueError(f"mmrestripefs {what.value} has no metadata alone")
    if strict and what is not Restripe.REBALANCE:
        raise ValueError("only a rebalance is strict")
    if read_only and what is not Restripe.COMPARE:
        raise ValueError("only a comparison is read-only")
    argv = ["mmrestripefs", arguments.file_system(fs), what.value]
    argv += [word for word, wanted in (("--strict", strict), ("--read-only", read_only)) if wanted]
    argv += ["-N", arguments.nodes(nodes)]
    if result_file:
        argv += ["-o", arguments.path(result_file)]
    if pool:
        argv += ["-P", arguments.pool(pool)]
    if inode_criteria:
        argv += ["--inode-criteria", arguments.path(inode_criteria)]
    if qos:
        argv += ["--qos", arguments.qos_class(qos)]
    argv += [
        word
        for word, wanted in (("--metadata-only", metadata_only), ("--pit-continues-on-error", go_on_after_errors))
        if wanted
    ]
    return Command(tuple(argv), Effect.CHANGES, deadline=_SCAN, line_buffered=True, privileged=True)


def _helpers(command: str, nodes: Sequence[str], qos: str) -> list[str]:
    words = [unconfirmed.option(command, "nodes"), arguments.nodes(nodes)] if nodes else []
    return [*words, unconfirmed.option(command, "class"), arguments.qos_class(qos)] if qos else words


def _changes(*argv: str, effect: Effect) -> Command:
    return Command(argv, effect, deadline=_CHANGE, interruptible=False, privileged=True)
