"""Marked devices as a stanza file with what speaks for and against it, for whoever shows that."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from remote.gpfs.models import Discovery
from supervision.filesystem import Choosing, Preview, Question
from supervision.gpfs_recycled import exceptions
from supervision.gpfs_selection import FIELDS, PATTERN, Built, Selection, build, peers_of
from supervision.gpfs_site import looks_of, site_of, unread_system
from supervision.gpfs_stanzacheck import Site
from supervision.gpfs_text import folded, natural
from supervision.gpfs_view import View
from supervision.identity import HostLook, Seen, is_path
from supervision.tables import Line, Severity
from supervision.verdicts import Level, Verdict, gathered, whose

FILE = "nsd.stanza"
_SEVERITY = {
    Level.OK: Severity.NORMAL,
    Level.NOTE: Severity.NOTE,
    Level.WARNING: Severity.WARNING,
    Level.BLOCK: Severity.BAD,
}


def row_key(seen: Seen) -> str:
    """What a device's row is known by: the identity, or the name of this boot where that is not its own."""
    own = seen.identity.text and not seen.doubt and not is_path(seen)  # paths have that of their map
    return f"{seen.host} {seen.identity.text if own else f'={seen.name}'}"


def device_of(looks: Mapping[str, HostLook], key: str) -> Seen | None:
    """The device of a row."""
    host, _, what = key.partition(" ")
    look = looks.get(host)
    if look is None:
        return None
    if what.startswith("="):
        return look.named(what[1:])
    mine = (seen for seen in look.devices if seen.identity.text == what and not seen.doubt and not is_path(seen))
    return next(mine, None)


def alike(view: View, key: str) -> tuple[str, ...]:
    """The rows of all free devices like that one."""
    looks = looks_of(view)
    seen = device_of(looks, key)
    if seen is None:
        return ()
    found = []
    for host, identity in peers_of(seen, looks.values()):
        found += [row_key(other) for other in looks[host].find(identity)]
    return tuple(dict.fromkeys((key, *found)))


def preview(view: View, choosing: Choosing) -> Preview:
    """The stanza file of the marked devices; the same one for the same marks and answers of the hosts."""
    site = site_of(view)
    found = (view.facts.fact(Discovery, host) for host in view.hosts)
    lost = unread_system(view)
    values = (
        *(each.text for each in lost),
        choosing,
        site.looks,
        site.nsds,
        site.disks,
        site.file_system,
        view.cluster,
        view.state.links,
        *found,
    )
    return view.remember("preview", values, lambda: _preview(choosing, site, _away(view), lost))


def _away(view: View) -> set[str]:
    """The hosts that are not connected now: nobody knows what they are doing."""
    return {host for host, link in view.state.links.items() if link.state != "up"}


def _preview(choosing: Choosing, site: Site, away: Collection[str], lost: Sequence[Verdict]) -> Preview:
    pattern = choosing.pattern or PATTERN
    gone, chosen = [], []
    for key in choosing.marks:
        seen = device_of(site.looks, key)
        if seen is None:
            gone.append(key)
        else:
            chosen.append((seen.host, seen.identity))
    built = build(Selection(tuple(chosen), pattern, groups=choosing.answers), site)
    lines = [Line("gone", f"{key} is not seen any more", Severity.BAD, "Take its mark away") for key in gone]
    lines += [line_of((each,)) for each in lost]
    for host in dict.fromkeys(host for host, _ in chosen if host in away):
        text = f"{host} is not connected: what is judged was so when it was looked at"
        lines.append(Line("warning link", text, Severity.WARNING, "Look again when it is back", site.looks[host].at))
    lines += [line_of(same) for _, same in gathered(built.judged.verdicts)]
    asked = tuple(Question(each.place, "failure group", each.why, each.found) for each in built.asked)
    return Preview(
        tuple(lines),
        "" if gone or lost else built.text,
        asked,
        FILE,
        pattern,
        FIELDS,
        _makes(built, len(choosing.marks)),
        exceptions(built, site),
    )


def line_of(same: Sequence[Verdict]) -> Line:
    """Equal verdicts on a line, with the age of the oldest."""
    verdict = same[0]
    text = ": ".join(part for part in (whose(same), verdict.text) if part)
    at = min((each.at for each in same if each.at), default=None)
    return Line(f"{verdict.level.word} {verdict.kind}", text, _SEVERITY[verdict.level], verdict.advice, at)


def _makes(built: Built, marked: int) -> str:
    stanzas = built.stanzas
    if not stanzas:
        return "no NSD can be made of them" if marked else "nothing is marked"
    servers = tuple(dict.fromkeys(stanza.servers[0] for stanza in stanzas))
    head = f"{len(stanzas)} NSD{'s' if len(stanzas) > 1 else ''} on {folded(servers)}"
    if built.asked:
        return head
    groups = sorted({stanza.failure_group for stanza in stanzas}, key=natural)
    return f"{head}, failure group{'s' if len(groups) > 1 else ''} {', '.join(groups)}"
