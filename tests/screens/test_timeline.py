"""The timeline of a replay: readable at 80 columns without colour, and a place to click."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from remote.events import Closed, Header, Marked
from remote.recording import Writer
from screens.dialogs import AskText
from screens.widgets.timeline import Timeline, timeline_text
from supervision.gpfs import GpfsFileSystem
from supervision.player import Player
from supervision.replay import Replay
from supervision.session import Session
from tests.screens.hearing import hearing
from tests.screens.snap import text_of
from tests.waiting import until
from tui.app import RestripeApp

BEGAN = 1370557200.0
"""15:20:00 on the hosts' clock."""


@pytest.fixture
def replay(tmp_path: Path) -> Replay:
    writer = Writer(tmp_path / "r.jsonl", Header(1, "0", 0.0, BEGAN, "fs", ("a",), "a", utc_offset=-25200))
    writer.write(Marked(BEGAN + 900, "step 1: look"))
    writer.write(Marked(BEGAN + 1800, "step 2: [/x] a label that is much too long for any line"))
    writer.write(Closed(BEGAN + 3600))
    writer.close()
    return Replay(writer.path)


@asynccontextmanager
async def shown(replay: Replay) -> AsyncIterator[tuple[RestripeApp, Pilot[int], Player]]:
    player = Player(replay, speed=60.0)
    app = RestripeApp(Session(player, GpfsFileSystem("fs", "a")))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: "00:00:00 / 01:00:00" in text_of(app))
        yield app, pilot, player


def line_of(app: RestripeApp) -> str:
    return text_of(app).splitlines()[2]


def test_what_it_says_at_80_columns(replay: Replay) -> None:
    player = Player(replay, speed=60.0)
    text, start, length = timeline_text(player, 80)
    assert text.startswith(" paused  60x  00:00:00 / 01:00:00  ●")
    assert text[start : start + length].count("┼") == 2
    player.seek(BEGAN + 1000)
    player.playing = True
    text = timeline_text(player, 80)[0]
    assert text.startswith(" playing 60x  00:16:40 / 01:00:00  ━")
    assert text.rstrip().endswith("step 1: look")
    player.seek(BEGAN + 3600)
    text = timeline_text(player, 80)[0]
    assert text.startswith(" end ")
    assert len(text) == 80
    assert "step 2: [/x] a label" in text


@pytest.mark.parametrize("width", [1, 20, 40, 60, 80, 200])
def test_it_is_as_wide_as_the_screen(replay: Replay, width: int) -> None:
    player = Player(replay)
    for t in (BEGAN, BEGAN + 2000, BEGAN + 3600):
        player.seek(t)
        assert len(timeline_text(player, width)[0]) == width


def test_a_recording_of_nothing_has_a_timeline(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "r.jsonl", Header(1, "0", 0.0, BEGAN))
    writer.close()
    assert "00:00:00 / 00:00:00" in timeline_text(Player(Replay(writer.path)), 80)[0]


def test_what_is_recorded_still_is_never_shorter_than_where_one_is(replay: Replay) -> None:
    player = Player(replay)
    player.position = BEGAN + 3700  # a hundred seconds in which nothing was recorded
    assert "01:01:40 / 01:01:40" in timeline_text(player, 80)[0]


async def test_a_click_goes_there(replay: Replay) -> None:
    async with shown(replay) as (_app, pilot, player):
        _text, start, length = timeline_text(player, 80)
        await pilot.click(Timeline, offset=(start + length // 2, 0))
        await until(lambda: player.position == pytest.approx(BEGAN + 1800, abs=3600 / (length - 1)))
        await pilot.click(Timeline, offset=(1, 0))  # beside the track
        assert player.position > BEGAN + 1000


async def test_it_follows_the_keys_on_every_screen(replay: Replay) -> None:
    async with shown(replay) as (app, pilot, player):
        assert line_of(app).startswith(" paused  60x")
        await pilot.press("plus")
        await until(lambda: line_of(app).startswith(" paused  120x"))
        await pilot.press("5", "right_square_bracket")
        await until(lambda: "step 1: look" in line_of(app))
        player.speed = 0.25
        await pilot.press("P")
        await until(lambda: line_of(app).startswith(" playing"))


async def test_a_moment_is_typed(replay: Replay) -> None:
    moments = {"+20": BEGAN + 1200, "15:35": BEGAN + 900, "step 2": BEGAN + 1800, "end": BEGAN + 3600}
    async with shown(replay) as (app, pilot, player):
        for typed, t in moments.items():
            await pilot.press("T")
            await until(lambda: "Go to which moment" in text_of(app))
            await hearing(app, AskText)
            if typed == "+20":
                await pilot.press(*"step 9", "enter")
                await until(lambda: "neither a time nor a mark" in text_of(app))
            await pilot.press("ctrl+u", *typed, "enter")
            await until(lambda t=t: player.position == t)  # type: ignore[misc]


async def test_a_trouble_with_the_file_is_said(replay: Replay) -> None:
    async with shown(replay) as (app, _pilot, _player):
        replay.index.path.unlink()
        await until(lambda: "the recording was removed" in text_of(app).splitlines()[-2])
        await until(lambda: "! the recording was" in line_of(app))


async def test_its_word_goes_and_takes_no_other_with_it(replay: Replay) -> None:
    async with shown(replay) as (app, _pilot, _player):
        timeline = app.screen.query_one(Timeline)
        for said in ("", "said meanwhile"):
            replay.index.trouble = "a trouble that passes"
            await until(lambda: "a trouble that passes" in text_of(app))
            if said:
                app.say(said)
            replay.index.trouble = ""
            await until(lambda: timeline._said == "")
            assert text_of(app).splitlines()[-2].rstrip() == said
