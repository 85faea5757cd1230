"""How commands connect: what a person named, and the Site and state made of it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from remote.clock import WallClock
from remote.events import Header
from remote.live import LiveOptions, LiveSite
from remote.recorder import RecordingSite
from remote.recording import VERSION
from remote.ssh.settings import SshSettings
from supervision import filesystems
from supervision.journal import Journal
from supervision.store import Store
from supervision.supervisor import Supervisor
from tui.asking import ask_host_key, ask_secret


class Target(msgspec.Struct, frozen=True):
    """The host to enter by, as whom, and how to get there. `through`: reach all others by ssh from that host.

    `kind` is what the file system is that is meant there.
    """

    host: str
    user: str = ""
    config: Path | None = None
    jump: str = ""
    through: str = ""
    sudo: bool = False
    kind: str = filesystems.USUAL

    def named(self, destination: str) -> Target:
        """The same way to `[USER@]HOST`."""
        user, _, host = destination.rpartition("@")
        return msgspec.structs.replace(self, host=host, user=user)


def settings_for(target: Target) -> SshSettings:
    """How to reach a target; questions go to the terminal."""
    return SshSettings(
        config_files=(target.config,) if target.config else None,
        ask_host_key=ask_host_key,
        ask_secret=ask_secret,
        user=target.user,
        jump=target.jump,
        through=target.through,
    )


def look(target: Target, fs: str) -> Supervisor:
    """A supervisor that only looks: nothing is armed, and nothing is written to a file."""
    options = LiveOptions(sudo=target.sudo, ssh=settings_for(target))
    site = LiveSite((target.host,), WallClock(), options=options)
    now = site.clock.now()
    header = Header(VERSION, "look", now, now, fs, site.hosts, target.host, kind=target.kind)
    journal = Journal(Store(header))
    return Supervisor(RecordingSite(site, journal.emit, prepare=journal.prepare), journal, fs=fs, entry=target.host)
