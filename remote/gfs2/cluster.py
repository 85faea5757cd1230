"""What the tools of a cluster tell: the nodes that it is made of, and the resources that mount a GFS2.

Of pacemaker and corosync there is no output behind this, only memory: docs/to-confirm.md. Everything is total.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from xml.etree import ElementTree  # what declares a document type is not read: see `resources`

import msgspec


class NodeState(Enum):
    """What the cluster says of a node."""

    MEMBER = "member"
    AWAY = "away"
    UNKNOWN = "unknown"


class Node(msgspec.Struct, frozen=True):
    """A node that the cluster knows, by the name it goes by there."""

    name: str
    state: NodeState = NodeState.UNKNOWN


class Resource(msgspec.Struct, frozen=True):
    """A Filesystem agent of the cluster manager that mounts a GFS2.

    `disabled` is that it, or what holds it (a group, a clone), is told to be stopped: None where rules decide that.
    `number` is the device's on this host, "" where it is not known.
    """

    id: str
    device: str
    directory: str
    disabled: bool | None
    number: str = ""


_CRM_NODE = re.compile(r"([0-9]{1,20}) +(\S{1,255})(?: +(\S{1,40}))?\Z")
_CMAP = re.compile(r"nodelist\.node\.([0-9]{1,6})\.(name|ring0_addr) \(str\) = (\S{1,255})\Z")
_STATES = {"member": NodeState.MEMBER, "lost": NodeState.AWAY}
_HOLDERS = frozenset(("group", "clone", "master", "bundle"))
_LONGEST_LINE = 1000


def nodes_of_crm_node(lines: list[str]) -> tuple[Node, ...]:
    """The nodes of `crm_node -l`: `ID NAME STATE`. One whose name nobody knows goes by its id."""
    nodes = {}
    for line in lines:
        if match := _CRM_NODE.match(line.strip()[:_LONGEST_LINE]):
            name = f"id {match[1]}" if match[2] in ("(null)", "?") else match[2]
            nodes[name] = Node(name, _STATES.get(match[3] or "", NodeState.UNKNOWN))
    return tuple(nodes.values())


def nodes_of_cmap(lines: list[str]) -> tuple[Node, ...]:
    """The nodes of `corosync-cmapctl nodelist.node.`: by name, else by address. Who is there it does not tell."""
    told: dict[str, dict[str, str]] = {}
    for line in lines:
        if match := _CMAP.match(line.strip()[:_LONGEST_LINE]):
            told.setdefault(match[1], {})[match[2]] = match[3]
    return tuple(Node(each.get("name") or each["ring0_addr"]) for each in told.values())


def resources(text: str, numbers: Mapping[str, str]) -> tuple[Resource, ...] | None:
    """The resources that mount a GFS2, of `cibadmin -Q -o resources`; None where it is not whole.

    `numbers` has the MAJOR:MINOR of devices by their paths. What stands before and after the XML is left out.
    """
    begin, end = text.find("<resources"), text.rfind("</resources>")
    if begin < 0:
        return None
    if end < 0:
        return () if text[begin:].startswith("<resources/>") else None
    plain = text[begin : end + len("</resources>")]
    if "<!DOCTYPE" in plain or "<!ENTITY" in plain:  # it has none, and these are how a short text becomes a huge one
        return None
    try:
        root = ElementTree.fromstring(plain)  # noqa: S314
    except (ElementTree.ParseError, ValueError, RecursionError):
        return None
    return tuple(_Cib(root).found(numbers))


class _Cib:
    """The resources, with what is referred to by its id."""

    def __init__(self, root: ElementTree.Element) -> None:
        self._root = root
        self._ids = {name: element for element in root.iter() if (name := element.get("id"))}
        self._above = {child: parent for parent in root.iter() for child in parent}

    def found(self, numbers: Mapping[str, str]) -> Iterator[Resource]:
        """Those that mount a GFS2."""
        for primitive in self._root.iter("primitive"):
            if self._agent(primitive) != "Filesystem" or self._parameter(primitive, "fstype") != "gfs2":
                continue
            device = self._parameter(primitive, "device")
            directory = self._parameter(primitive, "directory")
            name = primitive.get("id", "")
            yield Resource(name, device, directory, self._disabled(primitive), numbers.get(device, ""))

    def _with_template(self, element: ElementTree.Element) -> Iterator[ElementTree.Element]:
        """An element, then the template that it takes the rest from."""
        yield element
        template = self._ids.get(element.get("template", ""))
        if template is not None and template.tag == "template":
            yield template

    def _agent(self, primitive: ElementTree.Element) -> str:
        return next((kind for each in self._with_template(primitive) if (kind := each.get("type"))), "")

    def _parameter(self, primitive: ElementTree.Element, name: str) -> str:
        for each in self._with_template(primitive):
            for value, _ruled in self._values(each, "instance_attributes", name):
                return value
        return ""

    def _disabled(self, primitive: ElementTree.Element) -> bool | None:
        """What is set nearest to a resource decides; what holds it speaks for what it holds."""
        for each in self._holding(primitive):
            told = list(self._values(each, "meta_attributes", "target-role"))
            stopped = {value.lower() == "stopped" for value, _ruled in told}
            if len(stopped) > 1 or any(ruled for _value, ruled in told):
                return None
            if stopped:
                return stopped == {True}
        return False

    def _holding(self, primitive: ElementTree.Element) -> Iterator[ElementTree.Element]:
        yield from self._with_template(primitive)
        above = self._above.get(primitive)
        while above is not None:
            if above.tag in _HOLDERS:
                yield above
            above = self._above.get(above)

    def _values(self, element: ElementTree.Element, sets: str, name: str) -> Iterator[tuple[str, bool]]:
        """The values of a name in the sets of an element, each with whether a rule decides if it counts."""
        for each in element.findall(sets):
            each = self._ids.get(each.get("id-ref", ""), each)  # noqa: PLW2901
            ruled = each.find("rule") is not None
            for pair in each.findall("nvpair"):
                pair = self._ids.get(pair.get("id-ref", ""), pair)  # noqa: PLW2901
                if pair.get("name") == name:
                    yield pair.get("value", ""), ruled
