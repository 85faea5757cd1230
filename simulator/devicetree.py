"""What a host says of its block devices, as files: /sys, /proc, /dev, /run/udev and /var/mmfs. Pure, no I/O.

Only what an inventory asks for is there. As on a real host a SCSI disk has no file with its serial number but a page
of vital product data, and its model is cut at 16 characters.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from simulator import ondisk
from simulator.blocknodes import Node, first_bytes, links, nodes, wwid
from simulator.hardware import Host

DEVICE_BYTES = 1 << 20
"""How long a device's file is; beyond what lies at its beginning it is empty."""


@dataclass(frozen=True)
class Link:
    """A symbolic link."""

    target: str


@dataclass(frozen=True)
class Content:
    """The file of a block device: its first bytes. With `hangs` whoever opens it waits."""

    data: bytes
    hangs: bool


class Directory:
    """A directory, perhaps empty."""


Entry = str | bytes | Link | Content | Directory


def tree(host: Host) -> dict[str, Entry]:
    """Every file by its path without the leading slash; directories between them are not listed."""
    listed = list(nodes(host))
    found: dict[str, Entry] = {}
    for node in listed:
        home = _home(node)
        found |= _attributes(node, home)
        found |= _relations(host, node, home)
        if _is_scsi(node) and node.part is None:
            found[f"run/udev/data/b{node.number}"] = _udev(node)
        found[f"dev/{node.kname}"] = Content(first_bytes(host, node), node.device.hangs and node.array is None)
    for name, kname in links(host, listed).items():
        found[f"dev/{name}"] = Link("../" * name.count("/") + kname)
    found["proc/self/mountinfo"] = _mountinfo(host, listed)
    found["proc/swaps"] = _swaps(listed)
    if host.nsddevices is not None:
        found["var/mmfs/etc/nsddevices"] = host.nsddevices
    found.update(host.files)
    return found


def _hctl(node: Node) -> str:
    return node.path.hctl if node.path else node.device.hctl


def _is_scsi(node: Node) -> bool:
    return node.array is None and not node.is_map


def _home(node: Node) -> str:
    """The node's directory in /sys."""
    if not _is_scsi(node):
        return f"sys/devices/virtual/block/{node.kname}"
    disk = f"sys/devices/{_hctl(node)}/block/{node.path.name if node.path else node.device.name}"
    return f"{disk}/{node.kname}" if node.part else disk


def _attributes(node: Node, home: str) -> dict[str, Entry]:
    device = node.device
    found: dict[str, Entry] = {
        f"{home}/size": f"{node.size_bytes // ondisk.SECTOR}\n",
        f"{home}/ro": f"{int(device.read_only)}\n",
        f"{home}/dev": f"{node.number}\n",
    }
    if node.part is not None and not node.is_map:
        start = ondisk.part_start(device, node.part)
        return found | {f"{home}/partition": f"{node.part.number}\n", f"{home}/start": f"{start}\n"}
    queue = {
        "rotational": str(int(device.rotational)),
        "logical_block_size": str(device.logical_sector),
        "physical_block_size": str(device.physical_sector),
        # Arrays pass a flush on, whatever their members say.
        "write_cache": "write back" if node.array else device.write_cache,
    }
    found |= {f"{home}/queue/{name}": f"{value}\n" for name, value in queue.items() if value}
    found[f"sys/block/{node.kname}"] = Link(f"../{home.removeprefix('sys/')}")
    if node.array is not None:
        return found | {f"{home}/md/level": f"{node.array.level}\n"}
    if node.is_map:
        part = f"part{node.part.number}-" if node.part else ""
        return found | {
            f"{home}/dm/name": f"{node.alias}\n",
            f"{home}/dm/uuid": f"{part}mpath-{wwid(device) or device.alias}\n",
        }
    return found | _scsi(node, home)


def _scsi(node: Node, home: str) -> dict[str, Entry]:
    """What is told of the SCSI device below a disk or path."""
    device, hctl = node.device, _hctl(node)
    place = f"sys/devices/{hctl}"
    wwn, serial = device.identity
    texts = {
        "vendor": f"{device.vendor:8.8}",
        "model": f"{device.model:16.16}",
        "rev": device.revision,
        "state": device.state,
    }
    if wwn:
        texts["wwid"] = f"naa.{wwn.removeprefix('0x')}"
    elif serial:
        texts["wwid"] = f"t10.{device.vendor:8.8}{device.model:16.16}{serial}"
    found: dict[str, Entry] = {f"{place}/{name}": f"{text}\n" for name, text in texts.items()}
    found[f"{home}/device"] = Link(f"../../../{hctl}")
    if serial:
        found[f"{place}/vpd_pg80"] = b"\0\x80" + len(serial).to_bytes(2, "big") + serial.encode()
    if device.enclosure:
        found |= _bay(node, place)
    return found


