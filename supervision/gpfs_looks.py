"""The devices of all hosts with what GPFS says of them: which NSD is which device, on every host that sees it.

GPFS up to 3.5 leaves no signature that Linux knows, so its own table is asked too, and the bytes of sector 2.
"""

from __future__ import annotations

import ipaddress
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from remote.gpfs.models import NsdDevice, VolumeId, decode_volume_id
from supervision.identity import HostLook, Identity, Seen, is_path
from supervision.sightings import Sighting, as_of, same_device
from supervision.uses import BY_WEIGHT, Use, UseKind

NOT_ASKED = "mmlsnsd -X was not asked, and NSDs of GPFS 3.5 look empty to Linux"
_FIRST = 946_684_800
"""2000-01-01: GPFS wrote no NSD before."""
_ID_DIGITS = 16
_ID = re.compile(r"[0-9A-F]{16}\Z")


def with_nsds(look: HostLook, rows: Sequence[NsdDevice] | None, ids: Mapping[str, str]) -> HostLook:
    """Say of each device of a host which NSD it is. `rows` are those of its node, None where nobody asked.

    `ids` are the names of all NSDs of the cluster as `volume_ids` returns them.
    """
    if rows is None:
        return msgspec.structs.replace(look, missing=(*look.missing, NOT_ASKED))
    names: dict[str, NsdDevice] = {}
    for row in rows:
        if row.found:
            short = row.device.removeprefix("/dev/")
            names.setdefault(short, row)
            names.setdefault(short.removeprefix("disk/"), row)
    devices = tuple(_with_nsd(seen, names, ids, look.at) for seen in look.devices)
    return msgspec.structs.replace(look, devices=devices)


def still_true(
    rows: Sequence[NsdDevice], look: HostLook, history: Sequence[Sighting], asked_at: float
) -> tuple[Sequence[NsdDevice], str]:
    """The rows whose names mean what they did when mmlsnsd was asked, and what is to be said of the others.

    A boot gives names to other devices. Until mmlsnsd is asked again, its `sdh` is whatever was sdh then.
    """
    then = as_of(history, asked_at) or (history[0] if history else None)
    if then is None:
        return rows, ""
    was = {sight.name: sight.identity for sight in then.devices}
    kept = []
    for row in rows:
        seen = look.named(row.device) if row.found else None
        before = was.get(seen.name) if seen else None
        if seen is None or before is None or not before.text or same_device(before, seen.identity):
            kept.append(row)
    outdated = len(rows) - len(kept)
    why = f"mmlsnsd -X was asked before {outdated} of its devices got other names: it must be asked again"
    return kept, why if outdated else ""


def lost_rows(look: HostLook, rows: Iterable[NsdDevice]) -> list[NsdDevice]:
    """The NSDs of a host's node that lead to none of its devices."""
    return [row for row in rows if not row.found or look.named(row.device) is None]


def _with_nsd(seen: Seen, names: Mapping[str, NsdDevice], ids: Mapping[str, str], now: float) -> Seen:
    if is_path(seen):
        return seen
    # a row may name a path: then it is the map that must not be taken
    row = next((names[name] for name in (*seen.names, *seen.paths) if name in names), None)
    sector = seen.content.sector2.upper() if seen.content else ""
    mine = next((ids[text] for text in _eights(sector) if text in ids), "")
    if row and mine in ("", row.nsd):
        return _used(seen, Use(UseKind.NSD, f"NSD {row.nsd}"), row.nsd)
    if mine:  # what lies on it goes before a name that it had when mmlsnsd was asked
        return _used(seen, Use(UseKind.NSD, f"sector 2 holds the volume id of NSD {mine}"), mine)
    strange = _volume_id(sector, now) if any(use.kind is UseKind.BYTES for use in seen.uses) else None
    if strange:
        text, decoded = strange
        day = time.strftime("%Y-%m-%d", time.gmtime(decoded.created))
        told = f"sector 2 may hold the NSD volume id {text}, written on {day} by {decoded.address}"
        return _used(seen, Use(UseKind.NSD, told), "")
    return seen


