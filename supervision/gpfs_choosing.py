"""Marked devices as a stanza file with what speaks for and against it, for whoever shows that."""

from __future__ import annotations

from supervision.filesystem import Choosing, Preview, Question
from supervision.gpfs_selection import FIELDS, PATTERN, Built, Selection, build, peers_of
from supervision.gpfs_site import looks_of, site_of
from supervision.gpfs_text import folded
from supervision.gpfs_view import View
from supervision.identity import HostLook, Identity, Seen, is_path
from supervision.tables import Line, Severity
from supervision.verdicts import Level, Verdict

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


def device_of(looks: dict[str, HostLook], key: str) -> Seen | None:
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
    """The stanza file of the marked devices."""
    looks = looks_of(view)
    pattern = choosing.pattern or PATTERN
    gone, chosen = [], []
    for key in choosing.marks:
        seen = device_of(looks, key)
        if seen is None:
            gone.append(key)
        else:
            chosen.append((seen.host, Identity(seen.identity.text, seen.identity.size_bytes)))
    built = build(Selection(tuple(chosen), pattern, groups=choosing.answers), site_of(view))
    lines = [Line("gone", f"{key} is not seen any more", Severity.BAD, "Take its mark away") for key in gone]
    lines += [line_of(verdict) for verdict in sorted(built.judged.verdicts, key=lambda each: -each.level)]
    asked = tuple(Question(each.place, "failure group", each.why, each.found) for each in built.asked)
    return Preview(tuple(lines), "" if gone else built.text, asked, FILE, pattern, FIELDS, _makes(built))


def line_of(verdict: Verdict) -> Line:
    """A verdict on a line."""
    label = " ".join(part for part in (verdict.level.word, verdict.about) if part)
    return Line(label, f"{verdict.kind}: {verdict.text}", _SEVERITY[verdict.level], verdict.advice, verdict.at or None)


def _makes(built: Built) -> str:
    stanzas = built.stanzas
    groups = sorted({stanza.failure_group for stanza in stanzas})
    servers = tuple(dict.fromkeys(stanza.servers[0] for stanza in stanzas))
    if not stanzas:
        return "nothing is marked"
    many = "s" if len(stanzas) > 1 else ""
    which = f"failure group{'s' if len(groups) > 1 else ''} {', '.join(groups)}"
    return f"{len(stanzas)} NSD{many} on {folded(servers)}, {which}, {stanzas[0].usage.value} in pool {stanzas[0].pool}"
