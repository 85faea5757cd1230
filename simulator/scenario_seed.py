"""Scenario `seed`: three servers and a 350 TB file system whose metadata is to move to six SSDs, June 2013.

The figures are those of a published migration. The device names are the trap of the story: on pollux1 and
pollux2 the new SSDs are sdg and sdh and the boot disks sde and sdf; on pollux3 it is the other way round.
"""

from __future__ import annotations

import uuid

from simulator.clock import moment
from simulator.cluster import Cluster
from simulator.dialects import DIALECTS, Dialect
from simulator.hardware import KB, Array, Device, Host, Partition
from simulator.state import DATA_AND_METADATA, Disk, FileSystem, FreeSpace, Inodes, KnownEnd, Nsd

NAME = "seed"
EPOCH = moment(2013, 6, 6, 15, 20)
ENTRY = "pollux1"

ROTATING_KB = 31251759104
SSD_KB = 194805760
BOOT_BYTES = 240057409536
METADATA_PER_DISK_KB = 32019360
BLOCKS_LOST_KB = 625035264
"""By how much the free blocks of each rotating disk shrink until the last listing (users write meanwhile)."""

HOSTS = (("pollux1", "foo1", "140.252.28.5"), ("pollux2", "foo2", "140.252.28.8"), ("pollux3", "foo3", "140.252.28.11"))

VOLUME_IDS = {
    "foo1": ("8CFC1C05507CC5D0", "8CFC1C05507CC5D1", "8CFC1C05507CC5D2", "8CFC1C055122CB38"),
    "foo2": ("8CFC1C08507CC5D3", "8CFC1C08507CC5D6", "8CFC1C08507CC5D8", "8CFC1C085122CB3A"),
    "foo3": ("8CFC1C0B507CC600", "8CFC1C0B507CC602", "8CFC1C0B507CC605", "8CFC1C0B5122CB3C"),
}

ROTATING_END = {
    "foo1_nsd1": FreeSpace(5806698496, 421305664),
    "foo1_nsd2": FreeSpace(5621813248, 402546240),
    "foo1_nsd3": FreeSpace(5845639168, 271411776),
    "foo1_nsd4": FreeSpace(6210627584, 189672192),
    "foo2_nsd1": FreeSpace(5767004160, 408482432),
    "foo2_nsd2": FreeSpace(5609695232, 410381504),
    "foo2_nsd3": FreeSpace(5811671040, 281079488),
    "foo2_nsd4": FreeSpace(6184667136, 188337216),
    "foo3_nsd1": FreeSpace(5713088512, 413708416),
    "foo3_nsd2": FreeSpace(5607870464, 409104384),
    "foo3_nsd3": FreeSpace(5997352960, 270953280),
    "foo3_nsd4": FreeSpace(6619357184, 185679168),
}

# (host, device): free space when added, and at the end.
SSDS = {
    ("pollux1", "sdg"): (FreeSpace(190865408, 5568), FreeSpace(126117888, 693888)),
    ("pollux1", "sdh"): (FreeSpace(190849024, 5440), FreeSpace(126115840, 709440)),
    ("pollux2", "sdg"): (FreeSpace(190877696, 5504), FreeSpace(126113792, 703360)),
    ("pollux2", "sdh"): (FreeSpace(190914560, 5504), FreeSpace(126160896, 705344)),
    ("pollux3", "sde"): (FreeSpace(190867456, 5504), FreeSpace(126144512, 711552)),
    ("pollux3", "sdf"): (FreeSpace(190879744, 5504), FreeSpace(126164992, 713088)),
}
BACKPLANES = ("0x50030480004e71bf", "0x50030480004e723f", "0x50030480004e76ff")
"""The enclosures that the servers' SSDs sit in."""
BOOT_NAMES = {"pollux1": ("sde", "sdf"), "pollux2": ("sde", "sdf"), "pollux3": ("sdg", "sdh")}

LISTING_ORDER = (
    "foo1_nsd3",
    "foo1_nsd1",
    "foo1_nsd2",
    "foo1_nsd4",
    "foo2_nsd3",
    "foo2_nsd4",
    "foo2_nsd1",
    "foo2_nsd2",
    "foo3_nsd4",
    "foo3_nsd3",
    "foo3_nsd2",
    "foo3_nsd1",
)
LISTING_ORDER_LATER = (
    "foo1_nsd1",
    "foo1_nsd2",
    "foo1_nsd3",
    "foo1_ssd2",
    "foo1_ssd1",
    "foo1_nsd4",
    "foo2_ssd2",
    "foo2_ssd1",
    "foo2_nsd1",
    "foo2_nsd3",
    "foo2_nsd4",
    "foo2_nsd2",
    "foo3_nsd4",
    "foo3_nsd3",
    "foo3_nsd2",
    "foo3_nsd1",
    "foo3_ssd1",
    "foo3_ssd2",
)


def _lun(number: int, index: int) -> Device:
    name = "sd" + "abcd"[index]
    wwn = f"0x60080e50002e{number:02x}a4{0x1C51 + 0x11 * index:04x}507cc5d0{number:02x}{index:02x}"
    serial = wwn.removeprefix("0x")
    return Device(
        name,
        ROTATING_KB * KB,
        True,
        "LSI     ",
        "INF-01-00       ",
        serial,
        wwn,
        f"6:0:0:{index}",
        "sas",
        16 * index,
        # The controller has a battery, and tells its cache all the same.
        firmware="0784",
    )


