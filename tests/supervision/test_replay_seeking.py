"""Any moment of a recording is the same moment, however one comes there and whatever was forgotten in between."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.replay import SMALL, SOURCE, write_day
from remote.events import Event, Exact, Header, LogRead, LogRewound, encode
from remote.recording import Recording
from remote.text import one_line
from supervision import cursor, replay
from supervision.gpfs import GpfsFileSystem
from supervision.player import Player
from supervision.reducer import reduce
from supervision.replay import Replay
from supervision.session import Session
from supervision.state import State
from tests.supervision.seed import SHIPPED


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("day") / "day.jsonl"
    write_day(path, SMALL)
    return path


@pytest.fixture(scope="module", autouse=True)
def _forgetful() -> Iterator[None]:
    """Hold next to nothing, so that a small recording meets what a large one does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cursor, "ANSWERS", 20_000)
        patch.setattr(cursor, "READ", 20_000)
        patch.setattr(replay, "MOST_KEPT", 8)
        patch.setattr(replay, "KEEP_SECONDS", 60.0)
        yield


def folded(path: Path) -> list[State]:
    """The states of the plain fold."""
    recording = Recording(path)
    states = [State(recording.header, at=recording.header.began)]
    for event in recording:
        states.append(reduce(states[-1], event))
    return states


@pytest.fixture(scope="module", params=["shipped", "day"])
def recorded(request: pytest.FixtureRequest, small: Path) -> tuple[Path, list[State]]:
    path = SHIPPED if request.param == "shipped" else small
    return path, folded(path)


def state_at(states: list[State], t: float) -> State:
    return [state for state in states if state.at <= t][-1] if t >= states[0].at else states[0]


MOVES = st.lists(st.tuples(st.sampled_from(["seek", "play", "next"]), st.floats(0, 1)), min_size=1, max_size=6)


@given(moves=MOVES)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_jumps_and_playing_show_the_states_of_the_plain_fold(
    recorded: tuple[Path, list[State]], moves: list[tuple[str, float]]
) -> None:
    path, states = recorded
    played = Replay(path)
    player = Player(played)
    for move, part in moves:
        if move == "seek":
            player.seek(played.began + part * played.seconds)
            assert player.state == state_at(states, player.position)
        elif move == "play":
            player.advance(part * played.seconds / 10)
        else:
            player.next_event()
        assert player.state == states[player.state.revision]
    assert played.end == states[-1]
    assert (played.skipped, played.torn) == (0, False)


def test_every_moment_of_a_folded_recording_backwards(small: Path) -> None:
    states, played = folded(small), Replay(small)
    assert played.end == states[-1]
    for count in range(len(states) - 1, -1, -37):
        assert played.state_after(count) == states[count], count


@given(data=st.data())
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_damaged_recording_shows_what_is_left_of_it(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    lines = SHIPPED.read_bytes().splitlines(keepends=True)
    for _ in range(data.draw(st.integers(1, 4))):
        number = data.draw(st.integers(1, len(lines) - 1))
        at = data.draw(st.integers(0, len(lines[number])))
        lines[number] = data.draw(
            st.sampled_from([b"", lines[number][:at], lines[number][:at] + b"\xff\n", b"\n", lines[number] * 2])
        )
    path = tmp_path_factory.mktemp("damaged") / "r.jsonl"
    path.write_bytes(b"".join(lines))
    recording = Recording(path)
    events = list(recording)
    state = State(recording.header, at=recording.header.began)
    for event in events:
        state = reduce(state, event)
    played = Replay(path)
    assert played.end == state
    assert (played.torn, played.skipped) == (recording.torn, recording.skipped)
    middle = played.state_after(len(played.index) // 2)
    assert played.end == state
    assert played.state_after(len(played.index) // 2) == middle


def write(path: Path, *events: Event) -> Path:
    header = Header(1, "0", 0.0, 100.0, "fs")
    path.write_bytes(b"".join(encode(line) + b"\n" for line in (header, *events)))
    return path


def test_a_rewound_log_is_right_before_and_after(tmp_path: Path) -> None:
    key = ("a", "file:/x")
    events = (
        LogRead(110.0, *key, 0, Exact(b"before\n")),
        LogRewound(110.0, *key, "rotated"),  # at the same time, to the microsecond
        LogRead(120.0, *key, 0, Exact(b"after\n")),
        LogRead(130.0, *key, 6, Exact(b"more\n")),
    )
    played = Replay(write(tmp_path / "r.jsonl", *events))
    player = Player(played)
    logs = Session(player, GpfsFileSystem("fs", "a")).logs

    def shown() -> tuple[int, str, int]:
        size = player.state.logs[key].size
        copy = logs.get(*key)
        return copy.generation, copy.line(0, size), copy.lines(size)

    player.seek(200.0)
    assert shown() == (1, "after", 2)
    player.seek(125.0)
    assert shown() == (1, "after", 1)
    player.seek(100.0)
    player.next_event()
    assert shown() == (0, "before", 1)
    player.next_event()
    assert shown() == (1, "", 0)
    assert logs.known[key].rewound == ("rotated", 110.0)


def test_a_log_ends_where_the_state_says_wherever_one_goes(small: Path) -> None:
    played = Replay(small)
    player = Player(played)
    logs = Session(player, GpfsFileSystem("mss1", "nsd00")).logs
    for part in (0.9, 0.2, 0.5, 1.0, 0.0):
        player.seek(played.began + part * played.seconds)
        log = player.state.logs.get(("nsd00", SOURCE))
        if log:
            copy = logs.get("nsd00", SOURCE)
            assert copy.size >= log.size
            assert copy.lines(log.size) == log.lines
            assert one_line(copy.line(log.lines - 1, log.size)) == log.tail[-1]
