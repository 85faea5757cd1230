"""The disks of the recorded seed on the screen."""

from __future__ import annotations

import csv
import re
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.pilot import Pilot

from remote.gpfs.models import FsSpace
from screens.disks import DisksScreen
from screens.intents import Refresh
from screens.widgets.export import to_csv
from screens.widgets.frame import KeyFooter, OneLine
from screens.widgets.render import labelled
from supervision.gpfs import GpfsFileSystem
from supervision.gpfs_facts import facts_of
from supervision.state import State
from supervision.tables import Cell, Column, Row, Severity, Table
from tests.screens.grids import lines
from tests.screens.seedapp import SeedApp, seed_session
from tests.screens.snap import assert_snapshot, text_of
from tests.supervision import gpfs_states as made
from tests.waiting import until

SNAPSHOTS = "snapshots_disks"
NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
"""A failure of a whole app is told as it was found: shrinking it takes minutes."""
UNSAFE = {chr(code) for code in (*range(10), *range(11, 32), 0x7F, *range(0x80, 0xA0), 0x202E)}


class OneTable(GpfsFileSystem):
    """A file system with the disks and the totals that a test says."""

    def __init__(self, table: Table) -> None:
        super().__init__("mss1", "pollux1")
        self.said = table

    def disks(self, state: State) -> Table:
        """What the test says."""
        return self.said

    def totals(self, state: State) -> Table:
        """The same."""
        return self.said


async def ready(pilot: Pilot[int], rows: int = 18) -> DisksScreen:
    app = pilot.app
    assert isinstance(app, SeedApp)
    await until(lambda: len(app.shown.grid.view.shown) == rows and app.focused is app.shown.grid)
    await pilot.pause()
    screen = app.shown
    assert isinstance(screen, DisksScreen)
    return screen


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_how_it_looks(size: tuple[int, int]) -> None:
    async with SeedApp(DisksScreen).run_test(size=size) as pilot:
        await ready(pilot)
        await pilot.pause()
        assert_snapshot(pilot.app, SNAPSHOTS, f"disks-{size[0]}x{size[1]}", only="#body")
        await pilot.press("G", "space", "l", "l", "s", "enter")
        await until(lambda: "detail: enter or esc closes" in text_of(pilot.app))
        await pilot.pause()
        assert_snapshot(pilot.app, SNAPSHOTS, f"disks-detail-{size[0]}x{size[1]}", only="#body")


async def test_nothing_is_known_at_the_beginning() -> None:
    async with SeedApp(DisksScreen, seed_session(0.0)).run_test(size=(80, 24)) as pilot:
        await ready(pilot, 0)
        text = text_of(pilot.app)
        assert "asked: not yet" in text
        assert "nothing is known yet" in text
        await pilot.press("enter", "y", "Y", "s", "space", "G", "escape")
        assert pilot.app.is_running


async def test_a_replay_asks_nobody() -> None:
    async with SeedApp(DisksScreen).run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("r", "R")
        await pilot.pause()
        assert not app_of(pilot).intents
        assert "screen.refresh" not in {active.binding.id for active in screen.active_bindings.values()}


async def test_a_live_session_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    session = seed_session()
    async with SeedApp(DisksScreen, session).run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        site = SimpleNamespace(armed=False, clock=SimpleNamespace(now=lambda: session.state.at))
        monkeypatch.setattr(session, "supervisor", SimpleNamespace(site=site))
        await pilot.press("r", "R")
        await until(lambda: len(app_of(pilot).intents) == 2)
        assert [isinstance(intent, Refresh) and intent.costly for intent in app_of(pilot).intents] == [False, True]


def app_of(pilot: Pilot[int]) -> SeedApp:
    assert isinstance(pilot.app, SeedApp)
    return pilot.app


async def test_escape_closes_the_detail_then_the_filter_then_goes_back() -> None:
    async with SeedApp(DisksScreen).run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot)
        await pilot.press("slash", *"ssd", "enter")
        await until(lambda: screen.grid.has_focus and len(screen.grid.view.shown) == 6)
        await pilot.press("enter")
        await until(lambda: screen.detail_open)
        await pilot.press("j")
        await until(lambda: "NSD              foo1_ssd2" in text_of(pilot.app))
        await pilot.press("escape")
        await until(lambda: not screen.detail_open)
        assert len(screen.grid.view.shown) == 6
        await pilot.press("escape")
        await until(lambda: len(screen.grid.view.shown) == 18)
        assert not app_of(pilot).went_back
        await pilot.press("escape")
        await until(lambda: app_of(pilot).went_back == 1)


async def test_totals_show_on_demand_where_there_is_little_room() -> None:
    async with SeedApp(DisksScreen).run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        assert "Totals" not in text_of(pilot.app)
        await pilot.press("t")
        await until(lambda: "Totals asked" in text_of(pilot.app))
        assert "data      all" in text_of(pilot.app)
        await pilot.press("t")
        await until(lambda: "Totals" not in text_of(pilot.app))


async def test_what_changed_is_marked_and_told_in_the_detail() -> None:
    before = Table((Column("nsd", "NSD"), Column("status", "status")), (Row("a", (Cell("a"), Cell("ready"))),), at=1.0)
    fs = OneTable(before)
    async with SeedApp(DisksScreen, seed_session(1.0, fs)).run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot, 1)
        fs.said = Table(before.columns, (Row("a", (Cell("a"), Cell("suspended")), Severity.WARNING),), at=2.0)
        screen.show_state()
        await until(lambda: lines(screen.grid)[1].startswith("> ! ~ a"))
        await pilot.press("enter")
        await until(lambda: "changed          status: ready → suspended" in text_of(pilot.app))


