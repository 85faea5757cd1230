"""Whether a savemeta, restoremeta or fsck that ended well has done what it was to do. Pure.

All of them end with 0 where they have not: the device was no GFS2, the disk of the output was full, the input was cut
off, the target too small. Each is seen by something else than the exit code, and without it nothing is called done.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from remote.gfs2.doubts import of_restoremeta, of_savemeta
from remote.gfs2.models import ResourceGroups, RestoremetaLog, SavemetaLog
from remote.gfs2.saved import RECORD, saved_header
from remote.linux.room import Room, Rooms
from supervision.facts import Fact
from supervision.gfs2_checking import Facts, Wanted
from supervision.gfs2_checks_files import RATIO
from supervision.gfs2_ends import end_of, is_over
from supervision.gfs2_view import GFS2
from supervision.gfs2_work import RESTOREMETA, SAVEMETA, Work
from supervision.logs import Log

NOT_GZIP = "not in gzip format"
"""How gzip calls a file that was not compressed."""


class Verified(msgspec.Struct, frozen=True):
    """`wrong` says what is not as it must be, `unknown` what could not be seen; `proof` what was compared."""

    wrong: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    proof: str = ""


class Seen(msgspec.Struct, frozen=True):
    """What is known of a work that has ended, besides what was asked since.

    `rc` is its exit code, `log` what it printed. `whole` is that `gzip -t` found the file so, None where it is not
    compressed. `saved` are the blocks that the savemeta of a restored file counted, `dinodes` those that the resource
    groups told of before; None where that is not known.
    """

    wanted: Wanted
    rc: int
    log: Log | None
    whole: bool | None = None
    saved: int | None = None
    dinodes: int | None = None


class _Found:
    """What was asked after a work, at `since` or later."""

    def __init__(self, wanted: Wanted, facts: Mapping[str, Fact], since: float) -> None:
        self._wanted, self._since = wanted, since
        self._facts = Facts(wanted, facts)

    @property
    def is_gfs2(self) -> bool | None:
        """Whether the device holds a GFS2 and nothing else, as blkid tells it."""
        found, told = self._facts.probed()
        if found is None or told.at is None or told.at < self._since:
            return None
        return [each.kind for each in found] == [GFS2]

    @property
    def dinodes(self) -> int | None:
        """The sum of the resource groups."""
        groups, told = self._facts.model(f"rgs {self._wanted.device}", ResourceGroups)
        return groups.dinodes if groups and told.at is not None and told.at >= self._since else None

    @property
    def file(self) -> Room | None:
        """The file of saved metadata."""
        rooms, told = self._facts.model(f"room {self._wanted.host}", Rooms)
        return rooms.at(self._wanted.file) if rooms and told.at is not None and told.at >= self._since else None


def verified(seen: Seen, facts: Mapping[str, Fact], since: float) -> Verified:
    """What speaks against the end of a work; `facts` were asked at `since` (Site's clock) or later to count."""
    found = _Found(seen.wanted, facts, since)
    if seen.wanted.work == SAVEMETA:
        return _savemeta(seen, found)
    return _restoremeta(seen, found) if seen.wanted.work == RESTOREMETA else _fsck(seen, found)


def _savemeta(seen: Seen, found: _Found) -> Verified:
    """Compare what savemeta counted with the dinodes of the resource groups, and with the file that it wrote."""
    end = _end(seen)
    if not isinstance(end, SavemetaLog):
        return _no_end(seen.rc)
    known = [count for count in (seen.dinodes, found.dinodes) if count is not None]
    dinodes = min(known, default=None)  # of a file system in use they may have become fewer
    wrong, unknown = list(of_savemeta(end, dinodes)), []
    if end.saved is None:
        unknown.append("this release does not count the blocks that it saves: count those of printsavedmeta")
    elif dinodes is None:
        unknown.append("how many dinodes there are is not known: compare with `gfs2_edit -p rgs`")
    size = found.file.size if found.file else None
    if found.file is None or size is None:
        unknown.append(f"what is at {seen.wanted.file} is not known")
    elif size < (end.saved or 0) * RECORD // (RATIO if seen.whole else 1):
        wrong.append(f"a file of {size:,} bytes cannot hold {end.saved or 0:,} blocks")
    elif saved_header(found.file.header) is None:
        wrong.append("the file does not begin as saved metadata do")
    tested = "gzip -t found the file whole" if seen.whole else "it was not compressed"
    proof = f"{end.saved or 0:,} blocks saved, {dinodes or 0:,} dinodes told at least; {tested}, {size or 0:,} bytes"
    return Verified(tuple(wrong), tuple(unknown), proof)


def _restoremeta(seen: Seen, found: _Found) -> Verified:
    """Compare what restoremeta counted with what was saved, as far as that is known, and look at the target."""
    end = _end(seen)
    if not isinstance(end, RestoremetaLog):
        return _no_end(seen.rc)
    wrong, unknown = list(of_restoremeta(end, seen.saved)), []
    if seen.whole is None and seen.saved is None:
        unknown.append(
            "the file is not compressed, so nothing tells whether it was whole: compare the blocks with those that its "
            "savemeta counted"
        )
    if found.is_gfs2 is None:
        unknown.append("what the target holds now is not known: see `blkid -p`")
    elif not found.is_gfs2:
        wrong.append("blkid -p does not say gfs2 of the target")
    if end.restored is None:
        unknown.append("this release does not count the blocks that it restores")
    elif found.dinodes is None:
        unknown.append("the resource groups of the target cannot be read whole")
    elif end.restored < found.dinodes:
        wrong.append(f"{end.restored:,} blocks were restored, and the target tells of {found.dinodes:,} dinodes")
    of = f" of {seen.saved:,}" if seen.saved is not None else ""
    proof = f"{end.restored or 0:,} blocks restored{of}; the target is a GFS2 with {found.dinodes or 0:,} dinodes"
    return Verified(tuple(wrong), tuple(unknown), proof)


def _fsck(seen: Seen, found: _Found) -> Verified:
    """Whether a check went through to its end: an exit code alone does not tell that."""
    if seen.log is None or not is_over(seen.log.scan):
        return _no_end(seen.rc)
    if found.is_gfs2 is False:
        return Verified(("blkid -p does not say gfs2 of the device any more",))
    unknown = ("what the device holds now is not known: see `blkid -p`",) if found.is_gfs2 is None else ()
    lines = sum(seen.log.scan.found.values()) + sum(seen.log.scan.summed.values())
    told = f"{lines:,} lines of what it found: see the screen Restripe" if lines else "it told of nothing wrong"
    return Verified((), unknown, f"it came to its end with exit code {seen.rc}; {told}")


def _end(seen: Seen) -> SavemetaLog | RestoremetaLog | None:
    work = Work(seen.wanted.work, seen.wanted.device, seen.wanted.file)
    return end_of(seen.log, work) if seen.log else None


def _no_end(rc: int) -> Verified:
    return Verified((f"exit code {rc}, but its log does not tell that it came to its end",))
