"""Jobs that the login may not see: what cannot be looked into is not absent, and a failed list is not an empty one."""

from __future__ import annotations

import pytest

from remote.errors import JobError
from remote.jobs import JobState
from tests.conftest import Sites
from tests.openssh import Server
from tests.remote.local_host import HOST, LocalHost, shell_job
from tests.remote.staged_launch import read_to_end

pytestmark = pytest.mark.openssh


async def test_a_list_that_fails_is_no_empty_list(dash: LocalHost) -> None:
    assert await dash.site.jobs(HOST) == ()
    dash.env["RESTRIPE_JOBS"] = "relative"
    with pytest.raises(JobError) as error:
        await dash.site.jobs(HOST)
    assert error.value.note == "base_relative"


async def test_a_hidden_base_is_an_error(server: Server, sites: Sites) -> None:
    base = server.account.directory("hidden-base")
    site = sites(server, armed=True, base=base)
    spec = shell_job("there", "exit 0")
    await site.launch(server.host, spec)
    await read_to_end(site, server.host, "there")
    for mode in (0o000, 0o300, 0o600):
        base.chmod(mode)
        with pytest.raises(JobError) as listed:
            await site.jobs(server.host)
        with pytest.raises(JobError) as launched:
            await site.launch(server.host, spec)
        with pytest.raises(JobError) as sealed:
            await site.seal(server.host, "there")
        assert {error.value.note for error in (listed, launched, sealed)} == {"base_unreadable"}
        _, status = await read_to_end(site, server.host, "there")
        assert (status.state, status.note) == (JobState.ERROR, "base_unreadable")
    base.chmod(0o700)


async def test_one_hidden_job_among_others_is_said_to_be_hidden(server: Server, sites: Sites) -> None:
    base = server.account.directory("hidden-job")
    site = sites(server, armed=True, base=base)
    for name in ("open", "shut"):
        await site.launch(server.host, shell_job(name, "exit 0"))
        await read_to_end(site, server.host, name)
    (base / "shut").chmod(0o000)
    jobs = await site.jobs(server.host)
    (base / "shut").chmod(0o700)
    states = {job.id: (job.state, job.note) for job in jobs}
    assert states == {"open": (JobState.FINISHED, ""), "shut": (JobState.ERROR, "base_unreadable")}
