"""The connections to all hosts: each opened when first needed, kept up, and told of; some by way of another host.

What a connection is made of stands in `remote/ssh`; here is who has which, and what happens when it breaks.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum
from types import TracebackType
from typing import TYPE_CHECKING

import msgspec

from remote.command import quote
from remote.errors import LASTING, MAY_RUN, AnswerLostError, Trouble, UnreachableError
from remote.relay import FAILED, reached, relay_advice, relay_command, what_ssh_said
from remote.ssh.settings import CHANNELS, SshSettings

if TYPE_CHECKING:
    from remote.ssh.connection import Connection, Output
    from remote.ssh.connector import Connector

BACKOFF_SECONDS = (0.5, 30.0)
RELAYED = 2
"""Channels of the admin node's connection that one host behind it may use: a frozen one must not take them all."""
DOUBTFUL = CHANNELS // 2
"""Channels of the admin node's connection for all the hosts behind it that have not answered lately."""


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


class Fleet:
    """The connections to all hosts, until `close`. With `settings.through`, all but that one go by way of it."""

    def __init__(
        self, settings: SshSettings | None = None, *, on_change: Callable[[LinkStatus], None] | None = None
    ) -> None:
        self.settings = settings or SshSettings()
        self.connector: Connector | None = None
        self._loading = asyncio.Lock()
        self._on_change = on_change
        self.doubtful = asyncio.Semaphore(DOUBTFUL)
        self._links: dict[str, _Link] = {}
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
        try:
            return await self._run(self.link(host), script, deadline=deadline, limit=limit, tag=tag, what=what)
        except UnreachableError as error:
            raise UnreachableError(
                error.host, error.trouble, error.detail, advice=error.advice, command=error.command or what
            ) from None

    async def _run(self, link: _Link, script: str, *, deadline: float, limit: int, tag: str, what: str) -> Output:
        shell = f"exec /usr/bin/env {quote((f'RESTRIPE_Q={tag}',))} /bin/sh -s" if tag else "exec /bin/sh -s"
        ends = asyncio.get_running_loop().time() + deadline
        try:
            async with asyncio.timeout_at(ends):
                connection = await link.ready()
        except TimeoutError:
            raise link.unreachable() from None
        try:
            async with asyncio.timeout_at(ends):
                return await link.run(connection, shell, script, limit=limit, what=what)
        except TimeoutError:
            raise AnswerLostError(link.host, f"no answer within {deadline:g} s", command=what, advice=MAY_RUN) from None

    def report(self, status: LinkStatus) -> None:
        """Tell whoever listens that a connection changed."""
        if self._on_change and not self._closed:
            self._on_change(status)
        if status.host == self.settings.through and not self._closed:
            for link in self._links.values():
                if isinstance(link, _Relayed):
                    link.through_changed(status)

    async def connect(self, host: str) -> Connection:
        """Open a connection to `host`. Raises UnreachableError."""
        async with self._loading:
            if self.connector is None:
                # what speaks SSH takes long to load: it is loaded when first needed, and the event loop goes on
                self.connector = await asyncio.to_thread(_connector, self.settings)
        return await self.connector.connect(host)

    async def close(self) -> None:
        """Close every connection; nothing that runs on a host is ended by this."""
        self._closed = True
        await asyncio.gather(*(link.close() for link in self._links.values()), return_exceptions=True)
        if self.connector:
            self.connector.close()

    def link(self, host: str) -> _Link:
        """The link to `host`, made when first asked for."""
        if self._closed:
            raise UnreachableError(host, Trouble.CLOSED)
        if host not in self._links:
            through = self.settings.through
            self._links[host] = _Relayed(self, host, through) if through and host != through else _Direct(self, host)
        return self._links[host]


def _connector(settings: SshSettings) -> Connector:
    from remote.ssh.connector import Connector  # noqa: PLC0415  asyncssh: see Fleet.connect

    return Connector(settings)


class _Link(ABC):
    """How one host is reached."""

    def __init__(self, fleet: Fleet, host: str) -> None:
        self.host = host
        self.status = LinkStatus(host, LinkState.IDLE)
        self._fleet = fleet
        self._advice: str | None = None

    @abstractmethod
    async def ready(self) -> Connection:
        """The connection, once it is up. Raises UnreachableError."""

    @abstractmethod
    async def run(self, connection: Connection, shell: str, script: str, *, limit: int, what: str) -> Output:
        """Run a script in a channel of its own."""

    @abstractmethod
    def retry(self) -> None:
        """Try a refused host again."""

    @abstractmethod
    def drop(self) -> None:
        """Cut the connection."""

    @abstractmethod
    async def close(self) -> None:
        """End it."""

    def unreachable(self) -> UnreachableError:
        """Why the host cannot be asked now."""
        trouble = self.status.trouble or Trouble.TIMEOUT
        return UnreachableError(self.host, trouble, self.status.detail, advice=self._advice)

    def _set(
        self, state: LinkState, trouble: Trouble | None = None, detail: str = "", *, advice: str | None = None
    ) -> None:
        self._advice = advice
        status = LinkStatus(self.host, state, trouble, detail)
        if status != self.status:
            self.status = status
            self._fleet.report(status)


