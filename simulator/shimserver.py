"""The other end of the shims: requests in, stdout streamed out, exit status and stderr last.

Everything a client can send is bounded in size and time, and a bad one harms only itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
from collections.abc import Awaitable, Callable, Iterator

from simulator.clients import Clients
from simulator.world import Call, World

Execute = Callable[[World, Call], Awaitable[int]]

MAX_FIELD = 128 * 1024
MAX_ARGUMENTS = 4096
MAX_REQUEST = 2 * 1024 * 1024
MAX_CONNECTIONS = 4096
REQUEST_SECONDS = 10.0
ANSWER_SECONDS = 30.0
BROKEN_PIPE = 141

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _Output:
    """The stdout or stderr connection of a command: announced by one connection, used by the task of the other."""

    def __init__(self) -> None:
        self.stream: asyncio.Future[Stream] = asyncio.get_running_loop().create_future()
        self.claimed = asyncio.Event()
        self.released = asyncio.Event()


class _BadRequestError(Exception):
    pass


class _ClientGoneError(Exception):
    pass


async def _field(reader: asyncio.StreamReader) -> str:
    try:
        data = await reader.readuntil(b"\0")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as problem:
        raise _BadRequestError from problem
    return data[:-1].decode("utf-8", "surrogateescape")


class ShimServer:
    """Listens on the loopback; `token` must be the second field of every request."""

    def __init__(self, world: World, token: str, execute: Execute) -> None:
        self._world = world
        self._token = token
        self._execute = execute
        self._outputs: dict[str, _Output] = {}
        self._clients = Clients(self._serve, MAX_CONNECTIONS)
        self.refused = 0

    async def start(self) -> int:
        """Listen; returns the port."""
        self._clients.server = await asyncio.start_server(self._clients.accept, "127.0.0.1", 0, limit=MAX_FIELD)
        return int(self._clients.server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Close everything; commands that run are told that their process has died."""
        await self._clients.stop()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._dispatch(reader, writer)
        except (_BadRequestError, TimeoutError, ValueError):
            self.refused += 1
        except OSError:
            return  # The client is gone; nothing is left to say to it.
        finally:
            writer.close()
            try:
                async with asyncio.timeout(ANSWER_SECONDS):
                    await writer.wait_closed()
            except (OSError, TimeoutError):
                writer.transport.abort()

    async def _dispatch(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(REQUEST_SECONDS):
            verb, token = await _field(reader), await _field(reader)
            if not hmac.compare_digest(token.encode("utf-8", "surrogateescape"), self._token.encode()):
                raise _BadRequestError
            key = "" if verb == "now" else await _field(reader)
            call = await self._request(reader) if verb == "run" else None
        if verb == "io":
            await self._operation(key, (reader, writer))
        elif verb == "now":
            writer.write(b"%.6f\n" % self._world.clock.now())
            await writer.drain()
        elif verb in ("out", "err"):
            await self._park(f"{verb} {key}", (reader, writer))
        elif call is not None:
            await self._run(call, key, (reader, writer))
        else:
            raise _BadRequestError

    async def _operation(self, host: str, client: Stream) -> None:
        """Answer when an operation of the file system would be done; nobody waits for one who is gone."""
        world = self._world
        work = asyncio.ensure_future(world.users.operation(host, world.work.rate(world.clock.now())))
        gone = asyncio.ensure_future(client[0].read(1))
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                client[1].write(b"0\n")
                await client[1].drain()
        finally:
            work.cancel()
            gone.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)

    async def _request(self, reader: asyncio.StreamReader) -> Call:
        name, pid, cwd, line, count = [await _field(reader) for _ in range(5)]
        host = self._world.cluster.hosts.get(name)
        if host is None or not 1 <= int(count) <= MAX_ARGUMENTS:
            raise _BadRequestError
        argv: list[str] = []
        size = 0
        for _ in range(int(count)):
            argv.append(await _field(reader))
            size += len(argv[-1])
            if size > MAX_REQUEST:
                raise _BadRequestError
        return Call(host, argv, cwd, int(pid), emit=_nowhere, unbuffered=line == "1")

    def _output(self, key: str) -> _Output:
        if key not in self._outputs:
            self._outputs[key] = _Output()
        return self._outputs[key]

    async def _park(self, key: str, stream: Stream) -> None:
        """Hand a stdout connection to the request with the same key, and keep it open until that has done with it."""
        output = self._output(key)
        if output.stream.done():
            raise _BadRequestError
        output.stream.set_result(stream)
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                await output.claimed.wait()
            await output.released.wait()
        finally:
            self._drop(key, output)

    def _drop(self, key: str, output: _Output) -> None:
        if self._outputs.get(key) is output:
            del self._outputs[key]

    async def _run(self, call: Call, key: str, control: Stream) -> None:
        policies = self._world.policies
        both = "stderr" in (policies.progress_stream, policies.attention_stream)
        async with contextlib.AsyncExitStack() as stack:
            claimed = [stack.enter_context(self._claimed(f"out {key}"))]
            control[1].write(b"2\n" if both else b"1\n")
            if both:
                claimed.append(stack.enter_context(self._claimed(f"err {key}")))
            async with asyncio.timeout(REQUEST_SECONDS):
                streams = [await asyncio.shield(output.stream) for output in claimed]
            status = await self._watched(call, streams, control[0])
        # The other connections are closed first, so that the shim's `cat`s end before it reads the status.
        control[1].write(f"{status}\n".encode() + "".join(call.err).encode("utf-8", "surrogateescape"))
        async with asyncio.timeout(ANSWER_SECONDS):
            await control[1].drain()

    @contextlib.contextmanager
    def _claimed(self, key: str) -> Iterator[_Output]:
        """The output with a key, which must be nobody else's; its connection is let go afterwards."""
        output = self._output(key)
        if output.claimed.is_set():
            raise _BadRequestError
        output.claimed.set()
        try:
            yield output
        finally:
            output.released.set()
            self._drop(key, output)

    async def _watched(self, call: Call, outputs: list[Stream], control: asyncio.StreamReader) -> int:
        """Run a command until it ends or its process dies."""
        call.emit = _emitter(outputs[0][1])
        if len(outputs) > 1:
            call.emit_err = _emitter(outputs[1][1])
        work = asyncio.ensure_future(self._execute(self._world, call))
        # A shim sends nothing more: whatever ends these reads, its process is gone.
        watchers = [asyncio.ensure_future(end.read(1)) for end in (control, *(reader for reader, _ in outputs))]
        try:
            await asyncio.wait({work, *watchers}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                work.cancel()
            try:
                return await work
            except (asyncio.CancelledError, _ClientGoneError):
                if (task := asyncio.current_task()) is not None and task.cancelling():
                    raise
                return BROKEN_PIPE
        finally:
            work.cancel()
            for watcher in watchers:
                watcher.cancel()
            await asyncio.gather(work, *watchers, return_exceptions=True)
            for _, writer in outputs:
                writer.close()


def _emitter(writer: asyncio.StreamWriter) -> Callable[[str], Awaitable[None]]:
    async def emit(text: str) -> None:
        writer.write(text.encode("utf-8", "surrogateescape"))
        try:
            await writer.drain()
        except OSError:
            raise _ClientGoneError from None

    return emit


async def _nowhere(text: str) -> None:
    """Stdout of a command that has none yet."""
