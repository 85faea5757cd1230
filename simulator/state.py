"""The cluster: NSDs, the disks of the file system, and where its data and metadata lie. Pure, no I/O.

All sizes are KB (1024 bytes) and whole numbers; nothing is ever lost to rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from simulator.hardware import Destroyed, Device, Host

DATA_AND_METADATA = "dataAndMetadata"
DATA_ONLY = "dataOnly"
METADATA_ONLY = "metadataOnly"
DESC_ONLY = "descOnly"
USAGES = (DATA_AND_METADATA, DATA_ONLY, METADATA_ONLY, DESC_ONLY)

FAILURE_GROUPS = range(-1, 4001)


@dataclass
class Nsd:
    """A network shared disk. `servers` are host names in order of preference; the first one owns `device`."""

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
    def holds_metadata(self) -> bool:
        """Whether new metadata may be written here."""
        return self.usage in (DATA_AND_METADATA, METADATA_ONLY)

    @property
    def holds_data(self) -> bool:
        """Whether new data may be written here."""
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
    known_end: KnownEnd
    arrivals: Mapping[str, FreeSpace]
    """Free space of a new disk just after it was added, by WWN; other disks lose 2 % to maps."""
    growth_left: dict[str, int] = field(default_factory=dict)
    """Data that ordinary users will still write while a restripe runs, by WWN."""
    used_inodes_at_end: int = 0
    properly_replicated: bool = True
    listing_order: tuple[str, ...] = ()
    listing_order_later: tuple[str, ...] = ()

    def disk(self, name: str) -> Disk | None:
        """The disk with this NSD name."""
        return next((disk for disk in self.disks if disk.name == name), None)

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
            (disk.metadata_kb and not disk.holds_metadata) or (disk.data_kb and not disk.holds_data)
            for disk in self.disks
        )


@dataclass
class Cluster:
    """Everything the commands speak of."""

    name: str
    cluster_id: str
    primary: str
    secondary: str
    hosts: dict[str, Host]
    nsds: dict[str, Nsd]
    fs: FileSystem
    destroyed: list[Destroyed] = field(default_factory=list)
    last_volume_time: int = 0

    def find_host(self, name: str) -> Host | None:
        """The node with this name, alias or address."""
        return next((host for host in self.hosts.values() if name in host.names), None)

    def find_fs(self, name: str) -> FileSystem | None:
        """The file system with this device name, with or without /dev/."""
        return self.fs if name.removeprefix("/dev/") == self.fs.name else None

    def nsd_of(self, device: Device) -> Nsd | None:
        """The NSD that was made of a device."""
        return next((nsd for nsd in self.nsds.values() if nsd.device is device), None)

    def create_nsd(self, name: str, servers: tuple[str, ...], device: Device, now: float) -> Nsd:
        """Format a device as an NSD, whatever it holds: a mounted boot disk is destroyed like any other.

        The volume id is the first server's address and the time, never the same second twice.
        """
        host = self.hosts[servers[0]]
        stamp = max(int(now), self.last_volume_time + 1)
        self.last_volume_time = stamp
        if lost := host.content(device):
            self.destroyed.append(Destroyed(host.name, device.name, device.wwn, lost, now))
        nsd = Nsd(name, f"{host.address_hex}{stamp:08X}", servers, host.name, device)
        host.overwrite(device, nsd.volume_id)
        self.nsds[name] = nsd
        return nsd

    @property
    def metadata_total_kb(self) -> int:
        """Metadata of the file system on all disks, without allocation maps; constant over any restripe."""
        return sum(disk.metadata_kb for disk in self.fs.disks)

    @property
    def metadata_left_kb(self) -> int:
        """Metadata that still lies on rotational devices."""
        return sum(disk.metadata_kb for disk in self.fs.disks if disk.nsd.device.rotational)
