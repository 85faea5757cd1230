"""Who uses a GFS2: where a host has one mounted, which nodes its cluster has, and what the cluster manager mounts.

`restripe-gfs2-use` is asked of one host and tells what that host knows. What pacemaker and corosync print is read in
`remote.gfs2.cluster`.
"""

from __future__ import annotations

from enum import Enum

import msgspec

from remote.command import Command, Effect

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

    `table` is its lock table, `CLUSTER:NAME`; of one without a cluster the name of its device. `number` and `uuid` are
    "" where they are not told.
    """

    table: str
    number: str = ""
    uuid: str = ""
    withdrawn: bool = False


class NodeState(Enum):
    """What the cluster manager says of a node."""

    MEMBER = "member"
    AWAY = "away"
    UNKNOWN = "unknown"


class Node(msgspec.Struct, frozen=True):
    """A node that the cluster knows, by the name it goes by there."""

    name: str
    state: NodeState = NodeState.UNKNOWN


class Resource(msgspec.Struct, frozen=True):
    """A Filesystem agent of the cluster manager that mounts a GFS2. `disabled` is that it or what holds it (a clone, a
    group) is told to be stopped: None where rules decide that. `number` is the device's on this host, "" where unknown.
    """

    id: str
    device: str
    directory: str
    disabled: bool | None
    number: str = ""


class ManagerAnswer(Enum):
    """What came of asking the tools of a cluster."""

    TOLD = "told"
    NONE = "none"
    """No such tool on the host."""
    FAILED = "failed"


class Use(msgspec.Struct, frozen=True):
    """What a host tells. `device` is the one that was asked for, `numbers` what it goes by there: its own number, or
    those of the loop devices over a regular file; () where there is no such device.

    `nodes` are told by the tool `nodes_by`; `nodes_text` and `resources_text` are what a tool said that failed.
    `has_gfs2` is whether the kernel knows GFS2 now: without, nothing of it can be mounted.
    """

    device: str = ""
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
            same = (table and held.table == table) or (uuid and held.uuid == uuid) or held.number in self.numbers
            if same and held.number not in directories:
                found.append(f"{held.table} in its kernel, by no name in the mounts")
        return tuple(found)
