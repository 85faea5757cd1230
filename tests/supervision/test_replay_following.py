"""Following a recording that is still being written, reading a large one meanwhile, and files that change."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from benchmarks.replay import Shape, write_day
from remote.command import Command, Effect
from remote.events import Answered, Asked, Closed, Exact, Header, Marked, Reply, encode
from remote.recording import Writer
from supervision import index
from supervision.player import Player
from supervision.replay import Replay
from tests.waiting import until

LSDISK = Command(("mmlsdisk", "fs"), Effect.READS)


@asynccontextmanager
async def running(player: Player) -> AsyncIterator[None]:
    task = asyncio.create_task(player.run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    return Writer(tmp_path / "r.jsonl", Header(1, "0", 0.0, 100.0, "fs"))


async def test_what_another_process_adds_is_played_as_it_comes(writer: Writer) -> None:
    writer.write(Marked(110.0, "first"))
    writer.sync_now()
    player = Player(Replay(writer.path, whole=False))
    async with running(player):
        await until(lambda: player.replay.complete)
        player.seek(float("inf"))
        assert player.following
        for n, same in ((1, b"out"), (2, b"out")):
            writer.write(Asked(120.0 + n, n, "a", (LSDISK,)))
            writer.write(Answered(120.5 + n, n, (Reply(0, Exact(same)),)))
        writer.write(Marked(130.0, "second"))
        writer.sync_now()
        await until(lambda: player.state.marks and player.state.marks[-1].label == "second")
        assert b'"same":1' in writer.path.read_bytes()
        assert player.position >= 130.0
        assert [ran.command for ran in player.state.commands] == ["mmlsdisk fs"] * 2
        assert (player.following, player.playing, player.ended) == (True, True, False)
        writer.write(Closed(140.0))
        writer.close()
        await until(lambda: player.ended and not player.playing)
        assert player.state.closed
        assert player.position == 140.0
        assert player.replay.skipped == 0


async def test_a_pause_holds_a_followed_recording(writer: Writer) -> None:
    writer.write(Marked(110.0, "first"))
    writer.sync_now()
    player = Player(Replay(writer.path, whole=False))
    async with running(player):
        await until(lambda: player.replay.complete)
        player.seek(float("inf"))
        player.playing = False
        writer.write(Marked(120.0, "second"))
        writer.sync_now()
        await until(lambda: len(player.replay.marks) == 2)
        assert len(player.state.marks) == 1
        player.playing = True
        await until(lambda: len(player.state.marks) == 2)
    writer.close()


async def test_a_torn_line_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    line = encode(Marked(120.0, "second")) + b"\n"
    path.write_bytes(encode(Header(1, "0", 0.0, 100.0)) + b"\n" + encode(Marked(110.0, "first")) + b"\n" + line[:9])
    replay = Replay(path)
    assert replay.torn
    player = Player(replay)
    async with running(player):
        player.seek(float("inf"))
        with path.open("ab") as file:
            file.write(line[9:])
        await until(lambda: len(player.state.marks) == 2)
    assert (replay.torn, replay.skipped) == (False, 0)


def test_one_that_was_written_long_ago_has_an_end(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    writer.write(Marked(110.0, "first"))
    writer.close()
    long_ago = time.time() - 2 * index.LIVE_SECONDS
    os.utime(writer.path, (long_ago, long_ago))
    player = Player(Replay(writer.path))
    player.seek(float("inf"))
    assert (player.ended, player.following, player.playing) == (True, False, False)


@pytest.mark.parametrize("what", ["truncated", "another file", "removed"])
async def test_a_file_that_is_no_longer_the_same_is_said_to_be(writer: Writer, what: str) -> None:
    writer.write(Marked(110.0, "first"))
    writer.close()
    player = Player(Replay(writer.path))
    async with running(player):
        player.seek(float("inf"))
        if what == "truncated":
            os.truncate(writer.path, 50)
        else:
            writer.path.rename(writer.path.with_suffix(".old"))
        if what == "another file":
            writer.path.write_bytes(b"{}\n")
        await until(lambda: what in player.word)
        await until(lambda: not player.following)
        player.seek(100.0)
        assert player.state.revision == 0
        assert player.ended is False


async def test_a_large_recording_is_there_at_once_and_leaves_the_loop_free(tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    write_day(path, Shape(seconds=10800.0))
    assert path.stat().st_size > 10_000_000
    player = Player(Replay(path, whole=False))
    assert player.state.revision == 0
    turns = 0

    async def tick() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    ticking = asyncio.create_task(tick())
    async with running(player):
        await until(lambda: player.state.revision == 0 and len(player.replay.index) > 1000, 60)
        target = player.replay.began + player.replay.seconds * 0.9
        player.seek(target)
        assert player.wanted == target
        assert "not read yet" in player.word
        player.next_event()  # waits like everything else
        before = turns
        await until(lambda: player.wanted is None, 120)
        assert turns - before > 100  # others had their turn all the while
        assert player.state == player.replay.at(target)
        assert player.word == ""
        await until(lambda: player.replay.complete, 120)
    ticking.cancel()
