"""All checks before and after the steps of a migration of metadata, by the names of the steps: docs/safety.md.

`questions` is asked of the host of the jobs, `server_questions` of each of `hosts`; then `checks` judges by answers not
older than `since`. `promised` judges what a step has done.
"""

from __future__ import annotations

from collections.abc import Mapping

from remote.command import Command
from remote.gpfs import commands as gpfs
from remote.linux.commands import devices, lsblk, signatures
from remote.linux.host_time import host_time
from remote.linux.nightly import nightly
from supervision import gpfs_preflight_after as after
from supervision import gpfs_preflight_availability as availability
from supervision import gpfs_preflight_busy as busy
from supervision import gpfs_preflight_config as config
from supervision import gpfs_preflight_devices as new
from supervision import gpfs_preflight_disks as disks
from supervision import gpfs_preflight_format as form
from supervision import gpfs_preflight_helpers as helpers
from supervision import gpfs_preflight_made as nsds
from supervision import gpfs_preflight_nodes as nodes
from supervision import gpfs_preflight_old as old
from supervision import gpfs_preflight_refused as refused
from supervision import gpfs_preflight_saved as saved
from supervision import gpfs_preflight_sizes as sizing
from supervision.checking import Check
from supervision.gpfs_preflight_grounds import Rule, apply
from supervision.gpfs_preflight_nodes import hosts_that_matter, nodes_that_matter
from supervision.gpfs_view import View
from supervision.plan import Plan

_ANY = (*nodes.RULES, *disks.ANY, busy.CONFLICTS, busy.WAITERS, config.HEALTH)
_ANY_OTHERS = tuple(disks.OTHERS_READY if rule is disks.READY else rule for rule in _ANY)
_NEVER = (refused.VDISKS, refused.SPECIAL)
_PLAN = (refused.NEW_FILE, refused.OLD_FILE, old.COVERED, old.DATA_LEFT)
_RESTRIPE = (
    *helpers.RULES,
    nodes.HELPERS,
    helpers.GUESTS,
    config.ON_FAILURE,
    config.THIN,
    form.METADATA_ONLY,
    form.QOS,
)

RULES: Mapping[str, tuple[Rule, ...]] = {
    "look": (
        *_ANY, disks.REPLICATED, *form.RULES, *_NEVER, *_PLAN, *availability.RULES, *_RESTRIPE, config.AUTOLOAD,
        availability.FACTORS, *busy.MEANWHILE,
    ),
    "devices": (refused.NEW_FILE, new.BOOTS, new.LOST, new.NATIVE_SECTORS, *availability.RULES),
    "size": (sizing.DRIFT, sizing.EVEN, sizing.LARGEST, form.INODES),
    "mmcrnsd": (*_ANY, disks.REPLICATED, *_NEVER, refused.NEW_FILE, refused.VERIFY, *saved.RULES, new.BOOTS, new.LOST),
    "mmadddisk": (
        *_ANY, disks.REPLICATED, *_NEVER, refused.NEW_FILE, form.POOLS, availability.RULES[0], availability.RULES[2],
        nsds.FREE, nsds.MADE, nsds.UNTOUCHED, new.BOOTS, sizing.LARGEST,
    ),
    "mmchdisk": (
        *_ANY, disks.AT_CHANGE, *_NEVER, refused.OLD_FILE, old.COVERED, old.DATA_LEFT, nsds.IN_PLACE,
        availability.RULES[0], availability.GROUPS_STAY, sizing.FULL_NOW, form.POOLS,
    ),
    "mmrestripefs": (
        *_ANY, disks.DUE, *_RESTRIPE, nsds.IN_PLACE, availability.GROUPS_STAY, availability.FACTORS, sizing.FULL_NOW,
        form.INODES, *busy.MEANWHILE, helpers.WINDOW,
    ),
    "proof": after.PROOF,
    "mmdelnsd": (*_ANY, old.UNUSED, old.TIEBREAKERS, nsds.STILL_MADE),
    "mmdeldisk": (*_ANY_OTHERS, old.BACK, old.REMOVABLE, old.GROUPS_LEFT, sizing.ROOM_BACK),
    # the way back when disks fill: nothing may hold it up that does not make it worse
    "mmchdisk-back": (nodes.HERE, refused.OLD_FILE, refused.SPECIAL, old.CHANGED, busy.ESCAPE_CONFLICTS),
}  # fmt: skip
"""The checks of each step, in the order in which they are shown."""
STEPS = tuple(RULES)
_SIZED = ("size", "mmadddisk", "mmchdisk")
_LOOKED = ("devices", "mmcrnsd")
_DEVICES = ("devices", "mmcrnsd", "mmadddisk", "mmdelnsd")
"""Steps that rest on a look at the devices of all servers."""
_MEANWHILE = ("look", "mmrestripefs")
_ESCAPE = "mmchdisk-back"
"""Its questions are few, and none of them asks every node or disk: full disks answer slowly."""
_QUICK = ("devices", "size")


