"""A stanza file against the cluster, and against an earlier pin: what `restripe verify` asks and concludes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from remote.errors import SiteError
from remote.gpfs import commands as gpfs
from remote.gpfs.models import Cluster
from remote.gpfs.stanza import NsdStanza, Stanza, nsd_stanzas, parse_stanzas
from supervision import verdicts
from supervision.filesystems import Sites
from supervision.gpfs import GpfsFileSystem, own_daemon
from supervision.gpfs_hosts import hosts_of
from supervision.gpfs_proof import lost, reached
from supervision.gpfs_recycled import exceptions
from supervision.gpfs_selection import Built
from supervision.gpfs_site import look_in_turns, site_of, unread_system
from supervision.gpfs_stanzacheck import Judged, Proven, Site, judge_in_turns
from supervision.gpfs_verdicts import KnownNsds, judge_thin, judge_volume_ids
from supervision.gpfs_view import View
from supervision.identity import HostLook
from supervision.pins import Pin, Pins
from supervision.supervisor import Supervisor
from supervision.tables import Line
from supervision.verdicts import Level, Verdict


class UnreadError(Exception):
    """Nothing can be judged: the cluster does not tell its nodes. The text says why."""


class Verified(msgspec.Struct, frozen=True):
    """What was concluded. `cluster` is its name, `judged` the verdicts with those of the file and of the pin.

    `by_hand` tells what a person may do about a disk that nothing blocks but an old NSD id; no program does it.
    """

    cluster: str
    judged: Judged
    by_hand: tuple[Line, ...] = ()

    @property
    def level(self) -> Level:
        """The heaviest verdict."""
        return self.judged.level

    @property
    def only_unread(self) -> bool:
        """Whether all that blocks is what could not be read."""
        blocks = [verdict for verdict in self.judged.verdicts if verdict.level is Level.BLOCK]
        return bool(blocks) and all(verdict.kind == verdicts.UNREAD for verdict in blocks)


async def verify(
    supervisor: Supervisor, text: str, against: Pins | None = None, *, sites: Sites | None = None
) -> Verified:
    """Ask what must be known of a stanza file, and judge it. Raises UnreadError and SiteError.

    `sites` are the names of the nodes at each place.
    """
    parsed = parse_stanzas(text)
    wanted = nsd_stanzas(parsed.model)
    found = [_broken(problem.line, problem.why) for problem in (*parsed.problems, *wanted.problems)]
    if not wanted.model and not found:
        found.append(_broken(1, "no stanza of it is for an NSD (%nsd: ...), so nothing is proven"))
    fs, entry = supervisor.fs, supervisor.entry
    system = GpfsFileSystem(fs, entry)
    questions = [own_daemon(), gpfs.mmlscluster(), gpfs.mmlsnsd_devices()]
    questions += [gpfs.mmlsfs(fs), gpfs.mmlsdisk(fs)] if fs else []
    await supervisor.ask(entry, *questions)
    cluster = _view(supervisor).cluster
    if cluster is None:
        raise UnreadError(_why(supervisor))
    stanzas = _with_servers(wanted.model, _view(supervisor))
    servers = [server for stanza in stanzas for server in stanza.servers]
    servers += [place.node for pin in against.devices for place in pin.at] if against else []
    hosts = hosts_of(_view(supervisor), entry, servers)
    supervisor.site.add_hosts(hosts)
    errors = await supervisor.look_at_devices(hosts, *system.device_questions())
    view = _view(supervisor, sites)
    await look_in_turns(view)
    site = site_of(view)
    judged = await judge_in_turns(stanzas, site)
    found += [*unread_system(view), *_thin(parsed.model)]
    found += [_explained(verdict, errors) for verdict in judged.verdicts]
    if site.nsds:
        made = {one.stanza.nsd for one in judged.proven if one.made}
        rows = [row for row in site.nsds.rows if row.nsd in made]
        found += judge_volume_ids(rows, site.table, at=supervisor.site.clock.now())
    if against is not None:
        found += judge_against(judged.proven, against, site)
    order = sorted(found, key=lambda verdict: -verdict.level)
    whole = Judged(judged.proven, tuple(order))
    return Verified(cluster.name, whole, exceptions(Built((), whole), site))


def _with_servers(stanzas: Sequence[NsdStanza], view: View) -> tuple[NsdStanza, ...]:
    """Stanzas as mmadddisk takes them: they may name no device and no server, for both belong to the NSD already."""
    known = KnownNsds(view.devices.rows if view.devices else (), view.table, {})
    return tuple(
        stanza
        if stanza.device or stanza.servers
        else msgspec.structs.replace(stanza, servers=known.servers.get(stanza.nsd, ()))
        for stanza in stanzas
    )


def judge_against(proven: Iterable[Proven], pins: Pins, site: Site) -> list[Verdict]:
    """What is not as it was pinned. Another name of the same device is a note, if the stanza has the new one."""
    by_label = {pin.label: pin for pin in pins.devices}
    found: list[Verdict] = []
    for one in proven:
        pin = by_label.pop(one.stanza.nsd, None)
        pin = pin and reached(pin, site)
        if pin is None:
            text = f"{one.stanza.nsd} is not in the pin"
            advice = "Pin it with the others once all are proven"
            found.append(Verdict(Level.BLOCK, verdicts.IDENTITY, "", one.stanza.device, text, advice, one.stanza.nsd))
            continue
        found += [*_other_device(one, pin, site), *lost(pin, site), *_moved(one, pin), *_rebooted(pin, site)]
    for label in by_label:
        text = f"{label} was pinned and is not in the file"
        found.append(Verdict(Level.NOTE, verdicts.IDENTITY, "", "", text, about=label))
    return found


def _other_device(one: Proven, pin: Pin, site: Site) -> list[Verdict]:
    seen = one.seen
    if seen is None or (seen.identity == pin.key and not seen.doubt):
        return []
    then = _name_then(pin, seen.host)
    text = (
        f"{one.stanza.device or seen.name} on {seen.host} is {seen.identity.text or 'a device without identity'}, "
        f"and {pin.label} was pinned as {pin.identity}"
        f"{f' ({then} then{_now(pin, site.looks.get(seen.host))})' if then else ''}"
    )
    advice = "The name means another device now: build the stanza anew"
    at = site.looks[seen.host].at
    return [Verdict(Level.BLOCK, verdicts.DRIFT, seen.host, seen.name, text, advice, pin.label, at)]


def _now(pin: Pin, look: HostLook | None) -> str:
    there = look.find(pin.key) if look else ()
    return f", {there[0].name} now" if len(there) == 1 else ""


def _moved(one: Proven, pin: Pin) -> list[Verdict]:
    seen = one.seen
    if seen is None or seen.identity != pin.key:
        return []
    then = _name_then(pin, seen.host)
    if not then or seen.called(then):
        return []
    text = f"{pin.label} was {then} when it was pinned and is {seen.name} now; it is the same device"
    return [Verdict(Level.NOTE, verdicts.DRIFT, seen.host, seen.name, text, about=pin.label)]


def _name_then(pin: Pin, host: str) -> str:
    """What a pinned device was called on a host, which need not be the first one now; "" where it was not seen."""
    return next((place.name for place in pin.at if place.host == host), "")


def _rebooted(pin: Pin, site: Site) -> list[Verdict]:
    """That names may be others since the pin: why to look again, and nothing against a device that was found."""
    return [verdict for verdict in verdicts.judge_pin(pin, site.looks) if verdict.level is Level.NOTE]


def _thin(stanzas: Iterable[Stanza]) -> list[Verdict]:
    return [
        msgspec.structs.replace(verdict, about=stanza.get("nsd"))
        for stanza in stanzas
        if stanza.keyword == "nsd"
        for verdict in judge_thin(stanza.get("thinDiskType"), "", stanza.get("device"))
    ]


def _broken(line: int, why: str) -> Verdict:
    return Verdict(Level.BLOCK, verdicts.NAME, "", "", f"line {line} of the file: {why}", "Mend the file")


def _explained(verdict: Verdict, errors: Mapping[str, SiteError]) -> Verdict:
    """A host that could not be read, with the reason."""
    error = errors.get(verdict.host)
    if verdict.kind != verdicts.UNREAD or error is None:
        return verdict
    return msgspec.structs.replace(verdict, text=f"{verdict.text}: {error.what}", advice=error.advice or verdict.advice)


def _view(supervisor: Supervisor, sites: Sites | None = None) -> View:
    return View(supervisor.store.state, supervisor.fs, tuple(supervisor.site.hosts), sites=sites)


def _why(supervisor: Supervisor) -> str:
    fact = _view(supervisor).facts.fact(Cluster)
    told = f"{fact.command}: {fact.failure}" if fact else "mmlscluster was not answered"
    return f"{supervisor.entry}: {told}"
