"""Moving the metadata to the SSDs, and the proof."""

from __future__ import annotations

from typing import ClassVar

from remote.gpfs import commands as gpfs
from remote.gpfs.models import DiskList, FsSpace, Usage, Waiters
from remote.jobs import JobStatus
from supervision.gpfs_aftermath import at_work
from supervision.gpfs_view import View
from supervision.guide_jobs import split_id
from supervision.plan import Plan
from supervision.recipe import Act, Happened, PathOf, StepSpec
from supervision.recipes.metadata_to_ssd.base import GpfsStep, need
from supervision.recipes.metadata_to_ssd.changing import ChangeBack, ChangeOldDisks
from supervision.state import State
from supervision.supervisor import Cadence


class RestripeAll(GpfsStep):
    """Step 7."""

    SPEC: ClassVar = StepSpec(
        "mmrestripefs",
        "move the metadata to the SSDs",
        "The restripe moves every block of metadata that lies on a disk which is not for it any more, and restores the "
        "copies; each file keeps its own number of them. It works beside the users, and takes hours.",
        "All phases are complete, and GPFS says no more that the file system is not properly replicated.",
        "hours: as long as it takes to read the metadata of all inodes; the Restripe screen forecasts the end",
        "stop it, change the old disks back with mmchdisk, then mmdeldisk moves the metadata back",
        "It may be stopped and run again: what was moved stays moved, and the scan begins anew.",
    )

    def act(self, state: State, plan: Plan, path: PathOf) -> Act | None:
        """mmrestripefs -r by the nodes of the plan."""
        return self.draft(plan, path)

    def draft(self, plan: Plan, path: PathOf) -> Act | None:
        """The same."""
        metadata_only = plan.options.metadata_only
        return Act(gpfs.mmrestripefs(plan.file_system, plan.nodes, metadata_only=metadata_only))

    def told(self, view: View, plan: Plan, since: float) -> Happened:
        """The old disks are dataOnly, the sentence is gone, and the SSDs hold more than the inodes alone take.

        A run whose exit code was lost, or was another than 0, is never taken for whole: it may have left files out, and
        to run it again does no harm. Nor is one that began before the old disks were changed last.
        """
        disks = need(view, DiskList, since)
        old = [disks.get(each.nsd) for each in plan.old_disks]
        if _changed_since(view.state, plan):
            return Happened.NO
        if not all(disk is not None and disk.usage is Usage.DATA_ONLY for disk in old):
            return Happened.NO
        threads = [(view.facts.fact(Waiters, host), view.facts.get(Waiters, host)) for host in view.hosts]
        if any(fact and waiters and fact.at >= since and at_work(waiters) for fact, waiters in threads):
            return Happened.UNKNOWN  # the daemons go on with it, whatever became of the command
        if disks.not_properly_replicated:
            return Happened.UNKNOWN if plan.options.metadata_only else Happened.NO
        metadata = need(view, FsSpace, since).metadata
        if metadata is None:
            return Happened.UNKNOWN
        if metadata.used_kb < plan.sizing.floor_kb:
            return Happened.NO
        return Happened.YES if _ended_well(view.state, plan) else Happened.PARTLY

    def meanwhile(self, plan: Plan, host: str) -> tuple[Cadence, ...]:
        """The disks; and mmdf, which reads every allocation map, rarely."""
        return (
            Cadence("disks", 120.0, host, (gpfs.mmlsdisk(plan.file_system),)),
            Cadence("space", 900.0, host, (gpfs.mmdf(plan.file_system),)),
        )


def _ended_well(state: State, plan: Plan) -> bool:
    """Whether the last restripe of the plan ended with exit code 0; also when there was none: by hand it may have."""
    tries = _tries(state, plan, RestripeAll.SPEC.name)
    return not tries or tries[-1].rc == 0


def _changed_since(state: State, plan: Plan) -> bool:
    """Whether the old disks were changed after the last restripe began: until then they may have taken metadata."""
    tries = _tries(state, plan, RestripeAll.SPEC.name)
    changes = _tries(state, plan, ChangeOldDisks.SPEC.name) + _tries(state, plan, ChangeBack.SPEC.name)
    began = tries[-1].began if tries else None
    return began is not None and any(each.began is not None and each.began > began for each in changes)


def _tries(state: State, plan: Plan, name: str) -> list[JobStatus]:
    """How it stands with the jobs of a step by that name, the last try last."""
    found = [
        (parts[2], job.status)
        for job in state.jobs.values()
        if (parts := split_id(job.status.id, plan.id)) and parts[1] == name
    ]
    return [status for _, status in sorted(found, key=lambda each: each[0])]


class Proof(GpfsStep):
    """Step 8."""

    SPEC: ClassVar = StepSpec(
        "proof",
        "look again, and compare with what was promised",
        "Exit codes are not enough: the tables must show it. No mm* command tells what metadata is left on a dataOnly "
        "disk, so the proof is indirect, and called so.",
        "Every disk is ready and up, every copy is there, and the SSDs hold more than the inodes alone take.",
        "some minutes: mmdf reads every allocation map",
        acts=False,
        tells=("moved", "new-disks-fill"),
    )
