"""The grid on a screen: keys, mouse, prompts, and that ten thousand rows are no more than a hundred."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from textual.pilot import Pilot
from textual.widgets import Input

from screens.widgets import clipboard
from supervision.tables import Cell, Column, Row, Severity, Table
from tests.screens.grids import COLUMNS, GridApp, disk, disks, gutters, lines
from tests.screens.snap import text_of
from tests.waiting import until


async def keys(pilot: Pilot[None], *pressed: str) -> None:
    await pilot.press(*pressed)


@pytest.fixture
async def fifty() -> AsyncIterator[Pilot[None]]:
    """Fifty disks on a small terminal."""
    async with GridApp(disks(50)).run_test(size=(60, 12)) as pilot:
        yield pilot


def app_of(pilot: Pilot[None]) -> GridApp:
    assert isinstance(pilot.app, GridApp)
    return pilot.app


def cursor(pilot: Pilot[None]) -> str:
    row = app_of(pilot).grid.row
    return row.key if row else ""


async def test_the_cursor_goes_everywhere_and_stays_in_sight(fifty: Pilot[None]) -> None:
    for pressed, wanted in [
        (("j", "down"), "nsd2"),
        (("k", "up", "up"), "nsd0"),
        (("G",), "nsd49"),
        (("g",), "nsd0"),
        (("end",), "nsd49"),
        (("home",), "nsd0"),
        (("pagedown", "pagedown"), "nsd20"),
        (("pageup",), "nsd10"),
    ]:
        await fifty.press(*pressed)
        assert cursor(fifty) == wanted
        assert sum(gutter.startswith(">") for gutter in gutters(app_of(fifty).grid)) == 1


async def test_sorting_by_the_chosen_column_shows_an_arrow(fifty: Pilot[None]) -> None:
    grid = app_of(fifty).grid
    await fifty.press("l", "right", "s")
    assert "[  Free▲]" in lines(grid)[0]
    await fifty.press("s")
    assert "[  Free▼]" in lines(grid)[0]
    await fifty.press("s", "h")
    assert "[Status   ]" in lines(grid)[0]
    assert "▲" not in lines(grid)[0]


async def test_space_marks_and_goes_on(fifty: Pilot[None]) -> None:
    await fifty.press("space", "space", "up")
    assert gutters(app_of(fifty).grid)[:3] == [" *    ", ">*-   ", "  !   "]
    assert "2 marked" in app_of(fifty).grid.summary


async def test_a_filter_works_while_it_is_typed_and_is_recalled(fifty: Pilot[None]) -> None:
    app = app_of(fifty)
    await fifty.press("slash", *"!down")
    await until(lambda: len(app.keys) == 38)
    await fifty.press("enter")
    await until(lambda: app.focused is app.grid)
    assert app.grid.summary == ["38 of 50 rows", "filter !down"]
    await fifty.press("slash")
    await until(lambda: app.query(Input))
    assert app.query_one(Input).value == "!down"
    await fifty.press("x")
    await until(lambda: len(app.keys) == 50)
    await fifty.press("escape")
    await until(lambda: len(app.keys) == 38, 5)
    await fifty.press("escape")
    await until(lambda: len(app.keys) == 50)


async def test_a_bad_expression_is_named_and_nothing_is_lost(fifty: Pilot[None]) -> None:
    app = app_of(fifty)
    await fifty.press("slash", *"nsd4")
    await until(lambda: len(app.keys) == 11)
    await fifty.press("(")
    await until(lambda: "bad regex: missing )" in text_of(app))
    await fifty.press("enter")
    assert len(app.keys) == 11
    assert app.query_one(Input).value == "nsd4("
    await fifty.press("backspace", "enter")
    await until(lambda: not app.query(Input))
    assert len(app.keys) == 11


async def test_an_expression_that_takes_for_ever_is_refused_and_keys_are_answered() -> None:
    long = Row("long", (Cell("a" * 3000 + "!"), *disk(1).cells[1:]))
    async with GridApp(Table(COLUMNS, (*disks(5).rows, long), at=1.0)).run_test(size=(100, 12)) as pilot:
        app = app_of(pilot)
        await pilot.press("slash", *"nsd4")
        await until(lambda: app.keys == ["nsd4"])
        app.query_one(Input).value = "(.|.)*ZZ"
        await until(lambda: app.keys == [])
        app.query_one(Input).value = "(a|aa)+$"
        await until(lambda: "this pattern takes too long; simpler, please" in text_of(app))
        await pilot.press("enter")
        assert app.query(Input), "it is not taken"
        await pilot.press("escape")
        await until(lambda: app.focused is app.grid)
        await pilot.press("G")
        assert cursor(pilot) == "long"


async def test_rows_that_came_later_and_take_too_long_hide_nothing() -> None:
    async with GridApp(disks(5)).run_test(size=(100, 12)) as pilot:
        app = app_of(pilot)
        await pilot.press("slash", *"(a|aa)+$", "enter")
        await until(lambda: app.focused is app.grid)
        assert app.keys == []
        long = Row("long", (Cell("a" * 3000 + "!"), *disk(1).cells[1:]))
        app.grid.set_table(Table(COLUMNS, (disk(0), long), at=2.0))
        assert app.keys == ["nsd0", "long"]
        assert "filter (a|aa)+$: this pattern takes too long; simpler, please" in app.grid.summary
        app.grid.set_table(Table(COLUMNS, (disk(0),), at=3.0))
        assert app.keys == []
        assert "filter (a|aa)+$" in app.grid.summary


async def test_only_problems(fifty: Pilot[None]) -> None:
    app = app_of(fifty)
    await fifty.press("p")
    assert len(app.keys) == 24
    await fifty.press("slash", *"ready", "enter")
    await until(lambda: "no row fits ready (esc clears it) and has a problem" in text_of(app))
    await fifty.press("p")
    await until(lambda: len(app.keys) == 13)


async def test_enter_asks_to_look_closely(fifty: Pilot[None]) -> None:
    await fifty.press("j", "enter")
    await until(lambda: app_of(fifty).opened == ["nsd1"])


async def test_everything_outlives_a_refresh(fifty: Pilot[None]) -> None:
    app = app_of(fifty)
    await fifty.press("l", "s", "slash", *"!emptied", "enter")
    await until(lambda: app.focused is app.grid)
    await fifty.press("pagedown", "space", "pagedown")
    before, top = cursor(fifty), app.grid.scroll_offset.y
    where = app.grid.view.cursor - top
    rows = tuple(disk(number) for number in range(50) if number not in (3, 7))
    app.grid.set_table(Table(COLUMNS, (disk(77, severity=Severity.BAD, status="down"), *rows), at=2.0))
    await fifty.pause()
    assert cursor(fifty) == before
    assert app.grid.view.cursor - app.grid.scroll_offset.y == where, "it stays on its line of the screen"
    assert len(app.grid.view.marks) == 1
    assert app.grid.view.filter.typed == "!emptied"
    assert app.grid.view.sort_by == "status"
    assert "gone: nsd3, nsd7" in app.grid.summary


async def test_columns_that_do_not_fit_scroll_and_the_first_one_stays() -> None:
    async with GridApp(disks(50)).run_test(size=(24, 12)) as pilot:
        grid = app_of(pilot).grid
        await until(lambda: lines(grid)[0].endswith("›"))
        assert grid.hidden_columns == "+1 column: w"
        await pilot.press("l", "l")
        assert "‹" in lines(grid)[0]
        assert lines(grid)[0].endswith("Free]")
        assert lines(grid)[1].startswith(">     nsd0")
        assert lines(grid)[1].endswith("0 GiB")
        await pilot.press("w", "l")
        assert lines(grid)[0].endswith("[Pool  ]")


async def test_the_mouse_selects_sorts_opens_and_scrolls(fifty: Pilot[None]) -> None:
    app = app_of(fifty)
    await fifty.click(app.grid, offset=(10, 4))
    assert cursor(fifty) == "nsd3"
    await fifty.click(app.grid, offset=(10, 5), times=2)
    await until(lambda: app.opened == ["nsd4"])
    await fifty.click(app.grid, offset=(15, 0))
    assert app.grid.view.sort_by == "status"
    await fifty._post_mouse_events([_wheel()], app.grid, offset=(5, 5))
    await until(lambda: app.grid.scroll_offset.y > 0)


def _wheel() -> type:
    from textual import events

    return events.MouseScrollDown


async def test_copying_a_cell_and_rows(fifty: Pilot[None], monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []

    async def copy(_app: object, text: str, **_more: object) -> str:
        copied.append(text)
        return "copied"

    monkeypatch.setattr(clipboard, "copy", copy)
    await fifty.press("l", "y")
    await fifty.press("Y")
    await fifty.press("j", "space", "j", "space", "Y")
    await until(lambda: len(copied) == 3)
    assert copied == [
        "ready",
        "nsd0\tready\t0 GiB\tsystem",
        "nsd1\temptied\t919 GiB\tsystem\nnsd3\tdown\t757 GiB\tsystem",
    ]


async def test_saving_what_is_shown(fifty: Pilot[None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    app = app_of(fifty)
    await fifty.press("p", "e")
    await until(lambda: app.query(Input))
    assert app.query_one(Input).value == "disks.csv"
    await fifty.press("enter")
    await until(lambda: not app.query(Input))
    saved = tmp_path / "disks.csv"
    assert len(saved.read_text().splitlines()) == 25
    assert saved.stat().st_mode & 0o777 == 0o600
    await fifty.press("e")
    await until(lambda: app.query(Input))
    assert app.query_one(Input).value == "disks-2.csv"
    app.query_one(Input).value = "disks.csv"
    await fifty.press("enter")
    await until(lambda: "it is there already" in text_of(app))
    assert app.query(Input)


async def test_marks_of_changes_go_after_a_while(fifty: Pilot[None]) -> None:
    app = app_of(fifty)
    app.grid.set_table(Table(COLUMNS, (disk(0, "suspended"), *disks(50).rows[1:]), at=2.0))
    assert gutters(app.grid)[0] == ">   ~ "
    app.time = 1000.0
    app.grid._forget_changes()
    assert gutters(app.grid)[0] == ">     "


async def test_ten_thousand_rows_mount_and_sort_like_a_hundred() -> None:
    async def seconds(count: int) -> float:
        table = disks(count)
        began = time.process_time()
        async with GridApp(table).run_test(size=(80, 24)) as pilot:
            grid = app_of(pilot).grid
            await until(lambda: len(grid.view.shown) == count and "nsd0" in lines(grid)[1])
            grid.sort_by("free")
            await pilot.pause()
            assert "0 GiB" in lines(grid)[1]
            return time.process_time() - began

    await seconds(100)
    few = min([await seconds(100) for _ in range(3)])
    many = min([await seconds(10_000) for _ in range(3)])
    assert many < few * 3, f"{few * 1000:.0f} ms for 100 rows, {many * 1000:.0f} ms for 10,000"


async def test_only_lines_in_sight_are_drawn() -> None:
    async with GridApp(disks(10_000)).run_test(size=(80, 24)) as pilot:
        grid = app_of(pilot).grid
        await until(lambda: "nsd0" in lines(grid)[1])
        await pilot.press("G")
        await until(lambda: "nsd9999" in lines(grid)[-1])
        assert len(grid._strips) < 100


@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(texts=st.lists(st.text(max_size=30), min_size=1, max_size=6))
async def test_any_remote_text_leaves_the_app_alive_and_the_terminal_unharmed(texts: list[str]) -> None:
    evil = ["[/x]", "[bold", "\x1b]0;owned\x07", "\x9b2J", "\u202egnp.exe", "a\r\nb\tc", "😀" * 9, "e\u0301\ufe0f"]
    rows = tuple(
        Row(f"{number}{text}", (Cell(text), Cell(text, text)), Severity(number % 4), ((text, text),))
        for number, text in enumerate([*texts, *evil])
    )
    table = Table((Column("a", "[/] \x1b[31m"), Column("b", texts[0], right=True)), rows, at=1.0, failure=texts[0])
    async with GridApp(table).run_test(size=(40, 20)) as pilot:
        grid = app_of(pilot).grid
        await until(lambda: len(grid.view.shown) == len(rows))
        await pilot.press("s", "l", "s", "space", "j")
        grid.set_table(Table(table.columns, rows[1:], at=2.0))
        grid.set_table(Table(table.columns, (), at=3.0, failure=texts[0]))
        grid.set_table(table)
        await pilot.pause()
        for line in lines(grid):
            assert line.isprintable() or not set(map(ord, line)) & {*range(32), 0x7F, *range(0x80, 0xA0), 0x202E}
        assert pilot.app.is_running