class _Direct(_Link):
    """A connection of its own, and the task that keeps it up."""

    def __init__(self, fleet: Fleet, host: str) -> None:
        super().__init__(fleet, host)
        self._connection: Connection | None = None
        self._changed = asyncio.Event()
        self._retry = asyncio.Event()
        self._just_lost = False
        self._keeper = asyncio.create_task(self._keep(), name=f"ssh {host}")

    async def ready(self) -> Connection:
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

    async def run(self, connection: Connection, shell: str, script: str, *, limit: int, what: str) -> Output:
        return await connection.run(shell, script, limit=limit, what=what)

    async def close(self) -> None:
        self._keeper.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._keeper
        self._set(LinkState.CLOSED, Trouble.CLOSED)

    def retry(self) -> None:
        self._retry.set()

    def drop(self) -> None:
        if self._connection:
            self._connection.abort()

    async def _keep(self) -> None:
        low, high = BACKOFF_SECONDS
        delay = low
        try:
            while True:
                self._set(LinkState.CONNECTING)
                try:
                    self._connection = await self._fleet.connect(self.host)
                except UnreachableError as error:
                    lasting = error.trouble in LASTING
                    self._just_lost = False
                    self._retry.clear()
                    state = LinkState.REFUSED if lasting else LinkState.WAITING
                    self._set(state, error.trouble, error.detail, advice=error.advice)
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

    def _set(
        self, state: LinkState, trouble: Trouble | None = None, detail: str = "", *, advice: str | None = None
    ) -> None:
        super()._set(state, trouble, detail, advice=advice)
        self._changed.set()


class _Relayed(_Link):
    """By way of the admin node: no connection of its own, only a state that its questions find out."""

    def __init__(self, fleet: Fleet, host: str, through: str) -> None:
        super().__init__(fleet, host)
        self._through = fleet.link(through)
        self._places = asyncio.Semaphore(RELAYED)
        self._delay, self._rest_until = BACKOFF_SECONDS[0], 0.0
        self._ours = False
        """Whether the trouble is between the admin node and the host, and not on the way to the admin node."""

    async def ready(self) -> Connection:
        """The connection to the admin node. A host that just could not be reached from there is left alone a while."""
        resting = self._ours and asyncio.get_running_loop().time() < self._rest_until
        if self.status.state in (LinkState.REFUSED, LinkState.CLOSED) or resting:
            raise self.unreachable()
        if self.status.state is not LinkState.UP:
            self._set(LinkState.CONNECTING)
        try:
            connection = await self._through.ready()
        except UnreachableError as error:
            self._ours = False
            self._set(LinkState.WAITING, error.trouble, self._by_way(error.detail or error.trouble.value))
            raise UnreachableError(self.host, error.trouble, self.status.detail, advice=error.advice) from None
        return connection

    async def run(self, connection: Connection, shell: str, script: str, *, limit: int, what: str) -> Output:
        try:
            command = relay_command(self.host, shell)
        except ValueError as error:
            raise UnreachableError(self.host, Trouble.CONFIGURATION, str(error)) from None
        places = [self._places] if self.status.state is LinkState.UP else [self._places, self._fleet.doubtful]
        try:
            output = await connection.run(command, script, limit=limit, what=what, places=places)
        except AnswerLostError as error:
            raise self._lost(error.what, what) from None
        except UnreachableError as error:
            self._ours = False
            self._set(LinkState.WAITING, error.trouble, self._by_way(error.detail or error.trouble.value))
            raise UnreachableError(self.host, error.trouble, self.status.detail, advice=error.advice) from None
        let_in, stdout = reached(output.stdout)
        trouble, said = what_ssh_said(output.stderr)
        if not let_in:  # so nothing was asked of it
            self._fail(trouble, said or f"ssh ended with status {output.exit_status}")
            raise self.unreachable()
        if output.exit_status == FAILED:
            raise self._lost(said, what)
        self._ours, self._delay = False, BACKOFF_SECONDS[0]
        self._set(LinkState.UP)
        return msgspec.structs.replace(output, stdout=stdout)

    def through_changed(self, status: LinkStatus) -> None:
        """What is known of this host is no newer than what is known of the way to it."""
        state = self.status.state
        if status.state is LinkState.UP and state is LinkState.WAITING and not self._ours:
            self._set(LinkState.IDLE)
        elif status.state in (LinkState.WAITING, LinkState.REFUSED) and state is LinkState.UP:
            self._ours = False
            why = status.detail or (status.trouble.value if status.trouble else status.state.value)
            self._set(LinkState.WAITING, status.trouble, self._by_way(why))

    def unreachable(self) -> UnreachableError:
        """Why the host cannot be asked now, and what to do on the admin node about it."""
        if not self._ours or self.status.trouble is None:
            return super().unreachable()
        trouble = self.status.trouble
        advice = relay_advice(self._through.host, self.host, trouble)
        return UnreachableError(self.host, trouble, self.status.detail, advice=advice)

    def retry(self) -> None:
        self._delay, self._rest_until = BACKOFF_SECONDS[0], 0.0
        if self.status.state in (LinkState.REFUSED, LinkState.WAITING):
            self._set(LinkState.IDLE)
        self._through.retry()

    def drop(self) -> None:
        self._through.drop()

    async def close(self) -> None:
        self._ours = False
        self._set(LinkState.CLOSED, Trouble.CLOSED)

    def _by_way(self, why: str) -> str:
        return f"by way of {self._through.host}: {why}"

    def _fail(self, trouble: Trouble, why: str) -> None:
        self._ours = True
        self._rest_until = asyncio.get_running_loop().time() + self._delay * random.uniform(0.7, 1.3)  # noqa: S311
        self._delay = min(self._delay * 2, BACKOFF_SECONDS[1])
        self._set(LinkState.REFUSED if trouble in LASTING else LinkState.WAITING, trouble, self._by_way(why))

    def _lost(self, why: str, what: str) -> AnswerLostError:
        """The host was asked, and the way back broke."""
        self._ours = False
        self._set(LinkState.WAITING, Trouble.LOST, self._by_way(why))
        return AnswerLostError(
            self.host,
            f"the connection was lost before the answer was whole: {self._by_way(why)}",
            command=what,
            advice=MAY_RUN,
        )
