"""A secret that a host or a key wants. Secrets live in memory only: never in argv, a log, an event or a recording."""

from __future__ import annotations

from enum import Enum, auto

import msgspec


class SecretKind(Enum):
    """What is asked for."""

    PASSWORD = auto()
    PASSPHRASE = auto()
    CHALLENGE = auto()


class SecretQuestion(msgspec.Struct, frozen=True):
    """What a person is asked. `prompt` comes from the host for a challenge: unsafe to show as it is.

    `again` is set when the answer before was wrong. `echo` tells that what is typed may be seen.
    """

    kind: SecretKind
    host: str
    prompt: str
    again: bool = False
    echo: bool = False
