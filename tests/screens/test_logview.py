"""The log view: what it shows, where it stays, what it finds, and what it says about it."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual import events
from textual.pilot import Pilot
from textual.scrollbar import ScrollDown, ScrollTo, ScrollUp

from screens.widgets import clipboard
from screens.widgets.grid_prompt import Prompt
from supervision.logcopy import LogCopy
from tests.screens.logs import LogApp
from tests.screens.snap import assert_snapshot, text_of
from tests.waiting import until

MANY = tuple(b"%03d disk [/gpfs/fs%d]\n" % (number, number % 7) for number in range(200))


async def typed(pilot: Pilot[None], key: str, text: str) -> None:
    """Type into the prompt that a key opens."""
    await pilot.press(key)
    await until(lambda: pilot.app.query(Prompt) and pilot.app.focused and pilot.app.focused.parent is not None)
    await pilot.press("ctrl+u", *text, "enter")
    await until(lambda: not pilot.app.query(Prompt))


def in_sight(app: LogApp) -> tuple[str, str]:
    """The first and the last line in sight, without the gutter."""
    lines = [line for line in app.lines if line]
    return lines[0][1:], lines[-1][1:]


async def test_a_log_opens_at_its_end_and_follows_it() -> None:
    app = LogApp(*MANY)
    async with app.run_test(size=(60, 11)) as pilot:
        await until(lambda: "follows" in app.status)
        assert in_sight(app) == ("190 disk [/gpfs/fs1]", "199 disk [/gpfs/fs3]")
        assert "191-200 of 200 lines  follows" in app.status
        app.feed(b"one more\n")
        app.show()
        await pilot.pause()
        assert in_sight(app) == ("191 disk [/gpfs/fs2]", "one more")
        assert app.lines[-1].startswith("▸")


async def test_following_stops_when_one_scrolls_up_and_says_so_until_g() -> None:
    app = LogApp(*MANY)
    async with app.run_test(size=(60, 11)) as pilot:
        await pilot.press("pageup")
        app.feed(b"more\n" * 5)
        app.show()
        await until(lambda: "+14 lines below, G follows" in app.status)
        assert in_sight(app)[0] == "181 disk [/gpfs/fs6]"
        await pilot.press("G")
        await until(lambda: "follows" in app.status and in_sight(app)[1] == "more")
        await pilot.press("k")
        await until(lambda: "follows" not in app.status)
        await pilot.press("j")
        await until(lambda: "follows" in app.status)


async def test_paging_the_wheel_and_the_first_line() -> None:
    app = LogApp(*MANY)
    async with app.run_test(size=(60, 11)) as pilot:
        await pilot.press("g")
        await until(lambda: in_sight(app)[0].startswith("000"))
        await pilot.press("pagedown")
        await until(lambda: in_sight(app)[0].startswith("009"))
        wheel = events.MouseScrollDown(app.view.text, 5, 5, 0, 1, 0, False, False, False)
        app.view.text.post_message(wheel)
        await until(lambda: in_sight(app)[0].startswith("012"))
        await pilot.press("pageup", "pageup", "pageup")
        await until(lambda: in_sight(app)[0].startswith("000"))
        await pilot.click("LogText", offset=(3, 4))
        await until(lambda: app.lines[4].startswith("▸004"))


async def test_searching_marks_moves_goes_round_and_says_when_there_is_nothing() -> None:
    app = LogApp(*MANY)
    async with app.run_test(size=(60, 21)) as pilot:
        await pilot.press("g")
        await typed(pilot, "slash", "FS5]")
        await pilot.press("ctrl+u")
        await until(lambda: app.view.text.pattern is not None)
        assert app.view.text.line == 0  # capitals matter: nothing matches
        await typed(pilot, "slash", "fs5]")
        await until(lambda: app.view.text.line == 5)
        assert app.lines[5].startswith("▸005")
        marks = [segment.text for segment in app.view.text.render_line(5) if segment.style and segment.style.reverse]
        assert marks == ["fs5]"]
        await pilot.press("n")
        await until(lambda: app.view.text.line == 12)
        await pilot.press("N", "N")
        await until(lambda: app.view.text.line == 194)
        await pilot.press("N")
        await until(lambda: app.view.text.line == 187)
        assert any(line.startswith("*194") for line in app.lines)
        await pilot.press("escape")
        await until(lambda: "/fs5]" not in app.status)
        assert app.view.text.line == 187


TOO_LONG = "this pattern takes too long; simpler, please"


@pytest.mark.parametrize(
    ("key", "evil", "says"),
    [
        ("slash", "(a+)+$", TOO_LONG),
        ("ampersand", "(a+)+$", TOO_LONG),
        ("slash", "(.|.)*ZZ", "nothing matches (.|.)*ZZ"),  # that there is no ZZ is seen at once
    ],
)
async def test_a_pattern_that_takes_for_ever_leaves_the_view_answering(
    key: str, evil: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = LogApp(b"first\n", *(b"a" * 3000 + b"!\n" for _ in range(20)), b"last\n")
    said: list[str] = []
    async with app.run_test(size=(100, 11)) as pilot:
        monkeypatch.setattr(app.view, "_say", said.append)
        await typed(pilot, key, evil)
        await until(lambda: said == [says])
        await pilot.press("escape", "g")
        await until(lambda: in_sight(app)[0] == "first")


async def test_what_takes_too_long_to_mark_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    app = LogApp(b"aaaa\n")
    async with app.run_test(size=(100, 11)) as pilot:
        monkeypatch.setattr(app.view, "_say", lambda _words: None)
        await typed(pilot, "slash", "(a+)+$")
        await until(lambda: "/(a+)+$" in app.status)
        assert "takes too long" not in app.status
        app.feed(b"a" * 3000 + b"!\n")
        app.show()
        await until(lambda: "/(a+)+$: takes too long" in app.status)


async def test_a_filter_shows_only_what_matches_and_is_recalled() -> None:
    app = LogApp(*MANY)
    async with app.run_test(size=(60, 11)) as pilot:
        await typed(pilot, "ampersand", "fs[56]\\]")
        await until(lambda: "&fs[56]" in app.status and "of 56 lines" in app.status)
        assert all(re.search(r"fs[56]", line) for line in app.lines)
        app.feed(b"fs5] late\n", b"fs1] late\n")
        app.show()
        await until(lambda: "of 57 lines  follows" in app.status)
        await typed(pilot, "slash", "194")
        await until(lambda: app.view.text.line == 194)
        await pilot.press("ampersand")
        await until(lambda: app.query(Prompt))
        assert "fs[56]\\]" in text_of(app)
        await pilot.press("ctrl+u", *"!disk", "enter")
        await until(lambda: "of 2 lines" in app.status)
        await pilot.press("escape")
        await until(lambda: "of 202 lines" in app.status)


async def test_long_lines_are_cut_moved_and_wrapped() -> None:
    wide = "".join(f"{number:03}," for number in range(60)).encode()
    app = LogApp(b"short\n", wide + b"\n", "漢字".encode() * 60 + b"\n", b"last\n")
    async with app.run_test(size=(60, 16)) as pilot:
        assert app.lines[1].endswith("…")
        await pilot.press("right")
        await until(lambda: "from column 9" in app.status)
        assert app.lines[1][1:].startswith("…02,003,")
        await pilot.press("w")
        await until(lambda: "wrapped" in app.status)
        shown = app.lines
        assert "".join(line[1:] for line in shown[1:6]) == wide.decode()
        assert sum("漢" in line for line in shown) == 5
        assert not any(line.endswith("…") for line in shown)
        assert shown[11] == "▸last"


async def test_times_are_when_lines_were_read_here() -> None:
    app = LogApp()
    app.feed(b"one\n", at=1370557320.0)
    app.feed(b"two\n", b"unknown\n")
    async with app.run_test(size=(60, 11)) as pilot:
        await pilot.press("t")
        await until(lambda: "times: when read here" in app.status)
        assert app.lines[:2] == [" 22:22:00 one", "          two"]


async def test_a_progress_line_is_one_line_that_changes() -> None:
    app = LogApp(b"Scanning\n", b" 1 %\r", b" 2 %\r")
    async with app.run_test(size=(60, 11)) as pilot:
        assert app.lines[:3] == [" Scanning", "▸ 2 %", ""]
        app.feed(b" 3 %\r")
        app.show()
        await pilot.pause()
        assert app.lines[:3] == [" Scanning", "▸ 3 %", ""]


async def test_a_log_that_was_replaced_says_so() -> None:
    app = LogApp(*MANY)
    async with app.run_test(size=(80, 11)) as pilot:
        await pilot.press("g")
        app.copy.rewind("truncated", 1370557320.0)
        app.feed(b"new\n")
        app.show()
        await until(lambda: "log truncated at 22:22:00: this is the new text" in app.status)
        assert in_sight(app) == ("new", "new")


async def test_in_a_replay_only_what_was_known_then_is_there() -> None:
    app = LogApp(*MANY)
    app.limit = len(MANY[0]) * 3 + 4
    async with app.run_test(size=(60, 11)) as pilot:
        await until(lambda: "of 4 lines" in app.status)
        assert in_sight(app)[1] == "003"
        await typed(pilot, "slash", "150")
        await pilot.pause()
        assert app.view.text.rows == 4
        app.limit = 0
        app.show()
        await until(lambda: app.lines[0].strip() == "nothing of it has been read yet")


async def test_saving_keeps_the_bytes_and_writes_nothing_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    app = LogApp(b"\x1b[31mred\n", b"\xff\r2\n", b"blue\n")
    there, filtered = tmp_path / "a.log", tmp_path / "b.log"
    async with app.run_test(size=(120, 11)) as pilot:
        await typed(pilot, "s", there.name)
        assert there.read_bytes() == b"\x1b[31mred\n\xff\r2\nblue\n"
        assert there.stat().st_mode & 0o777 == 0o600
        await pilot.press("s")
        await until(lambda: app.query(Prompt))
        await pilot.press("ctrl+u", *there.name, "enter")
        await until(lambda: "it is there already" in text_of(app))
        await pilot.press("escape")
        await typed(pilot, "ampersand", "re|2")
        await typed(pilot, "s", filtered.name)
        assert filtered.read_bytes() == b"\x1b[31mred\n\xff\r2\n"


async def test_copying_a_line_and_what_is_in_sight(monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []

    async def take(_app: object, text: str, *, what: str = "") -> str:
        copied.append(text)
        return what

    monkeypatch.setattr(clipboard, "copy", take)
    app = LogApp(b"first\n", b"second \x1b]0;x\x07\n")
    async with app.run_test(size=(60, 11)) as pilot:
        await pilot.press("y", "Y")
        await until(lambda: len(copied) == 2)
    assert copied == ["second \ufffd]0;x\ufffd", "first\nsecond \ufffd]0;x\ufffd"]


@pytest.mark.parametrize(("width", "height"), [(1, 1), (3, 2), (10, 4), (80, 24), (200, 60)])
async def test_every_size_is_drawn(width: int, height: int) -> None:
    app = LogApp(*MANY, "漢字\t\u0301".encode() * 60, b"\n")
    async with app.run_test(size=(width, height)) as pilot:
        await pilot.press("w", "t", "w", "right", "pageup", "G", "g", "pagedown")
        await pilot.resize_terminal(40, 10)
        await until(lambda: app.view.text.size.width == 40)
        assert len(app.lines) == app.view.text.height


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary(max_size=200) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass"))))
async def test_no_byte_of_a_log_steers_the_terminal(pieces: list[bytes]) -> None:
    app = LogApp(*pieces)
    async with app.run_test(size=(50, 9)) as pilot:
        for keys in ((), ("w",), ("t",), ("g",), ("w", "right"), ("slash", "enter"), ("escape",)):
            await pilot.press(*keys)
            for y in range(app.view.text.height):
                text = app.view.text.render_line(y).text
                assert not any(unicodedata.category(letter) in ("Cc", "Cs") for letter in text), ascii(text)
                assert app.view.text.render_line(y).cell_length == 49
        assert app.is_running


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_snapshots(size: tuple[int, int]) -> None:
    app = LogApp(*MANY, b"x" * 300 + b"\n", b"end\n")
    async with app.run_test(size=size) as pilot:
        await typed(pilot, "slash", "fs3")
        await until(lambda: app.view.text.line == 3)
        await pilot.press("w", "n", "n")
        await until(lambda: app.view.text.line == 17 and "searching" not in text_of(app))
        await pilot.pause()
        assert_snapshot(app, "snapshots_jobs", f"logview-{size[0]}x{size[1]}")


@pytest.mark.parametrize(
    ("theme", "no_color"),
    [("textual-light", False), ("textual-dark", True), ("ansi-light", True), ("ansi-dark", False)],
)
async def test_signs_do_not_need_colour(theme: str, no_color: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    app = LogApp(*MANY)
    async with app.run_test(size=(60, 11)) as pilot:
        app.theme = theme
        await typed(pilot, "slash", "19[0-9]|fs0")
        await until(lambda: app.view.text.line == 199)
        await until(lambda: [line[:1] for line in app.lines] == ["*"] * 9 + ["▸"])  # the prompt's line is given back
        await pilot.press("up")
        await until(lambda: "follows" not in app.status)


async def test_the_scroll_bar_moves_what_is_in_sight() -> None:
    app = LogApp(*MANY)
    async with app.run_test(size=(60, 11)):
        text = app.view.text
        text.post_message(ScrollTo(y=50.0))
        await until(lambda: in_sight(app)[0].startswith("050"))
        assert "+140 lines below, G follows" in app.status
        text.post_message(ScrollDown())
        await until(lambda: in_sight(app)[0].startswith("060"))
        text.post_message(ScrollUp())
        await until(lambda: in_sight(app)[0].startswith("050"))
        text.post_message(ScrollTo(y=190.0))
        await until(lambda: "follows" in app.status)


async def test_another_log_begins_anew_and_a_million_lines_move_at_once() -> None:
    app = LogApp(*MANY)
    async with app.run_test(size=(60, 11)) as pilot:
        await typed(pilot, "ampersand", "fs1")
        other = LogCopy()
        other.write(0, b"a line of the other\n" * 1_000_000)
        app.view.show(other, key="other", title="another [/log]")
        await until(lambda: "999,992-1,000,000 of 1,000,000 lines  follows" in app.status)
        assert "&fs1" not in app.status
        assert "another [/log]" in text_of(app)
        await pilot.press("w", "g")
        await until(lambda: "1-9 of 1,000,000 lines" in app.status)
        await pilot.press("G")
        await until(lambda: "follows" in app.status and "wrapped" in app.status)
