"""The one exception from a block: a recycled disk that still carries the id of an old NSD.

This program runs neither of the commands. It prints them, for each device its own, with what to ask first.
"""

from __future__ import annotations

from remote.command import quote
from remote.gpfs.stanza import write_nsd_stanzas
from supervision import verdicts
from supervision.gpfs_looks import strange_id
from supervision.gpfs_selection import Built
from supervision.gpfs_stanzacheck import Proven, Site
from supervision.identity import Seen
from supervision.tables import Line, Severity
from supervision.uses import Use, UseKind
from supervision.verdicts import Verdict

_ASK = (
    "Ask first: may another cluster on this SAN own it? Look on every cluster that can reach it (mmlsnsd -X), and ask "
    "who used the disk before. Nobody can give the data back afterwards."
)


def exceptions(built: Built, site: Site) -> tuple[Line, ...]:
    """What a person may do by hand about devices that nothing blocks but an old NSD id, one after the other."""
    found: list[Line] = []
    if built.asked:
        return ()  # its file would have no failure group yet
    for one in built.judged.proven:
        mine = [verdict for verdict in built.judged.verdicts if verdict.about == one.stanza.nsd]
        blocks = [verdict for verdict in mine if verdict.level.name == "BLOCK"]
        if one.seen and blocks and all(_blocked_by_nsd(verdict, one.seen) for verdict in blocks):
            found += _by_hand(one, site)
    if found:
        found.insert(0, Line("danger", "restripe runs none of these: they overwrite an NSD id", Severity.BAD, _ASK))
    return tuple(found)


def _by_hand(one: Proven, site: Site) -> list[Line]:
    seen, stanza = one.seen, one.stanza
    assert seen is not None
    file = f"{stanza.nsd}.stanza"
    why = (
        f"{seen.name} on {seen.host} ({seen.identity.text}) carries an NSD id. -v no lets mmcrnsd overwrite it without "
        "looking; whatever file system that NSD belongs to loses the disk. The file must name this device alone."
    )
    lines = [
        Line("file", f"{file}: {write_nsd_stanzas([stanza]).strip()}", Severity.NORMAL),
        Line("by hand", quote(("mmcrnsd", "-F", file, "-v", "no")), Severity.WARNING, why),
    ]
    volume_id = strange_id(seen, site.looks[seen.host].at)
    if volume_id:
        command = quote(("mmdelnsd", "-p", volume_id, "-N", stanza.servers[0]))
        why = (
            "Or wipe the id alone, by itself; afterwards look again here: the block goes when the disk reads as empty."
        )
        lines.append(Line("or", command, Severity.WARNING, why))
    return lines


def _blocked_by_nsd(verdict: Verdict, seen: Seen | None) -> bool:
    """Whether the exception may be meant for which GPFS has `-v no`: a recycled disk that carries an old NSD id.

    Never an NSD of this cluster, nor what holds anything besides the NSD's own partition, nor what could not be read.
    """
    if verdict.kind != verdicts.IN_USE or seen is None or seen.known_as or seen.unread or seen.doubt:
        return False
    kinds = {use.kind for use in seen.uses}
    return UseKind.NSD in kinds and all(of_an_nsd(use) for use in seen.uses)


def of_an_nsd(use: Use) -> bool:
    """What an NSD of any release leaves on a disk: its id, its partition and the table that this is in."""
    table = use.kind is UseKind.PARTITIONED and use.text.endswith(" partition table")
    return table or use.kind in (UseKind.NSD, UseKind.BYTES)
