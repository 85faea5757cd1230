"""Hosts and their block devices: what is in the machine before any cluster software speaks of it."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, field

KB = 1024
GPFS_PARTITION = "37affc90-ef7d-4e96-91c3-2d7ae055b174"
"""The type of the partition that NSDs of 4.1 and later make; lsblk shows it."""

_KIND = re.compile(r"(sd|nvme|dm-|[a-z]+)")
_MAP_PARTITIONS = 500
"""The minor from which on partitions of multipath maps are numbered."""


@dataclass
class Partition:
    """A partition of a device. `array` names the md device it is a member of, if any; `parttype` is its GPT type."""

    number: int
    size_bytes: int
    fstype: str = ""
    mountpoint: str = ""
    array: str = ""
    parttype: str = ""


@dataclass
class Path:
    """One path to a multipath disk: a disk of its own to the kernel."""

    name: str
    hctl: str
    minor: int


@dataclass
class Array:
    """An md device; its members are found through the partitions."""

    name: str
    level: str
    size_bytes: int
    fstype: str
    mountpoint: str
    uuid: str = ""


@dataclass
class Device:
    """A disk as one host sees it. `volume_id` is the NSD volume id on it, empty when there is none.

    A disk with `paths` is a multipath map: `name` is its kernel name (`dm-3`) and `alias` its map name.
    `wwn` and `serial` are what it truly is, by which the cluster knows it; what a host is told may be another
    (`identity`). `firmware` is the whole revision, of which SCSI has room for four characters (`revision`).
    `write_cache` is the kernel's word for whether it must flush what it wrote; it says nothing about a loss of power:
    an SSD with capacitors is `write back` like any other. `fstype` is what lies on it without a partition table; two
    joined by a comma are a device of which nobody can tell what it is.
    """

    name: str
    size_bytes: int
    rotational: bool
    vendor: str
    model: str
    serial: str
    wwn: str
    hctl: str
    transport: str
    minor: int
    partitions: list[Partition] = field(default_factory=list)
    volume_id: str = ""
    alias: str = ""
    paths: list[Path] = field(default_factory=list)
    firmware: str = ""
    write_cache: str = "write back"
    logical_sector: int = 512
    physical_sector: int = 0
    enclosure: str = ""
    slot: str = ""
    state: str = "running"
    read_only: bool = False
    fstype: str = ""
    mountpoint: str = ""
    told_wwn: str | None = None
    told_serial: str | None = None
    hangs: bool = False
    """Whoever reads it waits until it no longer does."""

    def __post_init__(self) -> None:
        self.physical_sector = self.physical_sector or (512 if self.rotational else 4096)

    @property
    def identity(self) -> tuple[str, str]:
        """WWN and serial number as the host is told them; either may be empty."""
        return (
            self.wwn if self.told_wwn is None else self.told_wwn,
            self.serial if self.told_serial is None else self.told_serial,
        )

    @property
    def revision(self) -> str:
        """The four characters of the firmware's revision that SCSI tells; of an ATA disk they are the last ones."""
        last = f"{self.firmware:8.8}"[4:]
        return f"{last if self.vendor.startswith('ATA') and last.strip() else self.firmware:4.4}"

    def part_name(self, part: Partition) -> str:
        """The kernel's name of a partition."""
        return f"dm-{_MAP_PARTITIONS + self.minor}" if self.paths else f"{self.name}{part.number}"

    def part_dev(self, part: Partition) -> str:
        """major:minor of a partition."""
        return f"253:{_MAP_PARTITIONS + self.minor}" if self.paths else f"8:{self.minor + part.number}"

    @property
    def dev(self) -> str:
        """Its major:minor."""
        return f"{253 if self.paths else 8}:{self.minor}"

    @property
    def size_kb(self) -> int:
        """Size in KB (1024 bytes)."""
        return self.size_bytes // KB

    @property
    def path(self) -> str:
        """The device's path on its host."""
        return f"/dev/{self.name}"

    @property
    def devtype(self) -> str:
        """The device type as `mmlsnsd -X` tells it."""
        return "dmm" if self.paths else "generic"


@dataclass
class Destroyed:
    """Content that a command overwrote: where, and in words what it was."""

    host: str
    device: str
    wwn: str
    what: str
    when: float


