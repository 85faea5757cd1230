"""Three servers whose devices are like the seed's: on the third the new SSDs are sde and sdf, and sdg a boot disk.

Everything that hosts tell of their devices is here as models: lsblk, sysfs, contents, mmlsnsd -X.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from remote.events import Header
from remote.gpfs.models import Cluster, ClusterNode, Discovery, NsdDevice, NsdDevices
from remote.linux.inventory import BlockNode, Content, Contents, Inventory, ReadState
from remote.linux.models import BlockDevice, BlockDevices
from remote.parsed import Parsed
from supervision.facts import Fact
from supervision.gpfs import GpfsFileSystem
from supervision.state import State
from tests.supervision import gpfs_states as made

FS = "mss1"
HOSTS = ("pollux1", "pollux2", "pollux3")
NOW = 1_370_520_000.0
GIB = 1 << 30
SSD, BOOT, HDD = 200_049_647_616, 240_057_409_536, 32_006_335_102_976
NSD_MADE = 0x507CC5D0
"""A second in 2012."""


class Disk(msgspec.Struct, frozen=True):
    """A disk in a host: `what` is ssd, boot, hdd or anything else; `serial` is what it is known by."""

    serial: str
    what: str
    nsd: str = ""


def wwn(serial: str) -> str:
    """A WWN for a serial number, always the same one."""
    return f"5{sum(ord(letter) * 131**place for place, letter in enumerate(serial)) % (1 << 60):015x}"


def volume_id(nsd: str) -> str:
    """The volume id of `foo2_nsd1`: made by the second server, in a second of its own."""
    return f"0A00000{nsd[3]}{NSD_MADE + int(nsd[-1]) - 1:08X}"


def disks_of(number: int) -> list[Disk]:
    """The disks of one server in the order of their slots."""
    hdds = [Disk(f"H{number}{slot}", "hdd", f"foo{number}_nsd{slot}") for slot in (1, 2)]
    ssds = [Disk(f"BTWA{number}0{slot}", "ssd") for slot in (1, 2)]
    return [*hdds, *ssds, *(Disk(f"BOOT{number}{slot}", "boot") for slot in (1, 2))]


NAMES = {
    "pollux1": ("sda", "sdb", "sdg", "sdh", "sde", "sdf"),
    "pollux2": ("sda", "sdb", "sdg", "sdh", "sde", "sdf"),
    "pollux3": ("sda", "sdb", "sde", "sdf", "sdg", "sdh"),
}
"""What the disks of `disks_of` are called."""


def blocks_of(disks: Sequence[Disk], names: Sequence[str]) -> BlockDevices:
    """lsblk, in the order of the names."""
    found: list[BlockDevice] = []
    for disk, name in sorted(zip(disks, names, strict=True), key=lambda each: each[1]):
        size, rotating = {"ssd": (SSD, False), "boot": (BOOT, False)}.get(disk.what, (HDD, True))
        model = {"ssd": "INTEL SSDSC2BA20", "boot": "INTEL SSDSC2CW24"}.get(disk.what, "MR9271-8i")
        told = {"size_bytes": size, "rotational": rotating, "model": model, "vendor": "ATA"}
        whole = made.block(name, disk.serial, wwn=f"0x{wwn(disk.serial)}", **told)
        found.append(whole)
        if disk.what == "boot":
            part = made.block(
                f"{name}1", type="part", parents=(name,), fstype="ext4", mountpoint="/", model="", vendor=""
            )
            found.append(part)
    return BlockDevices(tuple(found))


def inventory_of(disks: Sequence[Disk], names: Sequence[str], boot_id: str) -> Inventory:
    """What sysfs tells."""
    nodes = tuple(
        BlockNode(
            name,
            wwid=f"naa.{wwn(disk.serial)}",
            firmware="5DV12270",
            slot=str(slot),
            write_cache="write through",
            links=(f"by-id/wwn-0x{wwn(disk.serial)}",),
        )
        for slot, (disk, name) in enumerate(zip(disks, names, strict=True), 1)
    )
    return Inventory(boot_id, nodes, nsddevices="")


def contents_of(disks: Sequence[Disk], names: Sequence[str], changed: Mapping[str, Content]) -> Contents:
    """What lies on the disks: nothing on the SSDs, the id of the NSD on the old ones. `changed` is by serial."""
    found = []
    for disk, name in zip(disks, names, strict=True):
        held = changed.get(disk.serial)
        sector = volume_id(disk.nsd).lower() if disk.nsd else ""
        plain = Content(name, ReadState.READ, nonzero=40 if sector else 0, sector2=sector)
        found.append(msgspec.structs.replace(held, kname=name) if held else plain)
    return Contents(tuple(found))


def facts(
    names: Mapping[str, Sequence[str]] = NAMES,
    *,
    boots: Mapping[str, str] | None = None,
    changed: Mapping[str, Content] | None = None,
    read: bool = True,
    groups: Mapping[str, str] | None = None,
    at: float = NOW,
) -> dict[str, Fact]:
    """The facts of the three servers; without `read` nobody has asked what lies on the disks."""
    nodes, rows, disks = [], [], []
    told: dict[str, Any] = {}
    for number, host in enumerate(HOSTS, 1):
        mine = disks_of(number)
        node = f"{host}.example.com"
        nodes.append(ClusterNode(number, node, f"10.0.0.{number}", f"foo{number}.example.com", "quorum-manager"))
        for disk, name in zip(mine, names[host], strict=True):
            if disk.nsd:
                rows.append(NsdDevice(disk.nsd, volume_id(disk.nsd), f"/dev/{name}", "generic", node, "server node"))
                disks.append(made.disk(disk.nsd, (groups or {}).get(disk.nsd, str(number))))
        told[f"devices {host}"] = blocks_of(mine, names[host])
        told[f"discovery {host}"] = Discovery(tuple((name, "generic") for name in names[host]))
        if read:
            boot = (boots or {}).get(host, f"boot-{host}-1")
            told[f"inventory {host}"] = inventory_of(mine, names[host], boot)
            told[f"contents {host}"] = contents_of(mine, names[host], changed or {})
    told["cluster"] = Cluster("c", "1", "c", "ssh", "scp", "", "", "", tuple(nodes))
    told["nsd devices"] = NsdDevices(tuple(rows))
    told[f"disks {FS}"] = made.disk_list(*disks)
    return {key: Fact(key, key.rpartition(" ")[2], f"ask {key}", at, 1.0, Parsed(model)) for key, model in told.items()}


def state(told: Mapping[str, Fact], *, at: float = NOW) -> State:
    """A state of these facts."""
    return State(Header(1, "0", NOW, 0.0, FS, HOSTS, HOSTS[0]), at=at, facts=dict(told))


def file_system() -> GpfsFileSystem:
    """The file system of these servers."""
    return GpfsFileSystem(FS, HOSTS[0], HOSTS)
