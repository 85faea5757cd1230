"""The way to a connection: few handshakes at once, host keys that a person decides about, shared jump hosts."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncssh

from remote.errors import Trouble, UnreachableError
from remote.hostkeys import KnownHosts, Trust
from remote.secret import SecretKind, SecretQuestion, Secrets
from remote.ssh.connection import Connection
from remote.ssh.handshake import Errand, Handshake
from remote.ssh.jump import Jump
from remote.ssh.route import configured, known_hosts
from remote.ssh.settings import KEEPALIVE_COUNT, SshSettings
from remote.ssh.troubles import explain

HANDSHAKES = 8
"""Handshakes in flight over all hosts: more only raise latency, and trip MaxStartups on a jump host."""


class Connector:
    """Opens connections: the configuration's word, few handshakes at once, shared jump hosts, host keys, secrets.

    What a person has accepted or typed is kept in memory for as long as this lives, and nowhere else.
    """

    def __init__(self, settings: SshSettings) -> None:
        self._settings = settings
        self._handshakes = asyncio.Semaphore(HANDSHAKES)
        # a configuration is parsed in a thread, and each thread that parses takes the interpreter from the event loop
        self._reading = asyncio.Semaphore(1)
        self._accepted: dict[str, asyncssh.SSHKey] = {}
        self._secrets = Secrets(settings.ask_secret)
        self._jumps: dict[str, Jump] = {}

    async def connect(
        self, host: str, *, user: str = "", tunnel: Connection | None = None, hop: bool = False
    ) -> Connection:
        """Open one connection to `host`, as the SSH configuration says; UnreachableError tells why it cannot be.

        An unknown host key is put to `ask_host_key` with its fingerprint, and the second attempt trusts that very
        key only. A changed key is refused, whatever anybody says.
        """
        try:
            return Connection(host, await self._connect(host, user, tunnel, hop=hop))
        except UnreachableError as error:
            if error.host == host:
                raise
            raise UnreachableError(
                host, error.trouble, f"by way of {error.host}: {error.detail}", advice=error.advice
            ) from None
        except (asyncssh.Error, OSError, ValueError, RuntimeError, TimeoutError) as error:
            raise explain(host, error) from None

    def close(self) -> None:
        """Close the jump hosts' connections, and forget every secret."""
        for jump in self._jumps.values():
            jump.close()
        self._secrets.clear()

    async def _jump(self, spec: str) -> Connection:
        """The shared connection to a jump host, `[user@]host[:port]` or a comma-separated chain."""
        if spec not in self._jumps:
            self._jumps[spec] = Jump(spec, self._connect_jump)
        return await self._jumps[spec].connection()

    async def _connect_jump(self, spec: str) -> Connection:
        before, _, last = spec.rpartition(",")
        tunnel = await self._jump(before) if before else None
        user, _, address = last.rpartition("@")
        return await self.connect(address, user=user, tunnel=tunnel, hop=True)

    async def _connect(
        self, host: str, user: str, tunnel: Connection | None, *, hop: bool
    ) -> asyncssh.SSHClientConnection:
        async with self._reading, asyncio.timeout(self._settings.connect_seconds):
            options = await self._options(host, user, hop=hop)
        if tunnel is None and isinstance(options["tunnel"], str):
            tunnel = await self._jump(options["tunnel"])
        if tunnel is not None:
            options["tunnel"] = tunnel.raw
        errand = Errand(host, f"{options['username']}@{host}")
        while True:
            errand.locked = ""
            try:
                return await self._attempt(options, errand)
            except (asyncssh.DisconnectError, ValueError) as error:
                if not errand.locked:
                    if explain(host, error).trouble in (Trouble.AUTHENTICATION, Trouble.CONFIGURATION):
                        self._forget(errand)
                    if errand.unknown:
                        detail = f"nobody told the passphrase of {', '.join(sorted(errand.unknown))}"
                        raise UnreachableError(host, Trouble.AUTHENTICATION, detail) from None
                    raise
            await self._unlock(errand)

    async def _attempt(self, options: dict[str, Any], errand: Errand) -> asyncssh.SSHClientConnection:
        handshake = self._handshake(errand)
        try:
            return await handshake.connect(options)
        except asyncssh.HostKeyNotVerifiable:
            if handshake.presented is None:
                raise
        except (asyncssh.ConnectionLost, asyncssh.KeyExchangeFailed, ConnectionResetError):
            # We ask for keys of the kinds that we know the host by. A server that has none of them hangs up, which
            # looks like any lost connection: look at what key it has.
            if not (handshake.greeted and options["known_hosts"].knew_another):
                raise
            handshake = self._handshake(errand)
            try:
                return await handshake.connect({**options, "server_host_key_algs": "default"})
            except asyncssh.HostKeyNotVerifiable:
                if handshake.presented is None:
                    raise
        # a person may take their time: neither a deadline nor a handshake's place is held meanwhile
        await self._decide(errand.host, options["known_hosts"], handshake.presented)
        return await self._handshake(errand).connect(options)

    def _handshake(self, errand: Errand) -> Handshake:
        return Handshake(errand, self._secrets, self._handshakes, self._settings.connect_seconds)

    async def _unlock(self, errand: Errand) -> None:
        """Get the passphrase of a key that the host would take. Nothing is held while a person thinks of it.

        The attempt that wanted it was given up: it would have blocked one of the few threads, and the host's own
        patience with whoever logs in is short.
        """
        file = errand.locked
        if not errand.greeted:
            raise UnreachableError(
                errand.host,
                Trouble.CONFIGURATION,
                f"the key {file} is locked, and its public half cannot be read",
                advice=f"Write it beside the key: ssh-keygen -y -f {file} > {file}.pub",
            )

        async def right(passphrase: str) -> bool:
            try:
                await asyncio.to_thread(asyncssh.read_private_key, file, passphrase)
            except ValueError:
                return False
            return True

        question = SecretQuestion(SecretKind.PASSPHRASE, errand.host, f"passphrase of {file}")
        if await self._secrets.get(question, file, began=errand.began, right=right) is None:
            errand.unknown.add(file)  # there may be another way in

    def _forget(self, errand: Errand) -> None:
        for (kind, of), value in errand.tried.items():
            self._secrets.forget(kind, of, value)

    async def _options(self, host: str, user: str, *, hop: bool) -> dict[str, Any]:
        """What `asyncssh.connect` is told: the configuration's own word, with our deadlines and our key check.

        A `hop` is a jump host itself: what a person said of all hosts does not hold for it.
        """
        settings = self._settings
        named, read = await configured(settings, host, user or ("" if hop else settings.user))
        known = KnownHosts(known_hosts(read), asyncssh.import_known_hosts)
        await asyncio.to_thread(known.load)
        if host in self._accepted:
            known.accept(self._accepted[host])
        interval = float(read.keepalive_interval or 0) or settings.keepalive_seconds
        # parsed once is enough, unless a part of it holds for the name that is only found while connecting
        again = read.config.has_match_final() or read.canonicalize_hostname
        return {
            **named,
            **({} if again else {"options": read, "config": None}),
            "username": read.username,
            "tunnel": (not hop and settings.jump) or read.tunnel or (),
            "known_hosts": known,
            "connect_timeout": None,  # ours counts, and stands still while a person types
            "login_timeout": 0,
            "keepalive_interval": min(interval, settings.keepalive_seconds),
            "keepalive_count_max": KEEPALIVE_COUNT,
            "utf8_decode_errors": "replace",
            "agent_forwarding": False,
        }

    async def _decide(self, host: str, known: KnownHosts, key: asyncssh.SSHKey) -> None:
        """Put an unknown key to whoever decides; return only when it is to be trusted."""
        question = known.question(
            host, key.get_algorithm(), key.get_fingerprint(), key.export_public_key().decode("ascii")
        )
        trouble, answer = Trouble.CHANGED_KEY, Trust.NO
        if not known.knew_another:
            trouble = Trouble.UNKNOWN_KEY
            async with self._secrets.person:
                answer = await self._settings.ask_host_key(question)
        if answer is Trust.NO:
            detail = f"{question.algorithm} {question.fingerprint}"
            raise UnreachableError(host, trouble, detail)
        self._accepted[host] = key
        known.accept(key)
        if answer is Trust.SAVE:
            await asyncio.to_thread(known.save, question)
