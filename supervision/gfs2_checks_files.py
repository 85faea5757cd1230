"""Checks of the files of a work on a GFS2: room for what savemeta writes, and what restoremeta would overwrite."""

from __future__ import annotations

from collections.abc import Iterator

from remote.gfs2.commands import BEST_LEVEL
from remote.gfs2.models import ResourceGroups
from remote.gfs2.saved import RECORD, saved_header
from remote.linux.room import Room, Rooms
from supervision.figures import size_text
from supervision.gfs2_checking import Check, Facts, Told, Verdict, unknown

BYTES_A_BLOCK = 450
"""What a saved block takes, in bytes, by two real file systems: of 100 TB 300 at level 9, of 1 TB 425 uncompressed."""
RATIO = 1032
"""The most that deflate makes of anything."""
HIGH_LEVEL = 3
"""Levels of gzip up to this cost about as much as level 1."""
_KIB = 1024
_ROOM, _OUTPUT, _LEVEL, _INPUT, _SIZE = "room", "output", "level", "saved metadata", "size of the target"


def _room(facts: Facts, path: str) -> tuple[Room | None, Told]:
    rooms, told = facts.model(f"room {facts.wanted.host}", Rooms)
    room = rooms.at(path) if rooms else None
    return room, told if rooms is None or room is not None else Told(f"{path} was not asked for", told.at)


def output_checks(facts: Facts) -> Iterator[Check]:
    """Whether what savemeta writes can be written there without harm to anything else."""
    path, host = facts.wanted.file, facts.wanted.host
    if not path:
        todo = "name a file: without, savemeta fills /tmp"
        yield Check(_OUTPUT, Verdict.BLOCK, "no file is named to write to", todo=todo)
        return
    room, told = _room(facts, path)
    if room is None:
        yield unknown(_OUTPUT, told, f"what is at {path} on {host}", f"see `ls -l {path}` on {host}")
        return
    if room.kind != "absent":
        text = f"there is a {room.kind or 'file'} at {path} on {host}, and savemeta would overwrite it"
        yield Check(_OUTPUT, Verdict.BLOCK, text, _read(room), told.at, "name another file")
    elif not room.directory:
        text = f"the directory of {path} is not there on {host}"
        yield Check(_OUTPUT, Verdict.BLOCK, text, _read(room), told.at, "make the directory, or name another file")
    else:
        yield _where(facts, room, told.at)
        yield _fits(facts, room, told.at)


def _read(room: Room) -> str:
    below = f"{room.file_system or 'unknown'} {room.number}".strip()
    free = "" if room.free is None else f", {size_text(room.free / _KIB)} free"
    return f"{room.path}: {room.kind}; its directory: {below if room.directory else 'absent'}{free}"


def _where(facts: Facts, room: Room, at: float | None) -> Check:
    """Not on the file system itself, which is to be saved; and not in memory."""
    read = _read(room)
    if room.file_system == "gfs2":
        use, told = facts.use(facts.wanted.host)
        if use is None or not (use.numbers or use.exists):
            todo = "name a file on a file system of another kind"
            return unknown(_OUTPUT, told, "whether the file lies on this GFS2 itself", todo)
        if room.number in use.numbers:
            todo = "name a file on another file system"
            return Check(_OUTPUT, Verdict.BLOCK, "the file would lie on this GFS2 itself", read, at, todo)
    if room.file_system in ("tmpfs", "ramfs"):
        text = f"{room.path} would lie in memory ({room.file_system}): it is lost with the next boot"
        return Check(_OUTPUT, Verdict.WARNING, text, read, at, "name a file on a disk")
    text = f"{room.path} is not there yet, and would lie on {room.file_system or 'a file system of unknown kind'}"
    return Check(_OUTPUT, Verdict.PASSED, text, read, at)


