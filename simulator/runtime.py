"""The whole simulator: directories, keys, servers, and an orderly end."""

from __future__ import annotations

import asyncio
import os
import secrets
from pathlib import Path
from typing import Any

import asyncssh

from simulator import commands, scenarios, shims
from simulator.clock import Clock
from simulator.control import ControlServer
from simulator.hardware import Host
from simulator.livefiles import LiveFiles
from simulator.machines import Machine
from simulator.operations import Operations
from simulator.processes import Processes
from simulator.shimserver import ShimServer
from simulator.traffic import Traffic
from simulator.world import World


class SetupError(Exception):
    """The simulator cannot start; the text is for a person, on one line."""


# A Unix socket's path has 108 bytes with its NUL.
MAX_SOCKET_PATH = 100
KILL_SECONDS = 10.0


def prepare(directory: Path) -> Path:
    """Create the directory, or take an empty one. Raises SetupError if it cannot be used."""
    # Without its `..`: the path of a socket must be short.
    directory = Path(os.path.abspath(directory))  # noqa: PTH100
    if len(bytes(directory / "control")) > MAX_SOCKET_PATH:
        raise SetupError(f"{directory}: the path is too long for a Unix socket")
    try:
        directory.mkdir(mode=0o700, exist_ok=True)
        if any(directory.iterdir()):
            raise SetupError(f"{directory}: the directory is not empty")
        directory.chmod(0o700)
    except OSError as problem:
        raise SetupError(f"{directory}: {problem.strerror or problem}") from None
    return directory


class Simulator:
    """One simulated cluster. `ready` is the announcement once `start` has returned."""

    def __init__(
        self, scenario: str, directory: Path, speed: float, hosts: int | None = None, disks: int | None = None
    ) -> None:
        try:
            chosen = scenarios.choose(scenario, hosts, disks)
            clock = Clock(chosen.epoch, speed)
        except ValueError as problem:
            raise SetupError(str(problem)) from None
        self.world = World(chosen.cluster, clock, chosen.policies)
        self.entry = chosen.entry
        self.directory = directory
        self.stopped = asyncio.Event()
        self._token = secrets.token_hex(16)
        self._processes = Processes()
        self._shims = ShimServer(self.world, self._token, commands.execute)
        self.machines: dict[str, Machine] = {}
        self.traffic = Traffic(self.world)
        operations = Operations(self.world, self.machines, self.directory, self.traffic)
        self._control = ControlServer(operations, self.stopped.set, lambda: self._shims.refused)
        self.world.renew = self._renew
        self.ready: dict[str, Any] = {}

    async def _renew(self) -> None:
        for machine in self.machines.values():
            await machine.sysroot.renew()

    async def start(self) -> None:
        """Start everything. Raises OSError if a file, a port or a program cannot be had."""
        self._processes.start()
        known_here = [name for name in commands.HANDLERS if self.world.dialect.has(name) and name not in shims.OTHERS]
        shims.write(self.directory / "bin", known_here)
        common = {
            "PATH": f"{self.directory / 'bin'}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "SIM_PORT": str(await self._shims.start()),
            "SIM_TOKEN": self._token,
            "RESTRIPE_PROBE_HOOK": str(self.directory / "bin" / shims.OPERATION),
        }
        shared = self.directory / "fs"
        shared.mkdir()
        shared.chmod(0o1777)
        client_key = asyncssh.generate_private_key("ssh-ed25519")
        identity = self.directory / "id_ed25519"
        self._write(identity, client_key.export_private_key())
        known: list[str] = []
        config: list[str] = []
        for host in self.world.cluster.hosts.values():
            host_key = asyncssh.generate_private_key("ssh-ed25519")
            base = self.directory / "hosts" / host.name
            live = LiveFiles(self.world, host, self.traffic, base / "live", self.directory / "fs")
            machine = Machine(host, self._processes, base, common, live)
            self.machines[host.name] = machine
            ssh_port = await machine.start(host_key, client_key)
            public = " ".join(host_key.export_public_key().decode("ascii").split()[:2])
            known.append(f"{host.name},[127.0.0.1]:{ssh_port} {public}\n")
            config.append(self._host_config(host, ssh_port, identity))
        self._write(self.directory / "known_hosts", "".join(known).encode())
        self._write(self.directory / "ssh_config", "\n".join(config).encode())
        control = self.directory / "control"
        await self._control.start(control)
        clock, cluster = self.world.clock, self.world.cluster
        self.ready = {
            "ready": True,
            "dir": str(self.directory),
            "ssh_config": str(self.directory / "ssh_config"),
            "control": str(control),
            "clock": {"epoch": clock.epoch, "monotonic": clock.started, "speed": clock.speed},
            "hosts": list(cluster.hosts),
            "entry": self.entry,
            "fs": cluster.fs.name,
            "cluster": cluster.name,
            "release": cluster.dialect.name,
        }

    async def stop(self) -> None:
        """Stop serving, kill and reap every descendant, remove the socket. Raises OSError if somebody is left."""
        await self._control.stop()
        (self.directory / "control").unlink(missing_ok=True)
        left = await self._processes.kill_all(KILL_SECONDS)
        await self._shims.stop()
        await self.world.stop()
        await asyncio.gather(*(machine.stop() for machine in self.machines.values()))
        left |= await self._processes.kill_all(1.0)
        if left:
            raise OSError(f"processes that could not be killed: {sorted(left)}")

    def _host_config(self, host: Host, port: int, identity: Path) -> str:
        short = host.admin_name.partition(".")[0]
        names = " ".join(dict.fromkeys((host.name, host.daemon_name, short, host.admin_name)))
        return (
            f"Host {names}\n"
            f"  HostName 127.0.0.1\n"
            f"  Port {port}\n"
            f"  User root\n"
            f"  HostKeyAlias {host.name}\n"
            f'  IdentityFile "{identity}"\n'
            f"  IdentitiesOnly yes\n"
            f'  UserKnownHostsFile "{self.directory / "known_hosts"}"\n'
            f"  StrictHostKeyChecking yes\n"
        )

    @staticmethod
    def _write(path: Path, data: bytes) -> None:
        path.touch(mode=0o600)
        path.write_bytes(data)
