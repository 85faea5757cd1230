"""The Restripe screen over a run that meets everything: what it shows at which size, and what its keys do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from screens.restripe import LOG_LINES, RestripeScreen, Room
from screens.restripe_details import DetailsScreen
from screens.widgets.charts import Charts
from screens.widgets.lines import Lines
from screens.widgets.logview import LogView
from supervision.filesystems import file_system
from supervision.player import Player
from supervision.session import Session
from tests.screens.snap import assert_snapshot, text_of
from tests.screens.troubledrun import ENDS, MINUTE, NOON, recorded
from tests.waiting import until
from tui.app import RestripeApp

NIGHT, WIDE = (80, 24), (120, 40)


@asynccontextmanager
async def shown(minute: float, size: tuple[int, int] = NIGHT) -> AsyncIterator[tuple[RestripeApp, Pilot[int], Player]]:
    """The screen, so many minutes after the scan began."""
    player = Player(recorded())
    player.seek(NOON + minute * MINUTE)
    app = RestripeApp(Session(player, file_system(recorded().header)), first="restripe")
    async with app.run_test(size=size) as pilot:
        await until(lambda: isinstance(app.screen, RestripeScreen) and " paused " in text_of(app).splitlines()[2])
        await until(lambda: settled(app))
        yield app, pilot, player


def settled(app: RestripeApp) -> bool:
    """Whether all is drawn for the room that the timeline leaves, which is there a look later."""
    room, summary, drawn = (app.screen.query_one(kind) for kind in (Room, "#summary", Charts))
    log = app.screen.query_one(LogView)
    heights = [summary.size.height, log.size.height, drawn.size.height * drawn.display]
    return (
        room.region.y == 3
        and sum(heights) == room.size.height
        and summary.query_one(Lines).size.height <= summary.size.height
        and (not drawn.display or drawn.size.height == len(charts(app).lines))
        and heights[1] >= LOG_LINES
    )


def charts(app: RestripeApp) -> Charts:
    return app.screen.query_one(Charts)


async def look(app: RestripeApp, *words: str, absent: str = "\0") -> str:
    """Wait until all these words are on the screen, and one is not; what it shows then, blanks folded."""

    def there() -> bool:
        text = " ".join(text_of(app).split())
        return all(word in text for word in words) and absent not in text

    await until(there)
    return " ".join(text_of(app).split())


@pytest.mark.parametrize(("minute", "size", "name"), [(100, NIGHT, "slowed-80x24"), (125, WIDE, "stalled-120x40")])
async def test_what_it_shows(minute: float, size: tuple[int, int], name: str) -> None:
    async with shown(minute, size) as (app, _pilot, _player):
        assert_snapshot(app, "snapshots_restripe", name)


async def test_what_charts_show_alone_with_the_true_end_and_without_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with shown(170) as (app, pilot, _player):
        await pilot.press("v", "E")
        await look(app, "true end 15:00:00; forecast now right; in range 78 % of the time", "═ true")
        assert_snapshot(app, "snapshots_restripe", "charts-80x24")


async def test_charts_stand_between_where_there_are_32_lines_and_v_goes_through_the_views() -> None:
    async with shown(100, (80, 32)) as (app, pilot, _player):
        await look(app, "whole run", "log of job scan")
        await pilot.press("v")
        await look(app, "whole run", absent="log of job scan")
        await pilot.press("v")
        await look(app, "log of job scan", absent="whole run")
        await pilot.press("v")
        await look(app, "whole run", "log of job scan")
    async with shown(100, (80, 31)) as (app, pilot, _player):
        await look(app, "log of job scan", absent="whole run")
        await pilot.press("z")
        await look(app, "log of job scan", absent="finish")
        await pilot.press("z")
        await look(app, "log of job scan", "finish")


async def test_time_is_zoomed_and_moved() -> None:
    async with shown(100) as (app, pilot, _player):
        await pilot.press("v")
        for span in ("1 h", "30 min", "10 min", "10 min"):
            await pilot.press("i")
            await look(app, f"{span} ╵")
        await pilot.press("H")
        await until(lambda: charts(app).lens.until == NOON + 95 * MINUTE)
        await pilot.press("L")
        await until(lambda: charts(app).lens.until is None)
        await pilot.press("o", "o", "o", "o")
        await look(app, "whole run ╵")


async def test_a_cursor_tells_of_its_moment_and_escape_takes_it_away() -> None:
    async with shown(125) as (app, pilot, _player):
        await pilot.press("v", "left")
        await look(app, "stalled: no line came")
        # the last of 45 columns of 2.8 minutes, then 23 to the left: the one of 12:58:20
        await pilot.press("pageup", "pageup", "left", "left", "left")
        await look(app, "at 12:58:20; finish 13:4", "by inodes; rate 9", "users 2.5x; errors 0/min", "13:00:01 QoS: ")
        await pilot.press("escape")
        await look(app, absent="at 12:58")
        assert charts(app).lens.cursor is None


async def test_a_click_points_to_a_moment() -> None:
    async with shown(125) as (app, pilot, _player):
        await pilot.press("v")
        await look(app, "whole run")
        await pilot.click(Charts, offset=(23 + 22, 2))
        await until(lambda: charts(app).lens.cursor is not None)
        assert charts(app).lens.cursor == pytest.approx(NOON + 126 / 2 * MINUTE, abs=126 / 45 * MINUTE)


async def test_e_lists_what_happened_and_how_the_forecast_moved() -> None:
    async with shown(125) as (app, pilot, _player):
        await pilot.press("e")
        await until(lambda: isinstance(app.screen, DetailsScreen))
        text = await look(app, "Q Thu 13:00:0", "D Thu 13:40:0", "forecast", "finish")
        assert text.index("13:40:0") < text.index("13:00:0")  # the latest first
        await pilot.press("escape")
        await until(lambda: isinstance(app.screen, RestripeScreen))


async def test_d_tells_more_of_users_logs_disks_and_limits() -> None:
    async with shown(125) as (app, pilot, _player):
        await pilot.press("d")
        await until(lambda: isinstance(app.screen, DetailsScreen))
        await look(app, "unlink", "probed in /gpfs/fs1/tmp", "before: 121 probes", "not read: login1", "brake 300 IOPS")
        await pilot.press("d")
        await until(lambda: isinstance(app.screen, RestripeScreen))


async def test_the_true_end_is_hidden_until_a_person_wants_it_and_is_there_when_it_is_over() -> None:
    async with shown(100, WIDE) as (app, pilot, player):
        assert "true" not in text_of(app).split("v view")[0]
        await pilot.press("E")
        await look(app, "true end 15:00:00; forecast now 2", "═ true")
        await pilot.press("E")
        await look(app, absent="═ true")
        player.seek(NOON + (ENDS + 2) * MINUTE)
        await look(app, "ended 15:00:00; in range", "═ true", "finished after 3 h 00 min")


async def test_the_footer_names_what_is_new_here_at_80_columns_and_nothing_may_be_changed_in_a_replay() -> None:
    async with shown(100) as (app, pilot, _player):
        last = text_of(app).splitlines()[-1]
        assert last.startswith(" v view  d details  e events  E true end ")
        for key in ("p", "b", "B"):
            await pilot.press(key)
        assert isinstance(app.screen, RestripeScreen)
        await pilot.press("v")
        await until(lambda: "← → point  i o time" in text_of(app).splitlines()[-1])
