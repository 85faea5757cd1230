"""Which device is which: everything that one host tells of its disks, joined to one value a disk.

A device is its WWN (or vendor, model and serial number) and its size. Names are names of this boot on this host. What
cannot be known is said, and never guessed: a device without an identity, or one that shares it, has a `doubt`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from enum import Enum
from functools import cached_property

import msgspec

from remote.linux.inventory import BlockNode, Content, Contents, Inventory, Mount, ReadState
from remote.linux.models import BlockDevice, BlockDevices

GPFS_PARTITION = "37affc90-ef7d-4e96-91c3-2d7ae055b174"
"""The GPT type of the partition that NSDs have from GPFS 4.1 on."""
_MAP = re.compile(r"mpath-(?:3([0-9a-f]{16}|[0-9a-f]{32})|2([0-9a-f]{16,32})|((?:eui|nvme|uuid)\..+))\Z", re.IGNORECASE)
"""The id of a map by the type of its WWID: NAA, EUI-64, or what an NVMe device is called; other types tell no WWN."""
_NAA = re.compile(r"naa\.([0-9a-f]{16}|[0-9a-f]{32})\Z", re.IGNORECASE)
_SHOWN = ("disk", "mpath")
_NVME_PATH = re.compile(r"nvme[0-9]+c[0-9]+n[0-9]+\Z")
"""A path of an NVMe device whose paths the kernel joins: it has no file below /dev, and only old lsblk lists it."""
_CUT = 16
"""Digits at which old versions of lsblk cut a WWN; those that begin with 6 have 32."""


class UseKind(Enum):
    """Why a device must not be taken."""

    BOOT = "boot disk"
    MOUNTED = "mounted"
    SWAP = "swap"
    NSD = "NSD"
    PARTITIONED = "partitioned"
    SIGNATURE = "signature"
    PATH = "path of a multipath map"
    HELD = "held"
    BYTES = "not empty"
    STATE = "state"


BY_WEIGHT = tuple(UseKind)
"""The kinds of uses, the worst first."""


class Use(msgspec.Struct, frozen=True, gc=False):
    """One reason, with what was seen: `mounted on /`, `xfs`, `held by md0`."""

    kind: UseKind
    text: str


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
    tree = _Tree(blocks, nodes, inventory)
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


class _Tree:
    """The devices of a host by what lies on what, from lsblk and from sysfs."""

    def __init__(self, blocks: BlockDevices, nodes: dict[str, BlockNode], inventory: Inventory | None) -> None:
        self.by_kname = {block.kname: block for block in blocks.devices}
        self.nodes = nodes
        self.above: dict[str, set[str]] = defaultdict(set)
        self.parts: set[str] = set()
        for block in blocks.devices:
            for parent in block.parents:
                self.above[parent].add(block.kname)
        for node in nodes.values():
            self.above[node.kname].update(node.holders)
            for slave in node.slaves:
                self.above[slave].add(node.kname)
            self.parts.update(part.kname for part in node.parts)
            self.above[node.kname].update(part.kname for part in node.parts)
        self.kernel_uses: dict[str, list[Use]] = defaultdict(list)
        self._mounts(inventory.mounts if inventory else (), inventory.swaps if inventory else ())

    def _mounts(self, mounts: Iterable[Mount], swaps: Iterable[str]) -> None:
        """What the kernel says is mounted or swapped on: lsblk shows one mount of a device, and none of some."""
        names = {number: kname for kname, node in self.nodes.items() for number in (node.number,) if number}
        names |= {part.number: part.kname for node in self.nodes.values() for part in node.parts if part.number}
        knames = {*self.by_kname, *self.nodes, *self.parts}
        mapped = {f"mapper/{node.dm_name}": node.kname for node in self.nodes.values() if node.dm_name}
        for mount in mounts:
            source = mount.source.removeprefix("/dev/")
            kname = names.get(mount.number) or mapped.get(source) or (source if source in knames else "")
            if kname:
                kind = UseKind.BOOT if _is_system(mount.where) else UseKind.MOUNTED
                self.kernel_uses[kname].append(Use(kind, f"mounted on {mount.where}"))
        for swap in swaps:
            name = swap.removeprefix("/dev/")
            kname = mapped.get(name) or (name if name in knames else "")
            if kname:
                self.kernel_uses[kname].append(Use(UseKind.SWAP, "swap"))

    def over(self, kname: str) -> list[str]:
        """The knames of all that lies on a device, near ones first."""
        found: dict[str, None] = {}
        waiting = [kname]
        while waiting:
            for other in sorted(self.above.get(waiting.pop(0), ())):
                if other != kname and other not in found:
                    found[other] = None
                    waiting.append(other)
        return list(found)

    def is_map(self, kname: str) -> bool:
        """Whether that is a multipath map."""
        node, block = self.nodes.get(kname), self.by_kname.get(kname)
        return bool((node and node.dm_uuid.startswith("mpath-")) or (block and block.type == "mpath"))

    def name(self, kname: str) -> str:
        """A device as people call it."""
        block = self.by_kname.get(kname)
        return block.name if block else kname


def _seen(host: str, block: BlockDevice, tree: _Tree, content: Content | None) -> Seen:
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
        uses=_uses(block, above, tree, content),
        doubt=doubt,
        unread=_unread(block, above, tree, content),
        content=content,
    )


def _first(tree: _Tree, block: BlockDevice, paths: Sequence[str], field: str) -> str:
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


# what uses a device


def _uses(block: BlockDevice, above: Iterable[str], tree: _Tree, content: Content | None) -> tuple[Use, ...]:
    """Every reason why it must not be taken, the worst first, each once."""
    uses = [*_own_uses(block, ""), *tree.kernel_uses.get(block.kname, ())]
    for kname in above:
        other = tree.by_kname.get(kname)
        if tree.is_map(kname):
            uses.append(Use(UseKind.PATH, f"path of {tree.name(kname)}"))
        elif kname not in tree.parts and (other is None or other.type != "part"):
            uses.append(Use(UseKind.HELD, f"held by {tree.name(kname)}{f' ({other.type})' if other else ''}"))
        elif other is not None and other.parttype == GPFS_PARTITION:
            uses.append(Use(UseKind.NSD, f"{other.name} is a GPFS partition"))
        else:
            uses.append(Use(UseKind.PARTITIONED, f"has partition {tree.name(kname)}"))
        if other is not None:
            uses += _own_uses(other, f"{other.name} ")
        known = tree.kernel_uses.get(kname, ())
        uses += [msgspec.structs.replace(use, text=f"{tree.name(kname)} {use.text}") for use in known]
    uses += _content_uses(content)
    known_path = any(use.kind is UseKind.PATH for use in uses)
    if content and content.state is ReadState.PATH and not known_path:
        # lsblk was asked a moment before, and may not have seen the map yet
        uses.append(Use(UseKind.PATH, "path of a multipath map"))
    if any(use.kind is UseKind.PATH for use in uses):
        # what lies on the map is the map's; a path is only a way to it
        uses = [use for use in uses if use.kind in (UseKind.PATH, UseKind.STATE)]
    return tuple(sorted(dict.fromkeys(uses), key=lambda use: (BY_WEIGHT.index(use.kind), len(use.text))))


def _is_system(where: str) -> bool:
    """Whether a host does not start without what is mounted there."""
    return where in ("/", "/boot", "/usr", "/var") or where.startswith("/boot/")


def _own_uses(block: BlockDevice, prefix: str) -> Iterable[Use]:
    where = block.mountpoint
    if where == "[SWAP]" or block.fstype == "swap":
        yield Use(UseKind.SWAP, f"{prefix}swap")
    elif _is_system(where):
        yield Use(UseKind.BOOT, f"{prefix}mounted on {where}")
    elif where:
        yield Use(UseKind.MOUNTED, f"{prefix}mounted on {where}")
    if block.fstype == "mpath_member":
        yield Use(UseKind.PATH, f"{prefix}multipath member")
    elif block.fstype and block.fstype != "swap":
        yield Use(UseKind.SIGNATURE, f"{prefix}{block.fstype}")
    if block.label:
        yield Use(UseKind.SIGNATURE, f"{prefix}label {block.label}")
    if block.partlabel.startswith("GPFS"):
        yield Use(UseKind.NSD, f"{prefix}partition label {block.partlabel}")
    if block.read_only:
        yield Use(UseKind.STATE, f"{prefix}read-only")
    if block.state not in ("", "running", "live"):
        yield Use(UseKind.STATE, f"{prefix}state {block.state}")


def _content_uses(content: Content | None) -> Iterable[Use]:
    if content is None:
        return
    for kind in content.partitions:
        if kind == GPFS_PARTITION:
            yield Use(UseKind.NSD, "GPFS partition (GPT type)")
        else:
            yield Use(UseKind.PARTITIONED, f"partition of type {kind}")
    for signature in content.signatures:
        named = f" {signature.label}" if signature.label else ""
        where = UseKind.PARTITIONED if signature.usage == "partition-table" else UseKind.SIGNATURE
        yield Use(where, f"{signature.type}{named}" + (" partition table" if where is UseKind.PARTITIONED else ""))
    if content.nonzero and not content.signatures and not content.partitions:
        yield Use(UseKind.BYTES, f"{content.nonzero} bytes that are not zero in its first 64 sectors")


def _unread(block: BlockDevice, above: Iterable[str], tree: _Tree, content: Content | None) -> str:
    """Why it is not known what lies on a device."""
    if block.fstype == "mpath_member" or any(tree.is_map(kname) for kname in above):
        return ""
    if content is None:
        return "what lies on it was not read"
    if block.kname not in tree.nodes:
        return "what the kernel tells of it (/sys) was not read"
    if content.state in (ReadState.READ, ReadState.PATH):
        return ""
    return f"what lies on it could not be read: {content.state.value}{f' ({content.detail})' if content.detail else ''}"
