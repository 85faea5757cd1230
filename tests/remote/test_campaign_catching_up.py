"""Catching up with a large log: looks that grow, pieces that do not."""

from __future__ import annotations

from typing import Any

import pytest

from remote import live
from remote.errors import AnswerLostError
from remote.jobs import Header
from remote.site import Chunk, FileLog
from tests.remote.local_host import HOST, LocalHost

LIMIT, MOST = 1000, 4000


async def follow(
    host: LocalHost, monkeypatch: pytest.MonkeyPatch, size: int, *, cut: int = -1
) -> tuple[list[int], list[Chunk]]:
    """Follow a file of that size; how much each look asked for, and what was told. Look number `cut` is lost."""
    monkeypatch.setattr(live, "LOOK_LIMIT", LIMIT)
    monkeypatch.setattr(live, "LOOK_MOST", MOST)
    path = host.directory / "large"
    path.write_bytes(b"".join(b"%07d\n" % line for line in range(size // 8)))
    asked: list[int] = []
    look = host.site.look

    async def counting(*args: Any) -> Header:
        asked.append(args[-1])
        if len(asked) - 1 == cut:
            raise AnswerLostError(HOST, "cut", command="a look")
        return await look(*args)

    monkeypatch.setattr(host.site, "look", counting)
    chunks: list[Chunk] = []
    async for event in host.site.follow(HOST, FileLog(str(path))):
        if isinstance(event, Chunk):
            chunks.append(event)
            if event.offset + len(event.data) == size:
                break
    assert b"".join(chunk.data for chunk in chunks) == path.read_bytes()
    offset = 0
    for chunk in chunks:
        assert chunk.offset == offset
        assert len(chunk.data) <= LIMIT
        offset += len(chunk.data)
    return asked, chunks


async def test_looks_grow_while_they_are_full(dash: LocalHost, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, chunks = await follow(dash, monkeypatch, 16_000)
    assert asked[:4] == [1000, 2000, 4000, 4000]
    assert len(asked) < len(chunks)


async def test_a_look_that_was_lost_makes_the_next_one_small(dash: LocalHost, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, _ = await follow(dash, monkeypatch, 16_000, cut=2)
    assert asked[:5] == [1000, 2000, 4000, 1000, 2000]


async def test_looks_that_take_long_do_not_grow(dash: LocalHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "QUICK_SECONDS", 0.0)
    asked, _ = await follow(dash, monkeypatch, 5_000)
    assert set(asked) == {1000}
