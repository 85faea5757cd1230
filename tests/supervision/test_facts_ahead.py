"""Large answers are read in slices, before they are learned, and mean the same as read at once."""

from __future__ import annotations

import asyncio
from typing import Any

from remote.command import Command, Effect
from remote.events import Exact, Reply
from remote.gpfs import parsers
from supervision.facts import LARGE, Ahead, learn
from supervision.gpfs import READING

HEADER = "disk driver sector failure holds holds storage\nname type size group metadata data status availability pool\n"
COMMAND = Command(("mmlsdisk", "fs1"), Effect.READS)


def disks(count: int) -> Reply:
    rows = "".join(f"nsd{n} nsd 512 {n % 3} Yes No ready up system\n" for n in range(count))
    return Reply(0, Exact((HEADER + rows).encode()))


async def test_a_large_answer_gives_others_their_turn_and_means_the_same(monkeypatch: Any) -> None:
    reply, ahead, turns = disks(5000), Ahead(READING), 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(others())
    await ahead.read("h", COMMAND, reply)
    task.cancel()
    assert turns > 10
    at_once = learn(READING, None, "h", COMMAND, reply, 1.0, 2.0)
    # what was read ahead is taken, not read again
    monkeypatch.setattr(parsers, "parse_mmlsdisk", None)
    sliced = learn(READING, None, "h", COMMAND, reply, 1.0, 2.0, ahead)
    assert sliced == at_once
    assert sliced is not None
    assert sliced.parsed is not None
    assert len(sliced.parsed.model.disks) == 5000


async def test_what_is_small_or_failed_is_not_read_ahead() -> None:
    ahead = Ahead(READING)
    small = disks(3)
    assert len(small.out.data) < LARGE
    failed = Reply(1, disks(5000).out)
    for reply in (small, failed):
        await ahead.read("h", COMMAND, reply)
        assert ahead.take("disks fs1", reply) is None


async def test_only_the_last_few_are_kept() -> None:
    ahead = Ahead(READING, most=2)
    replies = [disks(2000 + n) for n in range(3)]
    for reply in replies:
        await ahead.read("h", COMMAND, reply)
    kept = [ahead.take("disks fs1", reply) is not None for reply in replies]
    assert kept == [False, True, True]


def test_an_answer_that_was_overtaken_by_that_of_a_later_question_changes_nothing() -> None:
    later = learn(READING, None, "h", COMMAND, disks(3), 10.0, 11.0)
    assert later is not None
    assert learn(READING, later, "h", COMMAND, disks(2), 9.0, 12.0) is None
    assert learn(READING, later, "h", COMMAND, Reply(1), 9.0, 12.0) is None
    newer = learn(READING, later, "h", COMMAND, disks(2), 10.0, 12.0)
    assert newer is not None
    assert newer.parsed is not None
    assert len(newer.parsed.model.disks) == 2
