"""Work in the background: it belongs to the supervisor, ends with it, and no error of it passes in silence."""

from __future__ import annotations

import asyncio

from remote.answering import AnsweringSite
from remote.events import Header
from supervision.journal import Journal
from supervision.store import Store
from supervision.supervisor import Supervisor
from tests.waiting import until

HEADER = Header(1, "test", 0.0, 0.0, "fs1", ("h",), "h")


def supervisor() -> Supervisor:
    return Supervisor(AnsweringSite(HEADER, ()), Journal(Store(HEADER)), fs="fs1", entry="h")


async def test_an_error_of_our_own_is_told_and_recorded() -> None:
    async def broken() -> None:
        raise ZeroDivisionError("by\x1b[31m nothing")

    async with supervisor() as watched:
        watched.start("sums", broken())
        await until(lambda: bool(watched.store.state.decisions))
        (told,) = watched.store.state.decisions
        assert told.who == "restripe"
        assert "sums" in told.what
        assert "ZeroDivisionError" in told.what
        assert "\x1b" not in told.what


async def test_leaving_ends_what_runs_in_the_background() -> None:
    ended = asyncio.Event()

    async def for_ever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    started = asyncio.Event()

    async def announced() -> None:
        started.set()
        await for_ever()

    async with supervisor() as watched:
        watched.start("watching", announced())
        await started.wait()
        assert not ended.is_set()
    assert ended.is_set()
    assert watched.store.state.decisions == ()


async def test_one_host_that_cannot_be_asked_harms_no_other() -> None:
    async with supervisor() as watched:
        errors = await watched.look_at_jobs(("h", "other"))
    # the recording behind this Site holds nothing of either: both are told, each on its own
    assert set(errors) == {"h", "other"}
    assert [error.host for error in errors.values()] == ["h", "other"]
