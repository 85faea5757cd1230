"""What each block device of each host is for, which of them are the same disk, and where names differ for one role.

A disk that GPFS uses is never called free on another host that sees it too: that is found out by identity and size.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from remote.gpfs.models import NsdDevice
from remote.linux.models import BlockDevice, BlockDevices
from supervision.gpfs_text import UNKNOWN, folded, natural

GROUPS = ("NSD", "free", "in use", UNKNOWN, "path")
"""What a device can be for, in the order in which they are shown."""
_SHOWN = ("disk", "mpath")
"""Types with a row of their own; partitions, RAIDs and volumes stand in the detail of what they lie on."""
NOT_UNIQUE = "its identity is not unique on this host"
"""Old versions of lsblk cut WWNs, so that LUNs of one array have the same."""


class Device(msgspec.Struct):
    """A device of a host with what it is for.

    `number` counts the equal ones of a host from 1; of a disk that several hosts see it is the same on all of them.
    `drift` tells the names of the role on all hosts where they differ. `known_by` is what tells the identity: the
    device itself, or a path of a multipath map, of which lsblk tells neither WWN nor serial.
    """

    host: str
    block: BlockDevice
    group: str
    use: str
    known_by: BlockDevice
    nsd: str = ""
    reasons: tuple[str, ...] = ()
    number: int = 0
    shared: bool = False
    doubtful: bool = False
    drift: str = ""

    @property
    def kind(self) -> str:
        """By the kernel's guess, which is often wrong behind RAID controllers."""
        return {True: "HDD", False: "SSD", None: "?"}[self.block.rotational]

    @property
    def identity(self) -> str:
        """What names the disk on every host; "" when nothing does."""
        return self.known_by.identity

    @property
    def alike(self) -> tuple[str, str, int, str]:
        """What devices of one role have in common."""
        return (self.group, self.kind, self.block.size_bytes, self.known_by.model)

    @property
    def same(self) -> tuple[str, int]:
        """What one disk has on every host that sees it."""
        return (self.identity, self.block.size_bytes)


def of_host(
    host: str, seen: BlockDevices, rows: Sequence[NsdDevice], *, asked: bool
) -> tuple[list[Device], list[NsdDevice]]:
    """The devices of a host by what it and `mmlsnsd -X` say, and the NSDs that lead to none of its devices.

    `rows` are those of this host's node; `asked` tells whether there is an answer of mmlsnsd at all.
    """
    by_name = {row.device.rpartition("/")[2]: row for row in rows if row.found}
    by_kname = {block.kname: block for block in seen.devices}
    on_top: dict[str, list[BlockDevice]] = defaultdict(list)
    for block in seen.devices:
        for parent in block.parents:
            on_top[parent].append(block)
    found = []
    for block in seen.devices:
        if block.type in _SHOWN:
            row = by_name.get(block.kname) or by_name.get(block.name)
            found.append(_device(host, block, _known_by(block, by_kname), _above(block, on_top), row, asked))
    names = {name for block in seen.devices for name in (block.kname, block.name)}
    lost = [row for row in rows if not row.found or row.device.rpartition("/")[2] not in names]
    return found, lost


def _above(block: BlockDevice, on_top: dict[str, list[BlockDevice]]) -> list[BlockDevice]:
    """All that lies on a device, which is little: asking all devices of the host for each would take long."""
    found: dict[str, BlockDevice] = {}
    waiting = [block.kname]
    while waiting:
        for other in on_top.get(waiting.pop(), ()):
            if other.kname not in found and other.kname != block.kname:
                found[other.kname] = other
                waiting.append(other.kname)
    return list(found.values())


def _known_by(block: BlockDevice, by_kname: dict[str, BlockDevice]) -> BlockDevice:
    """What tells the identity of a device: a map is known by its paths, as long as they agree."""
    if block.type != "mpath" or block.identity:
        return block
    paths = [by_kname[parent] for parent in block.parents if parent in by_kname]
    return paths[0] if len({path.identity for path in paths}) == 1 else block


