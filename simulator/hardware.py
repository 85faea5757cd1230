"""Hosts and their block devices: what is in the machine before any cluster software speaks of it."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, field

KB = 1024
GPFS_PARTITION = "37affc90-ef7d-4e96-91c3-2d7ae055b174"
"""The type of the partition that NSDs of 4.1 and later make; lsblk shows it."""

_KIND = re.compile(r"(sd|nvme|dm-|[a-z]+)")


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
    """A disk as one host sees it. `volume_id` is the NSD volume id in its sector 2, empty when there is none.

    A disk with `paths` is a multipath map: `name` is its kernel name (`dm-3`) and `alias` its map name.
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

    def content(self, device: Device) -> str:
        """In words what would be lost if the device were formatted; empty for a device without content."""
        found: list[str] = []
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
        device.partitions[:] = [Partition(1, device.size_bytes - (1 << 20), parttype=GPFS_PARTITION)] * partition
        device.volume_id = volume_id
        members = {part.array for other in self.devices.values() for part in other.partitions}
        self.arrays = {name: array for name, array in self.arrays.items() if name in members}

    def reboot(self, *, shuffle: bool) -> None:
        """A new boot id; with `shuffle` every device comes back under another name of its kind."""
        self.boot_id = str(uuid.uuid4())
        self.boots += 1
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
