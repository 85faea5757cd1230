"""Detached jobs, client side: the scripts of the protocol and the answers to them. Pure; docs/job-protocol.md.

The host side is `job.sh`. What was launched and how it ended is read from the job directory on the host, always.
"""

from __future__ import annotations

import importlib.resources
import re
import shlex
from collections.abc import Sequence
from enum import Enum
from functools import cache

import msgspec

from remote.command import Command, Effect, quote

_JOB_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,120}\Z")
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}\Z")
_OWN_FILES = frozenset(("script", "command", "about", "runner", "end", "info"))
MAX_FILE = 1 << 20
"""The largest file that can be attached to a job, in characters."""


class JobState(Enum):
    """How it stands with a job, as its directory on the host tells it.

    `UNKNOWN` is ours: the host cannot be reached. `ERROR`: the host could not do what was asked; `note` says why.
    `ENDED` is of processes that are no jobs of restripe: nobody kept their exit code.
    """

    ABSENT = "absent"
    RUNNING = "running"
    FINISHED = "finished"
    LOST = "lost"
    ORPHAN = "orphan"
    REBOOTED = "rebooted"
    SEALED = "sealed"
    ENDED = "ended"
    ERROR = "error"
    UNKNOWN = "unknown"

    @property
    def settled(self) -> bool:
        """Whether the job cannot change its state any more."""
        return self in (JobState.FINISHED, JobState.LOST, JobState.REBOOTED, JobState.SEALED, JobState.ENDED)


MEANING = {
    JobState.ABSENT: "it was never started",
    JobState.RUNNING: "it runs",
    JobState.FINISHED: "it has ended and its exit code is known",
    JobState.LOST: "its runner is gone without leaving an exit code: how the command ended cannot be known from here",
    JobState.ORPHAN: "its runner was killed; the command goes on, but its exit code will never be known",
    JobState.REBOOTED: "the host was rebooted while it ran; it was not started again",
    JobState.SEALED: "it was sealed and can never start",
    JobState.ENDED: "it has ended; it was started outside restripe, so its exit code cannot be known",
    JobState.ERROR: "the host could not do what was asked",
    JobState.UNKNOWN: "the host cannot be reached, so nothing is known",
}

NOTES = {
    "base_relative": "the job directory must be an absolute path",
    "base_unknown_fs": "the kind of file system under the job directory cannot be found out",
    "base_shared_fs": "the job directory lies on a cluster or network file system; jobs must outlive it",
    "base_writable": "others may write to the job directory or to one above it",
    "base_owner": "the job directory belongs to another user",
    "base_unreadable": "the job directory cannot be read",
    "mkdir": "the job directory cannot be created: no permission, or no space",
    "no_space_or_io": "the job's files could not be written: no space, or an I/O error; nothing was run",
    "no_setsid": "setsid is missing on the host",
    "no_unit": "systemd-run could not start the job as a unit that outlives the login (does the user linger?)",
    "no_proc": "/proc cannot be read on the host",
    "no_hard_links": "the job directory's file system has no hard links, or is full",
    "not_claimed": "the runner did not start within 5 s; launching the same job again is safe",
    "other_boot": "the host was rebooted while the job was launched; whether it had started cannot be known from here",
    "no_child": "the command's process was not found",
    "not_our_group": "the command's process is not in its runner's group; it was left alone",
    "not_permitted": "the host did not permit the signal (a command under sudo can only be stopped by root)",
    "claim_gone": "the record of who started it is gone, but it was started: look at its log before anything else",
    "group_lives": "a signal ended the command, and processes that it started are still at work",
    "other_command": "this id belongs to a job with another command",
    "claim_unreadable": "the record of who started it cannot be read",
    "no_pid": "which process writes its log is not known, so neither is whether that lives",
    "no_file": "there is no such file",
    "no_permission": "the file cannot be read",
    "bad_id": "not a job id",
    "bad_operation": "the two sides of the protocol differ in version",
}
"""What the host's notes mean, for people."""


class JobSpec(msgspec.Struct, frozen=True):
    """A job to launch: one command, who starts it and why, and the files it needs.

    The files are (name, content) and lie in `<place>/<id>/run/` on the host, see `Place.file`.
    """

    id: str
    title: str
    operator: str
    command: Command
    files: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        check_id(self.id)
        for name, content in self.files:
            if not _FILE_NAME.match(name) or name in _OWN_FILES:
                raise ValueError(f"not a name for a job's file: {name!r}")
            if len(content) > MAX_FILE or "\0" in content:
                raise ValueError(f"{name}: a job's file is text of at most {MAX_FILE} characters")


