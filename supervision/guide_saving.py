"""What is saved before a step, as a job of its own beside the plan's others: it changes nothing of the file system."""

from __future__ import annotations

from remote.jobs import JobSpec, JobStatus, Place
from supervision.guide_jobs import PlanJobs, job_id, split_id
from supervision.plan import Plan
from supervision.recipe import GuidedStep, PathOf
from supervision.supervisor import Supervisor


async def save(
    supervisor: Supervisor, jobs: PlanJobs, plan: Plan, number: int, step: GuidedStep, host: str, operator: str
) -> JobStatus | None:
    """Run what a step wants saved, unless it was; how it ended, None where there is nothing to save.

    Its end decides nothing here: the checks of the step look at it. Raises SiteError.
    """
    place = await supervisor.site.place(host)
    first = step.saves(plan, lambda name: name)
    if first is None:
        return None
    name = first.command.argv[0]
    told = [(split_id(status.id, plan.id), status) for status in await supervisor.site.jobs(host)]
    mine = sorted(
        ((each[2], status) for each, status in told if each and each[:2] == (number, name)), key=lambda each: each[0]
    )
    for _, status in mine:
        if status.rc == 0 or not status.state.settled:
            return await jobs.follow_job(host, status)
    new = job_id(plan, number, name, mine[-1][0] + 1 if mine else 1)
    act = step.saves(plan, _path(place, new))
    assert act is not None
    spec = JobSpec(new, f"{plan.id}: {name}", operator, act.command, act.files)
    return await jobs.follow_job(host, await supervisor.site.launch(host, spec))


def _path(place: Place, told: str) -> PathOf:
    return lambda name: place.file(told, name)
