"""Options that several commands have."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., None])


def on_screens(command: Command) -> Command:
    """What every command with screens can be told of them; unsaid, the environment and the file are asked."""
    themes = click.Choice(["dark", "light", "ansi"])
    command = click.option("--theme", type=themes, help="Colours; ansi: the terminal's own.")(command)
    return click.option("--mouse/--no-mouse", default=None, help="Whether the mouse is the program's.")(command)


def way(command: Command) -> Command:
    """How a host is reached; unsaid, the configuration file is asked."""
    given = click.Path(exists=True, dir_okay=False, path_type=Path)
    command = click.option("--through", metavar="ADMIN", help="Reach every other host by ssh from this node.")(command)
    command = click.option("-J", "jump", metavar="JUMP", help="Jump host, as in ssh: [USER@]HOST[:PORT].")(command)
    return click.option("-F", "config", type=given, help="SSH configuration.")(command)


def on_terminal() -> bool:
    """Whether screens can be shown: a person at a terminal that can move its cursor."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "") not in ("", "dumb")
