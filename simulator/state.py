"""NSDs, the disks of the file system, and where its data and metadata lie. Pure, no I/O.

All sizes are KB (1024 bytes) and whole numbers; nothing is ever lost to rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from simulator.hardware import Device

DATA_AND_METADATA = "dataAndMetadata"
DATA_ONLY = "dataOnly"
METADATA_ONLY = "metadataOnly"
DESC_ONLY = "descOnly"
USAGES = (DATA_AND_METADATA, DATA_ONLY, METADATA_ONLY, DESC_ONLY)

FAILURE_GROUPS = range(-1, 4001)

READY = "ready"
SUSPENDED = ("suspended", "to be emptied", "being emptied")
EMPTIED = "emptied"
UP = "up"
DOWN = "down"


@dataclass
class Nsd:
    """A network shared disk. `servers` are host names in order of preference; `device` is what the first one sees.

    Other servers of a shared disk see devices of their own, with the same WWN: `Cluster.local_device`.
    """

    name: str
    volume_id: str
    servers: tuple[str, ...]
    host: str
    device: Device


@dataclass
class Disk:
    """An NSD that belongs to the file system, and what lies on it.

    size = maps + metadata + data + free fragments + free blocks, always.
    """

    nsd: Nsd
    usage: str
    failure_group: str
    pool: str
    disk_id: int
    size_kb: int
    maps_kb: int = 0
    metadata_kb: int = 0
    data_kb: int = 0
    fragments_kb: int = 0
    status: str = READY
    availability: str = UP
    uid: str = ""
    """The disk's id in this file system: like a volume id, but of the moment it was added."""

    @property
    def name(self) -> str:
        """The NSD's name."""
        return self.nsd.name

    @property
    def wwn(self) -> str:
        """The identity of the device below."""
        return self.nsd.device.wwn

    @property
    def free_kb(self) -> int:
        """Free space in all, whole blocks and fragments."""
        return self.size_kb - self.maps_kb - self.metadata_kb - self.data_kb

    @property
    def free_blocks_kb(self) -> int:
        """Free space in whole blocks."""
        return self.free_kb - self.fragments_kb

    @property
    def accepts(self) -> bool:
        """Whether anything new may be written here."""
        return self.status in (READY, "replacement") and self.availability == UP

    @property
    def leaving(self) -> bool:
        """Whether a restripe takes everything off it."""
        return self.status in SUSPENDED

    @property
    def holds_metadata(self) -> bool:
        """Whether metadata may lie here, by its usage."""
        return self.usage in (DATA_AND_METADATA, METADATA_ONLY)

    @property
    def holds_data(self) -> bool:
        """Whether data may lie here, by its usage."""
        return self.usage in (DATA_AND_METADATA, DATA_ONLY)


@dataclass(frozen=True)
class FreeSpace:
    """Free space of one disk as `mmdf` prints it."""

    blocks_kb: int
    fragments_kb: int


@dataclass(frozen=True)
class KnownEnd:
    """The figures a cluster is known to have reached, by WWN: those of the disks that hold metadata, and the rest.

    They hold only if exactly these disks have these roles; any other choice is computed.
    """

    metadata: Mapping[str, FreeSpace]
    data: Mapping[str, FreeSpace]


@dataclass
class Inodes:
    """Inode counts of all inode spaces together."""

    used: int
    allocated: int
    maximum: int

    @property
    def free(self) -> int:
        """Allocated and not used."""
        return self.allocated - self.used


@dataclass
class Snapshot:
    """A snapshot of a file system; sizes in KB."""

    name: str
    number: int
    created: float
    status: str = "Valid"
    data_kb: int = 0
    metadata_kb: int = 0
    fileset: str = ""

    def inodes(self, inode_bytes: int) -> int:
        """How many inodes it holds of its own, each of that size: a scan walks them after those of the file system."""
        return self.metadata_kb * 1024 // inode_bytes


@dataclass
class Qos:
    """Limits of a file system: `other` and `maintenance` by pool, as `unlimited` or `300IOPS`.

    `limits` are for all nodes that mount it together; `scopes` for some nodes, by their names joined with commas.
    """

    enabled: bool = False
    limits: dict[str, dict[str, str]] = field(default_factory=dict)
    scopes: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)

    def limit(self, pool: str, name: str) -> str:
        """The limit of a class in a pool."""
        return self.limits.get(pool, {}).get(name, "unlimited")