def checks(step: str, view: View, plan: Plan, since: float) -> tuple[Check, ...]:
    """What speaks for and against a step now. KeyError for a step that is none of STEPS."""
    found = apply(RULES[step], view, plan, since)
    if step in _LOOKED:
        found += new.device_checks(view, plan, since)
    return found + (sizing.sizes(view, plan, since) if step in _SIZED else ())


def promised(step: str, view: View, plan: Plan, since: float) -> tuple[Check, ...]:
    """Whether what a step promised is so; nothing for a step that changes nothing."""
    return apply(after.AFTER.get(step, ()), view, plan, since)


def questions(step: str, plan: Plan, view: View | None = None) -> tuple[Command, ...]:
    """What the host of the jobs must be asked for `checks` and `promised`.

    With a view that knows the nodes and the manager, their daemons are asked too, and so it is to be given one.
    """
    fs = plan.file_system
    asked = [gpfs.mmlscluster(), gpfs.mmlsfs(fs), gpfs.mmlsdisk(fs), gpfs.mmlsnsd(long=True), gpfs.mmlsmgr()]
    asked += [gpfs.mmlsconfig()]
    if step == _ESCAPE:
        return gpfs.own_daemon(), gpfs.mmlsdisk(fs)
    if step == "proof":
        return (*asked, gpfs.mmlsdisk(fs, long=True), gpfs.mmdf(fs))
    if step not in _QUICK:
        asked += [gpfs.own_daemon(), gpfs.mmgetstate(nodes=nodes_that_matter(view, plan)), gpfs.mmlsdisk(fs, long=True)]
    if step not in ("size", "mmrestripefs", "mmdeldisk"):  # it asks every server
        asked.append(gpfs.mmlsnsd_devices())
    if step in (*_MEANWHILE, "size", "mmadddisk", "mmchdisk", "mmdeldisk"):
        asked.append(gpfs.mmdf(fs))
    if step in (*_MEANWHILE, *_SIZED):
        asked.append(gpfs.mmlssnapshot(fs))
    if step in _MEANWHILE:
        asked += [gpfs.mmlscallback(), gpfs.mmauth_show(), gpfs.mmlsmount(fs)]
    if step in (*_MEANWHILE, "mmcrnsd"):
        asked.append(gpfs.mmlsqos(fs))
    return tuple(asked)


def server_questions(step: str) -> tuple[Command, ...]:
    """What each of `hosts` must be asked of itself, in one batch."""
    asked: list[Command] = []
    if step not in (*_QUICK, "proof"):
        asked.append(busy.running_programs())
    if step not in (*_QUICK, "proof", _ESCAPE):
        asked += [gpfs.mmdiag_waiters(), gpfs.mmhealth()]
    if step in _MEANWHILE:
        asked.append(nightly())
    if step in _DEVICES:
        asked += [host_time(), lsblk(), devices(), signatures(), gpfs.mmdevdiscover()]
    return tuple(asked)


def needs_boots(step: str) -> bool:
    """Whether each of `hosts` must be asked in which boot it is (`Site.place`)."""
    return step in _DEVICES


def hosts(view: View, plan: Plan) -> tuple[str, ...]:
    """The hosts that answer `server_questions`: the job's, the servers, the manager; as far as they are watched."""
    return hosts_that_matter(view, plan)
