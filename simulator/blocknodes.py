"""A host's block devices by their kernel names, and every other name that leads to them. Pure, no I/O."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from simulator import ondisk
from simulator.hardware import Array, Device, Host, Partition, Path


@dataclass(frozen=True)
class Node:
    """One block device: a disk, a path, a multipath map, a partition or an array, as the last three fields tell.

    `number` is major:minor. `device` is the disk below it; of an array it is one of its members.
    """

    kname: str
    number: str
    size_bytes: int
    device: Device
    path: Path | None = None
    part: Partition | None = None
    array: Array | None = None

    @property
    def is_map(self) -> bool:
        """Whether it is a multipath map or a partition of one: made by the device mapper."""
        return bool(self.device.paths) and self.path is None and self.array is None

    @property
    def alias(self) -> str:
        """Its name below /dev/mapper; empty where it has none."""
        return f"{self.device.alias}{self.part.number if self.part else ''}" if self.is_map else ""


def nodes(host: Host) -> Iterator[Node]:
    """Every block device of a host, each once."""
    arrays: dict[str, Node] = {}
    for device in host.devices.values():
        for path in device.paths:
            yield Node(path.name, f"8:{path.minor}", device.size_bytes, device, path)
        yield Node(device.name, device.dev, device.size_bytes, device)
        for part in device.partitions:
            yield Node(device.part_name(part), device.part_dev(part), part.size_bytes, device, part=part)
            if (array := host.arrays.get(part.array)) is not None:
                number = f"9:{array.name.removeprefix('md')}"
                arrays[array.name] = Node(array.name, number, array.size_bytes, device, array=array)
    yield from arrays.values()


def wwid(device: Device) -> str:
    """What multipath and the device's links call it; empty for a device without identity."""
    wwn, serial = device.identity
    return f"3{wwn.removeprefix('0x')}" if wwn else serial and f"S{device.vendor.strip()}_{serial.strip()}"


def _id_links(host: Host, node: Node) -> list[str]:
    device, suffix = node.device, f"-part{node.part.number}" if node.part else ""
    if node.array is not None:
        return [f"md-uuid-{ondisk.array_uuid(host, node.array)}", f"md-name-{host.name}:{node.number[2:]}"]
    wwn, serial = device.identity
    names = [f"wwn-{wwn}{suffix}"] if wwn else []
    if device.transport == "sata":
        # Spaces of the model are no part of a name.
        names += [f"ata-{'_'.join(device.model.split())}_{serial.strip()}{suffix}"] if serial else []
    elif name := wwid(device):
        names.append(f"scsi-{name}{suffix}")
    if node.is_map:
        part = f"part{node.part.number}-" if node.part else ""
        names += [f"dm-name-{node.alias}", f"dm-uuid-{part}mpath-{wwid(device)}"]
    return names


def _path_links(node: Node) -> list[str]:
    hctl = node.path.hctl if node.path else node.device.hctl
    if node.array is not None or node.is_map or not hctl:
        return []
    adapter, _, rest = hctl.partition(":")
    suffix = f"-part{node.part.number}" if node.part else ""
    return [f"pci-0000:{int(adapter):02x}:00.0-scsi-0:{rest}{suffix}"]


def links(host: Host, listed: list[Node]) -> dict[str, str]:
    """The kernel's names by link below /dev; of devices that claim the same link the last one has it."""
    found: dict[str, str] = {}
    # Links of the device mapper stand above those of its paths.
    for node in sorted(listed, key=lambda node: node.is_map):
        found |= {f"disk/by-id/{name}": node.kname for name in _id_links(host, node)}
        found |= {f"disk/by-path/{name}": node.kname for name in _path_links(node)}
        if node.alias:
            found[f"mapper/{node.alias}"] = node.kname
    return found


def find(host: Host, name: str) -> Node | None:
    """The block device of a path below /dev, or below the /dev of the host's own directory."""
    _, dev, short = name.rpartition("/dev/")
    if not dev:
        return None
    listed = list(nodes(host))
    kname = links(host, listed).get(short, short)
    return next((node for node in listed if node.kname == kname), None)


def known(host: Host, node: Node) -> list[ondisk.Known]:
    """What lies on it as a whole; what is on a map can be read through its paths too."""
    if node.array is not None:
        return ondisk.on_array(host, node.array)
    if node.part is not None:
        return ondisk.on_partition(host, node.device, node.part)
    return ondisk.on_device(node.device)


def first_bytes(host: Host, node: Node) -> bytes:
    """The first 32 KiB of it."""
    if node.array is not None:
        return ondisk.array_bytes(host, node.array)
    if node.part is not None:
        return ondisk.partition_bytes(host, node.device, node.part)
    return ondisk.device_bytes(node.device)
