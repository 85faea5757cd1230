"""The brake on a simulated cluster of release 5.2, over real SSH: what holds there is asked of the cluster itself."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from remote.gpfs import commands as gpfs
from remote.jobs import JobSpec
from simulator.client import Simulation
from supervision.brake import Brake, Judged, Power
from supervision.braking import RESTORING, Restoring, change, look
from supervision.gpfs import GpfsFileSystem
from supervision.supervisor import Supervisor
from tests.supervision.cluster import OPERATOR, Session, session

FS = "mss1"
SCAN = JobSpec("scan-1", "a restripe", OPERATOR, gpfs.mmrestripefs(FS, ("foo1", "foo2", "foo3"), gpfs.Restripe.COMPARE))
"""It scans all that there is, though nothing is to be moved."""


@dataclass
class Braked:
    """A session with a running restripe."""

    sim: Simulation
    live: Session
    fs: GpfsFileSystem

    @property
    def supervisor(self) -> Supervisor:
        return self.live.supervisor

    @property
    def brake(self) -> Brake:
        return self.fs.brake(self.live.store.state)

    async def ease(self, iops: float) -> str:
        """Confirm and do it; what came of it."""
        plan = self.fs.ease(self.live.store.state, iops)
        assert plan.refused == ""
        outcome = await change(self.supervisor, self.fs, lambda state: self.fs.ease(state, iops), OPERATOR, plan.text)
        assert outcome.good, outcome.text
        return outcome.text

    async def judged(self) -> Brake:
        """How it stands when the change can be judged."""
        await look(self.supervisor, self.fs)
        return self.brake

    async def limits(self) -> tuple[bool, dict[str, str]]:
        """Whether QoS is on, and the limits of pool system."""
        qos = (await self.sim.control("facts"))["qos"]
        return qos["enabled"], qos["limits"].get("system", {})


@asynccontextmanager
async def braked(**policies: str) -> AsyncIterator[Braked]:
    async with Simulation.start(scenario="seed-5.2", speed=200) as sim, session(sim) as live:
        if policies:
            await sim.control("set_policy", **policies)
        fs = GpfsFileSystem(FS, sim.entry, sim.hosts)
        await live.supervisor.ask(sim.entry, *fs.questions(), gpfs.mmlsmount(FS))
        await live.supervisor.site.launch(sim.entry, SCAN)
        yield Braked(sim, live, fs)


async def test_a_scan_is_eased_read_back_seen_to_slow_down_and_released() -> None:
    async with braked() as at:
        assert at.brake.power is Power.OFF
        assert await at.ease(math.inf) == "read back as it was set: to measure alone"
        await at.supervisor.site.clock.sleep(65.0)  # simulated: the question is about the last minute of rates
        await at.supervisor.ask(at.sim.entry, *at.fs.brake_questions())
        assert at.brake.steps[0].text.startswith("half of the 2,6")

        refused = at.fs.ease(at.live.store.state, 99.0)
        assert "below the floor of 100 IOPS" in refused.refused

        assert await at.ease(650.0) == "read back as it was set: to 650 IOPS for 3 helpers"
        assert await at.limits() == (True, {"maintenance": "650IOPS", "other": "unlimited"})
        brake = await at.judged()
        assert (brake.effect.judged, brake.effect.text) == (Judged.FELL, "rates fell from 2,600 to 650")
        assert (brake.limits[0].nodes, brake.limits[0].effective) == (3, 650.0)

        # on the timeline, and told to whoever forecasts the end
        told = [each.text for each in at.live.store.state.happened if each.kind == "qos"]
        assert told[-1] == "QoS: maintenance/all_local of system 650IOPS, was unlimited"

        # what a person confirmed on other settings is not done
        stale = await change(
            at.supervisor, at.fs, lambda state: at.fs.ease(state, 300.0), OPERATOR, "mmchqos mss1 --enable pool=x"
        )
        assert not stale.good
        assert stale.text.startswith("nothing was sent")

        plan = at.fs.release(at.live.store.state)
        outcome = await change(at.supervisor, at.fs, at.fs.release, OPERATOR, plan.text)
        assert (outcome.good, outcome.text) == (True, "read back: the settings are those from before our first change")
        assert await at.limits() == (False, {"maintenance": "unlimited", "other": "unlimited"})
        assert (await changed_limits(at)) == 4  # measure, limit, limits of before, off
        decided = [each.what for each in at.live.store.state.decisions]
        assert decided == [
            "ease the scan of mss1 to measure alone",
            "ease the scan of mss1 to 650 IOPS for 3 helpers",
            "release the brake of mss1",
        ]


async def test_a_brake_without_effect_is_told_and_ends_with_the_scan() -> None:
    async with braked(qos_effect="nothing") as at:
        restoring = Restoring(at.supervisor, at.fs)
        await at.ease(650.0)
        brake = await at.judged()
        assert brake.effect.judged is Judged.NOTHING
        assert brake.effect.text.startswith("the brake has no effect: 130 IOPS, 650 allowed; misc")
        assert any(line.value == brake.effect.text for line in at.fs.problems(at.live.store.state))

        await at.supervisor.site.stop(at.sim.entry, SCAN.id)
        await at.supervisor.follow(at.sim.entry, SCAN.id)
        assert (await at.limits())[0] is True
        async with asyncio.timeout(30):
            while not restoring.begun:
                await at.supervisor.site.clock.sleep(30.0)  # simulated: as often as hosts are looked at
                for host in at.sim.hosts:
                    await at.supervisor.ask(host, gpfs.mmdiag_waiters())
            while at.supervisor.runs(RESTORING):
                await at.supervisor.site.clock.sleep(1.0)
        assert await at.limits() == (False, {"maintenance": "unlimited", "other": "unlimited"})
        assert at.brake.held is None
        told = at.live.store.state.decisions[-1]
        assert (told.who, told.what.partition(":")[0]) == ("restripe", "the scan has ended, and with it the brake")


async def changed_limits(at: Braked) -> int:
    """How often mmchqos ran."""
    commands = (await at.sim.control("history"))["commands"]
    return sum(command["argv"][0] == "mmchqos" for command in commands)
