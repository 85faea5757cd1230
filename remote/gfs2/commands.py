"""The commands of GFS2's tools, and what is asked of a device besides them.

`gfs2_edit` and `fsck.gfs2` take a word for a device by its slash alone: one without would be read as something else.
Jobs among them may be stopped with TERM, and with nothing else: INT makes fsck.gfs2 ask a question that nobody answers.
"""

from __future__ import annotations

import re
from enum import Enum

from remote.command import Command, Effect

BEST_LEVEL = 1
"""What savemeta compresses with best: level 9, which it takes unsaid, was ten times as slow for a third less space."""
RGS = "restripe-gfs2-rgs"
"""`gfs2_edit -p rgs` without the lines that nobody needs: of 100 TB it prints tens of megabytes."""
_FEW_BLOCKS = 60.0
_EVERY_GROUP = 900.0
"""Seconds: it reads a block of each resource group, of which 100 TB have fifty thousand."""
_JOB = 30 * 24 * 3600.0
"""Seconds; a detached job has no deadline."""
_PATH = re.compile(r"/[A-Za-z0-9_./@+:,=%~#-]{1,1023}\Z")


class Fsck(Enum):
    """What `fsck.gfs2` does with what it finds."""

    LOOK = "-n"
    PREEN = "-p"
    """Replay the journals, and repair what is safe; of a file system marked clean it only says so."""
    REPAIR = "-y"

    @property
    def effect(self) -> Effect:
        """What it may do to the file system."""
        return {Fsck.LOOK: Effect.READS, Fsck.PREEN: Effect.CHANGES, Fsck.REPAIR: Effect.DESTROYS}[self]


def device_trouble(text: str) -> str:
    """Why a text is no path of a device that GFS2's tools take; empty when it is one."""
    if "/" not in text:
        return f"{text!r} has no slash, and GFS2's tools know a device by its slash: give its path, as /dev/VG/LV"
    if not text.startswith("/"):
        return f"{text!r} is not an absolute path: what it names depends on where a command runs"
    if not _PATH.match(text) or "//" in text or "/../" in f"{text}/" or text.endswith("/"):
        return f"{text!r} is no path of a device that can be given to a command safely"
    return ""


def device(text: str) -> str:
    """The path of a device, or of an image in a file. Raises ValueError."""
    if why := device_trouble(text):
        raise ValueError(why)
    return text


def path_trouble(text: str) -> str:
    """Why a text is no path of a file that can be given to a command; empty when it is one."""
    if not _PATH.match(text) or "//" in text or text.endswith("/"):
        return f"{text!r} is no absolute path of a file that can be given to a command safely"
    return ""


def path(text: str) -> str:
    """The path of a file on a host. Raises ValueError."""
    if why := path_trouble(text):
        raise ValueError(why)
    return text


def sb(dev: str) -> Command:
    """The superblock: block size, lock protocol and lock table."""
    return _reads("gfs2_edit", "-p", "sb", device(dev), deadline=_FEW_BLOCKS)


def statfs(dev: str) -> Command:
    """The statfs file, which is brought up to date now and then."""
    return _reads("gfs2_edit", "-p", "statfs", device(dev), deadline=_FEW_BLOCKS)


def rgs(dev: str) -> Command:
    """The resource groups with their dinodes and free blocks: a block is read of each."""
    return _reads(RGS, device(dev), deadline=_EVERY_GROUP)


def blkid(dev: str) -> Command:
    """What is on a device, by looking at it and not into a cache."""
    return _reads("blkid", "-p", device(dev), deadline=_FEW_BLOCKS)


def savemeta(dev: str, out: str, level: int = BEST_LEVEL) -> Command:
    """Save the metadata of a device to a file on the same host; `level` of gzip is 1 to 9, 0 for none.

    A file that is there is overwritten by it.
    """
    if not 0 <= level <= 9:
        raise ValueError(f"gzip has the levels 1 to 9, and 0 is none: {level}")
    argv = ("gfs2_edit", "savemeta", f"-z{level}", device(dev), path(out))
    return Command(argv, Effect.CHANGES, deadline=_JOB, privileged=True)


def restoremeta(file: str, dev: str) -> Command:
    """Write saved metadata to a device. All that is on it is lost."""
    return Command(
        ("gfs2_edit", "restoremeta", path(file), device(dev)), Effect.DESTROYS, deadline=_JOB, privileged=True
    )


def fsck(dev: str, mode: Fsck) -> Command:
    """Check a device that is mounted nowhere."""
    return Command(("fsck.gfs2", mode.value, device(dev)), mode.effect, deadline=_JOB, privileged=True)


def gzip_test(file: str) -> Command:
    """Whether a compressed file is whole: it is read to its end, as a job of its own where it is large."""
    return _reads("gzip", "-t", path(file), deadline=_JOB)


def _reads(*argv: str, deadline: float) -> Command:
    return Command(argv, Effect.READS, deadline=deadline, privileged=True)
