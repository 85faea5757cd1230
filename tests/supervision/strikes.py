"""What befalls a step of a migration: a strike begins the step, lets something die, and comes back in another session.

Afterwards the step is done.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from remote.events import Event, Launching
from remote.jobs import JobState
from supervision.migration import Ending, StepState, StopError
from supervision.state import State
from tests.supervision.cluster import until_so
from tests.supervision.cluster_truth import is_so
from tests.supervision.walked import (
    PATIENCE,
    STEPS,
    FarSide,
    Step,
    Walk,
    is_job,
    is_launch,
    is_state,
    kill_group,
    walk_of,
)

Strike = Callable[[Walk, Step], Awaitable[None]]
ENTRY = "pollux1"


async def program_is_gone_while_it_checks(walk: Walk, step: Step) -> None:
    task = walk.start(step)
    walk.cancel_at(task, is_state(step, StepState.CHECKING))
    await walk.leave(task)
    await walk.come_back(step)
    await walk.bring(step)


async def connection_is_cut_while_it_checks(walk: Walk, step: Step) -> None:
    task = walk.start(step)
    await walk.told(task, is_state(step, StepState.CHECKING))
    await walk.far.cut()
    stop = await task
    assert stop is None or stop.ending is Ending.UNREACHABLE, stop
    await until_brought(walk, step)


async def host_reboots_while_it_checks(walk: Walk, step: Step) -> None:
    task = walk.start(step)
    await walk.told(task, is_state(step, StepState.CHECKING))
    await walk.far.off(ENTRY)
    await walk.far.on(ENTRY)
    stop = await task
    assert stop is None or stop.ending in (Ending.UNREACHABLE, Ending.REFUSED), stop
    await until_brought(walk, step)


async def until_brought(walk: Walk, step: Step) -> None:
    """Try a step that only looks again until nothing of what was lost is still under way on the host."""

    async def done() -> bool:
        stop = await walk.start(step)
        assert stop is None or stop.ending is Ending.UNREACHABLE, stop
        return stop is None

    await until_so(done, PATIENCE)


async def program_is_gone_as_it_launches(walk: Walk, step: Step) -> None:
    task = walk.start(step)
    walk.cancel_at(task, is_launch(step))
    await asyncio.wait((task,))
    assert task.cancelled()
    await walk.leave()
    await walk.come_back(step)
    await walk.bring(step)


async def program_is_gone_while_the_command_runs(walk: Walk, step: Step) -> None:
    async with walk.held(step, "begin") as task:
        await walk.leave(task)
        await walk.come_back(step)
        assert walk.status(step) is StepState.RUNNING
        again = walk.start(step)
        await walk.told(again, is_job(step, JobState.RUNNING))
    assert await again is None


async def program_is_gone_before_it_reads_the_result(walk: Walk, step: Step) -> None:
    task = walk.start(step)
    walk.cancel_at(task, is_state(step, StepState.VERIFYING))
    await asyncio.wait((task,))
    assert task.cancelled()
    await walk.leave()
    await walk.come_back(step)


async def connection_is_cut_at_the_launch_and_while_the_command_runs(walk: Walk, step: Step) -> None:
    cuts: list[asyncio.Task[None]] = []

    async def cut(directory: Path) -> None:
        async def made() -> bool:
            return directory.exists()  # the launch has arrived, and waits for the runner to start

        await until_so(made, PATIENCE)
        await walk.far.cut()

    def on_event(state: State, event: Event) -> None:
        if not cuts and isinstance(event, Launching) and is_launch(step)(event):
            cuts.append(asyncio.ensure_future(cut(Path(state.places[event.host].base) / event.spec.id)))

    walk.live.store.listen(on_event)
    async with walk.held(step, "begin") as task:
        await asyncio.gather(*cuts)
        await walk.far.cut()
    assert len(cuts) == 1
    stop = await task
    assert stop is None, stop
    await walk.come_back(step)


async def runner_is_killed_and_the_command_goes_on(walk: Walk, step: Step) -> None:
    async with walk.held(step, "begin") as task:
        os.kill(await walk.runner(step), signal.SIGKILL)
        await walk.told(task, is_job(step, JobState.ORPHAN))
        await walk.leave(task)
        await walk.come_back(step)
        assert walk.status(step) is StepState.UNKNOWN
        again = walk.start(step)
        await walk.told(again, is_job(step, JobState.ORPHAN))
    await proven_without_its_exit_code(walk, step, await again)


async def job_is_killed_before_it_does_anything(walk: Walk, step: Step) -> None:
    async with walk.held(step, "begin") as task:
        kill_group(await walk.runner(step))
        stop = await task
        assert stop is not None
        assert "it did not happen: it may be run again" in str(stop)
        await walk.come_back(step)
        assert walk.status(step) is StepState.FAILED
    await walk.bring(step)


async def job_is_killed_when_all_is_done(walk: Walk, step: Step) -> None:
    async with walk.held(step, "end") as task:
        kill_group(await walk.runner(step))
        await asyncio.wait((task,))
    await proven_without_its_exit_code(walk, step, await task)


async def proven_without_its_exit_code(walk: Walk, step: Step, stop: StopError | None) -> None:
    """The tables tell that it happened; of a restripe alone they cannot tell all, so that is run again."""
    if step.command in EXIT_CODE_NEEDED:
        assert stop is not None
        assert "only a part of what it was to do: the rest may be done" in str(stop)
        await walk.come_back(step)
        assert walk.status(step) is StepState.FAILED
        await walk.bring(step)
    else:
        assert stop is None, stop
        await walk.come_back(step)


async def host_reboots_before_anything_is_done(walk: Walk, step: Step) -> None:
    async with walk.held(step, "begin") as task:
        host = walk.guide.host
        await walk.far.off(host)
        await walk.far.on(host)
        stop = await task
        assert stop is not None
        assert "the host was rebooted while it ran" in str(stop)
        await walk.come_back(step)
        assert walk.status(step) is StepState.FAILED
    await walk.bring(step)


async def host_dies_when_all_is_done_and_another_one_goes_on(walk: Walk, step: Step) -> None:
    first = walk.guide.host
    other = "pollux2" if first == ENTRY else ENTRY
    async with walk.held(step, "end") as task:
        await walk.far.off(first)
        await walk.leave(task)
        await walk.come(entry=other)
        if first == ENTRY:
            with pytest.raises(StopError, match="go on from another host of the cluster"):
                await walk.guide.find()
            await walk.guide.move(other)
        else:  # the plan's own host is there again
            await walk.guide.find()
        # that nothing is there to be taken back does not tell that it was
        found = StepState.WAITING if step.undoes else StepState.DONE
        assert (walk.guide.host, walk.status(step)) == (other, found)
    await walk.far.on(first)
    await walk.reach(first)
    if step.undoes:
        await walk.bring(step)


EXIT_CODE_NEEDED = ("mmrestripefs",)
"""Commands that are not proven without their exit code: no table tells whether all inodes could be read. Running one
again does no harm: what was moved stays moved.
"""
RUNS: dict[Strike, tuple[int | None, ...]] = {
    job_is_killed_before_it_does_anything: (None, 0),
    host_reboots_before_anything_is_done: (None, 0),
    job_is_killed_when_all_is_done: (None,),
    host_dies_when_all_is_done_and_another_one_goes_on: (None,),
}
"""The exit codes with which a step's command ended, run after run: None of one that was killed."""
_LOST: tuple[Strike, ...] = (
    runner_is_killed_and_the_command_goes_on,
    job_is_killed_when_all_is_done,
    host_dies_when_all_is_done_and_another_one_goes_on,
)


