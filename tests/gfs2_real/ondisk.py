"""The parts of GFS2's on-disk format that are needed to fill an image: as in linux/gfs2_ondisk.h, big endian."""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple

MAGIC = 0x01161970
SUPERBLOCK = 65_536
"""Bytes from the start of the device to the superblock."""
HEADER = struct.Struct(">IIQII")
"""Before every block of metadata: magic, type, padding, format, journal."""
BLOCKS_IN_A_BYTE = 4
"""Two bits of a bitmap for each block."""
FREE, USED, UNLINKED, DINODE = range(4)


class Kind(NamedTuple):
    """A kind of metadata block: its type and its format."""

    type: int
    format: int

    @property
    def header(self) -> bytes:
        """The 24 bytes before it."""
        return HEADER.pack(MAGIC, self.type, 0, self.format, 0)


SB, RG, RB, DI, IN = Kind(1, 100), Kind(2, 200), Kind(3, 300), Kind(4, 400), Kind(5, 500)
"""Superblock, head of a resource group, further bitmap block of it, dinode, indirect block."""

_RGRP = struct.Struct(">IIIIQQIII60s")
"""Behind its header: flags, free, dinodes, skip, igeneration, data0, data, bitbytes, crc, reserved."""
RGRP = HEADER.size + _RGRP.size
"""Bytes before the bitmap in the first block of a resource group."""


class Group(NamedTuple):
    """The head of a resource group. `at`, `skip` and `data0` are blocks: where it is, how far the next is, its data."""

    at: int
    flags: int
    free: int
    dinodes: int
    skip: int
    generation: int
    data0: int
    data: int
    bitbytes: int

    @classmethod
    def read(cls, at: int, block: bytes) -> Group:
        """The group whose first block is `at`. ValueError where there is none."""
        expect(RG, block)
        return cls(at, *_RGRP.unpack_from(block, HEADER.size)[:8])

    def written(self) -> bytes:
        """Its 128 bytes, with their checksum."""
        words = self[1:]
        bare = RG.header + _RGRP.pack(*words, 0, b"")
        return RG.header + _RGRP.pack(*words, zlib.crc32(bare), b"")

    def bitmaps(self, block_size: int) -> list[tuple[int, int]]:
        """Where its bitmap lies on the device, piece by piece: the first byte of each, and how many there are."""
        pieces = []
        left = self.bitbytes
        for block in range(self.at, self.data0):
            head = RGRP if block == self.at else HEADER.size
            size = min(block_size - head, left)
            pieces.append((block * block_size + head, size))
            left -= size
        return pieces


_DINODE = struct.Struct(">QQIIIIQQQQQIIQQQIIHHIHHIQQQIII44s")
"""Behind its header: formal number, address, mode, uid, gid, nlink, size, blocks, atime, mtime, ctime, major, minor,
goal_meta, goal_data, generation, flags, payload format, -, height, -, -, depth, entries, -, -, eattr, nanoseconds."""
DINODE_SIZE = HEADER.size + _DINODE.size
FILE = 0o100644


def file_dinode(address: int, formal: int, when: int, *, size: int = 0, indirect: int = 0) -> bytes:
    """A regular file of nobody's directory. With `indirect` it has a block of pointers there, and height 2."""
    blocks, height = (2, 2) if indirect else (1, 0)
    words = (formal, address, FILE, 1000 + formal % 97, 100, 1, size, blocks, when, when, when, 0, 0)
    fixed = DI.header + _DINODE.pack(
        *words, address, address, formal, 0, 0, 0, height, 0, 0, 0, 0, 0, 0, 0, when % 999, when % 997, 0, b""
    )
    return fixed + struct.pack(">Q", indirect) if indirect else fixed


class Superblock(NamedTuple):
    """What is needed of it: the size of a block in bytes."""

    block_size: int

    @classmethod
    def read(cls, block: bytes) -> Superblock:
        """ValueError where there is none."""
        expect(SB, block)
        _format, _multihost, _, size, _shift = struct.unpack_from(">IIIII", block, HEADER.size)
        return cls(size)


STATFS = struct.Struct(">QQQ")
"""What the file statfs holds, within its dinode: all blocks, free ones, dinodes."""
STATFS_NUMBER = 9
"""The formal number that mkfs.gfs2 gives that file on a file system of one journal."""


def number(dinode: bytes) -> int:
    """The formal number of a dinode; 0 where it is none."""
    magic, kind, *_ = HEADER.unpack_from(dinode)
    return int(_DINODE.unpack_from(dinode, HEADER.size)[0]) if (magic, kind) == (MAGIC, DI.type) else 0


def expect(kind: Kind, block: bytes) -> None:
    """ValueError where a block is of another kind."""
    magic, found, _, layout, _ = HEADER.unpack_from(block)
    if (magic, found, layout) != (MAGIC, *kind):
        raise ValueError(f"no block of type {kind.type}: magic {magic:#x}, type {found}, format {layout}")
