"""The facts of a simulated cluster without any process: commands run inside the test, their texts are parsed as ever.

What only scripts on a host tell (devices, programs that run, crontabs) is given by the test as their exact text.
"""

from __future__ import annotations

from pathlib import Path

from remote.command import Command
from remote.events import Exact, Header, LinkChanged, Reply
from remote.gpfs import commands as gpfs
from remote.gpfs.models import NsdList, Usage
from remote.gpfs.stanza import NsdStanza, write_nsd_stanzas
from remote.jobs import JobState, JobStatus, Place
from supervision import gpfs_preflight as preflight
from supervision.checking import Check
from supervision.facts import Fact, learn, refusal
from supervision.footprint import footprint
from supervision.gpfs import READING
from supervision.gpfs_footprint import New, known
from supervision.gpfs_preflight_refused import stanzas_of
from supervision.gpfs_view import View
from supervision.logs import Log
from supervision.pins import PinnedAt
from supervision.plan import OldDisk, Options, Plan, PlannedDevice, Stanzas
from supervision.state import Job, State
from tests.simulator.inside import Inside
from tests.simulator.seed_listings import SSD_STANZAS

SCRIPTS = {
    "restripe-programs": "restripe-scans 1\nclock 1370557274 100.00 100\nend\n",
    "restripe-nightly": "restripe-nightly 1\nend\n",
}
"""What a host says on which nothing runs, and nothing will."""
SCALE_STANZAS = "".join(
    f"%nsd: device={device} nsd=nsd{first:02d}_ssd{n} servers=nsd{first:02d},nsd{first + 1:02d} usage=metadataOnly "
    f"failureGroup={group} pool=system\n"
    for group, first in enumerate((1, 3, 5, 7), 1)
    for n, device in enumerate(("dm-32", "dm-33"), 1)
)
"""Two SSDs of each enclosure, with both of its servers."""
DEFAULTS = Options()
_UNASKED = ("lsblk", "restripe-devices", "restripe-signatures", "date")


