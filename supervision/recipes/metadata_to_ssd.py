"""All metadata of a GPFS file system onto new SSDs: the procedure of 2013, with each of its traps checked.

Look; find the SSDs by identity; make them NSDs; add them as metadataOnly; turn the old disks dataOnly; restripe;
look again. From the third step on everything is a detached job whose result is read back and compared.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NoReturn, TypeVar

import msgspec

from remote.command import Command
from remote.gpfs import commands as gpfs
from remote.gpfs.models import (
    Cluster,
    ClusterNode,
    Disk,
    DiskList,
    FileSystem,
    FsSpace,
    NsdDevice,
    NsdDevices,
    Usage,
)
from remote.gpfs.stanza import NsdStanza, write_nsd_stanzas
from remote.linux.commands import devices, lsblk, signatures
from remote.linux.host_time import HostTime, host_time
from remote.linux.inventory import Contents, Inventory
from remote.linux.models import BlockDevices
from remote.names import NodeTable, fold
from supervision import checks
from supervision.devices import alike, free_ssds
from supervision.gpfs_facts import GpfsFacts, facts_of
from supervision.gpfs_looks import lost_rows
from supervision.gpfs_proof import ProofError, prove_made, rebuild
from supervision.gpfs_selection import Selection, build
from supervision.gpfs_site import site_of
from supervision.gpfs_stanzacheck import Site
from supervision.gpfs_view import View
from supervision.migration import Ending, Run, Step, StopError
from supervision.pins import Pin
from supervision.supervisor import Cadence, Supervisor
from supervision.verdicts import Level, Verdict, gathered, whose

STEPS = (
    Step("look", "look at the cluster and the file system"),
    Step("devices", "find the new SSDs by identity, on every NSD server"),
    Step("mmcrnsd", "make NSDs of the SSDs"),
    Step("mmadddisk", "add the NSDs to the file system as metadataOnly disks"),
    Step("mmchdisk", "change the old disks to dataOnly"),
    Step("mmrestripefs", "move the metadata to the SSDs"),
    Step("proof", "look again, and compare with what was promised"),
)
PROPAGATION_SECONDS = 240.0
"""How long other nodes may lag behind a change of the cluster's configuration."""
SKEW_SECONDS = 300.0
"""How far clocks that nobody compared may be apart."""
FULL_PERCENT = 85
"""From here on a metadata disk is called full."""
NEW_FILE = "ssd.stanza"
OLD_FILE = "dataonly.stanza"

T = TypeVar("T")


class Summary(msgspec.Struct, frozen=True):
    """What the proof read. Sizes in KB; the percentages are of free full blocks, as mmdf prints them."""

    metadata_used_kb: int | None = None
    ssd_free_percent: dict[str, int] = {}


