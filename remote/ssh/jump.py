"""A jump host: connected to once, for all hosts behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from remote.errors import Trouble, UnreachableError
from remote.ssh.connection import Connection


class Jump:
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
