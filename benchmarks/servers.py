"""Real OpenSSH servers on many loopback addresses, for fan-out and for logs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from remote.clock import WallClock
from remote.live import LiveOptions, LiveSite
from remote.ssh.settings import SshSettings
from tests import openssh

SERVERS = 8
ADDRESSES = 16
NET = 16
"""The third number of the first server's addresses: 127.0.16.1 to 127.0.16.16, then 127.0.17.1, and so on."""


class Fan:
    """`SERVERS` servers with `ADDRESSES` addresses each; all of them are hosts, and their addresses are their names."""

    def __init__(self, farm: openssh.Farm, env: Mapping[str, str] | None = None) -> None:
        self._env = env
        self.config = farm.directory / "fan_config"
        self.hosts: list[str] = []
        self.servers = [self._serve(farm, f"127.0.{NET + number}") for number in range(SERVERS)]

    def _serve(self, farm: openssh.Farm, net: str) -> openssh.Server:
        names = [f"{net}.{number}" for number in range(1, ADDRESSES + 1)]
        more = "\n".join(f"ListenAddress {name}" for name in names[1:])
        server = farm.server(
            f"fan-{net}", address=names[0], settings=f"LogLevel INFO\n{more}", env=self._env, known=False
        )
        with farm.known_hosts.open("a", encoding="utf-8") as file:
            file.writelines(f"[{name}]:{server.port} {server.public_key}\n" for name in names)
        with self.config.open("a", encoding="utf-8") as file:
            file.write(
                f"Host {net}.*\n  Port {server.port}\n  User {server.account.name}\n  IdentityFile {farm.key}\n"
                f"  IdentitiesOnly yes\n  UserKnownHostsFile {farm.known_hosts}\n"
            )
        self.hosts += names
        return server

    def site(self, hosts: list[str]) -> LiveSite:
        """Our side, with no connection yet."""
        return LiveSite(hosts, WallClock(), options=LiveOptions(ssh=SshSettings(config_files=(self.config,))))


@contextlib.contextmanager
def fan(env: Mapping[str, str] | None = None) -> Iterator[Fan]:
    """The servers, gone afterwards; `env` is what every session finds in its environment."""
    with openssh.farm() as farm:
        yield Fan(farm, env)


def have_sshd() -> bool:
    """Whether there is a server to measure with."""
    return openssh.SSHD is not None and Path(openssh.SSHD).exists()