class MetadataToSsd:
    """The recipe. `run` returns the proof or raises StopError; `steps.results` tells what was done until then."""

    def __init__(self, supervisor: Supervisor, *, plan: str, operator: str) -> None:
        self._supervisor = supervisor
        self._fs = supervisor.fs
        self.steps = Run(supervisor, STEPS, plan=plan, operator=operator)
        self.summary = Summary()
        self._nodes: dict[str, ClusterNode] = {}
        self._stanzas: tuple[NsdStanza, ...] = ()
        self._pins: tuple[Pin, ...] = ()
        self._old: tuple[Disk, ...] = ()
        self._servers: dict[str, tuple[str, ...]] = {}
        self._used_before_kb = 0

    @property
    def title(self) -> str:
        """What it does, in some words."""
        return "all metadata to the new SSDs"

    @property
    def lines(self) -> tuple[str, ...]:
        """What happens, for whoever is to agree to it."""
        host, *servers = self.hosts
        others = f"; {fold(servers)}: looked at, and their disks are changed" if servers else ""
        unknown = "" if self.steps.place_known else f" /JOBS is where {host} keeps its jobs, which it has not told yet."
        what = (
            "Looks first; then makes NSDs of the new SSDs, adds them to the file system, turns the old disks into "
            "dataOnly disks and restripes. The two stanza files are written after the look, when the SSDs have been "
            "found by identity; each is shown with its command, which runs as a detached job and is read back. It "
            "stops by itself where anything is not as it must be."
        )
        return what, f"Every command runs on {host}{others}.{unknown}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The host of the commands, and the servers, which are looked at and whose disks are changed."""
        return tuple(dict.fromkeys((self.steps.host, *self._supervisor.site.hosts)))

    async def prepare(self) -> None:
        """Ask where the jobs and their files will be, and how the nodes are called. Raises SiteError."""
        await self._supervisor.site.place(self.steps.host)
        await self._supervisor.ask(self.steps.host, gpfs.mmlscluster())

    def commands(self) -> tuple[str, ...]:
        """The four that change something. The nodes of the restripe are known by their names once there was a look."""
        path = self.steps.planned_path
        planned: tuple[tuple[str, Callable[[], Command]], ...] = (
            ("mmcrnsd", lambda: gpfs.mmcrnsd(path("mmcrnsd", NEW_FILE))),
            ("mmadddisk", lambda: gpfs.mmadddisk(self._fs, path("mmadddisk", NEW_FILE))),
            ("mmchdisk", lambda: gpfs.mmchdisk_change(self._fs, path("mmchdisk", OLD_FILE))),
            ("mmrestripefs", lambda: gpfs.mmrestripefs(self._fs, self._planned_nodes())),
        )
        return tuple(_planned_text(name, build) for name, build in planned)

    def _planned_nodes(self) -> list[str]:
        """The servers by the names that `-N` takes; by those of their hosts while the nodes are not known."""
        hosts, cluster = self._supervisor.site.hosts, self._facts.get(Cluster)
        if cluster is None:
            return list(hosts)
        try:
            nodes = checks.hosts_as_nodes(hosts, NodeTable.from_cluster(cluster))
        except checks.BlockedError:
            return list(hosts)  # the look will say so, and stop
        return [checks.short_name(node) for node in nodes.values()]

    async def run(self) -> Summary:
        """Perform all steps."""
        self.steps.announce()
        for action in (
            self._look,
            self._find_devices,
            self._create_nsds,
            self._add_disks,
            self._change_old_disks,
            self._restripe,
            self._prove,
        ):
            await self.steps.step(_checked(action))
        self.steps.complete()
        return self.summary

    async def _look(self) -> str:
        questions = self._questions
        self.steps.asked(*questions)
        await self._supervisor.ask(self.steps.host, *questions)
        disks, file_system, devices = self._need(DiskList), self._need(FileSystem), self._need(NsdDevices)
        inodes = self._need(FsSpace).inodes
        table = NodeTable.from_cluster(self._need(Cluster))
        self._old = checks.disks_to_convert(self._fs, disks, file_system)
        self._nodes = checks.hosts_as_nodes(self._supervisor.site.hosts, table)
        self._servers = checks.servers_of(self._old, devices, table, list(self._nodes.values()))
        if inodes is None:
            checks.block("mmdf tells nothing of inodes")
        groups = ", ".join(sorted({disk.failure_group for disk in self._old}))
        return (
            f"{len(disks.disks)} disks ready and up in failure groups {groups}; metadata replicas "
            f"{file_system.metadata_replicas}; {inodes.used:,} of {inodes.allocated:,} allocated inodes used"
        )

    async def _find_devices(self) -> str:
        hosts = self._supervisor.site.hosts
        self.steps.asked(lsblk(), devices(), signatures(), gpfs.mmdevdiscover())
        site = await self._site_now(hosts)
        for host in hosts:
            for row in lost_rows(site.looks[host], self._rows_of(host)):
                checks.block(
                    f"{host}: mmlsnsd -X does not tell which device {row.nsd} is ({row.remarks}): see why first"
                )
        found = alike([seen for host in hosts for seen in free_ssds(site.looks[host])], hosts)
        built = build(Selection(tuple(seen.key for seen in found)), site)
        if built.asked:
            checks.block("; ".join(f"{asked.why}: which one is for the SSDs?" for asked in built.asked))
        self._judge(built.judged.verdicts)
        self._stanzas, self._pins = built.stanzas, built.judged.pins
        sizes = [pin.size_bytes for pin in self._pins]
        checks.must_fit(sizes, checks.inode_floor_kb(self._need(FileSystem), self._need(FsSpace)))
        for pin in self._pins:
            self.steps.decide(f"{pin.label} = {pin.identity} on {pin.first.host} (now called {pin.first.name})")
        names = {tuple(seen.name for seen in found if seen.host == host) for host in hosts}
        agree = "names agree" if len(names) == 1 else "names differ between hosts, identities are used"
        return f"{len(found)} free SSDs, {found[0].model}, {sizes[0] / 2**30:.1f} GiB each; {agree}"

    def _judge(self, found: Sequence[Verdict]) -> None:
        """Stop at a block; tell warnings and what names would have led to."""
        blocks = [verdict for verdict in found if verdict.level is Level.BLOCK]
        if blocks:
            raise ProofError(blocks)
        for verdict, same in gathered(found):
            text = ": ".join(part for part in (whose(same), verdict.text) if part)
            if verdict.level is Level.WARNING:
                self.steps.warn(f"{verdict.kind}: {text}")
            elif verdict.level is Level.NOTE:
                self.steps.decide(f"{verdict.kind}: {text}")

    async def _create_nsds(self) -> str:
        await self._must_be_well()
        command = gpfs.mmcrnsd(await self.steps.place_of(NEW_FILE))
        hosts = tuple(dict.fromkeys(place.host for pin in self._pins for place in pin.at))
        site = await self._site_now(hosts)
        fresh = rebuild(self._stanzas, self._pins, site)
        for moved in fresh.moved:
            self.steps.decide(f"{NEW_FILE} follows the device: {moved}")
        text = write_nsd_stanzas(fresh.stanzas, comment=f"{self.steps.plan}: device names looked up just before")
        boots = await self._boots(hosts)
        rebooted = [host for host in hosts if site.looks[host].boot_id != boots[host]]
        if rebooted:
            checks.block(f"{fold(rebooted)} was rebooted just now: its devices may have other names. Begin again")
        since = self._now
        await self.steps.job(command, ((NEW_FILE, text),))
        ended = self._now
        names = {pin.label for pin in self._pins}

        def shown() -> set[str]:
            fact, devices = self._facts.fact(NsdDevices), self._facts.get(NsdDevices)
            return {row.nsd for row in devices.rows} if fact and devices and fact.at >= since else set()

        async def ask() -> None:
            await self._supervisor.ask(self.steps.host, gpfs.mmlsnsd_devices())

        if not await self._supervisor.until(lambda: names <= shown(), ask, PROPAGATION_SECONDS):
            _fail(f"mmcrnsd ended well, but mmlsnsd -X does not show {fold(sorted(names - shown()))}")
        site = await self._site_now(hosts)
        wrong = [
            verdict
            for verdict in prove_made(self._pins, site, since=since, until=ended, skew=self._skew(hosts))
            if verdict.level is Level.BLOCK
        ]
        if wrong:
            _fail(f"{ProofError(wrong)}. Nothing has been added to the file system: look before you go on")
        return f"{len(names)} NSDs, and every one leads to the device that was chosen"

    def _skew(self, hosts: Sequence[str]) -> float:
        """How far the clocks of the servers may be off ours, in seconds: what they told, and some minutes."""
        facts = [(self._facts.fact(HostTime, host), self._facts.get(HostTime, host)) for host in hosts]
        return SKEW_SECONDS + max((abs(told.epoch - fact.at) for fact, told in facts if fact and told), default=0.0)

    async def _must_be_well(self) -> None:
        """Just before a change: every disk ready and up, and every NSD server reached."""
        disks = await self._disks_now()
        checks.must_be_ready(self._fs, disks)
        links = self._supervisor.site.links
        lost = [host for host in self._supervisor.site.hosts if host in links and links[host].state != "up"]
        if lost:
            checks.block(f"no connection to {fold(lost)}: nothing is changed while a server may be gone")

    async def _boots(self, hosts: Sequence[str]) -> dict[str, str]:
        """In which boot each server is: its device names mean something only as long as that lasts."""
        return {host: (await self._supervisor.site.place(host)).boot_id for host in hosts}

    async def _add_disks(self) -> str:
        await self._must_be_well()
        stanzas = [msgspec.structs.replace(stanza, device="") for stanza in self._stanzas]
        text = write_nsd_stanzas(stanzas, comment=self.steps.plan)
        await self.steps.job(gpfs.mmadddisk(self._fs, await self.steps.place_of(NEW_FILE)), ((NEW_FILE, text),))
        disks = await self._disks_now()
        for new in self._stanzas:
            disk = disks.get(new.nsd)
            right = disk and disk.ready and disk.usage is Usage.METADATA_ONLY
            if not right or (disk and disk.failure_group != new.failure_group):
                _fail(
                    f"mmadddisk ended well, but {new.nsd} is {checks.describe(disk)}, and not metadataOnly, ready and "
                    f"up in failure group {new.failure_group}"
                )
        return f"{len(self._stanzas)} metadataOnly disks, ready and up; from now on metadata is written to them"

    async def _change_old_disks(self) -> str:
        await self._must_be_well()
        stanzas = [
            NsdStanza("", disk.nsd, self._servers[disk.nsd], Usage.DATA_ONLY, disk.failure_group, disk.pool)
            for disk in self._old
        ]
        text = write_nsd_stanzas(stanzas, comment=self.steps.plan)
        path = await self.steps.place_of(OLD_FILE)
        await self.steps.job(gpfs.mmchdisk_change(self._fs, path), ((OLD_FILE, text),))
        disks = await self._disks_now()
        for old in self._old:
            disk = disks.get(old.nsd)
            if disk is None or disk.usage is not Usage.DATA_ONLY or not disk.ready:
                _fail(f"after mmchdisk {old.nsd} is {checks.describe(disk)}; it must be dataOnly, ready and up")
        if not disks.not_properly_replicated:
            _fail("mmlsdisk does not say that the file system is no longer properly replicated, as it must now")
        metadata = (await self._space_now()).metadata
        self._used_before_kb = metadata.used_kb if metadata else 0
        return f"{len(self._old)} disks are dataOnly; {self._used_before_kb:,} KB of metadata are on the SSDs so far"

    async def _restripe(self) -> str:
        await self._must_be_well()
        self._supervisor.watch(self._cadences)
        await self.steps.job(gpfs.mmrestripefs(self._fs, [checks.short_name(n) for n in self._nodes.values()]))
        if (await self._disks_now()).not_properly_replicated:
            _fail("mmrestripefs ended well, but the file system is still not properly replicated")
        return "every phase is complete, and the file system is properly replicated again"

    async def _prove(self) -> str:
        self.steps.asked(gpfs.mmlsdisk(self._fs), gpfs.mmdf(self._fs))
        disks, space = await self._disks_now(), await self._space_now()
        if not space.metadata or not space.exact:
            _fail("mmdf does not tell the space of the metadata disks")
        wrong = [disk.nsd for disk in disks.disks if not disk.ready]
        if wrong or disks.not_properly_replicated:
            _fail(f"not ready and up: {fold(wrong)}" if wrong else "the file system is not properly replicated")
        used, floor = space.metadata.used_kb, checks.inode_floor_kb(self._need(FileSystem), space)
        if used < floor or used <= self._used_before_kb:
            _fail(f"the SSDs hold {used:,} KB, but the inodes alone are {floor:,} KB: not all metadata has moved")
        free = {new.nsd: row.free_blocks_percent for new in self._stanzas if (row := space.get(new.nsd))}
        for nsd, percent in free.items():
            if percent < 100 - FULL_PERCENT:
                self.steps.warn(f"{nsd} has only {percent} % free: full metadata disks stop the file system")
        self.summary = Summary(used, free)
        return (
            f"{used:,} KB of metadata on the SSDs (inodes alone: {floor:,} KB). The proof is indirect: no mm* command "
            "tells what is left on a dataOnly disk"
        )

    @property
    def _questions(self) -> tuple[Command, ...]:
        """Everything that describes the file system, as the entry host knows it."""
        fs = self._fs
        return gpfs.mmlscluster(), gpfs.mmlsfs(fs), gpfs.mmlsdisk(fs), gpfs.mmdf(fs), gpfs.mmlsnsd_devices()

    @property
    def _cadences(self) -> tuple[Cadence, ...]:
        """What is asked while the scan runs. mmdf reads every allocation map: rarely."""
        return (
            Cadence("disks", 120.0, self.steps.host, (gpfs.mmlsdisk(self._fs),)),
            Cadence("space", 900.0, self.steps.host, (gpfs.mmdf(self._fs),)),
        )

    @property
    def _names(self) -> NodeTable:
        return NodeTable.from_cluster(self._need(Cluster))

    @property
    def _facts(self) -> GpfsFacts:
        return facts_of(self._supervisor.store.state)

    @property
    def _now(self) -> float:
        return self._supervisor.site.clock.now()

    async def _disks_now(self) -> DiskList:
        since = self._now
        await self._supervisor.ask(self.steps.host, gpfs.mmlsdisk(self._fs))
        return self._need(DiskList, since=since)

    async def _space_now(self) -> FsSpace:
        since = self._now
        await self._supervisor.ask(self.steps.host, gpfs.mmdf(self._fs))
        return self._need(FsSpace, since=since)

    async def _site_now(self, hosts: Sequence[str]) -> Site:
        """Everything that stanzas are judged by, with the devices of these hosts looked at now."""
        since = self._now
        for error in (await self._supervisor.look_at_devices(hosts, gpfs.mmdevdiscover())).values():
            raise error
        for host in hosts:
            await self._supervisor.ask(host, host_time())
            for kind in (BlockDevices, Inventory, Contents):
                self._need(kind, host, since=since)
        return site_of(self._view)

    def _rows_of(self, host: str) -> list[NsdDevice]:
        """What mmlsnsd -X tells of a host."""
        return self._view.nsds_by_node.get(self._view.node_name(host), [])

    @property
    def _view(self) -> View:
        return View(self._supervisor.store.state, self._fs, tuple(self._supervisor.site.hosts))

    def _need(self, kind: type[T], host: str = "", *, since: float = 0.0) -> T:
        """What is known, once it is fresh enough and was wholly understood: a decision needs all of it."""
        fact, model = self._facts.fact(kind, host), self._facts.get(kind, host)
        if fact is None or fact.parsed is None or model is None:
            _fail(f"{fact.command}: {fact.failure}" if fact else f"nothing is known of {kind.__name__} {host}".strip())
        if fact.failed_at > fact.at or fact.at < since:
            _fail(f"{fact.command}: the last good answer is too old. {fact.failure}".strip())
        if fact.parsed.problems:
            problem = fact.parsed.problems[0]
            _fail(f"{fact.command}: line {problem.line} was not understood ({problem.why}): {problem.text}")
        return model


def _planned_text(name: str, build: Callable[[], Command]) -> str:
    """A command as it will run; of one that cannot be built, why: its step will stop there."""
    try:
        return build().text
    except ValueError as error:
        return f"{name}: cannot be built: {error}"


def _fail(why: str) -> NoReturn:
    raise StopError(Ending.FAILED, why)


def _checked(action: Callable[[], Awaitable[str]]) -> Callable[[], Awaitable[str]]:
    """Turn what a check says into the word for stopping: refused, before anything was changed by this step.

    So do the builders of commands and stanzas, which raise ValueError for a name or path that could be taken for
    something else.
    """

    async def run() -> str:
        try:
            return await action()
        except (checks.BlockedError, ProofError, ValueError) as error:
            raise StopError(Ending.REFUSED, str(error)) from None

    return run
