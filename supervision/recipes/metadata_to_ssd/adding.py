"""Adding the SSDs to the file system, and taking them out of it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from remote.checked import Check
from remote.gpfs import commands as gpfs
from remote.gpfs.models import DiskList
from remote.gpfs.stanza import NsdStanza, write_nsd_stanzas
from supervision.checks import describe
from supervision.gpfs_view import View
from supervision.plan import Plan
from supervision.recipe import Act, Happened, PathOf, Questions, StepSpec
from supervision.recipes.metadata_to_ssd.base import (
    NEW_FILE,
    GpfsStep,
    need,
    new_stanzas,
    of_file_system,
    some,
    told,
    view_of,
)
from supervision.state import State


class AddDisks(GpfsStep):
    """Step 5."""

    SPEC: ClassVar = StepSpec(
        "mmadddisk",
        "add the NSDs to the file system as metadataOnly disks",
        "The file system can put metadata on the SSDs once they are its disks. The old disks still take metadata, too; "
        "the next step changes that.",
        "The SSDs are metadataOnly disks of the file system, ready and up, in the failure groups of the plan.",
        "about a minute",
        "mmdeldisk moves what is on them back to the old disks, then mmdelnsd",
        "From this moment metadata may be written to the new disks: taking them out again means moving it back.",
    )

    def draft(self, plan: Plan, path: PathOf) -> Act | None:
        """mmadddisk for all of them."""
        return _add(new_stanzas(plan), plan, path)

    def act(self, state: State, plan: Plan, path: PathOf) -> Act | None:
        """mmadddisk for those that are no disks of it yet."""
        disks = view_of(state, plan).disks
        stanzas = [stanza for stanza in new_stanzas(plan) if disks is None or disks.get(stanza.nsd) is None]
        return _add(stanzas, plan, path) if stanzas else None

    def proof(self, plan: Plan) -> Questions:
        """The disks."""
        return Questions((gpfs.mmlsdisk(plan.file_system),))

    def proven(self, view: View, plan: Plan, since: float) -> tuple[Check, ...]:
        """Every new disk in its failure group, metadataOnly, ready and up."""
        disks = need(view, DiskList, since)
        wrong = []
        for new in new_stanzas(plan):
            disk = disks.get(new.nsd)
            right = disk and disk.ready and disk.usage is new.usage and disk.failure_group == new.failure_group
            if not right:
                what = f"{new.usage.value}, ready and up, failure group {new.failure_group}"
                wrong.append(f"{new.nsd} is {describe(disk)}, and not {what}")
        now = f"{len(plan.devices)} metadataOnly disks, ready and up; from now on metadata is written to them"
        title = "The new disks are in the file system as planned"
        return (told("disks-added", title, wrong, now, view.at(DiskList), f"mmlsdisk {plan.file_system}"),)

    def told(self, view: View, plan: Plan, since: float) -> Happened:
        """Disks of the plan's names."""
        return some(of_file_system(view, plan, since))


def _add(stanzas: Sequence[NsdStanza], plan: Plan, path: PathOf) -> Act:
    text = write_nsd_stanzas(stanzas, comment=plan.id)
    return Act(gpfs.mmadddisk(plan.file_system, path(NEW_FILE)), ((NEW_FILE, text),))


class DeleteDisks(GpfsStep):
    """Takes back step 5."""

    SPEC: ClassVar = StepSpec(
        "mmdeldisk",
        "move the metadata off the SSDs and take them out of the file system",
        "The metadata on the SSDs goes back to disks that take metadata, which must be the old ones by then. Stopped "
        "half-way it leaves the SSDs suspended, and can be run again.",
        "The SSDs are free NSDs; all metadata is on the old disks.",
        "minutes just after step 5, up to hours once the metadata was moved",
    )

    def draft(self, plan: Plan, path: PathOf) -> Act | None:
        """mmdeldisk for all of them."""
        return Act(gpfs.mmdeldisk(plan.file_system, [device.nsd for device in plan.devices], nodes=plan.nodes))

    def act(self, state: State, plan: Plan, path: PathOf) -> Act | None:
        """mmdeldisk for those that are there, by the nodes of the plan."""
        disks = view_of(state, plan).disks
        names = [device.nsd for device in plan.devices if disks is not None and disks.get(device.nsd) is not None]
        return Act(gpfs.mmdeldisk(plan.file_system, names, nodes=plan.nodes)) if names else None

    def proof(self, plan: Plan) -> Questions:
        """The disks."""
        return Questions((gpfs.mmlsdisk(plan.file_system),))

    def proven(self, view: View, plan: Plan, since: float) -> tuple[Check, ...]:
        """None of the new disks is there, and every other is ready and up."""
        disks = need(view, DiskList, since)
        wrong = [
            f"{device.nsd} is {describe(disks.get(device.nsd))}" for device in plan.devices if disks.get(device.nsd)
        ]
        wrong += [f"{disk.nsd} is {describe(disk)}" for disk in disks.disks if not disk.ready]
        if disks.at_risk:
            wrong += disks.attention
        now = f"none of the {len(plan.devices)} SSDs is a disk of the file system any more"
        title = "The SSDs are out of the file system"
        return (told("disks-gone", title, wrong, now, view.at(DiskList), f"mmlsdisk {plan.file_system}"),)

    def told(self, view: View, plan: Plan, since: float) -> Happened:
        """No disk of the plan's names."""
        return some([not there for there in of_file_system(view, plan, since)])
