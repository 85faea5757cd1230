"""What hosts tell before a work on a GFS2: all as it must be, each answer to be changed by a test."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import msgspec

from remote.events import Exact, Reply
from remote.gfs2.cluster import Node, NodeState, Resource
from remote.gfs2.models import ResourceGroups, Superblock
from remote.gfs2.saved import MAGIC
from remote.gfs2.use import ManagerAnswer, Use
from remote.linux.blkid import Probed
from remote.linux.room import Room, Rooms
from remote.linux.work import Work
from remote.parsed import Parsed
from supervision.facts import Fact
from supervision.gfs2_checks import Check, Verdict, Wanted, checks_for

DEVICE = "/dev/vg/home"
HOST, OTHER = "pollux1", "pollux2"
OUT = "/var/tmp/home.gz"
UUID = "0d9b438d-66af-4b8a-a559-d2c28a88db74"
TABLE = "alpha:home"
BLOCKS = 100_000
NOW = 1_000_000.0
SAVE = Wanted("savemeta", HOST, DEVICE, OUT)
FSCK = Wanted("fsck", HOST, DEVICE)
RESTORE = Wanted("restoremeta", HOST, "/dev/vg/copy", OUT)
GIB = 1 << 30


def fact(key: str, model: object, *, failure: str = "", answer: str = "", at: float = NOW) -> Fact:
    """An answer."""
    parsed = None if model is None else Parsed(model)
    source = Reply(0, Exact(answer.encode()))
    return Fact(key, HOST, f"ask {key}", at, 1.0, parsed, source, failure, at if failure else 0.0)


def use(device: str = DEVICE, **changes: Any) -> Use:
    """A node of a cluster of two on which nothing is mounted, the resource being disabled."""
    told = Use(
        device,
        True,
        ("253:4",),
        True,
        asked_nodes=ManagerAnswer.TOLD,
        nodes=(Node(HOST, NodeState.MEMBER), Node(OTHER, NodeState.MEMBER)),
        nodes_by="crm_node",
        asked_resources=ManagerAnswer.TOLD,
        resources=(Resource("home", DEVICE, "/srv/home", True, "253:4"),),
    )
    return msgspec.structs.replace(told, **changes)


def alone(device: str = DEVICE) -> Use:
    """A host without any cluster manager."""
    return Use(device, True, ("253:4",), True)


def room(path: str = OUT, kind: str = "absent", **changes: Any) -> Room:
    """A path on a disk with 100 GiB free."""
    fields = {"directory": True, "file_system": "xfs", "free": 100 * GIB, "number": "8:1", **changes}
    return Room(path, kind, **fields)


def header(size: int = 10 * GIB) -> bytes:
    """How a file of savemeta begins."""
    return struct.pack(">IIQQ", MAGIC, 1, 0, size).ljust(128, b"\0")


GOOD: Mapping[str, Any] = {
    f"blkid {DEVICE}": (Probed(DEVICE, "gfs2", "filesystem", TABLE, UUID, 4096),),
    f"sb {DEVICE}": Superblock(4096, 1801, 1900, "lock_dlm", TABLE, UUID),
    f"rgs {DEVICE}": ResourceGroups((), 1, BLOCKS, 7, BLOCKS),
    f"gfs2 use {HOST}": use(),
    f"gfs2 use {OTHER}": use(),
    f"room {HOST}": Rooms((room(),)),
    f"work {HOST}": Work("boot", NOW),
}
GOOD_TARGET: Mapping[str, Any] = {
    "blkid /dev/vg/copy": (),
    f"gfs2 use {HOST}": use("/dev/vg/copy", numbers=("253:5",)),
    f"gfs2 use {OTHER}": use("/dev/vg/copy", numbers=("253:5",)),
    f"room {HOST}": Rooms((room(OUT, "file", size=5, header=header()), room("/dev/vg/copy", "block", size=10 * GIB))),
    f"work {HOST}": Work("boot", NOW),
}


def facts(changes: Mapping[str, Any] | None = None, good: Mapping[str, Any] = GOOD) -> dict[str, Fact]:
    """All answers, some of them changed: a model or a whole fact; None for what was not asked."""
    told = {**good, **(changes or {})}
    return {
        key: value if isinstance(value, Fact) else fact(key, value) for key, value in told.items() if value is not None
    }


def checks(wanted: Wanted, changes: Mapping[str, Any] | None = None, **more: Any) -> list[Check]:
    """The checks of a work."""
    good = GOOD_TARGET if wanted.work == "restoremeta" else GOOD
    return list(checks_for(wanted, facts(changes, good), **more))


def bad(found: list[Check]) -> list[tuple[str, Verdict]]:
    """Those that did not pass, by their names."""
    return [(check.name, check.verdict) for check in found if check.verdict is not Verdict.PASSED]


def only(found: list[Check]) -> Check:
    """The one that did not pass."""
    (one,) = [check for check in found if check.verdict is not Verdict.PASSED]
    return one
