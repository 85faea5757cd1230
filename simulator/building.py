"""What scenarios that are computed share: device names, boot disks, hosts with everything in order."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from simulator.hardware import KB, Array, Device, Host, Partition
from simulator.state import DATA_AND_METADATA, DATA_ONLY, Disk, Nsd

GIB = 1 << 30


def sd_name(index: int) -> str:
    """The kernel's name of its disk number `index`: sda ... sdz, sdaa, ..."""
    letters = ""
    index += 1
    while index:
        index, digit = divmod(index - 1, 26)
        letters = chr(ord("a") + digit) + letters
    return f"sd{letters}"


def boot_disk(host: int, index: int, name: str) -> Device:
    """One of a host's two mirrored boot disks. Its serial and WWN are its own in the whole cluster."""
    unit = 2 * host + index
    return Device(
        name,
        447 * GIB,
        False,
        "ATA     ",
        "MZ7LH480HAHQ0D3",
        f"S4YRNE0N{unit:06d}",
        f"0x5002538e{unit:08x}",
        f"{index}:0:0:0",
        "sata",
        16 * index,
        [
            Partition(1, GIB, "vfat", "/boot/efi" if index == 0 else ""),
            Partition(2, 400 * GIB, "linux_raid_member", array="md0"),
        ],
        firmware="HXT7404Q",
    )


def host(
    name: str,
    number: int,
    names: tuple[str, str],
    address: str,
    devices: Iterable[Device],
    *,
    quorum: bool = False,
    manager: bool = False,
    other_roles: tuple[str, ...] = (),
) -> Host:
    """A host with two boot disks and these devices; `names` are its daemon and admin node names."""
    boot = [boot_disk(number, index, sd_name(index)) for index in range(2)]
    return Host(
        name=name,
        number=number,
        daemon_name=names[0],
        admin_name=names[1],
        address=address,
        boot_id=str(uuid.uuid4()),
        devices={device.name: device for device in (*boot, *devices)},
        arrays={"md0": Array("md0", "raid1", 400 * GIB - (1 << 20), "xfs", "/")},
        quorum=quorum,
        manager=manager,
        other_roles=other_roles,
    )


def used_disk(
    nsd: Nsd, usage: str, group: str, pool: str, number: int, block_kb: int, metadata_kb: int | None = None
) -> Disk:
    """A disk that has been in use for long: 2 % maps, metadata where it may lie (an 800th of its size where nothing
    else is said), seven tenths full.
    """
    size = nsd.device.size_bytes // KB
    maps = size // 50 // block_kb * block_kb
    share = size // 800 if metadata_kb is None else metadata_kb
    metadata = share // block_kb * block_kb if usage == DATA_AND_METADATA else 0
    # A little less or more on each, so that no two rows are alike.
    data = (size * (7000 + number % 97) // 10000) // block_kb * block_kb
    fragments = (size - maps - metadata - data) % block_kb + 64 * (number % 50 + 1) * block_kb // 1024 * 16
    free = size - maps - metadata - data
    blocks = (free - fragments) // block_kb * block_kb
    return Disk(
        nsd=nsd,
        usage=usage,
        failure_group=group,
        pool=pool,
        disk_id=number,
        size_kb=size,
        maps_kb=maps,
        metadata_kb=metadata,
        data_kb=data if usage in (DATA_AND_METADATA, DATA_ONLY) else 0,
        fragments_kb=free - blocks,
        uid=f"{nsd.volume_id[:8]}{int(nsd.volume_id[8:], 16) + 3600:08X}",
    )
