"""Jobs over connections that are cut, and clients that do the same thing at once."""

from __future__ import annotations

import asyncio
import hashlib

import pytest

from remote.command import Command, Effect
from remote.jobs import JobSpec, JobState
from remote.site import Chunk, HostLink, JobLog, StateSeen
from tests.conftest import Sites
from tests.openssh import Farm, Server
from tests.remote.staged_launch import read_to_end
from tests.waiting import until

pytestmark = pytest.mark.openssh


def shell_job(name: str, script: str) -> JobSpec:
    """A job that runs a line of shell."""
    return JobSpec(name, "a test", "tests", Command(("sh", "-c", script), Effect.CHANGES))


@pytest.mark.parametrize("clients", [2, 16])
async def test_launches_of_one_id_at_once_run_once(clients: int, server: Server, sites: Sites) -> None:
    name = f"at-once-{clients}"
    counter = server.account.directory(name) / "counter"
    spec = shell_job(name, f'echo ran >>"{counter}"; echo out; exit 7')
    made = [sites(server, armed=True) for _ in range(min(clients, 4))]
    for site in made:
        await site.place(server.host)  # connected, so that the launches really come at once
    seen = await asyncio.gather(*(made[index % len(made)].launch(server.host, spec) for index in range(clients)))
    assert {status.state for status in seen} <= {JobState.RUNNING, JobState.FINISHED}
    log, status = await read_to_end(made[0], server.host, name)
    await until(lambda: not server.processes(f"{name}/"))
    assert (log, status.rc, counter.read_text()) == (b"out\n", 7, "ran\n")
    # the runners that came second left nothing of theirs
    directory = server.account.home / ".local/state/restripe" / name
    assert not list(directory.glob("try.*"))


async def test_a_large_log_arrives_whole_through_cut_connections(server: Server, sites: Sites) -> None:
    last = 2_700_000
    expected = hashlib.sha256("".join(f"{number}\n" for number in range(1, last + 1)).encode())
    site = sites(server, armed=True)
    lost: list[HostLink] = []
    site.on_link = lambda link: lost.append(link) if link.state == "waiting" else None
    await site.launch(server.host, shell_job("large", f"seq 1 {last}; exit 3"))

    cuts = [1 << 20, 5 << 20, 10 << 20, 15 << 20]
    size = 0
    received = hashlib.sha256()
    states = []
    async for event in site.follow(server.host, JobLog("large")):
        if isinstance(event, Chunk):
            assert event.offset == size
            received.update(event.data)
            size += len(event.data)
            if cuts and size > cuts[0] and server.sessions():
                cuts.pop(0)
                server.kill_sessions()  # before the next look, which is a larger one each time
        else:
            assert isinstance(event, StateSeen)
            states.append(event.status)
    assert len(lost) >= 3
    assert (size, received.digest()) == (states[-1].size, expected.digest())
    assert (states[-1].state, states[-1].rc) == (JobState.FINISHED, 3)


async def test_a_follower_goes_on_where_another_stopped(server: Server, sites: Sites) -> None:
    go = server.account.directory("resume") / "go"
    site = sites(server, armed=True)
    await site.launch(
        server.host, shell_job("resume", f'printf 0123456789; while [ ! -e "{go}" ]; do sleep 0.02; done; echo abc')
    )

    async def beginning() -> bytes:
        log = b""
        async for event in site.follow(server.host, JobLog("resume")):
            log += event.data if isinstance(event, Chunk) else b""
            if len(log) == 10:
                break
        return log

    assert await beginning() == b"0123456789"
    go.touch()
    assert (await read_to_end(sites(server), server.host, "resume", 10))[0] == b"abc\n"


async def test_an_unreachable_host_is_unknown_and_then_goes_on(farm: Farm, sites: Sites) -> None:
    server = farm.server("outage")
    go = server.account.directory("outage") / "go"
    site = sites(server, armed=True)
    spec = shell_job("outage", f'echo start; while [ ! -e "{go}" ]; do sleep 0.02; done; echo end; exit 5')
    await site.launch(server.host, spec)
    log = b""
    states = []
    async for event in site.follow(server.host, JobLog("outage")):
        if isinstance(event, Chunk):
            log += event.data
            continue
        assert isinstance(event, StateSeen)
        states.append(event.status)
        if states[-1].state is JobState.RUNNING and len(states) == 1:
            server.stop()
        elif states[-1].state is JobState.UNKNOWN:
            go.touch()  # it ends while nobody can see it
            server.start()
            site.fleet.retry(server.host)
    assert [status.state for status in states] == [JobState.RUNNING, JobState.UNKNOWN, JobState.FINISHED]
    assert (log, states[-1].rc) == (b"start\nend\n", 5)
