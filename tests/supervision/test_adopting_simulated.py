"""Other people's restripes on a simulated cluster, over real SSH: found in tee, nohup and screen, seen to their end."""

from __future__ import annotations

import asyncio

from remote.clock import ScaledClock
from remote.events import Header
from remote.jobs import JobState
from remote.linux.scans import RunningScans
from remote.live import LiveOptions, LiveSite
from remote.recorder import RecordingSite
from remote.recording import VERSION
from remote.ssh.settings import SshSettings
from simulator.client import Simulation
from supervision.filesystem import Phase, Progress
from supervision.gpfs import GpfsFileSystem
from supervision.journal import Journal
from supervision.store import Store
from supervision.supervisor import Supervisor
from supervision.watching import Watch
from tests.waiting import until

THROUGH = {"pollux1": "nohup", "pollux2": "tee", "pollux3": "screen"}


async def test_restripes_in_tee_nohup_and_screen_are_found_and_one_is_seen_to_its_end() -> None:
    async with Simulation.start(speed=600) as sim:
        clock = ScaledClock(sim.clock.epoch, sim.clock.monotonic, sim.clock.speed)
        header = Header(VERSION, "0", 0.0, clock.now(), sim.fs, (sim.entry,), sim.entry, speed=clock.speed)
        journal = Journal(Store(header))
        options = LiveOptions(ssh=SshSettings(config_files=(sim.ssh_config,)))
        site = RecordingSite(LiveSite((sim.entry,), clock, options=options), journal.emit)
        fs = GpfsFileSystem(sim.fs, sim.entry)
        await sim.control("pace", factor=0.001)  # so slow that it is there for as long as one looks
        answers = [await sim.control("outsider", host=host, through=how) for host, how in THROUGH.items()]
        async with Supervisor(site, journal, fs=sim.fs, entry=sim.entry) as supervisor:
            watch = Watch(supervisor, fs)
            await watch.begin()
            await until(lambda: {host for host, _id in journal.store.state.jobs} == set(THROUGH), 60)
            state = journal.store.state
            assert {(job.host, job.status.id) for job in state.jobs.values()} == {
                (answer["host"], f"file:{answer['file']}") for answer in answers
            }
            for host in THROUGH:  # each host sees its own alone, though all are processes of this machine
                fact = state.facts[f"scans {host}"]
                told = fact.parsed.model if fact.parsed else None
                assert isinstance(told, RunningScans)
                (scan,) = told.scans
                assert scan.words == ("mmrestripefs", sim.fs, "-r")
            # one of the three scans, the others wait for it; all end in their turn
            await sim.control("pace", factor=1.0)

            def ends() -> list[Progress]:
                now = journal.store.state
                told = [fs.progress(now, job) for job in now.jobs.values() if job.status.state is JobState.ENDED]
                return told if len(told) == 3 and all(each.phase is Phase.FINISHED for each in told) else []

            async def look() -> list[Progress]:
                for job in journal.store.state.jobs.values():
                    supervisor.follow(job.host, job.status.id)
                await asyncio.sleep(0)
                return ends()

            ended: list[Progress] = await until(look, 60)
            for progress in ended:
                assert "so its exit code cannot be known" in progress.why
        ran = [each for each in (await sim.control("history"))["commands"] if each["argv"][0] == "mmrestripefs"]
        assert [each["rc"] for each in ran] == [0, 0, 0]  # nobody has touched them
