"""The processes of a host that work, as its kernel tells of them: what they have read, written and computed so far.

`restripe-work` looks at /proc and at nothing else, and never touches a process. Of other people's processes only root
sees what they read and write and which files they have open. The parser is total; values are `=TEXT` or `x` and hex.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from remote.command import Command, Effect
from remote.linux.scans import program_words
from remote.parsed import Note, Parsed, Problem
from remote.text import decode, safe

HEAD = "restripe-work 1"
LOOK_SECONDS = 20.0
"""Seconds that a look may take."""


def work(*programs: str, root: bool = True) -> Command:
    """Ask a host for the processes that run one of the programs, given by their bare names.

    Without `root` nothing is told of what other people's processes read, write and have open. Raises ValueError without
    a program: it would be asked for all that run.
    """
    if not programs:
        raise ValueError("no program to look for")
    return Command(("restripe-work", *programs), Effect.READS, deadline=LOOK_SECONDS, privileged=root)


class Written(msgspec.Struct, frozen=True, gc=False):
    """A regular file that a process has open for writing: its path, its size in bytes, and the number of the open file
    (1 and 2 are its output). `gone` is that no name leads to it any more."""

    path: str
    size: int
    fd: int
    gone: bool = False


class Worker(msgspec.Struct, frozen=True, gc=False):
    """A process. `state` is the kernel's letter: R, S, D, T (stopped), t (traced), Z (ended, not reaped).

    `pid` and `start` together are one process of one boot. `age` and `cpu` are in seconds: since it began, and what it
    has computed in user and system mode. `chars_read` and `chars_written` are bytes that passed through read and write,
    `read` and `written` those that disks were asked for; None where that is hidden. `peak_kb` and `rss_kb` are the most
    memory that it had and what it has, in KiB. `files` are those open for writing, the first few. `job` is the
    directory of the restripe job that it belongs to, else "". `hidden` says that files or counters need root.
    """

    pid: int
    parent: int
    start: int
    state: str
    cpu: float
    age: float | None = None
    argv: tuple[str, ...] = ()
    chars_read: int | None = None
    chars_written: int | None = None
    read: int | None = None
    written: int | None = None
    peak_kb: int | None = None
    rss_kb: int | None = None
    files: tuple[Written, ...] = ()
    job: str = ""
    hidden: bool = False

    @property
    def stopped(self) -> bool:
        """Whether a signal or a debugger has stopped it."""
        return self.state in ("T", "t")

    @property
    def ended(self) -> bool:
        """Whether it has ended and only nobody has asked how."""
        return self.state in ("Z", "X", "x")

    @property
    def words(self) -> tuple[str, ...]:
        """The command as a person would type it: without the shell before a script, its program by its bare name."""
        return program_words(self.argv)

    def size_of(self, path: str) -> int | None:
        """The size in bytes of a file that it writes; None where it has none by that path open."""
        return next((file.size for file in self.files if file.path == path and not file.gone), None)


class Work(msgspec.Struct, frozen=True):
    """What a look found. `now` is the host's clock then, in seconds since 1970; `more` processes were left out."""

    boot_id: str = ""
    now: float | None = None
    workers: tuple[Worker, ...] = ()
    more: int = 0
