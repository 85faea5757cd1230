"""Dialogs: what they ask is harmless to answer by accident, and readable on the smallest terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.app import App
from textual.widgets import Input

from screens.dialogs import AskText, ConfirmDanger, Dialog, HostKeyDialog, Notice, SecretDialog
from tests.screens.snap import assert_snapshot, text_of
from tests.waiting import until

NOT_YET: Any = object()


class Clock:
    """A clock that moves when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class DialogApp(App[None]):
    """An app that asks one thing."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, make: Callable[[Clock], Dialog[Any]]) -> None:
        super().__init__()
        self.clock = Clock()
        self.dialog = make(self.clock)
        self.answer: Any = NOT_YET

    def on_mount(self) -> None:
        self.push_screen(self.dialog, self.take)

    def take(self, answer: Any) -> None:
        self.answer = answer

    def later(self) -> None:
        """Let the time pass in which keys are ignored."""
        self.clock.now += 1.0


def danger(clock: Clock) -> ConfirmDanger:
    return ConfirmDanger(
        "Stop the restripe of mss1",
        ["Files that were not reached keep their blocks where they are.", "It can be run again [/at any time]."],
        "mmrestripefs mss1 -r -N foo1,foo2,foo3",
        ("pollux1",),
        "mss1",
        do="stop it",
        now=clock,
    )


def ask(clock: Clock) -> AskText:
    return AskText(
        "Run", ["a line"], value="mmlsfs", wrong=lambda typed: "no [/x]" if "bad" in typed else "", now=clock
    )


def host_key(clock: Clock) -> HostKeyDialog:
    return HostKeyDialog("pollux1", "SHA256:abc", kind="ssh-ed25519", where="~/.ssh/known_hosts", now=clock)


def changed_key(clock: Clock) -> Notice:
    lines = ["The host key of pollux1 is another one than before.", "\x1b[31mNothing\x07 was sent to it."]
    return Notice("Host key changed", lines, danger=True, now=clock)


def secret(clock: Clock) -> SecretDialog:
    return SecretDialog("Password of root@pollux1", ["pollux1 asks: Password:"], now=clock)


def focused_id(app: App[None]) -> str | None:
    return app.focused.id if app.focused else None


async def test_doing_what_the_dialog_says_does_it_and_nothing_less() -> None:
    for keys in ((), ("y",), ("tab", *"mss1"), ("tab", *"mss1", "enter"), ("tab", *"mss1", "enter", "enter")):
        app = DialogApp(danger)
        async with app.run_test(size=(80, 24)) as pilot:
            await until(lambda app=app: "To go on: tab, type  mss1  and enter; then  y  does it." in text_of(app))  # type: ignore[misc]
            app.later()
            await pilot.press(*keys)
            await pilot.pause()
            assert app.answer is NOT_YET
            if keys[-2:] == ("1", "enter"):
                await pilot.press("y")
                await until(lambda app=app: app.answer is True)  # type: ignore[misc]


async def test_danger_is_done_only_after_the_name_and_its_own_key() -> None:
    app = DialogApp(danger)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: focused_id(app) == "cancel")
        app.later()
        await pilot.press("tab", *"mss", "enter")
        assert focused_id(app) == "name"
        await pilot.press("1", "enter")
        await until(lambda: focused_id(app) == "do")
        await pilot.press("enter", "space", "n")
        assert app.answer is NOT_YET
        await pilot.press("y")
        await until(lambda: app.answer is True)


@pytest.mark.parametrize("keys", [("enter",), ("escape",), ("tab", "m", "escape"), ("tab", *"mss1", "tab", "enter")])
async def test_everything_else_cancels(keys: tuple[str, ...]) -> None:
    app = DialogApp(danger)
    async with app.run_test(size=(80, 24)) as pilot:
        app.later()
        await pilot.press(*keys)
        await until(lambda: app.answer is False)


async def test_keys_are_ignored_at_first() -> None:
    app = DialogApp(danger)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter", "escape", "tab", "y", "enter")
        assert app.answer is NOT_YET
        assert focused_id(app) == "cancel"
        app.clock.now += 0.49
        await pilot.press("enter")
        assert app.answer is NOT_YET
        app.clock.now += 0.02
        await pilot.press("enter")
        await until(lambda: app.answer is False)


async def test_the_answer_goes_away_with_the_name() -> None:
    app = DialogApp(danger)
    async with app.run_test(size=(80, 24)) as pilot:
        app.later()
        await pilot.press("tab", *"mss1", "backspace")
        await pilot.click("#do")
        await pilot.press("tab", "y")
        assert app.answer is NOT_YET


async def test_text_is_asked_for_until_it_is_right() -> None:
    app = DialogApp(ask)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        assert app.answer is NOT_YET
        app.later()
        await pilot.press(*" bad", "enter")
        await until(lambda: "no [/x]" in text_of(app))
        await pilot.press("ctrl+u", "enter")
        await until(lambda: "nothing was typed" in text_of(app))
        await pilot.press(*"mmdf", "enter")
        await until(lambda: app.answer == "mmdf")


async def test_a_changed_key_can_only_be_read() -> None:
    app = DialogApp(changed_key)
    async with app.run_test(size=(80, 24)) as pilot:
        app.later()
        assert "accept" not in text_of(app)
        assert "�[31mNothing� was sent" in text_of(app)
        await pilot.press("y", "s", "o")
        assert app.answer is NOT_YET
        await pilot.press("enter")
        await until(lambda: app.answer is None)


@pytest.mark.parametrize(
    ("keys", "answer"),
    [(("enter",), None), (("escape",), None), (("tab", "o"), "once"), (("tab", "tab", "s"), "save")],
)
async def test_an_unknown_key_is_trusted_only_on_purpose(keys: tuple[str, ...], answer: str | None) -> None:
    app = DialogApp(host_key)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: focused_id(app) == "no")
        app.later()
        await pilot.press("o", "s", "y")
        assert app.answer is NOT_YET
        await pilot.press(*keys)
        await until(lambda: app.answer is not NOT_YET)
        assert app.answer == answer


@pytest.mark.parametrize(("key", "answer"), [("enter", "hunter2!"), ("escape", None)])
async def test_a_secret_is_never_shown_and_stays_nowhere(key: str, answer: str | None) -> None:
    app = DialogApp(secret)
    async with app.run_test(size=(80, 24)) as pilot:
        app.later()
        field = app.dialog.query_one(Input)
        await pilot.press(*"hunter2!")
        assert "hunter" not in text_of(app)
        await pilot.press(key)
        await until(lambda: app.answer is not NOT_YET)
        assert app.answer == answer
        assert "hunter" not in repr(vars(field)) + repr(vars(app.dialog))


@pytest.mark.parametrize("size", [(80, 24), (40, 14), (200, 60)])
async def test_answers_stay_in_sight_however_long_the_text(size: tuple[int, int]) -> None:
    def long(clock: Clock) -> ConfirmDanger:
        return ConfirmDanger(
            "x" * 70,
            [" ".join(f"word{number}" for number in range(900))],
            "mmadddisk " + "nsd;" * 300,
            ["a"] * 50,
            "mss1",
            now=clock,
        )

    app = DialogApp(long)
    async with app.run_test(size=size) as pilot:
        await until(lambda: "▸ Cancel ◂" in text_of(app))
        await until(lambda: "there is more: pagedown" in text_of(app))
        app.later()
        before = text_of(app)
        await pilot.press("pagedown")
        await until(lambda: text_of(app) != before)


@pytest.mark.parametrize("make", [danger, ask, host_key, changed_key, secret])
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_snapshots(make: Callable[[Clock], Dialog[Any]], size: tuple[int, int]) -> None:
    app = DialogApp(make)
    async with app.run_test(size=size) as pilot:
        app.later()
        await pilot.pause()
        assert_snapshot(app, "snapshots_jobs", f"dialog-{make.__name__}-{size[0]}x{size[1]}")
