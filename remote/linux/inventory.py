"""What a host tells of its block devices beyond `lsblk`, as frozen values: what sysfs knows, and what lies on them.

`restripe-devices` reads /sys, /proc and /dev/disk and opens no device; it needs no root. `restripe-signatures` opens
each whole disk and multipath map for reading and needs root; a path of a multipath map is never opened.
"""

from __future__ import annotations

from enum import Enum

import msgspec


def kernel_name(name: str) -> str:
    """A kernel's name as it stands below /dev and as `lsblk` tells it: sysfs writes `cciss!c0d0` for cciss/c0d0."""
    return name.replace("!", "/")


class ReadState(Enum):
    """How it went with reading a device's first bytes and signatures."""

    READ = "read"
    DENIED = "not allowed"
    HANGS = "hangs"
    STILL = "an earlier read still hangs"
    FAILED = "failed"
    PATH = "path of a multipath map"
    """Not opened: what is on it is read through the map."""


class Signature(msgspec.Struct, frozen=True, gc=False):
    """Something that `blkid -p` or `wipefs -n` knows: a file system, a RAID or LVM member, a partition table.

    `type` is the tool's word (xfs, LVM2_member, gpt, ...); `usage` is filesystem, raid, crypto, partition-table or "";
    `offset` is in bytes from the start of the device.
    """

    type: str
    usage: str = ""
    label: str = ""
    uuid: str = ""
    offset: int | None = None


class Content(msgspec.Struct, frozen=True, gc=False):
    """What lies on one device. Nothing here is known unless `state` is READ, and then all of it is.

    `nonzero` counts the bytes that are not zero in the first 64 sectors of 512 bytes; `sector2` holds the first 64
    bytes of sector 2 in lower-case hex, where NSDs of GPFS 3.5 and older keep their volume id. `partitions` are the
    types of the entries of its partition table, lower case. `detail` is the tool's word where it could not be read.
    `worn` is how much of its life is used, in percent, and `reallocated` how many sectors have been replaced, both None
    where `smartctl` tells nothing.
    """

    kname: str
    state: ReadState
    signatures: tuple[Signature, ...] = ()
    partitions: tuple[str, ...] = ()
    nonzero: int | None = None
    sector2: str = ""
    detail: str = ""
    worn: int | None = None
    reallocated: int | None = None

    @property
    def empty(self) -> bool:
        """Whether it is certain that nothing lies on it: no signature, no partition, and all zeros at the start."""
        return self.state is ReadState.READ and not self.signatures and not self.partitions and self.nonzero == 0


class Contents(msgspec.Struct, frozen=True):
    """What lies on the devices of one host, each kname once."""

    devices: tuple[Content, ...] = ()

    def get(self, kname: str) -> Content | None:
        """What lies on the device of that kernel name; None where nobody tried."""
        return next((content for content in self.devices if content.kname == kname), None)


class Part(msgspec.Struct, frozen=True, gc=False):
    """A partition by the kernel's name and its major:minor, by which mounts name it."""

    kname: str
    number: str = ""


class BlockNode(msgspec.Struct, frozen=True, gc=False):
    """One whole block device as sysfs knows it (/sys/block); its partitions are in `parts`.

    `number` is major:minor. `holders` and `slaves` are the knames above and below it; what holds one of its partitions
    holds it. `dm_uuid` begins with `mpath-`
    for a multipath map, `LVM-` for a logical volume. `write_cache` is the kernel's word: `write back`, `write through`,
    or "" where it tells none. `firmware` is the revision; `wwid` the kernel's own name for it (naa., eui., t10., nvme).
    `links` are its names below /dev/disk and /dev/mapper, such as `by-id/wwn-0x…`. `enclosure` and `slot` tell where it
    sits, as far as the kernel knows.
    """

    kname: str
    number: str = ""
    size_bytes: int | None = None
    rotational: bool | None = None
    logical_sector: int | None = None
    physical_sector: int | None = None
    write_cache: str = ""
    vendor: str = ""
    model: str = ""
    firmware: str = ""
    serial: str = ""
    wwid: str = ""
    hctl: str = ""
    enclosure: str = ""
    slot: str = ""
    dm_name: str = ""
    dm_uuid: str = ""
    md_level: str = ""
    holders: tuple[str, ...] = ()
    slaves: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    links: tuple[str, ...] = ()


class Mount(msgspec.Struct, frozen=True, gc=False):
    """A mounted block device: its major:minor, where, as what, and by which source name."""

    number: str
    where: str
    fstype: str
    source: str


class Inventory(msgspec.Struct, frozen=True):
    """A host's devices as its kernel knows them, in one boot.

    `swaps` are files and devices by name. `nsddevices` is the checksum and size of /var/mmfs/etc/nsddevices as `cksum`
    prints them, "" where there is no such file, None where that could not be read.
    """

    boot_id: str = ""
    nodes: tuple[BlockNode, ...] = ()
    mounts: tuple[Mount, ...] = ()
    swaps: tuple[str, ...] = ()
    nsddevices: str | None = None

    def get(self, kname: str) -> BlockNode | None:
        """The device of that kernel name."""
        return next((node for node in self.nodes if node.kname == kname), None)
