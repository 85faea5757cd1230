"""Scenario `big`: as many hosts and disks as asked for, every disk with one server. It costs little to start."""

from __future__ import annotations

from simulator import building
from simulator.clock import moment
from simulator.cluster import Cluster
from simulator.dialects import DIALECTS
from simulator.hardware import KB, Device
from simulator.state import DATA_AND_METADATA, Disk, FileSystem, Inodes, Nsd

NAME = "big"
EPOCH = moment(2024, 11, 12, 8, 0)
HOSTS = 32
DISKS = 1024
MAX_HOSTS = 1024
MAX_DISKS = 100_000

_BLOCK_KB = 4096
_DISK_KB = 7814037168 // 2 // _BLOCK_KB * _BLOCK_KB


def _device(number: int, index: int, host: int) -> Device:
    return Device(
        building.sd_name(index),
        _DISK_KB * KB,
        True,
        "SEAGATE ",
        "ST4000NM0025    ",
        f"ZC1{number:09d}",
        f"0x5000c500{number:08x}",
        f"4:0:{index}:0",
        "sas",
        16 * index,
        firmware="TT31",
        enclosure=f"0x5000ccab04{host:06x}",
        slot=str(index),
    )


def build(hosts: int, disks: int) -> Cluster:
    """A cluster of that size. Raises ValueError for sizes beyond the bounds."""
    if not 1 <= hosts <= MAX_HOSTS:
        raise ValueError(f"the number of hosts must be between 1 and {MAX_HOSTS}")
    if not hosts <= disks <= MAX_DISKS:
        raise ValueError(f"the number of disks must be between the number of hosts ({hosts}) and {MAX_DISKS}")
    machines = {}
    for number in range(1, hosts + 1):
        name = f"s{number:04d}"
        address = f"10.20.{number >> 8}.{number & 255}"
        own = range(number, disks + 1, hosts)
        devices = [_device(disk, 2 + index, number) for index, disk in enumerate(own)]
        full = f"{name}.big.example.com"
        machines[name] = building.host(
            name, number, (full, full), address, devices, quorum=number <= 3, manager=number <= 3
        )
    nsds: dict[str, Nsd] = {}
    members: list[Disk] = []
    created = int(EPOCH) - 400 * 86400
    for number in range(1, disks + 1):
        host = machines[f"s{(number - 1) % hosts + 1:04d}"]
        device = host.devices[building.sd_name(2 + (number - 1) // hosts)]
        device.volume_id = f"{host.address_hex}{created + 2 * number:08X}"
        nsd = Nsd(f"d{number:06d}", device.volume_id, (host.name,), host.name, device)
        nsds[nsd.name] = nsd
        group = str((number - 1) % hosts + 1)
        members.append(building.used_disk(nsd, DATA_AND_METADATA, group, "system", number, _BLOCK_KB))
    names = list(machines)
    fs = FileSystem(
        name="big",
        disks=members,
        inodes=Inodes(used=1_900_000_000, allocated=2_000_000_000, maximum=3_000_000_000),
        block_kb=_BLOCK_KB,
        inode_bytes=4096,
        metadata_replicas=min(2, hosts),
        max_metadata_replicas=3,
        data_replicas=1,
        max_data_replicas=3,
        max_disk_size="64.00 TB",
        manager=names[0],
        created=EPOCH - 399 * 86400,
        inode_spaces=1,
        published_timeline=False,
        mount_point="/gpfs/big",
        mounted_on=names,
    )
    return Cluster(
        name="big.example.com",
        cluster_id="7251438851992140273",
        primary=names[0],
        secondary=names[-1],
        hosts=machines,
        nsds=nsds,
        fs=fs,
        last_volume_time=created + 2 * disks,
        dialect=DIALECTS["5.2"],
        config={"common": {"clusterName": "big.example.com", "pagepool": "16G", "pitWorkerThreadsPerNode": "16"}},
    )
