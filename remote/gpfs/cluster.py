"""Parsers of `mmlscluster` and `mmlsfs`, in their human form."""

from __future__ import annotations

import ipaddress
import re

from remote.gpfs.models import Cluster, ClusterNode, FileSystem, FsAttribute
from remote.gpfs.reading import Line, Reading, is_message, is_rule, whole
from remote.parsed import Parsed

_CLUSTER_FIELDS = {
    "gpfs cluster name": "name",
    "gpfs cluster id": "cluster_id",
    "gpfs uid domain": "uid_domain",
    "remote shell command": "remote_shell",
    "remote file copy command": "remote_copy",
    "repository type": "repository",
    "primary server": "primary",
    "secondary server": "secondary",
}
_CLUSTER_HEADINGS = ("gpfs cluster information", "gpfs cluster configuration servers:")

_FLAG_ROW = re.compile(r"\s*(-[A-Za-z0-9]|--[A-Za-z0-9][A-Za-z0-9-]*)(?:\s+(\S.*))?\Z")
_MORE_OF_FLAG = re.compile(r"(?:\s{10,}|\s*(?=[0-9]))(\S.*)\Z")
# Two kinds of value hold a blank: a time (`--create-time`) and a version with its release (`-V`).
_VALUE_WITH_BLANKS = re.compile(
    r"([A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}[0-9]{1,2} [0-9:]{8} (?:[A-Z]{2,5} )?[0-9]{4}|[0-9.]+ \([^()]*\))(?:\s|\Z)"
)
_WIDE_GAP = re.compile(r"\s{2,}")
_VALUE_COLUMN = slice(20, 45)


def parse_mmlscluster(stdout: str, stderr: str = "") -> Parsed[Cluster]:
    """Parse `mmlscluster`: the summary lines and the node table."""
    reading = Reading(stdout, stderr)
    fields = dict.fromkeys(_CLUSTER_FIELDS.values(), "")
    nodes: dict[int, ClusterNode] = {}
    in_table = False
    for line in reading.stdout:
        if "daemon node name" in line.text.lower():
            in_table = True
        elif not line.text:
            in_table = in_table and not nodes  # a blank line ends the table; other tables may follow
        elif is_rule(line.text):
            continue
        elif in_table:
            _read_node(line, nodes, reading)
        else:
            _read_cluster_field(line, fields, reading)
    for line in reading.stderr:
        reading.note(line)
    if not fields["name"]:
        reading.missing("no cluster name")
    if not nodes:
        reading.missing("no node table")
    return reading.result(Cluster(**fields, nodes=tuple(nodes.values())))


def _read_cluster_field(line: Line, fields: dict[str, str], reading: Reading) -> None:
    label, colon, value = line.text.strip().partition(":")
    field = _CLUSTER_FIELDS.get(label.strip().lower())
    if field is not None and colon:
        value = value.strip()
        fields[field] = "" if value == "(none)" else value
    elif line.text.strip().lower() not in _CLUSTER_HEADINGS:
        reading.note(line)


def _read_node(line: Line, nodes: dict[int, ClusterNode], reading: Reading) -> None:
    cells = line.text.split()
    if len(cells) < 4:
        reading.broken(line, "a node needs a number, a daemon name, an address and an admin name")
        return
    number = whole(cells[0])
    if number is None:
        reading.broken(line, "the node number is not a whole number")
    elif not _is_address(cells[2]):
        reading.broken(line, "the third column is not an IP address")
    elif number in nodes:
        reading.problem(line, f"node number {number} was there before")
    else:
        nodes[number] = ClusterNode(number, cells[1], cells[2], cells[3], " ".join(cells[4:]))


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def parse_mmlsfs(stdout: str, stderr: str = "", *, name: str = "") -> Parsed[FileSystem]:
    """Parse `mmlsfs`. `name` is the file system that was asked for, which the text does not repeat."""
    reading = Reading(stdout, stderr)
    rows: list[FsAttribute] = []
    for line in reading.stdout:
        if not line.text or is_rule(line.text) or line.text.split()[:2] == ["flag", "value"]:
            continue
        row = None if is_message(line.text) else _attribute(line.text, rows)
        if row is not None:
            rows.append(row)
        elif line.text.lstrip().startswith("-"):
            reading.problem(line, "a flag without a value")
        else:
            reading.note(line)
    for line in reading.stderr:
        reading.note(line)
    if not rows:
        reading.missing("no attributes")
    return reading.result(FileSystem(name, tuple(rows)))


def _attribute(text: str, before: list[FsAttribute]) -> FsAttribute | None:
    """One row; a row without a flag is one more value of the flag before it."""
    if match := _FLAG_ROW.match(text):
        flag, rest = match[1], match[2] or ""
    elif before and (match := _MORE_OF_FLAG.match(text)):
        flag, rest = before[-1].flag, match[1]
    else:
        return None
    if not text[_VALUE_COLUMN].strip() and text[_VALUE_COLUMN.stop :].strip():
        return FsAttribute(flag, "", rest)  # in columns, and that of the value is empty
    if not rest:
        return None
    if match := _VALUE_WITH_BLANKS.match(rest):
        value, description = match[1], rest[match.end() :]
    else:
        value, description = _split_once(rest)
    return FsAttribute(flag, value, description.strip())


def _split_once(rest: str) -> tuple[str, str]:
    """Split value from description: at two or more blanks, or at the first where a page made one of them."""
    gap = _WIDE_GAP.search(rest)
    if gap is not None:
        return rest[: gap.start()], rest[gap.end() :]
    value, _, description = rest.partition(" ")
    return value, description
