"""The keys of the brake: what is offered, what has to be typed, and what is wanted then."""

from __future__ import annotations

import msgspec
import pytest
from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from remote.gpfs.models import FsMounts, MountedNode, Mounts, Qos, QosLimit, QosStat
from remote.jobs import JobState
from screens.base import SessionApp
from screens.braking import BrakingScreen
from screens.dialogs import AskText, ConfirmDanger
from screens.intents import EaseScan, ReleaseBrake
from screens.widgets.frame import KeyFooter
from supervision.brake import Hours
from tests.screens.hearing import hearing
from tests.screens.jobsapp import NOW, Live
from tests.screens.snap import text_of
from tests.supervision import gpfs_states as made
from tests.waiting import until

FS = "mss1"


class Shown(BrakingScreen):
    """The keys alone."""

    NAME = "restripe"

    def compose_body(self) -> ComposeResult:
        yield Static("a scan")

    def show_state(self) -> None:
        pass


class BrakeApp(SessionApp):
    """The screen, and what it wants."""

    ENABLE_COMMAND_PALETTE = False
    CSS = "#body { height: 1fr; }"

    def __init__(self, live: Live) -> None:
        super().__init__()
        self.session = live.session
        self.intents: list[Message] = []
        self.brakes = Shown()

    def get_default_screen(self) -> Screen[None]:
        return self.brakes

    def say(self, text: str, *, wrong: bool = False) -> None:
        self.brakes.say(text, wrong=wrong)

    def on_ease_scan(self, intent: EaseScan) -> None:
        self.intents.append(intent)

    def on_release_brake(self, intent: ReleaseBrake) -> None:
        self.intents.append(intent)


def scanned(*, armed: bool = True) -> Live:
    """A scan by three of the three nodes that mount the file system, which does 2,600 IOPS."""
    live = Live(armed=armed)
    live.job("scan", JobState.RUNNING, command=f"mmrestripefs {FS} -r -N n1,n2,n3")
    limits = (QosLimit("system", "other", "inf"), QosLimit("system", "maintenance", "inf"))
    told = Qos(True, True, True, limits, (QosStat("system", "maintenance", int(NOW), 2600.0, 1.0, 0.0, 5.0),))
    mounts = Mounts((FsMounts(FS, 3, tuple(MountedNode("", name) for name in made.HOSTS)),))
    models = {"cluster": made.cluster(), f"mounts {FS}": mounts, f"qos {FS}": told}
    facts = {key: made.fact(key, model, at=NOW) for key, model in models.items()}
    live.store.state = msgspec.structs.replace(live.store.state, facts=facts)
    return live


async def test_a_step_is_chosen_seen_and_typed_before_it_is_wanted() -> None:
    live = scanned()
    app = BrakeApp(live)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("b")
        asked = await hearing(app, AskText)
        shown = "\n".join(asked._lines)
        assert "   1,300 IOPS   half of the 2,600 IOPS of now\n   650 IOPS     a quarter of" in shown
        assert asked._value == "1300"
        for _ in range(4):
            await pilot.press("backspace")
        await pilot.press(*"50", "enter")
        await until(lambda: "below the floor of 100 IOPS" in text_of(app))
        await pilot.press("backspace", "backspace", *"650", "enter")
        sure = await hearing(app, ConfirmDanger)
        told = "\n".join(sure._lines)
        command = f"mmchqos {FS} --enable pool=system,other=unlimited,maintenance=650IOPS"
        assert f"runs   {command}\non     pollux1" in told
        assert "650 IOPS on system = 217 per node, 650 for 3 helpers" in told
        assert app.intents == []
        await pilot.press("tab", *FS, "enter", "y")
        await until(lambda: app.intents)
        (intent,) = app.intents
        assert isinstance(intent, EaseScan)
        assert (intent.iops, intent.confirmed, intent.hours) == (650.0, command, None)


async def test_with_hours_a_job_is_to_keep_the_limit() -> None:
    app = BrakeApp(scanned())
    async with app.run_test(size=(100, 50)) as pilot:
        await pilot.press("b")
        await hearing(app, AskText)
        for _ in range(4):
            await pilot.press("backspace")
        await pilot.press(*"300 mon-fri 7-19", "enter")
        sure = await hearing(app, ConfirmDanger)
        told = "\n".join(sure._lines)
        assert "When nobody has watched for 30 minutes it is tight, whatever the hour." in told
        assert (
            f"/run/qos_schedule.sh {FS} /JOBS/scan 1800 12345 0700 1900 '--enable pool=system,other=unlimited" in told
        )
        await pilot.press("tab", *FS, "enter", "y")
        await until(lambda: app.intents)
        (intent,) = app.intents
        assert isinstance(intent, EaseScan)
        assert (intent.hours, intent.job_id.startswith(f"{FS}-brake-schedule-")) == (Hours(), True)


async def test_there_is_nothing_to_release_before_anything_was_set() -> None:
    app = BrakeApp(scanned())
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("B")
        await until(lambda: "no limit of ours holds" in text_of(app))
        assert app.screen is app.brakes


async def test_what_was_set_is_released_to_what_was_before() -> None:
    live = scanned()
    title = (
        "brake ease to 650 IOPS for 3 helpers; set pool=system,maintenance=650Iops; "
        "earlier on pool=system,other=inf,maintenance=900Iops; before system/maintenance=2600"
    )
    live.job("e", JobState.FINISHED, rc=0, ended=NOW, title=title, command=f"mmchqos {FS} --enable x")
    app = BrakeApp(live)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("B")
        await hearing(app, ConfirmDanger)
        await pilot.press("tab", *FS, "enter", "y")
        await until(lambda: app.intents)
        (intent,) = app.intents
        assert isinstance(intent, ReleaseBrake)
        assert intent.confirmed == f"mmchqos {FS} --enable pool=system,other=unlimited,maintenance=900IOPS"


@pytest.mark.parametrize("armed", [False, True])
async def test_the_keys_exist_only_when_armed(armed: bool) -> None:
    app = BrakeApp(scanned(armed=armed))
    async with app.run_test(size=(80, 24)) as pilot:
        footer = str(app.brakes.query_one(KeyFooter).render())
        assert ("b ease" in footer, "B release" in footer) == (armed, armed)
        await pilot.press("b")
        await pilot.pause()
        assert isinstance(app.screen, AskText) == armed


async def test_why_it_cannot_be_eased_is_said() -> None:
    live = scanned()
    live.job("scan", JobState.FINISHED, rc=0, command=f"mmrestripefs {FS} -r -N n1,n2,n3")
    app = BrakeApp(live)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("b")
        await until(lambda: "it cannot be eased: no scan runs" in text_of(app))
