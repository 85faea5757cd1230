"""Ways out of the application: every one is guarded alike, and what is said first is seen."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from screens.dialogs import ConfirmDanger
from supervision.gpfs import GpfsFileSystem
from supervision.player import Player
from supervision.session import Session
from tests.screens.hearing import hearing
from tests.screens.snap import text_of
from tests.screens.test_app_live import live
from tests.screens.test_app_replay import recorded
from tests.waiting import until
from tui.app import RestripeApp
from tui.carrying import LAUNCH, MIGRATION, STOP
from tui.settings import Config, Settings, config_file


async def test_ctrl_q_asks_what_q_asks_once_and_ctrl_c_ends_nothing(tmp_path: Path) -> None:
    async with live(tmp_path) as (app, pilot, session):
        assert session.supervisor is not None

        async def for_ever() -> None:
            await until(lambda: False, seconds=600)

        task = session.supervisor.start(MIGRATION, for_ever())
        await pilot.press("ctrl+c")
        await until(lambda: "ctrl+c ends nothing here: q or ctrl+q quits" in text_of(app))
        await pilot.press("ctrl+q")
        await until(lambda: isinstance(app.screen, ConfirmDanger))
        asked = len(app.screen_stack)
        await pilot.press("ctrl+q", "ctrl+q", "ctrl+c", "ctrl+p")
        await pilot.pause()
        assert len(app.screen_stack) == asked
        assert app.return_value is None
        await hearing(app, ConfirmDanger)
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, ConfirmDanger))
        # from the palette, too, there is no way around
        await pilot.press("ctrl+p", "ctrl+q")
        await until(lambda: isinstance(app.screen, ConfirmDanger))
        assert app.return_value is None
        task.cancel()


@pytest.mark.parametrize("under_way", [LAUNCH, STOP])
async def test_leaving_before_a_host_has_answered_to_a_launch_or_a_stop_is_asked(
    tmp_path: Path, under_way: str
) -> None:
    async with live(tmp_path) as (app, pilot, session):
        assert session.supervisor is not None
        answered = asyncio.Event()
        task = session.supervisor.start(under_way, answered.wait())
        await pilot.press("q")
        await until(lambda: f"Leave while a {under_way} is under way?" in text_of(app))
        await hearing(app, ConfirmDanger)
        await pilot.press("enter")  # it starts on Cancel
        await until(lambda: not isinstance(app.screen, ConfirmDanger))
        assert app.return_value is None
        answered.set()
        await task
        await pilot.press("q")
        await until(lambda: app.return_value == 0)


async def test_a_recording_that_cannot_be_written_is_the_first_of_the_problems(tmp_path: Path) -> None:
    async with live(tmp_path) as (app, _pilot, session):
        assert session.writer
        assert "recording" not in text_of(app)
        session.writer._fail("No space left on device")
        await until(lambda: "No space left on device" in text_of(app).split("\n", 1)[1])
        lines = text_of(app).splitlines()
        assert lines[2].strip() == "Problems"
        assert lines[3].startswith(" !! recording")
        text = " ".join(text_of(app).split())
        assert "leave and come back: only a new session is recorded" in text


async def test_why_it_is_read_only_although_write_was_given_is_said_first() -> None:
    header = recorded().header
    app = RestripeApp(Session(Player(recorded()), GpfsFileSystem(header.file_system, header.entry)))
    app.use(Settings(Config(), config_file()), "--write has no effect: read-only")
    async with app.run_test(size=(80, 24)):
        await until(lambda: "--write has no effect: read-only" in text_of(app))


async def test_a_last_look_finds_no_screen_and_ends_nothing() -> None:
    header = recorded().header
    app = RestripeApp(Session(Player(recorded()), GpfsFileSystem(header.file_system, header.entry)))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: "[1 Cluster]" in text_of(app))
        await pilot.press("q")
    app._look()
    assert (app.return_value, app.crash) == (0, None)
