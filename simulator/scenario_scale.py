"""Scenario `scale`: a grown cluster. Four enclosures with two servers each, 128 NSDs behind multipath, and its people.

The traps: a LUN is one disk although it has four names on two hosts, which differ from host to host and from boot to
boot; an enclosure, not a host, is the point of failure; daemon names are others than admin names; only one node may
run mm commands; some clients are dead; one node serves protocols; another cluster mounts the file system; more than
three nodes exceed the limit of worker threads; there are snapshots and limits of QoS.
"""

from __future__ import annotations

from simulator import building
from simulator.clock import moment
from simulator.cluster import Cluster
from simulator.dialects import Dialect
from simulator.discovery import MAPS_ONLY
from simulator.hardware import KB, Device, Host, Path
from simulator.state import DATA_AND_METADATA, DATA_ONLY, Disk, FileSystem, Inodes, Nsd, Qos, Snapshot

NAME = "scale"
EPOCH = moment(2024, 11, 12, 8, 0)
ENTRY = "adm01"
DEAD = ("cl03", "cl07", "cl11")
"""Clients whose daemon is down."""

ENCLOSURES = 4
DISKS = 128
"""NSDs, as many in each enclosure, a quarter of them for data alone; another number may be chosen."""
NEW_SSDS = 4
"""SSDs in each enclosure that are no NSDs yet."""
CLIENTS = 12

_BLOCK_KB = 4096
_LUN_KB = 14_000_000_000 // _BLOCK_KB * _BLOCK_KB
_METADATA_KB = 4_300_000_000
"""Inodes of 4 KB take 3,296,000,000 of it, in two copies."""
_SSD_KB = 3_000_000_000 // _BLOCK_KB * _BLOCK_KB


def _wwn(enclosure: int, lun: int) -> str:
    # The first 16 digits are those of the array: old tools show no more and take all of its LUNs for one.
    return f"0x60050763808{enclosure:x}046dd8{lun:014x}"


def _map(enclosure: int, side: int, lun: int, luns: int) -> Device:
    """LUN `lun` (the first `luns` are NSDs) as the server on that side sees it: two paths and a map over them."""
    count = luns + NEW_SSDS
    # The second server finds the LUNs in another order.
    place = lun if side == 0 else (lun * 5 + 7) % count
    ssd = lun >= luns
    wwn = _wwn(enclosure, lun)
    paths = [
        Path(building.sd_name(2 + place + count * path), f"{8 + path}:0:{path}:{lun}", 16 * (2 + place + count * path))
        for path in range(2)
    ]
    return Device(
        f"dm-{place}",
        (_SSD_KB if ssd else _LUN_KB) * KB,
        not ssd,
        "IBM     ",
        "FlashSystem-9840" if ssd else "2145            ",
        wwn.removeprefix("0x"),
        wwn,
        "",
        "sas" if ssd else "fc",
        place,
        alias=f"mpath{building.sd_name(place).removeprefix('sd')}",
        paths=paths,
        firmware="1430" if ssd else "0000",
        # Arrays with a mirrored cache say that nothing has to be flushed.
        write_cache="write through",
    )


def _names(name: str) -> tuple[str, str]:
    return f"{name}-ib.scale.example.com", f"{name}.scale.example.com"


def _hosts(luns: int) -> dict[str, Host]:
    hosts: dict[str, Host] = {}

    def add(name: str, address: int, devices: list[Device], roles: tuple[str, ...] = (), **more: bool) -> None:
        number = len(hosts) + 1
        hosts[name] = building.host(
            name, number, _names(name), f"10.30.0.{address}", devices, other_roles=roles, **more
        )
        # Where there are maps, only they are for GPFS.
        hosts[name].nsddevices = MAPS_ONLY if devices else None

    add(ENTRY, 5, [], ("perfmon",), quorum=True, manager=True)
    for server in range(2 * ENCLOSURES):
        enclosure, side = divmod(server, 2)
        devices = [_map(enclosure, side, lun, luns) for lun in range(luns + NEW_SSDS)]
        devices.sort(key=lambda device: device.minor)
        add(f"nsd{server + 1:02d}", 11 + server, devices, ("perfmon",), quorum=server in (0, 2), manager=True)
    add("ces01", 31, [], ("perfmon", "ces"))
    for client in range(CLIENTS):
        add(f"cl{client + 1:02d}", 101 + client, [])
    return hosts


