"""What speaks against a work on a GFS2 before it begins: pure checks of what was asked just before.

Each tells what was read, when, and what to do. What could not be read is unknown and stops the work like what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from remote.command import Command
from remote.gfs2.commands import blkid, device_trouble, rgs, sb
from remote.gfs2.use import gfs2_use
from remote.linux.room import room
from remote.linux.work import work
from supervision.facts import Fact
from supervision.gfs2_checking import Check, Facts, Told, Verdict, Wanted, shown, unknown
from supervision.gfs2_checks_files import level_check, output_checks, target_checks
from supervision.gfs2_checks_use import at_work_checks, cluster_check, mounted_checks, nodes_to_ask, resource_checks
from supervision.gfs2_work import PROGRAMS, RESTOREMETA, SAVEMETA

__all__ = ["Check", "Verdict", "Wanted", "checks_for", "node_questions", "questions"]

_GFS2 = "gfs2"
_HOLDS = "what it holds"


def questions(wanted: Wanted) -> tuple[Command, ...]:
    """What the host of the work must be asked before its checks; with `node_questions` what the other nodes must.

    Raises ValueError for a path that cannot be given to a command.
    """
    files = tuple(path for path in (wanted.file, wanted.device if wanted.work == RESTOREMETA else "") if path)
    asked = [blkid(wanted.device), gfs2_use(wanted.device), work(*PROGRAMS)]
    if wanted.work != RESTOREMETA:
        asked.append(sb(wanted.device))
    if wanted.work == SAVEMETA:
        asked.append(rgs(wanted.device))
    if files and wanted.work in (SAVEMETA, RESTOREMETA):
        asked.append(room(*files))
    return tuple(asked)


def node_questions(wanted: Wanted, facts: Mapping[str, Fact]) -> Mapping[str, Command]:
    """What each node that the cluster knows must be asked besides, by its name there, once `questions` is answered."""
    return {name: gfs2_use(wanted.device) for name in nodes_to_ask(Facts(wanted, facts))}


def checks_for(
    wanted: Wanted, facts: Mapping[str, Fact], hosts: Sequence[str] = (), now: float | None = None
) -> tuple[Check, ...]:
    """All checks of a work. `hosts` are those of the session: a node may be watched under another name than its own.

    `now` is the Site's clock: what is too old by then is not known.
    """
    return tuple(_all(Facts(wanted, facts, now), hosts))


def _all(facts: Facts, hosts: Sequence[str]) -> Iterator[Check]:
    kind = facts.wanted.work
    if trouble := device_trouble(facts.wanted.device):
        yield Check("device", Verdict.BLOCK, trouble, facts.wanted.device)
        return
    yield Check("device", Verdict.PASSED, f"{facts.wanted.device} is a path that GFS2's tools take for a device")
    holds = _target(facts) if kind == RESTOREMETA else _source(facts)
    yield holds
    if kind != RESTOREMETA and holds.verdict is Verdict.BLOCK:
        return  # what is no GFS2 has nothing of the rest
    yield from mounted_checks(facts, hosts)
    yield from at_work_checks(facts, hosts)
    yield cluster_check(facts)
    if facts.wanted.writes:
        yield from resource_checks(facts)
    if kind == SAVEMETA:
        yield from output_checks(facts)
        yield level_check(facts)
    elif kind == RESTOREMETA:
        yield from target_checks(facts)


def _source(facts: Facts) -> Check:
    """A device without GFS2 is saved and told of as a success, and makes fsck.gfs2 crash."""
    found, told = facts.probed()
    device = facts.wanted.device
    if found is None:
        return unknown(_HOLDS, told, f"what {device} holds", f"see `blkid -p {device}` as root")
    kinds = [each.kind for each in found]
    read = shown(told.answer) or "nothing"
    if kinds == [_GFS2]:
        return Check(_HOLDS, Verdict.PASSED, f"blkid -p says gfs2 of {device}", read, told.at)
    text = (
        f"blkid -p says {', '.join(kind or 'a partition table' for kind in kinds) or 'nothing'} of {device}, not gfs2"
    )
    return Check(_HOLDS, Verdict.BLOCK, text, read, told.at, "name the device that holds the GFS2")


def _target(facts: Facts) -> Check:
    """What a target holds is lost; it must have been named by its UUID."""
    found, told = facts.probed()
    device = facts.wanted.device
    if found is None:
        return unknown(_HOLDS, told, f"what {device} holds", f"see `blkid -p {device}` as root")
    read = shown(told.answer) or "nothing"
    if not found:
        return Check(_HOLDS, Verdict.PASSED, f"blkid -p finds nothing on {device}", read, told.at)
    return _holds(facts, found[0].kind, found[0].uuid, Told("", told.at, read))


def _holds(facts: Facts, kind: str, uuid: str, told: Told) -> Check:
    device = facts.wanted.device
    text = f"{device} holds {kind or 'a partition table'}{f' {uuid}' if uuid else ''}, and it will be lost"
    if uuid and facts.wanted.over.lower() == uuid.lower():
        return Check(_HOLDS, Verdict.WARNING, f"{text}, as was typed", told.answer, told.at)
    todo = f"take an empty target, or type the UUID of what may be lost: {uuid}" if uuid else "take an empty target"
    return Check(_HOLDS, Verdict.BLOCK, text, told.answer, told.at, todo)