def runs_of(step: Step, strike: Strike) -> list[tuple[str, int | None]]:
    """What the cluster must remember of a step that was struck: each run of a command, and its exit code."""
    if not step.command:
        return []
    again = (0,) if strike in _LOST and step.command in EXIT_CODE_NEEDED else ()
    return [(step.command, rc) for rc in (*RUNS.get(strike, (0,)), *again)]


def words(strike: Strike) -> str:
    """A strike as a sentence."""
    return strike.__name__.replace("_", " ")


async def struck(walk: Walk, step: Step, strike: Strike) -> None:
    """Strike at a step; afterwards it is done, and its command has run once, and again only where it did nothing."""
    before = len(await walk.ran())
    await strike(walk, step)
    assert walk.status(step) is StepState.DONE
    assert (await walk.ran())[before:] == runs_of(step, strike)
    await is_so(walk, step)


async def walk_and_strike(far: FarSide, strikes: dict[Step, Strike], subtests: pytest.Subtests) -> None:
    """Walk through all steps and back, and strike at those of `strikes`."""
    async with walk_of(far) as walk:
        for step in STEPS:
            strike = strikes.get(step)
            if strike is None:
                await walk.bring(step)
                continue
            done = False
            with subtests.test(f"{step.name}: {words(strike)}"):
                await struck(walk, step, strike)
                done = True
            if not done:  # what follows could only fail as well
                return
