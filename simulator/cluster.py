"""The cluster: its hosts, its NSDs and its file system, and what happens to devices. Pure, no I/O."""

from __future__ import annotations

from dataclasses import dataclass, field

from simulator.dialects import DIALECTS, Dialect
from simulator.hardware import Destroyed, Device, Host
from simulator.state import FileSystem, Nsd


@dataclass
class Cluster:
    """Everything the commands speak of."""

    name: str
    cluster_id: str
    primary: str
    secondary: str
    hosts: dict[str, Host]
    nsds: dict[str, Nsd]
    fs: FileSystem
    destroyed: list[Destroyed] = field(default_factory=list)
    last_volume_time: int = 0
    dialect: Dialect = DIALECTS["3.5"]
    admins: frozenset[str] = frozenset()
    """Hosts that may run mm commands (adminMode central); empty for all (allToAll)."""
    config: dict[str, dict[str, str]] = field(default_factory=dict)
    """Configuration by section (`common`, or nodes joined by commas), as `mmlsconfig` lists it."""
    tiebreakers: tuple[str, ...] = ()
    ces_addresses: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Addresses of the protocol nodes, by host."""
    callbacks: dict[str, tuple[str, str]] = field(default_factory=dict)
    """What GPFS runs by itself, by name: the command, and the events joined by commas."""
    _names: dict[str, Host] = field(default_factory=dict, repr=False)
    _by_wwn: dict[str, list[tuple[Host, Device]]] = field(default_factory=dict, repr=False)

    def find_host(self, name: str) -> Host | None:
        """The node with this name, alias or address."""
        if not self._names:
            self._names = {each: host for host in self.hosts.values() for each in host.names}
        return self._names.get(name)

    def sights(self, wwn: str) -> list[tuple[Host, Device]]:
        """Every host that sees a disk, with its device of it."""
        if not self._by_wwn:
            for host in self.hosts.values():
                for device in host.devices.values():
                    self._by_wwn.setdefault(device.wwn, []).append((host, device))
        return self._by_wwn.get(wwn, [])

    def forget_sights(self) -> None:
        """A host sees other devices than before."""
        self._by_wwn.clear()

    def local_device(self, nsd: Nsd, host: Host) -> Device | None:
        """The device of an NSD on a host; None where it is not seen or was overwritten."""
        sights = self.sights(nsd.device.wwn)
        device = next((device for seen_by, device in sights if seen_by is host), None)
        return device if device is not None and device.volume_id == nsd.volume_id else None

    @property
    def quorum_hosts(self) -> list[Host]:
        """The quorum nodes."""
        return [host for host in self.hosts.values() if host.quorum]

    @property
    def quorum_needed(self) -> int:
        """Quorum nodes that must be up."""
        return len(self.quorum_hosts) // 2 + 1

    def find_fs(self, name: str) -> FileSystem | None:
        """The file system with this device name, with or without /dev/."""
        return self.fs if name.removeprefix("/dev/") == self.fs.name else None

    def nsd_of(self, device: Device) -> Nsd | None:
        """The NSD that was made of a device."""
        return next((nsd for nsd in self.nsds.values() if nsd.device.wwn == device.wwn), None)

    def create_nsd(self, name: str, servers: tuple[str, ...], device: Device, now: float) -> Nsd:
        """Format a device as an NSD, whatever it holds: a mounted boot disk is destroyed like any other.

        The volume id is the first server's address and the time, never the same second twice.
        """
        host = self.hosts[servers[0]]
        stamp = max(int(now), self.last_volume_time + 1)
        self.last_volume_time = stamp
        if lost := host.content(device):
            self.destroyed.append(Destroyed(host.name, device.name, device.wwn, lost, now))
        nsd = Nsd(name, f"{host.address_hex}{stamp:08X}", servers, host.name, device)
        for sight, local in self.sights(device.wwn):
            sight.overwrite(local, nsd.volume_id, partition=self.dialect.at_least(4, 1))
        self.nsds[name] = nsd
        return nsd

    def delete_nsd(self, name: str) -> None:
        """Forget an NSD; its device is empty then, wherever it is seen."""
        nsd = self.nsds.pop(name)
        for host, device in self.sights(nsd.device.wwn):
            if device.volume_id == nsd.volume_id:
                host.overwrite(device, "", partition=False)

    @property
    def metadata_total_kb(self) -> int:
        """Metadata of the file system on all disks, without allocation maps; constant over any restripe."""
        return sum(disk.metadata_kb for disk in self.fs.disks)

    @property
    def metadata_left_kb(self) -> int:
        """Metadata that still lies on rotational devices."""
        return sum(disk.metadata_kb for disk in self.fs.disks if disk.nsd.device.rotational)