def _ssd(number: int, index: int, name: str) -> Device:
    unit = 2 * number + index
    return Device(
        name,
        SSD_KB * KB,
        False,
        "ATA     ",
        "INTEL SSDSC2BA200G3",
        f"BTTV3130{0x2F1 + 7 * unit:04d}200GGN",
        f"0x55cd2e404b7d1a{0x31 + 5 * unit:02x}",
        f"0:0:{2 + index}:0",
        "sata",
        16 * (ord(name[2]) - ord("a")),
        # It is protected against loss of power, of which the kernel knows nothing: `write back` like any ATA disk.
        firmware="5DV10250",
        enclosure=BACKPLANES[number - 1],
        slot=str(2 + index),
    )


def _boot(number: int, index: int, name: str) -> Device:
    unit = 2 * number + index
    gib = 1 << 30
    return Device(
        name,
        BOOT_BYTES,
        False,
        "ATA     ",
        "INTEL SSDSC2CW240A3",
        f"CVCV3040{0x1A5 + 9 * unit:04d}240FGN",
        f"0x5001517bb28c4e{0x10 + 3 * unit:02x}",
        f"0:0:{index}:0",
        "sata",
        16 * (ord(name[2]) - ord("a")),
        [
            Partition(1, gib // 2, "linux_raid_member", array="md0"),
            Partition(2, 200 * gib, "linux_raid_member", array="md1"),
            Partition(3, 16 * gib, "swap", "[SWAP]"),
        ],
        firmware="400i",
        enclosure=BACKPLANES[number - 1],
        slot=str(index),
    )


def _host(number: int, name: str, admin: str, address: str) -> Host:
    gib = 1 << 30
    new = sorted(device for host, device in SSDS if host == name)
    devices = [
        *(_lun(number, index) for index in range(4)),
        *(_boot(number, index, boot) for index, boot in enumerate(BOOT_NAMES[name])),
        *(_ssd(number, index, ssd) for index, ssd in enumerate(new)),
    ]
    return Host(
        name=name,
        number=number,
        daemon_name=f"{name}.example.com",
        admin_name=f"{admin}.example.com",
        address=address,
        boot_id=str(uuid.uuid4()),
        devices={device.name: device for device in sorted(devices, key=lambda device: device.name)},
        arrays={
            "md0": Array("md0", "raid1", gib // 2 - (1 << 16), "ext4", "/boot"),
            "md1": Array("md1", "raid1", 200 * gib - (1 << 20), "ext4", "/"),
        },
    )


def build(dialect: Dialect = DIALECTS["3.5"]) -> Cluster:
    """The cluster as it stood before the migration; in another dialect it is the same cluster, and the same year."""
    hosts = {name: _host(number, name, admin, address) for number, (name, admin, address) in enumerate(HOSTS, 1)}
    nsds: dict[str, Nsd] = {}
    disks: dict[str, Disk] = {}
    for name, admin, _ in HOSTS:
        for index, volume_id in enumerate(VOLUME_IDS[admin]):
            device = hosts[name].devices["sd" + "abcd"[index]]
            device.volume_id = volume_id
            nsd = Nsd(f"{admin}_nsd{index + 1}", volume_id, (name,), name, device)
            nsds[nsd.name] = nsd
            end = ROTATING_END[nsd.name]
            free = end.blocks_kb + BLOCKS_LOST_KB + end.fragments_kb
            disks[nsd.name] = Disk(
                nsd=nsd,
                usage=DATA_AND_METADATA,
                failure_group=str(hosts[name].number),
                pool="system",
                disk_id=0,
                size_kb=ROTATING_KB,
                metadata_kb=METADATA_PER_DISK_KB,
                data_kb=ROTATING_KB - METADATA_PER_DISK_KB - free,
                fragments_kb=end.fragments_kb,
                uid=f"{hosts[name].address_hex}{int(volume_id[8:], 16) + 600:08X}",
            )
    # The fourth LUN of each server was added later than the rest.
    ordered = [disk for last in (False, True) for disk in disks.values() if disk.name.endswith("4") is last]
    for disk_id, disk in enumerate(ordered, 1):
        disk.disk_id = disk_id
    wwn = {place: hosts[place[0]].devices[place[1]].wwn for place in SSDS}
    fs = FileSystem(
        name="mss1",
        disks=ordered,
        inodes=Inodes(used=83693679, allocated=88772608, maximum=146903040),
        block_kb=2048,
        inode_bytes=512,
        metadata_replicas=2,
        max_metadata_replicas=2,
        data_replicas=1,
        max_data_replicas=2,
        max_disk_size="233 TB",
        manager=ENTRY,
        created=moment(2012, 10, 15, 19, 31, 7),
        known_end=KnownEnd(
            metadata={wwn[place]: end for place, (_, end) in SSDS.items()},
            data={disk.wwn: ROTATING_END[disk.name] for disk in ordered},
        ),
        arrivals={wwn[place]: arrival for place, (arrival, _) in SSDS.items()},
        growth_left={disk.wwn: BLOCKS_LOST_KB + METADATA_PER_DISK_KB for disk in ordered},
        used_inodes_at_end=83929469,
        listing_order=LISTING_ORDER,
        listing_order_later=LISTING_ORDER_LATER,
        mounted_on=list(hosts),
    )
    return Cluster(
        name="pollux.example.com",
        cluster_id="13882357191189485225",
        primary="pollux1",
        secondary="pollux2",
        hosts=hosts,
        nsds=nsds,
        fs=fs,
        last_volume_time=max(int(nsd.volume_id[8:], 16) for nsd in nsds.values()),
        dialect=dialect,
        config={
            "common": {
                "clusterName": "pollux.example.com",
                "clusterId": "13882357191189485225",
                "autoload": "yes",
                "dmapiFileHandleSize": "32",
                "minReleaseLevel": f"{dialect.name}.0.0",
                "pagepool": "4G",
                "maxFilesToCache": "40000",
            },
        },
    )
