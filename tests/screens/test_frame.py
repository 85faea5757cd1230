"""The frame around every screen: what it says goes when it is old, is true while it stands, and fits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from screens.widgets.frame import MessageLine, status_text
from tests.screens.snap import text_of
from tests.screens.test_app_live import live
from tests.screens.test_app_replay import shown
from tests.waiting import until
from tui.app import RestripeApp
from tui.replay import moment

AGES = 3600.0


def message(app: RestripeApp) -> str:
    return app.screen.query_one(MessageLine).text


async def test_a_message_goes_and_a_refusal_stays_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MessageLine, "KEPT", 0.01)
    monkeypatch.setattr(MessageLine, "KEPT_WRONG", AGES)
    async with shown("18:00") as (app, _pilot, _player):
        app.say("asking again")
        assert message(app) == "asking again"
        await until(lambda: not message(app))
        app.say("refused: not now", wrong=True)
        other = MessageLine()
        await app.screen.mount(other)
        other.tell("a later one")  # when this one has gone, the time of the first is over as well
        await until(lambda: not other.text)
        assert message(app) == "refused: not now"
        app.say("asking again")
        await until(lambda: not message(app))


async def test_a_message_has_its_whole_time_though_one_before_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    async with shown("18:00") as (app, _pilot, _player):
        monkeypatch.setattr(MessageLine, "KEPT", 0.01)
        app.say("the same words")
        monkeypatch.setattr(MessageLine, "KEPT", AGES)
        app.say("the same words")
        monkeypatch.setattr(MessageLine, "KEPT", 0.02)
        other = MessageLine()
        await app.screen.mount(other)
        other.tell("a later one")
        await until(lambda: not other.text)
        assert message(app) == "the same words"


async def test_what_was_said_of_playing_is_true_on_every_screen_and_at_the_end() -> None:
    async with shown("17:00") as (app, pilot, player):
        player.speed = 0.25
        await pilot.press("P")
        assert message(app) == "playing 0.25 times as fast"
        await pilot.press("2", "P")
        await until(lambda: "[2 Disks]" in text_of(app))
        assert message(app) == "paused"
        await pilot.press("1")
        await until(lambda: "[1 Cluster]" in text_of(app))
        assert not message(app)
        player.seek(moment(player.replay, "end") - 1)
        player.speed = 100_000.0
        await pilot.press("P")
        await until(lambda: player.ended)
        await until(lambda: message(app) == "the end of the recording")
        await pilot.press("P")
        assert message(app) == "the end of the recording"


NAME, HOSTS, CLOCK = "mss1 @ pollux1", "hosts 3/3", "18:00:00"
FULL = "NOT RECORDED: No space left on device"


@pytest.mark.parametrize(
    ("name", "words", "recording", "width", "expected"),
    [
        (NAME, "ARMED", "rec 6 KB", 80, " mss1 @ pollux1  ARMED  hosts 3/3  rec 6 KB  18:00:00"),
        (NAME, "ARMED", FULL, 90, f" mss1 @ pollux1  ARMED  hosts 3/3  {FULL}  18:00:00"),
        (NAME, "ARMED", FULL, 80, " mss1 @ pollux1  ARMED  hosts 3/3  NOT RECORDED  18:00:00"),
        (
            "scratch @ " + "n" * 60,
            "SIMULATED READ-ONLY",
            FULL,
            80,
            " scratch @ nnnnnnnnnnnn…  SIMULATED READ-ONLY  hosts 3/3  NOT RECORDED  18:00:00",
        ),
        (NAME, "REPLAY READ-ONLY", "", 41, " mss1 @ poll…  REPLAY READ-ONLY  18:00:00"),
        (NAME, "ARMED", "rec 6 KB", 43, " mss1 @ pollux1  ARMED  hosts 3/3  18:00:00"),
        (NAME, "ARMED", FULL, 40, " mss1 @ …  ARMED  NOT RECORDED  18:00:00"),
        (NAME, "REPLAY READ-ONLY", "", 20, " REPLAY READ-ONLY  18:00:00"),
    ],
)
def test_whatever_is_cut_the_words_and_the_clock_stay(
    name: str, words: str, recording: str, width: int, expected: str
) -> None:
    assert status_text(name, words, HOSTS, recording, CLOCK, width) == expected


async def test_a_session_whose_recording_failed_still_has_its_clock_at_80_columns(tmp_path: Path) -> None:
    async with live(tmp_path) as (app, _pilot, session):
        assert session.writer
        session.writer._fail("No space left on device")
        await until(lambda: "NOT RECORDED" in text_of(app))
        assert re.fullmatch(
            r" mss1 @ pollux1  SIMULATED ARMED  hosts 3/3  NOT RECORDED  \d\d:\d\d:\d\d", text_of(app).splitlines()[0]
        )
