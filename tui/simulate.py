"""`restripe simulate`: a simulated cluster in the foreground, and requests to its control interface."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simulator.client import Simulation, SimulationError, control
from tui.exits import Exit


def usual_directory() -> Path:
    """Where the cluster lives when no directory is named. Short: the path of a Unix socket has about 100 bytes."""
    return Path(f"/tmp/restripe-simulate-{os.getuid()}")  # noqa: S108  made with mode 0700, refused if another's


async def run(scenario: str, directory: Path | None, speed: float, hosts: int | None, disks: int | None) -> Exit:
    """Start the cluster, say how to reach it, and serve until a signal comes; then leave nothing behind."""
    place = directory or usual_directory()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    # An end that was asked for is a clean one, whichever signal asks.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    existed, ours = place.exists(), _is_free(place)
    serving = asyncio.ensure_future(_serve(scenario, place, speed, hosts, disks))
    stopping = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if not serving.done():
            serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        return Exit.DONE if serving.cancelled() else serving.result()
    except SimulationError as error:
        hint = " (a cluster runs there, or one was killed: remove it then)" if not ours and _is_busy(place) else ""
        _complain(f"The simulated cluster could not be started: {error}{hint}")
        return Exit.FAILED
    finally:
        for task in (serving, stopping):
            task.cancel()
        await asyncio.gather(serving, stopping, return_exceptions=True)
        if ours:
            await asyncio.to_thread(_clear, place, existed)


async def _serve(scenario: str, place: Path, speed: float, hosts: int | None, disks: int | None) -> Exit:
    async with Simulation.start(scenario, speed, place, hosts=hosts, disks=disks) as simulation:
        sys.stdout.write(
            f"{simulation.cluster}: {len(simulation.hosts)} hosts, file system {simulation.fs}; "
            f"ssh -F {simulation.ssh_config} {simulation.entry}; ctrl-C ends it\n"
        )
        sys.stdout.flush()
        code = await simulation.ended()
    if code:
        _complain(f"The simulated cluster ended by itself, with exit status {code}.")
    return Exit.FAILED if code else Exit.DONE


def _is_free(place: Path) -> bool:
    """Whether the simulator may use a directory, and we may clear it afterwards."""
    try:
        return not any(place.iterdir())
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _is_busy(place: Path) -> bool:
    return (place / "ssh_config").exists()


def _clear(place: Path, existed: bool) -> None:
    if not existed:
        shutil.rmtree(place, ignore_errors=True)
        return
    for entry in place.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)


async def request(directory: Path | None, op: str, arguments: Sequence[str]) -> Exit:
    """One request to the control interface; its answer as JSON on stdout."""
    place = directory or usual_directory()
    given: dict[str, Any] = {}
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals or not key:
            _complain(f"{argument!r} is not KEY=VALUE")
            return Exit.USAGE
        given[key] = _value(value)
    socket = place / "control"
    if not socket.exists():
        _complain(f"No simulated cluster runs in {place}; start one with: restripe simulate")
        return Exit.UNREACHABLE
    try:
        answer = await control(socket, op, given)
    except SimulationError as error:
        _complain(str(error))
        return Exit.UNREACHABLE if isinstance(error.__cause__, OSError) else Exit.FAILED
    sys.stdout.write(json.dumps(answer, indent=2) + "\n")
    return Exit.DONE


def _value(text: str) -> Any:
    """A value as JSON, or as the plain word it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _complain(text: str) -> None:
    sys.stderr.write(text + "\n")
