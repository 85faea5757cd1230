"""Makes recordings/night-5.2.jsonl anew: `make recordings`; SPEED and FILE are its variables.

The migration of the demo, on a simulated cluster of release 5.2 over real SSH, watched as `restripe connect` does, with
a probe of users' latency, while things happen to it at fixed times. Each is marked where it begins and, if that is
later, where it is seen. docs/watching.md tells what can be seen at which time.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import math
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import msgspec

from remote.clock import ScaledClock
from remote.events import Closed
from remote.live import LiveOptions, LiveSite
from remote.recorder import RecordingSite
from remote.recording import Writer
from remote.ssh.settings import SshSettings
from simulator.client import Simulation
from supervision.brake import Brake
from supervision.braking import change
from supervision.canary_rates import Canary, Level, canary
from supervision.clocktext import local_time
from supervision.filesystem import FileSystem, Phase, Progress
from supervision.filesystems import file_system
from supervision.impact import Standing
from supervision.journal import Journal
from supervision.migration import Ending, StopError
from supervision.probejob import Hurt, hurt, probe_spec
from supervision.recipes.metadata_to_ssd import RECIPE
from supervision.state import State
from supervision.store import Store
from supervision.supervisor import Cadence, Supervisor
from supervision.walking import Walk
from supervision.watching import Watch
from tui.demo import planned
from tui.session import header_for

SHIPPED = Path(str(files("recordings"))) / "night-5.2.jsonl"
OPERATOR = "admin@vm"
MINUTE = 60.0
BASELINE = 22 * MINUTE
"""Seconds of probing before the migration begins: what users are used to."""
LATENCY_MS = 40.0
"""Real milliseconds of a user's operation at rest: well above what a busy machine adds to it."""
PROBE_MEAN, PROBE_DEADLINE = 25.0, 60.0
"""Simulated seconds between two probes, and for one."""
LEAST_MEAN = 0.2
"""Real seconds between two probes at least."""
SELDOM = {"disks": 240.0, "disk details": 7200.0, "configuration": 7200.0, "nsd devices": 7200.0}
"""Seconds between questions whose answers are long; of each host nothing is asked more often than `HOST` seconds."""
HOST = 150.0
DEVICES = 7200.0
ABROAD = "pollux3"
"""The helper that leaves."""
BROKEN = "foo2_nsd4"
"""The disk that fails."""


def seldom(cadences: Sequence[Cadence]) -> list[Cadence]:
    """The same questions, so rarely that the recording stays small."""
    return [msgspec.structs.replace(each, seconds=max(each.seconds, _least(each.name))) for each in cadences]


def _least(name: str) -> float:
    if name.startswith("devices "):
        return DEVICES
    return SELDOM.get(name, HOST)


@dataclass
class Night:
    """The session, and what may happen to its cluster."""

    simulation: Simulation
    supervisor: Supervisor
    fs: FileSystem
    migration: Walk
    began: float = 0.0
    """When the restripe began; scenes are counted from there."""

    @property
    def state(self) -> State:
        return self.supervisor.store.state

    @property
    def progress(self) -> Progress | None:
        job = self.fs.scan_job(self.state)
        return self.fs.progress(self.state, job) if job else None

    @property
    def hurt(self) -> Hurt | None:
        return hurt(self.state, self.fs.scan_job(self.state))

    @property
    def brake(self) -> Brake:
        brake = self.fs.brake(self.state)
        if brake is None:
            raise RuntimeError("there are no limits here")
        return brake

    @property
    def canary(self) -> Canary:
        return canary(self.state, self.began)

    async def at(self, minutes: float) -> None:
        """Wait for a moment, counted from the beginning of the restripe."""
        clock = self.supervisor.site.clock
        left = self.began + minutes * MINUTE - clock.now()
        if left > 0:
            await clock.sleep(left)

    def mark(self, label: str) -> None:
        """A scene begins, or is seen."""
        now = self.supervisor.site.clock.now()
        self.supervisor.journal.mark(now, label)
        zone = self.state.header.utc_offset
        sys.stdout.write(f"{local_time(now, zone):%H:%M:%S}  {label}\n")
        sys.stdout.flush()

    async def seen(self, label: str, look: Callable[[], object], minutes: float) -> None:
        """Mark that the session shows something. Raises TimeoutError when it does not in time: no good recording."""
        clock = self.supervisor.site.clock
        until = clock.elapsed() + minutes * MINUTE
        while not look():
            if clock.elapsed() > until:
                raise TimeoutError(f"not seen within {minutes:g} minutes: {label}")
            await clock.sleep(5.0)
        self.mark(label)

    def told(self, kind: str, words: str) -> bool:
        """Whether such a happening is on the timeline since the restripe began."""
        return any(each.kind == kind and words in each.text and each.at >= self.began for each in self.state.happened)

    async def happen(self, op: str, **what: object) -> None:
        """Let something happen to the cluster."""
        await self.simulation.control(op, **what)

    async def ease(self, iops: float) -> None:
        """What the key `b` does when it is confirmed."""
        plan = self.fs.ease(self.state, iops)
        outcome = await change(self.supervisor, self.fs, lambda state: self.fs.ease(state, iops), OPERATOR, plan.text)
        if not outcome.good:
            raise RuntimeError(outcome.text)

    async def release(self) -> None:
        """What the key `B` does when it is confirmed."""
        plan = self.fs.release(self.state)
        outcome = await change(self.supervisor, self.fs, self.fs.release, OPERATOR, plan.text)
        if not outcome.good:
            raise RuntimeError(outcome.text)


