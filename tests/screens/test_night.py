"""The recorded night (docs/make_recordings.py): what is told at each of its scenes of the restripe and of users."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path

from remote.jobs import JobState
from remote.recorder import GIVEN_UP
from screens.restripe import RestripeScreen
from supervision.brake import Brake, Judged, Power, brake_lines
from supervision.canary_rates import Canary, Level, canary
from supervision.eta import State as Forecast
from supervision.filesystem import Phase
from supervision.filesystems import file_system
from supervision.impact import Impact, Standing
from supervision.jobtimes import began_here
from supervision.player import Player
from supervision.probejob import hurt
from supervision.replay import Replay
from supervision.session import Session
from tests.screens.recorded import Scene
from tests.screens.snap import text_of
from tests.waiting import until
from tui.app import RestripeApp
from tui.replay import moment

NIGHT = Path(str(files("recordings") / "night-5.2.jsonl"))
SMALL = 1_500_000
"""Bytes that it has at most: it is in everybody's package."""


@cache
def replay() -> Replay:
    return Replay(NIGHT)


class NightScene(Scene):
    """A moment of this recording."""

    @property
    def impact(self) -> Impact:
        found = hurt(self.state, self.job)
        assert found is not None
        return found.impact

    @property
    def brake(self) -> Brake:
        brake = self.fs.brake(self.state)
        assert brake is not None
        return brake

    @property
    def canary(self) -> Canary:
        return canary(self.state, began_here(self.state, self.job))

    def happened(self, *kinds: str) -> list[str]:
        return [each.text for each in self.state.happened if each.kind in kinds]


def at(label: str, after: float = 0.0) -> NightScene:
    """A mark, or some minutes after it."""
    state = replay().at(moment(replay(), label) + 60.0 * after)
    return NightScene(state, file_system(replay().header))


def test_it_is_whole_small_and_ends_well() -> None:
    end = NightScene(replay().end, file_system(replay().header))
    assert (replay().torn, replay().skipped, NIGHT.stat().st_size < SMALL) == (False, 0, True)
    assert replay().seconds < 4.1 * 3600
    assert (end.progress.phase, end.job.status.state, end.job.status.rc) == (Phase.FINISHED, JobState.FINISHED, 0)
    assert [step.state for step in end.state.steps.values()] == ["done"] * 7
    assert {fact.failure for fact in end.state.facts.values()} <= {"", GIVEN_UP}


def test_users_wait_while_they_are_many_and_less_when_the_restripe_is_eased() -> None:
    calm, slow, eased = at("restripe: it begins"), at("users wait"), at("eased")
    assert calm.impact.standing is Standing.WITHIN
    assert calm.impact.baseline.count >= 20
    assert slow.impact.standing is Standing.OVER
    assert slow.impact.factor is not None
    assert slow.impact.factor > slow.impact.budget == 3.0
    assert eased.impact.factor is not None
    assert eased.impact.factor < 3.0
    assert (slow.progress.phase, eased.progress.phase) == (Phase.RUNNING, Phase.RUNNING)


def test_the_brake_is_set_seen_to_work_and_released() -> None:
    eased, free = at("eased"), at("brake: released", 5)
    assert (eased.brake.power, eased.brake.effect.judged) == (Power.ENABLED, Judged.FELL)
    assert brake_lines(eased.brake)[0].value == (
        "650 IOPS on system = 217 per node, 650 for 3 helpers; rates fell from 2,600 to 650"
    )
    assert eased.happened("qos") == [
        "QoS: switched on",
        "QoS: maintenance/all_local of system 650IOPS, was unlimited",
    ]
    assert any("650IOPS" in told.why for told in eased.progress.told)
    assert (free.brake.power, free.brake.held) == (Power.OFF, None)
    assert free.happened("qos")[-1] == "QoS: switched off; maintenance/all_local of system unlimited, was 650IOPS"


