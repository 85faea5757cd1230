"""Parsers of `mmgetstate`, `mmlsmgr` and `mmlsmount`, human and `-Y`.

Their node names are short, full or both; which node is meant is for `remote.names` to say.
"""

from __future__ import annotations

import re

from remote.gpfs import unconfirmed
from remote.gpfs.machine import Table, is_machine, read_machine
from remote.gpfs.models import (
    FsManager,
    FsMounts,
    Managers,
    MountedNode,
    Mounts,
    NodeState,
    NodeStates,
    QuorumSummary,
)
from remote.gpfs.reading import Line, Reading, Steps, finish, is_rule, split_message, whole
from remote.parsed import Parsed

_UNREACHABLE = "The following nodes could not be reached:"
_NODE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]*\Z")
_SUMMARY_LABELS = {
    "number of nodes defined in the cluster": "defined",
    "number of local nodes active in the cluster": "active",
    "number of remote nodes joined in this cluster": "remote_joined",
    "number of quorum nodes defined in the cluster": "quorum_defined",
    "number of quorum nodes active in the cluster": "quorum_active",
}
_QUORUM = re.compile(r"Quorum = (\S+), Quorum (.*)achieved\.?\Z", re.IGNORECASE)
_STATE = ("nodeNumber", "nodeName", "state", "quorum", "nodesUp", "totalNodes", "remarks")

_FS_MANAGER = re.compile(r"(\S+) +(\S+) \(([^()\s]+)\)\Z")
_MOUNTED = re.compile(r"File system (\S+)(?: \(\S+\))? is mounted on ([0-9]{1,9}) nodes?[.:]?\Z")


def parse_mmgetstate(stdout: str, stderr: str = "") -> Parsed[NodeStates]:
    """Parse `mmgetstate`, with or without `-a`, `-L` and `-s`."""
    return finish(mmgetstate_steps(stdout, stderr))


def mmgetstate_steps(stdout: str, stderr: str = "") -> Steps[NodeStates]:
    """The steps of `parse_mmgetstate`."""
    reading = Reading(stdout, stderr)
    found = _States(reading)
    if is_machine(stdout, "mmgetstate"):
        yield from read_machine(reading, "mmgetstate", {"": Table(_STATE, found.record)})
    else:
        yield from reading.each(found.line)
    for line in reading.stderr:
        found.trailer(line)
    if not found.nodes and not found.unreachable and found.summary is None:
        reading.missing("no node")
    return reading.result(NodeStates(tuple(found.nodes), tuple(found.unreachable), found.summary))


class _States:
    """The nodes read so far."""

    def __init__(self, reading: Reading) -> None:
        self.nodes: list[NodeState] = []
        self.unreachable: list[str] = []
        self.summary: QuorumSummary | None = None
        self._reading = reading
        self._in_table = False
        self._in_trailer = False

    def line(self, line: Line) -> None:
        """Read a line of the human form."""
        words = line.text.split()
        if words[:2] == ["Node", "number"]:
            self._in_table = True
        elif not words or is_rule(line.text):
            return
        elif line.text.strip() == "Summary information":
            self._in_table, self.summary = False, self.summary or QuorumSummary()
        elif self._of_summary(line.text.strip()):
            return
        elif self._in_trailer or _UNREACHABLE in line.text:
            self.trailer(line)
        else:
            self._row(line, words)

    def _row(self, line: Line, words: list[str]) -> None:
        why = "a node needs a number, a name and a state"
        if len(words) > 5 and unconfirmed.quorum_needed(words[2]) is not None:
            why = self.record(*words[:2], words[5], *words[2:5], " ".join(words[6:])) or ""
        elif len(words) > 2:
            why = self.record(*words[:3], "", "", "", " ".join(words[3:])) or ""
        if why and self._in_table:
            self._reading.broken(line, why)
        elif why:
            self._reading.note(line)

    def record(self, *values: str) -> str | None:
        """Read the values of one node."""
        number_text, name, state, quorum, up, total, remarks = values
        number = whole(number_text)
        if number is None:
            return "the node number is not a whole number"
        if not name or not state:
            return "a node needs a name and a state"
        needed, tiebreaker = unconfirmed.quorum_needed(quorum) or (None, False)
        self.nodes.append(NodeState(number, name, state, needed, whole(up), whole(total), remarks, tiebreaker))
        return None

    def _of_summary(self, text: str) -> bool:
        if self.summary is None:
            return False
        label, _, value = text.partition(":")
        field = _SUMMARY_LABELS.get(label.lower())
        if field is not None and whole(value.strip()) is not None:
            self.summary = _replaced(self.summary, field, whole(value.strip()))
            return True
        match = _QUORUM.match(text)
        if match is None:
            return False
        needed = unconfirmed.quorum_needed(match[1])
        self.summary = _replaced(self.summary, "quorum_needed", needed[0] if needed else None)
        self.summary = _replaced(self.summary, "achieved", not unconfirmed.lost_quorum(match[2]))
        return True

    def trailer(self, line: Line) -> None:
        """Read a line of the list of nodes that did not answer, which may come on either stream."""
        if _UNREACHABLE in line.text:
            self._in_trailer = True
        elif self._in_trailer and _NODE_NAME.match(line.text.strip()):
            self.unreachable.append(line.text.strip())
        else:
            self._reading.note(line)


