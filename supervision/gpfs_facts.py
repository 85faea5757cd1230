"""The facts of one GPFS file system, by the kind of model that they hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from remote.gpfs.models import (
    Callbacks,
    Cluster,
    ClusterConfig,
    Discovery,
    DiskList,
    FileSystem,
    FsSpace,
    Guests,
    Managers,
    Mounts,
    NodeHealth,
    NodeStates,
    NsdDevices,
    NsdList,
    Qos,
    Snapshots,
    Waiters,
)
from remote.linux.host_time import HostTime
from remote.linux.inventory import Contents, Inventory
from remote.linux.models import BlockDevices
from remote.linux.nightly import NightlyJobs
from remote.linux.scans import RunningScans
from supervision.facts import Fact
from supervision.state import State

T = TypeVar("T")
_OF_HOST: Mapping[type, str] = {
    BlockDevices: "devices",
    Inventory: "inventory",
    Contents: "contents",
    Discovery: "discovery",
    HostTime: "time",
    Waiters: "waiters",
    NodeHealth: "health",
    RunningScans: "programs",
    NightlyJobs: "nightly",
}


def facts_of(state: State) -> GpfsFacts:
    """The facts of the session's GPFS file system."""
    return GpfsFacts(state.facts, state.header.file_system)


class GpfsFacts:
    """The facts of one GPFS file system, by the kind of model that they hold."""

    def __init__(self, facts: Mapping[str, Fact], fs: str) -> None:
        self._facts = facts
        self._keys: dict[type, str] = {
            Cluster: "cluster",
            FileSystem: f"filesystem {fs}",
            DiskList: f"disks {fs}",
            FsSpace: f"space {fs}",
            NsdDevices: "nsd devices",
            NsdList: "nsds",
            NodeStates: "node states",
            Managers: "managers",
            Mounts: f"mounts {fs}",
            Qos: f"qos {fs}",
            ClusterConfig: "configuration",
            Callbacks: "callbacks",
            Guests: "guests",
            Snapshots: f"snapshots {fs}",
        }

    def fact(self, kind: type, host: str = "") -> Fact | None:
        """The fact as it was told, with its age and problems; `host` for what belongs to one host."""
        if kind in _OF_HOST:
            return self._facts.get(f"{_OF_HOST[kind]} {host}")
        if kind is NodeStates and host:
            return self._facts.get(f"node state {host}")
        return self._facts.get(self._keys[kind])

    def get(self, kind: type[T], host: str = "") -> T | None:
        """The last good model of that kind; None until there was one."""
        fact = self.fact(kind, host)
        model = fact.parsed.model if fact and fact.parsed else None
        return model if isinstance(model, kind) else None