async def test_a_failure_is_named_above_the_old_rows() -> None:
    fs = OneTable(
        Table((Column("nsd", "NSD"),), (Row("a", (Cell("a"),)),), at=1.0, failure="mmlsdisk mss1: exit code 1")
    )
    async with SeedApp(DisksScreen, seed_session(1.0, fs)).run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot, 1)
        assert " !! mmlsdisk mss1: exit code 1" in text_of(pilot.app).splitlines()
        fs.said = Table(fs.said.columns, fs.said.rows, at=2.0)
        screen.show_state()
        await until(lambda: "exit code" not in text_of(pilot.app))


@pytest.mark.parametrize("theme", ["textual-light", "ansi-dark", "ansi-light"])
async def test_every_theme_shows_the_same_words(theme: str) -> None:
    async with SeedApp(DisksScreen).run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        before = text_of(pilot.app)
        pilot.app.theme = theme
        await pilot.pause()
        assert text_of(pilot.app) == before


async def test_without_colour_the_words_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with SeedApp(DisksScreen).run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        await pilot.pause()
        assert_snapshot(pilot.app, SNAPSHOTS, "disks-80x24", only="#body")


def test_bars_are_drawn_where_figures_are_known() -> None:
    spaces = (made.disk_space("a", free=250), made.disk_space("b", free=1000), made.disk_space("c", free=0))
    disks = made.disk_list(*(made.disk(name) for name in ("a", "b", "c", "d")))
    table = made.file_system().disks(made.state({"disks fs1": disks, "space fs1": made.space(*spaces)}))
    at = table.column("full")
    assert [row.cells[at].text for row in table.rows] == ["████▌░", "░░░░░░", "██████", ""]
    assert [row.cells[at].value for row in table.rows] == [0.75, 0.0, 1.0, None]
    assert table.columns[at].only == "screen"


def test_what_is_saved_of_the_disks_has_every_figure_in_a_field_of_its_own() -> None:
    session = seed_session()
    names, *rows = csv.reader(to_csv(session.fs.disks(session.state)).splitlines())
    row = dict(zip(names, rows[0], strict=True))
    space = facts_of(session.state).get(FsSpace)
    assert space is not None
    disk = space.get("foo1_nsd1")
    assert disk is not None
    assert {name: row[name] for name in ("nsd", "servers", "failure_group", "usage", "pool")} == {
        "nsd": "foo1_nsd1",
        "servers": "foo1",
        "failure_group": "1",
        "usage": "data",
        "pool": "system",
    }
    assert (row["status"], row["availability"], row["severity"]) == ("ready", "up", "normal")
    assert (row["size_kb"], row["free_blocks_kb"]) == (str(disk.size_kb), str(disk.free_blocks_kb))
    assert row["fragments_kb"] == str(disk.free_fragments_kb)
    assert float(row["free_percent"]) == pytest.approx(100 * disk.free_blocks_kb / disk.size_kb, abs=0.001)
    assert len(row) == 12


async def test_the_cost_is_that_of_what_stands_beside_it() -> None:
    async with SeedApp(DisksScreen).run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        assert re.search(r"space \S+ s ago  mmdf took \S+ s", text_of(pilot.app))


async def test_at_80_cells_nothing_of_the_title_is_cut_and_the_footer_has_every_key_that_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = seed_session()
    async with SeedApp(DisksScreen, session).run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot)
        site = SimpleNamespace(armed=False, clock=SimpleNamespace(now=lambda: session.state.at + 86_000))
        monkeypatch.setattr(session, "supervisor", SimpleNamespace(site=site))
        screen.refresh_all()
        await pilot.press("space", "slash", *"foo", "enter")
        await until(lambda: screen.grid.has_focus and "1 marked" in text_of(pilot.app))
        title = str(screen.query_one("#title", OneLine).render())
        assert cell_len(title) <= 80
        assert title.startswith(" Disks  asked 24 h ago (r)  18 rows  filter foo  1 marked  space 24 h ago (R)")
        footer = str(screen.query_one(KeyFooter).render())
        for keys in ("/ filter", "s sort", "p problems", "r ask", "e save", "w wide", "t totals", "? help", "q quit"):
            assert keys in footer


@given(label=st.text(max_size=40), text=st.text(max_size=200), width=st.integers(20, 100))
def test_detail_lines_are_safe_and_no_wider_than_the_screen(label: str, text: str, width: int) -> None:
    for line in labelled(label, text, width, label_width=11, indent=1):
        assert not UNSAFE & set(line.plain)
        assert "\n" not in line.plain
        assert cell_len(line.plain) <= max(width, 23)


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck), phases=NO_SHRINKING)
@given(texts=st.lists(st.text(max_size=40), min_size=8, max_size=8))
async def test_any_remote_text_leaves_the_screen_alive(texts: list[str]) -> None:
    def table(evil: str) -> Table:
        row = Row(evil, (Cell(evil), Cell(evil, 1.0), Cell(evil, 1.0)), Severity.BAD, ((evil, evil),))
        return Table((Column("nsd", evil), Column("size", evil), Column("free", evil)), (row,), at=1.0, failure=evil)

    fs = OneTable(table("[/x] \x1b]52;c;eA==\x07"))
    async with SeedApp(DisksScreen, seed_session(1.0, fs)).run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot, 1)
        await pilot.press("enter", "t", "s", "space")
        for text in texts:
            for evil in (text, f"[/{text}]", f"\x1b]52;c;{text}\x07"):
                fs.said = table(evil)
                screen.show_state()
                await pilot.pause(0)
                assert not UNSAFE & set(text_of(pilot.app))
        assert pilot.app.is_running
