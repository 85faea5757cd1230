"""Making a plan of metadata-to-ssd: what is asked for it, and the plan from the answers. It only asks.

Devices are chosen where there is nothing to choose: free, without doubt, alike. Otherwise a person says which.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import msgspec

from remote.command import Command
from remote.gpfs import commands as gpfs
from remote.gpfs.models import Cluster, Disk, DiskList, FileSystem, FsSpace, Mounts, NsdDevices, NsdList, Usage
from remote.gpfs.stanza import NsdStanza, write_nsd_stanzas
from remote.names import UnknownNodeError, fold
from supervision import footprint
from supervision.checking import Check, Outcome
from supervision.clocktext import local_time
from supervision.devices import DeviceError
from supervision.facts import Fact
from supervision.filesystems import Sites
from supervision.footprint import Assumptions, Footprint
from supervision.gpfs import GpfsFileSystem, own_daemon
from supervision.gpfs_footprint import New, assumed, known, snapshots
from supervision.gpfs_hosts import hosts_of
from supervision.gpfs_plandevices import Wish, built_of, planned_devices
from supervision.gpfs_preflight_disks import convertible
from supervision.gpfs_preflight_helpers import exporting
from supervision.gpfs_site import look_in_turns
from supervision.gpfs_view import View, short
from supervision.plan import OldDisk, Options, Plan, Stanzas, Told
from supervision.supervisor import Supervisor
from supervision.verdicts import Level, gathered, whose

__all__ = ["Planned", "PlanningError", "Wish", "draft", "make"]

RECIPE = "metadata-to-ssd"
_FACTS = (Cluster, FileSystem, DiskList, FsSpace, NsdDevices, NsdList, Mounts)


class PlanningError(Exception):
    """No plan can be made; the text says why and what to do. `unread`: something could not be read."""

    def __init__(self, why: str, *, unread: bool = False) -> None:
        self.unread = unread
        super().__init__(why)


class Planned(msgspec.Struct, frozen=True):
    """A plan with its size, and what speaks against it but does not keep it from being made."""

    plan: Plan
    footprint: Footprint
    checks: tuple[Check, ...]
    warnings: tuple[str, ...]


async def make(supervisor: Supervisor, wish: Wish, *, by: str, sites: Sites | None = None) -> Planned:
    """Ask the cluster and make the plan. Raises PlanningError and SiteError."""
    fs, entry = supervisor.fs, supervisor.entry
    first = (own_daemon(), gpfs.mmlscluster(), gpfs.mmlsfs(fs), gpfs.mmlsdisk(fs), gpfs.mmdf(fs))
    await supervisor.ask(entry, *first, *_more(fs))
    view = _view(supervisor, sites)
    for kind in (Cluster, FileSystem, DiskList, FsSpace, NsdDevices, NsdList):
        _need(view, kind)
    hosts = hosts_of(view, entry, _servers_of_fs(view))
    supervisor.site.add_hosts(hosts)
    errors = await supervisor.look_at_devices(hosts, *GpfsFileSystem(fs, entry).device_questions())
    if errors:
        raise PlanningError("; ".join(str(error) for error in errors.values()), unread=True)
    view = _view(supervisor, sites)
    await look_in_turns(view)
    return draft(view, wish, hosts, by=by, host=entry, now=supervisor.site.clock.now())


def draft(view: View, wish: Wish, hosts: Sequence[str], *, by: str, host: str, now: float) -> Planned:
    """The plan from what was asked; `hosts` are the servers that were looked at. Raises PlanningError. Pure."""
    try:
        old = _old_disks(view)
        built = built_of(view, wish, hosts)
        nodes = _nodes(view, wish, [*old, *built.stanzas])
        options = Options(metadata_only=wish.metadata_only, assumptions=_assumptions(view, wish))
        devices = planned_devices(built)
        new = [New(device.nsd, device.failure_group, device.size_bytes) for device in devices]
        size = footprint.footprint(known(view, new), options.assumptions)
    except (DeviceError, UnknownNodeError, ValueError) as error:
        raise PlanningError(str(error)) from None
    told = (*footprint.checks(size, view.at(FsSpace), "mmlsfs, mmdf"), *snapshots(view, options.assumptions))
    _refuse_what_does_not_fit(told)
    stamp = local_time(now, view.state.utc_offset).strftime("%Y%m%dT%H%M%S")
    plan = Plan(
        id=f"{view.name}-{stamp}",
        recipe=RECIPE,
        kind="gpfs",
        goal=f"all metadata of {view.name} on {len(devices)} new SSDs, none on the {len(old)} disks that hold it now",
        cluster=view.cluster.name if view.cluster else "",
        file_system=view.name,
        host=host,
        made=now,
        by=by,
        nodes=nodes,
        options=options,
        sizing=size.sizing,
        stanzas=Stanzas(
            new=built.text,
            old=_old_text(old, Usage.DATA_ONLY, "the old disks as they are to be"),
            back=_old_text(old, Usage.DATA_AND_METADATA, "the way back: the old disks as they were"),
        ),
        devices=devices,
        old_disks=old,
        facts=_facts(view, hosts),
    )
    warnings = tuple(
        ": ".join(part for part in (verdict.kind, whose(same), verdict.text) if part)
        for verdict, same in gathered(built.judged.verdicts)
        if verdict.level is Level.WARNING
    )
    return Planned(plan, size, told, warnings)


def _more(fs: str) -> tuple[Command, ...]:
    return gpfs.mmlsnsd(), gpfs.mmlsnsd_devices(), gpfs.mmlsmount(fs), gpfs.mmlssnapshot(fs)


def _refuse_what_does_not_fit(told: Iterable[Check]) -> None:
    for check in told:
        if check.outcome is Outcome.BLOCK:
            raise PlanningError(f"it does not fit: {check.read}. {check.advice}")


def _view(supervisor: Supervisor, sites: Sites | None) -> View:
    return View(supervisor.store.state, supervisor.fs, tuple(supervisor.site.hosts), sites=sites)


def _need(view: View, kind: type) -> None:
    """Raise unless a question was answered well and wholly understood."""
    fact = view.facts.fact(kind)
    if fact is None:
        raise PlanningError(f"{kind.__name__} was not asked", unread=True)
    if fact.failure or fact.parsed is None:
        raise PlanningError(f"{fact.host}: {fact.command}: {fact.failure or 'it was not answered'}", unread=True)
    if fact.parsed.problems:
        problem = fact.parsed.problems[0]
        where = f"{fact.host}: {fact.command}, line {problem.line}"
        raise PlanningError(f"{where} was not understood ({problem.why}): {problem.text}", unread=True)


def _servers_of_fs(view: View) -> list[str]:
    listed = view.facts.get(NsdList)
    names = (server for nsd in listed.nsds if nsd.fs == view.name for server in nsd.servers) if listed else ()
    servers = list(dict.fromkeys(names))
    if not servers:
        why = f"no NSD of {view.name} has a server, so nothing tells where new disks can be"
        raise PlanningError(f"{why}: disks that every node reaches by itself are not known to this recipe")
    return servers


def _old_disks(view: View) -> tuple[OldDisk, ...]:
    """The disks that hold metadata beside data. ValueError where none may be changed."""
    assert view.disks
    assert view.file_system
    old = convertible(view.name, view.disks, view.file_system)
    _refuse_vdisks(view, old)
    listed = view.facts.get(NsdList)
    servers = {nsd.nsd: nsd.servers for nsd in listed.nsds} if listed else {}
    return tuple(
        OldDisk(
            nsd=disk.nsd,
            servers=tuple(short(view.table.resolve(name).admin_name) for name in servers.get(disk.nsd, ())),
            usage=disk.usage.value,
            failure_group=disk.failure_group,
            pool=disk.pool,
        )
        for disk in old
    )


def _refuse_vdisks(view: View, old: Sequence[Disk]) -> None:
    """Disks of a recovery group have a device without /dev/."""
    rows = view.devices.rows if view.devices else ()
    names = {disk.nsd for disk in old}
    vdisks = sorted({row.nsd for row in rows if row.nsd in names and row.found and not row.device.startswith("/dev/")})
    if vdisks:
        why = "of a recovery group, which mmvdisk alone may change"
        raise ValueError(f"{fold(vdisks)} {'is' if len(vdisks) == 1 else 'are'} {why}: this recipe never does")


def _old_text(old: Sequence[OldDisk], usage: Usage, comment: str) -> str:
    stanzas = [NsdStanza("", disk.nsd, disk.servers, usage, disk.failure_group, disk.pool) for disk in old]
    return write_nsd_stanzas(stanzas, comment=comment)


def _nodes(view: View, wish: Wish, disks: Iterable[OldDisk | NsdStanza]) -> tuple[str, ...]:
    """The nodes of the restripe: those that were named, or the servers of all disks of the plan.

    Nodes that export to users are left out unless they are named, or nothing else would be left.
    """
    servers = tuple(dict.fromkeys(server for disk in disks for server in disk.servers))
    roles = exporting(view.cluster) if view.cluster else {}
    quiet = tuple(name for name in servers if view.table.resolve(name).daemon_name not in roles)
    names = wish.nodes or quiet or servers
    return tuple(dict.fromkeys(short(view.table.resolve(name).admin_name) for name in names))


def _assumptions(view: View, wish: Wish) -> Assumptions:
    return assumed(view, msgspec.convert(dict(wish.assumed), Assumptions))


def _facts(view: View, hosts: Sequence[str]) -> tuple[Told, ...]:
    """The answers that the plan rests on: those of the cluster, and what each server told of its devices."""
    found = [view.facts.fact(kind) for kind in _FACTS]
    for host in hosts:
        found += [view.state.facts.get(f"{kind} {host}") for kind in ("devices", "inventory", "contents", "discovery")]
    return tuple(_told(fact) for fact in found if fact and fact.source)


def _told(fact: Fact) -> Told:
    assert fact.source
    return Told(
        command=fact.command, host=fact.host, at=fact.at, sha256=hashlib.sha256(fact.source.out.data).hexdigest()
    )
