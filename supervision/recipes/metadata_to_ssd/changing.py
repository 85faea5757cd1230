"""Turning the old disks into dataOnly disks, and back."""

from __future__ import annotations

from typing import ClassVar

from remote.gpfs import commands as gpfs
from remote.gpfs.models import DiskList, Usage
from supervision.gpfs_view import View
from supervision.plan import Plan
from supervision.recipe import Act, Happened, PathOf, StepSpec
from supervision.recipes.metadata_to_ssd.base import BACK_FILE, OLD_FILE, GpfsStep, need, some
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
        way_out=True,
    )

    def act(self, state: State, plan: Plan, path: PathOf) -> Act | None:
        """mmchdisk with the plan's own stanzas of the way back."""
        return self.draft(plan, path)

    def draft(self, plan: Plan, path: PathOf) -> Act | None:
        """The same."""
        return Act(gpfs.mmchdisk_change(plan.file_system, path(BACK_FILE)), ((BACK_FILE, plan.stanzas.back),))

    def told(self, view: View, plan: Plan, since: float) -> Happened:
        """Old disks that are as they were."""
        disks = need(view, DiskList, since)
        found = [(disks.get(old.nsd), Usage(old.usage)) for old in plan.old_disks]
        return some([disk is not None and disk.usage is usage for disk, usage in found])
