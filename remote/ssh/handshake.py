"""One handshake: what a server asks in it and who answers, and what one attempt keeps from one to the next."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

import asyncssh

from remote.secret import TRIES, SecretKind, SecretQuestion, Secrets


class Errand:
    """One attempt to reach a host, over however many handshakes: what was tried, and the key that is locked."""

    def __init__(self, host: str, account: str) -> None:
        self.host = host
        self.account = account
        self.began = time.monotonic()
        self.told = 0
        self.tried: dict[tuple[SecretKind, str], str] = {}
        self.locked = ""
        self.unknown: set[str] = set()
        self.greeted = False


class Handshake(asyncssh.SSHClient):
    """One handshake: remembers the key that was presented, never accepts one, and asks for secrets.

    It waits for one of the `places`, and then has `seconds`, without the time that a person takes.
    """

    def __init__(self, errand: Errand, secrets: Secrets, places: asyncio.Semaphore, seconds: float) -> None:
        self.presented: asyncssh.SSHKey | None = None
        self._errand = errand
        self._secrets = secrets
        self._places = places
        self._seconds = seconds
        self._clock: asyncio.Timeout | None = None
        self._connection: asyncssh.SSHClientConnection | None = None
        self._declined = False

    async def connect(self, options: dict[str, Any]) -> asyncssh.SSHClientConnection:
        """Connect as `options` say, which are those of `asyncssh.connect`."""
        async with self._places, asyncio.timeout(self._seconds) as self._clock:
            return await asyncssh.connect(client_factory=lambda: self, passphrase=self.passphrase, **options)

    @property
    def greeted(self) -> bool:
        """Whether the other side has said that it is an SSH server."""
        return bool(self._connection and self._connection.get_extra_info("server_version"))

    def connection_made(self, conn: asyncssh.SSHClientConnection) -> None:
        self._connection = conn

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        self.presented = key
        return False

    def passphrase(self, filename: str) -> str:
        """The passphrase of a key file, if it is known; else the attempt ends here. Called in a thread."""
        errand = self._errand
        found = self._secrets.known(SecretKind.PASSPHRASE, filename)
        if found is None:
            if filename not in errand.unknown:
                errand.locked, errand.greeted = filename, self.greeted
            raise asyncssh.KeyEncryptionError(f"the key {filename} is locked")
        return found

    async def password_auth_requested(self) -> str | None:
        errand, secrets = self._errand, self._secrets
        if errand.locked:  # this attempt is over: the key comes first
            return None
        of = (SecretKind.PASSWORD, errand.account)
        wrong = errand.tried.get(of)
        answer = secrets.known(*of, wrong=wrong)
        if answer is None and not self._declined and errand.told < TRIES:
            question = SecretQuestion(SecretKind.PASSWORD, errand.host, f"password for {errand.account}")
            async with self._waiting():
                answer = await secrets.get(question, errand.account, began=errand.began, wrong=wrong)
        if answer is None:
            self._declined = True
            return None
        errand.told += 1
        errand.tried[of] = answer
        return answer

    def kbdint_auth_requested(self) -> str | None:
        return None if self._declined or self._errand.locked else ""

    async def kbdint_challenge_received(
        self, name: str, instructions: str, lang: str, prompts: Sequence[tuple[str, bool]]
    ) -> list[str] | None:
        answers = []
        for prompt, echo in prompts:
            if "assword" in prompt and not echo:  # a password in the clothes of a challenge may be kept like one
                answer = await self.password_auth_requested()
            else:
                answer = await self._challenged(prompt, echo)
            if answer is None:
                self._declined = True
                return None
            answers.append(answer)
        return answers

    async def _challenged(self, prompt: str, echo: bool) -> str | None:
        of = (SecretKind.CHALLENGE, prompt)
        again = of in self._errand.tried
        self._errand.tried[of] = ""
        question = SecretQuestion(SecretKind.CHALLENGE, self._errand.host, prompt, again=again, echo=echo)
        async with self._waiting():
            return await self._secrets.ask(question)

    @contextlib.asynccontextmanager
    async def _waiting(self) -> AsyncIterator[None]:
        """While a person is waited for, this connection's deadline stands still and its place is given to others."""
        if self._clock:
            self._clock.reschedule(None)
        self._places.release()
        try:
            yield
        finally:
            await self._places.acquire()
            if self._clock:
                self._clock.reschedule(asyncio.get_running_loop().time() + self._seconds)
