"""Adding the SSDs to the file system, and taking them out of it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from remote.gpfs import commands as gpfs
from remote.gpfs.stanza import NsdStanza, write_nsd_stanzas
from supervision.gpfs_view import View
from supervision.plan import Plan
from supervision.recipe import Act, Happened, PathOf, StepSpec
from supervision.recipes.metadata_to_ssd.base import (
    NEW_FILE,
    GpfsStep,
    new_stanzas,
    of_file_system,
    some,
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

    def told(self, view: View, plan: Plan, since: float) -> Happened:
        """No disk of the plan's names."""
        return some([not there for there in of_file_system(view, plan, since)])
