"""Why a savemeta or restoremeta that ended well may not have done so. Their exit status is 0 in all of these cases.

`dinodes` and `saved` are what other questions told: the sum of `gfs2_edit -p rgs`, and the blocks that the savemeta of
the same file counted. Without them it is what the log alone tells.
"""

from __future__ import annotations

from remote.gfs2.models import RestoremetaLog, SavemetaLog


def of_savemeta(log: SavemetaLog, dinodes: int | None = None) -> tuple[str, ...]:
    """What speaks against a savemeta that tells that it is finished; () for one that does not tell so."""
    if not log.finished:
        return ()
    doubts = [f"it told of an error and went on: {log.errors[0]}"] if log.errors else []
    if log.saved == 1:
        doubts.append("1 block was saved: the device holds no GFS2 that could be read")
    elif log.saved is not None and dinodes is not None and log.saved < dinodes:
        doubts.append(f"{log.saved:,} blocks were saved of a file system with {dinodes:,} dinodes: it is not whole")
    return tuple(doubts)


def check_savemeta(log: SavemetaLog, *, counted: bool = False, whole: bool = False) -> tuple[str, ...]:
    """What the log of a finished savemeta cannot show, and what does.

    `counted` is that the dinodes of a device that is GFS2 were held against it, `whole` that gzip -t was.
    """
    if not log.finished:
        return ()
    count = "blkid -p says gfs2 of the device, and gfs2_edit -p rgs tells of no more dinodes than blocks were saved"
    tested = " ".join(word for word in ("gzip -t", log.file) if word) + ": a full disk is not told of behind gzip"
    return (*(() if counted else (count,)), *((tested,) if log.gzip_level and not whole else ()))


def of_restoremeta(log: RestoremetaLog, saved: int | None = None) -> tuple[str, ...]:
    """What speaks against a restoremeta that tells of success; () for one that does not tell so."""
    if log.outcome != "successful":
        return ()
    doubts = [f"it told of an error and went on: {log.errors[0]}"] if log.errors else []
    wanted, there = log.saved_blocks, log.destination_blocks
    if wanted is not None and there is not None and there < wanted:
        doubts.append(f"the target had {there:,} blocks, the file system has {wanted:,}; a file just grows")
    if saved is not None and log.restored is not None and log.restored < saved:
        doubts.append(f"{log.restored:,} blocks were restored of {saved:,} that were saved: it is not whole")
    return tuple(doubts)


def check_restoremeta(log: RestoremetaLog, *, whole: bool = False) -> tuple[str, ...]:
    """What the log of a restoremeta that succeeded cannot show, and what does; `whole` is that gzip -t has read it."""
    if log.outcome != "successful" or whole:
        return ()
    return ("the count is that of savemeta, or gzip -t finds the file whole: a truncated one is not told of",)
