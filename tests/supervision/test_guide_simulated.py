"""The recipe on a simulated cluster over real SSH; what happened there is asked of the cluster itself."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from remote.events import Event, Launching
from remote.gpfs.commands import mmcrnsd
from remote.jobs import JobState
from remote.recording import Recording
from simulator.client import Simulation
from supervision.migration import Ending, Run, Step
from supervision.replay import Replay
from tests.supervision.cluster import PLAN, changed, kill_runner, session, until_so
from tests.supervision.seed import CHANGING, log_bytes, of_kind
from tests.supervision.test_recipe_recorded import SSDS, STANZAS, USED_KB


@pytest.fixture
async def sim() -> AsyncIterator[Simulation]:
    """A cluster whose four-hour restripe lasts less than a second."""
    async with Simulation.start(speed=20_000) as made:
        yield made


async def test_a_migration_ends_at_the_published_figures_and_destroys_nothing(sim: Simulation, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    async with session(sim, record=path) as live:
        recipe = await live.run()
        state, events = live.store.state, list(live.events)
    assert (recipe.steps.ending, recipe.steps.why) == (Ending.DONE, "")
    assert recipe.summary.metadata_used_kb == USED_KB
    assert recipe.summary.ssd_free_percent == dict.fromkeys(SSDS, 65)
    facts = await sim.control("facts")
    assert facts["metadata_left_on_rotating_kb"] == 0
    assert facts["destroyed"] == []
    assert facts["properly_replicated"] is True
    assert await changed(sim) == list(CHANGING)
    stanza = next(event.spec for event in of_kind(events, Launching) if "mmcrnsd" in event.spec.id).files[0][1]
    assert "".join(line + "\n" for line in stanza.splitlines() if line.startswith("%")) == STANZAS

    # the recording tells the same story, and ends in the very same state
    assert list(Recording(path))[: len(events)] == events
    replayed = Replay(path).state_after(len(events))
    assert replayed == state
    assert log_bytes(events)


async def test_a_plan_that_was_done_is_not_done_again(sim: Simulation) -> None:
    async with session(sim) as live:
        assert (await live.run()).steps.ending is Ending.DONE
    async with session(sim) as live:
        again = await live.run()
    assert again.steps.ending is Ending.REFUSED
    assert "none that hold metadata alone" in again.steps.why
    assert await changed(sim) == list(CHANGING)


async def test_a_second_run_finds_the_job_that_the_first_one_started(sim: Simulation) -> None:
    """The first session ends while mmcrnsd runs, as if its machine had died; the second one is told how it ended."""
    async with session(sim) as live:
        first = asyncio.create_task(live.run())
        await live.store.until(lambda state: any("-3-mmcrnsd-" in job for _, job in state.jobs))

        async def started() -> bool:
            return await changed(sim) == ["mmcrnsd"]

        await until_so(started)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
    command, files = _stanza_of_the_first(live.events)
    async with session(sim) as live:
        run = Run(
            live.supervisor, (Step("look", ""), Step("devices", ""), Step("mmcrnsd", "again")), plan=PLAN, operator="b"
        )

        async def nothing() -> str:
            return ""

        async def again() -> str:
            return await run.job(mmcrnsd(command), files)

        await run.step(nothing)
        await run.step(nothing)
        await run.step(again)
    assert (run.why, run.results[-1].rc) == ("", 0)
    assert await changed(sim) == ["mmcrnsd"]
    log = next(iter(log_bytes(live.events).values()))
    assert log.startswith(b"mmcrnsd: Processing disk sdg\n")
    assert log.endswith(b"This is an asynchronous process.\n")


def _stanza_of_the_first(events: list[Event]) -> tuple[str, tuple[tuple[str, str], ...]]:
    launching = next(event for event in events if isinstance(event, Launching))
    return launching.spec.command.argv[-1], launching.spec.files


async def test_a_session_that_is_not_armed_changes_nothing(sim: Simulation) -> None:
    async with session(sim, armed=False) as live:
        recipe = await live.run()
    assert recipe.steps.ending is Ending.REFUSED
    assert "read-only" in recipe.steps.why
    assert [result.name for result in recipe.steps.results] == ["look", "devices", "mmcrnsd"]
    assert await changed(sim) == []
    assert of_kind(live.events, Launching) == []


@pytest.mark.parametrize("client_death", ["abort", "continue"])
async def test_a_lost_job_is_unknown_and_says_what_to_do(client_death: str) -> None:
    """The runner and the command are killed while the daemons restripe: nobody can know how it ended."""
    async with Simulation.start(speed=2_000) as sim:
        await sim.control("set_policy", client_death=client_death)
        async with session(sim) as live:
            running = asyncio.create_task(live.run())

            async def restripes() -> bool:
                """The daemons do, and the command has said so: its first line is in the log."""
                log = live.store.state.job_log("pollux1", f"{PLAN}-6-mmrestripefs-1")
                return bool(log and log.size and (await sim.control("facts"))["restripe"])

            await until_so(restripes)
            killed = kill_runner(sim, f"{PLAN}-6-mmrestripefs-1")
            assert killed
            recipe = await asyncio.wait_for(running, 30)
            job = live.store.state.job("pollux1", f"{PLAN}-6-mmrestripefs-1")
            spec = of_kind(live.events, Launching)[-1].spec
        assert recipe.steps.ending is Ending.UNKNOWN
        assert job is not None
        assert job.status.state is JobState.LOST
        assert "Look at the cluster's own tables before anything is run again" in recipe.steps.why
        log = re.search(r"its log is (\S+)", recipe.steps.why)
        assert log is not None
        assert Path(log[1]).read_bytes().startswith(b"Scanning file system metadata, phase 1")
        assert recipe.steps.results[-1].rc is None
        assert await changed(sim) == list(CHANGING)

        # nor is it run again by the same plan
        async with session(sim) as live:
            status = await live.supervisor.site.launch("pollux1", spec)
        assert status.state is JobState.LOST
        assert await changed(sim) == list(CHANGING)
