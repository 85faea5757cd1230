"""The application over a live simulated cluster: looking, the guarded migration, and leaving."""

from __future__ import annotations

import asyncio
import math
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
        session = Session(
            supervisor.store, fs, supervisor=supervisor, watch=watch, writer=demo.writer, migration=demo.migration
        )
        supervisor.start("first look", watch.begin())
        supervisor.start("plan", demo.migration.prepare())
        app = RestripeApp(session)
        async with app.run_test(size=(80, 24)) as pilot:
            await until(lambda: "88,772,608" in text_of(app))
            yield app, pilot, session


async def test_the_migration_runs_after_its_name_was_typed_and_not_before(tmp_path: Path) -> None:
    async with live(tmp_path) as (app, pilot, session):
        await pilot.press("4")
        await until(lambda: "r runs it" in text_of(app))
        await pilot.press("r")
        dialog = await hearing(app, ConfirmDanger)
        migration = session.migration
        assert migration is not None
        await until(lambda: "/JOBS" not in " ".join((*migration.commands(), *migration.lines)))
        planned = migration.commands()
        dialog._deaf_until = math.inf
        await pilot.press("enter", "y")  # too early: keys that were typed ahead answer nothing
        assert app.screen is dialog
        await pilot.pause()
        dialog._deaf_until = 0.0
        await pilot.press("enter")  # it starts on Cancel
        await until(lambda: not isinstance(app.screen, ConfirmDanger))
        assert not session.state.steps

        await pilot.press("r")
        await hearing(app, ConfirmDanger)
        await pilot.press("tab", *"mss1", "enter", "y")
        await until(lambda: len(session.state.steps) == 7)
        await until(lambda: session.state.steps[7].state == "done", seconds=60)
        assert "407,779,968 KB" in session.state.steps[7].detail
        assert session.migration is None  # once
        ran = [ran.command for ran in session.state.commands if ran.job]
        assert list(planned) == ran  # what a person agreed to is what ran, word for word
        assert [command.split()[0] for command in ran] == ["mmcrnsd", "mmadddisk", "mmchdisk", "mmrestripefs"]


async def test_who_is_asked_sees_every_command_and_host_before_it_runs(tmp_path: Path) -> None:
    async with live(tmp_path) as (app, pilot, session):
        await until(lambda: session.header.entry in session.state.places)
        await pilot.resize_terminal(120, 40)
        await pilot.press("4")
        await until(lambda: "r runs it" in text_of(app))
        await pilot.press("r")
        await until(lambda: isinstance(app.screen, ConfirmDanger))
        place = session.state.places["pollux1"].base
        dialog = app.screen
        assert isinstance(dialog, ConfirmDanger)
        told = "\n".join(dialog._lines)
        plan = session.header.plan
        assert f"mmcrnsd -F {place}/{plan}-3-mmcrnsd-1/run/ssd.stanza" in told
        assert f"mmadddisk mss1 -F {place}/{plan}-4-mmadddisk-1/run/ssd.stanza" in told
        assert f"mmchdisk mss1 change -F {place}/{plan}-5-mmchdisk-1/run/dataonly.stanza" in told
        assert "mmrestripefs mss1 -r -N foo1,foo2,foo3" in told  # the nodes' own names
        assert told.endswith("on     pollux1, pollux2, pollux3")
        assert "/JOBS" not in told
        shown = text_of(app)
        assert "all metadata to the new SSDs" in shown
        assert "on     pollux1, pollux2, pollux3" in shown


async def test_a_read_only_session_has_no_key_that_runs_anything(tmp_path: Path) -> None:
    async with live(tmp_path, armed=False) as (app, pilot, session):
        assert "READ-ONLY" in text_of(app)
        await pilot.press("4")
        await until(lambda: "[4 Migrate]" in text_of(app))
        assert "run the migration" not in text_of(app)
        await pilot.press("r")
        assert not isinstance(app.screen, ConfirmDanger)
        assert not session.state.steps


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
