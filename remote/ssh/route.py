"""How a host would be reached, as the SSH configuration says."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import asyncssh
import msgspec

from remote.hostkeys import known_hosts_files
from remote.ssh.settings import SshSettings
from remote.ssh.troubles import explain


class Route(msgspec.Struct, frozen=True):
    """How a host would be reached. `jump` is a chain of jump hosts, `command` what carries the connection."""

    name: str
    port: int
    user: str
    jump: str
    command: str
    identities: tuple[str, ...]
    certificates: tuple[str, ...]
    known_hosts: tuple[Path, ...]
    agent: str


async def route(settings: SshSettings, host: str) -> Route:
    """How `host` would be reached, as the configuration says. No connection is made.

    Raises UnreachableError where the configuration cannot be used.
    """
    try:
        named, read = await configured(settings, host, settings.user)
    except (asyncssh.Error, OSError, ValueError) as error:
        raise explain(host, error) from None
    command = read.proxy_command or ""
    return Route(
        read.host or named["host"],
        read.port or 22,
        read.username,
        settings.jump or (read.tunnel if isinstance(read.tunnel, str) else ""),
        command if isinstance(command, str) else " ".join(command),
        tuple(cast("list[str]", read.config.get("IdentityFile", []))),
        tuple(cast("list[str]", read.config.get("CertificateFile", []))),
        known_hosts(read),
        read.agent_path or "",
    )


async def configured(
    settings: SshSettings, host: str, user: str
) -> tuple[dict[str, Any], asyncssh.SSHClientConnectionOptions]:
    """What is named to the configuration for `host`, as `user` unless that is empty, and what it makes of it."""
    name, port = _bare(host)
    named: dict[str, Any] = {"host": name, "config": [str(path) for path in settings.files()]}
    if user:
        named["username"] = user
    if port:
        named["port"] = port
    return named, await asyncssh.SSHClientConnectionOptions.construct(**named)


def known_hosts(read: asyncssh.SSHClientConnectionOptions) -> tuple[Path, ...]:
    """The known_hosts files for what was read."""
    return known_hosts_files(
        cast("list[str]", read.config.get("UserKnownHostsFile", [])),
        cast("list[str]", read.config.get("GlobalKnownHostsFile", [])),
    )


def _bare(host: str) -> tuple[str, int | None]:
    """Split `host:port`; an IPv6 address needs brackets for a port."""
    if host.startswith("["):
        name, _, rest = host[1:].partition("]")
        return name, int(rest[1:]) if rest.startswith(":") and rest[1:].isdigit() else None
    name, colon, port = host.rpartition(":")
    if colon and ":" not in name and port.isdigit():
        return name, int(port)
    return host, None
