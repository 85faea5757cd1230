"""A fresh simulator for each test that asks for one; starting it costs a quarter of a second."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.simulator.far_side import FarSide, far_side
from tests.simulator.inside import Inside


@pytest.fixture
async def far() -> AsyncIterator[FarSide]:
    """A fresh simulator at a speed at which the whole restripe lasts 0.7 s."""
    async with far_side(speed=20_000) as side:
        yield side


@pytest.fixture
def inside(tmp_path: Path) -> Inside:
    return Inside(tmp_path)