async def users_and_brake(night: Night) -> None:
    """An evening's load makes users feel the restripe; it is eased until they have gone."""
    await night.at(8)
    await night.happen("users", factor=7)
    await night.seen("users wait: over the budget", lambda: _standing(night) is Standing.OVER, 15)
    await night.at(20)
    await night.ease(math.inf)
    await night.at(23)
    quarter = next(step.iops for step in night.brake.steps if "a quarter" in step.text)
    night.mark("brake: eased to a quarter")
    await night.ease(quarter)
    await night.seen("eased: users wait less", lambda: _standing(night) in (Standing.WITHIN, Standing.NEAR), 18)
    await night.at(42)
    await night.happen("users", factor=2)
    await night.at(44)
    night.mark("brake: released")
    await night.release()


async def node_and_disk(night: Night) -> None:
    """A helper leaves and is back; a disk fails, and the restripe begins again."""
    await night.at(50)
    night.mark("node: a helper leaves")
    await night.happen("daemon", host=ABROAD, state="down", disks="stay")
    await night.seen("node: seen to be away", lambda: night.told("node", "is down, was active"), 8)
    await night.at(60)
    await night.happen("daemon", host=ABROAD, state="up")
    await night.seen("node: back", lambda: night.told("node", "is active, was"), 8)
    await night.at(68)
    night.mark("disk: fails")
    await night.happen("disk", disk=BROKEN, availability="down")
    await night.seen("disk: the restripe began again", lambda: night.told("restart", ""), 8)
    await night.seen("disk: seen to be down", lambda: night.told("disk", f"{BROKEN}: now"), 8)
    await night.at(80)
    await night.happen("disk", disk=BROKEN, availability="up")
    await night.seen("disk: up again", lambda: night.told("disk", f"{BROKEN}: now ready up"), 8)


async def stall(night: Night) -> None:
    """Nothing moves for 25 minutes."""
    await night.at(92)
    night.mark("stall: begins")
    await night.happen("stall", seconds=25 * MINUTE, disk="foo2_nsd3")
    await night.seen("stall: seen", lambda: _phase(night) is Phase.STALLED, 22)
    await night.at(117)
    await night.seen("stall: over", lambda: _phase(night) is Phase.RUNNING, 8)


async def others(night: Night) -> None:
    """Somebody else sets a limit, the manager moves, and a server complains."""
    await night.at(128)
    night.mark("others: somebody sets a limit")
    await night.happen("qos", limits="pool=system,maintenance=1300IOPS")
    await night.seen("others: the limit is seen", lambda: night.told("qos", "1300"), 8)
    await night.at(138)
    await night.happen("qos", limits="pool=system,maintenance=unlimited", enabled=False)
    await night.at(142)
    night.mark("others: the manager moves")
    await night.happen("manager", host="pollux2")
    await night.seen("others: the new manager is seen", lambda: night.told("manager", "manager of"), 12)
    await night.at(148)
    night.mark("errors: a server complains")
    for _ in range(6):
        await night.happen("log", host=ABROAD, kind="io_error", count=3)
        await night.happen("log", host=ABROAD, kind="reconnect", node="pollux2", count=2)
    await night.happen("log", host="pollux1", kind="expel", node=ABROAD)
    await night.seen("errors: an alarm", lambda: night.canary.level is Level.ALARM, 8)


