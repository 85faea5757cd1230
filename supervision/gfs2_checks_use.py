"""Checks of who uses a GFS2: where it is mounted, which nodes could mount it, and what the cluster manager would do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from remote.folding import fold
from remote.gfs2.cluster import Resource
from remote.gfs2.use import ManagerAnswer, Use
from remote.linux.work import Work, Worker
from supervision.gfs2_checking import Check, Facts, Told, Verdict, same_host, shown, unknown
from supervision.gfs2_work import RESTOREMETA, same_path, work_of
from supervision.gfs2_work import Work as OtherWork

NOLOCK = "lock_nolock"
_MOUNTED, _AT_WORK, _CLUSTER, _RESOURCE = "mounted", "at work", "cluster", "resource"


def has_no_cluster(facts: Facts) -> bool:
    """Whether the superblock says that one host alone mounts it. What is on the target of restoremeta says nothing."""
    sb, _told = facts.superblock()
    return facts.wanted.work != RESTOREMETA and sb is not None and sb.lock_protocol == NOLOCK


def nodes_to_ask(facts: Facts) -> tuple[str, ...]:
    """The nodes besides the host of the work that could have it mounted, by the names that the cluster has for them."""
    use, _told = facts.use(facts.wanted.host)
    if use is None or has_no_cluster(facts):
        return ()
    own = (facts.wanted.host, use.name)  # it may have been reached by a name that the cluster does not know
    return tuple(node.name for node in use.nodes if not any(same_host(node.name, name) for name in own if name))


def mounted_checks(facts: Facts, hosts: Sequence[str]) -> Iterator[Check]:
    """On which hosts it is mounted: a check for each where it is or may be, and one for all others."""
    free: list[tuple[str, Told]] = []
    for name in (facts.wanted.host, *nodes_to_ask(facts)):
        use, told = _answer(facts, name, hosts)
        if use is None:
            yield _not_told(facts, name, told)
        elif why := _in_use(facts, use):
            yield _in_use_check(facts, name, why, told)
        else:
            free.append((name, told))
    if free:
        at = min(told.at for _name, told in free if told.at is not None)
        names = fold([name for name, _told in free])
        others = _mount_lines(free[0][1].answer) if len(free) == 1 else ""
        read = others or "no such mount, and none in the kernel"
        yield Check(_MOUNTED, Verdict.PASSED, f"{facts.wanted.device} is not mounted on {names}", read, at)


def _answer(facts: Facts, name: str, hosts: Sequence[str]) -> tuple[Use | None, Told]:
    """What a node told, under its own name or that of the host that it is watched as."""
    known = [name, *(host for host in hosts if host != name and same_host(host, name))]
    answers = [facts.use(each) for each in known if f"gfs2 use {each}" in facts.all] or [facts.use(name)]
    return next((each for each in answers if each[0] is not None), answers[0])


def _in_use(facts: Facts, use: Use) -> str:
    found = use.mounted(table=facts.table if not has_no_cluster(facts) else "", uuid=facts.uuid)
    return "; ".join(found)


def _in_use_check(facts: Facts, name: str, why: str, told: Told) -> Check:
    text = f"{name} has it mounted: {why}"
    read = _mount_lines(told.answer)
    if facts.wanted.writes:
        todo = f"unmount it there: {facts.wanted.work} of a mounted GFS2 destroys it"
        return Check(_MOUNTED, Verdict.BLOCK, text, read, told.at, todo)
    todo = "unmount it on every node for a copy that is consistent"
    return Check(_MOUNTED, Verdict.WARNING, f"{text}: this will be an inconsistent copy", read, told.at, todo)


def _not_told(facts: Facts, name: str, told: Told) -> Check:
    """A node that does not tell stops what writes; of a copy it only says that it may be an inconsistent one."""
    todo = f"make {name} answer, or take it out of the cluster once it is surely off"
    check = unknown(_MOUNTED, told, f"whether {name} has it mounted", todo)
    if facts.wanted.writes or name == facts.wanted.host:
        return check
    text = f"{check.text}; if it has, this will be an inconsistent copy"
    return Check(check.name, Verdict.WARNING, text, check.read, check.at, todo)


def _mount_lines(answer: str) -> str:
    """The lines of an answer that tell of mounts."""
    words = ("mount ", "of ", "at ", "table ", "id ", "uuid ")
    return shown("\n".join(line for line in answer.splitlines() if line.startswith(words)))


def at_work_checks(facts: Facts, hosts: Sequence[str]) -> Iterator[Check]:
    """Whether another of GFS2's tools is at work on the device, on any watched host, whoever started it."""
    wanted, free = facts.wanted, True
    for host in dict.fromkeys((wanted.host, *hosts)):
        seen, told = facts.model(f"work {host}", Work)
        if seen is None and host == wanted.host:
            free = False
            todo = f"see `ps -ef` on {host} for gfs2_edit and fsck.gfs2"
            check = unknown(_AT_WORK, told, f"whether another tool is at work on {wanted.device}", todo)
            yield check if wanted.writes else msgspec.structs.replace(check, verdict=Verdict.WARNING)
        for worker in seen.workers if seen else ():
            other = work_of(worker.argv)
            if other and not worker.ended and same_path(other.device, wanted.device):
                free = False
                yield _other_work(facts, host, other, worker, told)
    if free:
        _seen, told = facts.model(f"work {wanted.host}", Work)
        yield Check(_AT_WORK, Verdict.PASSED, f"no other tool is seen at work on {wanted.device}", at=told.at)


