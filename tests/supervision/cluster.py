"""A simulated cluster as the program uses it: live Site, recorder, supervisor."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from remote.clock import ScaledClock
from remote.events import Event, Header
from remote.linux.inventory import Contents, Inventory, ReadState
from remote.linux.models import BlockDevices
from remote.live import LiveOptions, LiveSite
from remote.recorder import RecordingSite
from remote.recording import VERSION, Writer
from remote.site import Site
from remote.ssh.settings import SshSettings
from simulator.client import Simulation
from supervision.gpfs_facts import facts_of
from supervision.gpfs_planning import Wish, make
from supervision.guide import Approver, Guide
from supervision.journal import Journal
from supervision.migration import StopError
from supervision.plan import Plan
from supervision.recipes.metadata_to_ssd import RECIPE
from supervision.state import State
from supervision.store import Store
from supervision.supervisor import Supervisor
from supervision.walking import Anything, Given, walk
from tests.supervision.seed import CHANGING

PLAN = "plan-1"
OPERATOR = "ops@desk"


@dataclass
class Session:
    """One session with the cluster; `events` is all that passed."""

    supervisor: Supervisor
    store: Store
    events: list[Event]

    async def plan(self) -> Plan:
        """A plan for what the cluster has, by the same name in every session."""
        made = await make(self.supervisor, Wish(), by=OPERATOR)
        return msgspec.structs.replace(made.plan, id=PLAN)

    def guide(self, plan: Plan, approver: Approver | None = None) -> Guide:
        """A guide for a plan; who is asked says yes to everything where nobody else is."""
        return Guide(self.supervisor, plan, RECIPE, OPERATOR, approver or Given(Anything(), Anything()))

    async def walk(self, plan: Plan, approver: Approver | None = None) -> tuple[Guide, StopError | None]:
        """Walk the migration until it is done or stops, and why it stopped."""
        guide = self.guide(plan, approver)
        try:
            await walk(guide)
        except StopError as stop:
            return guide, stop
        return guide, None


@asynccontextmanager
async def session(
    sim: Simulation,
    *,
    armed: bool = True,
    record: Path | None = None,
    entry: str = "",
    hosts: Sequence[str] = (),
    options: LiveOptions | None = None,
) -> AsyncIterator[Session]:
    """A session with connections of its own; `entry` is another host to begin at, `hosts` are fewer than all."""
    clock = ScaledClock(sim.clock.epoch, sim.clock.monotonic, sim.clock.speed)
    entry, hosts = entry or sim.entry, tuple(hosts) or sim.hosts
    header = Header(VERSION, "0", 0.0, clock.now(), sim.fs, hosts, entry, OPERATOR, True, clock.speed, 0, PLAN)
    store = Store(header)
    events: list[Event] = []
    store.listen(lambda _, event: events.append(event))
    writer = Writer(record, header) if record else None
    own = LiveOptions(ssh=SshSettings(config_files=(sim.ssh_config,)))
    live = LiveSite(hosts, clock, armed=armed, options=options or own)
    journal = Journal(store, writer)
    site: Site = RecordingSite(live, journal.emit, writer)
    try:
        async with Supervisor(site, journal, fs=sim.fs, entry=entry) as supervisor:
            yield Session(supervisor, store, events)
    finally:
        if writer:
            writer.close()
            assert writer.failure == ""


async def changed(sim: Simulation) -> list[str]:
    """The names of all commands that changed the cluster, in their order, as the cluster remembers them."""
    names = [command["argv"][0] for command in (await sim.control("history"))["commands"]]
    return [name for name in names if name in CHANGING]


async def until_so(look: Callable[[], Awaitable[bool]], seconds: float = 30.0) -> None:
    """Wait until the cluster says that it is so; fail when it does not."""
    async with asyncio.timeout(seconds):
        while not await look():
            await asyncio.sleep(0.01)


def all_read(state: State, host: str) -> bool:
    """Whether the last look at a host told of all its devices what lies on them; that of a path is told by its map."""
    facts = facts_of(state)
    looks = [facts.fact(kind, host) for kind in (BlockDevices, Inventory, Contents)]
    told = facts.get(Contents, host)
    if told is None or any(look is None or look.failure for look in looks):
        return False
    return all(each.state in {ReadState.READ, ReadState.PATH} for each in told.devices)


async def look_until_read(live: Session, hosts: Sequence[str], seconds: float = 90.0) -> None:
    """Look at the devices of all these hosts at once; then at one host after another until all of its were read.

    One machine plays all hosts: when it has more to do, a device may not answer within the seconds that it is given.
    A host tells then that its state is unknown, as it has to, and whoever wants to know asks again.
    """
    assert await live.supervisor.look_at_devices(hosts) == {}
    async with asyncio.timeout(seconds):
        for host in hosts:
            while not all_read(live.store.state, host):
                assert await live.supervisor.look_at_devices((host,)) == {}


def kill_runner(sim: Simulation, job_id: str) -> list[int]:
    """Kill every process below the simulator that belongs to a job."""
    killed = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            environment = (entry / "environ").read_bytes()
            words = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if os.fsencode(sim.directory) in environment + words and (job_id.encode() in words or b"mmrestripefs" in words):
            os.kill(int(entry.name), signal.SIGKILL)
            killed.append(int(entry.name))
    return killed