def _bay(node: Node, place: str) -> dict[str, Entry]:
    """Where a disk sits. The enclosure is a SCSI device of its own, on the same adapter."""
    device = node.device
    own = f"{_hctl(node).partition(':')[0]}:0:{64 + zlib.crc32(device.enclosure.encode()) % 190}:0"
    home, slot = f"{own}/enclosure/{own}", f"Slot {device.slot:>02}"
    return {
        f"sys/devices/{home}/id": f"{device.enclosure}\n",
        f"sys/devices/{home}/{slot}/slot": f"{device.slot}\n",
        f"{place}/enclosure_device:{slot}": Link(f"../{home}/{slot}"),
    }


def _udev(node: Node) -> str:
    """What udev has put down about a disk or path."""
    device = node.device
    wwn, serial = device.identity
    short = serial.strip() if device.transport == "sata" else wwn.removeprefix("0x") or serial.strip()
    known = {
        "DM_MULTIPATH_DEVICE_PATH": "1" if node.path else "",
        "ID_SERIAL_SHORT": short,
        "ID_WWN": wwn[:18],
        "ID_WWN_WITH_EXTENSION": wwn,
    }
    return "".join(f"E:{name}={value}\n" for name, value in known.items() if value)


def _relations(host: Host, node: Node, home: str) -> dict[str, Entry]:
    """What is above and below a device."""
    device = node.device
    above: list[str] = []
    below: list[str] = []
    if node.path is not None:
        above = [device.name]
    elif node.array is not None:
        below = host.array_members(node.array)
    elif node.part is not None:
        above = [node.part.array] if node.part.array in host.arrays else []
        below = [device.name] if node.is_map else []
    elif node.is_map:
        above = [device.part_name(part) for part in device.partitions]
        below = [path.name for path in device.paths]
    found: dict[str, Entry] = {f"{home}/holders": Directory()}
    if node.part is None or node.is_map:
        found[f"{home}/slaves"] = Directory()
    # Through /sys/block, which serves partitions of disks too: they lie below their disk there.
    depth = "../" * (home.count("/") + 2)
    found |= {f"{home}/holders/{name}": Link(f"{depth}sys/block/{name}") for name in above}
    for name in below:
        disk = next((each.name for each in host.devices.values() if name in map(each.part_name, each.partitions)), "")
        place = f"{disk}/{name}" if disk and not node.is_map else name
        found[f"{home}/slaves/{name}"] = Link(f"{depth}sys/block/{place}")
    return found


def _used(node: Node) -> tuple[str, str]:
    """Where a device is mounted or used, and as what."""
    if node.path is not None:
        return "", ""
    if node.array is not None:
        return node.array.mountpoint, node.array.fstype
    if node.part is not None:
        return node.part.mountpoint, node.part.fstype
    return node.device.mountpoint, node.device.fstype


def _name(node: Node) -> str:
    return f"/dev/mapper/{node.alias}" if node.alias else f"/dev/{node.kname}"


def _mountinfo(host: Host, listed: list[Node]) -> str:
    mounts = [(where, kind, node) for node in listed for where, kind in [_used(node)] if where.startswith("/")]
    mounts.sort(key=lambda mount: mount[0])
    lines = [
        "18 23 0:17 / /sys rw,nosuid,nodev,noexec,relatime shared:6 - sysfs sysfs rw",
        "19 23 0:3 / /proc rw,nosuid,nodev,noexec,relatime shared:5 - proc proc rw",
    ]
    for number, (where, kind, node) in enumerate(mounts):
        place = where.replace("\\", "\\134").replace(" ", "\\040")
        above = 1 if where == "/" else 23
        own = 23 if where == "/" else 30 + number
        lines.append(f"{own} {above} {node.number} / {place} rw,relatime shared:{1 + number} - {kind} {_name(node)} rw")
    return "".join(f"{line}\n" for line in lines)


def _swaps(listed: list[Node]) -> str:
    lines = ["Filename\t\t\t\tType\t\tSize\tUsed\tPriority"]
    for node in listed:
        where, _ = _used(node)
        if where == "[SWAP]":
            lines.append(f"{_name(node):<40}partition\t{node.size_bytes // 1024 - 4}\t0\t{-len(lines) - 1}")
    return "".join(f"{line}\n" for line in lines)
