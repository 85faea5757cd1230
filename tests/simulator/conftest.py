"""A fresh simulator for each test that asks for one; starting it costs a quarter of a second."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from simulator.client import Simulation
from tests.simulator.far_side import FarSide, processes_of


@pytest.fixture
async def far() -> AsyncIterator[FarSide]:
    """A fresh simulator at a speed at which the whole restripe lasts 0.7 s."""
    async with Simulation.start(speed=20_000) as sim:
        side = FarSide(sim)
        try:
            yield side
        finally:
            await side.close()
    assert processes_of(sim.directory) == []
