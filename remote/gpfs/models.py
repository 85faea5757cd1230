"""What GPFS says about itself, as frozen values.

Numbers keep the unit of the command they come from and say so. Names keep the spelling of the far side: a
failure group is text (`01`, `-1` and `1,0,1` are all real), a disk is an NSD name, and a node name may be
short, full or an address depending on the command that printed it (`remote.names` tells which node is
meant).
"""

from __future__ import annotations

import ipaddress
import re
from enum import Enum

import msgspec

_VOLUME_ID = re.compile(r"[0-9A-Fa-f]{16}\Z")
_COUNT = re.compile(r"[0-9]{1,18}\Z")


class ClusterNode(msgspec.Struct, frozen=True):
    """One row of the node table of `mmlscluster`.

    The daemon and the admin name may lie on different networks; commands want the admin name. `designation`
    is the words as printed (`quorum-manager`), "" for a plain client.
    """

    number: int
    daemon_name: str
    address: str
    admin_name: str
    designation: str


class Cluster(msgspec.Struct, frozen=True):
    """`mmlscluster`. A line that the release does not print leaves "".

    `cluster_id` is text because it exceeds 2**53. `primary` and `secondary` are the configuration servers
    that clusters without CCR have.
    """

    name: str
    cluster_id: str
    uid_domain: str
    remote_shell: str
    remote_copy: str
    repository: str
    primary: str
    secondary: str
    nodes: tuple[ClusterNode, ...]


class FsAttribute(msgspec.Struct, frozen=True):
    """One row of `mmlsfs`: the flag (`-B`, `--inode-limit`), its value and IBM's description, as printed."""

    flag: str
    value: str
    description: str


class FileSystem(msgspec.Struct, frozen=True):
    """`mmlsfs`. The human form does not print the file system's name, so the caller gives it.

    A flag may have several rows (`-Q`, or `-B` with a value for each kind of pool); the properties take the
    first.
    """

    name: str
    attributes: tuple[FsAttribute, ...]

    def get(self, flag: str) -> tuple[str, ...]:
        """All values of a flag, in the order printed."""
        return tuple(row.value for row in self.attributes if row.flag == flag)

    def _count(self, flag: str) -> int | None:
        values = self.get(flag)
        return int(values[0]) if values and _COUNT.match(values[0]) else None

    @property
    def inode_size(self) -> int | None:
        """Bytes of one inode (`-i`)."""
        return self._count("-i")

    @property
    def block_size(self) -> int | None:
        """Bytes of one block (`-B`); of the system pool where the pools differ."""
        return self._count("-B")

    @property
    def metadata_replicas(self) -> int | None:
        """Copies kept of metadata by default (`-m`)."""
        return self._count("-m")

    @property
    def max_metadata_replicas(self) -> int | None:
        """The most copies of metadata that the file system can keep (`-M`)."""
        return self._count("-M")

    @property
    def data_replicas(self) -> int | None:
        """Copies kept of data by default (`-r`)."""
        return self._count("-r")

    @property
    def max_data_replicas(self) -> int | None:
        """The most copies of data that the file system can keep (`-R`)."""
        return self._count("-R")

    @property
    def estimated_nodes(self) -> int | None:
        """How many nodes were expected to mount it when it was made (`-n`)."""
        return self._count("-n")

    @property
    def version(self) -> str:
        """The file system's format, as printed (`-V`, such as `13.23 (3.5.0.7)`); "" when not told."""
        values = self.get("-V")
        return values[0] if values else ""


class Usage(Enum):
    """What a disk may hold, in the words of stanza files."""

    DATA_AND_METADATA = "dataAndMetadata"
    METADATA_ONLY = "metadataOnly"
    DATA_ONLY = "dataOnly"
    DESC_ONLY = "descOnly"

    @classmethod
    def holding(cls, *, metadata: bool, data: bool) -> Usage:
        """The usage behind the two columns `holds metadata` and `holds data`; `No No` is descOnly."""
        if metadata:
            return cls.DATA_AND_METADATA if data else cls.METADATA_ONLY
        return cls.DATA_ONLY if data else cls.DESC_ONLY


class Disk(msgspec.Struct, frozen=True):
    """One row of `mmlsdisk`.

    `sector_size` is in bytes. `status` may have several words (`to be emptied`). `disk_id` and `remarks`
    (`desc` marks a disk with a file system descriptor) are printed only with `-L`.
    """

    nsd: str
    driver: str
    sector_size: int
    failure_group: str
    metadata: bool
    data: bool
    status: str
    availability: str
    pool: str
    disk_id: str = ""
    remarks: str = ""

    @property
    def usage(self) -> Usage:
        """What the disk may hold. Old blocks may still be elsewhere until a restripe has run."""
        return Usage.holding(metadata=self.metadata, data=self.data)

    @property
    def ready(self) -> bool:
        """Whether it is `ready` and `up`."""
        return self.status == "ready" and self.availability == "up"


class DiskList(msgspec.Struct, frozen=True):
    """`mmlsdisk`, in the order printed, which is that of addition.

    `attention` holds each sentence that begins with `Attention:` or `Warning:`, its wrapped lines joined.
    """

    disks: tuple[Disk, ...]
    attention: tuple[str, ...] = ()

    @property
    def not_properly_replicated(self) -> bool:
        """Whether GPFS says that a restripe is due after a change of usage."""
        return any("no longer properly replicated" in sentence for sentence in self.attention)

    def get(self, nsd: str) -> Disk | None:
        """The disk of that NSD name."""
        return next((disk for disk in self.disks if disk.nsd == nsd), None)


