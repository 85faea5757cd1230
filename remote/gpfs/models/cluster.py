"""Nodes and the cluster as a whole: `mmlscluster`, `mmgetstate`, `mmlsconfig`, `mmlsmgr`, `mmlsmount`."""

from __future__ import annotations

import msgspec


class ClusterNode(msgspec.Struct, frozen=True):
    """One row of the node table of `mmlscluster`.

    The daemon and the admin name may lie on different networks; commands want the admin name. `designation`
    is in the words of the human form (`quorum-manager-perfmon`) whichever form was read, "" for a plain client.
    """

    number: int
    daemon_name: str
    address: str
    admin_name: str
    designation: str

    @property
    def roles(self) -> tuple[str, ...]:
        """The designation word by word."""
        return tuple(self.designation.split("-")) if self.designation else ()

    @property
    def quorum(self) -> bool:
        """Whether it is a quorum node."""
        return "quorum" in self.roles

    @property
    def manager(self) -> bool:
        """Whether file system managers are chosen from it."""
        return "manager" in self.roles


class Cluster(msgspec.Struct, frozen=True):
    """`mmlscluster`. A line that the release does not print leaves "".

    `cluster_id` is text because it exceeds 2**53. `primary` and `secondary` are the configuration servers
    that clusters without CCR have. `ces` and `cnfs` are the daemon names of the nodes that export it to clients without
    GPFS; the human form tells them apart with options of its own alone.
    """

    name: str
    cluster_id: str
    uid_domain: str
    remote_shell: str
    remote_copy: str
    repository: str
    primary: str
    secondary: str
    nodes: tuple[ClusterNode, ...]
    ces: tuple[str, ...] = ()
    cnfs: tuple[str, ...] = ()


class NodeState(msgspec.Struct, frozen=True):
    """One node's row of `mmgetstate`.

    `name` is short in the human form and may be short or full with `-Y`. `state` is as printed: `active`,
    `arbitrating`, `down`, or `unknown` when the node cannot be reached. `quorum` is the number of quorum nodes
    that are needed; it, `nodes_up` and `nodes_total` are None without `-L`. `tiebreaker` tells that tiebreaker
    disks take part in the quorum.
    """

    number: int
    name: str
    state: str
    quorum: int | None = None
    nodes_up: int | None = None
    nodes_total: int | None = None
    remarks: str = ""
    tiebreaker: bool = False

    @property
    def active(self) -> bool:
        """Whether GPFS runs there and has quorum."""
        return self.state == "active"


class QuorumSummary(msgspec.Struct, frozen=True):
    """The summary of `mmgetstate -s`, in nodes. None where a line was missing."""

    defined: int | None = None
    active: int | None = None
    remote_joined: int | None = None
    quorum_defined: int | None = None
    quorum_active: int | None = None
    quorum_needed: int | None = None
    achieved: bool | None = None


class NodeStates(msgspec.Struct, frozen=True):
    """`mmgetstate`. `unreachable` are the names that it lists as not having answered."""

    nodes: tuple[NodeState, ...]
    unreachable: tuple[str, ...] = ()
    summary: QuorumSummary | None = None

    def get(self, name: str) -> NodeState | None:
        """The node of that name, as printed."""
        return next((node for node in self.nodes if node.name == name), None)


class ConfigEntry(msgspec.Struct, frozen=True):
    """One value of `mmlsconfig`. `nodes` are the names of its section (nodes or node classes), () for all nodes.

    `value` is None where the parameter is told to be undefined.
    """

    parameter: str
    value: str | None
    nodes: tuple[str, ...] = ()


class ClusterConfig(msgspec.Struct, frozen=True):
    """`mmlsconfig`. `cluster` is "" when only some parameters were asked for; `file_systems` are devices."""

    cluster: str
    entries: tuple[ConfigEntry, ...]
    file_systems: tuple[str, ...] = ()

    def get(self, parameter: str) -> str | None:
        """The value that holds for all nodes without one of their own; None when it is not told."""
        return next((entry.value for entry in self.entries if entry.parameter == parameter and not entry.nodes), None)

    def overrides(self, parameter: str) -> tuple[ConfigEntry, ...]:
        """The values that hold for some nodes."""
        return tuple(entry for entry in self.entries if entry.parameter == parameter and entry.nodes)


class Callback(msgspec.Struct, frozen=True):
    """A program that GPFS runs when one of the events happens. `fields` are all that was told, by their names."""

    name: str
    command: str
    events: tuple[str, ...] = ()
    fields: dict[str, str] = {}


class Callbacks(msgspec.Struct, frozen=True):
    """`mmlscallback`; none is an answer too."""

    callbacks: tuple[Callback, ...] = ()


class Guest(msgspec.Struct, frozen=True):
    """Another cluster and the file systems that it may mount."""

    cluster: str
    file_systems: tuple[str, ...] = ()


class Guests(msgspec.Struct, frozen=True):
    """`mmauth show` without the cluster itself; none is an answer too."""

    guests: tuple[Guest, ...] = ()

    def of(self, fs: str) -> tuple[str, ...]:
        """The clusters that may mount a file system."""
        return tuple(guest.cluster for guest in self.guests if fs in guest.file_systems)


class FsManager(msgspec.Struct, frozen=True):
    """The manager node of a file system. `address` is "" where it is not printed."""

    fs: str
    node: str
    address: str = ""


class Managers(msgspec.Struct, frozen=True):
    """`mmlsmgr`. The cluster manager's name and address are "" where they are not printed."""

    file_systems: tuple[FsManager, ...]
    cluster_manager: str = ""
    cluster_manager_address: str = ""

    def of(self, fs: str) -> FsManager | None:
        """The manager of a file system."""
        return next((manager for manager in self.file_systems if manager.fs == fs), None)


class MountedNode(msgspec.Struct, frozen=True):
    """A node that has a file system mounted. `cluster` and `mode` (`RW`) are "" where they are not printed."""

    address: str
    name: str
    cluster: str = ""
    mode: str = ""


class FsMounts(msgspec.Struct, frozen=True):
    """Where a file system is mounted. `nodes` is () without `-L`, whatever `count` says."""

    fs: str
    count: int
    nodes: tuple[MountedNode, ...] = ()


class Mounts(msgspec.Struct, frozen=True):
    """`mmlsmount`."""

    file_systems: tuple[FsMounts, ...]

    def of(self, fs: str) -> FsMounts | None:
        """The mounts of one file system."""
        return next((mounts for mounts in self.file_systems if mounts.fs == fs), None)
