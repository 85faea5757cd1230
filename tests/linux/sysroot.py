"""A storage server that is not there: a tree with the /sys, /dev, /proc and /run/udev of one, as the kernel makes them.

Its devices are regular files; a path of a multipath map is a FIFO, so that whoever opens one hangs.
"""

from __future__ import annotations

import os
import struct
import uuid
import zlib
from collections.abc import Iterator
from pathlib import Path

SSD_SECTORS = 781422768
HDD_SECTORS = 23437770752
MIB = 1 << 20
GPFS = "37affc90-ef7d-4e96-91c3-2d7ae055b174"
LINUX = "0fc63daf-8483-4772-8e79-3d69d8477de4"
VOLUME_ID = bytes.fromhex("0a460501539a68bc")
NSDDEVICES = b"echo dm-0 dmm\nreturn 0\n"


class Sysroot:
    """The tree, and what is written into it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.env = {"RESTRIPE_SYSROOT": str(directory)}
        for below in ("dev/mapper", "sys/block", "sys/dev/block", "sys/class/block", "proc/self", "run/udev/data"):
            (directory / below).mkdir(parents=True)

    def write(self, path: str, content: str | bytes) -> Path:
        """A file; text gets the end of line that the kernel writes."""
        file = self.directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else f"{content}\n".encode())
        return file

    def link(self, path: str, target: str) -> None:
        """A relative link from one path of the tree to another."""
        link = self.directory / path
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(os.path.relpath(self.directory / target, link.parent))

    def block(self, home: str, kname: str, number: str, sectors: int, *, rotational: bool = False) -> str:
        """A whole device whose directory lies below `home`; returns the directory."""
        at = f"{home}/{kname}"
        for name, text in {
            "dev": number,
            "size": str(sectors),
            "ro": "0",
            "removable": "0",
            "hidden": "0",
            "queue/rotational": str(int(rotational)),
            "queue/logical_block_size": "512",
            "queue/physical_block_size": "4096",
            "queue/write_cache": "write back" if rotational else "write through",
        }.items():
            self.write(f"{at}/{name}", text)
        for below in ("holders", "slaves"):
            (self.directory / at / below).mkdir()
        self.link(f"sys/block/{kname}", at)
        self._class(at, kname, number)
        return at

    def part(self, at: str, kname: str, number: str, sectors: int) -> str:
        """A partition of the device at that directory."""
        below = f"{at}/{kname}"
        for name, text in {"dev": number, "size": str(sectors), "partition": "1", "start": "2048", "ro": "0"}.items():
            self.write(f"{below}/{name}", text)
        (self.directory / below / "holders").mkdir()
        self._class(below, kname, number)
        return below

    def _class(self, at: str, kname: str, number: str) -> None:
        major, _, minor = number.partition(":")
        self.write(f"{at}/uevent", f"MAJOR={major}\nMINOR={minor}\nDEVNAME={kname}")
        self.link(f"sys/dev/block/{number}", at)
        self.link(f"sys/class/block/{kname}", at)
        self.link(f"{at}/subsystem", "sys/class/block")

    def scsi(self, kname: str, minor: int, hctl: str, sectors: int, names: tuple[str, str, str, str]) -> str:
        """A SCSI disk; `names` are vendor, model, revision and WWN in hex."""
        vendor, model, revision, wwn = names
        target = f"sys/devices/pci0000:80/0000:81:00.0/host{hctl[0]}/target{hctl.rpartition(':')[0]}/{hctl}"
        self.write(f"{target}/vendor", vendor.ljust(8))
        self.write(f"{target}/model", model.ljust(16))
        self.write(f"{target}/rev", revision)
        self.write(f"{target}/state", "running")
        self.write(f"{target}/type", "0")
        self.write(f"{target}/wwid", f"naa.{wwn}")
        self.write(f"{target}/vpd_pg80", b"\0\x80\0\x14" + f"SN-{wwn[-8:]}".rjust(20).encode())
        at = self.block(f"{target}/block", kname, f"8:{minor}", sectors, rotational=sectors == HDD_SECTORS)
        (self.directory / at / "device").symlink_to(f"../../../{hctl}")
        self.link(f"dev/disk/by-id/wwn-0x{wwn}-{kname}", f"dev/{kname}")
        return at

    def dm(self, number: int, name: str, dm_uuid: str, sectors: int, *below: str) -> str:
        """A device of the device mapper over the directories of others."""
        kname = f"dm-{number}"
        at = self.block("sys/devices/virtual/block", kname, f"253:{number}", sectors)
        self.write(f"{at}/dm/name", name)
        self.write(f"{at}/dm/uuid", dm_uuid)
        for each in below:
            self.link(f"{at}/slaves/{each.rpartition('/')[2]}", each)
            self.link(f"{each}/holders/{kname}", at)
        self.link(f"dev/mapper/{name}", f"dev/{kname}")
        return at

    def image(self, kname: str, *pieces: tuple[int, bytes], size: int = 4 * MIB) -> Path:
        """What the device holds: zeros, and bytes at some places."""
        file = self.directory / "dev" / kname
        write_image(file, *pieces, size=size)
        return file

    def fifo(self, kname: str) -> Path:
        """A device that hangs whoever opens it for reading."""
        file = self.directory / "dev" / kname
        os.mkfifo(file)
        return file

    def state(self) -> dict[str, tuple[int, int, bytes]]:
        """Every regular file of the tree: when it was last written, when its inode was, and what it holds."""
        return {
            str(path): (path.stat().st_mtime_ns, path.stat().st_ctime_ns, path.read_bytes()) for path in self.files()
        }

    def files(self) -> Iterator[Path]:
        """The regular files of the tree."""
        return (path for path in sorted(self.directory.rglob("*")) if path.is_file() and not path.is_symlink())


def write_image(file: Path, *pieces: tuple[int, bytes], size: int = 4 * MIB) -> None:
    """A file of zeros with bytes at some places."""
    with file.open("wb") as out:
        out.truncate(size)
        for at, data in pieces:
            out.seek(at)
            out.write(data)


def gpt(kind: str, size: int = 4 * MIB) -> tuple[tuple[int, bytes], ...]:
    """A partition table with one entry of that type, as pieces of an image."""
    sectors = size // 512
    number = uuid.UUID("02836feb-f068-4eac-9c75-ce5293f65d02")
    entry = uuid.UUID(kind).bytes_le + number.bytes_le + struct.pack("<QQQ", 2048, sectors - 2048, 0)
    entries = (entry + "GPFS:".encode("utf-16le")).ljust(128 * 128, b"\0")

    def header(own: int, other: int, table: int) -> bytes:
        head = struct.pack(
            "<8sIIIIQQQQ16sQIII",
            b"EFI PART",
            0x10000,
            92,
            0,
            0,
            own,
            other,
            34,
            sectors - 34,
            number.bytes_le,
            table,
            128,
            128,
            zlib.crc32(entries),
        )
        return head[:16] + struct.pack("<I", zlib.crc32(head)) + head[20:]

    protective = struct.pack("<B3sB3sII", 0, b"\0\2\0", 0xEE, b"\xff\xff\xff", 1, sectors - 1)
    return (
        (446, protective),
        (510, b"\x55\xaa"),
        (512, header(1, sectors - 1, 2)),
        (1024, entries),
        ((sectors - 33) * 512, entries),
        ((sectors - 1) * 512, header(sectors - 1, 1, sectors - 33)),
    )


def lvm_member() -> tuple[int, bytes]:
    """The label of a physical volume, as a piece of an image."""
    tail = struct.pack("<I8s32s", 32, b"LVM2 001", b"0123456789abcdef0123456789abcdef").ljust(492, b"\0")
    crc = zlib.crc32(tail, 0xF597A6CF ^ 0xFFFFFFFF) ^ 0xFFFFFFFF
    return 512, struct.pack("<8sQI", b"LABELONE", 1, crc) + tail


def nsd_server(directory: Path) -> Sysroot:
    """A boot disk, two SSDs with two paths each (an old NSD and a new one), an empty HDD in an enclosure and NVMe."""
    tree = Sysroot(directory)
    boot = tree.scsi("sda", 0, "0:0:0:0", 468862128, ("ATA", "INTEL SSDSC2BB24", "0370", "55cd2e404b4c8a3f"))
    root = tree.part(boot, "sda1", "8:1", 468860000)
    tree.dm(9, "vg-swap", "LVM-abc", 8388608, root)
    tree.image("sda", *gpt(LINUX))
    ssd = ("HGST", "HUSMM1640ASS204", "A204")
    paths = [
        tree.scsi(kname, minor, hctl, SSD_SECTORS, (*ssd, f"5000cca0a100000{disk}"))
        for kname, minor, hctl, disk in (
            ("sdb", 16, "1:0:0:0", 1),
            ("sdc", 32, "1:0:1:0", 2),
            ("sdd", 48, "2:0:0:0", 1),
            ("sde", 64, "2:0:1:0", 2),
        )
    ]
    for kname in ("sdb", "sdc", "sdd", "sde"):
        tree.fifo(kname)
    tree.dm(0, "mpatha", "mpath-35000cca0a1000001", SSD_SECTORS, paths[0], paths[2])
    new = tree.dm(1, "mpathb", "mpath-35000cca0a1000002", SSD_SECTORS, paths[1], paths[3])
    tree.dm(2, "mpathb1", "part1-mpath-35000cca0a1000002", SSD_SECTORS - 4096, new)
    tree.image("dm-0", (1024, VOLUME_ID))
    tree.image("dm-1", *gpt(GPFS))
    hdd = tree.scsi("sdf", 80, "1:0:2:0", HDD_SECTORS, ("SEAGATE", "ST12000NM0027", "E004", "5000c500a7b2c3d7"))
    shelf = "sys/devices/pci0000:80/0000:81:00.0/host1/1:0:9:0/enclosure/1:0:9:0"
    tree.write(f"{shelf}/id", "0x500093d001be0000")
    tree.write(f"{shelf}/Slot 07/slot", "7")
    tree.link(f"{hdd.partition('/block/')[0]}/enclosure_device:Slot 07", f"{shelf}/Slot 07")
    tree.image("sdf")
    nvme = "sys/devices/pci0000:00/0000:00:03.1/0000:04:00.0/nvme/nvme0"
    for name, text in {"model": "INTEL SSDPEDMD400G4".ljust(40), "serial": "CVFT45", "firmware_rev": "8DV1"}.items():
        tree.write(f"{nvme}/{name}", text)
    card = tree.block(nvme, "nvme0n1", "259:0", SSD_SECTORS)
    tree.link(f"{card}/device", nvme)
    tree.write(f"{card}/wwid", "eui.01000000000000005cd2e4d1a2b34f51")
    tree.write("sys/bus/pci/slots/12/address", "0000:04:00")
    tree.image("nvme0n1")
    tree.write("proc/sys/kernel/random/boot_id", "6a3f2c1e-0000-4000-8000-000000000001")
    tree.write(
        "proc/self/mountinfo",
        "22 1 0:21 / /proc rw - proc proc rw\n25 1 8:1 / / rw,relatime shared:1 - xfs /dev/sda1 rw\n"
        "40 25 0:44 / /gpfs/my\\040data rw shared:9 master:2 - gpfs /dev/mss1 rw,dev=mss1",
    )
    tree.write("proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n/dev/dm-9\tpartition\t4194300\t0\t-2")
    tree.write("var/mmfs/etc/nsddevices", NSDDEVICES)
    return tree
