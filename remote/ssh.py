"""SSH: one connection a host, few channels on it, few handshakes at once, and every wait has an end.

The only module that imports asyncssh. Everything is bytes: one byte that is no UTF-8 would otherwise end a
connection. `Fleet.run` sends a script to `/bin/sh -s` on a host and returns both streams, always drained.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import random
import re
from collections.abc import Awaitable, Callable
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Any, cast

import asyncssh
import msgspec

from remote.command import quote
from remote.errors import AnswerLostError, Trouble, UnreachableError
from remote.hostkeys import HostKeyQuestion, KnownHosts, Trust, known_hosts_files
from remote.text import one_line

CHANNELS = 8
"""Channels at once on one connection: OpenSSH's MaxSessions is 10, and a person may want one too."""
HANDSHAKES = 8
"""Handshakes in flight over all hosts: more only raise latency, and trip MaxStartups on a jump host."""
CONNECT_SECONDS = 20.0
KEEPALIVE_SECONDS = 15.0
KEEPALIVE_COUNT = 3
BACKOFF_SECONDS = (0.5, 30.0)
STDERR_KEPT = 8 << 20
"""The most of stderr that is kept, in bytes: without its last mark an answer cannot be taken apart."""


class LinkState(Enum):
    """How it stands with the connection to a host."""

    IDLE = "idle"
    CONNECTING = "connecting"
    UP = "up"
    WAITING = "waiting to connect again"
    REFUSED = "refused"
    CLOSED = "closed"


class LinkStatus(msgspec.Struct, frozen=True):
    """The visible state of a host's connection. `REFUSED` is not tried again by itself."""

    host: str
    state: LinkState
    trouble: Trouble | None = None
    detail: str = ""


class Output(msgspec.Struct, frozen=True):
    """What a script wrote. `cut` is set when a stream was longer than its limit and the rest was thrown away."""

    stdout: bytes
    stderr: bytes
    cut: bool


async def _trust_nobody(_question: HostKeyQuestion) -> Trust:
    return Trust.NO


class SshSettings(msgspec.Struct, frozen=True):
    """How to connect. `config_files` None means ~/.ssh/config and /etc/ssh/ssh_config; `-F FILE` replaces both.

    `ask_host_key` decides about unknown host keys; nobody decides about a changed one. `connect_seconds` bounds a
    whole connect with its authentication; `keepalive_seconds` times `KEEPALIVE_COUNT` + 1 finds a dead peer.
    """

    config_files: tuple[Path, ...] | None = None
    ask_host_key: Callable[[HostKeyQuestion], Awaitable[Trust]] = _trust_nobody
    connect_seconds: float = CONNECT_SECONDS
    keepalive_seconds: float = KEEPALIVE_SECONDS

    def files(self) -> list[Path]:
        """The configuration files that exist; a file named by the user must."""
        if self.config_files is not None:
            return list(self.config_files)
        usual = (Path.home() / ".ssh" / "config", Path("/etc/ssh/ssh_config"))
        return [path for path in usual if path.is_file()]


class _Client(asyncssh.SSHClient):
    """Remembers the key that was presented; never accepts one by itself."""

    def __init__(self) -> None:
        self.presented: asyncssh.SSHKey | None = None
        self._connection: asyncssh.SSHClientConnection | None = None

    @property
    def greeted(self) -> bool:
        """Whether the other side has said that it is an SSH server."""
        return bool(self._connection and self._connection.get_extra_info("server_version"))

    def connection_made(self, conn: asyncssh.SSHClientConnection) -> None:
        self._connection = conn

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        self.presented = key
        return False


