"""The rows of lsblk: disks, paths, multipath maps, partitions and arrays of one host, with every column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from simulator.hardware import Array, Device, Host, Partition, Path
from simulator.ondisk import part_label, part_type


@dataclass
class Row:
    """A line of the listing; `prefix` is the branch of the tree before its name, as `|`, `+` and `L` for now."""

    values: dict[str, str]
    prefix: str = ""


def _common(device: Device, name: str, size: int, kind: str) -> dict[str, str]:
    return {
        "NAME": name,
        "KNAME": name,
        "PATH": f"/dev/{name}",
        "SIZE": str(size),
        "TYPE": kind,
        "ROTA": str(int(device.rotational)),
        "RO": str(int(device.read_only)),
        "RM": "0",
        "HOTPLUG": "0",
        "RA": "128",
        "RAND": str(int(not device.rotational)),
        "OWNER": "root",
        "GROUP": "disk",
        "MODE": "brw-rw----",
        "ALIGNMENT": "0",
        "MIN-IO": str(device.physical_sector),
        "OPT-IO": "0",
        "PHY-SEC": str(device.physical_sector),
        "LOG-SEC": str(device.logical_sector),
        "SCHED": "cfq",
        "RQ-SIZE": "128",
        "DISC-ALN": "0",
        "DISC-GRAN": "0B",
        "DISC-MAX": "0B",
        "DISC-ZERO": "0",
        "WSAME": "0B",
        "ZONED": "none",
    }


def _disk(device: Device, path: Path, short_wwn: bool) -> dict[str, str]:
    """A disk, or one path to a multipath disk. Old releases cut WWNs at 16 digits."""
    wwn, serial = device.identity
    return _common(device, path.name, device.size_bytes, "disk") | {
        "MAJ:MIN": f"8:{path.minor}",
        "MODEL": device.model,
        "SERIAL": serial,
        "STATE": device.state,
        "WWN": wwn[:18] if short_wwn and device.paths else wwn,
        "HCTL": path.hctl,
        "TRAN": device.transport,
        "VENDOR": device.vendor,
        "REV": device.revision,
        "FSTYPE": "mpath_member" if device.paths else _known(device),
        "MOUNTPOINT": "" if device.paths else device.mountpoint,
    }


def _known(device: Device) -> str:
    """What lies on a device as a whole; nothing where that is not certain."""
    return "" if "," in device.fstype else device.fstype


def _map(device: Device, path: Path) -> dict[str, str]:
    """A multipath map: no WWN, no serial, no model of its own; its identity is below it."""
    return _common(device, device.name, device.size_bytes, "mpath") | {
        "NAME": device.alias,
        "PATH": f"/dev/mapper/{device.alias}",
        "PKNAME": path.name,
        "MAJ:MIN": device.dev,
        "STATE": "running",
        "FSTYPE": _known(device),
        "MOUNTPOINT": device.mountpoint,
    }


def _partition(device: Device, part: Partition) -> dict[str, str]:
    common = {
        "PKNAME": device.name,
        "FSTYPE": part.fstype,
        "MOUNTPOINT": part.mountpoint,
        "PARTTYPE": part_type(device, part),
        "PARTLABEL": part_label(part),
        "MAJ:MIN": device.part_dev(part),
    }
    row = _common(device, device.part_name(part), part.size_bytes, "part") | common
    if device.paths:
        alias = f"{device.alias}{part.number}"
        return row | {"NAME": alias, "PATH": f"/dev/mapper/{alias}"}
    return row | {"WWN": device.identity[0]}


def _array(device: Device, part: Partition, array: Array) -> dict[str, str]:
    return _common(device, array.name, array.size_bytes, array.level) | {
        "PKNAME": device.part_name(part),
        "MAJ:MIN": f"9:{array.name.removeprefix('md')}",
        "FSTYPE": array.fstype,
        "MOUNTPOINT": array.mountpoint,
    }


def rows(host: Host, devices: list[Device], deep: bool, short_wwn: bool) -> Iterator[Row]:
    """The rows of these devices; `deep` with what lies on them, `short_wwn` as old releases cut them."""
    for device in devices:
        if device.paths:
            # The map is printed below every path.
            for path in device.paths:
                yield Row(_disk(device, path, short_wwn))
                if deep:
                    yield Row(_map(device, path), "L")
                    for part in device.partitions:
                        yield Row(_partition(device, part), " L")
            continue
        yield Row(_disk(device, Path(device.name, device.hctl, device.minor), short_wwn))
        for part in device.partitions if deep else ():
            last = part is device.partitions[-1]
            yield Row(_partition(device, part), "L" if last else "+")
            if part.array in host.arrays:
                yield Row(_array(device, part, host.arrays[part.array]), " L" if last else "|L")
