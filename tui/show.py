"""`restripe show`: what a cluster says of itself, as tables or as JSON. It only asks."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

import msgspec

from remote.errors import RefusedError, SiteError, UnreachableError
from remote.gpfs import commands as gpfs
from remote.gpfs.models import (
    Cluster,
    DiskList,
    FileSystem,
    FsSpace,
    Managers,
    Mounts,
    NodeStates,
    NsdDevices,
    NsdList,
    SpaceTotal,
    decode_volume_id,
)
from remote.jobs import JobState, JobStatus
from remote.linux.host_time import HostTime, host_time
from remote.linux.inventory import Contents, Inventory
from remote.linux.models import BlockDevices
from remote.names import NodeTable, UnknownNodeError, fold
from remote.text import one_line, safe
from supervision import filesystems
from supervision.clocktext import duration_text
from supervision.facts import Fact
from supervision.gpfs_facts import facts_of
from supervision.gpfs_view import short
from supervision.identity import look as look_at
from supervision.supervisor import Supervisor
from supervision.verdicts import told
from tui import show_kind
from tui.connecting import Target, look
from tui.exits import Exit
from tui.show_view import NothingError, View
from tui.tables import size_text, table

Show = Callable[[Supervisor, View], Awaitable[None]]


async def run(kind: str, target: Target, fs: str, *, servers: bool, as_json: bool) -> Exit:
    """Ask, and print what was answered."""
    view = View()
    try:
        async with look(target, fs) as supervisor:
            if target.kind != filesystems.USUAL and kind in show_kind.KINDS:
                await show_kind.show(kind, supervisor, view)
            else:
                await _SHOWS[kind](supervisor, view) if not servers else await _on_servers(kind, supervisor, view)
    except SiteError as error:
        sys.stderr.write(f"{safe(str(error))}\n")
        if isinstance(error, UnreachableError):
            return Exit.UNREACHABLE
        return Exit.REFUSED if isinstance(error, RefusedError) else Exit.FAILED
    except NothingError as error:
        sys.stderr.write(f"{safe(str(error))}\n")
        return Exit.FAILED
    except ValueError as error:  # a name that no command may be built of
        sys.stderr.write(f"{one_line(str(error))}\n")
        return Exit.USAGE
    if as_json:
        whole = {"kind": kind, "host": target.host, "file_system": fs, **view.data, "warnings": view.warnings}
        sys.stdout.write(msgspec.json.encode(whole).decode() + "\n")
    else:
        sys.stdout.write("".join(safe(line) + "\n" for line in view.lines))
    for warning in view.warnings:
        sys.stderr.write(f"warning: {safe(warning)}\n")
    return Exit.WARNINGS if view.warnings else Exit.DONE


def _model(supervisor: Supervisor, view: View, kind: type[Any], host: str = "") -> Any:
    """The model of an answer. Problems in it become warnings; no model at all is an error."""
    fact = facts_of(supervisor.store.state).fact(kind, host)
    model = facts_of(supervisor.store.state).get(kind, host)
    if fact is None or model is None or fact.failure:
        raise NothingError(_failure(fact, host or supervisor.entry))
    for problem in fact.parsed.problems if fact.parsed else ():
        view.warnings.append(f"{fact.command}, line {problem.line}: {problem.why}: {problem.text}")
    return model


def _failure(fact: Fact | None, host: str) -> str:
    return f"{host}: {fact.command}: {fact.failure}" if fact else f"{host}: nothing was answered"


async def _optional(supervisor: Supervisor, view: View, kind: type[Any], command: Any) -> Any:
    """Ask something that may fail without spoiling the rest."""
    try:
        await supervisor.ask(supervisor.entry, command)
        return _model(supervisor, view, kind)
    except (SiteError, NothingError) as error:
        view.warnings.append(str(error))
        return None


# the kinds


async def _cluster(supervisor: Supervisor, view: View) -> None:
    fs = supervisor.fs
    await supervisor.ask(supervisor.entry, gpfs.mmlscluster(), *([gpfs.mmlsfs(fs)] if fs else []))
    cluster: Cluster = _model(supervisor, view, Cluster)
    states: NodeStates | None = await _optional(supervisor, view, NodeStates, gpfs.mmgetstate())
    managers: Managers | None = await _optional(supervisor, view, Managers, gpfs.mmlsmgr())
    view.data.update(cluster=cluster, states=states, managers=managers)
    names = NodeTable.from_cluster(cluster)
    daemon = {node.daemon_name: "not told" for node in cluster.nodes}
    for state in states.nodes if states else ():
        try:
            daemon[names.resolve(state.name).daemon_name] = state.state
        except UnknownNodeError as error:
            view.warnings.append(str(error))
    groups: dict[tuple[str, str], list[str]] = {}
    for node in cluster.nodes:
        groups.setdefault((node.designation or "client", daemon[node.daemon_name]), []).append(short(node.admin_name))
    view.lines.append(f"cluster {cluster.name}, {len(cluster.nodes)} nodes")
    rows = [(fold(nodes), len(nodes), role, state) for (role, state), nodes in groups.items()]
    view.lines += table(("nodes", "count", "role", "daemon"), rows, right=(1,))
    for manager in managers.file_systems if managers else ():
        view.lines.append(f"file system {manager.fs} is managed by {manager.node or manager.address}")
    if fs:
        await _file_system(supervisor, view, fs)


async def _file_system(supervisor: Supervisor, view: View, fs: str) -> None:
    file_system: FileSystem = _model(supervisor, view, FileSystem)
    mounts: Mounts | None = await _optional(supervisor, view, Mounts, gpfs.mmlsmount(fs))
    view.data.update(file_system_attributes=file_system, mounts=mounts)
    facts = {
        "version": file_system.version,
        "block size (bytes)": file_system.block_size,
        "inode size (bytes)": file_system.inode_size,
        "metadata replicas": file_system.metadata_replicas,
        "at most": file_system.max_metadata_replicas,
        "data replicas": file_system.data_replicas,
        "at most ": file_system.max_data_replicas,
    }
    view.lines += ["", f"file system {fs}", *table(tuple(facts), [tuple(facts.values())])]
    for mount in mounts.file_systems if mounts else ():
        where = f": {fold(node.name for node in mount.nodes)}" if mount.nodes else ""
        view.lines.append(f"  mounted on {mount.count} nodes{where}")


async def _disks(supervisor: Supervisor, view: View) -> None:
    fs = supervisor.fs
    await supervisor.ask(supervisor.entry, gpfs.mmlsdisk(fs))
    disks: DiskList = _model(supervisor, view, DiskList)
    space: FsSpace | None = await _optional(supervisor, view, FsSpace, gpfs.mmdf(fs))
    nsds: NsdList | None = await _optional(supervisor, view, NsdList, gpfs.mmlsnsd())
    view.data.update(disks=disks, space=space, nsds=nsds)
    rows = []
    for disk in disks.disks:
        room = space.get(disk.nsd) if space else None
        nsd = nsds.get(disk.nsd) if nsds else None
        if not disk.ready:
            view.warnings.append(f"{disk.nsd} is {disk.status} and {disk.availability}")
        rows.append(
            (
                "ok" if disk.ready else "!!",
                disk.nsd,
                fold(server.partition(".")[0] for server in nsd.servers) if nsd else None,
                disk.failure_group,
                disk.usage.value,
                disk.status,
                disk.availability,
                size_text(room.size_kb) if room else None,
                size_text(room.free_blocks_kb) if room else None,
                f"{room.free_blocks_percent} %" if room else None,
                disk.pool,
            )
        )
    headers = ("", "NSD", "servers", "group", "usage", "status", "avail.", "size", "free", "", "pool")
    view.lines += table(headers, rows, right=(7, 8, 9))
    view.lines += [f"Attention: {sentence.removeprefix('Attention: ')}" for sentence in disks.attention]


async def _nsds(supervisor: Supervisor, view: View) -> None:
    await supervisor.ask(supervisor.entry, gpfs.mmlsnsd_devices(), gpfs.mmlsnsd())
    devices: NsdDevices = _model(supervisor, view, NsdDevices)
    nsds: NsdList = _model(supervisor, view, NsdList)
    view.data.update(devices=devices, nsds=nsds)
    owners = {nsd.nsd: nsd.fs or "(free disk)" for nsd in nsds.nsds}
    rows = []
    for row in devices.rows:
        if supervisor.fs and owners.get(row.nsd) != supervisor.fs:
            continue
        if not row.found:
            view.warnings.append(f"{row.node} does not see {row.nsd}: {row.remarks}")
        made = decode_volume_id(row.volume_id)
        by = made.address if made else None
        rows.append((row.nsd, owners.get(row.nsd), row.volume_id, by, row.node, row.device, row.remarks))
    view.lines += table(("NSD", "file system", "volume id", "made by", "node", "device", "remarks"), rows)


async def _df(supervisor: Supervisor, view: View) -> None:
    await supervisor.ask(supervisor.entry, gpfs.mmdf(supervisor.fs))
    space: FsSpace = _model(supervisor, view, FsSpace)
    view.data.update(space=space)
    totals: list[tuple[str, SpaceTotal | None]] = [
        *((f"pool {name}", total) for name, total in space.pools),
        ("data", space.data),
        ("metadata", space.metadata),
        ("all", space.total),
    ]
    rows = [
        (name, size_text(total.size_kb), size_text(total.used_kb), _share(total.used_kb, total.size_kb))
        for name, total in totals
        if total
    ]
    view.lines += table(("of", "size", "used", ""), rows, right=(1, 2, 3))
    if space.inodes:
        inodes = space.inodes
        view.lines.append(f"inodes: {inodes.used:,} used of {inodes.allocated:,} allocated, {inodes.maximum:,} at most")


async def _devices(supervisor: Supervisor, view: View) -> None:
    await _devices_of(supervisor, view, (supervisor.entry,))


async def _devices_of(supervisor: Supervisor, view: View, hosts: Sequence[str]) -> None:
    errors = await supervisor.look_at_devices(hosts)
    if len(errors) == len(hosts):
        raise next(iter(errors.values()))
    view.warnings += [str(error) for error in errors.values()]
    view.data["devices"] = {}
    for host in hosts:
        if host in errors:
            continue
        seen: BlockDevices = _model(supervisor, view, BlockDevices, host)
        view.data["devices"][host] = seen
        facts = facts_of(supervisor.store.state)
        looked = look_at(host, 0.0, seen, facts.get(Inventory, host), facts.get(Contents, host))
        view.warnings += [f"{host}: {what}" for what in looked.missing]
        rows = [
            (
                device.name,
                size_text(device.identity.size_bytes // 1024),
                {True: "rotating", False: "SSD"}.get(device.rotational) if device.rotational is not None else None,
                device.model,
                device.identity.text,
                told(device.uses) or device.unread or "no use seen by Linux",
            )
            for device in looked.devices
        ]
        view.lines += [*([""] if view.lines else []), f"{host}"]
        view.lines += table(("name", "size", "kind", "model", "identity", "in use"), rows, right=(1,))
    if supervisor.store.state.header.kind == filesystems.USUAL:
        view.lines.append("A device of which Linux sees no use may still be an NSD: compare `restripe show nsds`.")


async def _jobs(supervisor: Supervisor, view: View) -> None:
    await _jobs_of(supervisor, view, (supervisor.entry,))


async def _jobs_of(supervisor: Supervisor, view: View, hosts: Sequence[str]) -> None:
    found: dict[str, tuple[JobStatus, ...]] = {}
    errors: list[SiteError] = []
    for host in hosts:
        try:
            await supervisor.ask(host, host_time())
            found[host] = await supervisor.site.jobs(host)
        except SiteError as error:
            errors.append(error)
    if not found:
        raise errors[0]
    view.warnings += [str(error) for error in errors]
    view.data["jobs"] = found
    rows = [
        (
            host,
            job.id,
            job.state.value,
            job.rc,
            _ran(job, facts_of(supervisor.store.state).get(HostTime, host)),
            job.operator,
            job.shown,
        )
        for host, jobs in found.items()
        for job in jobs
    ]
    view.lines += table(("host", "job", "state", "exit", "ran", "by", "command"), rows, right=(3, 4)) if rows else []
    if not rows:
        view.lines.append(f"no jobs on {fold(found)}")


def _ran(job: JobStatus, host: HostTime | None) -> str | None:
    """How long a job has run, by its host's own clock; a job whose end nobody saw has no length."""
    if job.began is None:
        return None
    if job.ended is not None:
        return duration_text(max(0.0, job.ended - job.began))
    if job.state in (JobState.RUNNING, JobState.ORPHAN) and host:
        return duration_text(max(0.0, host.epoch - job.began))
    return None


