"""Host keys: which files hold them, what is known of a host, and what a person is asked.

asyncssh gives one error for an unknown and for a changed key; here the two are told apart, because one may be
accepted after a look at the fingerprint and the other may not.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Protocol

import msgspec


class Trust(Enum):
    """A person's answer to an unknown host key."""

    NO = "no"
    ONCE = "once"
    SAVE = "save"


class HostKeyQuestion(msgspec.Struct, frozen=True):
    """An unknown host key, as a person compares it. `name` is what known_hosts calls the host."""

    host: str
    name: str
    algorithm: str
    fingerprint: str
    public_key: str


class Matcher(Protocol):
    """A parsed known_hosts text; the first three lists are trusted keys, trusted authorities, revoked keys."""

    def match(self, host: str, addr: str, port: int | None) -> Sequence[Any]:
        """The keys that the text holds for a host."""


class KnownHosts:
    """What is known of one host's keys, as asyncssh asks for it, and what a person has accepted just now."""

    def __init__(self, files: Sequence[Path], parse: Callable[[str], Matcher]) -> None:
        self.files = files
        self._parse = parse
        self._matchers: list[Matcher] = []
        self._accepted: object | None = None
        self._name = ""
        self.knew_another = False

    def load(self) -> None:
        """Read the files. Blocks. ValueError names the file that cannot be understood."""
        self._matchers = []
        for path in self.files:
            if not path.is_file():
                continue
            try:
                self._matchers.append(self._parse(path.read_text(encoding="utf-8", errors="replace")))
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from None

    def __call__(self, host: str, addr: str, port: int | None) -> Sequence[Any]:
        """Called by asyncssh while it connects: the seven lists of keys to trust or revoke."""
        self._name = f"[{host}]:{port}" if port else host
        lists: list[list[Any]] = [[] for _ in range(7)]
        for matcher in self._matchers:
            for held, more in zip(lists, matcher.match(host, addr, port), strict=False):
                held.extend(more)
            if port:
                # asyncssh falls back to the name without its port, and forgets there what was revoked with it
                for name in (self._name, f"[{addr}]:{port}"):
                    lists[2].extend(matcher.match(name, "", None)[2])
        self.knew_another = bool(lists[0] or lists[1] or self._accepted is not None)
        if self._accepted is not None and self._accepted not in lists[2]:
            lists[0] = [self._accepted]
        return lists

    def question(self, host: str, algorithm: str, fingerprint: str, public_key: str) -> HostKeyQuestion:
        """What a person is asked about the key that was presented."""
        return HostKeyQuestion(host, self._name or host, algorithm, fingerprint, public_key)

    def accept(self, key: object) -> None:
        """Trust this key and no other from now on."""
        self._accepted = key

    def save(self, question: HostKeyQuestion) -> None:
        """Append an accepted key to the first file. Blocks."""
        path = self.files[0]
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        kind_and_key = " ".join(question.public_key.split()[:2])
        with path.open("a+b") as file:
            # a last line without its end would swallow ours, and with it both hosts
            if file.tell():
                file.seek(-1, os.SEEK_END)
            start = b"" if file.read(1) in (b"", b"\n") else b"\n"
            file.write(start + f"{question.name} {kind_and_key}\n".encode())


def known_hosts_files(user: Sequence[str], system: Sequence[str]) -> tuple[Path, ...]:
    """The known_hosts files: those the configuration names, else the usual ones, the user's first."""
    users = [Path(name).expanduser() for name in user if name.lower() != "none"]
    systems = [Path(name).expanduser() for name in system if name.lower() != "none"]
    return (
        *(users or [Path.home() / ".ssh" / "known_hosts"]),
        *(systems or [Path("/etc/ssh/ssh_known_hosts")]),
    )
