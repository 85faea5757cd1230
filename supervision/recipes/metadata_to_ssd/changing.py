"""Turning the old disks into dataOnly disks, and back."""

from __future__ import annotations

from typing import ClassVar

from remote.checked import Check, Outcome
from remote.gpfs import commands as gpfs
from remote.gpfs.models import DiskList, Usage
from supervision.checks import describe
from supervision.gpfs_view import View
from supervision.plan import Plan
from supervision.recipe import Act, Happened, PathOf, Questions, StepSpec
from supervision.recipes.metadata_to_ssd.base import BACK_FILE, OLD_FILE, GpfsStep, need, some, told
from supervision.state import State


class ChangeOldDisks(GpfsStep):
    """Step 6."""

    SPEC: ClassVar = StepSpec(
        "mmchdisk",
        "change the old disks to dataOnly",
        "From here on new metadata goes to the SSDs alone. What is on the old disks stays there until the restripe "
        "moves it, and until then GPFS says that the file system is not properly replicated.",
        "The old disks are dataOnly; mmlsdisk says that the file system is no longer properly replicated, as it must.",
        "some seconds",
        "mmchdisk changes them back; then mmdeldisk and mmdelnsd take the SSDs out",
        "From here on the SSDs alone take new metadata: full SSDs stop the file system. Changing back is the way out.",
    )

    def act(self, state: State, plan: Plan, path: PathOf) -> Act | None:
        """mmchdisk with the plan's own stanzas."""
        return self.draft(plan, path)

    def draft(self, plan: Plan, path: PathOf) -> Act | None:
        """The same."""
        return Act(gpfs.mmchdisk_change(plan.file_system, path(OLD_FILE)), ((OLD_FILE, plan.stanzas.old),))

    def proof(self, plan: Plan) -> Questions:
        """The disks, and how much is on the SSDs before the restripe."""
        return Questions((gpfs.mmlsdisk(plan.file_system), gpfs.mmdf(plan.file_system)))

    def proven(self, view: View, plan: Plan, since: float) -> tuple[Check, ...]:
        """Every old disk dataOnly, ready and up, and the sentence that must be there now."""
        at, source = view.at(DiskList), f"mmlsdisk {plan.file_system}"
        wrong = _not_as(view, plan, since, {disk.nsd: Usage.DATA_ONLY for disk in plan.old_disks})
        now = f"{len(plan.old_disks)} disks are dataOnly"
        checks = [told("usage-changed", "The old disks are dataOnly", wrong, now, at, source)]
        said = need(view, DiskList, since).not_properly_replicated
        title = "GPFS says that a restripe is due"
        read = "it is no longer properly replicated, as it must be now" if said else "nothing of the kind"
        advice = "" if said else "See whether metadata was on the old disks at all; the restripe is needed all the same"
        outcome = Outcome.PASS if said else Outcome.WARNING
        return (*checks, Check("restripe-due", title, outcome, read, advice, at, source))

    def told(self, view: View, plan: Plan, since: float) -> Happened:
        """Old disks that are dataOnly."""
        disks = need(view, DiskList, since)
        found = [disks.get(old.nsd) for old in plan.old_disks]
        return some([disk is not None and disk.usage is Usage.DATA_ONLY for disk in found])


class ChangeBack(GpfsStep):
    """Takes back step 6. Alone it is the way out when the SSDs fill."""

    SPEC: ClassVar = StepSpec(
        "mmchdisk-back",
        "change the old disks back, so that they take metadata again",
        "New metadata can go to the old disks again at once, so that full SSDs do not stop the file system. What is on "
        "the SSDs stays there and stays in use.",
        "The old disks hold data and metadata again, as before the migration.",
        "some seconds",
    )

    def act(self, state: State, plan: Plan, path: PathOf) -> Act | None:
        """mmchdisk with the plan's own stanzas of the way back."""
        return self.draft(plan, path)

    def draft(self, plan: Plan, path: PathOf) -> Act | None:
        """The same."""
        return Act(gpfs.mmchdisk_change(plan.file_system, path(BACK_FILE)), ((BACK_FILE, plan.stanzas.back),))

    def proof(self, plan: Plan) -> Questions:
        """The disks."""
        return Questions((gpfs.mmlsdisk(plan.file_system),))

    def proven(self, view: View, plan: Plan, since: float) -> tuple[Check, ...]:
        """Every old disk as it was, ready and up."""
        wrong = _not_as(view, plan, since, {disk.nsd: Usage(disk.usage) for disk in plan.old_disks})
        now = f"{len(plan.old_disks)} disks are as they were before: {plan.old_disks[0].usage}"
        title = "The old disks take metadata again"
        return (told("usage-back", title, wrong, now, view.at(DiskList), f"mmlsdisk {plan.file_system}"),)

    def told(self, view: View, plan: Plan, since: float) -> Happened:
        """Old disks that are as they were."""
        disks = need(view, DiskList, since)
        found = [(disks.get(old.nsd), Usage(old.usage)) for old in plan.old_disks]
        return some([disk is not None and disk.usage is usage for disk, usage in found])


def _not_as(view: View, plan: Plan, since: float, usages: dict[str, Usage]) -> list[str]:
    """What is not as it must be of the old disks. Raises UnreadError."""
    disks = need(view, DiskList, since)
    found = [(nsd, usage, disks.get(nsd)) for nsd, usage in usages.items()]
    return [
        f"{nsd} is {describe(disk)}, and not {usage.value}, ready and up"
        for nsd, usage, disk in found
        if disk is None or disk.usage is not usage or not disk.ready
    ]
