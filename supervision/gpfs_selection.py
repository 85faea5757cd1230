"""From devices that a person marked to a stanza file: names, servers and failure groups, judged like any other file.

What is marked is an identity. Names of devices are those of the looks that the stanzas are built from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

import msgspec

from remote.gpfs.models import ClusterNode, Usage
from remote.gpfs.stanza import NsdStanza, check_nsd_stanza, write_nsd_stanzas
from supervision import verdicts
from supervision.gpfs_groups import ALONE, Group, group_for
from supervision.gpfs_stanzacheck import Judged, Site, judge_stanzas
from supervision.identity import HostLook, Identity, Seen
from supervision.verdicts import Level, Verdict

PATTERN = "{server}_ssd{n}"
"""How new NSDs are called where nobody says otherwise."""
FIELDS = ("server", "n", "group", "slot", "serial")
_FIELD = re.compile(r"\{([^{}]*)\}")
_ODD = re.compile(r"[^A-Za-z0-9_]")
_MOST = 10_000

Key = tuple[str, Identity]
"""A device on a host: it is that host's name of it that the stanza has, so the host is the first server."""


class Selection(msgspec.Struct, frozen=True):
    """What a person has chosen. `chosen` is in the order in which they were marked.

    `groups` are the failure groups that were chosen by hand, by the place that asks (`Asked.place`).
    """

    chosen: tuple[Key, ...] = ()
    pattern: str = PATTERN
    usage: Usage = Usage.METADATA_ONLY
    pool: str = "system"
    groups: Mapping[str, str] = {}


class Asked(msgspec.Struct, frozen=True):
    """A failure group that nothing decides: where, why, and which ones there are already."""

    place: str
    why: str
    found: tuple[str, ...]


class Built(msgspec.Struct, frozen=True):
    """The stanzas of a selection and what speaks against them. `text` is "" while something is missing or blocked."""

    stanzas: tuple[NsdStanza, ...]
    judged: Judged
    asked: tuple[Asked, ...] = ()
    text: str = ""

    @property
    def level(self) -> Level:
        """The heaviest verdict; a question that is open blocks."""
        return Level.BLOCK if self.asked else self.judged.level


def build(selection: Selection, site: Site, *, comment: str = "") -> Built:
    """Make stanzas of what was chosen and judge them."""
    found: list[Verdict] = []
    asked: dict[str, Asked] = {}
    stanzas: list[NsdStanza] = []
    namer = _Namer(selection.pattern, _taken(site))
    done: set[Identity] = set()
    for host, identity in selection.chosen:
        if identity in done and identity.text:
            continue  # marked on two of its servers: the first mark names the first server
        done.add(identity)
        look = site.looks.get(host)
        there = look.find(identity) if look else ()
        if look is None or len(there) != 1:
            text = f"{identity.text or 'a device without identity'} is seen {len(there)} times on {host} now"
            advice = "Look again, then mark it again"
            found.append(Verdict(Level.BLOCK, verdicts.IDENTITY, host, "", text, advice, at=look.at if look else 0.0))
            continue
        made = _stanza(selection, there[0], look, site, namer, asked)
        if isinstance(made, Verdict):
            found.append(made)
        else:
            stanzas.append(made)
    judged = judge_stanzas(stanzas, site)
    judged = msgspec.structs.replace(judged, verdicts=(*found, *judged.verdicts))
    text = ""
    if stanzas and not asked and judged.level < Level.BLOCK:
        text = write_nsd_stanzas(stanzas, comment=comment)
    return Built(tuple(stanzas), judged, tuple(asked.values()), text)


