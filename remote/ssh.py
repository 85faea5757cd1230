"""SSH: how one connection is opened and used. Few channels on it, few handshakes at once, every wait has an end.

The only module that imports asyncssh. Everything is bytes: one byte that is no UTF-8 would otherwise end a
connection. `Connection.run` sends a script to a shell and returns both streams, always drained.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, cast

import asyncssh
import msgspec

from remote.errors import MAY_RUN, AnswerLostError, Trouble, UnreachableError
from remote.hostkeys import HostKeyQuestion, KnownHosts, Trust, known_hosts_files
from remote.secret import TRIES, SecretKind, SecretQuestion, Secrets
from remote.text import one_line

CHANNELS = 8
"""Channels at once on one connection: OpenSSH's MaxSessions is 10, and a person may want one too."""
HANDSHAKES = 8
"""Handshakes in flight over all hosts: more only raise latency, and trip MaxStartups on a jump host."""
CONNECT_SECONDS = 20.0
KEEPALIVE_SECONDS = 15.0
KEEPALIVE_COUNT = 3
STDERR_KEPT = 8 << 20
"""The most of stderr that is kept, in bytes: its first half and its last, where the marks of an answer stand."""


class Output(msgspec.Struct, frozen=True):
    """What a script wrote, and the exit status of the shell that ran it.

    `cut` is set when stdout was longer than its limit and the rest was thrown away.
    """

    stdout: bytes
    stderr: bytes
    cut: bool
    exit_status: int


async def _trust_nobody(_question: HostKeyQuestion) -> Trust:
    return Trust.NO


async def _no_secrets(_question: SecretQuestion) -> str | None:
    return None


class SshSettings(msgspec.Struct, frozen=True):
    """How to connect. `config_files` None means ~/.ssh/config and /etc/ssh/ssh_config; `-F FILE` replaces both.

    `ask_host_key` decides about unknown host keys; nobody decides about a changed one. `ask_secret` is asked for
    passwords and passphrases. `connect_seconds` bounds a whole connect with its authentication, without the time
    that a person takes; `keepalive_seconds` times `KEEPALIVE_COUNT` + 1 finds a dead peer. `user` and `jump` override
    the configuration; hosts other than `through` are reached by ssh from there.
    """

    config_files: tuple[Path, ...] | None = None
    ask_host_key: Callable[[HostKeyQuestion], Awaitable[Trust]] = _trust_nobody
    ask_secret: Callable[[SecretQuestion], Awaitable[str | None]] = _no_secrets
    connect_seconds: float = CONNECT_SECONDS
    keepalive_seconds: float = KEEPALIVE_SECONDS
    user: str = ""
    jump: str = ""
    through: str = ""

    def files(self) -> list[Path]:
        """The configuration files that exist; a file named by the user must."""
        if self.config_files is not None:
            return list(self.config_files)
        usual = (Path.home() / ".ssh" / "config", Path("/etc/ssh/ssh_config"))
        return [path for path in usual if path.is_file()]


class Route(msgspec.Struct, frozen=True):
    """How a host would be reached. `jump` is a chain of jump hosts, `command` what carries the connection."""

    name: str
    port: int
    user: str
    jump: str
    command: str
    identities: tuple[str, ...]
    certificates: tuple[str, ...]
    known_hosts: tuple[Path, ...]
    agent: str


async def route(settings: SshSettings, host: str) -> Route:
    """How `host` would be reached, as the configuration says. No connection is made.

    Raises UnreachableError where the configuration cannot be used.
    """
    try:
        named, read = await _configured(settings, host, settings.user)
    except (asyncssh.Error, OSError, ValueError) as error:
        raise _explain(host, error) from None
    command = read.proxy_command or ""
    return Route(
        read.host or named["host"],
        read.port or 22,
        read.username,
        settings.jump or (read.tunnel if isinstance(read.tunnel, str) else ""),
        command if isinstance(command, str) else " ".join(command),
        tuple(cast("list[str]", read.config.get("IdentityFile", []))),
        tuple(cast("list[str]", read.config.get("CertificateFile", []))),
        _known_hosts(read),
        read.agent_path or "",
    )


async def _configured(
    settings: SshSettings, host: str, user: str
) -> tuple[dict[str, Any], asyncssh.SSHClientConnectionOptions]:
    """What is named to the configuration for `host`, as `user` unless that is empty, and what it makes of it."""
    name, port = _bare(host)
    named: dict[str, Any] = {"host": name, "config": [str(path) for path in settings.files()]}
    if user:
        named["username"] = user
    if port:
        named["port"] = port
    return named, await asyncssh.SSHClientConnectionOptions.construct(**named)


