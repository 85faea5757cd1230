"""What is wrong with a GFS2 file system or its device, and what is not known of it; each with what to do."""

from __future__ import annotations

from collections.abc import Iterator

from supervision import gfs2_nodes
from supervision.gfs2_view import GFS2, View
from supervision.tables import Line, Severity

_AWAY = ("waiting", "refused")


def problems(view: View) -> tuple[Line, ...]:
    """The worst first."""
    found = (*_device(view), *gfs2_nodes.problems(view), *_unread(view), *_hosts(view))
    return tuple(sorted(found, key=lambda line: -line.severity))


def _device(view: View) -> Iterator[Line]:
    """A device that holds something else, or nothing."""
    at = view.at("blkid")
    if at is None:
        return
    probed = view.probed
    if probed is None:
        text = f"blkid -p finds nothing on {view.device}, or cannot read it"
        advice = f"Look at the path on {view.entry}: savemeta of what is no GFS2 tells of success"
        yield Line("Device", text, Severity.BAD, advice, at)
    elif probed.kind != GFS2:
        held = probed.kind or "only a partition table"
        text = f"{view.device} holds {held}, says blkid -p, and no GFS2"
        yield Line("Device", text, Severity.BAD, "Connect with the path of a device that holds GFS2", at)


def _unread(view: View) -> Iterator[Line]:
    """Questions that failed, and answers that were not whole."""
    other = view.at("blkid") is not None and (view.probed is None or view.probed.kind != GFS2)
    for what in ("blkid",) if other else ("blkid", "sb", "statfs", "rgs"):  # what is no GFS2 has none of the rest
        fact = view.fact(what)
        if fact is None:
            continue
        if fact.failure:
            root = " gfs2_edit and blkid need root to read a device: --sudo" if fact.parsed is None else ""
            advice = f"Run it on {fact.host} by hand, and ask again (r).{root}"
            yield Line("Not read", f"{fact.command}: {fact.failure}", Severity.WARNING, advice, fact.failed_at)
        elif fact.parsed and fact.parsed.problems and view.probed is not None and view.probed.kind == GFS2:
            broken = fact.parsed.problems[0]
            yield Line("Not read", f"{fact.command}: {broken.why}", Severity.WARNING, "Ask again (r)", fact.at)


def _hosts(view: View) -> Iterator[Line]:
    for link in view.state.links.values():
        if link.state in _AWAY:
            why = link.detail or link.trouble or link.state
            yield Line("Hosts", f"{link.host} is not reached: {why}", Severity.WARNING, "It is tried again by itself")
