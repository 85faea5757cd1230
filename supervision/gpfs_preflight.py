"""What GPFS says for and against a step of metadata-to-ssd."""

from __future__ import annotations

from remote.checked import Check, Outcome
from remote.command import Command
from remote.gpfs import commands as gpfs
from remote.gpfs.models import DiskList
from remote.linux.commands import devices, lsblk, signatures
from supervision import checks as rules
from supervision.checking import missing
from supervision.gpfs_proof import ProofError, rebuild
from supervision.gpfs_site import site_of
from supervision.gpfs_view import View
from supervision.plan import Plan

_DEVICES = ("devices", "mmcrnsd")


def questions(step: str, plan: Plan) -> tuple[Command, ...]:
    """What must be asked for the checks of a step."""
    fs = plan.file_system
    asked: tuple[Command, ...] = (gpfs.mmlscluster(), gpfs.mmlsfs(fs), gpfs.mmlsdisk(fs), gpfs.mmlsnsd_devices())
    if step in ("look", "size", "proof"):
        asked = (*asked, gpfs.mmdf(fs))
    if step in _DEVICES:
        asked = (*asked, lsblk(), devices(), signatures(), gpfs.mmdevdiscover())
    return asked


def checks(step: str, view: View, plan: Plan, since: float) -> tuple[Check, ...]:
    """The checks of a step."""
    fact, disks = view.facts.fact(DiskList), view.disks
    title = "Every disk is ready and up"
    if fact is None or disks is None or fact.at < since or fact.failed_at > fact.at:
        return (missing("disks-ready", title, "mmlsdisk was not read", "mmlsdisk"),)
    if fact.parsed and fact.parsed.problems:
        return (missing("disks-ready", title, "mmlsdisk was not understood", "mmlsdisk"),)
    try:
        rules.must_be_ready(plan.file_system, disks)
        if step == "look":
            rules.disks_to_convert(plan.file_system, disks, view.file_system)  # type: ignore[arg-type]
        if step in _DEVICES:
            from supervision.recipes.metadata_to_ssd.base import new_stanzas

            rebuild(new_stanzas(plan), plan.pins, site_of(view))
    except (rules.BlockedError, ProofError) as error:
        return (Check("disks-ready", title, Outcome.BLOCK, str(error), "", fact.at, fact.command),)
    return (Check("disks-ready", title, Outcome.PASS, f"{len(disks.disks)} disks", "", fact.at, fact.command),)