def _known_hosts(read: asyncssh.SSHClientConnectionOptions) -> tuple[Path, ...]:
    return known_hosts_files(
        cast("list[str]", read.config.get("UserKnownHostsFile", [])),
        cast("list[str]", read.config.get("GlobalKnownHostsFile", [])),
    )


class Connection:
    """One open connection: at most `CHANNELS` scripts at once, each in a channel of its own."""

    def __init__(self, host: str, connection: asyncssh.SSHClientConnection) -> None:
        self.host = host
        self.raw = connection
        self._channels = asyncio.Semaphore(CHANNELS)
        self._closing: set[asyncio.Task[None]] = set()

    def abort(self) -> None:
        """Cut it."""
        self.raw.abort()

    async def wait_closed(self) -> None:
        """Wait until it has ended, whoever ended it."""
        await self.raw.wait_closed()

    async def run(
        self, shell: str, script: str, *, limit: int, what: str, places: Sequence[asyncio.Semaphore] = ()
    ) -> Output:
        """Run `script` on the standard input of the remote command `shell`, and return what it wrote.

        `places` are taken before a channel is, and given back when the server has closed the channel.
        """
        held: list[asyncio.Semaphore] = []
        try:
            for place in (*places, self._channels):
                await place.acquire()
                held.append(place)
        except asyncio.CancelledError:
            _release(held)
            raise
        process: asyncssh.SSHClientProcess[bytes] | None = None
        opening = asyncio.ensure_future(self._open(shell))
        try:
            process = await asyncio.shield(opening)
            return await self._exchange(process, script, limit, what)
        finally:
            self._later(self._give_back(process, opening, held))

    async def _open(self, shell: str) -> asyncssh.SSHClientProcess[bytes]:
        for wait in (0.2, 0.5, 1.0, 0.0):
            try:
                return await self.raw.create_process(shell, encoding=None, request_pty=False)
            except asyncssh.ChannelOpenError as error:
                if self.raw.is_closed():  # whoever waited for a channel of it is told that, and not "busy"
                    raise UnreachableError(self.host, Trouble.LOST) from None
                if error.code == asyncssh.OPEN_REQUEST_SESSION_FAILED:  # it has channels, but runs nothing in them
                    raise UnreachableError(self.host, Trouble.PROTOCOL, "the server runs no commands") from None
                if not wait:
                    raise UnreachableError(self.host, Trouble.BUSY, one_line(str(error))) from None
                await asyncio.sleep(wait)
            except (asyncssh.Error, OSError) as error:
                raise UnreachableError(self.host, Trouble.LOST, one_line(str(error))) from None
        raise AssertionError

    async def _exchange(self, process: asyncssh.SSHClientProcess[bytes], script: str, limit: int, what: str) -> Output:
        # both streams are read while the script is sent: a host that fills one of them would stall the others
        sending = asyncio.create_task(_send(process, script.encode()))
        out = asyncio.create_task(_drain(process.stdout, limit))
        err = asyncio.create_task(_drain(process.stderr, STDERR_KEPT // 2, STDERR_KEPT // 2))
        try:
            (stdout, cut), (stderr, _) = await asyncio.gather(out, err)
            await process.wait()
            if process.exit_status is None:
                raise ConnectionResetError("it ended in the middle")
        except (asyncssh.Error, OSError) as error:
            raise AnswerLostError(
                self.host,
                f"the connection was lost before the answer was whole: {one_line(str(error))}",
                command=what,
                advice=MAY_RUN,
            ) from None
        finally:
            for task in (sending, out, err):
                task.cancel()
        if process.exit_signal:  # what it had started may live on
            raise AnswerLostError(
                self.host,
                f"the shell that ran it was ended by signal {one_line(process.exit_signal[0])}",
                command=what,
                advice=MAY_RUN,
            )
        return Output(stdout, stderr, cut, process.exit_status)

    async def _give_back(
        self,
        process: asyncssh.SSHClientProcess[bytes] | None,
        opening: asyncio.Future[asyncssh.SSHClientProcess[bytes]],
        held: Sequence[asyncio.Semaphore],
    ) -> None:
        """Close the channel, and free its place only when the server has closed it too.

        A server keeps the session of a command that still runs: giving its place away early makes the next
        channel the one too many. A channel that nobody waits for any more is closed as soon as it is open.
        """
        try:
            process = process or await opening
            process.close()
            await process.wait_closed()
        except (UnreachableError, asyncssh.Error, OSError):
            pass
        finally:
            _release(held)

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """Cut it, and leave no task behind."""
        self.raw.abort()
        await self.raw.wait_closed()
        await asyncio.gather(*self._closing, return_exceptions=True)


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
        self._jumps: dict[str, _Jump] = {}

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
            raise _explain(host, error) from None

    def close(self) -> None:
        """Close the jump hosts' connections, and forget every secret."""
        for jump in self._jumps.values():
            jump.close()
        self._secrets.clear()

    async def _jump(self, spec: str) -> Connection:
        """The shared connection to a jump host, `[user@]host[:port]` or a comma-separated chain."""
        if spec not in self._jumps:
            self._jumps[spec] = _Jump(spec, self._connect_jump)
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
        errand = _Errand(host, f"{options['username']}@{host}")
        while True:
            errand.locked = ""
            try:
                return await self._attempt(options, errand)
            except (asyncssh.DisconnectError, ValueError) as error:
                if not errand.locked:
                    if _explain(host, error).trouble in (Trouble.AUTHENTICATION, Trouble.CONFIGURATION):
                        self._forget(errand)
                    if errand.unknown:
                        detail = f"nobody told the passphrase of {', '.join(sorted(errand.unknown))}"
                        raise UnreachableError(host, Trouble.AUTHENTICATION, detail) from None
                    raise
            await self._unlock(errand)

    async def _attempt(self, options: dict[str, Any], errand: _Errand) -> asyncssh.SSHClientConnection:
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

    def _handshake(self, errand: _Errand) -> _Handshake:
        return _Handshake(errand, self._secrets, self._handshakes, self._settings.connect_seconds)

    async def _unlock(self, errand: _Errand) -> None:
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

    def _forget(self, errand: _Errand) -> None:
        for (kind, of), value in errand.tried.items():
            self._secrets.forget(kind, of, value)

    async def _options(self, host: str, user: str, *, hop: bool) -> dict[str, Any]:
        """What `asyncssh.connect` is told: the configuration's own word, with our deadlines and our key check.

        A `hop` is a jump host itself: what a person said of all hosts does not hold for it.
        """
        settings = self._settings
        named, read = await _configured(settings, host, user or ("" if hop else settings.user))
        known = KnownHosts(_known_hosts(read), asyncssh.import_known_hosts)
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


class _Errand:
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


class _Handshake(asyncssh.SSHClient):
    """One handshake: remembers the key that was presented, never accepts one, and asks for secrets.

    It waits for one of the `places`, and then has `seconds`, without the time that a person takes.
    """

    def __init__(self, errand: _Errand, secrets: Secrets, places: asyncio.Semaphore, seconds: float) -> None:
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


class _Jump:
    """One jump host's connection, shared by all hosts behind it."""

    def __init__(self, spec: str, connect: Callable[[str], Awaitable[Connection]]) -> None:
        self._spec = spec
        self._connect = connect
        self._lock = asyncio.Lock()
        self._connecting: asyncio.Task[Any] | None = None
        self._failure: UnreachableError | None = None
        self._failed_at = 0.0
        self._connection: Connection | None = None

    async def connection(self) -> Connection:
        if self._connecting is not None and self._connecting is asyncio.current_task():
            # `Host *` with ProxyJump holds for the jump host as well; it would wait for itself for ever
            raise UnreachableError(self._spec, Trouble.CONFIGURATION, "its ProxyJump leads back to itself")
        loop = asyncio.get_running_loop()
        asked = loop.time()
        async with self._lock:
            if self._failure is not None and self._failed_at >= asked:
                # all hosts behind it wait here: one attempt is enough to tell every one of them
                raise UnreachableError(self._failure.host, self._failure.trouble, self._failure.detail)
            self._connecting = asyncio.current_task()
            try:
                return await self._connected()
            except UnreachableError as error:
                self._failure, self._failed_at = error, loop.time()
                raise
            finally:
                self._connecting = None

    async def _connected(self) -> Connection:
        if self._connection is None or self._connection.raw.is_closed():
            self._connection = await self._connect(self._spec)
        return self._connection

    def close(self) -> None:
        if self._connection:
            self._connection.abort()


def _bare(host: str) -> tuple[str, int | None]:
    """Split `host:port`; an IPv6 address needs brackets for a port."""
    if host.startswith("["):
        name, _, rest = host[1:].partition("]")
        return name, int(rest[1:]) if rest.startswith(":") and rest[1:].isdigit() else None
    name, colon, port = host.rpartition(":")
    if colon and ":" not in name and port.isdigit():
        return name, int(port)
    return host, None


def _explain(host: str, error: Exception) -> UnreachableError:
    """Map what asyncssh and the system raise to one of our words."""
    detail = one_line(str(error))
    trouble = Trouble.PROTOCOL
    if isinstance(error, TimeoutError):
        trouble, detail = Trouble.TIMEOUT, ""
    elif isinstance(error, asyncssh.HostKeyNotVerifiable):
        trouble = Trouble.CHANGED_KEY if "revoked" in detail else Trouble.UNKNOWN_KEY
    elif isinstance(error, asyncssh.KeyExchangeFailed) and "host key" in detail:
        # the server has no key of a kind that we know it by
        trouble = Trouble.CHANGED_KEY
    elif isinstance(error, asyncssh.PermissionDenied) or "authentication failures" in detail:
        trouble = Trouble.AUTHENTICATION
    elif isinstance(error, asyncssh.ChannelOpenError):
        trouble, detail = _jump_trouble(error, detail)
    elif isinstance(error, asyncssh.ConnectionLost):
        trouble = Trouble.LOST
    elif isinstance(error, asyncssh.ConfigParseError | asyncssh.KeyImportError | ValueError | RuntimeError):
        trouble = Trouble.CONFIGURATION
    elif isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
        trouble = Trouble.CONFIGURATION  # the name of a file that it could not read is in the detail
    elif isinstance(error, ConnectionRefusedError):
        trouble, detail = Trouble.REFUSED, ""
    elif isinstance(error, OSError):
        trouble = _network_trouble(error, detail)
    return UnreachableError(host, trouble, detail)


def _jump_trouble(error: asyncssh.ChannelOpenError, detail: str) -> tuple[Trouble, str]:
    """What a jump host says of the way on from there; the words are those of its system."""
    words = detail.lower()
    if error.code == asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED:
        return Trouble.PROTOCOL, "the jump host forwards no connections (AllowTcpForwarding in its sshd_config)"
    trouble = Trouble.LOST
    if "refused" in words:
        trouble = Trouble.REFUSED
    elif "timed out" in words or "route" in words or "unreachable" in words:
        trouble = Trouble.TIMEOUT
    elif "name" in words or "resol" in words:
        trouble = Trouble.NAME
    return trouble, f"the jump host says: {detail}"


def _network_trouble(error: OSError, detail: str) -> Trouble:
    """What the system says of a connection. For a name with several addresses asyncio puts all of it in a text."""
    if type(error).__name__ == "gaierror":
        return Trouble.NAME
    numbers = {error.errno} if error.errno else {int(word) for word in re.findall(r"\[Errno (\d+)\]", detail)}
    if errno.ECONNREFUSED in numbers:
        return Trouble.REFUSED
    if numbers & {errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EHOSTDOWN, errno.ETIMEDOUT}:
        return Trouble.TIMEOUT
    return Trouble.LOST


def _release(places: Sequence[asyncio.Semaphore]) -> None:
    for place in places:
        place.release()


async def _send(process: asyncssh.SSHClientProcess[bytes], data: bytes) -> None:
    # a host that ends before it has read its script is told by what it answered, not by this
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        for start in range(0, len(data), 65536):
            process.stdin.write(data[start : start + 65536])
            await process.stdin.drain()
        process.stdin.write_eof()


async def _drain(reader: asyncssh.SSHReader[bytes], limit: int, keep_last: int = 0) -> tuple[bytes, bool]:
    """Read to the end; keep the first `limit` bytes and the last `keep_last`, and tell whether any were left out."""
    first, last = bytearray(), bytearray()
    left_out = 0
    while data := await reader.read(65536):
        room = limit - len(first)
        first += data[:room]
        last += data[max(0, room) :]
        if len(last) > keep_last:
            left_out += len(last) - keep_last
            del last[: len(last) - keep_last]
    if left_out and keep_last:
        first += f"\n[{left_out} bytes are left out here]\n".encode()
    return bytes(first + last), bool(left_out)
