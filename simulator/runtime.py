"""The whole simulator: directories, keys, servers, and an orderly end."""

from __future__ import annotations

import asyncio
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncssh

from simulator import commands, scenario_seed, shims
from simulator.clock import TZ_VARIABLE, Clock
from simulator.control import ControlServer
from simulator.hardware import Host
from simulator.processes import Processes
from simulator.shimserver import ShimServer
from simulator.sshd import HostServer
from simulator.state import Cluster
from simulator.world import World

# A Unix socket's path has 108 bytes with its NUL.
MAX_SOCKET_PATH = 100
KILL_SECONDS = 10.0

SCENARIOS: dict[str, tuple[Callable[[], Cluster], float, str]] = {
    scenario_seed.NAME: (scenario_seed.build, scenario_seed.EPOCH, scenario_seed.ENTRY)
}
"""By name: what builds the cluster, when it begins (UNIX seconds), and the host to enter by."""


class SetupError(Exception):
    """The simulator cannot start; the text is for a person, on one line."""


def prepare(directory: Path) -> Path:
    """Create the directory, or take an empty one. Raises SetupError if it cannot be used."""
    directory = directory.absolute()
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

    def __init__(self, scenario: str, directory: Path, speed: float) -> None:
        if scenario not in SCENARIOS:
            raise SetupError(f"no scenario {scenario!r}: {', '.join(SCENARIOS)}")
        build, epoch, self.entry = SCENARIOS[scenario]
        try:
            clock = Clock(epoch, speed)
        except ValueError as problem:
            raise SetupError(str(problem)) from None
        self.world = World(build(), clock)
        self.directory = directory
        self.stopped = asyncio.Event()
        self._token = secrets.token_hex(16)
        self._processes = Processes()
        self._shims = ShimServer(self.world, self._token, commands.execute)
        self._control = ControlServer(self.world, self.stopped.set, lambda: self._shims.refused)
        self._hosts: list[HostServer] = []
        self.ready: dict[str, Any] = {}

    async def start(self) -> None:
        """Start everything. Raises OSError if a file, a port or a program cannot be had."""
        self._processes.start()
        known_here = [name for name in commands.HANDLERS if self.world.dialect.has(name) and name not in shims.OTHERS]
        shims.write(self.directory / "bin", known_here)
        port = await self._shims.start()
        client_key = asyncssh.generate_private_key("ssh-ed25519")
        identity = self.directory / "id_ed25519"
        self._write(identity, client_key.export_private_key())
        known: list[str] = []
        config: list[str] = []
        for host in self.world.cluster.hosts.values():
            host_key = asyncssh.generate_private_key("ssh-ed25519")
            server = HostServer(self._processes, self._environment(host, port), self._home(host))
            self._hosts.append(server)
            ssh_port = await server.start(host_key, client_key)
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
        }

    async def stop(self) -> None:
        """Stop serving, kill and reap every descendant, remove the socket. Raises OSError if somebody is left."""
        await self._control.stop()
        (self.directory / "control").unlink(missing_ok=True)
        left = await self._processes.kill_all(KILL_SECONDS)
        await self._shims.stop()
        await self.world.stop()
        await asyncio.gather(*(server.stop() for server in self._hosts))
        left |= await self._processes.kill_all(1.0)
        if left:
            raise OSError(f"processes that could not be killed: {sorted(left)}")

    def _home(self, host: Host) -> Path:
        base = self.directory / "hosts" / host.name
        home = base / "root"
        home.mkdir(parents=True, mode=0o700)
        (base / "var" / "lib").mkdir(parents=True)
        return home

    def _environment(self, host: Host, port: int) -> dict[str, str]:
        base = self.directory / "hosts" / host.name
        return {
            "PATH": f"{self.directory / 'bin'}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": str(base / "root"),
            "USER": "root",
            "LOGNAME": "root",
            "SHELL": shutil.which("sh", path="/bin") or "/bin/sh",
            "TZ": TZ_VARIABLE,
            "RESTRIPE_JOBS": str(base / "var" / "lib" / "restripe"),
            "RESTRIPE_BOOT_ID": host.boot_id,
            "SIM_HOST": host.name,
            "SIM_NAME": host.daemon_name,
            "SIM_PORT": str(port),
            "SIM_TOKEN": self._token,
        }

    def _host_config(self, host: Host, port: int, identity: Path) -> str:
        short = host.admin_name.partition(".")[0]
        return (
            f"Host {host.name} {host.daemon_name} {short} {host.admin_name}\n"
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
