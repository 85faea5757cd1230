"""What uses a device, so that it must not be taken: mounts, swap, what lies on it, and what is built on top of it.

From lsblk, sysfs and the kernel's list of mounts of one host. What could not be read is said, never taken for empty.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from enum import Enum

import msgspec

from remote.linux.inventory import BlockNode, Content, Inventory, Mount, ReadState
from remote.linux.models import BlockDevice, BlockDevices

GPFS_PARTITION = "37affc90-ef7d-4e96-91c3-2d7ae055b174"
"""The GPT type of the partition that NSDs have from GPFS 4.1 on."""


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


class DeviceTree:
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


def uses_of(block: BlockDevice, above: Iterable[str], tree: DeviceTree, content: Content | None) -> tuple[Use, ...]:
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


def why_unread(block: BlockDevice, above: Iterable[str], tree: DeviceTree, content: Content | None) -> str:
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