class DiskSpace(msgspec.Struct, frozen=True):
    """One disk's row of `mmdf`. Sizes are in KB, or in `FsSpace.unit` when that is not KB.

    Free fragments are parts of blocks; they are free as well, but only small files and directories can use
    them. `available` is False for a disk that `mmdf` marks with `*`: nothing can be allocated on it at
    present.
    """

    nsd: str
    pool: str
    size_kb: int
    failure_group: str
    metadata: bool
    data: bool
    free_blocks_kb: int
    free_blocks_percent: int
    free_fragments_kb: int
    free_fragments_percent: int
    available: bool = True

    @property
    def usage(self) -> Usage:
        """What the disk may hold."""
        return Usage.holding(metadata=self.metadata, data=self.data)

    @property
    def used_kb(self) -> int:
        """What is neither a free block nor a free fragment."""
        return self.size_kb - self.free_blocks_kb - self.free_fragments_kb


class SpaceTotal(msgspec.Struct, frozen=True):
    """A total row of `mmdf`, in KB (or in `FsSpace.unit`)."""

    size_kb: int
    free_blocks_kb: int
    free_fragments_kb: int

    @property
    def used_kb(self) -> int:
        """What is neither a free block nor a free fragment."""
        return self.size_kb - self.free_blocks_kb - self.free_fragments_kb


class Inodes(msgspec.Struct, frozen=True):
    """The inode counts of `mmdf`, over all inode spaces."""

    used: int
    free: int
    allocated: int
    maximum: int


class FsSpace(msgspec.Struct, frozen=True):
    """`mmdf`.

    `data` and `metadata` are None where `mmdf` leaves these rows out, which it does while every disk holds
    both; their sum is not `total` when a disk holds both. `inodes` is None with `mmdf -m`.

    `unit` is `KB`, unless somebody asked for `--block-size`: then all numbers are in that unit and
    **rounded up** (an almost full TB and an empty disk of 186 GB both read 1 TB), so nothing may be decided
    from them. It is "" where no header said it.
    """

    unit: str
    disks: tuple[DiskSpace, ...]
    pools: tuple[tuple[str, SpaceTotal], ...]
    data: SpaceTotal | None
    metadata: SpaceTotal | None
    total: SpaceTotal | None
    inodes: Inodes | None

    @property
    def exact(self) -> bool:
        """Whether the numbers are exact KB; False means: show them, never decide by them."""
        return self.unit == "KB"

    def get(self, nsd: str) -> DiskSpace | None:
        """The disk of that NSD name."""
        return next((disk for disk in self.disks if disk.nsd == nsd), None)


class NsdDevice(msgspec.Struct, frozen=True):
    """One row of `mmlsnsd -X`: an NSD as one node sees it.

    `device` is a name of this node until its next boot; `-` or "" means that the node does not see the disk.
    `remarks` is `server node`, something in parentheses as well (`(not found) server node`), or "".
    """

    nsd: str
    volume_id: str
    device: str
    devtype: str
    node: str
    remarks: str

    @property
    def found(self) -> bool:
        """Whether the node sees the disk."""
        return self.device not in ("", "-") and "(not found)" not in self.remarks


class NsdDevices(msgspec.Struct, frozen=True):
    """`mmlsnsd -X`: one row for each server, so a disk with two servers has two rows."""

    rows: tuple[NsdDevice, ...]

    def by_nsd(self, name: str) -> tuple[NsdDevice, ...]:
        """The rows of one NSD."""
        return tuple(row for row in self.rows if row.nsd == name)

    def on_node(self, node: str) -> tuple[NsdDevice, ...]:
        """The rows of one node, by the name that `mmlsnsd` prints."""
        return tuple(row for row in self.rows if row.node == node)


class VolumeId(msgspec.Struct, frozen=True):
    """What an NSD volume id says: the IPv4 address of the first server and the UNIX time of creation (s,
    UTC).
    """

    address: str
    created: int


def decode_volume_id(text: str) -> VolumeId | None:
    """Decode an NSD volume id; None if it is not 16 hexadecimal digits.

    The first eight digits are the address of the node that wrote the disk, the other eight the second in
    which it did: an NSD that was not created today has an old time in it. The `diskUID` of `mmlsdisk` is
    another id.
    """
    if not _VOLUME_ID.match(text):
        return None
    return VolumeId(str(ipaddress.IPv4Address(int(text[:8], 16))), int(text[8:], 16))


class Message(msgspec.Struct, frozen=True):
    """A message of an mm* command without its prefix.

    `number` is such as `6027-1371`, `severity` a letter (`E` error, `W` warning, ...); both are "" on
    systems that print the text alone, which is usual on Linux.
    """

    number: str
    severity: str
    text: str


class NsdsCreated(msgspec.Struct, frozen=True):
    """`mmcrnsd`: the devices it began to process, in the order of the stanza file, as their base names.

    A device in `processed` may still have failed: see `errors`. `propagated` tells that the new
    configuration is on its way to the other nodes, which lag.
    """

    processed: tuple[str, ...]
    propagated: bool
    errors: tuple[Message, ...]


class DisksAdded(msgspec.Struct, frozen=True):
    """`mmadddisk`. `node` formats the disks; it is the file system manager. Sizes are in KB whatever was
    printed.
    """

    fs: str
    node: str
    sizes_kb: tuple[tuple[str, int], ...]
    completed: bool
    propagated: bool
    errors: tuple[Message, ...]


class DisksChanged(msgspec.Struct, frozen=True):
    """`mmchdisk change`. `verified` tells that it began to verify the configuration, not that it found it
    good.
    """

    verified: bool
    propagated: bool
    errors: tuple[Message, ...]