class JobStatus(msgspec.Struct, frozen=True):
    """The state of a job. Times are the host's clock, in seconds since 1970; `size` is the log's, in bytes."""

    id: str
    state: JobState
    rc: int | None = None
    began: float | None = None
    ended: float | None = None
    size: int = 0
    free_kb: int | None = None
    note: str = ""
    title: str = ""
    operator: str = ""
    command: str = ""
    effect: Effect | None = None
    interruptible: bool = True

    @property
    def meaning(self) -> str:
        """The state in words, with the host's note."""
        text = MEANING[self.state]
        if self.note:
            text += f" ({NOTES.get(self.note, self.note)})"
        return text

    @property
    def shown(self) -> str:
        """The command as people know it: of one that an attached script runs, what stands behind the script's `--`."""
        try:
            words = shlex.split(self.command)
        except ValueError:
            return self.command
        within = any(f"/{self.id}/run/" in word for word in words[: words.index("--")]) if "--" in words else False
        return quote(words[words.index("--") + 1 :]) if within else self.command


class Place(msgspec.Struct, frozen=True):
    """Where a host keeps its jobs, and which boot it is in."""

    base: str
    boot_id: str

    def file(self, job_id: str, name: str) -> str:
        """The path on the host of a file attached to a job."""
        return f"{self.base}/{job_id}/run/{name}"


class Piece(msgspec.Struct, frozen=True):
    """One look at a log or file: its status, which file it is, and the bytes from the asked offset."""

    status: JobStatus
    inode: str
    data: bytes
    alive: bool | None = None
    start: str = "-"


class About(msgspec.Struct, frozen=True):
    """What a job directory says of its job (the file `about`, JSON)."""

    title: str = ""
    operator: str = ""
    command: str = ""
    effect: Effect | None = None
    interruptible: bool = True
    version: int = 1


def check_id(job_id: str) -> str:
    """Return the id; ValueError when it is none ([A-Za-z0-9._-], at most 121 characters, no leading dot)."""
    if not _JOB_ID.match(job_id):
        raise ValueError(f"not a job id: {job_id!r}")
    return job_id


@cache
def _host_side() -> str:
    return importlib.resources.files("remote").joinpath("job.sh").read_text(encoding="utf-8")


def _script(nonce: str, base: str, *words: str, boot_id: str = "", unit: bool = False) -> str:
    head = f"NONCE={quote((nonce,))}\nBASE={quote((base,))}\nBOOT={quote((boot_id,))}\nUNIT={'yes' if unit else ''}\n"
    return f"{head}{_host_side()}\nmain {quote((*words, f'END:{nonce}'))}\n"


def run_script(command: Command, *, sudo: bool) -> str:
    """What the runner executes: record the process, then become the command."""
    lines = [
        "PATH=$PATH:/usr/lpp/mmfs/bin:/usr/sbin:/sbin LC_ALL=C",
        "export PATH LC_ALL",
        'cat "/proc/$$/stat" >"$1/child"',
        "cd /",
        "buffer=",
    ]
    if command.line_buffered:
        lines.append("command -v stdbuf >/dev/null 2>&1 && buffer='stdbuf -oL'")
    if sudo and not command.privileged:  # a script of ours may have to run a command that needs root
        lines += ["RESTRIPE_SUDO='sudo -n'", "export RESTRIPE_SUDO"]
    if sudo and command.privileged:
        name = quote(command.argv[:1])
        lines.append(f"name=$(command -v {name}) || name={name}")
        lines.append(f'exec $buffer sudo -n "$name" {quote(command.argv[1:])}')
    else:
        lines.append(f"exec $buffer {command.text}")
    return "\n".join(lines) + "\n"


def launch_script(nonce: str, base: str, spec: JobSpec, *, sudo: bool, boot_id: str = "", unit: bool = False) -> str:
    """The script that launches `spec`, at most once however often it is sent; in no other boot than `boot_id`.

    With `unit` the runner is started by systemd-run wherever the host has a systemd.
    """
    command = spec.command
    about = About(spec.title, spec.operator, command.text, command.effect, command.interruptible)
    words = [
        spec.id,
        run_script(command, sudo=sudo),
        command.text + "\n",
        msgspec.json.encode(about).decode(),
    ]
    for name, content in spec.files:
        words += (name, content)
    return _script(nonce, base, "launch", *words, boot_id=boot_id, unit=unit)