@dataclass
class Host:
    """A node: its names, its address, its roles in the cluster, and its devices by kernel name."""

    name: str
    number: int
    daemon_name: str
    admin_name: str
    address: str
    boot_id: str
    devices: dict[str, Device]
    arrays: dict[str, Array] = field(default_factory=dict)
    quorum: bool = True
    manager: bool = True
    other_roles: tuple[str, ...] = ()
    """Further roles in IBM's words: `perfmon`, `ces`, ..."""
    boots: int = 0
    nsddevices: str | None = None
    """The script /var/mmfs/etc/nsddevices; None where there is none."""
    files: dict[str, str] = field(default_factory=dict)
    """Other files of the host by their paths without the first slash: crontabs and the like."""
    unseen: dict[str, Device] = field(default_factory=dict)
    """Devices that are there and that this host does not see."""
    changes: int = 0
    """How often its devices have changed."""

    @property
    def names(self) -> frozenset[str]:
        """Every name the cluster knows this node by."""
        full = (self.daemon_name, self.admin_name)
        return frozenset((self.name, self.address, *full, *(name.partition(".")[0] for name in full)))

    @property
    def address_hex(self) -> str:
        """The IPv4 address as the 8 hex digits that begin an NSD volume id."""
        return "".join(f"{int(part):02X}" for part in self.address.split("."))

    def find_device(self, name: str) -> Device | None:
        """The device of a stanza (`sdg` and `/dev/sdg` are the same), as this host names it now."""
        short = name.removeprefix("/dev/")
        if (alias := short.removeprefix("mapper/")) != short:
            return next((device for device in self.devices.values() if device.alias == alias), None)
        return self.devices.get(short)

    def array_members(self, array: Array) -> list[str]:
        """The kernel's names of the partitions that an array is made of."""
        return [
            device.part_name(part)
            for device in self.devices.values()
            for part in device.partitions
            if part.array == array.name
        ]

    def content(self, device: Device) -> str:
        """In words what would be lost if the device were formatted; empty for a device without content."""
        found = [f"{device.name} ({device.fstype} {device.mountpoint})".replace(" )", ")")] * bool(device.fstype)
        if device.volume_id:
            found.append(f"NSD {device.volume_id}")
        for partition in device.partitions:
            if partition.parttype == GPFS_PARTITION:
                continue
            array = self.arrays.get(partition.array)
            use = array.mountpoint if array else partition.mountpoint
            kind = f"{array.level} {array.name}" if array else partition.fstype
            found.append(f"{device.name}{partition.number} ({kind} {use})".replace(" )", ")"))
        return ", ".join(found)

    def overwrite(self, device: Device, volume_id: str, *, partition: bool) -> None:
        """Write an NSD descriptor over whatever the device held; arrays without members go too.

        `partition`: with a partition table, as NSDs have it from 4.1 on.
        """
        device.partitions[:] = [Partition(1, device.size_bytes - (2 << 20), parttype=GPFS_PARTITION)] * partition
        device.volume_id, device.fstype, device.mountpoint = volume_id, "", ""
        self.drop_arrays()

    def drop_arrays(self) -> None:
        """Forget arrays of which no member is left; called whenever what lies on the devices has changed."""
        self.changes += 1
        members = {part.array for other in self.devices.values() for part in other.partitions}
        self.arrays = {name: array for name, array in self.arrays.items() if name in members}

    def reboot(self, *, shuffle: bool) -> None:
        """A new boot id; with `shuffle` every device comes back under another name of its kind."""
        self.boot_id = str(uuid.uuid4())
        self.boots += 1
        self.changes += 1
        if not shuffle:
            return
        named: list[Device | Path] = list(self.devices.values())
        named += [path for device in self.devices.values() for path in device.paths]
        kinds: dict[str, list[Device | Path]] = {}
        for each in named:
            match = _KIND.match(each.name)
            kinds.setdefault(match[1] if match else "", []).append(each)
        for group in kinds.values():
            group.sort(key=lambda each: (len(each.name), each.name))
            names = [(each.name, each.minor) for each in group]
            # Each takes the place of the one before it: all change, where there are two or more.
            for index, each in enumerate(group):
                each.name, each.minor = names[index - 1]
        devices = sorted(self.devices.values(), key=lambda device: (len(device.name), device.name))
        self.devices = {device.name: device for device in devices}
