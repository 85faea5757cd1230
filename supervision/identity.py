"""Which device is which: everything that one host tells of its disks, joined to one value a disk.

A device is its WWN (or vendor, model and serial number) and its size. Names are names of this boot on this host. What
cannot be known is said, and never guessed: a device without an identity, or one that shares it, has a `doubt`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property

import msgspec

from remote.linux.inventory import BlockNode, Content, Contents, Inventory
from remote.linux.models import BlockDevice, BlockDevices
from supervision.uses import DeviceTree, Use, UseKind, uses_of, why_unread

_MAP = re.compile(r"mpath-(?:3([0-9a-f]{16}|[0-9a-f]{32})|2([0-9a-f]{16,32})|((?:eui|nvme|uuid)\..+))\Z", re.IGNORECASE)
"""The id of a map by the type of its WWID: NAA, EUI-64, or what an NVMe device is called; other types tell no WWN."""
_NAA = re.compile(r"naa\.([0-9a-f]{16}|[0-9a-f]{32})\Z", re.IGNORECASE)
_SHOWN = ("disk", "mpath")
_NVME_PATH = re.compile(r"nvme[0-9]+c[0-9]+n[0-9]+\Z")
"""A path of an NVMe device whose paths the kernel joins: it has no file below /dev, and only old lsblk lists it."""
_CUT = 16
"""Digits at which old versions of lsblk cut a WWN; those that begin with 6 have 32."""


class Identity(msgspec.Struct, frozen=True, gc=False):
    """What names a device on every host and after every boot; both parts count. `text` is "" where nothing does."""

    text: str
    size_bytes: int


class Seen(msgspec.Struct, frozen=True, gc=False):
    """One whole disk or multipath map of one host.

    `doubt` says why the identity does not prove which device it is; "" when it does. `names` are all that it has on
    this host in this boot, the kernel's first. `paths` are those of a map. `unread` says why it is not known what lies
    on it; "" when it is. `known_as` is what the file system calls it, such as the name of an NSD.
    """

    host: str
    name: str
    type: str
    identity: Identity
    vendor: str = ""
    model: str = ""
    serial: str = ""
    firmware: str = ""
    rotational: bool | None = None
    sector: int | None = None
    write_cache: str = ""
    transport: str = ""
    hctl: str = ""
    enclosure: str = ""
    slot: str = ""
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    uses: tuple[Use, ...] = ()
    doubt: str = ""
    unread: str = ""
    content: Content | None = None
    known_as: str = ""

    @property
    def key(self) -> tuple[str, Identity]:
        """The device on this host, whatever it is called."""
        return self.host, self.identity

    @property
    def kind(self) -> str:
        """By the kernel's guess, which is often wrong behind RAID controllers."""
        return {True: "HDD", False: "SSD", None: "?"}[self.rotational]

    @property
    def free(self) -> bool:
        """Whether it is known that nothing uses it and nothing lies on it."""
        return not self.uses and not self.unread

    def called(self, name: str) -> bool:
        """Whether this is what a name means here: `sdg`, `/dev/sdg`, `mapper/lun0`, `/dev/disk/by-id/wwn-0x…`."""
        short = name.removeprefix("/dev/")
        return short in self.names or short.removeprefix("disk/") in self.names


class HostLook(msgspec.Struct, frozen=True, dict=True):
    """The devices of one host in one boot. `at` (Site's clock) is the age of the oldest answer that it rests on.

    `missing` says what could not be read of the host as a whole, each with the reason. `nsddevices` is that of
    `Inventory`. `stale` says why its names are not to be gone by any more, "" while they are.
    """

    host: str
    at: float
    boot_id: str = ""
    devices: tuple[Seen, ...] = ()
    missing: tuple[str, ...] = ()
    nsddevices: str | None = None
    stale: str = ""

    def find(self, identity: Identity) -> tuple[Seen, ...]:
        """The devices with that identity; paths of a map are not counted besides it."""
        return self._by_identity.get(identity, ())

    def named(self, name: str) -> Seen | None:
        """What a name means on this host now."""
        short = name.removeprefix("/dev/")
        return self._by_name.get(short) or self._by_name.get(short.removeprefix("disk/"))

    @cached_property
    def _by_identity(self) -> dict[Identity, tuple[Seen, ...]]:
        found: dict[Identity, list[Seen]] = defaultdict(list)
        for seen in self.devices:
            if not is_path(seen):
                found[seen.identity].append(seen)
        return {identity: tuple(devices) for identity, devices in found.items()}

    @cached_property
    def _by_name(self) -> dict[str, Seen]:
        found: dict[str, Seen] = {}
        for seen in self.devices:
            for name in seen.names:
                found.setdefault(name, seen)
        return found


def is_path(seen: Seen) -> bool:
    """Whether it is a path of a multipath map, which nobody may use but the map."""
    return any(use.kind is UseKind.PATH for use in seen.uses)


def look(
    host: str, at: float, blocks: BlockDevices, inventory: Inventory | None, contents: Contents | None
) -> HostLook:
    """Join what a host told. Without `inventory` or `contents` less is known, and that is said.

    The order in which the host lists its devices changes nothing.
    """
    nodes = {node.kname: node for node in inventory.nodes} if inventory else {}
    lying = {content.kname: content for content in contents.devices} if contents else {}
    tree = DeviceTree(blocks, nodes, inventory)
    whole = (block for block in blocks.devices if block.type in _SHOWN and not _NVME_PATH.match(block.kname))
    devices = [_seen(host, block, tree, lying.get(block.kname)) for block in whole]
    missing = []
    if inventory is None:
        missing.append("what the kernel tells of its devices (/sys) was not read")
    if contents is None:
        missing.append("what lies on the devices was not read")
    devices.sort(key=lambda seen: (len(seen.name), seen.name))
    return HostLook(
        host,
        at,
        inventory.boot_id if inventory else "",
        _doubts(devices),
        tuple(missing),
        inventory.nsddevices if inventory else None,
    )


