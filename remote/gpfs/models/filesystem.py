"""File systems, their attributes, space, pools and snapshots: `mmlsfs`, `mmdf`, `mmlspool`, `mmlssnapshot`."""

from __future__ import annotations

import re

import msgspec

from remote.gpfs.models.disks import Usage

_COUNT = re.compile(r"[0-9]{1,18}\Z")


class FsAttribute(msgspec.Struct, frozen=True):
    """One value of `mmlsfs`: the flag (`-B`, `--inode-limit`) of the human form, the value and IBM's description.

    `field` is its name with `-Y` (`blockSize`). Each form prints one of the two names; the other is filled in
    where it is known, else "".
    """

    flag: str
    value: str
    description: str
    field: str = ""


class FileSystem(msgspec.Struct, frozen=True):
    """`mmlsfs` of one file system. The human form may not print its name, so the caller gives it.

    A flag may have several rows (`-Q`, or `-B` with a value for each kind of pool); the properties take the
    first.
    """

    name: str
    attributes: tuple[FsAttribute, ...]

    def get(self, flag: str) -> tuple[str, ...]:
        """All values of a flag (or of a field of `-Y`), in the order printed."""
        return tuple(row.value for row in self.attributes if flag in (row.flag, row.field))

    def _text(self, flag: str) -> str:
        values = self.get(flag)
        return values[0] if values else ""

    def _count(self, flag: str) -> int | None:
        text = self._text(flag)
        return int(text) if _COUNT.match(text) else None

    @property
    def inode_size(self) -> int | None:
        """Bytes of one inode (`-i`)."""
        return self._count("-i")

    @property
    def block_size(self) -> int | None:
        """Bytes of one block (`-B`); of the system pool where the pools differ."""
        return self._count("-B")

    @property
    def metadata_replicas(self) -> int | None:
        """Copies kept of metadata by default (`-m`)."""
        return self._count("-m")

    @property
    def max_metadata_replicas(self) -> int | None:
        """The most copies of metadata that the file system can keep (`-M`)."""
        return self._count("-M")

    @property
    def data_replicas(self) -> int | None:
        """Copies kept of data by default (`-r`)."""
        return self._count("-r")

    @property
    def max_data_replicas(self) -> int | None:
        """The most copies of data that the file system can keep (`-R`)."""
        return self._count("-R")

    @property
    def estimated_nodes(self) -> int | None:
        """How many nodes were expected to mount it when it was made (`-n`)."""
        return self._count("-n")

    @property
    def version(self) -> str:
        """The file system's format, as printed (`-V`, such as `13.23 (3.5.0.7)`); "" when not told."""
        return self._text("-V")

    @property
    def mount_point(self) -> str:
        """Where it is mounted by default (`-T`); "" when not told."""
        return self._text("-T")

    @property
    def pools(self) -> tuple[str, ...]:
        """The storage pools (`-P`), as printed."""
        return tuple(name for name in self._text("-P").split(";") if name)

    @property
    def disks(self) -> tuple[str, ...]:
        """The disks (`-d`), in their order."""
        return tuple(name for name in self._text("-d").split(";") if name)


class FileSystems(msgspec.Struct, frozen=True):
    """`mmlsfs`, of one file system or of `all`. A name is "" where only the caller knows it."""

    file_systems: tuple[FileSystem, ...]

    def get(self, name: str) -> FileSystem | None:
        """The file system of that name."""
        return next((fs for fs in self.file_systems if fs.name == name), None)


class SpaceTotal(msgspec.Struct, frozen=True):
    """A total row of `mmdf`, in KB (or in `FsSpace.unit`)."""

    size_kb: int
    free_blocks_kb: int
    free_fragments_kb: int

    @property
    def used_kb(self) -> int:
        """What is neither a free block nor a free fragment."""
        return self.size_kb - self.free_blocks_kb - self.free_fragments_kb


class Inodes(msgspec.Struct, frozen=True):
    """The inode counts of `mmdf`, over all inode spaces."""

    used: int
    free: int
    allocated: int
    maximum: int


class DiskSpace(msgspec.Struct, frozen=True, gc=False):
    """One disk's row of `mmdf`. Sizes are in KB, or in `FsSpace.unit` when that is not KB.

    Free fragments are parts of blocks; they are free as well, but only small files and directories can use
    them. `available` is False for a disk that `mmdf` marks as out of use: nothing can be allocated on it at
    present.
    """

    nsd: str
    pool: str
    size_kb: int
    failure_group: str
    metadata: bool
    data: bool
    free_blocks_kb: int
    free_blocks_percent: int
    free_fragments_kb: int
    free_fragments_percent: int
    available: bool = True

    @property
    def usage(self) -> Usage:
        """What the disk may hold."""
        return Usage.holding(metadata=self.metadata, data=self.data)

    @property
    def used_kb(self) -> int:
        """What is neither a free block nor a free fragment."""
        return self.size_kb - self.free_blocks_kb - self.free_fragments_kb


class FsSpace(msgspec.Struct, frozen=True):
    """`mmdf`.

    `data` and `metadata` are None where `mmdf` leaves these rows out, which it does while every disk holds
    both; their sum is not `total` when a disk holds both. `inodes` is None with `mmdf -m`; all else is empty
    with `mmdf -F`.

    `largest_disk_kb` has for each pool the largest disk that can be added to it. The human form rounds it.

    `unit` is `KB`, unless somebody asked for `--block-size`: then all numbers are in that unit and
    **rounded up** (an almost full TB and an empty disk of 186 GB both read 1 TB), so nothing may be decided
    from them. It is "" where no header said it.
    """

    unit: str
    disks: tuple[DiskSpace, ...]
    pools: tuple[tuple[str, SpaceTotal], ...]
    data: SpaceTotal | None
    metadata: SpaceTotal | None
    total: SpaceTotal | None
    inodes: Inodes | None
    largest_disk_kb: tuple[tuple[str, int], ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the numbers are exact KB; False means: show them, never decide by them."""
        return self.unit == "KB"

    def get(self, nsd: str) -> DiskSpace | None:
        """The disk of that NSD name."""
        return next((disk for disk in self.disks if disk.nsd == nsd), None)


class Pool(msgspec.Struct, frozen=True):
    """One row of `mmlspool`. Sizes are in KB, `block_size` in bytes. `mount_point` is that of the heading."""

    name: str
    number: int
    block_size: int
    data: bool
    metadata: bool
    total_data_kb: int
    free_data_kb: int
    total_metadata_kb: int
    free_metadata_kb: int
    mount_point: str = ""


class Pools(msgspec.Struct, frozen=True):
    """`mmlspool`, which has no `-Y` in any release."""

    pools: tuple[Pool, ...]

    def get(self, name: str) -> Pool | None:
        """The pool of that name."""
        return next((pool for pool in self.pools if pool.name == name), None)


class Snapshot(msgspec.Struct, frozen=True):
    """One row of `mmlssnapshot`. `created` and `expires` are local time without a zone, as printed.

    `data_kb` and `metadata_kb` are None unless `-d` asked for them; the human form rounds them.
    """

    fs: str
    name: str
    number: int
    status: str
    created: str
    fileset: str = ""
    data_kb: int | None = None
    metadata_kb: int | None = None
    expires: str = ""


class Snapshots(msgspec.Struct, frozen=True):
    """`mmlssnapshot`; none is an answer too."""

    snapshots: tuple[Snapshot, ...]
