"""Simulated time: an epoch, a speed, and the two printed forms the commands need.

All moments are UNIX times in simulated seconds. The hosts live in MST (UTC-7, no daylight saving), like the
cluster of the seed scenario.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

MST = timezone(timedelta(hours=-7), "MST")
TZ_VARIABLE = "MST7"
"""The zone as the TZ variable of the hosts' sessions."""

MIN_SPEED = 0.01
MAX_SPEED = 1_000_000.0


def moment(year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0) -> float:
    """The UNIX time of a local moment of the hosts."""
    return datetime(year, month, day, hour, minute, second, tzinfo=MST).timestamp()


def ctime(when: float) -> str:
    """A C `ctime` stamp without newline, in the hosts' zone: `Thu Jun  6 15:46:19 2013`."""
    local = datetime.fromtimestamp(int(when), MST)
    # strftime's %a and %b would follow the locale; the commands run as in the C locale.
    return time.asctime(local.timetuple())


class Clock:
    """simulated now = epoch + (source() - started) * speed."""

    def __init__(self, epoch: float, speed: float, source: Callable[[], float] = time.monotonic) -> None:
        if not MIN_SPEED <= speed <= MAX_SPEED:
            raise ValueError(f"speed must be between {MIN_SPEED:g} and {MAX_SPEED:g}, not {speed:g}")
        self.epoch = epoch
        self.speed = speed
        self._source = source
        self.started = source()

    def now(self) -> float:
        """The simulated UNIX time."""
        return self.epoch + (self._source() - self.started) * self.speed

    async def sleep(self, seconds: float) -> None:
        """Sleep for simulated seconds."""
        await self.sleep_until(self.now() + seconds)

    async def sleep_until(self, when: float) -> None:
        """Sleep until a simulated moment; returns at once if it has passed."""
        # The event loop's clock may be a little behind ours: never return early.
        while (left := when - self.now()) > 0:  # noqa: ASYNC110
            await asyncio.sleep(left / self.speed)
