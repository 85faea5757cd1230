"""The recorded savemeta, a real one (docs/make_gfs2_recording.py): what is told of it at each of its scenes."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path

from remote.jobs import JobState
from screens.restripe import RestripeScreen
from supervision.filesystem import Phase
from supervision.filesystems import file_system
from supervision.player import Player
from supervision.replay import Replay
from supervision.session import Session
from tests.screens.recorded import Scene
from tests.screens.snap import text_of
from tests.waiting import until
from tui.app import RestripeApp
from tui.replay import moment

SAVEMETA = Path(str(files("recordings") / "gfs2-savemeta.jsonl"))
SMALL = 500_000
"""Bytes that it has at most: it is in everybody's package."""


@cache
def replay() -> Replay:
    return Replay(SAVEMETA)


class RunScene(Scene):
    """A moment of this recording."""

    @property
    def done(self) -> int:
        counter = self.progress.counter
        assert counter is not None
        return counter.done or 0

    @property
    def link(self) -> str:
        return self.state.links["node1"].state


def at(label: str, after: float = 0.0) -> RunScene:
    """A mark, or some seconds after it."""
    state = replay().at(moment(replay(), label) + after)
    return RunScene(state, file_system(replay().header))


def test_it_is_whole_small_nobodys_own_and_ends_well() -> None:
    end = RunScene(replay().end, file_system(replay().header))
    assert (replay().torn, replay().skipped, SAVEMETA.stat().st_size < SMALL) == (False, 0, True)
    assert (replay().header.kind, replay().header.speed, replay().header.simulated) == ("gfs2", 1.0, False)
    text = SAVEMETA.read_text(encoding="utf-8")
    assert not re.search(r'[" =]/(tmp|home|root|work)\b', text)
    assert [step.state for step in end.state.steps.values()] == ["done"] * 4
    assert (end.progress.phase, end.job.status.state, end.job.status.rc) == (Phase.FINISHED, JobState.FINISHED, 0)
    assert "gzip -t found the file whole" in end.state.steps[4].detail
    assert f"{end.done:,} blocks saved" in end.state.steps[4].detail


def test_blocks_rise_and_a_finish_is_told_beside_the_percentage_of_the_tool() -> None:
    begins, told, later = at("savemeta: it begins"), at("finish: told"), at("stall: begins")
    assert begins.progress.finish is None
    assert begins.progress.phase is told.progress.phase is later.progress.phase is Phase.RUNNING
    assert begins.done < told.done < later.done
    assert told.finish.low < told.finish.mid < told.finish.high
    shares = [scene.progress.counter.fraction or 0.0 for scene in (told, later) if scene.progress.counter]
    percents = [scene.progress.tool_percent or 0.0 for scene in (told, later)]
    assert all(100 * share > percent for share, percent in zip(shares, percents, strict=True))


def test_a_cut_connection_costs_nothing_of_the_log() -> None:
    back, end = at("cut: back"), at("end")
    assert back.link == "up"
    assert [each.text for each in end.state.happened if each.kind == "link"] == [
        "node1 cannot be reached: the connection was lost",
        "it can be reached again",
    ]
    log = end.state.job_log(end.job.host, end.job.status.id)
    assert log is not None
    assert log.size == end.job.status.size


def test_it_stands_still_and_it_is_said_why_and_how_it_goes_on() -> None:
    before, still, long, after = at("stall: begins"), at("stall: seen"), at("stall: seen", 120), at("stall: over")
    for scene in (still, long):
        assert scene.progress.phase is Phase.STALLED
        assert re.fullmatch(
            r"its process is stopped \(state T\) since \d\d:\d\d: kill -CONT \d+ lets it go on", scene.progress.why
        )
        assert scene.progress.finish is None
        assert "is stopped by a signal" in scene.progress.evidence[0].value
    assert long.done == still.done
    assert after.progress.phase is Phase.RUNNING
    assert after.done > long.done
    assert after.finish.mid > before.finish.mid


def test_the_true_end_lies_in_what_was_told_before_the_stall_but_for_that_and_after_it() -> None:
    job = at("end").job
    assert job.settled_at is not None
    stood = moment(replay(), "stall: over") - moment(replay(), "stall: begins")
    before, after = at("stall: begins").finish, at("stall: over", 60).finish
    assert before.low < job.settled_at - stood < before.high
    assert after.low < job.settled_at < after.high


async def test_the_screen_shows_the_stall_and_the_end_in_80_columns() -> None:
    player = Player(replay())
    player.seek(moment(replay(), "stall: seen"))
    app = RestripeApp(Session(player, file_system(replay().header)))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5")
        await until(lambda: isinstance(app.screen, RestripeScreen) and "kill -CONT" in _shown(app))
        assert "stalled" in _shown(app)
        assert "likely" not in _shown(app)
        assert max(map(len, text_of(app).splitlines())) <= 80
        player.seek(replay().began + replay().seconds)
        await until(lambda: "finished" in _shown(app))
        assert f"{at('end').done:,}" in _shown(app)
        assert "stalled" not in _shown(app)
        assert max(map(len, text_of(app).splitlines())) <= 80


def _shown(app: RestripeApp) -> str:
    return " ".join(text_of(app).split())
