"""The proof just before `mmcrnsd`, and the second one after it.

Before: every server has just been looked at again; each pinned device is found by its identity, and the stanzas are
built anew for the names of this minute, or refused with the difference. After: the new NSDs lead back to the pins.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from remote.gpfs.models import ClusterNode
from remote.gpfs.stanza import NsdStanza
from remote.names import UnknownNodeError
from supervision import verdicts
from supervision.gpfs_stanzacheck import Judged, Site, judge_stanzas
from supervision.gpfs_verdicts import judge_volume_ids
from supervision.pins import Pin
from supervision.verdicts import Level, Verdict, whose


class ProofError(Exception):
    """The devices are not as they were pinned; the text tells the difference."""

    def __init__(self, found: Sequence[Verdict]) -> None:
        self.verdicts = tuple(verdict for verdict in found if verdict.level is Level.BLOCK)
        super().__init__("; ".join(dict.fromkeys(_line(verdict) for verdict in self.verdicts)))


class Rebuilt(msgspec.Struct, frozen=True):
    """Stanzas for the names of this minute. `moved` tells in words which device has another name than when pinned."""

    stanzas: tuple[NsdStanza, ...]
    judged: Judged
    moved: tuple[str, ...] = ()


def rebuild(stanzas: Sequence[NsdStanza], pins: Sequence[Pin], site: Site) -> Rebuilt:
    """Build the stanzas of pinned devices anew from the looks in `site`, which must be of just now.

    Raises ProofError, with every difference, unless each device is there once on all hosts that saw it, with the same
    identity and size, and nothing blocks it.
    """
    rebuilt, found = examine(stanzas, pins, site)
    if verdicts.worst(found) is Level.BLOCK:
        raise ProofError(found)
    return rebuilt


def examine(stanzas: Sequence[NsdStanza], pins: Sequence[Pin], site: Site) -> tuple[Rebuilt, list[Verdict]]:
    """The same with all that was found, whatever it weighs: stanzas of devices that are not there are left out."""
    by_label = {pin.label: reached(pin, site) for pin in pins}
    found: list[Verdict] = []
    fresh: list[NsdStanza] = []
    moved: list[str] = []
    for stanza in stanzas:
        pin = by_label.get(stanza.nsd)
        if pin is None:
            text = f"{stanza.nsd} was not pinned"
            found.append(Verdict(Level.BLOCK, verdicts.IDENTITY, "", stanza.device, text, about=stanza.nsd))
            continue
        found += lost(pin, site)
        look = site.looks.get(pin.first.host)
        there = look.find(pin.key) if look else ()
        if len(there) != 1:
            continue
        if there[0].name != pin.first.name:
            moved.append(f"{pin.label}: {pin.first.name} is now {there[0].name} on {pin.first.host} ({pin.identity})")
        fresh.append(msgspec.structs.replace(stanza, device=there[0].name))
    judged = judge_stanzas(fresh, site)
    found += judged.verdicts
    return Rebuilt(tuple(fresh), judged, tuple(moved)), found


def reached(pin: Pin, site: Site) -> Pin:
    """A pin with its hosts as they are reached now: nodes stay, hosts may be called otherwise this time."""
    places = tuple(msgspec.structs.replace(place, host=site.hosts.get(place.node, place.host)) for place in pin.at)
    return msgspec.structs.replace(pin, at=places)


def lost(pin: Pin, site: Site) -> list[Verdict]:
    """What keeps a pinned device from being found; another name alone does not."""
    pin = reached(pin, site)
    return [
        verdict
        for verdict in verdicts.judge_pin(pin, site.looks)
        if verdict.level is Level.BLOCK and not _only_renamed(verdict, pin, site)
    ]


def _only_renamed(verdict: Verdict, pin: Pin, site: Site) -> bool:
    look = site.looks.get(verdict.host)
    return verdict.kind == verdicts.DRIFT and look is not None and len(look.find(pin.key)) == 1


def prove_made(pins: Sequence[Pin], site: Site, *, since: float, until: float, skew: float = 300.0) -> list[Verdict]:
    """Whether the NSDs that were just made are the pinned devices, by mmlsnsd -X, the servers' looks and volume ids.

    `since` and `until` are when mmcrnsd ran (UNIX seconds on its host), `skew` how far the servers' clocks may be off.
    """
    found: list[Verdict] = []
    firsts: dict[str, ClusterNode] = {}
    rows = site.nsds.rows if site.nsds else ()
    for pin in (reached(pin, site) for pin in pins):
        found += _leads_back(pin, site)
        node = _node(pin.first.node, site)
        if node:
            firsts[pin.label] = node
    mine = [row for row in rows if row.nsd in firsts]
    return found + judge_volume_ids(mine, site.table, made=firsts, since=since, until=until, skew=skew)


def _leads_back(pin: Pin, site: Site) -> list[Verdict]:
    rows = site.nsds.by_nsd(pin.label) if site.nsds else ()
    servers = {place.node: place for place in pin.at}
    found: list[Verdict] = []
    for row in rows:
        node = _node(row.node, site)
        place = servers.pop(node.daemon_name, None) if node else None
        host = place.host if place else site.hosts.get(node.daemon_name, "") if node else ""
        look = site.looks.get(host)
        if place is None and look is None and "server" not in row.remarks:
            continue  # of a node that serves nothing here and was never looked at, only GPFS knows what it sees
        seen = look.named(row.device) if look else None
        if seen is None or seen.identity != pin.key:
            what = seen.identity.text or "a device without identity" if seen else "not known"
            text = f"{pin.label} is {row.device} on {row.node}, which is {what} and not {pin.identity}"
            found.append(_wrong(pin, text, host or row.node, row.device))
    found += [
        _wrong(pin, f"mmlsnsd -X does not show {pin.label} on {place.node}", place.host, place.name)
        for place in servers.values()
    ]
    return found


def _node(name: str, site: Site) -> ClusterNode | None:
    try:
        return site.table.resolve(name)
    except UnknownNodeError:
        return None


def _wrong(pin: Pin, text: str, host: str, device: str) -> Verdict:
    advice = "Nothing has been added to the file system: look before you go on"
    return Verdict(Level.BLOCK, verdicts.IDENTITY, host, device, text, advice, pin.label)


def _line(verdict: Verdict) -> str:
    whom = whose((verdict,))
    return f"{whom}: {verdict.text}" if whom else verdict.text
