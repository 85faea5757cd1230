"""Thirty-six ways to break a launch on a real OpenSSH server; in none of them does the job run twice."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
import pytest

from remote import jobs
from remote.jobs import JobState, JobStatus
from remote.live import LiveSite
from tests.conftest import Sites
from tests.openssh import Server
from tests.processes import send
from tests.remote import launching_client
from tests.remote.staged_launch import LOG, STAGES, Stage, read_to_end
from tests.waiting import until

pytestmark = pytest.mark.openssh


class Case:
    """One launch that is held at a stage, and two clients."""

    def __init__(self, server: Server, sites: Sites, stage: Stage) -> None:
        self.server = server
        self.stage = stage
        self.first: LiveSite = sites(server, armed=True)
        self.second: LiveSite = sites(server, armed=True)

    async def launch(self, site: LiveSite) -> JobStatus:
        """Launch the job, in whatever state it is."""
        return await site.launch(self.server.host, self.stage.spec)

    async def held(self) -> asyncio.Task[JobStatus]:
        """Launch by the first client, and wait for the launch to stand at the stage."""
        task = asyncio.create_task(self.launch(self.first))
        try:
            await self.stage.reached()
        except BaseException:
            task.cancel()
            raise
        return task

    def go_on(self) -> None:
        """Hold nothing any more."""
        self.stage.release()
        self.stage.let_end()

    async def ends(self) -> tuple[bytes, JobStatus]:
        """The job's whole log and last state, when nothing of any launch is left that could still run it."""
        self.go_on()
        seen = await read_to_end(self.second, self.server.host, self.stage.id)
        await until(lambda: not self.living())
        return seen

    def living(self) -> set[int]:
        """Launchers and runners that live, the job's command, and whatever else knows the job's name."""
        stage = self.stage
        came_by = {pid for name in STAGES for pid in stage.pids(name)}
        return {*self.server.processes(f"{stage.id}/"), *(came_by & set(self.server.processes()))}


async def session_killed(case: Case) -> None:
    launching = await case.held()
    case.server.kill_sessions()
    case.go_on()
    status = await launching  # recovers by itself
    assert status.state in (JobState.RUNNING, JobState.FINISHED)


async def launcher_killed(case: Case) -> None:
    launching = await case.held()
    send([pid for pid in case.living() if pid == case.stage.launcher], signal.SIGKILL)
    case.go_on()
    status = await launching
    assert status.state in (JobState.RUNNING, JobState.FINISHED)


async def runner_killed(case: Case) -> None:
    launching = await case.held()
    if case.stage.runner is not None:
        send([case.stage.runner], signal.SIGKILL)
    case.go_on()
    await launching


async def client_killed(case: Case) -> None:
    errand = launching_client.Errand(str(case.server.farm.config), case.server.host, case.stage.text, case.stage.spec)
    client = subprocess.Popen([sys.executable, launching_client.__file__], stdin=subprocess.PIPE)
    assert client.stdin is not None
    client.stdin.write(msgspec.json.encode(errand))
    client.stdin.close()
    try:
        await case.stage.reached()
    finally:
        client.kill()
        client.wait()
    case.go_on()
    status = await case.launch(case.second)
    assert status.state in (JobState.RUNNING, JobState.FINISHED)


async def _frozen(case: Case, meanwhile: Callable[[], Awaitable[JobStatus]]) -> JobStatus:
    """Stop the first launch and its runner, do something from another connection, and let them go on."""
    launching = await case.held()
    pids = [case.stage.launcher, *([case.stage.runner] if case.stage.runner else [])]
    send(pids, signal.SIGSTOP)
    try:
        case.stage.release()
        status = await meanwhile()
    finally:
        send(pids, signal.SIGCONT)
    case.go_on()
    assert (await launching).state in (JobState.RUNNING, JobState.FINISHED, JobState.SEALED)
    return status


async def frozen(case: Case) -> None:
    status = await _frozen(case, lambda: case.launch(case.second))
    assert status.state is JobState.RUNNING


async def sealed(case: Case) -> None:
    status = await _frozen(case, lambda: case.second.seal(case.server.host, case.stage.id))
    expected = JobState.SEALED if case.stage.stage in ("prep", "beforefork", "beforeln") else JobState.RUNNING
    assert status.state is expected


FAULTS = (session_killed, launcher_killed, runner_killed, client_killed, frozen, sealed)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: str(fault.__name__))
@pytest.mark.parametrize("stage", STAGES)
async def test_a_broken_launch_never_runs_twice(
    stage: str,
    fault: Callable[[Case], Awaitable[None]],
    server: Server,
    sites: Sites,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Stage(server.account, f"{stage}-{fault.__name__}", stage)
    if stage == "beforerc":  # it comes after the command
        made.let_end()
    monkeypatch.setattr(jobs, "_host_side", lambda: made.text)
    case = Case(server, sites, made)
    await fault(case)
    log, status = await case.ends()
    if fault is sealed and stage in ("prep", "beforefork", "beforeln"):
        assert (status.state, log, made.runs()) == (JobState.SEALED, b"", 0)
    elif fault is runner_killed and stage in ("afterfork", "afterln", "beforerc"):
        # the code is lost with the runner, and the state says so
        assert (status.state, status.rc) == (JobState.LOST, None)
        assert (log, made.runs()) == ((b"", 0) if stage == "afterln" else (LOG, 1))
    else:
        assert (status.state, status.rc, log, made.runs()) == (JobState.FINISHED, 7, LOG, 1)


async def test_a_settled_job_is_never_run_again(server: Server, sites: Sites, tmp_path: Path) -> None:
    """Whoever launches the id of a job that has ended is told how it ended."""
    stage = Stage(server.account, "again", "prep")
    stage.let_end()
    site = sites(server, armed=True)
    await site.launch(server.host, stage.spec)
    await read_to_end(site, server.host, stage.id)
    status = await site.launch(server.host, stage.spec)
    assert (status.state, status.rc, stage.runs()) == (JobState.FINISHED, 7, 1)
