"""What GFS2's tools tell, in their own terms. Blocks are file-system blocks unless a docstring says otherwise."""

from __future__ import annotations

import msgspec


class Counted(msgspec.Struct, frozen=True):
    """A line of progress of savemeta or restoremeta.

    `saved` counts blocks; None where the release does not count them (up to 3.1.4). `percent` is the tool's own: the
    address of the block that it is at, of the size of the file system. It is no measure of work, nor is `address`,
    which releases up to 3.3 print as what was "processed" (None where it is not told).
    """

    saved: int | None
    percent: int
    address: int | None = None


class Timed(msgspec.Struct, frozen=True):
    """What GNU time told at the end, in seconds; `peak_kb` is the most memory it had, in KiB."""

    user: float
    system: float
    elapsed: float
    peak_kb: int | None = None


class SavemetaLog(msgspec.Struct, frozen=True):
    """A log of `gfs2_edit savemeta`, finished or not.

    `blocks` of `block_size` bytes are those of the device up to 3.1.7 (`of_device`), of the file system from 3.1.8 on.
    `size_text` is the size as it was printed, which is a decimal number from 3.3 on only; `size` is in bytes and never
    read from such a text that might be either. `file` is what was written, `gzip_level` 0 where it is not compressed;
    both are told at the end only, and so is `finished`. `doubts` say what speaks against that, `to_check` what such a
    text cannot show and how it is seen.
    """

    blocks: int | None = None
    block_size: int | None = None
    of_device: bool = False
    size_text: str = ""
    size: int | None = None
    counted: tuple[Counted, ...] = ()
    finished: bool = False
    file: str = ""
    gzip_level: int | None = None
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    timed: Timed | None = None
    doubts: tuple[str, ...] = ()
    to_check: tuple[str, ...] = ()

    @property
    def saved(self) -> int | None:
        """The blocks saved so far."""
        return next((line.saved for line in reversed(self.counted) if line.saved is not None), None)


class RestoremetaLog(msgspec.Struct, frozen=True):
    """A log of `gfs2_edit restoremeta`, finished or not.

    `saved_blocks` of `block_size` bytes is the size of the file system that was saved, `destination_blocks` what the
    target holds, `highest_block` the last address that was saved (up to 3.2). `outcome` is `successful`, `error` or "".
    `kind` is `gfs2`, or `gfs1` for its predecessor. The counters are of blocks restored, though the tool says saved.
    `listed` counts the blocks that printsavedmeta lists, which begins and ends as restoremeta does. `doubts` and
    `to_check` are as in `SavemetaLog`.
    """

    saved_at: str = ""
    size_text: str = ""
    kind: str = ""
    saved_blocks: int | None = None
    block_size: int | None = None
    destination_blocks: int | None = None
    highest_block: int | None = None
    counted: tuple[Counted, ...] = ()
    file: str = ""
    outcome: str = ""
    listed: int | None = None
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    timed: Timed | None = None
    doubts: tuple[str, ...] = ()
    to_check: tuple[str, ...] = ()

    @property
    def restored(self) -> int | None:
        """The blocks restored, or listed, so far."""
        return next((line.saved for line in reversed(self.counted) if line.saved is not None), self.listed)


class FsckPass(msgspec.Struct, frozen=True):
    """A pass of fsck.gfs2. `seconds` is how long it took as it tells from 3.2 on, `percent` its last own figure.

    The percentage begins again within pass 1 and is none of the whole. `file` is a large file that it was
    busy with last.
    """

    name: str
    done: bool = False
    seconds: float | None = None
    percent: int | None = None
    file: str = ""


class Finding(msgspec.Struct, frozen=True):
    """Lines that say the same of other places: `kind` is their text with N for numbers, `line` that of the first."""

    kind: str
    count: int
    line: int


class FsckLog(msgspec.Struct, frozen=True):
    """A log of fsck.gfs2, finished or not.

    `findings` are by their kinds, the most frequent first; `other_findings` counts lines of kinds beyond those kept,
    `lines_of_findings` all. `clean` is that it only looked and found the file system marked clean, `written` that it
    wrote changes. `complete` is that it went through; what that means is told by its exit status alone.
    """

    passes: tuple[FsckPass, ...] = ()
    findings: tuple[Finding, ...] = ()
    other_findings: int = 0
    lines_of_findings: int = 0
    clean: bool = False
    written: bool = False
    complete: bool = False
    timed: Timed | None = None


class ResourceGroup(msgspec.Struct, frozen=True):
    """A resource group. `address` is its first block; `header` counts the blocks of its header and bitmaps and `data`
    those that it manages: None in releases that do not print them. `free` and `dinodes` are blocks of `data`.
    """

    number: int
    address: int
    free: int
    dinodes: int
    data: int | None = None
    header: int | None = None


class ResourceGroups(msgspec.Struct, frozen=True):
    """`gfs2_edit -p rgs`. The sums are None where the list is not whole.

    `saved_at_least` is the least number of blocks that savemeta saves: dinodes, headers, bitmaps and the superblock.
    Indirect blocks, leaves, extended attributes and journals come on top, and nobody counts them before.
    """

    groups: tuple[ResourceGroup, ...] = ()
    told: int | None = None
    dinodes: int | None = None
    free: int | None = None
    saved_at_least: int | None = None


class Statfs(msgspec.Struct, frozen=True):
    """`gfs2_edit -p statfs`: blocks in all, free ones, and dinodes. The file is brought up to date now and then."""

    total: int | None = None
    free: int | None = None
    dinodes: int | None = None


class Superblock(msgspec.Struct, frozen=True):
    """`gfs2_edit -p sb`. `block_size` is in bytes; `lock_table` is `CLUSTER:NAME`, "" with `lock_nolock`."""

    block_size: int | None = None
    fs_format: int | None = None
    multihost_format: int | None = None
    lock_protocol: str = ""
    lock_table: str = ""
    uuid: str = ""