def seal_script(nonce: str, base: str, job_id: str) -> str:
    """The script after which `job_id` either has started or never will."""
    return _script(nonce, base, "seal", check_id(job_id))


def stop_script(nonce: str, base: str, job_id: str, *, kill: bool) -> str:
    """The script that sends TERM (or KILL) to everything the job runs, except its runner."""
    return _script(nonce, base, "stop", check_id(job_id), "KILL" if kill else "TERM")


def renew_script(nonce: str, base: str, job_id: str) -> str:
    """The script that notes, in the job's directory, that somebody still watches it."""
    return _script(nonce, base, "renew", check_id(job_id))


def poll_script(nonce: str, base: str, job_id: str, offset: int, limit: int) -> str:
    """The script that tells a job's state and its log from `offset`, at most `limit` bytes."""
    return _script(nonce, base, "poll", check_id(job_id), str(offset), str(limit))


def list_script(nonce: str, base: str) -> str:
    """The script that lists every job of a host, whoever started it."""
    return _script(nonce, base, "list")


def place_script(nonce: str, base: str) -> str:
    """The script that tells where a host keeps its jobs, and its boot id."""
    return _script(nonce, base, "place")


def file_script(nonce: str, base: str, path: str, offset: int, limit: int, pid: int | None, start: str) -> str:
    """The script that reads any file from `offset`, and tells whether a process lives."""
    if not path.startswith("/"):
        raise ValueError(f"not an absolute path: {path!r}")
    return _script(nonce, base, "file", path, str(offset), str(limit), str(pid) if pid else "-", start)


class Header(msgspec.Struct, frozen=True):
    """The protocol's answer line, and the bytes behind it."""

    state: str
    rc: str
    began: str
    ended: str
    inode: str
    size: int
    free_kb: str
    note: str
    rest: bytes

    def status(self, job_id: str, about: About | None = None) -> JobStatus:
        """The header as a job's status."""
        try:
            state = JobState(self.state)
        except ValueError:
            state = JobState.ERROR
        about = about or About()
        return JobStatus(
            job_id,
            state,
            _number(self.rc),
            _seconds(self.began),
            _seconds(self.ended),
            self.size,
            _number(self.free_kb),
            "" if self.note == "-" else self.note,
            about.title,
            about.operator,
            about.command,
            about.effect,
            about.interruptible,
        )


def read_headers(nonce: str, stdout: bytes) -> list[Header]:
    """All answers in `stdout`. What a login shell printed before the first is skipped; broken lines are left out."""
    headers = []
    for piece in stdout.split(f"\nJ1 {nonce} ".encode())[1:]:
        line, newline, rest = piece.partition(b"\n")
        words = line.decode("ascii", "replace").split()
        if newline and len(words) == 8 and words[5].isdigit():
            state, rc, began, ended, inode, size, free_kb, note = words
            headers.append(Header(state, rc, began, ended, inode, int(size), free_kb, note, rest))
    return headers


def read_place(header: Header) -> Place | None:
    """The answer to `place_script`; None when it is not one."""
    lines = header.rest.decode("utf-8", "replace").splitlines()
    if header.state != "place" or len(lines) < 2 or not lines[0].startswith("/"):
        return None
    return Place(lines[0], lines[1].strip())


def read_list(headers: Sequence[Header]) -> tuple[JobStatus, ...] | None:
    """The answer to `list_script`; None when it did not arrive whole."""
    if not headers or headers[-1].state != "end":
        return None
    jobs = []
    for header in headers[:-1]:
        lines = header.rest.split(b"\n")
        if len(lines) < 2 or not lines[0].startswith(b"I ") or not lines[1].startswith(b"A "):
            return None
        try:
            about = msgspec.json.decode(lines[1][2:], type=About)
        except msgspec.MsgspecError:
            about = About(interruptible=False)  # nobody can tell that it may be
        jobs.append(header.status(lines[0][2:].decode("ascii", "replace"), about))
    return tuple(jobs)


def _number(word: str) -> int | None:
    return int(word) if word.isdigit() and len(word) < 19 else None


def _seconds(word: str) -> float | None:
    number = _number(word)
    return None if number is None else float(number)
