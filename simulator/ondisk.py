"""What lies on a device: what `blkid` and `wipefs` know of it, and its first bytes. Pure, no I/O.

An NSD of 3.5 has its volume id in sector 2 and nothing that any tool knows; one of 4.1 and later has a GPT with one
partition. UUIDs are made of the device's true identity, so that they go where it goes.
"""

from __future__ import annotations

import struct
import uuid
import zlib
from dataclasses import dataclass
from itertools import pairwise

from simulator.hardware import GPFS_PARTITION, Array, Device, Host, Partition

FIRST_BYTES = 32 * 1024
"""How much of a device is there to be read."""

SECTOR = 512
FIRST_LBA = 2048
"""Where the first partition begins."""

_GPT_TYPES = {
    "vfat": "c12a7328-f81f-11d2-ba4b-00a0c93ec93b",
    "linux_raid_member": "a19d880f-05fc-4d3b-a006-743f0f84911e",
    "swap": "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f",
    "LVM2_member": "e6d6d379-f507-44c2-a23c-238f2a3df928",
}
_GPT_LINUX = "0fc63daf-8483-4772-8e79-3d69d8477de4"
_DOS_TYPES = {"vfat": 0xC, "linux_raid_member": 0xFD, "swap": 0x82, "LVM2_member": 0x8E}
_DOS_LINUX = 0x83


@dataclass(frozen=True)
class Format:
    """A kind of content: `usage` as blkid tells it, and its magic bytes by offset; `others` are offsets of more."""

    usage: str
    version: str
    offset: int
    magic: bytes
    others: tuple[int, ...] = ()


FORMATS = {
    "xfs": Format("filesystem", "", 0, b"XFSB"),
    "ext4": Format("filesystem", "1.0", 0x438, b"\x53\xef"),
    "vfat": Format("filesystem", "FAT32", 0x52, b"FAT32   ", (0, 0x1FE)),
    # Beyond what is read of a device's beginning: only the tools see it.
    "btrfs": Format("filesystem", "", 0x10040, b"_BHRfS_M"),
    "swap": Format("other", "1", 0xFF6, b"SWAPSPACE2"),
    "linux_raid_member": Format("raid", "1.2", 0x1000, b"\xfc\x4e\x2b\xa9"),
    "LVM2_member": Format("raid", "LVM2 001", 0x218, b"LVM2 001"),
    "crypto_LUKS": Format("crypto", "1", 0, b"LUKS\xba\xbe"),
}


@dataclass(frozen=True)
class Known:
    """Something on a device that the tools know."""

    type: str
    uuid: str
    label: str = ""
    part: str = ""
    """The second UUID of a RAID member: its own."""


def _uuid(*words: object) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, " ".join(map(str, words))))


def _formatted(kind: str, *place: object) -> Known:
    own = _uuid(*place, kind)
    if kind == "vfat":
        return Known(kind, f"{own[:4]}-{own[4:8]}".upper())
    if kind == "LVM2_member":
        digits = own.replace("-", "")
        cuts = (0, 6, 10, 14, 18, 22, 26, 32)
        return Known(kind, "-".join(digits[cut:end] for cut, end in pairwise(cuts)))
    return Known(kind, own)


def array_uuid(host: Host, array: Array) -> str:
    """The UUID of an md device."""
    return array.uuid or _uuid(host.name, array.name)


def on_device(device: Device) -> list[Known]:
    """What lies on a device as a whole, without its partition table."""
    return [_formatted(kind, device.wwn) for kind in device.fstype.split(",") if kind]


def on_partition(host: Host, device: Device, part: Partition) -> list[Known]:
    """What lies on a partition."""
    array = host.arrays.get(part.array)
    if array is not None:
        short = host.name.partition(".")[0]
        own = _uuid(device.wwn, part.number)
        return [Known(part.fstype, array_uuid(host, array), f"{short}:{array.name.removeprefix('md')}", own)]
    return [_formatted(part.fstype, device.wwn, part.number)] if part.fstype else []


def on_array(host: Host, array: Array) -> list[Known]:
    """What lies on an md device."""
    return [_formatted(array.fstype, array_uuid(host, array))] if array.fstype else []


def table_of(device: Device) -> str:
    """The kind of its partition table: `gpt`, `dos` or none."""
    if any(part.parttype or part.fstype == "vfat" for part in device.partitions):
        return "gpt"
    return "dos" if device.partitions else ""


def table_uuid(device: Device) -> str:
    """The UUID of its partition table, which for `dos` has 32 bits."""
    own = _uuid(device.wwn, "table", device.volume_id)
    return own if table_of(device) == "gpt" else own[:8]


