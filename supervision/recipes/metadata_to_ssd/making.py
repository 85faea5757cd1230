"""Making NSDs of the SSDs, and taking the NSDs off them again."""

from __future__ import annotations

from typing import ClassVar

from remote.gpfs import commands as gpfs
from remote.gpfs.stanza import write_nsd_stanzas
from supervision.gpfs_preflight_saved import FILE, saving
from supervision.gpfs_proof import ProofError, rebuild
from supervision.gpfs_site import site_of
from supervision.gpfs_view import View
from supervision.plan import Plan
from supervision.recipe import Act, Happened, PathOf, StepSpec
from supervision.recipes.metadata_to_ssd.base import (
    NEW_FILE,
    GpfsStep,
    new_stanzas,
    nsds_there,
    some,
    view_of,
)
from supervision.state import State


class CreateNsds(GpfsStep):
    """Step 4."""

    SPEC: ClassVar = StepSpec(
        "mmcrnsd",
        "make NSDs of the SSDs",
        "GPFS uses disks by a name and an id of its own, which mmcrnsd writes onto them. Whatever lies on the devices "
        "that it is told is gone then, so their names are looked up by identity just before.",
        "The new NSDs are free: no file system uses them yet. Each leads back to the device that was chosen.",
        "less than a minute; the other nodes learn of it within some minutes",
        "mmdelnsd makes plain devices of them again; what was on them before stays lost",
        "What was on the devices is gone from here on; nothing may be on them.",
    )

    def saves(self, plan: Plan, path: PathOf) -> Act | None:
        """The configuration of the file system, before anything is changed."""
        return Act(saving(plan, path(FILE)))

    def draft(self, plan: Plan, path: PathOf) -> Act | None:
        """mmcrnsd with the names that the devices had when the plan was made."""
        return Act(gpfs.mmcrnsd(path(NEW_FILE)), ((NEW_FILE, plan.stanzas.new),))

    def act(self, state: State, plan: Plan, path: PathOf) -> Act | None:
        """mmcrnsd for those that are no NSDs yet, with the names of this minute."""
        view = view_of(state, plan)
        there = {row.nsd for row in view.devices.rows} if view.devices else set()
        stanzas = [stanza for stanza in new_stanzas(plan) if stanza.nsd not in there]
        if not stanzas:
            return None
        try:
            fresh = rebuild(stanzas, plan.pins, site_of(view))
        except ProofError as error:
            raise ValueError(str(error)) from None
        text = write_nsd_stanzas(fresh.stanzas, comment=f"{plan.id}: device names looked up just before")
        return Act(gpfs.mmcrnsd(path(NEW_FILE)), ((NEW_FILE, text),))

    def told(self, view: View, plan: Plan, since: float) -> Happened:
        """NSDs of the plan's names."""
        return some(nsds_there(view, plan, since))


class DeleteNsds(GpfsStep):
    """Takes back step 4."""

    SPEC: ClassVar = StepSpec(
        "mmdelnsd",
        "take the NSDs off the SSDs",
        "NSDs that no file system uses can be taken off their devices, which are free for anything then. GPFS refuses "
        "it for a disk that a file system still has.",
        "The SSDs are plain devices again.",
        "less than a minute",
    )

    def draft(self, plan: Plan, path: PathOf) -> Act | None:
        """mmdelnsd for all of them."""
        return Act(gpfs.mmdelnsd([device.nsd for device in plan.devices]))

    def act(self, state: State, plan: Plan, path: PathOf) -> Act | None:
        """mmdelnsd for those that are there."""
        view = view_of(state, plan)
        rows = view.devices.rows if view.devices else ()
        names = [device.nsd for device in plan.devices if any(row.nsd == device.nsd for row in rows)]
        return Act(gpfs.mmdelnsd(names)) if names else None

    def told(self, view: View, plan: Plan, since: float) -> Happened:
        """No NSD of the plan's names."""
        return some([not there for there in nsds_there(view, plan, since)])
