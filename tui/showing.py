"""Showing a session on the screens: the supervisor outside, the application inside, and what is asked first."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from supervision.gpfs import GpfsFileSystem

from remote.errors import SiteError
from remote.recording import RecordingError
from simulator.client import Simulation, SimulationError
from supervision.filesystem import FileSystem
from supervision.migration import StopError
from supervision.player import Player
from supervision.replay import Replay
from supervision.session import Session
from supervision.supervisor import Supervisor
from tui.app import RestripeApp
from tui.demo import opened
from tui.exits import Exit
from tui.replay import StartError, moment


async def replay(file: Path, *, speed: float | None, start: str | None) -> Exit:
    """A recording on the screens. It waits, paused, at its beginning."""
    try:
        recording = Replay(file)
        begin = moment(recording, start) if start else recording.began
    except (RecordingError, StartError) as error:
        sys.stderr.write(f"{error}\n")
        return Exit.USAGE
    player = Player(recording, speed=speed or 60.0)
    player.seek(begin)
    header = recording.header
    return await run(Session(player, GpfsFileSystem(header.file_system, header.entry)))


async def demo(*, speed: float, record: Path | None, auto: bool) -> Exit:
    """The simulated cluster on the screens, waiting for the person; with `auto` it begins by itself."""
    try:
        async with Simulation.start(scenario="seed", speed=speed) as simulation, opened(simulation, record) as demo:
            supervisor = demo.supervisor
            fs = GpfsFileSystem(simulation.fs, simulation.entry)
            session = Session(supervisor.store, fs, supervisor=supervisor, writer=demo.writer)

            async def migrate() -> None:
                with contextlib.suppress(StopError):  # told by its step
                    await demo.recipe.run()

            if auto:
                supervisor.start("migration", migrate())
            else:
                supervisor.start("first look", first_look(supervisor, fs))
            return await run(session, migrate=migrate)
    except (SimulationError, RecordingError, SiteError) as error:
        sys.stderr.write(f"Nothing was done: {error}\n")
        return Exit.FAILED


async def first_look(supervisor: Supervisor, fs: FileSystem) -> None:
    """Ask what every screen begins with; each trouble is in the state, on its own."""
    for commands in (fs.questions(), fs.costly()):
        with contextlib.suppress(SiteError):
            await supervisor.ask(supervisor.entry, *commands)
    await supervisor.look_at_devices(supervisor.site.hosts)
    supervisor.watch(fs.cadences(supervisor.entry))


async def run(session: Session, *, migrate: Callable[[], Coroutine[Any, Any, None]] | None = None) -> Exit:
    """Show a session until the person leaves."""
    app = RestripeApp(session, migrate=migrate)
    code = await app.run_async()
    return Exit(code or 0)
