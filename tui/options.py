"""Options that several commands have."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., None])
_BOTH = "--fs or --gfs2, not both"


def on_screens(command: Command) -> Command:
    """What every command with screens can be told of them; unsaid, the environment and the file are asked."""
    themes = click.Choice(["dark", "light", "ansi"])
    command = click.option("--theme", type=themes, help="Colours; ansi: the terminal's own.")(command)
    return click.option("--mouse/--no-mouse", default=None, help="Whether the mouse is the program's.")(command)


def file_system(text: str) -> Callable[[Command], Command]:
    """Which file system is meant: `text` is the help of --fs."""

    def given(command: Command) -> Command:
        device = "Instead of --fs: the path of the device of a GFS2 file system on HOST."
        command = click.option("--gfs2", metavar="DEVICE", callback=_device, help=device)(command)
        return click.option("--fs", metavar="NAME", callback=_name, help=text)(command)

    return given


def _device(context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """A path that GFS2's tools take for a device; UsageError for any other, and beside --fs."""
    if value is None:
        return None
    from remote.gfs2.commands import device_trouble

    if why := device_trouble(value):
        raise click.UsageError(f"--gfs2: {why}")
    if context.params.get("fs"):
        raise click.UsageError(_BOTH)
    return value


def _name(context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and context.params.get("gfs2"):
        raise click.UsageError(_BOTH)
    return value


def named(kind: str, name: str) -> tuple[str, str]:
    """The option that means a file system of a kind, and its value."""
    return f"--{'fs' if kind == 'gpfs' else kind}", name


def way(command: Command) -> Command:
    """How a host is reached; unsaid, the configuration file is asked."""
    given = click.Path(exists=True, dir_okay=False, path_type=Path)
    command = click.option("--through", metavar="ADMIN", help="Reach every other host by ssh from this node.")(command)
    command = click.option("-J", "jump", metavar="JUMP", help="Jump host, as in ssh: [USER@]HOST[:PORT].")(command)
    return click.option("-F", "config", type=given, help="SSH configuration.")(command)


def on_terminal() -> bool:
    """Whether screens can be shown: a person at a terminal that can move its cursor."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "") not in ("", "dumb")
