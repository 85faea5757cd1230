"""The application over the recorded migration: its frame, its screens, its keys, and the replay's controls."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

import pytest
from textual.pilot import Pilot

from screens.cluster import ClusterScreen
from screens.migrate import MigrateScreen
from screens.restripe import RestripeScreen
from supervision.gpfs import GpfsFileSystem
from supervision.player import Player
from supervision.replay import Replay
from supervision.session import Session
from tests.screens.snap import assert_snapshot, text_of
from tests.waiting import until
from tui.app import RestripeApp
from tui.help import HelpScreen
from tui.replay import moment

SHIPPED = Path(__file__).parents[2] / "recordings" / "seed-3.5.jsonl"
SIZES = ((80, 24), (120, 40), (200, 60))


@cache
def recorded() -> Replay:
    replay = Replay(SHIPPED)
    replay.fold_to(len(replay.index))  # the timeline tells what is not read yet
    return replay


@asynccontextmanager
async def shown(at: str, size: tuple[int, int] = (80, 24)) -> AsyncIterator[tuple[RestripeApp, Pilot[int], Player]]:
    """The application over the recording, paused at a moment."""
    player = Player(recorded(), speed=60.0)
    player.seek(moment(recorded(), at))
    header = recorded().header
    app = RestripeApp(Session(player, GpfsFileSystem(header.file_system, header.entry)))
    async with app.run_test(size=size) as pilot:
        await until(lambda: isinstance(app.screen, ClusterScreen) and "mss1" in text_of(app))
        yield app, pilot, player


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize(
    ("key", "kind", "name"),
    [("1", ClusterScreen, "cluster"), ("4", MigrateScreen, "migrate"), ("5", RestripeScreen, "restripe")],
)
async def test_the_screens_in_the_middle_of_the_restripe(
    size: tuple[int, int], key: str, kind: type, name: str
) -> None:
    async with shown("18:00", size) as (app, pilot, _player):
        await pilot.press(key)
        await until(lambda: isinstance(app.screen, kind) and "18:00:00" in text_of(app))
        await until(lambda: " paused " in text_of(app).splitlines()[2])  # the timeline is there a look later
        await until(lambda: "·" not in text_of(app).splitlines()[2])  # it knows the whole recording
        await pilot.pause()  # what is beneath the timeline has moved
        assert_snapshot(app, "snapshots_app", f"{name}-{size[0]}x{size[1]}")


async def test_the_frame_says_what_it_is_and_which_keys_work() -> None:
    async with shown("18:00") as (app, _pilot, _player):
        first, second, *_, last = text_of(app).splitlines()
        assert "mss1 @ pollux1" in first
        assert "REPLAY READ-ONLY" in first
        assert "hosts 3/3" in first
        assert "[1 Cluster]" in second  # the current screen is in brackets: no colour is needed to see it
        assert last.endswith("? help  q quit")
        assert len(last) <= 80


async def test_at_the_end_everything_is_done() -> None:
    async with shown("+240", (120, 40)) as (app, pilot, player):
        player.seek(player.replay.began + player.replay.seconds)
        await pilot.press("4")
        await until(lambda: "7 proof" in text_of(app) and "407,779,968 KB" in text_of(app))
        assert text_of(app).count("ok ") >= 7


async def test_p_plays_and_pauses() -> None:
    async with shown("17:00") as (app, pilot, player):
        player.speed = 600.0
        await pilot.press("P")
        await until(lambda: player.position > moment(recorded(), "17:01"))
        await until(lambda: "playing" in text_of(app))
        player.speed = 1.0
        await pilot.press("P")
        assert not player.playing
        await until(lambda: "paused" in text_of(app))


async def test_marks_jumps_and_single_events() -> None:
    async with shown("+0.1") as (app, pilot, player):
        await pilot.press("right_square_bracket")
        await until(lambda: "step" in text_of(app).splitlines()[-2])
        marked = player.position
        await pilot.press("greater_than_sign")
        assert player.position == pytest.approx(marked + 600)
        await pilot.press("comma")
        assert player.position == pytest.approx(marked)
        revision = player.state.revision
        await pilot.press("full_stop")
        assert player.state.revision == revision + 1
        await pilot.press("plus", "plus", "minus")
        assert player.speed == pytest.approx(120.0)


async def test_help_lists_the_keys_of_the_screen_and_closes() -> None:
    async with shown("18:00") as (app, pilot, _player):
        await pilot.press("question_mark")
        await until(lambda: isinstance(app.screen, HelpScreen))
        text = text_of(app)
        for words in ("play/pause", "next mark", "help", "quit"):
            assert words in text
        await pilot.press("escape")
        await until(lambda: isinstance(app.screen, ClusterScreen))


async def test_a_number_leaves_help_too() -> None:
    async with shown("18:00") as (app, pilot, _player):
        await pilot.press("question_mark")
        await until(lambda: isinstance(app.screen, HelpScreen))
        await pilot.press("escape", "5")
        await until(lambda: isinstance(app.screen, RestripeScreen))


async def test_q_quits() -> None:
    async with shown("18:00") as (app, pilot, _player):
        await pilot.press("q")
        await until(lambda: app.return_value == 0)
