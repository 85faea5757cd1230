"""Waiting for what is asserted, instead of sleeping and hoping."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


async def until(look: Callable[[], T | Awaitable[T]], seconds: float = 15.0, every: float = 0.02) -> T:
    """Look until the answer is true, and return it; fail when it is not within `seconds`."""
    ends = time.monotonic() + seconds
    while True:
        seen = look()
        if isinstance(seen, Awaitable):
            seen = await seen
        if seen:
            return seen
        if time.monotonic() > ends:
            raise AssertionError(f"still {seen!r} after {seconds:g} s")
        await asyncio.sleep(every)


def until_now(look: Callable[[], T], seconds: float = 15.0, every: float = 0.01) -> T:
    """Like `until`, for code that has no event loop."""
    ends = time.monotonic() + seconds
    while not (seen := look()):
        if time.monotonic() > ends:
            raise AssertionError(f"still {seen!r} after {seconds:g} s")
        time.sleep(every)
    return seen