def _fits(facts: Facts, room: Room, at: float | None) -> Check:
    """Room for at least as many blocks as are surely saved. A disk that is full is not told of behind gzip."""
    groups, told = facts.model(f"rgs {facts.wanted.device}", ResourceGroups)
    sb, sb_told = facts.superblock()
    blocks = groups.saved_at_least if groups else None
    size = sb.block_size if sb else None
    if blocks is None or size is None:
        why = sb_told if groups is not None and blocks is not None else told
        return unknown(
            _ROOM, why, "how much room it takes", "see `gfs2_edit -p rgs DEVICE` and `gfs2_edit -p sb DEVICE`"
        )
    read = _read(room)
    if room.free is None:
        return Check(_ROOM, Verdict.UNKNOWN, "how much is free there is not known", read, at, "see `df` there")
    level = BEST_LEVEL if facts.wanted.level is None else facts.wanted.level
    surely = blocks * RECORD // (RATIO if level else 1)
    expected, most = blocks * BYTES_A_BLOCK, blocks * (size + RECORD)
    what = f"at least {blocks:,} blocks: about {_size(expected)} by file systems that were saved"
    text = f"{_size(room.free)} free for {what}, and {_size(most)} if nothing of these can be shortened"
    if room.free < surely:
        return Check(_ROOM, Verdict.BLOCK, f"{text}: it cannot fit", read, at, "name a file where there is more room")
    if room.free < expected:
        todo = "name a file where there is more room; behind gzip savemeta ends with 0 on a full disk"
        return Check(_ROOM, Verdict.WARNING, f"{text}: it may not fit", read, at, todo)
    return Check(_ROOM, Verdict.PASSED, text, read, at)


def _size(count: int) -> str:
    return size_text(count / _KIB)


def level_check(facts: Facts) -> Check:
    """The level of gzip decides how long it takes."""
    level = facts.wanted.level
    if level is None or level <= HIGH_LEVEL:
        what = "uncompressed" if level == 0 else f"-z{BEST_LEVEL if level is None else level}"
        return Check(_LEVEL, Verdict.PASSED, f"{what}: compressing costs little")
    text = f"-z{level} costs much: level 9 took ten times as long as -z1 for a file smaller by a third"
    return Check(_LEVEL, Verdict.WARNING, text, todo=f"type -z{BEST_LEVEL}")


def target_checks(facts: Facts) -> Iterator[Check]:
    """What restoremeta reads, and whether the target has room for it."""
    room, told = _room(facts, facts.wanted.file)
    if room is None:
        yield unknown(_INPUT, told, f"what is at {facts.wanted.file}", "name the file that savemeta wrote")
        return
    if room.kind != "file":
        text = f"there is no file at {room.path} on {facts.wanted.host}"
        yield Check(_INPUT, Verdict.BLOCK, text, _read(room), told.at, "name the file that savemeta wrote")
        return
    header = saved_header(room.header)
    read = room.header[:24].hex(" ", 4)
    if header is None:
        text = f"{room.path} does not begin as saved metadata do"
        todo = "name a file that savemeta wrote; gzip -t tells whether it is whole"
        yield Check(_INPUT, Verdict.BLOCK, text, read, told.at, todo)
        return
    text = f"{room.path} holds the metadata of a file system of {_size(header.size)}"
    yield Check(_INPUT, Verdict.PASSED, text, read, told.at)
    yield _target_fits(facts, header.size)


def _target_fits(facts: Facts, size: int) -> Check:
    """restoremeta ends with 0 on a target that is too small."""
    target, told = _room(facts, facts.wanted.device)
    if target is None or target.size is None:
        return unknown(_SIZE, told, f"the size of {facts.wanted.device}", f"blockdev --getsize64 {facts.wanted.device}")
    read = f"{target.path}: {target.kind}, {target.size:,} bytes"
    text = f"the target has {_size(target.size)} for a file system of {_size(size)}"
    if target.size >= size:
        return Check(_SIZE, Verdict.PASSED, text, read, told.at)
    if target.kind == "file":
        return Check(_SIZE, Verdict.WARNING, f"{text}: the file will grow", read, told.at)
    todo = "take a larger device: restoremeta calls it a success and leaves blocks out"
    return Check(_SIZE, Verdict.BLOCK, f"{text}: it is too small", read, told.at, todo)
