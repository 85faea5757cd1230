"""Block devices as `lsblk` tells them, as frozen values.

What `lsblk` does not show is not proof of an empty disk: an NSD of GPFS 3.5 or older has no partition table
and no signature that blkid knows, and without a udev database signatures are missing altogether.
"""

from __future__ import annotations

import msgspec


class BlockDevice(msgspec.Struct, frozen=True, gc=False):
    """One block device. `kname` is its key; `parents` are the knames it lies on (a multipath map has one
    per path).

    Sizes are in bytes. Text is "" and the optional values are None where `lsblk` prints nothing.
    `rotational` is the kernel's guess, often wrong behind RAID controllers. `read_only` is True unless
    `lsblk` says 0. `parttype` is the type of a partition in lower case, which the oldest `lsblk` does not tell.
    """

    name: str
    kname: str
    parents: tuple[str, ...]
    type: str
    size_bytes: int
    rotational: bool | None
    read_only: bool
    transport: str
    vendor: str
    model: str
    serial: str
    wwn: str
    hctl: str
    fstype: str
    mountpoint: str
    label: str
    partlabel: str
    logical_sector: int | None
    physical_sector: int | None
    state: str
    parttype: str = ""

    @property
    def identity(self) -> str:
        """What names this device on every host and after every boot; "" when it tells nothing of the kind.

        `wwn:` and the WWN in lower case without `0x` (an NVMe `eui.` stays); else vendor, model and serial
        joined by `+`, as far as they are there. Not unique by itself: the paths of one disk share it, a
        partition has its disk's, and the oldest `lsblk` cuts WWNs at 16 digits, which LUNs of one array may
        have in common. So compare the size too, and refuse when several whole disks of a host answer.
        """
        if self.wwn:
            return "wwn:" + self.wwn.lower().removeprefix("0x")
        if not self.serial:
            return ""
        return "+".join(part for part in (self.vendor, self.model, self.serial) if part)


class BlockDevices(msgspec.Struct, frozen=True):
    """The block devices of one host, each kname once, in the order of its first row."""

    devices: tuple[BlockDevice, ...]

    def get(self, kname: str) -> BlockDevice | None:
        """The device of that kernel name."""
        return next((device for device in self.devices if device.kname == kname), None)

    def children(self, kname: str) -> tuple[BlockDevice, ...]:
        """What lies directly on a device: its partitions and whatever else holds it."""
        return tuple(device for device in self.devices if kname in device.parents)

    def disks(self) -> tuple[BlockDevice, ...]:
        """The whole disks, each path of a multipath disk being one."""
        return tuple(device for device in self.devices if device.type == "disk")