async def _on_servers(kind: str, supervisor: Supervisor, view: View) -> None:
    """The same on every NSD server of the cluster, by its admin name."""
    await supervisor.ask(supervisor.entry, gpfs.mmlscluster(), gpfs.mmlsnsd())
    names = NodeTable.from_cluster(_model(supervisor, view, Cluster))
    listed: NsdList = _model(supervisor, view, NsdList)
    servers = {name for nsd in listed.nsds for name in nsd.servers}
    hosts = _admin_names(servers, names, view)
    if not hosts:
        raise NothingError(f"{supervisor.entry}: mmlsnsd names no NSD server")
    await (_devices_of if kind == "devices" else _jobs_of)(supervisor, view, hosts)


def _admin_names(servers: Iterable[str], names: NodeTable, view: View) -> list[str]:
    hosts = []
    for name in sorted(servers):
        try:
            hosts.append(names.resolve(name).admin_name)
        except UnknownNodeError as error:
            view.warnings.append(str(error))
    return hosts


def _share(part: int, whole: int) -> str:
    return f"{part / whole * 100:.0f} %" if whole else "-"


_SHOWS: dict[str, Show] = {
    "cluster": _cluster,
    "disks": _disks,
    "nsds": _nsds,
    "df": _df,
    "devices": _devices,
    "jobs": _jobs,
}
KINDS = tuple(_SHOWS)
