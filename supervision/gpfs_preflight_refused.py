"""What no recipe ever does: vdisks of recovery groups, descriptor and cache disks, -v no, files that say otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from remote.gpfs import commands as gpfs
from remote.gpfs.models import DiskList, NsdDevices, Usage
from remote.gpfs.stanza import NsdStanza, nsd_stanzas, parse_stanzas
from supervision.gpfs_groups import NEVER
from supervision.gpfs_preflight_disks import names_text
from supervision.gpfs_preflight_grounds import Finding, Grounds, Rule, block, passed

_KNOWN = {"device", "nsd", "servers", "usage", "failureGroup", "pool"}


def stanzas_of(text: str) -> tuple[tuple[NsdStanza, ...], str]:
    """The NSD stanzas of a file, and why it cannot be gone by; "" when it can."""
    parsed = parse_stanzas(text)
    found = nsd_stanzas(parsed.model)
    problems = (*parsed.problems, *found.problems)
    if problems:
        return found.model, f"line {problems[0].line}: {problems[0].why}"
    other = [stanza for stanza in parsed.model if stanza.keyword != "nsd"]
    if other:
        return found.model, f"line {other[0].line}: %{other[0].keyword}: has no place here"
    strange = [name for stanza in parsed.model for name, _ in stanza.attributes if name not in _KNOWN]
    return found.model, f"{strange[0]}= has no place here" if strange else ""


def _vdisks(grounds: Grounds) -> Finding:
    """Disks of a recovery group have a device without /dev/; mmvdisk makes and changes them, nobody else."""
    names = {disk.nsd for disk in grounds.plan.old_disks}
    rows = grounds.need(NsdDevices).rows
    vdisks = sorted({row.nsd for row in rows if row.nsd in names and row.found and not row.device.startswith("/")})
    if vdisks:
        text = f"{names_text(vdisks)}: device {next(row.device for row in rows if row.nsd == vdisks[0])}, a vdisk"
        return block(text, "NSDs of recovery groups are mmvdisk's to change: this recipe is not for them")
    return passed(f"none of the {len(names)} disks is a vdisk of a recovery group")


def _special(grounds: Grounds) -> Finding:
    """descOnly disks have groups for a reason of their own, localCache disks none: never changed, never counted."""
    by_name = {disk.nsd: disk for disk in grounds.need(DiskList).disks}
    planned = {old.nsd: old.usage for old in grounds.plan.old_disks}
    never = {usage.value for usage in NEVER}
    wrong = [
        name for name, usage in planned.items() if usage in never or (name in by_name and by_name[name].usage in NEVER)
    ]
    if wrong:
        return block(f"{names_text(wrong)} is for descriptors or a cache alone", "Such disks are never changed")
    kept = [disk.nsd for disk in by_name.values() if disk.usage in NEVER]
    return passed(f"{names_text(kept)} left as it is, and not counted" if kept else "there is no such disk")


def _new_file(grounds: Grounds) -> Finding:
    """The stanza file of the new disks says what the plan says, and nothing else."""
    plan = grounds.plan
    stanzas, why = stanzas_of(plan.stanzas.new)
    why = why or _unlike(stanzas, [device.nsd for device in plan.devices])
    for stanza, device in zip(stanzas, plan.devices, strict=False):
        if why:
            break
        if stanza.usage is not Usage.METADATA_ONLY or stanza.pool != device.pool:
            why = f"{stanza.nsd} would be {stanza.usage.value} in pool {stanza.pool}"
        elif stanza.failure_group != device.failure_group or stanza.servers != device.servers:
            why = f"{stanza.nsd} has failure group {stanza.failure_group} or servers {', '.join(stanza.servers)}"
            why += f", and the plan {device.failure_group} and {', '.join(device.servers)}"
    if why:
        return block(f"the stanza file of the new disks: {why}", "Make the plan anew")
    return passed(f"{len(stanzas)} stanzas, all metadataOnly, as the plan has its devices")


def _old_file(grounds: Grounds) -> Finding:
    """The stanza files of the old disks name all of them and no other, once as dataOnly, once as they were."""
    plan = grounds.plan
    names = [old.nsd for old in plan.old_disks]
    for what, text in (("to come", plan.stanzas.old), ("for the way back", plan.stanzas.back)):
        stanzas, why = stanzas_of(text)
        why = why or _unlike(stanzas, names)
        for stanza, old in zip(stanzas, plan.old_disks, strict=False):
            usage = Usage.DATA_ONLY.value if what == "to come" else old.usage
            if not why and (stanza.usage.value, stanza.failure_group) != (usage, old.failure_group):
                why = f"{stanza.nsd} would be {stanza.usage.value} in failure group {stanza.failure_group}"
        if why:
            return block(f"the stanza file of the old disks {what}: {why}", "Make the plan anew")
    return passed(f"{len(names)} stanzas, all and only the old disks, with the failure groups that they have")


def _unlike(stanzas: Sequence[NsdStanza], names: Sequence[str]) -> str:
    """How the NSDs of a file differ from those of the plan; "" where they are the same in the same order."""
    found = [stanza.nsd for stanza in stanzas]
    if found == list(names):
        return ""
    missing = [name for name in names if name not in found]
    more = [name for name in found if name not in names]
    if missing:
        return f"it lacks {names_text(missing)}"
    return f"it names {names_text(more)} besides" if more else "its order is another, or a name comes twice"


def _verify(grounds: Grounds) -> Finding:
    """GPFS looks itself, before it formats, whether a disk is one of its own."""
    words = gpfs.mmcrnsd("file").argv
    if "-v" in words and grounds.plan.devices:
        return block(" ".join(words), "Never -v no: this program is not as it should be")
    return passed("-v yes, which is what GPFS does by itself: it refuses a disk that carries an NSD")


NEW_FILE = Rule("new-stanzas", "The stanza file of the new disks is what the plan says", _new_file)
OLD_FILE = Rule("old-stanzas", "The stanza file covers all and only the old disks", _old_file)
VDISKS = Rule("vdisks", "No disk of a recovery group is touched", _vdisks)
SPECIAL = Rule("special-disks", "Descriptor and cache disks are left alone", _special)
VERIFY = Rule("verify", "GPFS looks itself before it formats", _verify)
