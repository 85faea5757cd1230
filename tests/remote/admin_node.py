"""An admin node and the hosts behind it: they take only the admin node's own key, never the client's."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from remote.clock import WallClock
from remote.live import LiveOptions, LiveSite
from remote.ssh.settings import SshSettings
from tests.openssh import Farm, Server


class AdminNode:
    """A server whose throw-away user has an ~/.ssh of its own: configuration, known_hosts and an identity."""

    def __init__(self, farm: Farm, name: str, shell: str, env: Mapping[str, str] | None = None) -> None:
        self.farm = farm
        account = farm.account(shell)
        if not account.owned:
            pytest.skip("only root can make a user with an ~/.ssh of its own")
        self.server = farm.server(name, shell=shell, env=env)
        self.name = name
        ssh = account.home / ".ssh"
        if not ssh.exists():
            account.directory(".ssh").chmod(0o700)
        self.known_hosts = ssh / "known_hosts"
        self.config = ssh / "config"
        self.key = ssh / f"id-{name}"
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "admin", "-f", str(self.key)]
        subprocess.run(command, check=True)
        self.public_key = farm.directory / f"{name}.pub"  # where the sshd of the hosts behind can read it
        self.public_key.write_bytes(Path(f"{self.key}.pub").read_bytes())
        for path in (self.key, self.config, self.known_hosts):
            path.touch(mode=0o600)
            account.give(path)

    def target(
        self,
        name: str,
        *,
        address: str = "127.0.0.1",
        shell: str = "sh",
        settings: str = "",
        env: Mapping[str, str] | None = None,
        known: bool = True,
        more: str = "",
    ) -> Server:
        """A host behind it. `more` are lines for it in the admin node's configuration."""
        settings += f"\nAuthorizedKeysFile {self.public_key}"
        server = self.farm.server(name, address=address, shell=shell, settings=settings, env=env)
        self.describe(name, f"{more}  HostName {address}\n  Port {server.port}\n  User {server.account.name}\n")
        if known:
            self.know(server)
        return server

    def describe(self, name: str, lines: str) -> None:
        """Tell the admin node's ssh of a host."""
        with self.config.open("a", encoding="utf-8") as file:
            file.write(f"Host {name}\n{lines}  IdentityFile {self.key}\n  IdentitiesOnly yes\n")

    def know(self, server: Server, key: str = "") -> None:
        """Write a host's key, or another one, into the admin node's known_hosts."""
        with self.known_hosts.open("a", encoding="utf-8") as file:
            file.write(f"{server.known_as} {key or server.public_key}\n")

    def site(self, *hosts: str, armed: bool = False, sudo: bool = False, seconds: float = 20.0) -> LiveSite:
        """A Site of the admin node and of hosts behind it; close it."""
        ssh = SshSettings(config_files=(self.farm.config,), through=self.name, connect_seconds=seconds)
        options = LiveOptions(poll_seconds=0.05, sudo=sudo, ssh=ssh)
        return LiveSite([self.name, *hosts], WallClock(), armed=armed, options=options)

    def inner(self, host: str = "") -> list[int]:
        """The ssh processes on the admin node that lead to hosts behind it."""
        return [pid for pid in self.server.processes(f"-- {host}") if pid in self.server.processes("oBatchMode")]


def new_key(directory: Path) -> str:
    """A public key that nobody has."""
    path = directory / "other_key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(path)], check=True)
    return " ".join(Path(f"{path}.pub").read_text(encoding="ascii").split()[:2])
