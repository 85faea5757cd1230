"""A secret that a host or a key wants. Secrets live in memory only: never in argv, a log, an event or a recording."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from enum import Enum, auto

import msgspec

TRIES = 3
"""How often a passphrase is asked for before it is taken that nobody knows it."""


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


Ask = Callable[[SecretQuestion], Awaitable[str | None]]


class Secrets:
    """What a person has typed, for as long as this lives; and the person, who is asked one thing at a time."""

    def __init__(self, ask: Ask) -> None:
        self.person = asyncio.Lock()
        self._ask = ask
        self._known: dict[tuple[SecretKind, str], str] = {}
        self._declined: dict[tuple[SecretKind, str], float] = {}

    def known(self, kind: SecretKind, of: str, *, wrong: str | None = None) -> str | None:
        """The secret `of` an account or a file, when it is there and is not the one that was wrong."""
        found = self._known.get((kind, of))
        return None if found == wrong else found

    async def get(
        self,
        question: SecretQuestion,
        of: str,
        *,
        began: float,
        wrong: str | None = None,
        right: Callable[[str], Awaitable[bool]] | None = None,
    ) -> str | None:
        """The secret from memory, or from a person where it is not there or was `wrong`; None when nobody tells it.

        Whoever waits while somebody else is told that nobody knows it is told so too: `began` is when the attempt
        to connect began, by `time.monotonic`. `right` tells whether an answer is right, where that can be known here.
        """
        key = (question.kind, of)
        async with self.person:
            found = self.known(question.kind, of, wrong=wrong)
            if found is not None or self._declined.get(key, -1.0) >= began:
                return found
            again = wrong is not None
            for _ in range(TRIES):
                answer = await self._ask(msgspec.structs.replace(question, again=again))
                if answer is None:
                    break
                if right is None or await right(answer):
                    self._known[key] = answer
                    return answer
                again = True
            self._declined[key] = time.monotonic()
            return None

    async def ask(self, question: SecretQuestion) -> str | None:
        """Ask for what is good only once, as a challenge is."""
        async with self.person:
            return await self._ask(question)

    def forget(self, kind: SecretKind, of: str, value: str) -> None:
        """Forget a secret that was wrong, unless it has been told anew."""
        if self._known.get((kind, of)) == value:
            del self._known[(kind, of)]

    def clear(self) -> None:
        """Forget everything."""
        self._known.clear()
