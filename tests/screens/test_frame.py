"""The frame around every screen: what it says goes when it is old, is true while it stands, and fits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from screens.widgets.frame import MessageLine, status_text
from tests.screens.snap import text_of
from tests.screens.test_app_live import live
from tests.screens.test_app_replay import shown
from tests.waiting import until
from tui.app import RestripeApp
from tui.help import HelpScreen
from tui.replay import moment
from tui.settings import Config, Settings, config_file

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


async def click(app: RestripeApp, pilot: Pilot[int], line: int, words: str) -> None:
    """Click on the middle of words in a line of the screen."""
    text = text_of(app).splitlines()[line]
    assert text.count(words) == 1, text
    await pilot.click(offset=(text.index(words) + len(words) // 2, line % app.size.height))


async def test_a_click_on_a_tab_or_a_key_does_what_the_key_does() -> None:
    async with shown("18:00") as (app, pilot, player):
        await click(app, pilot, 1, "7 Commands")
        await until(lambda: "[7 Commands]" in text_of(app))
        await click(app, pilot, 1, "2 Disks")
        await until(lambda: "[2 Disks]" in text_of(app) and "foo1_nsd1" in text_of(app))
        await click(app, pilot, -1, "/ filter")
        await until(lambda: isinstance(app.focused, Input))
        await click(app, pilot, 1, "1 Cluster")  # though a field has the focus, in which a key would be a letter
        await until(lambda: "[1 Cluster]" in text_of(app))
        player.speed = 0.25
        await click(app, pilot, -1, "P play/pause")
        await until(lambda: player.playing)
        await click(app, pilot, -1, "? help")
        await until(lambda: isinstance(app.screen, HelpScreen))
        await pilot.press("escape")
        await until(lambda: "[1 Cluster]" in text_of(app))
        text = text_of(app).splitlines()[-1]
        await pilot.click(offset=(text.index("? help") - 3, 23))  # between the words is nothing
        await click(app, pilot, -1, "q quit")
        await until(lambda: app.return_value == 0)


async def test_a_click_works_whatever_keys_a_person_has_set() -> None:
    async with shown("18:00", (120, 40)) as (app, pilot, _player):
        keys: dict[str, str | list[str]] = {"screen.disks": "f2", "grid.filter": "f5", "app.quit": "f9"}
        app.use(Settings(Config(keys=keys), config_file()))
        await pilot.press("full_stop")  # something happens, so that it is drawn
        await until(lambda: "f2 Disks" in text_of(app))
        await click(app, pilot, 1, "f2 Disks")
        await until(lambda: "[f2 Disks]" in text_of(app) and "f5 filter" in text_of(app))
        await click(app, pilot, -1, "f5 filter")
        await until(lambda: isinstance(app.focused, Input))
        await pilot.press("escape")
        await until(lambda: "f9 quit" in text_of(app))
        await click(app, pilot, -1, "f9 quit")
        await until(lambda: app.return_value == 0)
