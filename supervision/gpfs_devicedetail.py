"""One device closely: what it is, all of its names, what lies on it, and what speaks against taking it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import msgspec

from remote.gpfs.models import NsdDevice, decode_volume_id
from supervision import verdicts
from supervision.clocktext import local_time
from supervision.gpfs_looks import strange_id
from supervision.gpfs_roles import Device, called
from supervision.gpfs_text import size_text
from supervision.gpfs_verdicts import judge_cache
from supervision.identity import HostLook, Seen, is_path
from supervision.sightings import Sighting, names_of
from supervision.tables import Pair

FREE = "nothing uses it, no signature, no partition, no NSD; its first 64 sectors are zero"
FEW = 3
"""Names of a kind that are shown; by-path names are long and many."""


class Around(msgspec.Struct, frozen=True):
    """What else a host tells: its look, the rows of mmlsnsd -X by NSD, which server of each NSD it is, its history.

    `asked` tells whether all NSDs are known, `utc_offset` (s) is that of the zone in which times are shown.
    """

    look: HostLook
    rows: Mapping[str, NsdDevice]
    places: Mapping[str, str]
    history: Sequence[Sighting]
    utc_offset: int
    asked: bool


def detail_of(device: Device, around: Around) -> tuple[Pair, ...]:
    """Everything that is known of it; labels without a text are left out."""
    seen = device.seen
    pairs = (
        ("device", f"{called(seen)} on {seen.host} in this boot"),
        ("identity", seen.identity.text or "none: it has neither a WWN nor a serial number"),
        ("serial", seen.serial),
        ("model", _model(seen)),
        ("stale", around.look.stale),
        *_judged(seen, around),
        ("doubt", seen.doubt),
        ("same role", device.drift),
        ("names seen", _names_seen(seen, around)),
        ("size", f"{seen.identity.size_bytes:,} bytes ({size_text(seen.identity.size_bytes / 1024)})"),
        ("kind", _kind(seen)),
        ("sectors", f"{seen.sector} bytes" if seen.sector else ""),
        ("write cache", seen.write_cache),
        ("place", _place(seen)),
        *_nsd(seen, around),
        *(("in use", f"{use.kind.value}: {use.text}") for use in seen.uses),
        *_content(seen),
        ("paths", ", ".join(seen.paths)),
        ("all names", ", ".join(name for name in seen.names if "/" not in name or name.startswith("mapper/"))),
        *(("", name) for name in seen.names if name.startswith("by-id/")),
        *(("", name) for name in [name for name in seen.names if name.startswith("by-path/")][:FEW]),
        ("boot", around.look.boot_id or "boot id not told"),
        ("read", _moment(around.look.at, around.utc_offset)),
        *(("not read", missing) for missing in around.look.missing),
    )
    return tuple((label, text) for label, text in pairs if text)


def _judged(seen: Seen, around: Around) -> list[Pair]:
    """What speaks against it by itself, the worst first; an NSD of ours and a path are judged by nobody."""
    if seen.known_as or is_path(seen):
        return []
    look = around.look
    found = [*verdicts.judge_identity(seen, look), *verdicts.judge_use(seen, look), *judge_cache(seen, look)]
    if not around.asked:
        text = "what is an NSD was not asked (mmlsnsd -X), and NSDs of GPFS 3.5 look empty to Linux"
        return [*_lines(found), ("block", text)]
    free = [] if look.stale or seen.uses or seen.unread or seen.doubt else [("free", FREE)]
    return [*free, *_lines(found)]


def _lines(found: Sequence[verdicts.Verdict]) -> list[Pair]:
    ordered = sorted(found, key=lambda each: -each.level)
    return [(each.level.word, f"{each.text}{f'. {each.advice}' if each.advice else ''}") for each in ordered]


def _model(seen: Seen) -> str:
    told = " ".join(part for part in (seen.vendor, seen.model) if part)
    return f"{told}, firmware {seen.firmware}" if seen.firmware else told


def _kind(seen: Seen) -> str:
    rotating = {True: "rotating", False: "not rotating", None: "rotation not known"}[seen.rotational]
    return f"{rotating} (the kernel's guess), {seen.transport or 'transport not known'}"


def _place(seen: Seen) -> str:
    parts = (f"enclosure {seen.enclosure}" if seen.enclosure else "", f"slot {seen.slot}" if seen.slot else "")
    return ", ".join(part for part in (*parts, f"HCTL {seen.hctl}" if seen.hctl else "") if part)


def _nsd(seen: Seen, around: Around) -> list[Pair]:
    row = around.rows.get(seen.known_as)
    volume_id = row.volume_id if row else strange_id(seen, around.look.at)
    decoded = decode_volume_id(volume_id)
    text = ""
    if decoded:
        when = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(decoded.created))
        text = f"{volume_id}: written by {decoded.address} on {when}"
    place = around.places.get(seen.known_as, "")
    return [("NSD", seen.known_as), ("server", place and f"{seen.host} is server {place}"), ("volume id", text)]


def _content(seen: Seen) -> list[Pair]:
    if seen.unread or seen.content is None:
        return [("contents", seen.unread)]
    found = [
        ("signature", " ".join(part for part in (each.type, each.label, each.uuid) if part))
        for each in seen.content.signatures
    ]
    found += [("partition", kind) for kind in seen.content.partitions]
    nonzero = seen.content.nonzero
    if nonzero is not None:
        found.append(("first 64 sectors", f"{nonzero:,} bytes not zero" if nonzero else "empty: all zero"))
    return found


def _names_seen(seen: Seen, around: Around) -> str:
    """`sde since 2013-05-30 18:02 (boot 1a2b3c4d); sdg before`."""
    if seen.doubt or not seen.identity.text:
        return ""
    found = names_of(around.history, seen.identity)
    if not found:
        return ""
    (name, at, boot), *earlier = found
    since = f"{name or 'not seen'} since {_moment(at, around.utc_offset)}{f' (boot {boot[:8]})' if boot else ''}"
    before = "; ".join(
        f"{name or 'not seen'} before{' that' if index else ''}" for index, (name, _, _) in enumerate(earlier)
    )
    return f"{since}; {before}" if before else f"{since}, the first look of this session"


def _moment(at: float, utc_offset: int) -> str:
    return local_time(at, utc_offset).strftime("%Y-%m-%d %H:%M:%S")