class Fleet:
    """The connections to all hosts, each opened when first needed and then kept up until `close`."""

    def __init__(
        self, settings: SshSettings | None = None, *, on_change: Callable[[LinkStatus], None] | None = None
    ) -> None:
        self.settings = settings or SshSettings()
        self.handshakes = asyncio.Semaphore(HANDSHAKES)
        self.accepted: dict[str, asyncssh.SSHKey] = {}
        self._on_change = on_change
        self._links: dict[str, _Link] = {}
        self._jumps: dict[str, _Jump] = {}
        self._closed = False

    async def __aenter__(self) -> Fleet:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def status(self, host: str) -> LinkStatus:
        """The state of the connection to `host`."""
        link = self._links.get(host)
        return link.status if link else LinkStatus(host, LinkState.IDLE)

    def retry(self, host: str) -> None:
        """Try a refused host again."""
        if host in self._links:
            self._links[host].retry()

    def drop(self, host: str) -> None:
        """Cut the connection to `host` as if the network had; it comes back by itself."""
        if host in self._links:
            self._links[host].drop()

    async def run(
        self, host: str, script: str, *, deadline: float, limit: int, tag: str = "", what: str = ""
    ) -> Output:
        """Run `script` on `host` under `/bin/sh -s` and return what it wrote.

        `deadline` bounds everything from here on, in real seconds; `limit` is the most of stdout that is kept.
        `tag` is put into the environment of all that the script starts, as RESTRIPE_Q. Raises UnreachableError
        when nothing can have run, and AnswerLostError when it may have.
        """
        link = self._link(host)
        ends = asyncio.get_running_loop().time() + deadline
        try:
            async with asyncio.timeout_at(ends):
                connection = await link.ready()
        except TimeoutError:
            raise link.unreachable() from None
        try:
            async with asyncio.timeout_at(ends):
                return await link.run(connection, script, limit=limit, tag=tag, what=what)
        except TimeoutError:
            raise AnswerLostError(
                host,
                f"no answer within {deadline:g} s",
                command=what,
                advice="It may still be running there; it is not asked again until it has ended",
            ) from None

    def report(self, status: LinkStatus) -> None:
        """Tell whoever listens that a connection changed."""
        if self._on_change and not self._closed:
            self._on_change(status)

    async def jump(self, spec: str) -> asyncssh.SSHClientConnection:
        """The shared connection to a jump host, `[user@]host[:port]` or a comma-separated chain."""
        if spec not in self._jumps:
            self._jumps[spec] = _Jump(self, spec)
        return await self._jumps[spec].connection()

    async def close(self) -> None:
        """Close every connection; nothing that runs on a host is ended by this."""
        self._closed = True
        await asyncio.gather(*(link.close() for link in self._links.values()))
        for jump in self._jumps.values():
            jump.close()

    def _link(self, host: str) -> _Link:
        if self._closed:
            raise UnreachableError(host, Trouble.CLOSED)
        if host not in self._links:
            self._links[host] = _Link(self, host)
        return self._links[host]


