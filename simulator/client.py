"""Starting a simulator and talking to it; loads nothing else of this package.

async with Simulation.start(speed=600) as sim:
    sim.ssh_config, sim.hosts, sim.entry
    facts = await sim.control("facts")
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import sys
import tempfile
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

READY_SECONDS = 30.0
STOP_SECONDS = 20.0
CONTROL_SECONDS = 30.0
MAX_ANSWER = 128 * 1024 * 1024
"""Bytes of an answer: the facts of 100,000 disks are half of that."""


class SimulationError(Exception):
    """The simulator did not start, or refused a request."""


@dataclass(frozen=True)
class SimulatedClock:
    """simulated UNIX time = epoch + (time.monotonic() - monotonic) * speed; CLOCK_MONOTONIC is the machine's."""

    epoch: float
    monotonic: float
    speed: float

    def now(self) -> float:
        """The simulated UNIX time."""
        return self.epoch + (time.monotonic() - self.monotonic) * self.speed


@dataclass(frozen=True)
class Simulation:
    """A running simulator."""

    directory: Path
    ssh_config: Path
    control_socket: Path
    clock: SimulatedClock
    hosts: tuple[str, ...]
    entry: str
    fs: str
    cluster: str
    pid: int
    process: asyncio.subprocess.Process

    async def ended(self) -> int:
        """Wait until the simulator ends by itself; its exit status."""
        return await self.process.wait()

    @staticmethod
    @asynccontextmanager
    async def start(
        scenario: str = "seed",
        speed: float = 600,
        directory: Path | None = None,
        *,
        hosts: int | None = None,
        disks: int | None = None,
    ) -> AsyncIterator[Simulation]:
        """Start a simulator and end it, with all its processes, on exit.

        `hosts` and `disks` are for the scenario `big`, `disks` for `scale` too. Without `directory` a
        temporary one is made and removed. Raises SimulationError with the simulator's own words if it does not start.
        """
        # Short, and not below TMPDIR, which may be deep: the path of a Unix socket is limited to about 100 bytes.
        made = None if directory else Path(tempfile.mkdtemp(prefix="sim-", dir="/tmp"))
        try:
            size = {"--hosts": hosts, "--disks": disks}
            words = [word for name, count in size.items() if count is not None for word in (name, str(count))]
            if made is not None:
                words.append("--remove")  # It ends even if this process is killed, and then cleans up itself.
            async with _process(scenario, speed, directory or made or Path(), words) as (process, complaints):
                yield _simulation(await _announcement(process, complaints), process)
        finally:
            if made is not None:
                shutil.rmtree(made, ignore_errors=True)

    async def environment(self, host: str, *, share: bool = False) -> dict[str, str]:
        """The settings that make a session of any SSH server (`SetEnv`) that host.

        With `share` for other users than the simulator's: they may run the shims then, and choose RESTRIPE_JOBS
        themselves.
        """
        answer = await self.control("environment", host=host, share=share)
        settings: dict[str, str] = answer["environment"]
        return settings

    async def control(self, op: str, **arguments: Any) -> dict[str, Any]:
        """One request to the control interface (see `simulator.control`); its result.

        Raises SimulationError for a refusal, a broken connection or no answer within CONTROL_SECONDS real seconds.
        """
        return await control(self.control_socket, op, arguments)


async def control(socket: Path, op: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """One request to the control socket of any simulator that runs; raises as `Simulation.control` does."""
    try:
        async with asyncio.timeout(CONTROL_SECONDS):
            reader, writer = await asyncio.open_unix_connection(socket, limit=MAX_ANSWER)
            try:
                writer.write(json.dumps({**arguments, "op": op}).encode() + b"\n")
                await writer.drain()
                answer = json.loads(await reader.readline())
            finally:
                writer.close()
                with contextlib.suppress(OSError):
                    await writer.wait_closed()
    except (OSError, TimeoutError, ValueError) as problem:
        raise SimulationError(f"control {op}: {problem or type(problem).__name__}") from problem
    if "error" in answer:
        raise SimulationError(f"control {op}: {answer['error']}")
    result: dict[str, Any] = answer["result"]
    return result


@asynccontextmanager
async def _process(
    scenario: str, speed: float, directory: Path, words: Sequence[str] = ()
) -> AsyncIterator[tuple[asyncio.subprocess.Process, deque[str]]]:
    """The simulator's process, and the last lines of its stderr as they come."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "simulator"),
        *("--scenario", scenario, "--dir", str(directory), "--speed", str(speed)),
        *words,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    complaints: deque[str] = deque(maxlen=50)
    listening = asyncio.create_task(_listen(process.stderr, complaints))
    try:
        yield process, complaints
    finally:
        ending = asyncio.ensure_future(_end(process, listening))
        try:
            await asyncio.shield(ending)
        except asyncio.CancelledError:
            # Whoever is in a hurry still leaves no simulator behind; the wait is bounded.
            await ending
            raise


async def _listen(stream: asyncio.StreamReader | None, complaints: deque[str]) -> None:
    while stream is not None and (data := await stream.read(4096)):
        complaints.append(data.decode("utf-8", "backslashreplace"))


async def _end(process: asyncio.subprocess.Process, listening: asyncio.Task[None]) -> None:
    """Close stdin, which ends the simulator; kill it if it does not go."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)


async def _announcement(process: asyncio.subprocess.Process, complaints: deque[str]) -> dict[str, Any]:
    if process.stdout is None:
        raise SimulationError("the simulator has no output")
    try:
        async with asyncio.timeout(READY_SECONDS):
            line = await process.stdout.readline()
            if not line:
                # It has ended; what it said last may still be on the way.
                await process.wait()
    except TimeoutError:
        raise SimulationError(f"the simulator was not ready after {READY_SECONDS:g} s") from None
    if not line:
        raise SimulationError("".join(complaints).strip() or "the simulator ended without a word")
    ready: dict[str, Any] = json.loads(line)
    return ready


def _simulation(ready: dict[str, Any], process: asyncio.subprocess.Process) -> Simulation:
    return Simulation(
        directory=Path(ready["dir"]),
        ssh_config=Path(ready["ssh_config"]),
        control_socket=Path(ready["control"]),
        clock=SimulatedClock(**ready["clock"]),
        hosts=tuple(ready["hosts"]),
        entry=ready["entry"],
        fs=ready["fs"],
        cluster=ready["cluster"],
        pid=process.pid,
        process=process,
    )
