"""What a change of a fact means for a scan of a GPFS file system, and what the scan's counters run up to. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from remote.gpfs.models import Disk, DiskList, FileSystem, FsSpace, Managers, NodeStates, Qos, Snapshots
from remote.gpfs.qos import as_given
from remote.linux.log_tails import LogTails
from remote.names import fold
from supervision import canary
from supervision.eta_rates import Known
from supervision.reading import Change

ACTIVE = "active"
MMFS = "mmfs"
QUICK = "how many inodes a run over metadata alone walks is not known: rough"


def changes(key: str, before: object, after: object) -> tuple[Change, ...]:
    """What happened between two answers to the question whose answers are kept under `key`."""
    match before, after:
        case DiskList(), DiskList() if key.startswith("disks "):
            return _disks(before, after)
        case NodeStates(), NodeStates():
            return _nodes(before, after)
        case Managers(), Managers():
            return _managers(before, after)
        case Qos(), Qos():
            return _limits(before, after)
        case Snapshots(), Snapshots():
            return _snapshots(before, after)
        case LogTails(), LogTails():
            return (*_daemon(key.removeprefix("logs "), before, after), *canary.changes(before, after))
    return ()


def known(told: Callable[[str], object], name: str, command: str) -> Known:
    """Allocated inodes of the last mmdf, and the MB in use on disks that hold data, of which one copy is counted."""
    space, fs, snapshots = told(f"space {name}"), told(f"filesystem {name}"), told(f"snapshots {name}")
    if not isinstance(space, FsSpace):
        return Known(awaited=space is None)
    quick = "--metadata-only" in command.split()
    return Known(
        space.inodes.allocated if space.inodes else None,
        None if quick else _data_mb(space, fs),
        snapshots=isinstance(snapshots, Snapshots) and bool(snapshots.snapshots),
        rough=QUICK if quick else "",
    )


def _data_mb(space: FsSpace, fs: object) -> int | None:
    """None where it is not exact, or where nobody knows how many copies of data there are."""
    copies = fs.data_replicas if isinstance(fs, FileSystem) else None
    if not space.exact or not copies:
        return None
    used = sum(disk.size_kb - disk.free_blocks_kb - disk.free_fragments_kb for disk in space.disks if disk.data)
    return max(0, used) // copies // 1024 or None


def _disks(before: DiskList, after: DiskList) -> tuple[Change, ...]:
    old = {disk.nsd: disk for disk in before.disks}
    new = {disk.nsd: disk for disk in after.disks}
    groups: dict[str, list[str]] = {}
    for name, disk in new.items():
        if name not in old:
            groups.setdefault("added", []).append(name)
        elif (was := _standing(old[name])) != (now := _standing(disk)):
            groups.setdefault(f"now {now}, was {was}", []).append(name)
    if gone := [name for name in old if name not in new]:
        groups["removed"] = gone
    found = [Change("disk", f"{_which(names)}: {what}") for what, names in groups.items()]
    if before.not_properly_replicated != after.not_properly_replicated:
        word = "is told of" if after.not_properly_replicated else "is told of no more"
        found.append(Change("disk", f'"no longer properly replicated" {word}'))
    return tuple(found)


def _standing(disk: Disk) -> str:
    holds = "metadata and data" if disk.metadata and disk.data else "metadata" if disk.metadata else "data"
    if not disk.metadata and not disk.data:
        holds = "nothing"
    return f"{disk.status} {disk.availability}, holding {holds}"


def _which(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{len(names)} disks ({fold(names)})"


def _nodes(before: NodeStates, after: NodeStates) -> tuple[Change, ...]:
    old = {node.name: node.state for node in before.nodes}
    found = []
    for node in after.nodes:
        was = old.get(node.name)
        if was is not None and was != node.state:
            # what takes part or does not is part of the speed; other words are details of the same
            of = f"GPFS on {node.name} is "
            found.append(Change("node", f"{of}{node.state}, was {was}", ACTIVE in (was, node.state), of))
    return tuple(found)


def _managers(before: Managers, after: Managers) -> tuple[Change, ...]:
    found = []
    for manager in after.file_systems:
        was = before.of(manager.fs)
        if was is not None and was.node != manager.node:
            found.append(Change("manager", f"the manager of {manager.fs} is {manager.node}, was {was.node}"))
    if before.cluster_manager and after.cluster_manager and before.cluster_manager != after.cluster_manager:
        moved = f"the cluster manager is {after.cluster_manager}, was {before.cluster_manager}"
        found.append(Change("manager", moved))
    return tuple(found)


def _limits(before: Qos, after: Qos) -> tuple[Change, ...]:
    old, new = _by_class(before), _by_class(after)
    found = [
        f"{name} of {pool} {new.get((pool, name), 'not told')}, was {old.get((pool, name), 'not told')}"
        for pool, name in dict.fromkeys((*old, *new))
        if old.get((pool, name)) != new.get((pool, name))
    ]
    if before.enabled is not None and after.enabled is not None and before.enabled != after.enabled:
        found.insert(0, "switched on" if after.enabled else "switched off")
    return (Change("qos", f"QoS: {'; '.join(found)}", rate=True),) if found else ()


def _by_class(qos: Qos) -> Mapping[tuple[str, str], str]:
    return {(limit.pool, limit.name): as_given(limit.limit) for limit in qos.limits}


def _snapshots(before: Snapshots, after: Snapshots) -> tuple[Change, ...]:
    old = {(each.fileset, each.name): each.status for each in before.snapshots}
    new = {(each.fileset, each.name): each.status for each in after.snapshots}
    found = [f"{name} made" for _, name in new if (_, name) not in old]
    found += [f"{name} gone" for _, name in old if (_, name) not in new]
    return (Change("snapshot", f"snapshots: {', '.join(found[:5])}"),) if found else ()


def _daemon(host: str, before: LogTails, after: LogTails) -> tuple[Change, ...]:
    """A daemon that was started since, as its log tells: a restart may be over between two looks at its state."""
    old, new = before.get(MMFS), after.get(MMFS)
    if old is None or new is None or not new.started or new.started <= max(old.started or 0.0, old.last_at or 0.0):
        return ()
    return (Change("daemon", f"GPFS was started on {host}", rate=True),)
