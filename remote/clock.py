"""The Site's clock: which time it is over there, and how long things take.

Deadlines of the network are real time and do not come from here.
"""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod


class Clock(ABC):
    """Time as the far side sees it; all times are seconds since 1970, UTC."""

    @abstractmethod
    def now(self) -> float:
        """The current time, for people and for stamps."""

    @abstractmethod
    def elapsed(self) -> float:
        """A time that never jumps, for durations; its zero means nothing."""

    @abstractmethod
    async def sleep(self, seconds: float) -> None:
        """Wait for that long on this clock."""


class WallClock(Clock):
    """A real cluster: wall time, and CLOCK_BOOTTIME for durations, so that a laptop's sleep counts."""

    def now(self) -> float:
        return time.time()

    def elapsed(self) -> float:
        if hasattr(time, "CLOCK_BOOTTIME"):
            return time.clock_gettime(time.CLOCK_BOOTTIME)
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class ScaledClock(Clock):
    """A simulation's time: `speed` simulated seconds pass in a real one.

    `epoch` was the simulated time when this machine's monotonic clock stood at `monotonic`. A sleep is never
    shorter than `floor` real seconds: a fast simulation must not turn every cadence into a busy loop.
    """

    def __init__(self, epoch: float, monotonic: float, speed: float, *, floor: float = 0.1) -> None:
        if speed <= 0:
            raise ValueError("a clock's speed is positive")
        self.speed = speed
        self._epoch = epoch
        self._monotonic = monotonic
        self._floor = floor

    def now(self) -> float:
        return self._epoch + (time.monotonic() - self._monotonic) * self.speed

    def elapsed(self) -> float:
        return self.now()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(seconds / self.speed, self._floor))


class SetClock(Clock):
    """A clock that stands where it was set; a recording's answers move it."""

    def __init__(self, at: float = 0.0) -> None:
        self.at = at

    def now(self) -> float:
        return self.at

    def elapsed(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.at += seconds
        await asyncio.sleep(0)
