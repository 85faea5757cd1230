"""Playing a recording: any moment is reached by playing or by jumping, and it is the same moment."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from remote.events import Event
from supervision.player import Player
from supervision.reducer import reduce
from supervision.replay import Replay
from supervision.state import State

SHIPPED = Path(__file__).parents[2] / "recordings" / "seed-3.5.jsonl"


@pytest.fixture(scope="module")
def replay() -> Replay:
    return Replay(SHIPPED)


def folded(replay: Replay, until: float) -> State:
    state = State(replay.header, at=replay.began)
    for event in replay.events:
        if event.t > until:
            break
        state = reduce(state, event)
    return state


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.999, 1.0])
def test_a_jump_and_playing_lead_to_the_same_state(replay: Replay, share: float) -> None:
    target = replay.began + replay.seconds * share
    jumped, played = Player(replay), Player(replay)
    jumped.seek(target)
    for _ in range(10):
        played.advance(replay.seconds * share / 10)
    assert jumped.state == folded(replay, jumped.position)
    assert played.state == folded(replay, played.position)
    assert played.position == pytest.approx(jumped.position)


def test_jumps_stay_inside_the_recording(replay: Replay) -> None:
    player = Player(replay)
    player.seek(0.0)
    assert (player.position, player.fraction) == (replay.began, 0.0)
    player.seek(replay.began + replay.seconds * 2)
    assert (player.fraction, player.ended) == (1.0, True)
    assert player.state == replay.end


def test_the_next_event_is_one_event(replay: Replay) -> None:
    player, told = Player(replay), []
    player.listen(lambda _state, event: told.append(event))
    player.next_event()
    player.next_event()
    assert told == list(replay.events[:2])
    assert player.state.revision == 2


def test_marks_are_reached_forwards_and_backwards(replay: Replay) -> None:
    player = Player(replay)
    names = []
    while mark := player.to_mark(1):
        names.append(mark.label)
    assert names == [f"step {n}: {name}" for n, name in enumerate(STEPS, 1)]
    back = []
    while mark := player.to_mark(-1):
        back.append(mark.label)
    assert back == names[-2::-1]


STEPS = ("look", "devices", "mmcrnsd", "mmadddisk", "mmchdisk", "mmrestripefs", "proof")


def test_whoever_listens_is_told_of_jumps_and_may_stop(replay: Replay) -> None:
    player = Player(replay)
    told: list[Event | None] = []
    stop = player.listen(lambda _state, event: told.append(event))
    player.seek(replay.began + 100)
    assert told == [None]
    stop()
    player.seek(replay.began)
    assert told == [None]


async def test_it_plays_at_its_speed_and_stops_at_the_end(replay: Replay) -> None:
    player = Player(replay, speed=10_000_000.0)
    running = asyncio.create_task(player.run())
    player.playing = True
    async with asyncio.timeout(10):
        while player.playing:
            await asyncio.sleep(0.01)
    running.cancel()
    assert player.ended
    assert player.state == replay.end
