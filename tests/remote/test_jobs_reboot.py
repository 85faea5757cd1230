"""Launches that cannot be told apart from here: a host rebooted meanwhile, errors after lost answers, no hard links."""

from __future__ import annotations

import asyncio
import signal
from typing import Any

import pytest

from remote import jobs, live
from remote.errors import AnswerLostError, JobError, SiteError
from remote.jobs import JobState
from remote.ssh.connection import Output
from tests.conftest import Sites
from tests.openssh import Farm, Server
from tests.processes import send
from tests.remote.local_host import HOST, LocalHost, shell_job
from tests.remote.staged_launch import Stage
from tests.waiting import until

pytestmark = pytest.mark.openssh


@pytest.fixture
def server(farm: Farm) -> Server:
    return farm.server("rebooting", env={"RESTRIPE_BOOT_ID": "first"})


async def test_a_launch_whose_host_was_rebooted_is_left_to_a_person(
    server: Server, sites: Sites, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash may have eaten the link of a job that did start, so nobody launches it again by himself."""
    stage = Stage(server.account, "reboot", "prep")
    stage.let_end()
    monkeypatch.setattr(jobs, "_host_side", lambda: stage.text)
    site = sites(server, armed=True)
    failed: list[str] = []
    run = site.fleet.run

    async def watched(host: str, script: str, **options: Any) -> Output:
        try:
            return await run(host, script, **options)
        except SiteError:
            failed.append(str(options["what"]))
            raise

    monkeypatch.setattr(site.fleet, "run", watched)
    launching = asyncio.create_task(site.launch(server.host, stage.spec))
    await stage.reached()

    server.stop()
    send(server.processes(), signal.SIGKILL)
    stage.release()
    server.set_environment({"RESTRIPE_BOOT_ID": "second"})
    # the host comes back while nobody asks, so that the launch itself is the first to find it
    await until(lambda: len(failed) > 1)
    server.start()
    site.fleet.retry(server.host)

    status = await launching
    assert (status.state, status.note) == (JobState.UNKNOWN, "other_boot")
    assert "rebooted" in status.meaning
    assert stage.runs() == 0
    # whoever has looked decides: sealed, it can never start
    assert (await site.seal(server.host, stage.id)).state is JobState.SEALED


async def test_a_launch_is_meant_for_one_boot(host: LocalHost) -> None:
    spec = shell_job("boot", f'echo ran >>"{host.directory}/counter"')
    script = jobs.launch_script("n0nce", "", spec, sudo=False, boot_id="another")
    output = await host.fleet.run(HOST, script, deadline=20, limit=10_000, what="launch")
    (header,) = jobs.read_headers("n0nce", output.stdout)
    assert (header.state, header.note) == ("error", "other_boot")
    assert not (host.directory / "counter").exists()
    # a job that is there is told as it is, whichever boot it was meant for
    await host.site.launch(HOST, spec)
    output = await host.fleet.run(HOST, script, deadline=20, limit=10_000, what="launch")
    (header,) = jobs.read_headers("n0nce", output.stdout)
    assert header.state in ("running", "finished")


async def test_an_error_after_a_lost_answer_does_not_prove_that_nothing_runs(
    dash: LocalHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first try may still be on its way there while the second one finds the disk full."""
    run = dash.fleet.run

    async def losing(host: str, script: str, **options: Any) -> Output:
        if options["what"] == "place":
            return await run(host, script, **options)
        dash.env["RESTRIPE_JOBS"] = "not-any-more"
        monkeypatch.setattr(dash.fleet, "run", run)
        raise AnswerLostError(host, "lost")

    monkeypatch.setattr(dash.fleet, "run", losing)
    status = await dash.launch("error", "true")
    assert (status.state, status.note) == (JobState.UNKNOWN, "base_relative")


async def test_a_job_that_never_gets_claimed_is_unknown_in_the_end(
    dash: LocalHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system without hard links, for one: the runner goes away, and nothing is run, however often."""
    monkeypatch.setattr(live, "LAUNCH_PATIENCE", 0.1)
    dash.tool("ln", "exit 1")
    dash.tool("sleep", "exit 0")  # nobody needs to wait for it here
    status = await dash.launch("no-links", f"touch {dash.directory}/ran")
    assert (status.state, status.note) == (JobState.UNKNOWN, "not_claimed")
    with pytest.raises(JobError) as error:
        await dash.site.seal(HOST, "no-links")
    assert error.value.note == "no_hard_links"
    assert not (dash.directory / "ran").exists()
