"""What is at a path on a host, and the room where it lies or would lie: what `restripe-room` tells of files."""

from __future__ import annotations

import msgspec

from remote.command import Command, Effect


def room(*paths: str) -> Command:
    """Ask a host what is at each of the absolute paths, and of the file systems on which they lie.

    Raises ValueError for a path that is not absolute.
    """
    for path in paths:
        if not path.startswith("/"):
            raise ValueError(f"not an absolute path: {path!r}")
    return Command(("restripe-room", *paths), Effect.READS, deadline=20.0, privileged=True)


class Room(msgspec.Struct, frozen=True):
    """What is at `path`, links followed: `kind` is `file`, `directory`, `block`, `other` or `absent`; `size` in bytes
    of a file or block device, None where it cannot be told.

    Of the directory in which it lies: whether it is there, the kind of file system (`ext4`, `gfs2`), bytes that are
    free for an ordinary user, and `MAJOR:MINOR` of the device under it.
    """

    path: str
    kind: str = ""
    size: int | None = None
    directory: bool = False
    file_system: str = ""
    free: int | None = None
    number: str = ""


class Rooms(msgspec.Struct, frozen=True):
    """An answer: one entry for each path that was asked for."""

    rooms: tuple[Room, ...] = ()

    def at(self, path: str) -> Room | None:
        """What was told of a path."""
        return next((room for room in self.rooms if room.path == path), None)
