"""The application over a live simulated cluster: looking, questions, and leaving."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from remote.hostkeys import HostKeyQuestion, Trust
from remote.secret import SecretKind, SecretQuestion
from screens.dialogs import ConfirmDanger, HostKeyDialog, SecretDialog
from simulator.client import Simulation
from supervision.filesystems import file_system
from supervision.session import Session
from supervision.watching import Watch
from tests.screens.hearing import hearing
from tests.screens.snap import text_of
from tests.waiting import until
from tui.app import RestripeApp
from tui.carrying import MIGRATION
from tui.demo import opened

SECONDS = 30.0
"""How long an answer may take to arrive."""


@asynccontextmanager
async def live(tmp_path: Path, *, armed: bool = True) -> AsyncIterator[tuple[RestripeApp, Pilot[int], Session]]:
    async with (
        Simulation.start(scenario="seed", speed=20_000) as simulation,
        opened(simulation, tmp_path / "r.jsonl") as demo,
    ):
        supervisor = demo.supervisor
        fs = file_system(supervisor.store.state.header)
        supervisor.site.armed = armed
        watch = Watch(supervisor, fs)
        session = Session(supervisor.store, fs, supervisor=supervisor, watch=watch, writer=demo.writer)
        supervisor.start("first look", watch.begin())
        app = RestripeApp(session)
        async with app.run_test(size=(80, 24)) as pilot:
            await until(lambda: "88,772,608" in text_of(app))
            yield app, pilot, session


async def test_leaving_in_the_middle_of_a_migration_is_asked(tmp_path: Path) -> None:
    async with live(tmp_path) as (app, pilot, session):
        assert session.supervisor is not None

        async def for_ever() -> None:
            await until(lambda: False, seconds=600)

        task = session.supervisor.start(MIGRATION, for_ever())
        await pilot.press("q")
        await until(lambda: isinstance(app.screen, ConfirmDanger))
        assert app.return_value is None
        task.cancel()


async def test_an_unknown_host_key_is_a_dialog_that_starts_on_no(tmp_path: Path) -> None:
    async with live(tmp_path) as (app, pilot, session):
        assert session.supervisor is not None
        question = HostKeyQuestion("nsd9", "nsd9", "ssh-ed25519", "SHA256:abcdef", "ssh-ed25519 AAAA")
        asked = session.supervisor.start("ask", app.ask_host_key(question))
        await hearing(app, HostKeyDialog)
        await until(lambda: "SHA256:abcdef" in text_of(app))
        await pilot.press("enter")
        assert await asyncio.wait_for(asked, SECONDS) is Trust.NO


async def test_a_password_is_asked_for_and_shown_nowhere(tmp_path: Path) -> None:
    async with live(tmp_path) as (app, pilot, session):
        assert session.supervisor is not None
        question = SecretQuestion(SecretKind.PASSWORD, "nsd9", "password for root@nsd9")
        asked = session.supervisor.start("ask", app.ask_secret(question))
        await hearing(app, SecretDialog)
        await pilot.press(*"hunter2")
        assert "hunter2" not in text_of(app)
        await pilot.press("enter")
        assert await asyncio.wait_for(asked, SECONDS) == "hunter2"
        assert "hunter2" not in (tmp_path / "r.jsonl").read_text()
