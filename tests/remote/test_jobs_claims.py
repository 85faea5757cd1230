"""What a job directory tells when somebody or a crash has been at it: never "it was not started"."""

from __future__ import annotations

import pytest

from remote.command import Command, Effect
from remote.errors import JobError
from remote.jobs import JobSpec, JobState
from tests.remote.local_host import HOST, LocalHost
from tests.waiting import until


def spec(job_id: str, script: str) -> JobSpec:
    return JobSpec(job_id, "a test", "me", Command(("sh", "-c", script), Effect.CHANGES))


async def test_a_claim_that_is_gone_is_lost_and_never_started_again(dash: LocalHost) -> None:
    site, base = dash.site, dash.base
    counter = dash.directory / "runs"
    job = spec("claim-gone", f"echo run >>{counter}; echo said")
    await site.launch(HOST, job)
    await until(lambda: any(base.joinpath("claim-gone").glob("rc.0.*")))
    for name in ("started", *(path.name for path in base.joinpath("claim-gone").glob("rc.*"))):
        base.joinpath("claim-gone", name).unlink()
    again = await site.launch(HOST, job)
    assert (again.state, again.note) == (JobState.LOST, "claim_gone")
    assert counter.read_text() == "run\n"


async def test_an_id_with_another_command_is_not_taken_for_ours(dash: LocalHost) -> None:
    site = dash.site
    await site.launch(HOST, spec("same-id", "exit 0"))
    with pytest.raises(JobError) as error:
        await site.launch(HOST, spec("same-id", "exit 1"))
    assert error.value.note == "other_command"
    assert "another command" in str(error.value)


async def test_a_killed_command_whose_children_work_on_has_not_ended(dash: LocalHost) -> None:
    site = dash.site
    await site.launch(HOST, spec("children", "sleep 300 & kill -TERM $$; wait"))
    await until(lambda: any(dash.base.joinpath("children").glob("rc.143.*")))
    (seen,) = [job for job in await site.jobs(HOST) if job.id == "children"]
    assert (seen.state, seen.rc, seen.note) == (JobState.ORPHAN, None, "group_lives")
    await site.stop(HOST, "children", kill=True)

    async def finished() -> bool:
        return (await dash.state("children")).state is JobState.FINISHED

    await until(finished)  # type: ignore[arg-type]  # T or Awaitable[T]: mypy cannot tell
    assert (await dash.state("children")).rc == 143
