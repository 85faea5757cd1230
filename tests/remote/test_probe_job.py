"""The probe as a detached job: launched, followed into the state, found again by another session, stopped."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from remote.events import Header
from remote.jobs import JobState, Place
from remote.recorder import RecordingSite
from remote.recording import VERSION
from remote.site import JobLog, StateSeen
from supervision.journal import Journal
from supervision.probejob import FILE, is_probe, probe_spec, probes, refusal
from supervision.probing import Outcome
from supervision.store import Store
from tests.remote.local_host import HOST, LocalHost
from tests.waiting import until


async def test_a_probe_is_a_job_whose_log_becomes_samples_and_that_stops_clean(dash: LocalHost) -> None:
    users = dash.directory / "users' own"
    users.mkdir()
    journal = Journal(Store(Header(VERSION, "0", 0.0, 0.0, "fs1", (HOST,), HOST)))
    site = RecordingSite(dash.site, journal.emit)
    spec = probe_spec(await site.place(HOST), "fs1-probe-1", "me", str(users), mean=0.05, deadline=5, budget=2.5)
    assert (await site.launch(HOST, spec)).state is JobState.RUNNING

    async def follow() -> JobState | None:
        state = None
        async with aclosing(site.follow(HOST, JobLog(spec.id))) as seen:
            async for each in seen:
                if isinstance(each, StateSeen):
                    state = each.status.state
        return state

    following = asyncio.ensure_future(follow())
    await until(lambda: [probe for probe in probes(journal.store.state) if probe.samples.ended >= 2])
    (probe,) = probes(journal.store.state)
    setup = probe.samples.setup
    assert setup is not None
    assert (probe.host, probe.samples.hung, setup.mean, setup.deadline, setup.budget) == (HOST, 0, 0.05, 5.0, 2.5)
    assert setup.directory.startswith(f"{users}/.restripe-probe-")
    assert {sample.outcome for sample in probe.samples.recent} == {Outcome.OK}
    assert [is_probe(status) for status in await site.jobs(HOST)] == [True]  # as any other session learns of it
    await site.stop(HOST, spec.id)
    assert await following is JobState.FINISHED
    (probe,) = probes(journal.store.state)
    assert (probe.job.status.rc, probe.samples.over, probe.samples.left) == (0, True, "")
    assert list(users.iterdir()) == []


def test_a_probe_is_sent_as_its_jobs_file_and_its_command_says_all_of_it() -> None:
    spec = probe_spec(Place("/var/lib/restripe", "boot"), "fs1-probe-2", "me", "/gpfs/fs1/tmp", budget=3.0)
    assert spec.command.text == "sh /var/lib/restripe/fs1-probe-2/run/probe.sh /gpfs/fs1/tmp 20 30 4 2419200 3"
    ((name, text),) = spec.files
    assert (name, text.splitlines()[-1]) == (FILE, 'main "$@"')
    assert (spec.command.interruptible, spec.command.privileged) == (True, False)


@pytest.mark.parametrize(
    ("directory", "mean", "budget", "why"),
    [
        ("gpfs/fs1", 20.0, None, "not an absolute path"),
        ("/gpfs/a\nb", 20.0, None, "not an absolute path"),
        ("/gpfs", 90.0, None, "a probe comes every 1 to 60 seconds, not every 90"),
        ("/gpfs", float("nan"), None, "a probe comes every 1 to 60 seconds"),
        ("/gpfs", 20.0, 0.5, "a budget is a factor of at least 1, not 0.5"),
        ("/gpfs", 20.0, float("inf"), "a budget is a factor"),
    ],
)
def test_what_cannot_be_meant_is_no_probe(directory: str, mean: float, budget: float | None, why: str) -> None:
    assert refusal(directory, mean, budget).startswith(why)
    with pytest.raises(ValueError, match=why):
        probe_spec(Place("/jobs", "boot"), "p", "me", directory, mean=mean, budget=budget)