def part_uuid(device: Device, part: Partition) -> str:
    """The UUID of an entry of the partition table."""
    if table_of(device) == "gpt":
        return _uuid(device.wwn, "entry", part.number, device.volume_id)
    return f"{table_uuid(device)}-{part.number:02x}"


def part_type(device: Device, part: Partition) -> str:
    """The type of a partition as the tools tell it: a GUID, or a byte such as 0xfd."""
    if table_of(device) == "gpt":
        return part.parttype or _GPT_TYPES.get(part.fstype, _GPT_LINUX)
    return f"0x{_DOS_TYPES.get(part.fstype, _DOS_LINUX):x}"


def part_label(part: Partition) -> str:
    """The name of a partition in its GPT."""
    return "GPFS:" if part.parttype == GPFS_PARTITION else ""


def part_start(device: Device, part: Partition) -> int:
    """Where a partition begins, in sectors of 512 bytes."""
    before = device.partitions[: device.partitions.index(part)]
    return FIRST_LBA + sum(each.size_bytes // SECTOR for each in before)


def offsets(device: Device) -> list[int]:
    """Where the signatures of a GPT are: its header, its copy at the end, and the MBR that protects it."""
    last = device.size_bytes // device.logical_sector - 1
    return [device.logical_sector, last * device.logical_sector, 0x1FE]


def _put(data: bytearray, offset: int, piece: bytes) -> None:
    if offset + len(piece) <= len(data):
        data[offset : offset + len(piece)] = piece


def _format(data: bytearray, known: Known) -> None:
    form = FORMATS[known.type]
    _put(data, form.offset, form.magic)
    if known.type == "LVM2_member":
        _put(data, 0x200, b"LABELONE")
    if form.offset + len(form.magic) <= FIRST_BYTES:
        _put(data, form.offset + len(form.magic), known.uuid.encode())


def _dos(data: bytearray, entries: list[tuple[int, int, int]]) -> None:
    for index, (kind, start, sectors) in enumerate(entries[:4]):
        entry = struct.pack("<B3sB3sII", 0, b"\xfe\xff\xff", kind, b"\xfe\xff\xff", start, min(sectors, 0xFFFFFFFF))
        _put(data, 446 + 16 * index, entry)
    _put(data, 0x1FE, b"\x55\xaa")


def _gpt(data: bytearray, device: Device) -> None:
    sector = device.logical_sector
    last = device.size_bytes // sector - 1
    _dos(data, [(0xEE, 1, last)])
    table = bytearray(128 * 128)
    for index, part in enumerate(device.partitions):
        start = part_start(device, part) * SECTOR // sector
        name = part_label(part).encode("utf-16-le").ljust(72, b"\0")
        kind, own = (uuid.UUID(text).bytes_le for text in (part_type(device, part), part_uuid(device, part)))
        entry = struct.pack("<16s16sQQQ72s", kind, own, start, start + part.size_bytes // sector - 1, 0, name)
        _put(table, 128 * index, entry)
    guid = uuid.UUID(table_uuid(device)).bytes_le
    first, usable = 2 + len(table) // sector, last - 1 - len(table) // sector
    fields = (1, last, first, usable, guid, 2, 128, 128, zlib.crc32(table))
    header = bytearray(struct.pack("<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, 0, 0, *fields))
    struct.pack_into("<I", header, 16, zlib.crc32(header))
    _put(data, sector, bytes(header))
    _put(data, 2 * sector, bytes(table))


def device_bytes(device: Device) -> bytes:
    """The first 32 KiB of a device."""
    data = bytearray(FIRST_BYTES)
    table = table_of(device)
    if table == "gpt":
        _gpt(data, device)
    elif table == "dos":
        kinds = [int(part_type(device, part), 16) for part in device.partitions]
        _dos(
            data,
            [
                (kind, part_start(device, part), part.size_bytes // SECTOR)
                for kind, part in zip(kinds, device.partitions, strict=True)
            ],
        )
        _put(data, 440, bytes.fromhex(table_uuid(device))[::-1])
    elif device.volume_id:
        _put(data, 2 * SECTOR, bytes.fromhex(device.volume_id))
    return _with(data, on_device(device))


def partition_bytes(host: Host, device: Device, part: Partition) -> bytes:
    """The first 32 KiB of a partition; that of an NSD has its descriptor somewhere, which no tool knows."""
    data = bytearray(FIRST_BYTES)
    if part.parttype == GPFS_PARTITION and device.volume_id:
        _put(data, 2 * SECTOR, bytes.fromhex(device.volume_id))
    return _with(data, on_partition(host, device, part))


def array_bytes(host: Host, array: Array) -> bytes:
    """The first 32 KiB of an md device."""
    return _with(bytearray(FIRST_BYTES), on_array(host, array))


def _with(data: bytearray, known: list[Known]) -> bytes:
    for each in known:
        _format(data, each)
    return bytes(data)
