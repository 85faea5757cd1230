"""A host with a GFS2 file system on it that nobody has mounted: an image in a file, behind a real OpenSSH server."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.gfs2_real.filler import Filled, fill
from tests.openssh import Farm, Server
from tests.processes import command_line, send, stat_fields
from tests.waiting import until_now

SBIN = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
"""Where the tools are: the shell of a login over SSH does not look in all of these everywhere."""
FILES = 110_000
"""What savemeta works on for about ten seconds at its default level of gzip, on a machine with nothing else to do."""
EVERY = 10
"""Every so many files have an indirect block: the number of dinodes is a lower bound, as on any file system."""
OF_MKFS = 12
"""Dinodes of the file system itself: the root, the master directory and what is in it."""


class Gfs2Host:
    """One host: its server, and where its device and the files that are made lie."""

    def __init__(self, farm: Farm, name: str, image: Path, filled: Filled, *, date: str = "") -> None:
        """`date` is a script to be used as the host's date, where that is another one than ours."""
        self.filled = filled
        self.name = name
        account = farm.account(purpose=name)
        tools = account.directory("bin")
        if date:
            account.script("bin/date", date)
        self.server: Server = farm.server(name, account=account, env={"PATH": f"{tools}:{SBIN}"})
        self.directory = self.server.account.directory("gfs2")
        self.device = self.server.account.give(_alias(image, self.directory / "fs"))

    def output(self, name: str) -> Path:
        """Where a file is to be written."""
        return self.directory / name

    def tool(self, words: str) -> int:
        """The process of gfs2_edit or fsck.gfs2 that has these words in its command line; waits until there is one."""
        return until_now(lambda: next(iter(self.tools(words)), 0))

    def tools(self, words: str = "") -> list[int]:
        """All such processes, stopped ones too."""
        return [
            pid
            for pid in self.server.processes(words)
            if Path(command_line(pid).split(" ")[0]).name in ("gfs2_edit", "fsck.gfs2")
        ]

    def stop(self, pid: int) -> None:
        """Let a process stand still, as one whose device does not answer."""
        send([pid], signal.SIGSTOP)
        until_now(lambda: stat_fields(pid)[:1] == ["T"])

    def go_on(self, pid: int) -> None:
        """Let it work again."""
        send([pid], signal.SIGCONT)


def blocks_in(path: Path) -> int:
    """How many blocks a saved file holds, counted by gfs2_edit itself; it is sound as gzip."""
    with gzip.open(path) as file:
        while file.read(1 << 20):
            pass
    listed = subprocess.run(["gfs2_edit", "printsavedmeta", str(path)], capture_output=True, check=True)
    return listed.stdout.count(b": Block #")


def make_image(directory: Path, files: int = FILES, *, name: str = "gfs2.image") -> tuple[Path, Filled]:
    """A file system of 8 GiB in blocks of 512 bytes, which takes 600 bytes of disk for a file; ready in a second.

    Its dinodes are written, not only marked in the bitmaps: what is marked and empty is read by savemeta, not saved.
    """
    missing = [tool for tool in ("mkfs.gfs2", "gfs2_edit") if not shutil.which(tool, path=SBIN)]
    if missing:  # on a developer's machine without the tools; CI installs them, and fails where anything is skipped
        pytest.skip(f"{', '.join(missing)} is not installed (Debian: gfs2-utils)")
    path = directory / name
    with path.open("wb") as file:
        file.truncate(8 << 30)
    path.chmod(0o666)  # gfs2_edit opens for writing whatever it saves
    words = ["mkfs.gfs2", "-O", "-q", "-b", "512", "-p", "lock_nolock", "-j", "1", "-J", "8", str(path)]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "PATH": SBIN})
    return path, fill(path, files, every=EVERY)


def _alias(image: Path, name: Path) -> Path:
    """Another name for the image, where those who log in get at it."""
    os.link(image, name)
    return name
