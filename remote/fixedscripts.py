"""Commands that are fixed scripts of ours: what runs on the host, and the bare name that people and recordings see.

The text goes with each question, so that nothing has to be installed on a host or left there. Pure but for reading the
text that is packaged with the program.
"""

from __future__ import annotations

import importlib.resources
from functools import cache

from remote.command import Command, quote

SCRIPTS = {
    "restripe-devices": ("linux/devices.sh",),
    "restripe-signatures": ("linux/signatures.sh",),
    "restripe-scans": ("linux/processes.sh", "linux/scans.sh"),
    "restripe-programs": ("linux/processes.sh", "linux/scans.sh"),
    "restripe-nightly": ("linux/nightly.sh",),
    "restripe-logs": ("linux/logs.sh",),
    "restripe-io": ("linux/io.sh",),
    "restripe-work": ("linux/processes.sh", "linux/work.sh"),
    "restripe-room": ("linux/room.sh",),
    "restripe-gfs2-rgs": ("gfs2/rgs.sh",),
    "restripe-gfs2-use": ("gfs2/use.sh",),
}
"""The name of a command and the files below `remote` that it stands for, one after the other."""


def shell_words(command: Command) -> str:
    """The words that run a command in a shell on the host, quoted."""
    names = SCRIPTS.get(command.argv[0])
    return command.text if names is None else quote(("sh", "-c", _text(names), *command.argv))


@cache
def _text(names: tuple[str, ...]) -> str:
    remote = importlib.resources.files("remote")
    return "".join(remote.joinpath(name).read_text(encoding="utf-8") for name in names)
