"""The devices of the recorded seed on the screen: by role, by host, and the trap of going by names."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from screens.devices import DevicesScreen, turned
from supervision.tables import Cell, Column, Row, Severity, Table
from tests.screens.seedapp import SeedApp, seed_session
from tests.screens.snap import assert_snapshot, text_of
from tests.waiting import until

SNAPSHOTS = "snapshots_disks"
IDS = ("role", "host", "name", "drift", "size", "kind", "use")


def device(role: str, host: str, name: str, size: str, use: str, *, drift: str = "") -> Row:
    texts = (role, host, name, drift, size, "SSD", use)
    severity = Severity.NOTE if drift else Severity.NORMAL
    return Row(
        f"{host} {name}", tuple(Cell(text) for text in texts), severity, (("host", host), ("serial", f"S{name}"))
    )


def table(*rows: Row) -> Table:
    return Table(tuple(Column(name, name) for name in IDS), rows, at=5.0, failure="one host is away")


def shown(whole: Table) -> list[list[str]]:
    return [[cell.text for cell in row.cells] for row in whole.rows]


TWO = table(
    device("free SSD #1", "b", "sdg", "186 GiB", "free", drift="≠ name"),
    device("free SSD #1", "a", "sde", "186 GiB", "free", drift="≠ name"),
    device("in use SSD #1", "a", "sdg", "224 GiB", "mounted on /", drift="≠ name"),
    device("NSD HDD #1", "a", "sda", "29.1 TiB", "nsd1"),
    device("NSD HDD #1", "b", "sda", "29.1 TiB", "nsd2"),
    device("free SSD #2", "a", "sdz", "1 GiB", "free"),
    device("free SSD #9", "b", "sdz", "2 GiB", "free"),
)


def test_by_role_the_odd_name_is_marked() -> None:
    whole = turned(TWO, "role")
    assert [column.title for column in whole.columns] == ["role", "size", "a", "b"]
    assert shown(whole)[0] == ["free SSD #1", "186 GiB", "sde≠ free", "sdg free"]
    assert shown(whole)[1] == ["in use SSD #1", "224 GiB", "sdg mounted /", "-"]
    assert (whole.at, whole.failure) == (5.0, "one host is away")


def test_by_name_what_differs_is_said() -> None:
    whole = turned(TWO, "name")
    assert shown(whole) == [
        ["sda", "same", "SSD nsd1", "SSD nsd2"],
        ["sde", "same", "SSD free", "-"],
        ["sdg", "DIFFERS", "SSD mounted /", "SSD free"],
        ["sdz", "DIFFERS", "SSD 1 GiB free", "SSD 2 GiB free"],
    ]
    assert [row.severity for row in whole.rows] == [Severity.NORMAL, Severity.NORMAL, Severity.BAD, Severity.WARNING]
    assert whole.rows[2].detail[:2] == (("b sdg", "─" * 8), ("serial", "Ssdg"))


def test_by_host_hosts_stand_together() -> None:
    whole = turned(TWO, "host")
    assert [row[:2] for row in shown(whole)] == [
        ["a", "sde"], ["a", "sdg"], ["a", "sda"], ["a", "sdz"], ["b", "sdg"], ["b", "sda"], ["b", "sdz"]
    ]  # fmt: skip


def test_a_table_of_other_columns_stays_as_it_is() -> None:
    other = Table((Column("x", "X"),), (Row("1", (Cell("1"),)),))
    assert all(turned(other, view) is other for view in ("role", "host", "name"))


async def ready(pilot: Pilot[int], view: str, rows: int) -> DevicesScreen:
    app = pilot.app
    assert isinstance(app, SeedApp)
    screen = app.shown
    assert isinstance(screen, DevicesScreen)
    await until(lambda: screen.view == view and len(screen.grid.view.shown) == rows and screen.grid.has_focus)
    await pilot.pause()
    return screen


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_how_it_looks(size: tuple[int, int]) -> None:
    async with SeedApp(DevicesScreen).run_test(size=size) as pilot:
        for view, rows in (("role", 8), ("host", 24), ("name", 8)):
            screen = await ready(pilot, view, rows)
            screen.say("")
            await pilot.pause()
            assert_snapshot(pilot.app, SNAPSHOTS, f"devices-{view}-{size[0]}x{size[1]}", only="#body")
            await pilot.press("t")
        await ready(pilot, "role", 8)


async def test_detail_tells_of_every_device_of_a_line() -> None:
    async with SeedApp(DevicesScreen).run_test(size=(120, 60)) as pilot:
        await ready(pilot, "role", 8)
        await pilot.press("G", "k", "k", "k", "enter")
        await until(lambda: "pollux1 sdg" in text_of(pilot.app))
        assert "NSD              foo1_ssd1" in text_of(pilot.app)


async def test_turning_changes_no_row_so_nothing_is_marked_as_changed() -> None:
    async with SeedApp(DevicesScreen).run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot, "role", 8)
        await pilot.press("t", "t", "t")
        await ready(pilot, "role", 8)
        assert not screen.grid.view.changes
        assert not screen.grid.view.gone


async def test_nothing_is_known_at_the_beginning() -> None:
    async with SeedApp(DevicesScreen, seed_session(0.0)).run_test(size=(80, 24)) as pilot:
        await ready(pilot, "role", 0)
        assert "nothing is known yet" in text_of(pilot.app)
        await pilot.press("t", "t", "enter", "escape")
        assert pilot.app.is_running