class Far:
    """A cluster of a scenario, and the state of a session that asks it."""

    def __init__(self, directory: Path, scenario: str = "seed-5.2") -> None:
        self.inside = Inside(directory, scenario=scenario)
        self.fs = self.inside.fs
        self.world = self.inside.world
        self.hosts = tuple(
            host.name for host in self.world.cluster.hosts.values() if host.devices or host.name == self.inside.entry
        )
        self.facts: dict[str, Fact] = {}
        self.jobs: dict[tuple[str, str], Job] = {}
        self.logs: dict[tuple[str, str], Log] = {}
        self.links = dict.fromkeys(self.hosts, "up")
        self.scripts: dict[tuple[str, str], str] = {}
        self.now = 1_000_000.0

    @property
    def view(self) -> View:
        """What is known now."""
        header = Header(1, "0", 0.0, 0.0, self.fs.name, self.hosts, self.inside.entry)
        links = {host: LinkChanged(self.now, host, word) for host, word in self.links.items()}
        places = {host: Place("/jobs", f"boot-{host}") for host in self.hosts}
        state = State(header, at=self.now, facts=self.facts, links=links, places=places, jobs=self.jobs, logs=self.logs)
        return View(state, self.fs.name, self.hosts)

    async def ask(self, host: str, *commands: Command) -> None:
        """Ask a host, in the form that its release has."""
        for command in commands:
            if command.argv[0] in _UNASKED:
                continue
            if command.argv[0] in SCRIPTS:
                text = self.scripts.get((host, command.argv[0]), SCRIPTS[command.argv[0]])
                self._learn(host, command, Reply(0, Exact(text.encode())))
                continue
            better = READING.better_form(command)
            if better and await self._run(host, better):
                continue
            await self._run(host, command)

    async def _run(self, host: str, command: Command) -> bool:
        answer = await self.inside.run(*command.argv, host=host)
        out, err = answer.out.encode(), answer.err.encode()
        if "-Y" in command.argv and refusal(READING, command, answer.rc, out, err):
            return False
        self._learn(host, command, Reply(answer.rc, Exact(out), Exact(err)))
        return True

    def _learn(self, host: str, command: Command, reply: Reply) -> None:
        fact = learn(READING, None, host, command, reply, self.now, self.now)
        if fact:
            self.facts[fact.key] = fact

    async def look(self, plan: Plan, step: str) -> dict[str, Check]:
        """What the checks of a step say now."""
        self.now += 100.0
        since = self.now
        await self.ask(plan.host, *preflight.questions(step, plan, self.view))
        for host in preflight.hosts(self.view, plan):
            await self.ask(host, *preflight.server_questions(step))
        return self.judged(plan, step, since)

    def judged(self, plan: Plan, step: str, since: float) -> dict[str, Check]:
        """The same without asking anew."""
        found = preflight.checks(step, self.view, plan, since)
        assert len({check.key for check in found}) == len(found), [check.key for check in found]
        return {check.key: check for check in found}

    def promised(self, plan: Plan, step: str, since: float = 0.0) -> dict[str, Check]:
        """What a step is found to have done."""
        return {check.key: check for check in preflight.promised(step, self.view, plan, since)}

    async def plan(self, stanzas: str = SSD_STANZAS, options: Options = DEFAULTS) -> Plan:
        """The plan that these stanzas make of the cluster as it is."""
        fs, host = self.fs.name, self.inside.entry
        questions = (gpfs.mmlscluster(), gpfs.mmlsfs(fs), gpfs.mmlsdisk(fs), gpfs.mmdf(fs), gpfs.mmlsnsd(long=True))
        await self.ask(host, *questions, gpfs.mmlsmgr(), gpfs.mmlssnapshot(fs))
        devices = tuple(self._device(stanza) for stanza in stanzas_of(stanzas)[0])
        old = self._old_disks()
        new = [New(device.nsd, device.failure_group, device.size_bytes) for device in devices]
        return Plan(
            id="plan-1",
            recipe="metadata-to-ssd",
            kind="gpfs",
            goal="all metadata on SSDs",
            cluster=self.world.cluster.name,
            file_system=fs,
            host=host,
            made=self.world.clock.now(),
            by="ops@desk",
            nodes=tuple(dict.fromkeys(server for device in devices for server in device.servers)),
            options=options,
            sizing=footprint(known(self.view, new), options.assumptions).sizing,
            stanzas=Stanzas(new=stanzas, old=_stanzas(old, Usage.DATA_ONLY), back=_stanzas(old)),
            devices=devices,
            old_disks=old,
        )

    def _device(self, stanza: NsdStanza) -> PlannedDevice:
        found = []
        for server in stanza.servers:
            host = self.world.cluster.find_host(server)
            assert host
            device = host.find_device(stanza.device)
            assert device
            found.append((host, device))
        first = found[0][1]
        return PlannedDevice(
            nsd=stanza.nsd,
            identity=f"wwn:{first.wwn.removeprefix('0x')}",
            size_bytes=first.size_bytes,
            servers=stanza.servers,
            failure_group=stanza.failure_group,
            pool=stanza.pool,
            at=tuple(PinnedAt(host.name, host.daemon_name, device.name, f"boot-{host.name}") for host, device in found),
        )

    def _old_disks(self) -> tuple[OldDisk, ...]:
        view = self.view
        servers = {nsd.nsd: nsd.servers for nsd in view.facts.get(NsdList).nsds}  # type: ignore[union-attr]
        assert view.disks
        return tuple(
            OldDisk(
                nsd=disk.nsd,
                servers=tuple(view.label(server) for server in servers[disk.nsd]),
                usage=disk.usage.value,
                failure_group=disk.failure_group,
                pool=disk.pool,
            )
            for disk in view.disks.disks
            if disk.metadata
        )

    def job(self, plan: Plan, command: str, rc: int | None = 0, *, word: JobState | None = None) -> Job:
        """A job of the plan on its host, which has ended or has not."""
        state = word or (JobState.RUNNING if rc is None else JobState.FINISHED)
        name = f"{plan.id}-9-{command.split(maxsplit=1)[0]}-{len(self.jobs) + 1}"
        began = self.world.clock.now() - 10
        ended = None if rc is None else self.world.clock.now()
        job = Job(plan.host, JobStatus(name, state, rc, began, ended, 0, command=command), self.now)
        self.jobs[plan.host, name] = job
        return job


def _stanzas(old: tuple[OldDisk, ...], usage: Usage | None = None) -> str:
    return write_nsd_stanzas(
        [
            NsdStanza("", each.nsd, each.servers, usage or Usage(each.usage), each.failure_group, each.pool)
            for each in old
        ]
    )
