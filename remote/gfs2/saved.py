"""How a file of saved metadata begins, as gfs2_edit writes it from 3.1.2 on: 128 bytes, the numbers big-endian."""

from __future__ import annotations

import struct

import msgspec

MAGIC = 0x01171970
_HEAD = struct.Struct(">IIQQ")
RECORD = 10
"""Bytes before each block that is saved: its address and its length."""


class SavedHeader(msgspec.Struct, frozen=True):
    """`at` is when it was saved, in seconds since 1970, `size` that of the file system in bytes."""

    form: int
    at: int
    size: int


def saved_header(data: bytes) -> SavedHeader | None:
    """What the first bytes of a file tell, uncompressed; None where it does not begin so."""
    if len(data) < _HEAD.size:
        return None
    magic, form, at, size = _HEAD.unpack_from(data)
    return SavedHeader(form, at, size) if magic == MAGIC else None
