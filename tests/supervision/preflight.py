"""Plans of a simulated cluster, and everything that the checks of a step ask of it."""

from __future__ import annotations

import asyncio

from remote.gpfs import commands as gpfs
from remote.gpfs.models import NsdList, Usage
from remote.gpfs.stanza import NsdStanza, write_nsd_stanzas
from simulator.client import Simulation
from supervision import gpfs_preflight as preflight
from supervision.checking import Check
from supervision.devices import alike, free_ssds
from supervision.footprint import Known, footprint
from supervision.gpfs_preflight_helpers import usual_helpers
from supervision.gpfs_selection import Selection, build
from supervision.gpfs_site import site_of
from supervision.gpfs_view import View
from supervision.plan import OldDisk, Options, Plan, PlannedDevice, Stanzas
from tests.supervision.cluster import Session


def view_of(live: Session, fs: str) -> View:
    """What is known."""
    return View(live.store.state, fs, tuple(live.supervisor.site.hosts))


async def planned(live: Session, sim: Simulation) -> Plan:
    """A plan for all free SSDs that are alike, made of answers of now."""
    supervisor, fs, hosts = live.supervisor, sim.fs, tuple(sim.hosts)
    questions = (gpfs.mmlscluster(), gpfs.mmlsfs(fs), gpfs.mmlsdisk(fs), gpfs.mmdf(fs), gpfs.mmlsmgr())
    await supervisor.ask(sim.entry, *questions, gpfs.mmlsnsd(long=True), gpfs.mmlsnsd_devices())
    assert await supervisor.look_at_devices(hosts, gpfs.mmdevdiscover()) == {}
    return plan_of(view_of(live, fs), sim.entry, made=live.store.state.at)


def plan_of(view: View, host: str, *, made: float = 0.0, options: Options | None = None) -> Plan:
    """The plan that the facts of a view make."""
    site = site_of(view)
    found = alike([seen for name in view.hosts for seen in free_ssds(site.looks[name])], view.hosts)
    built = build(Selection(tuple(seen.key for seen in found)), site)
    assert not built.asked, built.asked
    assert built.text, built.judged.verdicts
    nsds = {nsd.nsd: nsd for nsd in view.facts.get(NsdList).nsds}  # type: ignore[union-attr]
    devices = tuple(
        PlannedDevice(
            nsd=stanza.nsd,
            identity=pin.identity,
            size_bytes=pin.size_bytes,
            model=pin.model,
            serial=pin.serial,
            servers=stanza.servers,
            failure_group=stanza.failure_group,
            pool=stanza.pool,
            at=pin.at,
        )
        for stanza, pin in zip(built.stanzas, built.judged.pins, strict=True)
    )
    assert view.disks and view.file_system and view.space and view.space.inodes
    old = tuple(
        OldDisk(
            nsd=disk.nsd,
            servers=tuple(view.label(name) for name in nsds[disk.nsd].servers),
            usage=disk.usage.value,
            failure_group=disk.failure_group,
            pool=disk.pool,
        )
        for disk in view.disks.disks
        if disk.metadata
    )
    options = options or Options()
    groups: dict[str, int] = {}
    for device in devices:
        groups[device.failure_group] = groups.get(device.failure_group, 0) + device.size_bytes // 1024
    known = Known(
        allocated=view.space.inodes.allocated,
        maximum=view.space.inodes.maximum,
        inode_bytes=view.file_system.inode_size or 0,
        copies=view.file_system.metadata_replicas or 0,
        groups=groups,
    )
    return Plan(
        id="plan-1",
        recipe="metadata-to-ssd",
        kind="gpfs",
        goal="all metadata on SSDs",
        cluster=view.cluster.name if view.cluster else "",
        file_system=view.name,
        host=host,
        made=made,
        by="ops@desk",
        nodes=usual_helpers(view),
        options=options,
        sizing=footprint(known, options.assumptions).sizing,
        stanzas=Stanzas(new=built.text, old=_stanzas(old, Usage.DATA_ONLY), back=_stanzas(old)),
        devices=devices,
        old_disks=old,
    )


def _stanzas(old: tuple[OldDisk, ...], usage: Usage | None = None) -> str:
    stanzas = [
        NsdStanza("", disk.nsd, disk.servers, usage or Usage(disk.usage), disk.failure_group, disk.pool) for disk in old
    ]
    return write_nsd_stanzas(stanzas)


async def ask(live: Session, plan: Plan, step: str) -> tuple[Check, ...]:
    """Ask all that the checks of a step rest on, and judge."""
    view, since = view_of(live, plan.file_system), live.supervisor.site.clock.now()
    hosts = preflight.hosts(view, plan)
    supervisor = live.supervisor
    await asyncio.gather(
        supervisor.ask(plan.host, *preflight.questions(step, plan, view)),
        *(supervisor.ask(host, *asked) for host in hosts if (asked := preflight.server_questions(step))),
        *(supervisor.site.place(host) for host in hosts if preflight.needs_boots(step)),
    )
    return preflight.checks(step, view_of(live, plan.file_system), plan, since)