def _seen(host: str, block: BlockDevice, tree: DeviceTree, content: Content | None) -> Seen:
    node = tree.nodes.get(block.kname)
    paths = tuple(sorted(block.parents)) if block.type == "mpath" else ()
    known = _known_by(block, [tree.by_kname[path] for path in paths if path in tree.by_kname])
    text, doubt = _identity(block, known, node, [tree.nodes.get(path) for path in paths])
    names = (block.kname, block.name, f"mapper/{block.name}" if block.type == "mpath" else "")
    above = tree.over(block.kname)
    return Seen(
        host=host,
        name=block.kname,
        type=block.type,
        identity=Identity(text, block.size_bytes),
        vendor=known.vendor,
        model=known.model or (node.model if node else ""),
        serial=known.serial or (node.serial if node else ""),
        firmware=_first(tree, block, paths, "firmware"),
        rotational=known.rotational,
        sector=block.logical_sector or (node.logical_sector if node else None),
        write_cache=_first(tree, block, paths, "write_cache"),
        transport=known.transport,
        hctl=known.hctl,
        enclosure=_first(tree, block, paths, "enclosure"),
        slot=_first(tree, block, paths, "slot"),
        names=tuple(dict.fromkeys(name for name in (*names, *(node.links if node else ())) if name)),
        paths=paths,
        uses=uses_of(block, above, tree, content),
        doubt=doubt,
        unread=why_unread(block, above, tree, content),
        content=content,
    )


def _first(tree: DeviceTree, block: BlockDevice, paths: Sequence[str], field: str) -> str:
    """What sysfs tells of a device, or else of the first path that tells it."""
    nodes = (tree.nodes.get(kname) for kname in (block.kname, *paths))
    return next((text for node in nodes if node and (text := str(getattr(node, field)))), "")


def _known_by(block: BlockDevice, paths: Sequence[BlockDevice]) -> BlockDevice:
    """What tells vendor, model and serial: a map is known by its paths, of which lsblk tells them."""
    return paths[0] if paths and not block.identity else block


def _identity(
    block: BlockDevice, known: BlockDevice, node: BlockNode | None, paths: Sequence[BlockNode | None]
) -> tuple[str, str]:
    """The identity and why it is none that proves anything."""
    if block.type == "mpath":
        return _map_identity(known, node, paths)
    own = _kernel_wwn(node)
    if own:
        return own, _at_odds(block, own, node)
    text = block.identity
    if not text:
        return "", "it has neither a WWN nor a serial number"
    return text, _cut(text)


def _at_odds(block: BlockDevice, own: str, node: BlockNode | None) -> str:
    """Whether lsblk and the kernel mean two devices by one name: then it changed hands between the two questions."""
    if block.wwn and not own.startswith(cut := block.identity):
        return f"lsblk says {cut}, the kernel {own}"
    if node and node.size_bytes is not None and node.size_bytes != block.size_bytes:
        return f"lsblk says {block.size_bytes:,} bytes, the kernel {node.size_bytes:,}"
    return ""


def _map_identity(known: BlockDevice, node: BlockNode | None, paths: Sequence[BlockNode | None]) -> tuple[str, str]:
    """A map takes the identity of its paths, which its own id must not contradict."""
    own = _map_wwn(node)
    told = {wwn for path in paths if (wwn := _kernel_wwn(path))}
    if len(told) > 1:
        return "", f"its paths have different identities: {', '.join(sorted(told))}"
    text = told.pop() if told else own or (known.identity if known.type == "disk" else "")
    if not text:
        return "", "neither the map nor its paths tell a WWN or serial number"
    if own and text.startswith("wwn:") and not own.startswith(text):
        return text, f"the map says {own.removeprefix('wwn:')}, its paths say {text.removeprefix('wwn:')}"
    return text, _cut(text)


def _map_wwn(node: BlockNode | None) -> str:
    match = _MAP.match(node.dm_uuid) if node else None
    if match is None:
        return ""
    naa, eui, nvme = (part.lower() if part else "" for part in match.groups())
    return f"wwn:{naa or nvme or f'eui.{eui}'}"


def _kernel_wwn(node: BlockNode | None) -> str:
    """The WWN as the kernel tells it: whole, where old versions of lsblk cut it. "" when it tells none."""
    match = _NAA.match(node.wwid) if node else None
    if match:
        return f"wwn:{match[1].lower()}"
    eui = node.wwid.lower() if node else ""
    return f"wwn:{eui}" if eui.startswith(("eui.", "nvme.", "uuid.")) else ""


def _cut(text: str) -> str:
    digits = text.removeprefix("wwn:")
    if text.startswith("wwn:6") and len(digits) == _CUT:
        return "this lsblk tells 16 digits of its WWN, which several LUNs of one array can share"
    return ""


def _doubts(devices: Sequence[Seen]) -> tuple[Seen, ...]:
    """Mark devices that have their identity in common, paths of one map aside."""
    own = Counter(seen.identity.text for seen in devices if seen.identity.text and not is_path(seen))
    result = []
    for seen in devices:
        if own[seen.identity.text] > 1 and not is_path(seen):
            same = [s.name for s in devices if s.identity.text == seen.identity.text and not is_path(s)]
            why = f"{', '.join(same)} have the same identity: paths without a multipath map, or a copied serial number"
            result.append(msgspec.structs.replace(seen, doubt=why))
        else:
            result.append(seen)
    return tuple(result)
