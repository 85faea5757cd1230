"""Who uses a GFS2: where a host has one mounted, which nodes its cluster has, and what the cluster manager mounts.

`restripe-gfs2-use` is asked of one host and tells what that host knows. What pacemaker and corosync print is read in
`remote.gfs2.cluster`, the whole answer in `remote.gfs2.use_parsing`. Pure.
"""

from __future__ import annotations

from enum import Enum

import msgspec

from remote.command import Command, Effect
from remote.gfs2.cluster import Node, Resource

LOOK_SECONDS = 40.0
"""Seconds that it may take: each tool of the cluster has ten."""


def gfs2_use(device: str = "") -> Command:
    """Ask a host what it has mounted of GFS2, and what it knows of its cluster; with `device`, which one that is there.

    Only root may ask the cluster manager, as a rule.
    """
    words = (device,) if device else ()
    return Command(("restripe-gfs2-use", *words), Effect.READS, deadline=LOOK_SECONDS, privileged=True)


class Mounted(msgspec.Struct, frozen=True):
    """A mount. `number` is `MAJOR:MINOR` of its device, `kind` gfs2 or gfs2meta."""

    device: str
    directory: str
    kind: str
    number: str


class InKernel(msgspec.Struct, frozen=True):
    """A GFS2 that the kernel has, in whichever mount namespace: a name under /sys/fs/gfs2.

    `table` is its lock table, `CLUSTER:NAME`; of one without a cluster the name of its device. `number` and `uuid`, in
    small letters, are "" where they are not told.
    """

    table: str
    number: str = ""
    uuid: str = ""
    withdrawn: bool = False


class ManagerAnswer(Enum):
    """What came of asking the tools of a cluster."""

    TOLD = "told"
    NONE = "none"
    """No such tool on the host."""
    FAILED = "failed"


class Use(msgspec.Struct, frozen=True):
    """What a host tells. `device` is the one that was asked for, `exists` whether there is one by that path; `numbers`
    is what it goes by there: its own number, or those of the loop devices over a regular file.

    `name` is what the host calls itself, "" where not told: as a rule its name in the cluster, by whatever name it was
    reached. `nodes` are told by the tool `nodes_by`; `nodes_text` and `resources_text` are what one that failed said.
    `has_gfs2` is whether the kernel knows GFS2 now: without, nothing of it can be mounted.
    """

    device: str = ""
    exists: bool = False
    numbers: tuple[str, ...] = ()
    has_gfs2: bool | None = None
    mounts: tuple[Mounted, ...] = ()
    in_kernel: tuple[InKernel, ...] = ()
    asked_nodes: ManagerAnswer = ManagerAnswer.NONE
    nodes: tuple[Node, ...] = ()
    nodes_by: str = ""
    nodes_text: str = ""
    asked_resources: ManagerAnswer = ManagerAnswer.NONE
    resources: tuple[Resource, ...] = ()
    resources_text: str = ""
    name: str = ""

    def mounted(self, *, table: str = "", uuid: str = "") -> tuple[str, ...]:
        """Where the device that was asked for is in use on this host, in words; () where it is not.

        A lock table is the same on all nodes of a cluster, so is a UUID: with them it is found under any name.
        """
        found = [
            f"{mount.device} on {mount.directory}"
            for mount in self.mounts
            if mount.number in self.numbers or (self.device and mount.device == self.device)
        ]
        directories = {mount.number for mount in self.mounts if mount.number in self.numbers}
        for held in self.in_kernel:
            same = (
                (table and held.table == table) or (uuid and held.uuid == uuid.lower()) or held.number in self.numbers
            )
            if same and held.number not in directories:
                found.append(f"{held.table} in its kernel, by no name in the mounts")
        return tuple(found)
