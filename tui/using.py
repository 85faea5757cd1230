"""Settings as commands use them: loaded or refused with status 2, joined with flags, and applied to a connection."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from remote.command import Command
from remote.text import one_line
from supervision import filesystems
from supervision.supervisor import Cadence
from tui.connecting import Target
from tui.exits import Exit
from tui.settings import Refresh, Settings, SettingsError, load


def settings_or_exit(*, theme: str | None = None, mouse: bool | None = None) -> Settings:
    """What is set; what cannot be meant ends the program before anything is connected to."""
    try:
        settings = load({"theme": theme, "mouse": mouse})
        if settings.config.keys:
            check_keys(settings)
    except SettingsError as error:
        for line in str(error).splitlines():
            sys.stderr.write(f"restripe: {one_line(line)}\n")
        sys.exit(Exit.USAGE)
    return settings


def check_keys(settings: Settings) -> dict[str, str]:
    """The keys that were set; every screen is loaded for that, since they have the names."""
    from tui.keymap import keymap

    return keymap(settings)


def way(
    settings: Settings,
    destination: str,
    fs: str | None,
    *,
    gfs2: str | None = None,
    config: Path | None,
    jump: str | None,
    through: str | None,
    sudo: bool | None,
) -> tuple[Target, str]:
    """How to reach `[USER@]HOST`, and which file system is meant there: None is what no flag said.

    `gfs2` is the path of a device.
    """
    _key, usual = settings.host(destination)
    target = Target(
        "",
        config=config,
        jump=(usual.jump or "") if jump is None else jump,
        through=(usual.through or "") if through is None else through,
        sudo=bool(usual.sudo) if sudo is None else sudo,
        kind="gfs2" if gfs2 else filesystems.USUAL,
    ).named(destination)
    if not target.user and usual.user:
        target = msgspec.structs.replace(target, user=usual.user)
    return target, gfs2 or ((usual.fs or "") if fs is None else fs)


def slowed(cadences: Sequence[Cadence], costly: Sequence[Command], limits: Refresh) -> tuple[Cadence, ...]:
    """The same questions, none more often than a person allows."""
    return tuple(
        msgspec.structs.replace(
            cadence,
            seconds=max(
                cadence.seconds,
                limits.costly if any(command in costly for command in cadence.commands) else limits.routine,
            ),
        )
        for cadence in cadences
    )
