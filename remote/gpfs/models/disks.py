"""Disks and NSDs: `mmlsdisk`, `mmlsnsd` and the volume id."""

from __future__ import annotations

import ipaddress
import re
from enum import Enum

import msgspec

from remote.gpfs import unconfirmed

_VOLUME_ID = re.compile(r"[0-9A-Fa-f]{16}\Z")


class Usage(Enum):
    """What a disk may hold, in the words of stanza files."""

    DATA_AND_METADATA = "dataAndMetadata"
    METADATA_ONLY = "metadataOnly"
    DATA_ONLY = "dataOnly"
    DESC_ONLY = "descOnly"
    LOCAL_CACHE = "localCache"
    """Only in stanza files: `mmlsdisk` shows no such disk, or one that holds neither."""

    @classmethod
    def holding(cls, *, metadata: bool, data: bool) -> Usage:
        """The usage behind the two columns `holds metadata` and `holds data`; `No No` is descOnly."""
        if metadata:
            return cls.DATA_AND_METADATA if data else cls.METADATA_ONLY
        return cls.DATA_ONLY if data else cls.DESC_ONLY


class Disk(msgspec.Struct, frozen=True, gc=False):
    """One row of `mmlsdisk`.

    `sector_size` is in bytes. `status` may have several words (`to be emptied`). `disk_id` and `remarks`
    (`desc` marks a disk with a file system descriptor) are printed only with `-L` and `-Y`; `size_kb` and
    `disk_uid` only with `-Y`. The disk uid is not the volume id of `mmlsnsd`. `io_node` is the node that does the
    I/O to it, told with `-M -Y` alone.
    """

    nsd: str
    driver: str
    sector_size: int
    failure_group: str
    metadata: bool
    data: bool
    status: str
    availability: str
    pool: str
    disk_id: str = ""
    remarks: str = ""
    size_kb: int | None = None
    disk_uid: str = ""
    thin: str = ""
    io_node: str = ""

    @property
    def usage(self) -> Usage:
        """What the disk may hold. Old blocks may still be elsewhere until a restripe has run."""
        return Usage.holding(metadata=self.metadata, data=self.data)

    @property
    def ready(self) -> bool:
        """Whether it is `ready` and `up`."""
        return self.status == "ready" and self.availability == "up"


class DiskQuorum(msgspec.Struct, frozen=True):
    """How many disks hold a file system descriptor, and how many of them must be read and written."""

    disks: int
    read: int
    write: int


class DiskList(msgspec.Struct, frozen=True):
    """`mmlsdisk`, in the order printed, which is that of addition.

    `attention` holds each sentence that begins with `Attention:` or `Warning:`, its wrapped lines joined.
    `quorum` is told with `-L` and `-Y`. `all_ready` is True when `-e` found nothing to list.
    """

    disks: tuple[Disk, ...]
    attention: tuple[str, ...] = ()
    quorum: DiskQuorum | None = None
    all_ready: bool = False

    @property
    def not_properly_replicated(self) -> bool:
        """Whether GPFS says that a restripe is due after a change of usage."""
        return any("no longer properly replicated" in sentence for sentence in self.attention)

    @property
    def at_risk(self) -> bool:
        """Whether GPFS says that data may be lost."""
        return any(unconfirmed.is_at_risk(sentence) for sentence in self.attention)

    @property
    def unbalanced(self) -> bool:
        """Whether GPFS asks for a rebalance."""
        return any(unconfirmed.is_unbalanced(sentence) for sentence in self.attention)

    def get(self, nsd: str) -> Disk | None:
        """The disk of that NSD name."""
        return next((disk for disk in self.disks if disk.nsd == nsd), None)


class Nsd(msgspec.Struct, frozen=True, gc=False):
    """One row of `mmlsnsd`, plain, `-a`, `-F` or `-L`: an NSD as the configuration has it.

    `fs` is "" for a free disk. `volume_id` is "" where it is not printed. `servers` are in order of preference;
    none means that the disk is attached to every node directly.
    """

    nsd: str
    fs: str
    servers: tuple[str, ...]
    volume_id: str = ""
    thin: str = ""

    @property
    def free(self) -> bool:
        """Whether it belongs to no file system."""
        return not self.fs


class NsdList(msgspec.Struct, frozen=True):
    """`mmlsnsd`: one row for each NSD. No row at all is an answer too."""

    nsds: tuple[Nsd, ...]

    def get(self, name: str) -> Nsd | None:
        """The NSD of that name."""
        return next((nsd for nsd in self.nsds if nsd.nsd == name), None)

    @property
    def free(self) -> tuple[Nsd, ...]:
        """The NSDs that belong to no file system."""
        return tuple(nsd for nsd in self.nsds if nsd.free)


class NsdDevice(msgspec.Struct, frozen=True, gc=False):
    """One row of `mmlsnsd -X` or `-m`: an NSD as one node sees it.

    `device` is a name of this node until its next boot; `-` or "" means that the node does not see the disk.
    `remarks` is `server node`, something in parentheses as well (`(not found) server node`), or "".
    """

    nsd: str
    volume_id: str
    device: str
    devtype: str
    node: str
    remarks: str

    @property
    def found(self) -> bool:
        """Whether the node sees the disk."""
        return not unconfirmed.sees_no_disk(self.device, self.remarks)


class NsdDevices(msgspec.Struct, frozen=True):
    """`mmlsnsd -X` or `-m`: one row for each server, so a disk with two servers has two rows.

    Count disks by `by_volume`, never by rows.
    """

    rows: tuple[NsdDevice, ...]

    def by_nsd(self, name: str) -> tuple[NsdDevice, ...]:
        """The rows of one NSD."""
        return tuple(row for row in self.rows if row.nsd == name)

    def on_node(self, node: str) -> tuple[NsdDevice, ...]:
        """The rows of one node, by the name that `mmlsnsd` prints."""
        return tuple(row for row in self.rows if row.node == node)

    def by_volume(self) -> dict[str, tuple[NsdDevice, ...]]:
        """The rows of each disk by its volume id, in the order of their first rows."""
        groups: dict[str, list[NsdDevice]] = {}
        for row in self.rows:
            groups.setdefault(row.volume_id, []).append(row)
        return {volume_id: tuple(rows) for volume_id, rows in groups.items()}


class VolumeId(msgspec.Struct, frozen=True):
    """What an NSD volume id says: the IPv4 address of the first server and the UNIX time of creation (s,
    UTC).
    """

    address: str
    created: int


def decode_volume_id(text: str) -> VolumeId | None:
    """Decode an NSD volume id; None if it is not 16 hexadecimal digits.

    The first eight digits are the address of the node that wrote the disk, the other eight the second in
    which it did: an NSD that was not created today has an old time in it. The `diskUID` of `mmlsdisk` is
    another id.
    """
    if not _VOLUME_ID.match(text):
        return None
    return VolumeId(str(ipaddress.IPv4Address(int(text[:8], 16))), int(text[8:], 16))


class Discovery(msgspec.Struct, frozen=True):
    """What `mmdevdiscover` finds on one node: names below /dev with their types (`generic`, `dmm`), in its order."""

    devices: tuple[tuple[str, str], ...] = ()

    def type_of(self, name: str) -> str | None:
        """The type of a device by its name below /dev; None where GPFS does not find it."""
        return next((kind for found, kind in self.devices if found == name), None)
