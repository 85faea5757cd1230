"""The scans that run on a host as its kernel knows them, whoever started them, and where their output goes.

`restripe-scans` looks at /proc and at nothing else. It never touches a process. Of other people's processes only root
sees where their output goes.
"""

from __future__ import annotations

from enum import Enum

import msgspec

from remote.command import Command, Effect

LOOK_SECONDS = 60.0
"""Seconds that a look at the processes of a host may take."""


def scans(*programs: str, root: bool = True) -> Command:
    """Ask a host which scans run there: those of the programs named, else of all that are known.

    Without `root` it is not told where the output of other people's goes.
    """
    return Command(("restripe-scans", *programs), Effect.READS, deadline=LOOK_SECONDS, privileged=root)


def programs(*names: str) -> Command:
    """Ask a host whether any of these programs runs there, in the way of `scans`; nothing is followed or taken in."""
    return Command(("restripe-programs", *names), Effect.READS, deadline=LOOK_SECONDS, privileged=True)


class Goes(Enum):
    """What the output of a process goes to."""

    FILE = "file"
    UNLINKED = "unlinked"
    """A file without a name to read it by: deleted, in another mount namespace, no text; /proc still leads to it."""
    TERMINAL = "terminal"
    PIPE = "pipe"
    SOCKET = "socket"
    NULL = "null"
    CLOSED = "closed"
    HIDDEN = "hidden"
    """Somebody keeps it, but what they write it to cannot be seen without root."""
    OTHER = "other"


class Output(msgspec.Struct, frozen=True, gc=False):
    """One place that output goes to. `by` is the program that writes it there (tee, script, screen), the scan itself or
    what is in between, with its pid.

    `path` is the file's, or what /proc calls the place; `fd` the open file of `pid`. `streams` are 1 and 2 for stdout
    and stderr.
    """

    kind: Goes
    path: str = ""
    by: str = ""
    pid: int | None = None
    fd: int | None = None
    streams: tuple[int, ...] = ()

    @property
    def readable(self) -> str:
        """The path by which the output can be read; empty where it cannot."""
        if self.kind is Goes.FILE:
            return self.path
        if self.kind is Goes.UNLINKED and self.pid is not None and self.fd is not None:
            return f"/proc/{self.pid}/fd/{self.fd}"
        return ""


class RunningScan(msgspec.Struct, frozen=True, gc=False):
    """A process that scans. `age` is how long it has run in seconds of its host's kernel, None where unknown.

    `argv` is as /proc tells it, with the shell before a script. `user` is whom it runs as, `login` who logged in before
    (sudo, su), where the kernel keeps that. `job` is the directory of the restripe job that it belongs to, else "".
    `hidden` tells that where its output goes cannot be seen without root; then `cwd` is not known either.
    """

    pid: int
    parent: int | None = None
    start: int | None = None
    age: float | None = None
    uid: int | None = None
    user: str = ""
    login: str = ""
    argv: tuple[str, ...] = ()
    cwd: str = ""
    outputs: tuple[Output, ...] = ()
    job: str = ""
    hidden: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """The command as a person would type it: without the shell before a script, its program by its bare name."""
        return program_words(self.argv)

    @property
    def who(self) -> str:
        """Who started it, as far as that is known."""
        user = self.user or (f"uid {self.uid}" if self.uid is not None else "")
        return f"{self.login} (as {user})" if self.login and self.login != user else user


class RunningScans(msgspec.Struct, frozen=True):
    """What a look found. `now` is the host's clock then, in seconds since 1970; `more` scans were left out."""

    now: float | None = None
    scans: tuple[RunningScan, ...] = ()
    more: int = 0


def program_words(argv: tuple[str, ...]) -> tuple[str, ...]:
    """A command as a person would type it, of its words in /proc."""
    words = argv
    if len(words) > 1 and _is_shell(words[0]):
        words = words[1:]
        while len(words) > 1 and (words[0].startswith("-") or words[0] in ("sh", "ash")):
            words = words[1:]
    return (words[0].rpartition("/")[2], *words[1:]) if words else ()


_SHELLS = frozenset(("sh", "ash", "bash", "dash", "mksh", "busybox"))


def _is_shell(word: str) -> bool:
    name = word.rpartition("/")[2]
    return name in _SHELLS or name.startswith(("ksh", "perl", "python"))
