"""Moving the metadata to the SSDs, and the proof."""

from __future__ import annotations

from typing import ClassVar

from remote.checked import Check, Outcome
from remote.gpfs import commands as gpfs
from remote.gpfs.models import DiskList, FsSpace, Usage, Waiters
from supervision.gpfs_aftermath import at_work
from supervision.gpfs_view import View
from supervision.guide_jobs import split_id
from supervision.plan import Plan
from supervision.recipe import Act, Happened, PathOf, Questions, StepSpec
from supervision.recipes.metadata_to_ssd.base import GpfsStep, need, told
from supervision.state import State
from supervision.supervisor import Cadence

FULL_PERCENT = 85
"""From here on a metadata disk is called full."""


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

    def proof(self, plan: Plan) -> Questions:
        """The disks, with the sentences behind them."""
        return Questions((gpfs.mmlsdisk(plan.file_system),))

    def proven(self, view: View, plan: Plan, since: float) -> tuple[Check, ...]:
        """No file failed, and that one sentence is gone; others are told apart."""
        disks = need(view, DiskList, since)
        at, source = view.at(DiskList), f"mmlsdisk {plan.file_system}"
        failed = _failures(view.state, plan)
        right = "every phase is complete"
        checks = [told("no-failures", "No file failed", failed, right, at, "the log of mmrestripefs")]
        checks.append(_replicated(disks, plan, at, source))
        if disks.at_risk or disks.unbalanced:
            outcome = Outcome.BLOCK if disks.at_risk else Outcome.NOTE
            advice = "" if not disks.at_risk else "See mmlsdisk, and IBM's support if it stays"
            title = "GPFS says nothing else against the file system"
            checks.append(Check("attention", title, outcome, " ".join(disks.attention), advice, at, source))
        return tuple(checks)

    def told(self, view: View, plan: Plan, since: float) -> Happened:
        """The old disks are dataOnly, the sentence is gone, and the SSDs hold more than the inodes alone take."""
        disks = need(view, DiskList, since)
        old = [disks.get(each.nsd) for each in plan.old_disks]
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
        return Happened.YES if metadata.used_kb >= plan.sizing.floor_kb else Happened.NO

    def meanwhile(self, plan: Plan, host: str) -> tuple[Cadence, ...]:
        """The disks; and mmdf, which reads every allocation map, rarely."""
        return (
            Cadence("disks", 120.0, host, (gpfs.mmlsdisk(plan.file_system),)),
            Cadence("space", 900.0, host, (gpfs.mmdf(plan.file_system),)),
        )


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
    )

    def proof(self, plan: Plan) -> Questions:
        """The disks and the space on them."""
        return Questions((gpfs.mmlsdisk(plan.file_system), gpfs.mmdf(plan.file_system)))

    def proven(self, view: View, plan: Plan, since: float) -> tuple[Check, ...]:
        """How much is on the SSDs, and how full they are."""
        space = need(view, FsSpace, since)
        at, source = view.at(FsSpace), f"mmdf {plan.file_system}"
        title, floor = "The metadata is on the SSDs (by what they hold)", plan.sizing.floor_kb
        if space.metadata is None or not space.exact:
            return (Check("metadata-moved", title, Outcome.UNKNOWN, "mmdf does not tell it", "", at, source),)
        used = space.metadata.used_kb
        wrong = [f"the SSDs hold {used:,} KB, and the inodes alone are {floor:,} KB"] if used < floor else []
        right = (
            f"{used:,} KB of metadata on the SSDs (inodes alone: {floor:,} KB). The proof is indirect: no mm* command "
            "tells what is left on a dataOnly disk"
        )
        return told("metadata-moved", title, wrong, right, at, source), *_full(space, plan, at, source)


def _full(space: FsSpace, plan: Plan, at: float | None, source: str) -> list[Check]:
    free = {device.nsd: row.free_blocks_percent for device in plan.devices if (row := space.get(device.nsd))}
    full = [f"{nsd} has only {percent} % free" for nsd, percent in free.items() if percent < 100 - FULL_PERCENT]
    if not full:
        return []
    advice = "Full metadata disks stop the file system: add more"
    return [Check("ssds-full", "The SSDs have room", Outcome.WARNING, "; ".join(full), advice, at, source)]


def _failures(state: State, plan: Plan) -> list[str]:
    """What the log of the last restripe says of files that failed."""
    mine = []
    for (host, told_id), job in state.jobs.items():
        parts = split_id(told_id, plan.id)
        if parts and parts[1] == RestripeAll.SPEC.name:
            mine.append((parts[2], host, job.status.id))
    if not mine:
        return []
    _, host, last = max(mine)
    log = state.job_log(host, last)
    return list(log.scan.failures) if log else []


def _replicated(disks: DiskList, plan: Plan, at: float | None, source: str) -> Check:
    key, title = "replicated", "The file system is properly replicated again"
    if not disks.not_properly_replicated:
        return Check(key, title, Outcome.PASS, "the file system is properly replicated again", "", at, source)
    if plan.options.metadata_only:
        read = "GPFS still says that it is not; with --metadata-only that is not known to go away"
        return Check(key, title, Outcome.NOTE, read, "", at, source)
    read = "the file system is still not properly replicated"
    advice = "See the log of mmrestripefs for files that failed, then run it again"
    return Check(key, title, Outcome.BLOCK, read, advice, at, source)