def _standing(night: Night) -> Standing | None:
    found = night.hurt
    return found.impact.standing if found else None


def _phase(night: Night) -> Phase | None:
    progress = night.progress
    return progress.phase if progress else None


async def start_probe(night: Night, speed: float) -> None:
    """Start the probe as `restripe probe --write` does; its times are real ones, also in a simulation."""
    supervisor = night.supervisor
    place = await supervisor.site.place(night.simulation.entry)
    spec = probe_spec(
        place,
        f"{night.fs.name}-probe-{local_time(night.state.at, night.state.header.utc_offset):%H%M%S}",
        OPERATOR,
        f"/{night.fs.name}",
        mean=max(LEAST_MEAN, PROBE_MEAN / speed),
        deadline=max(2.0, PROBE_DEADLINE / speed),
        lifetime=86_400.0,
        budget=3.0,
    )
    await supervisor.site.launch(night.simulation.entry, spec)
    supervisor.follow(night.simulation.entry, spec.id)


async def scenes(night: Night) -> None:
    """All that happens, in order."""
    await night.seen("restripe: it begins", lambda: night.progress, 120)
    night.began = night.supervisor.site.clock.now()
    for scene in (users_and_brake, node_and_disk, stall, others):
        await scene(night)


@asynccontextmanager
async def opened(simulation: Simulation, record: Path) -> AsyncIterator[Night]:
    """An armed session, recorded."""
    clock = ScaledClock(simulation.clock.epoch, simulation.clock.monotonic, simulation.clock.speed)
    options = LiveOptions(ssh=SshSettings(config_files=(simulation.ssh_config,)))
    live = LiveSite(simulation.hosts, clock, armed=True, options=options)
    header = await header_for(live, simulation.fs, simulation.entry, simulated=True, speed=simulation.clock.speed)
    stamp = local_time(header.began, header.utc_offset).strftime("%Y%m%dT%H%M%S")
    header = msgspec.structs.replace(header, plan=f"{simulation.fs}-{stamp}", operator=OPERATOR)
    writer = await asyncio.to_thread(Writer, record, header)
    journal = Journal(Store(header), writer)
    site = RecordingSite(live, journal.emit, writer, journal.prepare)
    supervisor = Supervisor(site, journal, fs=simulation.fs, entry=simulation.entry)
    migration = Walk(supervisor, RECIPE, lambda: planned(supervisor, header.plan, OPERATOR), operator=OPERATOR)
    try:
        async with supervisor:
            yield Night(simulation, supervisor, file_system(header), migration)
        journal.emit(Closed(clock.now(), migration.ending.value))
    finally:
        await asyncio.to_thread(writer.close)


async def make(record: Path, speed: float) -> None:
    """One night."""
    async with Simulation.start("night", speed=speed) as simulation, opened(simulation, record) as night:
        clock = night.supervisor.site.clock
        await simulation.control("users", latency_ms=LATENCY_MS, factor=2)
        await Watch(night.supervisor, night.fs, seldom).begin()
        await start_probe(night, speed)
        await clock.sleep(BASELINE)
        happening = asyncio.create_task(scenes(night))
        with contextlib.suppress(StopError):  # told by its step
            await night.migration.run()
        await happening
        await clock.sleep(5 * MINUTE)
        if night.migration.ending is not Ending.DONE:
            raise RuntimeError(night.migration.why)
        night.mark("end")


def main() -> None:
    """Make it beside the other recordings, or elsewhere."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--speed", type=float, default=60.0, help="simulated seconds in a real one; few if it is busy")
    words.add_argument("file", type=Path, nargs="?", default=SHIPPED)
    given = words.parse_args()
    given.file.unlink(missing_ok=True)
    asyncio.run(make(given.file, given.speed))
    given.file.chmod(0o644)  # nothing in it is anybody's own


if __name__ == "__main__":
    main()
