"""A guided migration of a recording on the screen Migrate, at two sizes: states, checks in all their outcomes."""

from __future__ import annotations

from typing import cast

import pytest

from remote.checked import Check, Outcome
from remote.events import Acknowledged, Checked, Event, Header, StepChanged
from remote.recording import VERSION
from screens.widgets.logview import LogView
from supervision.gpfs import GpfsFileSystem
from supervision.recipe import GuidedStep, StepSpec
from supervision.session import Session
from supervision.store import Store
from tests.screens.snap import assert_snapshot, text_of
from tests.waiting import until
from tui.app import RestripeApp

NOW = 1_370_500_000.0
NAMES = ("look", "devices", "size", "mmcrnsd", "mmadddisk", "mmchdisk", "mmrestripefs", "proof")


class Step:
    """As much of a step as is shown."""

    def __init__(self, name: str, undo: tuple[Step, ...] = ()) -> None:
        self.spec = StepSpec(
            name,
            f"do what {name} does",
            f"Nothing after it can be without {name}. It is looked at again when it is done.",
            f"What {name} promises is so.",
            "some minutes",
            "the step that takes it back" if undo else "",
            "From here on it takes longer to go back." if undo else "",
        )
        self.undo = undo


OFF = Step("mmdelnsd")
STEPS = {**{number: Step(name, (OFF,) if number > 3 else ()) for number, name in enumerate(NAMES, 1)}, 9: OFF}
EVENTS: tuple[Event, ...] = (
    StepChanged(NOW, 1, "look", "done", "", "n1", "", "what look did", 0),
    StepChanged(NOW, 2, "devices", "done", "", "n1", "", "what devices did", 0),
    StepChanged(NOW, 3, "size", "failed", "", "n1", "mmdf fs1", "n1: mmdf fs1 ended with exit code 1", 1),
    StepChanged(NOW, 4, "mmcrnsd", "unknown", "", "n1", "mmcrnsd -F /j/new.stanza", "nobody knows"),
    Checked(
        NOW + 60,
        5,
        (
            Check("fine", "All disks are ready and up", Outcome.PASS, "12 of 12", "", NOW + 50, "mmlsdisk fs1"),
            Check("known", "Snapshots are told of", Outcome.NOTE, "2 snapshots", "They are scanned, too", NOW + 50),
            Check(
                "full",
                "The SSDs stay below 70 %",
                Outcome.WARNING,
                "79 % by plan",
                "Take larger ones",
                NOW + 50,
                "mmdf fs1",
            ),
            Check("users", "Nobody else is at work", Outcome.WARNING, "a policy run", "Let it end first", NOW + 55),
            Check(
                "quorum", "The cluster has quorum", Outcome.BLOCK, "2 of 5", "Start two more", NOW + 58, "mmgetstate"
            ),
            Check("manager", "The manager is active", Outcome.UNKNOWN, "too old", "Ask again", NOW - 4000, "mmlsmgr"),
        ),
    ),
    StepChanged(
        NOW + 60, 5, "mmadddisk", "blocked", "", "n1", "mmadddisk fs1 -F /j/new.stanza", "The cluster has quorum"
    ),
    Acknowledged(NOW + 61, 5, "users", "ada@desk"),
)


def session() -> Session:
    store = Store(Header(VERSION, "0", 0.0, NOW, "fs1", ("n1",), "n1", plan="fs1-plan"))
    for event in EVENTS:
        store.apply(event)
    fs = GpfsFileSystem("fs1", "n1")
    return Session(store, fs, steps=lambda _state: cast("dict[int, GuidedStep]", STEPS))


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
async def test_a_blocked_step_and_all_before_it(size: tuple[int, int]) -> None:
    app = RestripeApp(session())
    async with app.run_test(size=size) as pilot:
        await pilot.press("4")
        await until(lambda: "BLOCK" in text_of(app))
        assert_snapshot(app, "snapshots_app", f"guide-{size[0]}x{size[1]}")


async def test_a_step_is_read_in_full_and_searched_as_a_text() -> None:
    app = RestripeApp(session())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("4")
        await until(lambda: "BLOCK" in text_of(app))
        await pilot.press("enter")
        await until(lambda: "1 look" not in text_of(app))
        assert "WARN     The SSDs stay below 70 %" in text_of(app)
        await pilot.press("G")
        await until(lambda: "ok       All disks are ready and up" in text_of(app))
        await pilot.press("escape", "up", "up")
        await until(lambda: "Step 3" in text_of(app))
        assert "ended with exit code 1" in text_of(app)
        await pilot.press("slash")
        await until(lambda: bool(app.screen.query(LogView)))
        await pilot.press("slash", *"promises", "enter")
        await until(lambda: "What size promises is so" in text_of(app))
        await pilot.press("escape", "escape", "escape")
        await until(lambda: "3 size" in text_of(app))