@dataclass
class FileSystem:
    """One file system with its disks, in order of addition."""

    name: str
    disks: list[Disk]
    inodes: Inodes
    block_kb: int
    inode_bytes: int
    metadata_replicas: int
    max_metadata_replicas: int
    data_replicas: int
    max_data_replicas: int
    max_disk_size: str
    manager: str
    created: float
    known_end: KnownEnd | None = None
    arrivals: Mapping[str, FreeSpace] = field(default_factory=dict)
    """Free space of a new disk just after it was added, by WWN; other disks lose 2 % to maps."""
    growth_left: dict[str, int] = field(default_factory=dict)
    """Data that ordinary users will still write while a restripe runs, by WWN."""
    used_inodes_at_end: int = 0
    properly_replicated: bool = True
    listing_order: tuple[str, ...] = ()
    listing_order_later: tuple[str, ...] = ()
    well_balanced: bool = True
    inode_spaces: int = 2
    """With one, `mmdf` speaks of it in other words."""
    snapshots: list[Snapshot] = field(default_factory=list)
    qos: Qos = field(default_factory=Qos)
    mount_point: str = ""
    mounted_on: list[str] = field(default_factory=list)
    """Hosts of the cluster that mount it."""
    remote_mounts: list[tuple[str, str, str]] = field(default_factory=list)
    """Mounts from other clusters: address, short name, cluster."""
    published_timeline: bool = True
    """Whether a restripe prints at the moments of the seed; else its length follows the inodes."""
    _index: dict[str, Disk] = field(default_factory=dict, repr=False)

    def disk(self, name: str) -> Disk | None:
        """The disk with this NSD name."""
        if len(self._index) != len(self.disks):
            self._index = {disk.name: disk for disk in self.disks}
        return self._index.get(name)

    def drop(self, names: Iterable[str]) -> None:
        """Take disks out of the file system; what lay on them is gone unless it was moved before."""
        gone = set(names)
        self.disks = [disk for disk in self.disks if disk.name not in gone]
        self._index = {}

    @property
    def pools(self) -> dict[str, int]:
        """Storage pools with their ids: system is 0, others count from 65537."""
        names = dict.fromkeys(disk.pool for disk in self.disks)
        others = (name for name in names if name != "system")
        return {"system": 0} | {name: number for number, name in enumerate(others, 65537)}

    def new_disk(self, nsd: Nsd, usage: str, failure_group: str, pool: str) -> Disk:
        """A disk as it will be when `mmadddisk` has completed; it is not added yet."""
        size = nsd.device.size_kb
        free = self.arrivals.get(nsd.device.wwn)
        if free is None:
            maps = size // 50 // self.block_kb * self.block_kb
            fragments = 5504
            blocks = (size - maps - fragments) // self.block_kb * self.block_kb
            free = FreeSpace(blocks, fragments)
        return Disk(
            nsd=nsd,
            usage=usage,
            failure_group=failure_group,
            pool=pool,
            disk_id=max((disk.disk_id for disk in self.disks), default=0) + 1,
            size_kb=size,
            maps_kb=size - free.blocks_kb - free.fragments_kb,
            fragments_kb=free.fragments_kb,
        )

    def refusal(self, usages: Iterable[str]) -> str | None:
        """Why the file system could not live with disks of these usages, in GPFS's words; None if it could."""
        chosen = set(usages)
        if not chosen & {DATA_AND_METADATA, DATA_ONLY}:
            return "Each disk specifies metadataOnly for disk usage. This file system could not store data."
        if not chosen & {DATA_AND_METADATA, METADATA_ONLY}:
            return (
                "Each disk specifies dataOnly for disk usage. This file system could not store metadata.\n"
                "The file system must contain at least one disk for metadata."
            )
        return None

    @property
    def needs_move(self) -> bool:
        """Whether something lies on a disk that may no longer hold it."""
        return any(
            (disk.metadata_kb and not disk.holds_metadata)
            or (disk.data_kb and not disk.holds_data)
            or (disk.leaving and disk.metadata_kb + disk.data_kb)
            for disk in self.disks
        )