class _Link:
    """One host's connection and the task that keeps it up."""

    def __init__(self, fleet: Fleet, host: str) -> None:
        self.host = host
        self.status = LinkStatus(host, LinkState.IDLE)
        self._fleet = fleet
        self._connection: asyncssh.SSHClientConnection | None = None
        self._channels = asyncio.Semaphore(CHANNELS)
        self._changed = asyncio.Event()
        self._retry = asyncio.Event()
        self._just_lost = False
        self._closing: set[asyncio.Task[None]] = set()
        self._keeper = asyncio.create_task(self._keep(), name=f"ssh {host}")

    async def ready(self) -> asyncssh.SSHClientConnection:
        """The connection, once it is up.

        A connection that was just lost is waited for; one whose last attempt failed is not: the keeper goes on
        trying in its own time, and whoever asks is told at once.
        """
        while True:
            state = self.status.state
            if state is LinkState.UP and self._connection:
                return self._connection
            if state in (LinkState.REFUSED, LinkState.CLOSED):
                raise self.unreachable()
            if state is LinkState.WAITING and not self._just_lost:
                raise self.unreachable()
            self._changed.clear()
            await self._changed.wait()

    def unreachable(self) -> UnreachableError:
        """Why the host cannot be asked now."""
        trouble = self.status.trouble or Trouble.TIMEOUT
        return UnreachableError(self.host, trouble, self.status.detail, advice=_ADVICE.get(trouble, ""))

    async def run(
        self, connection: asyncssh.SSHClientConnection, script: str, *, limit: int, tag: str, what: str
    ) -> Output:
        """Run a script in a channel of its own."""
        await self._channels.acquire()
        process: asyncssh.SSHClientProcess[bytes] | None = None
        try:
            process = await self._open(connection, tag)
            return await self._exchange(process, script, limit, what)
        finally:
            if process is None:
                self._channels.release()
            else:
                self._give_back(process)

    async def close(self) -> None:
        self._keeper.cancel()
        for task in self._closing:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._keeper
        await asyncio.gather(*self._closing, return_exceptions=True)
        self._set(LinkState.CLOSED, Trouble.CLOSED)

    def retry(self) -> None:
        self._retry.set()

    def drop(self) -> None:
        if self._connection:
            self._connection.abort()

    async def _open(self, connection: asyncssh.SSHClientConnection, tag: str) -> asyncssh.SSHClientProcess[bytes]:
        shell = f"exec /usr/bin/env {quote((f'RESTRIPE_Q={tag}',))} /bin/sh -s" if tag else "exec /bin/sh -s"
        for wait in (0.2, 0.5, 1.0, 0.0):
            try:
                return await connection.create_process(shell, encoding=None)
            except asyncssh.ChannelOpenError as error:
                if connection.is_closed():  # whoever waited for a channel of it is told that, and not "busy"
                    raise UnreachableError(self.host, Trouble.LOST) from None
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
        err = asyncio.create_task(_drain(process.stderr, STDERR_KEPT))
        try:
            (stdout, cut), (stderr, err_cut) = await asyncio.gather(out, err)
            await process.wait()
            if process.exit_status is None:
                raise ConnectionResetError("it ended in the middle")
        except (asyncssh.Error, OSError) as error:
            raise AnswerLostError(
                self.host, f"the connection was lost before the answer was whole: {one_line(str(error))}", command=what
            ) from None
        finally:
            for task in (sending, out, err):
                task.cancel()
        return Output(stdout, stderr, cut or err_cut)

    def _give_back(self, process: asyncssh.SSHClientProcess[bytes]) -> None:
        """Close the channel, and free its place only when the server has closed it too.

        A server keeps the session of a command that still runs: giving its place away early makes the next
        channel the one too many.
        """
        process.close()
        task = asyncio.create_task(self._wait_closed(process))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _wait_closed(self, process: asyncssh.SSHClientProcess[bytes]) -> None:
        try:
            await process.wait_closed()
        except (asyncssh.Error, OSError):
            pass
        finally:
            self._channels.release()

    async def _keep(self) -> None:
        low, high = BACKOFF_SECONDS
        delay = low
        try:
            while True:
                self._set(LinkState.CONNECTING)
                try:
                    self._connection = await connect(self._fleet, self.host)
                except UnreachableError as error:
                    lasting = error.trouble in _LASTING
                    self._just_lost = False
                    self._set(LinkState.REFUSED if lasting else LinkState.WAITING, error.trouble, error.detail)
                    self._retry.clear()
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(None if lasting else delay * random.uniform(0.7, 1.3)):  # noqa: S311
                            await self._retry.wait()
                    delay = min(delay * 2, high)
                    continue
                delay = low
                self._set(LinkState.UP)
                await self._connection.wait_closed()
                self._connection = None
                self._just_lost = True
                self._set(LinkState.WAITING, Trouble.LOST)
                await asyncio.sleep(low * random.random())  # noqa: S311
        finally:
            if self._connection:
                self._connection.abort()
                self._connection = None

    def _set(self, state: LinkState, trouble: Trouble | None = None, detail: str = "") -> None:
        status = LinkStatus(self.host, state, trouble, detail)
        if status != self.status:
            self.status = status
            self._fleet.report(status)
        self._changed.set()