def build(dialect: Dialect, disks: int = DISKS) -> Cluster:
    """The cluster, in the words of a release. Raises ValueError for a number of disks that it cannot have."""
    luns, rest = divmod(disks, ENCLOSURES)
    if rest or not 4 <= luns <= DISKS // ENCLOSURES or (luns + NEW_SSDS) % 5 == 0:
        raise ValueError(f"{NAME} cannot have {disks} disks: take 32, 64, 96 or {DISKS}")
    hosts = _hosts(luns)
    share = _METADATA_KB // (ENCLOSURES * (luns - luns // 4))
    nsds: dict[str, Nsd] = {}
    used: list[Disk] = []
    created = int(EPOCH) - 900 * 86400
    for enclosure in range(ENCLOSURES):
        pair = (f"nsd{2 * enclosure + 1:02d}", f"nsd{2 * enclosure + 2:02d}")
        for lun in range(luns):
            servers = pair if lun % 2 == 0 else pair[::-1]
            volume_id = f"{hosts[servers[0]].address_hex}{created + 100 * enclosure + 3 * lun:08X}"
            seen = {}
            for name in pair:
                device = next(each for each in hosts[name].devices.values() if each.wwn == _wwn(enclosure, lun))
                hosts[name].overwrite(device, volume_id, partition=dialect.at_least(4, 1))
                seen[name] = device
            nsd = Nsd(f"e{enclosure + 1}_lun{lun + 1:02d}", volume_id, servers, servers[0], seen[servers[0]])
            nsds[nsd.name] = nsd
            capacity = lun >= luns - luns // 4
            usage, pool = (DATA_ONLY, "capacity") if capacity else (DATA_AND_METADATA, "system")
            used.append(building.used_disk(nsd, usage, str(enclosure + 1), pool, len(used) + 1, _BLOCK_KB, share))
    up = [name for name in hosts if name not in DEAD]
    fs = FileSystem(
        name="proj",
        disks=used,
        inodes=Inodes(used=401_223_344, allocated=412_000_000, maximum=600_000_000),
        block_kb=_BLOCK_KB,
        inode_bytes=4096,
        metadata_replicas=2,
        max_metadata_replicas=3,
        data_replicas=1,
        max_data_replicas=3,
        max_disk_size="122.00 TB",
        manager="nsd03",
        created=EPOCH - 899 * 86400,
        inode_spaces=3,
        published_timeline=False,
        snapshots=[
            Snapshot(
                f"daily-{10 + day}", 7 + day, EPOCH - (3 - day) * 86400, "Valid", 900_000_000 + day, 40_000_000 + day
            )
            for day in range(3)
        ],
        qos=Qos(True, {"system": {"maintenance": "2000IOPS", "other": "unlimited"}}),
        mount_point="/gpfs/proj",
        mounted_on=up,
        remote_mounts=[(f"10.40.0.{node}", f"hpc{node:02d}", "hpc.example.org") for node in range(1, 7)],
    )
    section = ",".join(name for name in hosts if name.startswith("nsd"))
    return Cluster(
        name="scale.example.com",
        cluster_id="2936932203756487754",
        primary=ENTRY,
        secondary="nsd01",
        hosts=hosts,
        nsds=nsds,
        fs=fs,
        last_volume_time=created + 100 * ENCLOSURES,
        dialect=dialect,
        admins=frozenset({ENTRY}),
        config={
            "common": {
                "clusterName": "scale.example.com",
                "clusterId": "2936932203756487754",
                "minReleaseLevel": f"{dialect.name}.1.0",
                "pitWorkerThreadsPerNode": "8",
                "maxblocksize": "4M",
                "tiebreakerDisks": "e1_lun01;e2_lun01;e3_lun01",
            },
            section: {"pagepool": "64G"},
            "ces01": {"pagepool": "32G"},
        },
        tiebreakers=("e1_lun01", "e2_lun01", "e3_lun01"),
        ces_addresses={"ces01": ("10.30.1.31",)},
    )
