"""What a live session asks by itself: which hosts, their jobs, the running scan, and what could not be asked before."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from remote.clock import ScaledClock
from remote.errors import SiteError
from remote.events import Header
from remote.gpfs import commands as gpfs
from remote.jobs import JobSpec, JobState, JobStatus
from remote.live import LiveOptions, LiveSite
from remote.recorder import RecordingSite
from remote.recording import VERSION
from remote.ssh.settings import SshSettings
from simulator.client import Simulation
from supervision.filesystem import Phase
from supervision.gpfs import GpfsFileSystem
from supervision.journal import Journal
from supervision.probejob import probes
from supervision.store import Store
from supervision.supervisor import Supervisor
from supervision.watching import Watch
from tests.supervision.cluster import OPERATOR
from tests.supervision.cluster import session as migrating
from tests.supervision.gpfs_states import DONE, PHASE_1, USER_FILES, counted
from tests.supervision.probelines import begin, ended
from tests.supervision.scripted_site import ScriptedSite
from tests.waiting import until

RESTRIPE = "mmrestripefs fs1 -r -N n1"


@dataclass
class Watched:
    """A watched session."""

    watch: Watch
    supervisor: Supervisor
    fs: GpfsFileSystem

    @property
    def store(self) -> Store:
        return self.supervisor.store


@asynccontextmanager
async def watched(site: ScriptedSite) -> AsyncIterator[Watched]:
    header = Header(VERSION, "0", 0.0, 1000.0, "fs1", site.hosts, site.hosts[0])
    journal = Journal(Store(header))
    fs = GpfsFileSystem("fs1", site.hosts[0])
    async with Supervisor(RecordingSite(site, journal.emit), journal, fs="fs1", entry=site.hosts[0]) as supervisor:
        yield Watched(Watch(supervisor, fs), supervisor, fs)


async def test_from_the_entry_host_one_learns_of_the_servers_and_sees_their_devices_and_jobs() -> None:
    """Over real SSH, to hosts that were never named to it; and read-only."""
    async with Simulation.start(speed=600) as sim:
        clock = ScaledClock(sim.clock.epoch, sim.clock.monotonic, sim.clock.speed)
        header = Header(VERSION, "0", 0.0, clock.now(), sim.fs, (sim.entry,), sim.entry, speed=clock.speed)
        journal = Journal(Store(header))
        options = LiveOptions(ssh=SshSettings(config_files=(sim.ssh_config,)))
        site = RecordingSite(LiveSite((sim.entry,), clock, options=options), journal.emit)
        fs = GpfsFileSystem(sim.fs, sim.entry)
        async with Supervisor(site, journal, fs=sim.fs, entry=sim.entry) as supervisor:
            await Watch(supervisor, fs).begin()
            state = journal.store.state
            assert state.hosts == ("pollux1", "pollux2", "pollux3")
            await until(lambda: all(link.state == "up" for link in journal.store.state.links.values()))
            await until(lambda: len({row.key for row in fs.devices(journal.store.state).rows}) == 3 * 8)
            # somebody else's restripe, begun elsewhere, is found and followed without a hand on a key
            async with migrating(sim) as other:
                restripe = gpfs.mmrestripefs(sim.fs, ("foo1", "foo2", "foo3"), gpfs.Restripe.REBALANCE)
                await other.supervisor.site.launch(sim.entry, JobSpec("theirs", "a restripe", OPERATOR, restripe))
                await until(lambda: fs.scan_job(journal.store.state) is not None, 60)

                def counted_by_us() -> bool:
                    job = fs.scan_job(journal.store.state)
                    counter = fs.progress(journal.store.state, job).counter if job else None
                    return bool(counter and counter.done)

                await until(counted_by_us, 60)


async def test_the_scan_that_runs_is_followed_and_is_not_called_stalled_before_its_log_is_there() -> None:
    """Coming back to a run of two hours: the most frequent thing that is done with this program."""
    site = ScriptedSite("n1")
    stamps = [f"Thu Jun  6 1{hour}:00:00 2013" for hour in range(4, 8)]
    lines = [counted(1000 * number).replace("Thu Jun  6 19:35:45 2013", at) for number, at in enumerate(stamps)]
    site.logs["job:r"] = "\n".join((PHASE_1, DONE, USER_FILES, *lines, "")).encode()
    size = len(site.logs["job:r"])
    site.held["n1"] = (JobStatus("r", JobState.RUNNING, began=1000.0 - 7200, size=size, command=RESTRIPE),)
    async with watched(site) as session:
        phases = set()

        def remember(*_: object) -> None:
            job = session.fs.scan_job(session.store.state)
            if job:
                phases.add(session.fs.progress(session.store.state, job).phase)

        session.store.listen(remember)
        await session.watch.begin()
        await until(lambda: session.store.state.job_log("n1", "r") is not None)
        assert site.followed == [("n1", "job:r")]
        log = session.store.state.job_log("n1", "r")
        assert log
        # an hour between two lines, as their stamps say, although all came at once
        assert [round(point.at - log.last_at) for point in log.scan.points] == [-10800, -7200, -3600, 0]
    assert Phase.STALLED not in phases


async def test_an_ended_scan_is_read_once_and_other_jobs_are_left_alone() -> None:
    site = ScriptedSite("n1")
    site.logs["job:r"] = b"x\n"
    site.held["n1"] = (
        JobStatus("other", JobState.RUNNING, began=1.0, size=9, command="du -s /fs1"),
        JobStatus("r", JobState.FINISHED, rc=0, began=1.0, ended=2.0, size=2, command=RESTRIPE),
    )
    async with watched(site) as session:
        await session.watch.begin()
        await until(lambda: session.store.state.job_log("n1", "r") is not None)
        await session.supervisor.look_at_jobs(("n1",))
        assert site.followed == [("n1", "job:r")]


async def test_a_probe_that_runs_is_followed_whoever_started_it_and_an_ended_one_is_not() -> None:
    site = ScriptedSite("n1", "login1")
    probe = "sh /jobs/{}/run/probe.sh /fs1/tmp 20 30 4 2419200 3"
    site.logs["job:p"] = f"{begin(990)}\n{ended(995, 1, 1900)}\n".encode()
    site.held["login1"] = (
        JobStatus("p", JobState.RUNNING, began=990.0, size=1, command=probe.format("p")),
        JobStatus("q", JobState.FINISHED, rc=0, began=1.0, ended=2.0, size=1, command=probe.format("q")),
        JobStatus("other", JobState.RUNNING, began=1.0, size=1, command=probe.format("p")),
        JobStatus("broken", JobState.RUNNING, began=1.0, size=1, command="sh '"),
    )
    async with watched(site) as session:
        await session.watch.begin()
        await until(lambda: [each for each in probes(session.store.state) if each.samples.ended])
        assert site.followed == [("login1", "job:p")]
        assert [each.job.status.id for each in probes(session.store.state)] == ["p", "q"]


async def test_what_a_host_could_not_answer_is_asked_when_it_is_back_and_only_that() -> None:
    site = ScriptedSite("n1")
    site.away.add("n1")
    async with watched(site) as session:
        await session.watch.begin()
        await until(lambda: site.asked["n1", "date '+%s %z'"] == 1)
        assert session.store.state.facts["cluster"].failure
        before = dict(site.asked)
        site.away.clear()
        site.answers["date"] = "1000 +0000\n"
        site.link("n1", "up")
        await until(lambda: all(not fact.failure for fact in session.store.state.facts.values()))
        again = {asked for asked, times in site.asked.items() if times > before.get(asked, 0)}
        assert ("n1", "mmlscluster -Y") in again
        assert ("n1", "date '+%s %z'") in again
        # a connection that breaks and comes back brings no question that was answered
        before = dict(site.asked)
        site.link("n1", "waiting")
        site.link("n1", "up")
        await until(lambda: not session.supervisor.runs("ask n1 what is missing"))
        again = {asked for asked, times in site.asked.items() if times > before.get(asked, 0)}
        assert ("n1", "date '+%s %z'") not in again


async def test_asking_again_tries_hosts_that_were_given_up() -> None:
    site = ScriptedSite("n1", "n2")
    async with watched(site) as session:
        await session.watch.begin()
        site.link("n2", "refused")
        await session.watch.refresh(costly=False)
        assert site.retried == ["n2"]
        assert not any(text.startswith("mmdf") and times > 2 for (_, text), times in site.asked.items())


async def test_a_job_that_cannot_be_followed_is_an_error_of_the_far_side_and_not_of_ours() -> None:
    class Hidden(ScriptedSite):
        def _follow(self, host: str, source: object, offset: int) -> object:  # type: ignore[override]
            raise SiteError(host, "its directory cannot be read")

    site = Hidden("n1")
    site.held["n1"] = (JobStatus("r", JobState.RUNNING, began=1.0, size=2, command=RESTRIPE),)
    async with watched(site) as session:
        await session.watch.begin()
        assert session.store.state.decisions == ()


async def test_a_host_that_booted_is_asked_for_its_devices_again_and_one_that_only_was_away_is_not() -> None:
    """Names of devices hold for one boot: what was read before it would be another disk's."""
    site = ScriptedSite("n1", "n2")
    async with watched(site) as session:
        await session.watch.begin()
        await until(lambda: site.asked["n2", "restripe-devices"] == 1 and site.asked["n1", "restripe-devices"] == 1)
        await until(lambda: session.watch.looked >= {"n1", "n2"})
        site.boots["n2"] = "another boot"
        for host in ("n1", "n2"):
            site.link(host, "waiting")
            site.link(host, "up")
        await until(lambda: site.asked["n2", "restripe-devices"] >= 2)
        await until(lambda: not any(session.supervisor.runs(f"ask {host} what is missing") for host in ("n1", "n2")))
        assert site.asked["n1", "mmdevdiscover"] == 1
        assert site.asked["n2", "mmdevdiscover"] == 2
