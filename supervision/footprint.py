"""How much metadata there will be on disks of its own, and whether it fits.

The floor, the inodes themselves, is a fact. All else is an assumption that can be changed: what directories, indirect
blocks and attributes take is told by no command. Sizes are KB of 1024 bytes, and of all copies together.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

WARN = 0.70
"""Part of the usable space above which a plan that fits is warned about."""
FULL = 0.85
"""Part of a disk that a forecast reaches, from which on the way back is offered: full metadata stops everything."""
MOST_COPIES = 3


class Assumptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is assumed of metadata besides the inodes. Bytes are per inode and copy, and beside the inode itself.

    `each_*` stand for directories, indirect blocks and attributes together. Where directories and indirect blocks were
    counted (`directories`, `indirect`), the counts take the place of `each_plan`. `mounts` is the number of nodes that
    mount the file system, of which each has a log of `log_kb` in `log_replicas` copies. `growth` is how far the
    allocated inodes are taken to have grown towards the maximum: 0 as they are now, 1 all.
    """

    each_low: int = 512
    each_plan: int = 2048
    each_high: int = 16384
    directories: int = 0
    directory_bytes: int = 0
    indirect: int = 0
    indirect_bytes: int = 0
    snapshots_kb: int = 0
    mounts: int = 0
    log_kb: int = 0
    log_replicas: int = 0
    growth: float = 0.0

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if getattr(self, name) < 0:
                raise ValueError(f"{name} cannot be less than nothing")
        if not self.each_low <= self.each_plan <= self.each_high:
            raise ValueError("each_low, each_plan and each_high must rise")
        if not 0 <= self.growth <= 1:
            raise ValueError("growth is a part, from 0 to 1: more than the maximum inodes cannot be allocated")


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What the cluster tells: inodes, bytes of one, copies of metadata, and KB of the new disks by failure group."""

    allocated: int
    maximum: int
    inode_bytes: int
    copies: int
    groups: Mapping[str, int]


class Sizing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much metadata there will be, in KB of all copies, and what the new disks can take of it in all copies."""

    floor_kb: int
    low_kb: int
    plan_kb: int
    high_kb: int
    usable_kb: int
