"""Every step of a migration, there and back, while something dies in every way: it goes on, and nothing runs twice."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable

import pytest

from remote.jobs import JobState
from simulator.client import Simulation
from supervision.migration import Ending, StepState
from tests.supervision.walked import (
    STEPS,
    FarSide,
    Simulated,
    Step,
    Walk,
    is_job,
    is_launch,
    is_so,
    is_state,
    kill_group,
    walk_of,
)

Strike = Callable[[Walk, Step], Awaitable[None]]
SPEED = 2_000.0
PACE = 10.0
"""How many times as fast restripes go as they did in 2013."""
ENTRY = "pollux1"


async def program_is_gone_while_it_checks(walk: Walk, step: Step) -> None:
    task = walk.start(step)
    walk.cancel_at(task, is_state(step, StepState.CHECKING))
    await walk.leave(task)
    await walk.come_back()
    await walk.bring(step)


async def connection_is_cut_while_it_checks(walk: Walk, step: Step) -> None:
    task = walk.start(step)
    await walk.told(is_state(step, StepState.CHECKING))
    await walk.far.cut()
    stop = await task
    assert stop is None or stop.ending in (Ending.UNREACHABLE, Ending.REFUSED), stop
    await walk.come_back()
    await walk.bring(step)


async def host_reboots_while_it_checks(walk: Walk, step: Step) -> None:
    task = walk.start(step)
    await walk.told(is_state(step, StepState.CHECKING))
    await walk.far.off(ENTRY)
    await walk.far.on(ENTRY)
    stop = await task
    assert stop is None or stop.ending in (Ending.UNREACHABLE, Ending.REFUSED), stop
    await walk.come_back()
    await walk.bring(step)


async def program_is_gone_as_it_launches(walk: Walk, step: Step) -> None:
    task = walk.start(step)
    walk.cancel_at(task, is_launch(step))
    await asyncio.wait((task,))
    await walk.leave(task)
    await walk.come_back()
    await walk.bring(step)


async def program_is_gone_while_the_command_runs(walk: Walk, step: Step) -> None:
    async with walk.held(step, "begin") as stands:
        task = walk.start(step)
        await stands()
        await walk.leave(task)
        await walk.come_back()
        assert walk.status(step) is StepState.RUNNING
        task = walk.start(step)
        await walk.told(is_job(JobState.RUNNING))
    assert await task is None
    assert walk.status(step) is StepState.DONE


async def program_is_gone_before_it_reads_the_result(walk: Walk, step: Step) -> None:
    task = walk.start(step)
    walk.cancel_at(task, is_state(step, StepState.VERIFYING))
    await asyncio.wait((task,))
    assert task.cancelled()
    await walk.leave(task)
    await walk.come_back()
    assert walk.status(step) is StepState.DONE


async def connection_is_cut_at_the_launch_and_while_the_command_runs(walk: Walk, step: Step) -> None:
    cuts: list[asyncio.Task[None]] = []
    walk.live.store.listen(
        lambda _, event: cuts.append(asyncio.ensure_future(walk.far.cut())) if is_launch(step)(event) else None
    )
    async with walk.held(step, "begin") as stands:
        task = walk.start(step)
        await stands()
        assert len(cuts) == 1
        await walk.told(is_job(JobState.RUNNING))
        await walk.far.cut()
    assert await task is None
    await walk.come_back()
    assert walk.status(step) is StepState.DONE


async def runner_is_killed_and_the_command_goes_on(walk: Walk, step: Step) -> None:
    async with walk.held(step, "begin") as stands:
        task = walk.start(step)
        await stands()
        await walk.told(is_job(JobState.RUNNING))
        os.kill(await walk.runner(step), signal.SIGKILL)
        await walk.told(is_job(JobState.ORPHAN))
        await walk.leave(task)
        await walk.come_back()
        assert walk.status(step) is StepState.UNKNOWN
        task = walk.start(step)
        await walk.told(is_job(JobState.ORPHAN))
    stop = await task
    assert stop is None, stop
    assert walk.status(step) is StepState.DONE


async def job_is_killed_before_it_does_anything(walk: Walk, step: Step) -> None:
    async with walk.held(step, "begin") as stands:
        task = walk.start(step)
        await stands()
        await walk.told(is_job(JobState.RUNNING))
        kill_group(await walk.runner(step))
        stop = await task
        assert stop is not None
        assert "it did not happen: it may be run again" in str(stop)
        await walk.come_back()
        assert walk.status(step) is StepState.FAILED
    await walk.bring(step)


async def job_is_killed_when_all_is_done(walk: Walk, step: Step) -> None:
    async with walk.held(step, "end") as stands:
        task = walk.start(step)
        await stands()
        await walk.told(is_job(JobState.RUNNING))
        kill_group(await walk.runner(step))
        stop = await task
        assert stop is None, stop
    await walk.come_back()
    assert walk.status(step) is StepState.DONE


async def host_reboots_before_anything_is_done(walk: Walk, step: Step) -> None:
    async with walk.held(step, "begin") as stands:
        task = walk.start(step)
        await stands()
        await walk.told(is_job(JobState.RUNNING))
        await walk.far.off(ENTRY)
        await walk.far.on(ENTRY)
        stop = await task
        assert stop is not None
        assert "the host was rebooted while it ran" in str(stop)
        await walk.come_back()
        assert walk.status(step) is StepState.FAILED
    await walk.bring(step)


async def host_dies_when_all_is_done_and_another_one_goes_on(walk: Walk, step: Step) -> None:
    first = walk.guide.host
    other = "pollux2" if first == ENTRY else ENTRY
    async with walk.held(step, "end") as stands:
        task = walk.start(step)
        await stands()
        await walk.far.off(first)
        await walk.leave(task)
        await walk.come(entry=other)
        await walk.guide.move(other)
        assert (walk.guide.host, walk.status(step)) == (other, StepState.DONE)
    await walk.far.on(first)


LOOKING: dict[Strike, Strike] = {
    program_is_gone_as_it_launches: program_is_gone_while_it_checks,
    connection_is_cut_at_the_launch_and_while_the_command_runs: connection_is_cut_while_it_checks,
    host_reboots_before_anything_is_done: host_reboots_while_it_checks,
}
"""What befalls the steps that only look."""
RUNS: dict[Strike, tuple[int | None, ...]] = {
    job_is_killed_before_it_does_anything: (None, 0),
    host_reboots_before_anything_is_done: (None, 0),
    job_is_killed_when_all_is_done: (None,),
    host_dies_when_all_is_done_and_another_one_goes_on: (None,),
}
"""The exit codes with which a step's command ended, run after run: None of one that was killed."""
STRIKES: tuple[Strike, ...] = (
    program_is_gone_as_it_launches,
    program_is_gone_while_the_command_runs,
    program_is_gone_before_it_reads_the_result,
    connection_is_cut_at_the_launch_and_while_the_command_runs,
    runner_is_killed_and_the_command_goes_on,
    job_is_killed_before_it_does_anything,
    job_is_killed_when_all_is_done,
    host_reboots_before_anything_is_done,
    host_dies_when_all_is_done_and_another_one_goes_on,
)


def words(strike: Strike) -> str:
    """A strike as a sentence."""
    return strike.__name__.replace("_", " ")


async def walk_and_strike(far: FarSide, strike: Strike, subtests: pytest.Subtests) -> None:
    """Walk through all steps and back, and strike at every one."""
    async with walk_of(far) as walk:
        for step in STEPS:
            blow = strike if step.command else LOOKING.get(strike)
            if blow is None:
                await walk.bring(step)
                continue
            with subtests.test(f"{step.name}: {words(blow)}"):
                before = len(await walk.ran())
                await blow(walk, step)
                assert walk.status(step) is StepState.DONE
                runs = [(step.command, rc) for rc in RUNS.get(strike, (0,))] if step.command else []
                assert (await walk.ran())[before:] == runs
                await is_so(walk, step)


@pytest.mark.parametrize("strike", STRIKES, ids=words)
async def test_a_migration_goes_on_at_every_step_whatever_dies(strike: Strike, subtests: pytest.Subtests) -> None:
    async with Simulation.start(speed=SPEED) as sim:
        await sim.control("pace", factor=PACE)
        await walk_and_strike(Simulated(sim), strike, subtests)
