"""Pressing keys without idling: what a key sets off is over when the loop has nothing to do, not 20 ms after that."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, cast

import pytest
import textual.app
import textual.pilot
from textual.constants import MAX_FPS

FRAME = 1 / MAX_FPS
"""Seconds after which a change is on the screen."""

PATIENCE = 0.002
"""Seconds between two looks at a thread that works."""


def busy(pool: Any) -> bool:
    """Whether a thread of the loop's pool has work."""
    return pool is not None and pool._idle_semaphore._value < len(pool._threads)


async def settled(_min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Wait until no thread works, and the loop has nothing to run, nor anything that it will run within a frame.

    Textual sleeps here 20 ms at a time, until little of them was spent computing: twice for each key, which was most of
    what these tests took, and ended too early where another process had the processor.
    """
    loop = cast("Any", asyncio.get_running_loop())
    last = loop.time() + max_sleep
    while loop.time() < last:
        await asyncio.sleep(0)
        if loop._ready:
            continue
        if busy(loop._default_executor):
            await asyncio.sleep(PATIENCE)  # a thread works: the loop cannot tell when it ends
            continue
        due = min((timer.when() for timer in loop._scheduled if not timer.cancelled()), default=last)
        if due > loop.time() + FRAME:
            return
        await asyncio.sleep(max(0.0, due - loop.time()))


@pytest.fixture(scope="session", autouse=True)
def _settled() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module in (textual.app, textual.pilot):
            patch.setattr(module, "wait_for_idle", settled)
        yield