def _device(
    host: str, block: BlockDevice, known_by: BlockDevice, above: list[BlockDevice], row: NsdDevice | None, asked: bool
) -> Device:
    reasons = BlockDevices((block, *above)).in_use(block.kname)
    if row:
        return Device(host, block, "NSD", row.nsd, known_by, row.nsd, reasons)
    maps = [other.name for other in above if other.type == "mpath"]
    if maps and block.type == "disk":
        return Device(host, block, "path", f"path of {', '.join(maps)}", known_by, reasons=reasons)
    if reasons:
        return Device(host, block, "in use", _loudest(reasons), known_by, reasons=reasons)
    if not asked:
        return Device(host, block, UNKNOWN, "mmlsnsd -X not asked", known_by)
    return Device(host, block, "free", "free", known_by)


def _loudest(reasons: tuple[str, ...]) -> str:
    """The reason that says most: what is mounted, then swap, then the first."""
    mounted = [reason.partition("mounted on ")[2] for reason in reasons if "mounted on " in reason]
    if mounted:
        return f"mounted on {min(mounted, key=len)}"
    return "swap" if any("used as swap" in reason for reason in reasons) else reasons[0]


def settle(found: Sequence[Device]) -> None:
    """Complete the devices of all hosts: the same disk, numbers, drift."""
    _find_same(found)
    _number(found)
    _mark_drift(found)


def _find_same(found: Iterable[Device]) -> None:
    """Mark disks that several hosts see, and give all of them the NSD that one of them has."""
    same: dict[tuple[str, int], list[Device]] = defaultdict(list)
    for device in found:
        if device.identity and device.group != "path":
            same[device.same].append(device)
    for devices in same.values():
        hosts = {device.host for device in devices}
        if len(hosts) < len(devices):
            for device in devices:
                device.doubtful = True
            continue
        served = next((device for device in devices if device.nsd), None)
        for device in devices:
            device.shared = len(hosts) > 1
            if served and not device.nsd:
                device.group, device.nsd, device.use = "NSD", served.nsd, f"{served.nsd} by {served.host}"


def _number(found: Iterable[Device]) -> None:
    """Number equal devices: shared disks alike on all hosts, the others host by host behind them."""
    shared: dict[tuple[str, str, int, str], dict[str, list[Device]]] = defaultdict(lambda: defaultdict(list))
    own: dict[tuple[tuple[str, str, int, str], str], list[Device]] = defaultdict(list)
    for device in found:
        if device.shared:
            shared[device.alike][device.nsd or device.identity].append(device)
        else:
            own[device.alike, device.host].append(device)
    for disks in shared.values():
        for number, name in enumerate(sorted(disks, key=natural), 1):
            for device in disks[name]:
                device.number = number
    for (alike, _), devices in own.items():
        first = len(shared[alike]) + 1 if alike in shared else 1
        for number, device in enumerate(sorted(devices, key=lambda each: natural(each.nsd or each.block.name)), first):
            device.number = number


def _mark_drift(found: Iterable[Device]) -> None:
    """Mark roles whose devices have different names on different hosts.

    A disk that several hosts see is compared with itself, the others with those of the same number.
    """
    roles: dict[tuple[object, ...], list[Device]] = defaultdict(list)
    for device in found:
        if device.group != "path" and not device.doubtful:
            roles[device.same if device.shared else (device.alike, device.number)].append(device)
    for devices in roles.values():
        hosts: dict[str, list[str]] = defaultdict(list)
        for device in devices:
            hosts[device.block.name].append(device.host)
        if len(hosts) > 1 and len({device.host for device in devices}) > 1:
            told = ", ".join(f"{name} on {folded(tuple(hosts[name]))}" for name in sorted(hosts, key=natural))
            for device in devices:
                device.drift = told