class _Jump:
    """One jump host's connection, shared by all hosts behind it."""

    def __init__(self, fleet: Fleet, spec: str) -> None:
        self._fleet = fleet
        self._spec = spec
        self._lock = asyncio.Lock()
        self._connecting: asyncio.Task[Any] | None = None
        self._failure: UnreachableError | None = None
        self._failed_at = 0.0
        self._connection: asyncssh.SSHClientConnection | None = None

    async def connection(self) -> asyncssh.SSHClientConnection:
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

    async def _connected(self) -> asyncssh.SSHClientConnection:
        if self._connection is None or self._connection.is_closed():
            before, _, last = self._spec.rpartition(",")
            tunnel = await self._fleet.jump(before) if before else None
            user, _, address = last.rpartition("@")
            self._connection = await connect(self._fleet, address, user=user, tunnel=tunnel)
        return self._connection

    def close(self) -> None:
        if self._connection:
            self._connection.abort()


async def connect(
    fleet: Fleet, host: str, *, user: str = "", tunnel: asyncssh.SSHClientConnection | None = None
) -> asyncssh.SSHClientConnection:
    """Open one connection to `host`, as the SSH configuration says; UnreachableError tells why it cannot be.

    An unknown host key is put to `ask_host_key` with its fingerprint, and the second attempt trusts that very
    key only. A changed key is refused, whatever anybody says.
    """
    try:
        async with asyncio.timeout(fleet.settings.connect_seconds):
            options = await _options(fleet, host, user)
        if tunnel is not None:
            options["tunnel"] = tunnel
        elif isinstance(options["tunnel"], str):
            options["tunnel"] = await fleet.jump(options["tunnel"])
        client = _Client()
        try:
            return await _handshake(fleet, client, options)
        except asyncssh.HostKeyNotVerifiable:
            if client.presented is None:
                raise
        except (asyncssh.ConnectionLost, asyncssh.KeyExchangeFailed, ConnectionResetError):
            # We ask for keys of the kinds that we know the host by. A server that has none of them hangs up, which
            # looks like any lost connection: look at what key it has.
            if not (client.greeted and options["known_hosts"].knew_another):
                raise
            client = _Client()
            try:
                return await _handshake(fleet, client, {**options, "server_host_key_algs": "default"})
            except asyncssh.HostKeyNotVerifiable:
                if client.presented is None:
                    raise
        # a person may take their time: neither a deadline nor a handshake's place is held meanwhile
        await _decide(fleet, host, options["known_hosts"], client.presented)
        return await _handshake(fleet, _Client(), options)
    except UnreachableError as error:
        if error.host == host:
            raise
        raise UnreachableError(host, error.trouble, f"by way of {error.host}: {error.detail}") from None
    except (asyncssh.Error, OSError, ValueError, TimeoutError) as error:
        raise _explain(host, error) from None


async def _handshake(fleet: Fleet, client: _Client, options: dict[str, Any]) -> asyncssh.SSHClientConnection:
    async with fleet.handshakes, asyncio.timeout(fleet.settings.connect_seconds):
        return await asyncssh.connect(client_factory=lambda: client, **options)


async def _options(fleet: Fleet, host: str, user: str) -> dict[str, Any]:
    """What `asyncssh.connect` is told: the configuration's own word, with our deadlines and our key check."""
    settings = fleet.settings
    name, port = _bare(host)
    named: dict[str, Any] = {"host": name, "config": [str(path) for path in settings.files()]}
    if user:
        named["username"] = user
    if port:
        named["port"] = port
    read = await asyncssh.SSHClientConnectionOptions.construct(**named)
    known = KnownHosts(
        known_hosts_files(
            cast("list[str]", read.config.get("UserKnownHostsFile", [])),
            cast("list[str]", read.config.get("GlobalKnownHostsFile", [])),
        ),
        asyncssh.import_known_hosts,
    )
    await asyncio.to_thread(known.load)
    if host in fleet.accepted:
        known.accept(fleet.accepted[host])
    interval = float(read.keepalive_interval or 0) or settings.keepalive_seconds
    return {
        **named,
        "tunnel": read.tunnel or (),
        "known_hosts": known,
        "connect_timeout": settings.connect_seconds,
        "login_timeout": settings.connect_seconds,
        "keepalive_interval": min(interval, settings.keepalive_seconds),
        "keepalive_count_max": KEEPALIVE_COUNT,
        "utf8_decode_errors": "replace",
    }


