"""Hosts and their block devices: what is in the machine before any cluster software speaks of it."""

from __future__ import annotations

from dataclasses import dataclass, field

KB = 1024


@dataclass
class Partition:
    """A partition of a device. `array` names the md device it is a member of, if any."""

    number: int
    size_bytes: int
    fstype: str = ""
    mountpoint: str = ""
    array: str = ""


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
    """A disk as one host sees it. `volume_id` is the NSD volume id in its sector 2, empty when there is none."""

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

    @property
    def size_kb(self) -> int:
        """Size in KB (1024 bytes)."""
        return self.size_bytes // KB

    @property
    def path(self) -> str:
        """The device's path on its host."""
        return f"/dev/{self.name}"


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
    """A node: its names, its address and its devices by kernel name."""

    name: str
    number: int
    daemon_name: str
    admin_name: str
    address: str
    boot_id: str
    devices: dict[str, Device]
    arrays: dict[str, Array] = field(default_factory=dict)

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
        return self.devices.get(name.removeprefix("/dev/"))

    def content(self, device: Device) -> str:
        """In words what would be lost if the device were formatted; empty for a device without content."""
        found: list[str] = []
        if device.volume_id:
            found.append(f"NSD {device.volume_id}")
        for partition in device.partitions:
            array = self.arrays.get(partition.array)
            use = array.mountpoint if array else partition.mountpoint
            kind = f"{array.level} {array.name}" if array else partition.fstype
            found.append(f"{device.name}{partition.number} ({kind} {use})".replace(" )", ")"))
        return ", ".join(found)

    def overwrite(self, device: Device, volume_id: str) -> None:
        """Write an NSD descriptor over whatever the device held; arrays without members go too."""
        device.partitions.clear()
        device.volume_id = volume_id
        members = {part.array for other in self.devices.values() for part in other.partitions}
        self.arrays = {name: array for name, array in self.arrays.items() if name in members}
