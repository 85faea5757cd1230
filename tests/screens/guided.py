"""The application over a simulated cluster with a migration that is led on its screen, and keys as a person types."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from screens.dialogs import ConfirmDanger
from screens.migrate_dialogs import AskYes
from simulator.client import Simulation
from supervision import recipes
from supervision.filesystems import file_system
from supervision.guide import Guide
from supervision.leading import Leading
from supervision.session import Session
from tests.screens.hearing import hearing
from tests.screens.snap import text_of
from tests.waiting import until
from tui.app import RestripeApp
from tui.demo import opened
from tui.guiding import GUIDE, AtScreen
from tui.making import MetadataPlans

FAST = 20_000.0
WHO = "root@desk"


@asynccontextmanager
async def live(
    tmp_path: Path, *, armed: bool = True, speed: float = FAST, size: tuple[int, int] = (80, 24), plan: bool = True
) -> AsyncIterator[tuple[RestripeApp, Pilot[int], Session]]:
    """A simulated cluster of its own on the screens; with `plan` a plan is made at once, as in the demo."""
    async with (
        Simulation.start(scenario="seed", speed=speed) as simulation,
        session_on(simulation, tmp_path / "r.jsonl", armed=armed, size=size) as told,
    ):
        app, pilot, session = told
        if plan:
            await made(session)
        yield app, pilot, session


@asynccontextmanager
async def session_on(
    simulation: Simulation, recording: Path, *, armed: bool = True, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[RestripeApp, Pilot[int], Session]]:
    """A session with a cluster that is there, of which nothing but its hosts is known."""
    async with opened(simulation, recording) as demo:
        supervisor = demo.supervisor
        fs = file_system(supervisor.store.state.header)
        supervisor.site.armed = armed
        person = AtScreen()
        maker = MetadataPlans(supervisor, by=WHO, plan_id="mss1-plan")
        leading = Leading(supervisor, recipes.find, person, operator=WHO, maker=maker)
        session = Session(supervisor.store, fs, supervisor=supervisor, writer=demo.writer, leading=leading)
        app = person.app = RestripeApp(session)
        async with app.run_test(size=size) as pilot:
            yield app, pilot, session


async def made(session: Session) -> Guide:
    """Have the plan made, as the demo does it by itself."""
    leading, supervisor = session.leading, session.supervisor
    assert leading is not None
    assert supervisor is not None
    await supervisor.start(GUIDE, leading.make())
    assert leading.guide is not None, leading.why
    return leading.guide


async def idle(session: Session) -> None:
    """Wait until nothing of the migration is under way."""
    supervisor = session.supervisor
    assert supervisor is not None
    await until(lambda: not supervisor.runs(GUIDE), seconds=60)


async def confirm(app: RestripeApp, pilot: Pilot[int]) -> str:
    """Type the name and say yes; what was asked."""
    dialog = await hearing(app, ConfirmDanger)
    told = "\n".join((dialog._heading, *dialog._lines))
    await pilot.press("tab", *"mss1", "enter", "y")
    await until(lambda: app.screen is not dialog)
    return told


async def answer(app: RestripeApp, pilot: Pilot[int], key: str) -> str:
    """Answer a question that needs no name; what was asked."""
    dialog = await hearing(app, AskYes)
    told = "\n".join((dialog._heading, *dialog._lines))
    await pilot.press(key)
    await until(lambda: app.screen is not dialog)
    return told


def next_line(app: RestripeApp) -> str:
    """What the screen says is to be done next, in one line."""
    return " ".join(text_of(app, "#next").split())
