"""What speaks for and against a device: verdicts, each with its evidence and the time at which that was read.

A verdict is ok, a note, a warning or a block. A block cannot be confirmed away: only another look, which finds
another state, takes it back. What could not be read is never ok.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum

import msgspec

from remote.folding import fold
from supervision.identity import HostLook, Identity, Seen, is_path
from supervision.pins import Pin
from supervision.uses import Use, UseKind


class Level(IntEnum):
    """How much a verdict weighs."""

    OK = 0
    NOTE = 1
    WARNING = 2
    BLOCK = 3

    @property
    def word(self) -> str:
        """How it is written."""
        return self.name.lower()


DRIFT = "drift"
IN_USE = "in use"
UNLIKE = "unlike its peers"
UNFIT = "unfit"
NSD_ID = "NSD id disagrees"
DISCOVERY = "discovery differs"
IDENTITY = "identity"
UNREAD = "unread"
PROVEN = "proven"
NAME = "name"
"""The kinds of verdicts, by which the documentation lists them."""


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """One judgement. `device` is the kernel's name of it on `host` now, `called` another that people have for it.

    `text` is the evidence, without the name of the device, so that equal ones can be told together (`gathered`);
    `advice` is what to do; `about` names what it was judged for, such as an NSD; `at` (Site's clock) is when the
    evidence was read.
    """

    level: Level
    kind: str
    host: str
    device: str
    text: str
    advice: str = ""
    about: str = ""
    at: float = 0.0
    called: str = ""


def worst(verdicts: Iterable[Verdict]) -> Level:
    """The heaviest of them."""
    return max((verdict.level for verdict in verdicts), default=Level.OK)


def judge_identity(seen: Seen, look: HostLook) -> list[Verdict]:
    """Whether it is proven which device it is, and known what lies on it."""
    found = []
    if look.stale:
        text = f"{look.stale}: its name may mean another device"
        found.append(_of(Level.BLOCK, DRIFT, seen, look, text, "Look at the devices again"))
    if seen.doubt:
        text = f"nothing proves which device it is: {seen.doubt}"
        found.append(_of(Level.BLOCK, IDENTITY, seen, look, text, "Compare serial numbers at the machine"))
    if seen.unread:
        text = seen.unread
        advice = "Look again as root or with --sudo; a device that hangs needs a person before anything else"
        found.append(_of(Level.BLOCK, UNREAD, seen, look, text, advice))
    return found


def judge_use(seen: Seen, look: HostLook) -> list[Verdict]:
    """One block for all reasons why it must not be taken."""
    if not seen.uses:
        return []
    first = seen.uses[0]
    advice = {
        UseKind.PATH: "Use the multipath map, never one of its paths",
        UseKind.NSD: "Ask whose NSD that is before anything else: another cluster on this SAN may own it",
        UseKind.BYTES: "An NSD of GPFS 3.5 looks like this: no signature is no proof that it is empty",
    }.get(first.kind, "Choose another device")
    if seen.known_as and first.kind is UseKind.NSD:
        advice = f"{seen.known_as} is an NSD of this cluster: choose another device"
    return [_of(Level.BLOCK, IN_USE, seen, look, told(seen.uses), advice)]


def told(uses: Sequence[Use], most: int = 3) -> str:
    """The reasons that say most, and how many more there are: `BOOT DISK: sde1 mounted on / (+2 more)`."""
    texts = [use.text for use in uses[:most]]
    more = f" (+{len(uses) - most} more)" if len(uses) > most else ""
    loud = "BOOT DISK: " if uses and uses[0].kind is UseKind.BOOT else ""
    return loud + "; ".join(texts) + more


def judge_cache(seen: Seen, look: HostLook) -> list[Verdict]:
    """A volatile write cache loses what GPFS believes to be on disk when the power fails."""
    if seen.write_cache != "write back":
        return []
    text = "its write cache is on (write back)"
    advice = (
        "A disk with power-loss protection may say so too: look up the model; else turn the cache off "
        "(sdparm --clear WCE, or hdparm -W0 for SATA)"
    )
    return [_of(Level.WARNING, UNFIT, seen, look, text, advice)]


WORN = 80
"""Percent of its life that a disk may have used before a new task is a doubtful one."""


def judge_wear(seen: Seen, look: HostLook) -> list[Verdict]:
    """What a disk tells of its own age; most hosts tell nothing of it."""
    content = seen.content
    if content is None:
        return []
    found = []
    if content.worn is not None and content.worn >= WORN:
        text = f"it has used {content.worn} % of its life (smartctl)"
        found.append(_of(Level.WARNING, UNFIT, seen, look, text, "Metadata is written all the time: take a newer one"))
    if content.reallocated:
        text = f"{content.reallocated} of its sectors have been replaced already (smartctl)"
        found.append(_of(Level.WARNING, UNFIT, seen, look, text, "See smartctl -a there before it holds metadata"))
    return found


def judge_peers(chosen: Sequence[tuple[Seen, HostLook]]) -> list[Verdict]:
    """What differs within a set that was chosen for one purpose."""
    traits: tuple[tuple[str, Level, Callable[[Seen], str]], ...] = (
        ("rotation", Level.WARNING, lambda seen: seen.kind),
        ("size", Level.WARNING, lambda seen: f"{seen.identity.size_bytes:,} bytes"),
        ("model", Level.WARNING, lambda seen: seen.model or "not told"),
        ("firmware", Level.WARNING, lambda seen: seen.firmware or "not told"),
        ("sector size", Level.WARNING, lambda seen: str(seen.sector or "not told")),
    )
    found = []
    for trait, level, of in traits:
        counts = Counter(of(seen) for seen, _ in chosen)
        if len(counts) < 2:
            continue
        usual = min(counts, key=lambda value: (-counts[value], value))
        for seen, look in chosen:
            if of(seen) != usual:
                text = f"its {trait} is {of(seen)}; {counts[usual]} of {len(chosen)} have {usual}"
                found.append(_of(level, UNLIKE, seen, look, text, "Take devices of one kind for one purpose"))
    return found


def judge_batch(chosen: Sequence[tuple[Seen, HostLook]], group_of: Mapping[tuple[str, Identity], str]) -> list[Verdict]:
    """Disks of one batch age together: a note where every failure group has nothing else.

    A batch is told by what serial numbers begin with: all but the digits that count.
    """
    batches: dict[str, set[str]] = defaultdict(set)
    for seen, _ in chosen:
        batches[group_of.get(seen.key, "")].add(_batch(seen))
    kinds = {batch for found in batches.values() for batch in found}
    if len(batches) < 2 or len(kinds) != 1 or not (batch := next(iter(kinds))):
        return []
    seen, look = chosen[0]
    text = f"all {len(chosen)} are of one batch ({batch}…): they may wear out at the same time"
    return [msgspec.structs.replace(_of(Level.NOTE, UNLIKE, seen, look, text), device="", host="")]


def _batch(seen: Seen) -> str:
    match = re.match(r"[A-Za-z]+\d{3,5}(?=\d)", seen.serial)
    return f"{seen.model}, serial numbers {match[0]}" if match else ""


def judge_drift(chosen: Sequence[tuple[str, Seen]], looks: Mapping[str, HostLook]) -> list[Verdict]:
    """Names that mean a chosen device on one host and another thing on another: the reason for everything here.

    `chosen` are devices by the names that they were chosen by.
    """
    found = []
    taken = {seen.identity for _, seen in chosen}
    holders: dict[str, list[str]] = defaultdict(list)
    for name, seen in chosen:
        holders[name].append(seen.host)
    for name in sorted(holders, key=lambda each: (len(each), each)):
        mine, where = set(holders[name]), fold(holders[name])
        for host in (host for host in looks if host not in mine):
            there = looks[host].named(name)
            if there is None or there.identity in taken:
                continue
            text = f"this name is chosen on {where} and means another device here: {_other(there)}"
            advice = "Go by identity; the stanza names each host's own"
            found.append(Verdict(Level.NOTE, DRIFT, host, name, text, advice, at=looks[host].at))
    return found


def _other(there: Seen) -> str:
    return told(there.uses) or f"another disk ({there.model}, {there.identity.size_bytes:,} bytes)"


def judge_pin(pin: Pin, looks: Mapping[str, HostLook]) -> list[Verdict]:
    """Whether a pinned device is there, the same, on every host that saw it, and what it is called now."""
    found = []
    for place in pin.at:
        look = looks.get(place.host)
        if look is None:
            text = "the host could not be read, so nobody knows what this name means there"
            found.append(Verdict(Level.BLOCK, UNREAD, place.host, place.name, text, "See why first", pin.label))
            continue
        found += [msgspec.structs.replace(verdict, about=pin.label) for verdict in _judge_place(pin, place.name, look)]
        rebooted = place.boot_id and look.boot_id and place.boot_id != look.boot_id
        if rebooted:
            text = "the host was rebooted since it was pinned: names may mean other devices"
            found.append(Verdict(Level.NOTE, DRIFT, place.host, place.name, text, "", pin.label, look.at))
    return found


def gathered(found: Iterable[Verdict]) -> list[tuple[Verdict, tuple[Verdict, ...]]]:
    """Equal verdicts together, the heaviest first: each with all that say the same of other devices."""
    groups: dict[tuple[Level, str, str, str], list[Verdict]] = {}
    for verdict in found:
        groups.setdefault((verdict.level, verdict.kind, verdict.text, verdict.advice), []).append(verdict)
    return [(same[0], tuple(same)) for same in sorted(groups.values(), key=lambda same: -same[0].level)]


def whose(same: Sequence[Verdict]) -> str:
    """Of which devices verdicts are: `sdg, sdh on pollux[1-2]; sde on pollux3 (foo1_ssd1, …)`."""
    names: dict[str, list[str]] = defaultdict(list)
    for verdict in same:
        device = f"{verdict.called} ({verdict.device})" if verdict.called else verdict.device
        if device not in names[verdict.host]:
            names[verdict.host].append(device)
    hosts: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for host, devices in names.items():
        hosts[tuple(device for device in devices if device)].append(host)
    parts = []
    for called, where in hosts.items():
        on = fold(host for host in where if host)
        parts.append(f"{', '.join(called)} on {on}" if called and on else ", ".join(called) or on)
    labels = list(dict.fromkeys(verdict.about for verdict in same if verdict.about))
    more = f" +{len(labels) - _LABELS}" if len(labels) > _LABELS else ""
    named = f"({', '.join(labels[:_LABELS])}{more})" if labels else ""
    return " ".join(part for part in ("; ".join(part for part in parts if part), named) if part)


_LABELS = 6
"""How many names stand in one line; a file may have hundreds."""


def _judge_place(pin: Pin, name: str, look: HostLook) -> list[Verdict]:
    there = look.find(pin.key)
    if len(there) == 1:
        seen = there[0]
        if seen.called(name):
            return []
        now = look.named(name)
        what = f"{name} is now {_which(now)}" if now else f"there is no {name} any more"
        text = f"{pin.label} was {name} and is now {seen.name} ({pin.identity}); {what}"
        advice = "Look again and let the stanza be built anew for the names of this minute"
        return [_of(Level.BLOCK, DRIFT, seen, look, text, advice)]
    if there:
        text = f"{pin.identity} is seen {len(there)} times: {', '.join(seen.name for seen in there)}"
        return [_of(Level.BLOCK, IDENTITY, there[0], look, text, "Compare serial numbers at the machine")]
    other = [seen for seen in look.devices if seen.identity.text == pin.identity and not is_path(seen)]
    now = look.named(name)
    what = f"; {name} is now {_which(now)}" if now else f"; there is no {name} any more"
    text = f"{look.host} does not see {pin.identity} (was {name})"
    if other:
        text = f"{pin.identity} has {other[0].identity.size_bytes:,} bytes, not {pin.size_bytes:,}"
        what = f" ({other[0].name})"
    return [
        Verdict(Level.BLOCK, DRIFT, look.host, name, text + what, "Find the device before anything else", "", look.at)
    ]


def _which(seen: Seen) -> str:
    named = " ".join(part for part in (seen.model, seen.serial) if part) or "a device that tells no name"
    return f"{named}{f', {told(seen.uses, 1)}' if seen.uses else ''}"


def _of(level: Level, kind: str, seen: Seen, look: HostLook, text: str, advice: str = "") -> Verdict:
    return Verdict(level, kind, seen.host, seen.name, text, advice, at=look.at)
