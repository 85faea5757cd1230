"""Copying: what goes to the terminal, wrapped for what stands between, and what is said about it."""

from __future__ import annotations

import base64
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App

from screens.widgets.clipboard import LIMIT, ClipboardError, copy, native_tool, osc52

XTERM = {"TERM": "xterm-256color"}
TMUX = {"TERM": "screen-256color", "TMUX": "/nowhere/tmux,1,0"}
SCREEN = {"TERM": "screen.xterm-256color", "STY": "1.pts-0"}


def unwrapped(sequence: str) -> str:
    """What the terminal gets behind tmux or GNU screen."""
    if sequence.startswith("\x1bPtmux;"):
        return sequence.removeprefix("\x1bPtmux;").removesuffix("\x1b\\").replace("\x1b\x1b", "\x1b")
    if sequence.startswith("\x1bP"):
        return "".join(re.findall(r"\x1bP(.*?)\x1b\\", sequence, re.DOTALL))
    return sequence


def copied(sequence: str) -> str:
    """The text that a terminal takes from it."""
    found = re.fullmatch(r"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07", unwrapped(sequence))
    assert found, repr(sequence)
    return base64.b64decode(found[1]).decode()


@given(text=st.text(st.characters(codec="utf-8"), max_size=2000))
def test_the_terminal_gets_the_text_through_whatever_stands_between(text: str) -> None:
    for env in (XTERM, TMUX, SCREEN, {"TERM": "tmux-256color"}, {"TERM": "screen"}):
        assert copied(osc52(text, env)) == text


def test_each_go_between_gets_its_own_wrapping() -> None:
    assert osc52("a", XTERM) == "\x1b]52;c;YQ==\x07"
    assert osc52("a", TMUX) == "\x1bPtmux;\x1b\x1b]52;c;YQ==\x07\x1b\\"
    assert osc52("a", SCREEN) == "\x1bP\x1b]52;c;YQ==\x07\x1b\\"
    parts = re.findall(r"\x1bP(.*?)\x1b\\", osc52("x" * 5000, SCREEN), re.DOTALL)
    assert len(parts) > 10
    assert max(map(len, parts)) <= 256, "GNU screen drops longer ones"


def test_the_limit_is_that_of_terminals_and_says_so() -> None:
    most = LIMIT // 4 * 3
    assert len(copied(osc52("x" * most, XTERM))) == most
    with pytest.raises(ClipboardError, match=r"75,000 of at most 74,994 characters of base64"):
        osc52("x" * 56250, XTERM)


@pytest.mark.parametrize("term", ["dumb", "", "linux"])
def test_terminals_without_a_clipboard_are_refused(term: str) -> None:
    with pytest.raises(ClipboardError, match=f"TERM={term or 'not set'}"):
        osc52("a", {"TERM": term})


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A directory for the PATH with tools that keep what they are given."""
    for name, code in (("xclip", 0), ("wl-copy", 1), ("pbcopy", 0), ("tmux", 0)):
        tool = tmp_path / name
        tool.write_text(
            f'#!/bin/sh\necho "$@" > {tmp_path}/{name}.args\n/bin/cat > {tmp_path}/{name}.got\nexit {code}\n'
        )
        tool.chmod(0o755)
    return tmp_path


def test_tools_are_for_a_display_that_is_here(tools: Path) -> None:
    path = {"PATH": str(tools)}
    assert native_tool({**path, "DISPLAY": ":0"}, "linux")[0] == "xclip"
    assert native_tool({**path, "DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, "linux") == ("wl-copy",)
    assert native_tool(path, "darwin") == ("pbcopy",)
    assert native_tool(path, "linux") == ()
    assert native_tool({**path, "DISPLAY": "localhost:10.0", "SSH_CONNECTION": "a 1 b 22"}, "linux") == ()
    assert native_tool({"PATH": "/nowhere", "DISPLAY": ":0"}, "linux") == ()


@pytest.fixture
async def app() -> AsyncIterator[App[None]]:
    """An app that runs without a terminal."""
    made: App[None] = App()
    async with made.run_test():
        yield made


@pytest.fixture
def written(app: App[None], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the app's driver was told to write."""
    texts: list[str] = []
    monkeypatch.setattr(app._driver, "write", texts.append)
    return texts


async def test_a_tool_comes_first(app: App[None], written: list[str], tools: Path) -> None:
    env = {**XTERM, "PATH": str(tools), "DISPLAY": ":0"}
    assert await copy(app, "foo1_nsd1", env=env) == "copied 9 characters with xclip"
    assert (tools / "xclip.got").read_text() == "foo1_nsd1"
    assert not written


async def test_the_terminal_is_asked_when_the_tool_fails(app: App[None], written: list[str], tools: Path) -> None:
    env = {**XTERM, "PATH": str(tools), "WAYLAND_DISPLAY": "wayland-0"}
    assert await copy(app, "foo1_nsd1", what="the cell", env=env) == "copied the cell through the terminal (OSC 52)"
    assert [copied(text) for text in written] == ["foo1_nsd1"]


async def test_tmux_gets_it_into_its_own_buffer_too(app: App[None], written: list[str], tools: Path) -> None:
    assert "to tmux" in await copy(app, "foo1_nsd1", env={**TMUX, "PATH": str(tools)})
    assert (tools / "tmux.got").read_text() == "foo1_nsd1"
    assert (tools / "tmux.args").read_text() == "load-buffer -w -\n"
    assert [copied(text) for text in written] == ["foo1_nsd1"]


async def test_what_is_not_copied_is_said(app: App[None], written: list[str]) -> None:
    assert (await copy(app, "a", env={"TERM": "dumb"})).startswith("not copied: the terminal (TERM=dumb)")
    assert (await copy(app, "x" * 60000, env=XTERM)).startswith("not copied: too long")
    assert not written
