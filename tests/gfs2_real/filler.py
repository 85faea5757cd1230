"""Fills a fresh, unmounted image of GFS2 with files, without a mount and without the kernel's module.

The files have dinodes (and some an indirect block), are marked in the bitmaps, and are in no directory: savemeta saves
them like all others, and fsck.gfs2 finds that many unlinked inodes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.gfs2_real.ondisk import (
    BLOCKS_IN_A_BYTE,
    DINODE,
    DINODE_SIZE,
    FREE,
    IN,
    RGRP,
    STATFS,
    STATFS_NUMBER,
    SUPERBLOCK,
    USED,
    Group,
    Superblock,
    file_dinode,
    number,
)

FIRST_NUMBER = 10_000_000
"""The formal number of the first file: far beyond those that mkfs.gfs2 gives."""
BORN = 1_700_000_000
"""Seconds since 1970 of the first file's times; each later file is younger by up to a second, as is plausible."""


@dataclass(frozen=True)
class Filled:
    """What was put into an image: blocks of each sort."""

    files: int
    indirect: int


class Image:
    """An image that is open for being filled."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self.block_size = Superblock.read(os.pread(fd, 512, SUPERBLOCK)).block_size
        self.groups = list(self._groups())
        self._next = FIRST_NUMBER

    def _groups(self) -> Iterator[Group]:
        """They are chained; the first one is behind the superblock."""
        at = SUPERBLOCK // self.block_size + 1
        while True:
            group = Group.read(at, os.pread(self._fd, RGRP, at * self.block_size))
            yield group
            if not group.skip:
                return
            at += group.skip

    def fill(self, files: int, *, every: int = 0) -> Filled:
        """Spread files over the resource groups by their room; each so-manieth (0: none) has an indirect block."""
        made, room, passed = Filled(0, 0), sum(group.free for group in self.groups), 0
        for index, group in enumerate(self.groups):
            passed += group.free
            here = self._fill_group(index, group, files * passed // room - made.files, every)
            made = Filled(made.files + here.files, made.indirect + here.indirect)
        self._tell_statfs(made)
        return made

    def _fill_group(self, index: int, group: Group, files: int, every: int) -> Filled:
        pieces = group.bitmaps(self.block_size)
        bitmap = bytearray(b"".join(os.pread(self._fd, size, at) for at, size in pieces))
        free = _free_run(bitmap, group.data)
        written, marks, made = [], bytearray(), 0
        for _ in range(files):
            address = group.data0 + free + len(marks)
            self._next += 1
            with_block = bool(every) and self._next % every == 0
            if free + len(marks) + 1 + with_block > group.data:
                raise ValueError(f"the resource group at {group.at} is full")
            indirect = address + 1 if with_block else 0
            when = BORN + (self._next - FIRST_NUMBER) * 7 // 11
            written.append(file_dinode(address, self._next, when, indirect=indirect).ljust(self.block_size, b"\0"))
            marks.append(DINODE)
            if with_block:
                written.append(IN.header.ljust(self.block_size, b"\0"))
                marks.append(USED)
                made += 1
        _mark(bitmap, free, marks)
        os.pwrite(self._fd, b"".join(written), (group.data0 + free) * self.block_size)
        self._write_bitmap(pieces, bitmap)
        full = group._replace(free=group.free - len(marks), dinodes=group.dinodes + files)
        os.pwrite(self._fd, full.written(), group.at * self.block_size)
        self.groups[index] = full
        return Filled(files, made)

    def _write_bitmap(self, pieces: list[tuple[int, int]], bitmap: bytearray) -> None:
        """Only the pieces that say something: the image stays sparse."""
        begin = 0
        for at, size in pieces:
            piece = bytes(bitmap[begin : begin + size])
            begin += size
            if any(piece):
                os.pwrite(self._fd, piece, at)

    def _tell_statfs(self, made: Filled) -> None:
        """Let the file of the totals tell of what was added."""
        for block in self._dinodes_of_mkfs():
            at = block * self.block_size
            if number(os.pread(self._fd, DINODE_SIZE, at)) == STATFS_NUMBER:
                total, free, dinodes = STATFS.unpack(os.pread(self._fd, STATFS.size, at + DINODE_SIZE))
                told = STATFS.pack(total, free - made.files - made.indirect, dinodes + made.files)
                os.pwrite(self._fd, told, at + DINODE_SIZE)
                return
        raise ValueError("there is no file with the totals")

    def _dinodes_of_mkfs(self) -> Iterator[int]:
        """The dinodes before the first file of ours, by the bitmaps."""
        for group in self.groups:
            bitmap = b"".join(os.pread(self._fd, size, at) for at, size in group.bitmaps(self.block_size))
            for index, byte in enumerate(bitmap):
                for place in range(BLOCKS_IN_A_BYTE) if byte else ():
                    if byte >> 2 * place & 3 == DINODE:
                        yield group.data0 + BLOCKS_IN_A_BYTE * index + place


def fill(path: Path, files: int, *, every: int = 0) -> Filled:
    """Fill the image at `path`. ValueError where it is none of GFS2, or too small."""
    fd = os.open(path, os.O_RDWR)
    try:
        return Image(fd).fill(files, every=every)
    finally:
        os.close(fd)


def _free_run(bitmap: bytearray, blocks: int) -> int:
    """The first block of a group behind which all are free: mkfs.gfs2 fills from the front."""
    used = len(bitmap.rstrip(b"\0")) * BLOCKS_IN_A_BYTE
    return min(used, blocks)


def _mark(bitmap: bytearray, first: int, marks: bytes | bytearray) -> None:
    """Write the states of blocks in a row, the first of which begins a byte."""
    assert first % BLOCKS_IN_A_BYTE == FREE
    padded = bytes(marks).ljust(-(-len(marks) // BLOCKS_IN_A_BYTE) * BLOCKS_IN_A_BYTE, b"\0")
    begin = first // BLOCKS_IN_A_BYTE
    for index in range(len(padded) // BLOCKS_IN_A_BYTE):
        one, two, three, four = padded[BLOCKS_IN_A_BYTE * index : BLOCKS_IN_A_BYTE * (index + 1)]
        bitmap[begin + index] = one | two << 2 | three << 4 | four << 6