def _other_work(facts: Facts, host: str, other: OtherWork, worker: Worker, told: Told) -> Check:
    """Two that read slow each other down; where one writes, the other's work is worth nothing, or both are harmful."""
    text = f"{other.kind} is at work on it already on {host}, pid {worker.pid}"
    read = shown(" ".join(worker.argv))
    if facts.wanted.writes:
        return Check(_AT_WORK, Verdict.BLOCK, text, read, told.at, "wait for its end, or stop it (screen Jobs)")
    harm = "what is saved will not fit together" if other.repairs or other.kind == RESTOREMETA else "both get slower"
    return Check(_AT_WORK, Verdict.WARNING, f"{text}: {harm}", read, told.at, "wait for its end")


def cluster_check(facts: Facts) -> Check:
    """Whether all nodes are known that could mount it."""
    use, told = facts.use(facts.wanted.host)
    todo = f"run `crm_node -l` on {facts.wanted.host} as root"
    if use is None:
        return unknown(_CLUSTER, told, "which nodes could mount it", todo)
    sb, sb_told = facts.superblock()
    if sb is None and facts.wanted.work != RESTOREMETA:
        return unknown(_CLUSTER, sb_told, "whether a cluster mounts it", "see `gfs2_edit -p sb DEVICE`")
    if has_no_cluster(facts):
        text = f"{NOLOCK}: it has no cluster, and {facts.wanted.host} is the host to ask"
        return Check(_CLUSTER, Verdict.PASSED, text, _sb_lines(sb_told.answer), sb_told.at)
    if use.asked_nodes is ManagerAnswer.TOLD:
        names = fold([node.name for node in use.nodes])
        text = f"{len(use.nodes)} nodes could mount it: {names}"
        return Check(_CLUSTER, Verdict.PASSED, text, use.nodes_by, told.at)
    verdict = Verdict.UNKNOWN if facts.wanted.writes else Verdict.WARNING
    if use.asked_nodes is ManagerAnswer.FAILED:
        return Check(_CLUSTER, verdict, "the nodes of the cluster are not known", shown(use.nodes_text), told.at, todo)
    if facts.wanted.work == RESTOREMETA:
        text = f"{facts.wanted.host} has no cluster manager: no other host was asked for mounts of the target"
        return Check(_CLUSTER, Verdict.PASSED, text, "no crm_node, no corosync-cmapctl", told.at)
    text = f"no cluster manager here, and {facts.table or 'its lock protocol'} says that a cluster mounts it"
    todo = f"run it on a node of the cluster: {facts.wanted.host} cannot tell which nodes there are"
    return Check(_CLUSTER, verdict, text, _sb_lines(sb_told.answer), told.at, todo)


def _sb_lines(answer: str) -> str:
    return shown("\n".join(line for line in answer.splitlines() if line.startswith("sb_lock")))


def resource_checks(facts: Facts) -> Iterator[Check]:
    """Whether the cluster manager would mount it again while it is written to."""
    use, told = facts.use(facts.wanted.host)
    todo = f"run `cibadmin -Q -o resources` on {facts.wanted.host} as root"
    if use is None:
        yield unknown(_RESOURCE, told, "whether the cluster manager would mount it", todo)
    elif use.asked_resources is ManagerAnswer.FAILED:
        yield Check(_RESOURCE, Verdict.UNKNOWN, "the resources are not known", shown(use.resources_text), told.at, todo)
    elif use.asked_resources is ManagerAnswer.NONE:
        yield _no_manager(facts, use, told)
    else:
        checks = [check for each in use.resources if (check := _of_resource(facts, use, each, told.at))]
        text = "no resource of the cluster manager mounts it"
        yield from checks or [Check(_RESOURCE, Verdict.PASSED, text, "cibadmin -Q -o resources", told.at)]


def _no_manager(facts: Facts, use: Use, told: Told) -> Check:
    """A host without pacemaker's tools: fine where nothing else speaks for a cluster."""
    if has_no_cluster(facts) or (facts.wanted.work == RESTOREMETA and use.asked_nodes is ManagerAnswer.NONE):
        return Check(_RESOURCE, Verdict.PASSED, "no cluster manager here", "no cibadmin", told.at)
    text = "there is no cibadmin here: whether a cluster manager would mount it is not known"
    return Check(_RESOURCE, Verdict.UNKNOWN, text, "no cibadmin", told.at, "run it on a node of the cluster")


def _of_resource(facts: Facts, use: Use, each: Resource, at: float | None) -> Check | None:
    """The check of a resource; None for that of another file system."""
    ours = _is_ours(facts, use, each)
    read = f"{each.id}: {each.device} on {each.directory}"
    if ours is False:
        return None
    if each.disabled:
        return Check(_RESOURCE, Verdict.PASSED, f"resource {each.id} is disabled", read, at)
    todo = f"pcs resource disable {each.id} --wait, and enable it afterwards"
    if ours is None:
        text = (
            f"resource {each.id} mounts {each.device}, which {facts.wanted.host} does not know: it may be this device"
        )
        return Check(_RESOURCE, Verdict.UNKNOWN, text, read, at, todo)
    if each.disabled is None:
        text = f"rules decide whether resource {each.id} is disabled"
        return Check(_RESOURCE, Verdict.UNKNOWN, text, read, at, todo)
    text = f"resource {each.id} is not disabled: the cluster manager may mount it at any moment"
    return Check(_RESOURCE, Verdict.BLOCK, text, read, at, todo)


def _is_ours(facts: Facts, use: Use, each: Resource) -> bool | None:
    """Whether a resource mounts the device; None where that is not known."""
    if each.device == facts.wanted.device:
        return True
    if any(name and each.device.lower().endswith(name.lower()) for name in (facts.uuid, facts.table)):
        return True  # as in `UUID=...` and `-L TABLE`
    if each.number and use.numbers:
        return each.number in use.numbers
    if each.number and use.exists:
        return False  # a file that no loop device is over is no device of the cluster's
    return None
