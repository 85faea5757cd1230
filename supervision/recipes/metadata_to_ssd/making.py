"""Making NSDs of the SSDs, and taking the NSDs off them again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from remote.checked import Check
from remote.gpfs import commands as gpfs
from remote.gpfs.models import NsdDevices
from remote.gpfs.stanza import write_nsd_stanzas
from remote.jobs import JobStatus
from remote.linux.host_time import HostTime
from remote.linux.inventory import Contents, Inventory
from remote.linux.models import BlockDevices
from supervision.gpfs_hosts import hosts_of
from supervision.gpfs_proof import ProofError, prove_made, rebuild
from supervision.gpfs_site import site_of
from supervision.gpfs_view import View
from supervision.guide_jobs import split_id
from supervision.plan import Plan
from supervision.recipe import Act, Happened, PathOf, Questions, StepSpec
from supervision.recipes.metadata_to_ssd.base import (
    LOOK_AT_DEVICES,
    NEW_FILE,
    GpfsStep,
    need,
    new_stanzas,
    nsds_there,
    some,
    told,
    view_of,
)
from supervision.state import State
from supervision.verdicts import Level

SKEW_SECONDS = 300.0
"""How far clocks that nobody compared may be apart."""


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

    def proof(self, plan: Plan) -> Questions:
        """Which device each NSD is, and what the servers see."""
        return Questions((gpfs.mmlsnsd_devices(),), LOOK_AT_DEVICES)

    def proven(self, view: View, plan: Plan, since: float) -> tuple[Check, ...]:
        """Every NSD leads back to its device, by its name there and by its volume id."""
        at, source = view.at(NsdDevices), "mmlsnsd -X"
        missing = [
            device.nsd for device, there in zip(plan.devices, nsds_there(view, plan, since), strict=True) if not there
        ]
        wrong = [f"mmlsnsd -X does not show {nsd}" for nsd in missing]
        if not wrong:
            hosts = servers(view, plan)
            for host in hosts:
                for kind in (BlockDevices, Inventory, Contents):
                    need(view, kind, since, host)
            began, ended = _ran(view.state, plan)
            found = prove_made(plan.pins, site_of(view), since=began, until=ended, skew=_skew(view, hosts))
            wrong = [verdict.text for verdict in found if verdict.level is Level.BLOCK]
        right = f"{len(plan.devices)} NSDs, and every one leads to the device that was chosen"
        return (told("nsds-made", "Each new NSD leads to the device that was chosen", wrong, right, at, source),)

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

    def proof(self, plan: Plan) -> Questions:
        """Which NSDs there are."""
        return Questions((gpfs.mmlsnsd_devices(),))

    def proven(self, view: View, plan: Plan, since: float) -> tuple[Check, ...]:
        """None of the plan's NSDs is there."""
        there = [device.nsd for device, is_so in zip(plan.devices, nsds_there(view, plan, since), strict=True) if is_so]
        wrong = [f"mmlsnsd -X still shows {nsd}" for nsd in there]
        right = f"none of the {len(plan.devices)} NSDs is there any more"
        return (told("nsds-gone", "The NSDs are gone", wrong, right, view.at(NsdDevices), "mmlsnsd -X"),)

    def told(self, view: View, plan: Plan, since: float) -> Happened:
        """No NSD of the plan's names."""
        return some([not there for there in nsds_there(view, plan, since)])


def servers(view: View, plan: Plan) -> tuple[str, ...]:
    """The servers of the new disks, as they are reached."""
    return hosts_of(view, plan.host, [server for device in plan.devices for server in device.servers])


def _ran(state: State, plan: Plan) -> tuple[float, float]:
    """When mmcrnsd ran, by the clock of its host: from the first try to the last one that has ended."""
    tries: list[JobStatus] = []
    for job in state.jobs.values():
        parts = split_id(job.status.id, plan.id)
        if parts and parts[1] == CreateNsds.SPEC.name and job.status.began is not None:
            tries.append(job.status)
    began = min((status.began or 0.0 for status in tries), default=plan.made)
    ended = max((status.ended or state.at for status in tries), default=state.at)
    return began, ended


def _skew(view: View, hosts: Sequence[str]) -> float:
    """How far the clocks of the servers may be off the Site's, in seconds: what they told, and some minutes."""
    facts = [(view.facts.fact(HostTime, host), view.facts.get(HostTime, host)) for host in hosts]
    return SKEW_SECONDS + max((abs(each.epoch - fact.at) for fact, each in facts if fact and each), default=0.0)
