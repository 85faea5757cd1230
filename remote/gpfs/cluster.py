"""Parser of `mmlscluster`, human and `-Y`."""

from __future__ import annotations

import ipaddress

from remote.gpfs import unconfirmed
from remote.gpfs.machine import Table, is_machine, read_machine
from remote.gpfs.models import Cluster, ClusterNode
from remote.gpfs.reading import Line, Reading, Steps, finish, is_rule, whole
from remote.parsed import Parsed

_FIELDS = ("name", "cluster_id", "uid_domain", "remote_shell", "remote_copy", "repository", "primary", "secondary")
_LABELS = {
    "gpfs cluster name": "name",
    "gpfs cluster id": "cluster_id",
    "gpfs uid domain": "uid_domain",
    "remote shell command": "remote_shell",
    "remote file copy command": "remote_copy",
    "repository type": "repository",
}
_HEADINGS = ("gpfs cluster information", "gpfs cluster configuration servers:")
_SUMMARY = (
    "clusterName", "clusterId", "uidDomain", "rshPath", "rcpPath", "repositoryType", "primaryServer", "secondaryServer",
)  # fmt: skip
_NODE = ("nodeNumber", "daemonNodeName", "ipAddress", "adminNodeName", "designation", "otherNodeRolesAlias")


def parse_mmlscluster(stdout: str, stderr: str = "") -> Parsed[Cluster]:
    """Parse `mmlscluster`: the summary lines and the node table. The names of CES and CNFS nodes come with `-Y`."""
    return finish(mmlscluster_steps(stdout, stderr))


def mmlscluster_steps(stdout: str, stderr: str = "") -> Steps[Cluster]:
    """The steps of `parse_mmlscluster`."""
    reading = Reading(stdout, stderr)
    found = _Found(reading)
    if is_machine(stdout, "mmlscluster"):
        tables = {
            "clusterSummary": Table(_SUMMARY, found.summary),
            "clusterNode": Table(_NODE, found.record),
            "cesNode": Table(("daemonNodeName",), found.ces.add_name),
            "cnfsNode": Table(("daemonNodeName",), found.cnfs.add_name),
        }
        yield from read_machine(reading, "mmlscluster", tables)
    else:
        yield from reading.each(found.line)
    reading.rest()
    if not found.fields["name"]:
        reading.missing("no cluster name")
    if not found.nodes:
        reading.missing("no node table")
    nodes, exporting = tuple(found.nodes.values()), (tuple(found.ces.names), tuple(found.cnfs.names))
    return reading.result(Cluster(**found.fields, nodes=nodes, ces=exporting[0], cnfs=exporting[1]))


class _Exporting:
    """The nodes of one table of `-Y` beside that of all nodes."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}

    def add_name(self, name: str) -> str | None:
        """Read a row of it."""
        if not name:
            return "a node needs a daemon name"
        self.names[name] = None
        return None


class _Found:
    """What has been read so far."""

    def __init__(self, reading: Reading) -> None:
        self.fields = dict.fromkeys(_FIELDS, "")
        self.nodes: dict[int, ClusterNode] = {}
        self.ces = _Exporting()
        self.cnfs = _Exporting()
        self._reading = reading
        self._in_table = False

    def line(self, line: Line) -> None:
        """Read a line of the human form."""
        if "daemon node name" in line.text.lower():
            self._in_table = True
        elif not line.text:
            self._in_table = self._in_table and not self.nodes  # a blank line ends the table; others may follow
        elif is_rule(line.text):
            return
        elif self._in_table:
            self._node(line)
        else:
            self._field(line)

    def _field(self, line: Line) -> None:
        label, colon, value = line.text.strip().partition(":")
        label = label.strip().lower()
        field = _LABELS.get(label) or unconfirmed.configuration_server(label)
        if field is not None and colon:
            self.fields[field] = _told(value)
        elif line.text.strip().lower() not in _HEADINGS:
            self._reading.note(line)

    def _node(self, line: Line) -> None:
        cells = line.text.split()
        if len(cells) < 4:
            self._reading.broken(line, "a node needs a number, a daemon name, an address and an admin name")
            return
        why = self._add(cells[0], cells[1], cells[2], cells[3], " ".join(cells[4:]))
        if why is not None:
            self._reading.broken(line, why)

    def _add(self, number_text: str, daemon: str, address: str, admin: str, designation: str) -> str | None:
        number = whole(number_text)
        if number is None:
            return "the node number is not a whole number"
        if not _is_address(address):
            return "the third column is not an IP address"
        if number in self.nodes:
            return f"node number {number} was there before"
        self.nodes[number] = ClusterNode(number, daemon, address, admin, designation)
        return None

    def summary(self, *values: str) -> str | None:
        """Read a row of the summary of `-Y`."""
        if not values[0]:
            return "a cluster without a name"
        self.fields = {field: _told(value) for field, value in zip(_FIELDS, values, strict=True)}
        return None

    def record(self, number: str, daemon: str, address: str, admin: str, designation: str, roles: str) -> str | None:
        """Read a row of the node table of `-Y`; its designation is put into the words of the human form."""
        if not daemon or not admin:
            return "a node needs a daemon name and an admin name"
        words = [designation.replace("quorumManager", "quorum-manager"), *roles.split(",")]
        return self._add(number, daemon, address, admin, "-".join(word for word in words if word))


def _told(value: str) -> str:
    value = value.strip()
    return "" if value == "(none)" else value


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
