"""How long an operation of the file system takes those who use it: what the probe of a simulated host measures."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, field


@dataclass
class Users:
    """`latency_ms` is an operation with nothing else going on; an unlimited restripe makes it `factor` times that.

    All times are real milliseconds, whatever the simulation's speed.
    """

    latency_ms: float = 2.0
    factor: float = 4.0
    hanging: set[str] = field(default_factory=set)
    """Hosts on which no operation comes back."""
    operations: int = 0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def mean_ms(self, share: float) -> float:
        """The mean while a restripe goes at this share of its full speed."""
        return self.latency_ms * (1 + (self.factor - 1) * share)

    def next_ms(self, share: float) -> float:
        """The next one: within a fifth of the mean, and every sixteenth takes two and a half times as long."""
        self.operations += 1
        return self.mean_ms(share) * (2.5 if self.operations % 16 == 0 else 1 + 0.2 * math.sin(2.4 * self.operations))

    def change(self) -> None:
        """Let those look again who hang."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def operation(self, host: str, share: float) -> None:
        """Take as long as an operation on a host takes now."""
        while host in self.hanging:
            await self._changed.wait()
        await asyncio.sleep(self.next_ms(share) / 1000)
