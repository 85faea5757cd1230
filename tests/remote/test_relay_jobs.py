"""Detached jobs by way of the admin node: at most once, and their logs whole, whatever is cut on the way."""

from __future__ import annotations

import asyncio
import hashlib
import signal
from collections.abc import Callable

import pytest

from remote import jobs
from remote.command import Command, Effect
from remote.jobs import JobSpec, JobState
from remote.live import LiveSite
from remote.site import Chunk, HostLink, JobLog, StateSeen
from tests.openssh import Farm, Server
from tests.processes import send
from tests.remote.admin_node import AdminNode
from tests.remote.staged_launch import LOG, Stage, read_to_end
from tests.waiting import until

pytestmark = pytest.mark.openssh


class Cluster:
    """An admin node and a host behind it."""

    def __init__(self, farm: Farm) -> None:
        self.admin = AdminNode(farm, "admin-j", "mksh")
        self.target = self.admin.target("relayed-j", address="127.0.0.51")

    def site(self) -> LiveSite:
        """A Site that may launch."""
        return self.admin.site(self.target.host, armed=True)


@pytest.fixture(scope="module")
def cluster(farm: Farm) -> Cluster:
    return Cluster(farm)


def spec_of(name: str, script: str) -> JobSpec:
    """A job that runs a line of shell."""
    return JobSpec(name, "a test", "tests", Command(("sh", "-c", script), Effect.CHANGES))


def cut_admin(cluster: Cluster) -> None:
    if cluster.admin.server.sessions():
        cluster.admin.server.kill_sessions()


def cut_inner(cluster: Cluster) -> None:
    send(cluster.admin.inner(cluster.target.host), signal.SIGKILL)


def cut_target(cluster: Cluster) -> None:
    send(cluster.target.sessions(), signal.SIGKILL)


CUTS = (cut_admin, cut_inner, cut_target)


@pytest.mark.parametrize("stage", ["prep", "afterln"])
@pytest.mark.parametrize("cut", CUTS, ids=lambda cut: str(cut.__name__))
async def test_a_launch_cut_in_the_middle_runs_once(
    cluster: Cluster, cut: Callable[[Cluster], None], stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Stage(cluster.target.account, f"relay-{cut.__name__}-{stage}", stage)
    monkeypatch.setattr(jobs, "_host_side", lambda: made.text)
    site = cluster.site()
    try:
        launching = asyncio.create_task(site.launch(cluster.target.host, made.spec))
        await made.reached()
        cut(cluster)
        made.release()
        made.let_end()
        status = await launching
        assert status.state in (JobState.RUNNING, JobState.FINISHED)
        log, status = await read_to_end(site, cluster.target.host, made.id)
        await until(lambda: not cluster.target.processes(f"{made.id}/"))
    finally:
        await site.close()
    assert (status.state, status.rc, log, made.runs()) == (JobState.FINISHED, 7, LOG, 1)


async def test_a_log_arrives_whole_through_every_kind_of_cut(cluster: Cluster) -> None:
    last = 1_500_000
    expected = hashlib.sha256("".join(f"{number}\n" for number in range(1, last + 1)).encode())
    site = cluster.site()
    size, received = 0, hashlib.sha256()
    states = []
    lost: list[HostLink] = []
    cuts: list[tuple[int, Callable[[Cluster], None]]] = [(n << 20, cut) for n, cut in enumerate(CUTS * 2, 1)]
    loop = asyncio.get_running_loop()
    site.on_link = lambda link: lost.append(link) if link.state == "waiting" else None
    try:
        await site.launch(cluster.target.host, spec_of("relay-large", f"seq 1 {last}; exit 3"))
        async for event in site.follow(cluster.target.host, JobLog("relay-large")):
            if isinstance(event, Chunk):
                assert event.offset == size
                received.update(event.data)
                size += len(event.data)
                while cuts and size > cuts[0][0]:
                    loop.call_later(0.05 * len(cuts), cuts.pop(0)[1], cluster)
            else:
                assert isinstance(event, StateSeen)
                states.append(event.status)
    finally:
        await site.close()
    assert not cuts
    assert len(lost) >= 3
    assert (states[-1].state, states[-1].rc) == (JobState.FINISHED, 3)
    assert (size, received.digest()) == (states[-1].size, expected.digest())


async def test_jobs_are_listed_stopped_and_sealed(cluster: Cluster) -> None:
    host = cluster.target.host
    site = cluster.site()
    try:
        running = await site.launch(host, spec_of("relay-stop", "echo begun; sleep 600"))
        assert running.state is JobState.RUNNING
        assert "relay-stop" in {job.id for job in await site.jobs(host)}
        assert "relay-stop" not in {job.id for job in await site.jobs(cluster.admin.name)}
        await site.stop(host, "relay-stop")
        log, status = await read_to_end(site, host, "relay-stop")
        assert (log.split()[0], status.state, status.rc) == (b"begun", JobState.FINISHED, 143)
        assert (await site.seal(host, "relay-sealed")).state is JobState.SEALED
        assert (await site.launch(host, spec_of("relay-sealed", "echo never"))).state is JobState.SEALED
    finally:
        await site.close()


async def test_a_job_outlives_everything_on_the_way(cluster: Cluster) -> None:
    server: Server = cluster.target
    go = server.account.directory("relay-outlives") / "go"
    site = cluster.site()
    try:
        await site.launch(server.host, spec_of("relay-out", f'while [ ! -e "{go}" ]; do sleep 0.02; done; exit 5'))
    finally:
        await site.close()
    cut_target(cluster)
    cut_inner(cluster)
    cut_admin(cluster)
    later = cluster.site()
    try:
        (job,) = [job for job in await later.jobs(server.host) if job.id == "relay-out"]
        assert job.state is JobState.RUNNING
        go.touch()
        assert (await read_to_end(later, server.host, "relay-out"))[1].rc == 5
    finally:
        await later.close()


async def test_two_clients_launch_one_id_at_once(cluster: Cluster) -> None:
    counter = cluster.target.account.directory("relay-once") / "counter"
    spec = spec_of("relay-once", f'echo ran >>"{counter}"; exit 7')
    made = [cluster.site(), cluster.site()]
    try:
        seen = await asyncio.gather(*(made[n % 2].launch(cluster.target.host, spec) for n in range(4)))
        assert {status.state for status in seen} <= {JobState.RUNNING, JobState.FINISHED}
        assert (await read_to_end(made[0], cluster.target.host, "relay-once"))[1].rc == 7
    finally:
        for site in made:
            await site.close()
    assert counter.read_text() == "ran\n"
