"""Colours: readable in every theme and on few-coloured terminals, and never the only sign of anything."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from rich.color import Color, ColorSystem, ColorType
from rich.segment import Segment
from textual.binding import Binding
from textual.color import Color as Paint
from textual.command import CommandPalette
from textual.containers import VerticalScroll
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from screens.dialogs import Choice, ConfirmDanger, HostKeyDialog, Notice
from screens.widgets.frame import StatusLine
from tests.screens.snap import text_of
from tests.screens.test_app_replay import shown
from tests.waiting import until
from tui import help as keys_help
from tui.app import RestripeApp
from tui.help import GO, HERE, LOWEST, REPLAY, HelpScreen
from tui.settings import Config, Refresh, Settings, config_file

THEMES = ("dark", "light", "ansi")
BANDS = (("-armed",), ("-replay",), ("-simulated",), ("-armed", "-simulated"))
READABLE = 3.0
"""The contrast that WCAG asks of large text; terminals choose their own font."""
FEWER: tuple[ColorSystem | None, ...] = (None, ColorSystem.EIGHT_BIT, ColorSystem.STANDARD)


@asynccontextmanager
async def app_in(theme: str, *, no_color: bool = False) -> AsyncIterator[tuple[RestripeApp, Pilot[int]]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("NO_COLOR", raising=False)
        if no_color:
            patch.setenv("NO_COLOR", "")
        async with shown("18:00") as (app, pilot, _player):
            app.use(Settings(Config(theme=theme), config_file(), {("theme",): "here"}))  # type: ignore[arg-type]
            await pilot.pause()
            yield app, pilot


def sent(app: RestripeApp) -> Iterator[Segment]:
    """What goes to the terminal, after the filters."""
    box = app.screen.query_one(VerticalScroll).region if isinstance(app.screen, HelpScreen) else app.screen.region
    for strip in app.screen._compositor.render_strips()[box.y : box.bottom]:
        strip = strip.crop(box.x, box.right)  # noqa: PLW2901  what lies beneath a dialog is dimmed
        for line_filter in app.get_line_filters():
            strip = strip.apply_filter(line_filter, Paint(0, 0, 0))  # noqa: PLW2901
        yield from strip


def contrast(one: Color, other: Color) -> float:
    """As WCAG reckons it."""

    def light(color: Color) -> float:
        parts = [part / 255 for part in color.get_truecolor()]
        red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def hard_to_read(app: RestripeApp) -> list[str]:
    """Texts whose colour is too near to what is behind them, in as many colours as a terminal may have."""
    found = []
    for text, style, _control in sent(app):
        if not style or not any(character.isalnum() for character in text) or not style.color or not style.bgcolor:
            continue
        for system in FEWER:
            ink, paper = (c.downgrade(system) if system else c for c in (style.color, style.bgcolor))
            if ColorType.DEFAULT in (ink.type, paper.type):
                continue  # the terminal's own, which its owner chose
            if contrast(ink, paper) < READABLE:
                found.append(f"{text.strip()!r}: {style} in {system}")
    return found


@pytest.mark.parametrize("theme", THEMES)
async def test_every_screen_is_readable_in_every_theme_and_with_few_colours(theme: str) -> None:
    async with app_in(theme) as (app, pilot):
        for key in "1234567":
            await pilot.press(key, "space", "down")
            app.say("something to say")
            await pilot.pause()
            await until(lambda: "something to say" in text_of(app))
            assert hard_to_read(app) == []
        await pilot.press("question_mark")
        await until(lambda: isinstance(app.screen, HelpScreen))
        assert hard_to_read(app) == []


@pytest.mark.parametrize("theme", THEMES)
async def test_the_bands_differ_and_are_readable_in_every_theme(theme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with app_in(theme) as (app, pilot):
        monkeypatch.setattr(StatusLine, "show_session", lambda _self, _session: None)  # a tick would set them back
        status = app.screen.query_one(StatusLine)
        papers = []
        for classes in BANDS:
            status.set_classes(" ".join(classes))
            await pilot.pause()
            styles = [segment.style for segment in sent(app) if "mss1 @" in segment.text]
            assert styles[0]
            assert hard_to_read(app) == []
            assert styles[0].bgcolor
            papers.append(styles[0].bgcolor.downgrade(ColorSystem.STANDARD).name)
        armed, replayed, simulated, practice = papers
        assert len({armed, replayed, simulated}) == 3
        assert practice == simulated  # red is for what is real


async def test_no_color_sends_no_colour_at_all() -> None:
    async with app_in("dark", no_color=True) as (app, pilot):
        for key in "12567":
            await pilot.press(key)
            await pilot.pause()
            styles = [segment.style for segment in sent(app) if segment.style]
            for color in [color for style in styles for color in (style.color, style.bgcolor) if color]:
                assert color.type is ColorType.DEFAULT
            assert any(style.reverse for style in styles)  # the status line is still a band


async def test_where_nobody_chose_few_colours_are_the_terminals_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORTERM", "")
    for term, expected in (("xterm", "ansi"), ("xterm-256color", "dark")):
        monkeypatch.setenv("TERM", term)
        async with shown("18:00") as (app, _pilot, _player):
            app.use(Settings(Config(), config_file()))
            assert app.theme == expected


async def test_without_any_style_the_frame_and_rows_in_different_states_still_differ() -> None:
    async with app_in("dark") as (app, pilot):
        assert "REPLAY READ-ONLY" in text_of(app).splitlines()[0]
        tabs = set()
        for key in "1234567":
            await pilot.press(key)
            await until(lambda key=key: f"[{key} " in text_of(app).splitlines()[1])  # type: ignore[misc]
            tabs.add(text_of(app).splitlines()[1])
        assert len(tabs) == 7
        await pilot.press("2")
        await until(lambda: "foo1_nsd1" in text_of(app))
        await pilot.press("space", "down", "down")
        rows = [line for line in text_of(app).splitlines() if "_nsd" in line][:4]
        signs = [row[:4] for row in rows]
        assert len(set(signs)) == 3, signs  # marked, neither, under the cursor


async def test_without_any_style_the_focus_of_a_dialog_is_seen() -> None:
    async with app_in("dark") as (app, _pilot):
        dialogs = (
            ConfirmDanger("Stop?", ("It stops.",), "true", ("h",), "mss1", now=lambda: 0.0),
            HostKeyDialog("h", "SHA256:x"),
            Notice("Know", ("this",)),
        )
        for dialog in dialogs:
            app.push_screen(dialog)
            await until(lambda dialog=dialog: app.screen is dialog and isinstance(dialog.focused, Choice))  # type: ignore[misc]
            await until(lambda: "▸ " in text_of(app))
            app.pop_screen()


async def test_nothing_moves() -> None:
    async with app_in("dark") as (app, pilot):
        assert app.animation_level == "none"
        await pilot.press("ctrl+p")
        await until(lambda: app.screen.query(Input) and not app.screen.query_one(Input).cursor_blink)


async def test_the_palette_lists_what_works_here_and_runs_it() -> None:
    async with app_in("dark") as (app, pilot):
        await pilot.press("2")
        await until(lambda: "foo1_nsd1" in text_of(app))
        offered = keys_help.actions(app.screen)
        everything = {action.active.binding.id for action in offered}
        assert {"grid.sort", "disks.totals", "replay.next", "screen.jobs", "app.quit", "app.help"} <= everything
        assert not everything & {"jobs.run", "jobs.stop", "migrate.run", "screen.refresh"}
        assert next(action.group for action in offered if action.group in (HERE, REPLAY, GO)) == HERE
        await pilot.press("ctrl+p")
        await until(lambda: app.screen.query(OptionList) and app.screen.query_one(OptionList).option_count)
        listed = app.screen.query_one(OptionList).option_count
        themes, bell_and_title = 3, 2
        assert listed == themes + bell_and_title + len(
            [a for a in offered if a.active.binding.action != "command_palette"]
        )
        await pilot.press(*"jobs")
        await until(lambda: app.screen.query_one(OptionList).option_count == 1)
        await pilot.press("enter")
        await until(lambda: "[6 Jobs]" in text_of(app))
        for action in keys_help.actions(app.screen):
            assert action.active.binding.id not in ("jobs.run", "jobs.stop")


async def choose(app: RestripeApp, pilot: Pilot[int], words: str) -> None:
    """Choose what the palette offers under these words."""
    await pilot.press("ctrl+p")
    await until(lambda: app.screen.query(OptionList) and app.screen.query_one(OptionList).option_count)
    await pilot.press(*("space" if letter == " " else letter for letter in words))
    await until(lambda: app.screen.query_one(OptionList).option_count == 1)
    await pilot.press("enter")


async def test_the_palette_changes_the_theme_and_the_screen_is_readable_then() -> None:
    """Every change on one screen each; that every screen is readable in every theme is shown above."""
    changes = (("light", "light"), ("terminal", "ansi"), ("dark", "dark"), ("terminal", "ansi"))
    async with app_in("dark") as (app, pilot):
        for key, (words, name) in zip("1267", changes, strict=True):
            await pilot.press(key)
            await choose(app, pilot, f"theme {words}")
            await until(lambda name=name: f'theme = "{name}" in config.toml keeps it' in text_of(app))  # type: ignore[misc]
            assert app.theme == name
            await pilot.pause()
            assert hard_to_read(app) == []
            papers = {segment.style.bgcolor.type for segment in sent(app) if segment.style and segment.style.bgcolor}
            assert (ColorType.DEFAULT in papers) == (name == "ansi")  # the terminal's own shows through in one alone


async def test_without_colour_no_theme_is_offered() -> None:
    async with app_in("dark", no_color=True) as (app, pilot):
        await pilot.press("ctrl+p")
        await until(lambda: app.screen.query(OptionList) and app.screen.query_one(OptionList).option_count)
        options = app.screen.query_one(OptionList).options
        assert any("help" in str(option.prompt) for option in options)
        assert not any("theme" in str(option.prompt) for option in options)


@pytest.mark.parametrize("size", [(2, 24), (1, 1), (80, LOWEST - 1)])
async def test_the_palette_harms_nothing_on_a_terminal_of_any_size(size: tuple[int, int]) -> None:
    async with app_in("dark") as (app, pilot):
        await pilot.press("ctrl+p")
        await until(lambda: app.screen.query(OptionList) and app.screen.query_one(OptionList).option_count)
        await pilot.press("down", "pagedown")
        await pilot.resize_terminal(*size)
        await pilot.press("pagedown", "pageup", "pagedown", "ctrl+end", "ctrl+home", "down")
        await until(lambda: isinstance(app.screen, CommandPalette) == (size[1] >= LOWEST))
        await pilot.press("escape", "ctrl+p", "pagedown", "pageup")  # before its list was ever laid out
        await until(lambda: isinstance(app.screen, CommandPalette) == (size[1] >= LOWEST))
        await pilot.resize_terminal(80, 24)
        await pilot.press("escape", "ctrl+p")
        await until(lambda: app.screen.query(OptionList) and app.screen.query_one(OptionList).option_count)


async def test_help_is_grouped_complete_and_can_be_read_to_its_end_on_80x24() -> None:
    async with app_in("dark") as (app, pilot):
        await pilot.press("2")
        await until(lambda: "foo1_nsd1" in text_of(app))
        text = keys_help.help_text(app.screen)
        groups = [text.index(f"\n{group}\n") for group in ("On this screen", "Everywhere", "Replay", "Screens")]
        assert groups == sorted(groups)
        for active in app.screen.active_bindings.values():
            if isinstance(active.binding, Binding) and (active.binding.id or "").startswith(("grid.", "replay.")):
                assert active.binding.description in text
        await pilot.press("question_mark")
        await until(lambda: "On this screen" in text_of(app))
        assert "7                  Commands" not in text_of(app)
        await pilot.press("end")
        await until(lambda: "7                  Commands" in text_of(app))
        await pilot.press("k", "up", "home")
        await until(lambda: "On this screen" in text_of(app))


async def test_own_keys_work_and_are_what_footer_tabs_and_help_say() -> None:
    async with app_in("dark") as (app, pilot):
        keys: dict[str, str | list[str]] = {"app.help": "f1", "screen.disks": ["x"], "app.quit": "ctrl+x"}
        app.use(Settings(Config(keys=keys, refresh=Refresh(draws=5)), config_file()))
        await pilot.press("x")
        await until(lambda: "[x Disks]" in text_of(app).splitlines()[1])
        assert text_of(app).splitlines()[-1].endswith("f1 help  ctrl+x quit")
        await pilot.press("ctrl+c")
        await until(lambda: "ctrl+x or ctrl+q quits" in text_of(app))
        await pilot.press("q", "f1")
        await until(lambda: isinstance(app.screen, HelpScreen))
        assert app.return_value is None
        await pilot.press("escape", "ctrl+x")
        await until(lambda: app.return_value == 0)