def _used(seen: Seen, use: Use, nsd: str) -> Seen:
    uses = sorted((use, *seen.uses), key=lambda each: BY_WEIGHT.index(each.kind))
    return msgspec.structs.replace(seen, uses=tuple(uses), known_as=nsd)


def _eights(sector: str) -> Iterator[str]:
    """Every eight bytes of a sector, which may be a volume id."""
    return (sector[at : at + _ID_DIGITS] for at in range(0, len(sector) - _ID_DIGITS + 1, 2))


def _volume_id(sector: str, now: float) -> tuple[str, VolumeId] | None:
    """What may be the volume id of an NSD that this cluster does not know; None where nothing looks like one."""
    for at in range(0, len(sector) - _ID_DIGITS + 1, 8):
        text = sector[at : at + _ID_DIGITS]
        decoded = decode_volume_id(text)
        if decoded is None or not _FIRST <= decoded.created <= now + 86400:
            continue
        address = ipaddress.IPv4Address(decoded.address)
        if not (address.is_multicast or address.is_loopback or address.is_reserved or int(address) >> 24 == 0):
            return text, decoded
    return None


def strange_id(seen: Seen, now: float) -> str:
    """The volume id of an NSD that this cluster does not know, as sector 2 of a device holds it; "" for none.

    Where anything that Linux knows lies on a device, sector 2 is a part of that: entries of a GPT, most often.
    """
    content = seen.content
    if content is None or seen.known_as or content.signatures or content.partitions:
        return ""
    found = _volume_id(content.sector2.upper(), now)
    return found[0] if found else ""


_BUSY = (UseKind.BOOT, UseKind.MOUNTED, UseKind.SWAP, UseKind.HELD)
"""What only the host knows that does it; what lies on a device every host reads for itself."""


def share(looks: Mapping[str, HostLook]) -> dict[str, HostLook]:
    """A device that is an NSD on one host is that NSD on every host that sees it; one that is in use there is, too."""
    served: dict[Identity, tuple[str, str]] = {}
    busy: dict[Identity, tuple[Use, str]] = {}
    for look in looks.values():
        for seen in look.devices:
            if seen.known_as and seen.identity.text and not seen.doubt:
                served.setdefault(seen.identity, (seen.known_as, look.host))
            elif seen.uses and seen.uses[0].kind in _BUSY and seen.identity.text:
                busy.setdefault(seen.identity, (seen.uses[0], look.host))
    result = {}
    for host, look in looks.items():
        devices = tuple(
            _as_elsewhere(seen, served.get(seen.identity), busy.get(seen.identity)) for seen in look.devices
        )
        changed = any(a is not b for a, b in zip(devices, look.devices, strict=True))
        result[host] = msgspec.structs.replace(look, devices=devices) if changed else look
    return result


def _as_elsewhere(seen: Seen, served: tuple[str, str] | None, busy: tuple[Use, str] | None) -> Seen:
    if seen.known_as or is_path(seen):
        return seen
    if served and not seen.doubt:
        return _used(seen, Use(UseKind.NSD, f"NSD {served[0]}, as {served[1]} sees it"), served[0])
    if busy and busy[1] != seen.host and not any(use.kind in _BUSY for use in seen.uses):
        return _used(seen, Use(busy[0].kind, f"{busy[0].text} on {busy[1]}"), "")
    return seen


def volume_ids(rows: Iterable[NsdDevice]) -> dict[str, str]:
    """The names of NSDs by their volume ids, in capitals and as they may stand on a disk.

    That is in the order of the network, or with the bytes of each half turned.
    """
    found = {}
    for row in rows:
        text = row.volume_id.upper()
        if _ID.match(text):
            turned = "".join(bytes.fromhex(half)[::-1].hex().upper() for half in (text[:8], text[8:]))
            found[text] = row.nsd
            found.setdefault(turned, row.nsd)
    return found
