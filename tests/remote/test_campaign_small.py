"""A campaign of ten kills; `make campaign` plays hundreds."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from tests.campaign.cases import Victim, draw
from tests.campaign.playing import Field
from tests.campaign.tally import page, violations
from tests.campaign.verdict import Verdict
from tests.campaign.worker import play
from tests.openssh import Farm

pytestmark = pytest.mark.openssh

SEED = "small"
KILLS = 10


async def test_ten_random_kills_run_nothing_twice_and_lose_nothing(farm: Farm) -> None:
    verdicts: list[Verdict] = []
    numbers = itertools.count(1)

    async def work(name: str) -> None:
        field = Field(farm, name)
        try:
            await field.measure()
            while sum(verdict.struck for verdict in verdicts) < KILLS:
                verdicts.append(await play(field, SEED, next(numbers)))
        finally:
            await field.close()

    await asyncio.gather(*(work(f"campaign-{number}") for number in range(3)))
    assert violations(SEED, verdicts) == []
    assert "Double runs: 0. Lost bytes: 0. Violations: 0." in page(SEED, verdicts, 1.0)


def test_a_case_is_drawn_again_from_its_seed_and_number() -> None:
    assert draw(SEED, 5) == draw(SEED, 5)
    assert {draw(SEED, number).victim for number in range(100)} == set(Victim)
