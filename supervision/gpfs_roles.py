"""What each block device of each host is for, which of them are the same disk, and where names differ for one role.

A role is what equal devices of all hosts serve: the same use, kind, size and model, and the same place among them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from supervision.gpfs_text import folded, natural, size_text
from supervision.identity import Seen, is_path
from supervision.uses import UseKind

NSD = "NSD"
GROUPS = ("", NSD, "boot", "in use", "path")
"""What devices are for, in the order in which they are shown. The first have no use that the host knows of."""
_SYSTEM = (UseKind.MOUNTED, UseKind.SWAP, UseKind.HELD)
_LARGEST = 10**20 - 1
FREE, MINE, TAKEN, OPEN, NONE = "+", "=", "!", "?", ""
"""The signs before a verdict in a word: free, an NSD, in use, not known; a path has none."""


class Device(msgspec.Struct):
    """A device of a host with what it is for, which is one of GROUPS.

    `number` counts the equal ones of a host from 1; of a disk that several hosts see it is the same on all of them.
    `drift` tells the names of the role on all hosts where they differ. `label` is the role in words.
    """

    seen: Seen
    group: str
    number: int = 0
    shared: bool = False
    drift: str = ""
    label: str = ""

    @property
    def alike(self) -> tuple[str, str, int, str]:
        """What devices of one role have in common."""
        return (self.group, self.seen.kind, self.seen.identity.size_bytes, self.seen.model)

    @property
    def order(self) -> str:
        """Sorts roles, and is the same for all devices of one role and no others."""
        group, kind, size, model = self.alike
        return f"{GROUPS.index(group)} {kind} {_LARGEST - size:020d} {model} {self.number:06d}"


def group_of(seen: Seen) -> str:
    """What a device is for. What merely lies on it, or cannot be read, does not make it another kind of device."""
    if is_path(seen):
        return "path"
    kinds = {use.kind for use in seen.uses}
    if UseKind.BOOT in kinds:  # whatever else anybody calls it
        return "boot"
    if seen.known_as:
        return NSD
    return "in use" if kinds & set(_SYSTEM) else ""


def verdict_of(seen: Seen, *, asked: bool, stale: bool = False) -> tuple[str, str]:
    """The sign and the word for whether a device may be taken. `asked` tells whether all NSDs are known.

    `stale` is for a look of an earlier boot, whose names may be others' by now: of it nothing is certain.

    Free is only what was read and holds nothing, of which it is certain which device it is.
    """
    if stale:
        return OPEN, "rebooted"
    if seen.known_as and seen.uses[0].kind is UseKind.NSD:
        return MINE, seen.known_as
    if seen.uses:
        return (NONE if is_path(seen) else TAKEN), _word(seen)
    if seen.doubt:
        return OPEN, "not unique" if seen.identity.text else "no identity"
    if seen.unread or not asked:
        return OPEN, "unread"
    return FREE, "free"


def _word(seen: Seen) -> str:
    """The worst use of a device, in a word or two."""
    use = seen.uses[0]
    text = " ".join(
        word for word in use.text.split() if not word.startswith(seen.name)
    )  # sda1 says less than what it is
    match use.kind:
        case UseKind.BOOT:
            return "boot disk"
        case UseKind.MOUNTED:
            return f"mounted {text.partition('mounted on ')[2]}"
        case UseKind.SWAP:
            return "swap"
        case UseKind.PARTITIONED:
            return "partitions"
        case UseKind.NSD:
            return "an NSD"
        case UseKind.BYTES:
            return "not empty"
        case UseKind.HELD:
            return text.partition(" (")[0]
    return text


def settle(found: Sequence[Device]) -> Iterator[None]:
    """Complete the devices of all hosts in a few steps: the same disk, numbers, drift, names of roles."""
    _find_same(found)
    yield
    _number(found)
    yield
    _mark_drift(found)
    yield
    _name(found)
    yield


def _find_same(found: Iterable[Device]) -> None:
    """Mark disks that several hosts see."""
    hosts: dict[object, set[str]] = defaultdict(set)
    for device in found:
        if _certain(device):
            hosts[device.seen.identity].add(device.seen.host)
    for device in found:
        device.shared = _certain(device) and len(hosts[device.seen.identity]) > 1


def _certain(device: Device) -> bool:
    seen = device.seen
    return bool(seen.identity.text) and not seen.doubt and device.group != "path"


def _number(found: Iterable[Device]) -> None:
    """Number equal devices: shared disks alike on all hosts, the others host by host behind them.

    Where every one of them tells its slot they are counted by slot, else by their names.
    """
    shared: dict[tuple[str, str, int, str], dict[str, list[Device]]] = defaultdict(lambda: defaultdict(list))
    own: dict[tuple[str, str, int, str], dict[str, list[Device]]] = defaultdict(lambda: defaultdict(list))
    for device in found:
        if device.shared:
            shared[device.alike][device.seen.known_as or device.seen.identity.text].append(device)
        else:
            own[device.alike][device.seen.host].append(device)
    for disks in shared.values():
        for number, name in enumerate(sorted(disks, key=natural), 1):
            for device in disks[name]:
                device.number = number
    for alike, hosts in own.items():
        first = len(shared[alike]) + 1 if alike in shared else 1
        slots = all(device.seen.slot for devices in hosts.values() for device in devices)
        for devices in hosts.values():
            for number, device in enumerate(sorted(devices, key=lambda each: _place(each.seen, slots=slots)), first):
                device.number = number


def _place(seen: Seen, *, slots: bool) -> tuple[object, ...]:
    by_name = natural(seen.known_as or seen.name)
    return (natural(seen.enclosure), natural(seen.slot), by_name) if slots else (by_name,)


def _mark_drift(found: Iterable[Device]) -> None:
    """Mark roles whose devices have different names on different hosts.

    A disk that several hosts see is compared with itself, the others with those of the same number.
    """
    roles: dict[tuple[object, ...], list[Device]] = defaultdict(list)
    for device in found:
        if device.group != "path" and not device.seen.doubt:
            roles[(device.seen.identity,) if device.shared else (device.alike, device.number)].append(device)
    for devices in roles.values():
        hosts: dict[str, list[str]] = defaultdict(list)
        for device in devices:
            hosts[called(device.seen)].append(device.seen.host)
        if len(hosts) > 1 and len({device.seen.host for device in devices}) > 1:
            told = ", ".join(f"{name} on {folded(tuple(hosts[name]))}" for name in sorted(hosts, key=natural))
            for device in devices:
                device.drift = told


def _name(found: Iterable[Device]) -> None:
    """Say each role in words: no two with the same ones."""
    members = {device.alike: device for device in found}
    heads = {alike: _head(device) for alike, device in members.items()}
    for more in (_model, _bytes):  # another kind, model, or nearly the same size
        counts = Counter(heads.values())
        heads = {
            alike: f"{head} {more(members[alike])}".rstrip() if counts[head] > 1 else head
            for alike, head in heads.items()
        }
    for device in found:
        device.label = f"{heads[device.alike]} #{device.number}"


def _head(device: Device) -> str:
    return f"{device.group or device.seen.kind} {size_text(device.seen.identity.size_bytes / 1024)}"


def _model(device: Device) -> str:
    return " ".join(part for part in (device.seen.kind if device.group else "", device.seen.model) if part)


def _bytes(device: Device) -> str:
    return f"{device.seen.identity.size_bytes:,} B"


def called(seen: Seen) -> str:
    """A device as people call it on its host: a multipath map by its name, a disk by the kernel's."""
    return next((name for name in seen.names if name != seen.name), seen.name) if seen.type == "mpath" else seen.name