def _replaced(summary: QuorumSummary, field: str, value: int | bool | None) -> QuorumSummary:
    fields = {name: getattr(summary, name) for name in summary.__struct_fields__}
    return QuorumSummary(**{**fields, field: value})


def parse_mmlsmgr(stdout: str, stderr: str = "") -> Parsed[Managers]:
    """Parse `mmlsmgr`: the manager node of each file system, and of the cluster."""
    return finish(mmlsmgr_steps(stdout, stderr))


def mmlsmgr_steps(stdout: str, stderr: str = "") -> Steps[Managers]:
    """The steps of `parse_mmlsmgr`."""
    reading = Reading(stdout, stderr)
    found = _Managers(reading)
    if is_machine(stdout, "mmlsmgr"):
        tables = {
            "clusterManager": Table(("manager", "managerIP"), found.cluster_record),
            "filesystemManager": Table(("filesystem", "manager", "managerIP"), found.record),
        }
        yield from read_machine(reading, "mmlsmgr", tables)
    else:
        yield from reading.each(found.line)
    reading.rest()
    if not found.managers and not found.cluster[0]:
        reading.missing("no manager")
    return reading.result(Managers(tuple(found.managers), *found.cluster))


class _Managers:
    """The managers read so far; `cluster` is the cluster manager's name and address."""

    def __init__(self, reading: Reading) -> None:
        self.managers: list[FsManager] = []
        self.cluster = ("", "")
        self._reading = reading

    def line(self, line: Line) -> None:
        """Read a line of the human form."""
        text = line.text.strip()
        if not text or is_rule(text) or text.split() == ["file", "system", "manager", "node"]:
            return
        cluster = unconfirmed.cluster_manager(text)
        if cluster is not None:
            address, name = cluster
            self.cluster = (name, address) if name else (address, "")
        elif match := _FS_MANAGER.match(text):
            self.record(match[1], match[3], match[2])
        else:
            self._reading.note(line)

    def record(self, fs: str, node: str, address: str) -> str | None:
        """Take the manager of a file system."""
        if not fs or not node:
            return "a manager needs a file system and a node"
        self.managers.append(FsManager(fs, node, address))
        return None

    def cluster_record(self, node: str, address: str) -> str | None:
        """Take the cluster manager."""
        self.cluster = (node, address)
        return None if node else "no name of the cluster manager"


def parse_mmlsmount(stdout: str, stderr: str = "") -> Parsed[Mounts]:
    """Parse `mmlsmount`, with or without `-L`."""
    return finish(mmlsmount_steps(stdout, stderr))


def mmlsmount_steps(stdout: str, stderr: str = "") -> Steps[Mounts]:
    """The steps of `parse_mmlsmount`."""
    reading = Reading(stdout, stderr)
    found = _Mounts(reading)
    if is_machine(stdout, "mmlsmount"):
        columns = unconfirmed.mount_columns()
        yield from read_machine(reading, "mmlsmount", {"": Table(columns, found.record, assumed=columns)})
    else:
        yield from reading.each(found.line)
    reading.rest()
    if not found.counts:
        reading.missing("no file system")
    mounts = (FsMounts(fs, count, tuple(found.nodes[fs])) for fs, count in found.counts.items())
    return reading.result(Mounts(tuple(mounts)))


class _Mounts:
    """The file systems read so far: how many nodes each has, and which."""

    def __init__(self, reading: Reading) -> None:
        self.counts: dict[str, int] = {}
        self.nodes: dict[str, list[MountedNode]] = {}
        self._reading = reading
        self._present = ""

    def line(self, line: Line) -> None:
        """Read a line of the human form."""
        _, message = split_message(line.text)
        nowhere = unconfirmed.not_mounted(message.text)
        words = line.text.split()
        if match := _MOUNTED.match(message.text):
            self._begin(match[1], int(match[2]))
        elif nowhere is not None:
            self._begin(nowhere, 0)
        elif self._present and 2 <= len(words) <= 3 and line.text.startswith(" "):
            self.nodes[self._present].append(MountedNode(*words))
        else:
            self._reading.note(line)

    def _begin(self, fs: str, count: int) -> None:
        self._present = fs
        self.counts[fs] = count
        self.nodes.setdefault(fs, [])

    def record(self, *values: str) -> str | None:
        """Read a row of `-Y`: one node that has it mounted, or none."""
        fs, _, _, total, address, name, cluster, mode = values
        count = whole(total)
        if not fs or count is None:
            return "a mount needs a file system and a number of nodes"
        self._begin(fs, count)
        if name:
            self.nodes[fs].append(MountedNode(address, name, cluster, mode))
        return None