def _bare(host: str) -> tuple[str, int | None]:
    """Split `host:port`; an IPv6 address needs brackets for a port."""
    if host.startswith("["):
        name, _, rest = host[1:].partition("]")
        return name, int(rest[1:]) if rest.startswith(":") and rest[1:].isdigit() else None
    name, colon, port = host.rpartition(":")
    if colon and ":" not in name and port.isdigit():
        return name, int(port)
    return host, None


async def _decide(fleet: Fleet, host: str, known: KnownHosts, key: asyncssh.SSHKey) -> None:
    """Put an unknown key to whoever decides; return only when it is to be trusted."""
    question = known.question(host, key.get_algorithm(), key.get_fingerprint(), key.export_public_key().decode("ascii"))
    if known.knew_another:
        trouble, answer = Trouble.CHANGED_KEY, Trust.NO
    else:
        trouble, answer = Trouble.UNKNOWN_KEY, await fleet.settings.ask_host_key(question)
    if answer is Trust.NO:
        detail = f"{question.algorithm} {question.fingerprint}"
        raise UnreachableError(host, trouble, detail, advice=_ADVICE[trouble])
    fleet.accepted[host] = key
    known.accept(key)
    if answer is Trust.SAVE:
        await asyncio.to_thread(known.save, question)


_LASTING = frozenset((Trouble.AUTHENTICATION, Trouble.UNKNOWN_KEY, Trouble.CHANGED_KEY, Trouble.CONFIGURATION))

_ADVICE = {
    Trouble.UNKNOWN_KEY: "Compare the fingerprint with the host's own, then add the key to known_hosts",
    Trouble.CHANGED_KEY: "Somebody may be listening, or the host was installed anew. Ask whoever runs it; then "
    "remove the old line from known_hosts by hand",
    Trouble.AUTHENTICATION: "Try `ssh` to the host by hand; see that the agent holds your key",
    Trouble.NAME: "Check the spelling, and the HostName in the SSH configuration",
    Trouble.BUSY: "Close other sessions on this connection, or wait",
}


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
    elif isinstance(error, asyncssh.PermissionDenied):
        trouble = Trouble.AUTHENTICATION
    elif isinstance(error, asyncssh.ConnectionLost):
        trouble = Trouble.LOST
    elif isinstance(error, asyncssh.ConfigParseError | asyncssh.KeyImportError | ValueError):
        trouble = Trouble.CONFIGURATION
    elif isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
        trouble = Trouble.CONFIGURATION  # the name of a file that it could not read is in the detail
    elif isinstance(error, ConnectionRefusedError):
        trouble, detail = Trouble.REFUSED, ""
    elif isinstance(error, OSError):
        trouble = _network_trouble(error, detail)
    return UnreachableError(host, trouble, detail, advice=_ADVICE.get(trouble, ""))


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


async def _send(process: asyncssh.SSHClientProcess[bytes], data: bytes) -> None:
    # a host that ends before it has read its script is told by what it answered, not by this
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        for start in range(0, len(data), 65536):
            process.stdin.write(data[start : start + 65536])
            await process.stdin.drain()
        process.stdin.write_eof()


async def _drain(reader: asyncssh.SSHReader[bytes], limit: int) -> tuple[bytes, bool]:
    """Read to the end, keep the first `limit` bytes."""
    kept = bytearray()
    cut = False
    while data := await reader.read(65536):
        room = limit - len(kept)
        kept += data[:room]
        cut = cut or len(data) > room
    return bytes(kept), cut