def _stanza(
    selection: Selection, seen: Seen, look: HostLook, site: Site, namer: _Namer, asked: dict[str, Asked]
) -> NsdStanza | Verdict:
    nodes = _servers(seen, site)
    if not nodes:
        text = f"{look.host} is no node of the cluster, so it cannot serve {seen.name}"
        return Verdict(Level.BLOCK, verdicts.NAME, look.host, seen.name, text, "See mmlscluster", at=look.at)
    servers = tuple(_short(node) for node in nodes)
    group = group_for(seen, look, site.disks, shared=len(nodes) > 1)
    place = place_of(seen)
    chosen = selection.groups.get(place) or group.certain
    if not chosen and selection.usage is not Usage.LOCAL_CACHE:
        asked.setdefault(place, Asked(place, _why(group), group.found))
    try:
        nsd = namer.name(servers[0], chosen, seen)
        made = NsdStanza(seen.name, nsd, servers, selection.usage, chosen or ALONE, selection.pool)
        check_nsd_stanza(made)
    except ValueError as error:
        return Verdict(Level.BLOCK, verdicts.NAME, look.host, seen.name, str(error), "Change it", at=look.at)
    return made


def place_of(seen: Seen) -> str:
    """Where a device sits, as far as failure groups are concerned: one answer is for all devices there."""
    return f"{seen.host} {seen.enclosure}".strip()


def _why(group: Group) -> str:
    if not group.found:
        return f"{group.why}, so nothing tells its failure group"
    if group.guess:
        groups = f"group{'s' if len(group.found) > 1 else ''} {', '.join(group.found)}"
        return f"it is shared, and no disk of its enclosure is known; the {group.why} are in {groups}"
    return f"the {group.why} are in failure groups {', '.join(group.found)}"


def _servers(seen: Seen, site: Site) -> list[ClusterNode]:
    """The nodes that see a device: the one whose name of it is used first, the others in the order of the cluster."""
    by_host = {host: node for node, host in site.hosts.items()}
    nodes = {node.daemon_name: node for node in site.table.nodes}
    first = nodes.get(by_host.get(seen.host, ""))
    if first is None:
        return []
    others = [
        node
        for node in site.table.nodes
        if node is not first
        and (host := site.hosts.get(node.daemon_name)) is not None
        and host in site.looks
        and seen.identity.text
        and not seen.doubt
        and len(site.looks[host].find(seen.identity)) == 1
    ]
    return [first, *others][:8]


def _short(node: ClusterNode) -> str:
    return node.admin_name.partition(".")[0]


def _taken(site: Site) -> set[str]:
    """Names that NSDs have already, in small letters."""
    rows = site.nsds.rows if site.nsds else ()
    disks = site.disks.disks if site.disks else ()
    return {row.nsd.lower() for row in rows} | {disk.nsd.lower() for disk in disks}


class _Namer:
    """Makes names of a pattern; `{n}` counts for each of the other fields' values, past names that are taken."""

    def __init__(self, pattern: str, taken: set[str]) -> None:
        self._pattern = pattern
        self._taken = taken

    def name(self, server: str, group: str, seen: Seen) -> str:
        """The next free name. ValueError for a pattern that cannot be used."""
        values = {"server": server, "group": group, "slot": seen.slot, "serial": seen.serial}
        for n in range(1, _MOST):
            name = _FIELD.sub(self._filler({**values, "n": str(n)}), self._pattern)
            if name.lower() not in self._taken:
                self._taken.add(name.lower())
                return name
            if "{n}" not in self._pattern:
                raise ValueError(f"{name} is taken: a pattern with {{n}} counts")
        raise ValueError(f"no name is free for {self._pattern}")

    @staticmethod
    def _filler(values: Mapping[str, str]) -> Callable[[re.Match[str]], str]:
        def fill(match: re.Match[str]) -> str:
            if match[1] not in values:
                raise ValueError(f"{match[0]} is no field: {', '.join(f'{{{field}}}' for field in FIELDS)}")
            if not values[match[1]]:
                raise ValueError(f"{match[0]} is not known for this device")
            return _ODD.sub("_", values[match[1]])

        return fill


def peers_of(seen: Seen, looks: Iterable[HostLook]) -> tuple[Key, ...]:
    """All free devices of the same model, size and rotation on all hosts: what a person most often means by one."""
    found: list[Key] = []
    for look in looks:
        for other in look.devices:
            alike = (other.model, other.identity.size_bytes, other.rotational)
            if other.free and alike == (seen.model, seen.identity.size_bytes, seen.rotational):
                found.append(other.key)
    return tuple(found)
