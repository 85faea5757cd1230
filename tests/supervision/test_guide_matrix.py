"""Every step of a migration, there and back, while something dies: it goes on, and nothing runs twice.

Whatever dies, dies at every step; how it dies changes from step to step.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from simulator.client import Simulation
from tests.supervision import strikes
from tests.supervision.strikes import Strike, walk_and_strike
from tests.supervision.walked import STEPS, Simulated

SPEED = 2_000.0
PACE = 10.0
"""How many times as fast restripes go as they did in 2013."""

LOOKING: Mapping[str, tuple[Strike, ...]] = {
    "our program dies": (strikes.program_is_gone_while_it_checks,),
    "the connection is cut": (strikes.connection_is_cut_while_it_checks,),
    "the host dies": (strikes.host_reboots_while_it_checks,),
}
"""What befalls steps that only look; they have no job."""
ACTING: Mapping[str, tuple[Strike, ...]] = {
    "our program dies": (
        strikes.program_is_gone_as_it_launches,
        strikes.program_is_gone_while_the_command_runs,
        strikes.program_is_gone_before_it_reads_the_result,
    ),
    "the connection is cut": (strikes.connection_is_cut_at_the_launch_and_while_the_command_runs,),
    "the job's runner dies": (
        strikes.job_is_killed_before_it_does_anything,
        strikes.job_is_killed_when_all_is_done,
        strikes.runner_is_killed_and_the_command_goes_on,
    ),
    "the host dies": (
        strikes.host_reboots_before_anything_is_done,
        strikes.host_dies_when_all_is_done_and_another_one_goes_on,
    ),
}
"""What befalls steps that run a command, one after another."""


@pytest.mark.parametrize("what", ACTING)
async def test_a_migration_goes_on_at_every_step_there_and_back_when(what: str, subtests: pytest.Subtests) -> None:
    blows: dict[bool, tuple[Strike, ...]] = {True: ACTING[what], False: LOOKING.get(what, ())}
    chosen = {
        step: some[number % len(some)] for number, step in enumerate(STEPS) if (some := blows[bool(step.command)])
    }
    async with Simulation.start(speed=SPEED) as sim:
        await sim.control("pace", factor=PACE)
        await walk_and_strike(Simulated(sim), chosen, subtests)
