"""How to connect, as a person wants it: files, deadlines, who is asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec

from remote.hostkeys import HostKeyQuestion, Trust
from remote.secret import SecretQuestion

CONNECT_SECONDS = 20.0
KEEPALIVE_SECONDS = 15.0
KEEPALIVE_COUNT = 3
CHANNELS = 8
"""Channels at once on one connection: OpenSSH's MaxSessions is 10, and a person may want one too."""


async def _trust_nobody(_question: HostKeyQuestion) -> Trust:
    return Trust.NO


async def _no_secrets(_question: SecretQuestion) -> str | None:
    return None


class SshSettings(msgspec.Struct, frozen=True):
    """How to connect. `config_files` None means ~/.ssh/config and /etc/ssh/ssh_config; `-F FILE` replaces both.

    `ask_host_key` decides about unknown host keys; nobody decides about a changed one. `ask_secret` is asked for
    passwords and passphrases. `connect_seconds` bounds a whole connect with its authentication, without the time
    that a person takes; `keepalive_seconds` times `KEEPALIVE_COUNT` + 1 finds a dead peer. `user` and `jump` override
    the configuration; hosts other than `through` are reached by ssh from there.
    """

    config_files: tuple[Path, ...] | None = None
    ask_host_key: Callable[[HostKeyQuestion], Awaitable[Trust]] = _trust_nobody
    ask_secret: Callable[[SecretQuestion], Awaitable[str | None]] = _no_secrets
    connect_seconds: float = CONNECT_SECONDS
    keepalive_seconds: float = KEEPALIVE_SECONDS
    user: str = ""
    jump: str = ""
    through: str = ""

    def files(self) -> list[Path]:
        """The configuration files that exist; a file named by the user must."""
        if self.config_files is not None:
            return list(self.config_files)
        usual = (Path.home() / ".ssh" / "config", Path("/etc/ssh/ssh_config"))
        return [path for path in usual if path.is_file()]
