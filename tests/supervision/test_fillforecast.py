"""The forecast of how full a restripe makes the metadata disks: on the recorded seed, and when the way back is due."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from supervision.filesystem import Fill
from supervision.fillforecast import at_end, escape_due
from supervision.gpfs_fill import shown
from supervision.gpfs_progress import scan_job
from supervision.gpfs_view import View
from supervision.replay import Replay

REPLAY = Replay(Path(str(files("recordings"))) / "seed-3.5.jsonl")
END_KB = {
    "foo1_ssd1": 67_993_984, "foo1_ssd2": 67_980_480, "foo2_ssd1": 67_988_608,
    "foo2_ssd2": 67_939_520, "foo3_ssd1": 67_949_696, "foo3_ssd2": 67_927_680,
}  # fmt: skip
"""KB in use on the SSDs in the mmdf after the restripe of 2013; together 407,779,968 with their rounding."""


@pytest.mark.parametrize("percent", [50, 55, 60, 70, 80, 90, 99])
def test_from_half_way_on_the_recorded_seed_is_forecast_within_5_percent_of_its_end(percent: int) -> None:
    assert sum(END_KB.values()) == 407_779_968
    began, ended = REPLAY.end.step_times[6]
    now = REPLAY.at(began + (ended - began) * percent / 100)
    view = View(now, "mss1", REPLAY.header.hosts)
    fills = shown(view, scan_job(view))
    assert {fill.name for fill in fills} == set(END_KB)
    for fill in fills:
        assert fill.used < fill.size * 0.35
        assert fill.end == pytest.approx(END_KB[fill.name], rel=0.05)
    assert escape_due(fills) == ()


def test_the_way_back_is_due_from_85_percent_of_the_forecast_on_and_the_worst_comes_first() -> None:
    fills = (
        Fill("a", 10, 100, 84),
        Fill("b", 10, 100, 85),
        Fill("c", 10, 100, 120),
        Fill("d", 90, 100, 10),
        Fill("e", 85, 100),
        Fill("f", 10, 100),
        Fill("old", 99, 100, 0, emptied=True),
        Fill("none", 0, 0, 0),
    )
    assert [fill.name for fill in escape_due(fills)] == ["c", "d", "b", "e"]
    assert at_end(fills[2]) == 1.2