def test_a_helper_leaves_and_is_back() -> None:
    away, back = at("node: seen to be away"), at("node: back", 5)
    assert away.happened("node") == ["GPFS on pollux3 is down, was active"]
    assert away.progress.phase is Phase.RUNNING
    assert away.progress.moved is not None
    assert away.progress.moved[1] == "GPFS on pollux3 is down, was active"
    assert back.happened("node")[1:] == ["GPFS on pollux3 is active, was down"]
    assert back.happened("daemon") == ["GPFS was started on pollux3"]


def test_a_disk_fails_and_the_restripe_begins_again() -> None:
    before, again, down, up = at("disk: fails"), at("disk: the restripe"), at("disk: seen to be"), at("disk: up again")
    assert again.happened("restart") == ["the scan began again from its first phase"]
    assert (again.progress.phase, again.progress.finish) == (Phase.STARTING, None)
    assert down.happened("disk")[-1] == "foo2_nsd4: now to be emptied down, holding data, was ready up, holding data"
    assert up.happened("disk")[-1] == "foo2_nsd4: now ready up, holding data, was to be emptied down, holding data"
    assert up.progress.phase is Phase.RUNNING
    assert up.finish.mid > before.finish.mid
    done = [scene.progress.counter.fraction or 0.0 for scene in (before, again, up) if scene.progress.counter]
    assert 0.0 <= done[2] < done[0] < 0.7


def test_nothing_moves_and_the_one_who_holds_it_up_is_named() -> None:
    before, still, after = at("stall: begins"), at("stall: seen"), at("stall: over")
    assert before.progress.phase is Phase.RUNNING
    assert still.progress.phase is Phase.STALLED
    assert re.fullmatch(
        r"no line for 1\d min, where 2 min is usual\. "
        r"Longest waiter: NSDThread on pollux2 for 1\d min: for I/O completion on disk sdc",
        still.progress.why,
    )
    assert still.progress.finish is None
    assert [line.label for line in still.progress.evidence] == ["process", *["waiters"] * 3, "daemons", "disks"]
    assert still.impact.standing is Standing.WITHIN
    assert after.progress.phase is Phase.RUNNING
    assert after.progress.moved is not None
    assert after.progress.moved[1] == "it stood still for 25 min, or the clock was set"
    assert after.finish.mid - before.finish.mid > 15 * 60
    assert {told.state for told in after.progress.told} >= {Forecast.STARTING, Forecast.ESTIMATE}


def test_what_others_do_is_told_and_is_not_taken_for_ours() -> None:
    limited, moved = at("others: the limit"), at("others: the new manager")
    assert limited.happened("qos")[-1] == "QoS: switched on; maintenance/all_local of system 1300IOPS, was unlimited"
    assert limited.brake.held is None
    assert [limit.effective for limit in limited.brake.limits] == [1300.0]
    assert moved.happened("manager") == ["the manager of mss1 is pollux2, was pollux1"]
    assert (moved.brake.power, moved.progress.phase) == (Power.OFF, Phase.RUNNING)


def test_errors_in_the_logs_are_an_alarm() -> None:
    calm, loud = at("stall: begins"), at("errors: an alarm")
    assert calm.canary.level is not Level.ALARM
    assert loud.canary.level is Level.ALARM
    assert "expel: node pollux3" in [each.text for each in loud.canary.kinds]


def test_the_true_end_lies_in_what_was_told_once_nothing_more_happened() -> None:
    job = replay().end.jobs[at("end").job.host, at("end").job.status.id]
    assert job.settled_at is not None
    last = at("errors: an alarm", 5)
    assert last.finish.low < job.settled_at < last.finish.high


async def test_the_screen_at_the_stall_fits_into_80_columns() -> None:
    player = Player(replay())
    player.seek(moment(replay(), "stall: seen"))
    app = RestripeApp(Session(player, file_system(replay().header)))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5")
        await until(lambda: isinstance(app.screen, RestripeScreen) and "Longest waiter" in text_of(app))
        text = " ".join(text_of(app).split())
        assert "stalled" in text
        assert "NSDThread on pollux2" in text
        assert "for I/O completion on disk sdc" in text
        assert "(budget 3x)" in text
        assert "likely" not in text
        assert max(map(len, text_of(app).splitlines())) <= 80
