"""What is saved before anything is changed: the configuration of the file system, and what describes its disks.

The answers to questions are in the recording. `mmbackupconfig` writes a file, so it is a job like any other.
"""

from __future__ import annotations

from remote.command import Command, quote
from remote.gpfs import commands as gpfs
from remote.gpfs.models import FileSystem, NsdDevices, Qos
from remote.jobs import JobState
from supervision.gpfs_preflight_grounds import Finding, Grounds, Rule, block, note, passed, warning
from supervision.gpfs_view import is_about
from supervision.plan import Plan

FILE = "backupconfig"
"""The name that the file of mmbackupconfig has beside its job."""


def saving(plan: Plan, path: str) -> Command:
    """The job that writes the configuration of the file system to a path on the host of the jobs."""
    return gpfs.mmbackupconfig(plan.file_system, path)


def questions(plan: Plan) -> tuple[Command, ...]:
    """What must be in the recording before anything is changed."""
    fs = plan.file_system
    return gpfs.mmlsfs(fs), gpfs.mmlsdisk(fs, long=True), gpfs.mmlsnsd_devices(), gpfs.mmlsqos(fs)


def snap_offer(plan: Plan) -> str:
    """What IBM's support will ask for after a failure. It is offered and never run: it takes long and fills /tmp."""
    nodes = ",".join(plan.nodes)
    command = quote(("gpfs.snap", *(("-N", nodes) if nodes else ())))
    return f"For support, by hand on {plan.host}, and soon, before logs are rotated: {command}"


def _told(grounds: Grounds) -> Finding:
    """The tables of now are in the recording."""
    grounds.need(FileSystem)
    grounds.disk_details()
    grounds.need(NsdDevices)
    if not grounds.lacks(Qos):
        grounds.need(Qos)
    return passed("mmlsfs, mmlsdisk -L, mmlsnsd -X and mmlsqos are in the recording")


def _written(grounds: Grounds) -> Finding:
    """Whether mmbackupconfig has run for this plan."""
    jobs = [
        job
        for job in grounds.view.state.jobs.values()
        if job.status.id.startswith(f"{grounds.plan.id}-") and is_about(job, grounds.view.name, "mmbackupconfig")
    ]
    good = [job for job in jobs if job.status.state is JobState.FINISHED and job.status.rc == 0]
    if good:
        return passed(f"mmbackupconfig: job {good[-1].status.id} on {good[-1].host}")
    if any(not job.status.state.settled for job in jobs):
        return block(f"mmbackupconfig has not ended yet (job {jobs[-1].status.id})", "Wait for it")
    by_hand = f"mmbackupconfig {grounds.view.name} -o FILE"
    if jobs:
        status = jobs[-1].status
        text = f"mmbackupconfig did not end well: {f'exit code {status.rc}' if status.rc else status.meaning}"
        return warning(text, f"See its log; by hand: `{by_hand}`, and keep the file elsewhere")
    text = "mmbackupconfig has not run for this plan yet"
    return note(text, f"It runs first, as a job, when the step is begun; by hand: `{by_hand}`, kept elsewhere")


RULES = (
    Rule("saved-tables", "What describes the disks is in the recording", _told),
    Rule("saved-config", "The configuration of the file system is saved", _written),
)
