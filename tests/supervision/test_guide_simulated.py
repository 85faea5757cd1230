"""The guide on a simulated cluster over real SSH; what happened there is asked of the cluster itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from remote.checked import Check
from remote.events import Acknowledged, Checked, Launching
from remote.jobs import JobState
from remote.recording import Recording
from simulator.client import Simulation
from supervision.guide_found import plans_on
from supervision.guide_running import STALE_SECONDS
from supervision.migration import Ending, StepState, StopError
from supervision.plan import decode, encode
from supervision.recipe import Act, GuidedStep
from supervision.replay import Replay
from supervision.walking import Anything, Given
from tests.supervision.cluster import PLAN, changed, kill_runner, session, until_so
from tests.supervision.guided import STEPS
from tests.supervision.seed import CHANGING, of_kind
from tests.supervision.test_preflight_simulated import NIGHTLY
from tests.supervision.test_shipped_recording import STANZAS, USED_KB


@pytest.fixture
async def sim() -> AsyncIterator[Simulation]:
    """A cluster whose four-hour restripe lasts less than a second."""
    async with Simulation.start(speed=20_000) as made:
        yield made


def upto(name: str) -> Given:
    """Yes to the steps up to and with one, and to every warning."""
    return Given(STEPS[: STEPS.index(name) + 1], Anything())


async def test_a_walk_ends_at_the_published_figures_and_the_way_back_at_the_beginning(
    sim: Simulation, tmp_path: Path
) -> None:
    path = tmp_path / "r.jsonl"
    async with session(sim, record=path) as live:
        plan = await live.plan()
        guide, stop = await live.walk(plan)
        assert (stop, guide.next) == (None, None)
        state, events = live.store.state, list(live.events)
        space = state.proven[7].checks
    assert any(f"{USED_KB:,} KB" in check.read for check in space)
    facts = await sim.control("facts")
    assert (facts["metadata_left_on_rotating_kb"], facts["destroyed"], facts["properly_replicated"]) == (0, [], True)
    assert await changed(sim) == list(CHANGING)
    launched = {event.spec.command.argv[0]: event.spec for event in of_kind(events, Launching)}
    assert list(launched) == ["mmbackupconfig", *CHANGING]
    assert launched["mmrestripefs"].command.text == "mmrestripefs mss1 -r -N foo1,foo2,foo3"
    stanza = dict(launched["mmcrnsd"].files)["ssd.stanza"]
    assert "".join(line + "\n" for line in stanza.splitlines() if line.startswith("%")) == STANZAS
    assert decode(dict(launched["mmcrnsd"].files)["plan.toml"]) == plan

    # the recording tells the same story, and ends in the very same state
    assert list(Recording(path))[: len(events)] == events
    assert Replay(path).state_after(len(events)) == state

    # in another session, on a machine that has nothing of it: all is done, nothing runs again; then all the way back
    async with session(sim) as live:
        (found,) = await plans_on(live.supervisor, sim.entry)
        assert (found.plan, found.host) == (plan, "pollux1")
        guide, stop = await live.walk(found.plan)
        assert (stop, guide.next, await changed(sim)) == (None, None, list(CHANGING))
        assert [guide.steps[number].spec.name for number in guide.undo_of(8)] == [
            "mmchdisk-back",
            "mmdeldisk",
            "mmdelnsd",
        ]
        assert await guide.undo(8)
        assert [guide.status(number) for number in (4, 5, 6, 7)] == [StepState.UNDONE] * 4
    facts = await sim.control("facts")
    assert {nsd["name"] for nsd in facts["nsds"]} == {disk.nsd for disk in plan.old_disks}
    assert {disk["usage"] for disk in facts["disks"]} == {"dataAndMetadata"}
    assert sum(facts["metadata_kb"].values()) == facts["metadata_total_kb"]


@pytest.mark.parametrize(
    ("last", "back"),
    [
        ("mmcrnsd", ["mmdelnsd"]),
        ("mmadddisk", ["mmdeldisk", "mmdelnsd"]),
    ],
)
async def test_each_step_can_be_taken_back_and_done_again(sim: Simulation, last: str, back: list[str]) -> None:
    async with session(sim) as live:
        plan = await live.plan()
        guide, stop = await live.walk(plan, upto(last))
        assert stop is not None
        assert "was not confirmed" in str(stop)
        number = STEPS.index(last) + 1
        assert [guide.steps[each].spec.name for each in guide.undo_of(number)] == back
        if last == "mmadddisk":  # the first step back alone has taken back what it has
            halfway = live.guide(plan, Given(["mmdeldisk"], Anything()))
            await halfway.find()
            assert not await halfway.undo(number)
            assert (halfway.next, halfway.status(5)) == (5, StepState.UNDONE)
            number = 4
        takes_back = live.guide(plan)
        await takes_back.find()
        assert takes_back.next == number + 1
        assert await takes_back.undo(number)
        assert (takes_back.next, takes_back.status(4)) == (4, StepState.UNDONE)
        facts = await sim.control("facts")
        assert {nsd["name"] for nsd in facts["nsds"]} == {disk.nsd for disk in plan.old_disks}
        if last == "mmcrnsd":  # what was taken back is begun anew, as another attempt
            assert await takes_back.run(4)
            told = [event.spec.id for event in of_kind(live.events, Launching)]
            assert told[-1] == f"{PLAN}-4-mmcrnsd-2"


async def test_the_way_out_when_the_ssds_fill_stops_the_restripe_and_lets_old_disks_take_metadata() -> None:
    """The restripe runs, and whoever began it has gone."""
    async with Simulation.start(speed=1_000) as sim, session(sim) as live:
        plan = await live.plan()
        walking = asyncio.create_task(live.walk(plan))

        async def restripes() -> bool:
            return bool((await sim.control("facts"))["restripe"])

        await until_so(restripes, 100)
        walking.cancel()
        await asyncio.gather(walking, return_exceptions=True)
        guide = live.guide(plan)
        await guide.find()
        assert guide.status(7) is StepState.RUNNING
        with pytest.raises(StopError, match="nothing else runs then"):
            await guide.undo(7, first_alone=True)
        assert await guide.undo(7, first_alone=True, stop_first=True)
        assert await changed(sim) == [*CHANGING, "mmchdisk"]
        assert (guide.status(7), guide.status(6), guide.status(5)) == (
            StepState.UNDONE,
            StepState.UNDONE,
            StepState.DONE,
        )
        usages = {disk["name"]: disk["usage"] for disk in (await sim.control("facts"))["disks"]}
        assert {usages[disk.nsd] for disk in plan.old_disks} == {"dataAndMetadata"}
        # forward again only once a restripe has put right what the first change began
        with pytest.raises(StopError, match="A restripe must end well first"):
            await guide.run(6)
        assert await changed(sim) == [*CHANGING, "mmchdisk"]


class Ponders:
    """Takes note of each warning after longer than checks are good for."""

    def __init__(self) -> None:
        self.elapsed: Callable[[], float] = lambda: 0.0

    async def acknowledge(self, step: GuidedStep, check: Check) -> bool:
        began = self.elapsed()
        while self.elapsed() - began <= STALE_SECONDS:  # of simulated time, which passes in milliseconds
            await asyncio.sleep(0)  # lets no time pass by itself: others have their turn
        return True

    async def confirm(self, step: GuidedStep, checks: tuple[Check, ...], act: Act) -> bool:
        return True


async def test_what_was_checked_before_a_warning_was_thought_over_is_checked_again(sim: Simulation) -> None:
    await sim.control("file", host="pollux2", path="/etc/cron.d/snap", text=NIGHTLY)
    async with session(sim) as live:
        person = Ponders()
        person.elapsed = live.supervisor.site.clock.elapsed
        guide = live.guide(await live.plan(), person)
        await guide.find()
        assert await guide.run(1)
        assert len([each for each in of_kind(live.events, Acknowledged) if each.key == "nightly"]) == 1
        assert len([each for each in of_kind(live.events, Checked) if not each.after]) == 2


async def test_a_session_that_is_not_armed_changes_nothing(sim: Simulation) -> None:
    async with session(sim, armed=False) as live:
        plan = await live.plan()
        _, stop = await live.walk(plan)
    assert stop is not None
    assert (stop.ending, "read-only" in str(stop)) == (Ending.REFUSED, True)
    assert await changed(sim) == []
    assert of_kind(live.events, Launching) == []


async def test_a_plan_that_was_changed_after_it_was_begun_is_refused(sim: Simulation) -> None:
    async with session(sim) as live:
        plan = await live.plan()
        await live.walk(plan, upto("mmcrnsd"))
        other = decode(encode(plan).replace('nodes = ["foo1", "foo2", "foo3"]', 'nodes = ["foo1", "foo2"]'))
        assert other != plan
        with pytest.raises(StopError, match="begun with another plan of this id"):
            await live.guide(other).find()


async def test_a_restripe_whose_end_was_lost_is_run_again_once_nothing_works_on_it() -> None:
    """The runner and the command are killed while the daemons restripe, and go on: nobody can know how it ended."""
    async with Simulation.start(speed=2_000) as sim:
        await sim.control("set_policy", client_death="continue")
        async with session(sim) as live:
            plan = await live.plan()
            running = asyncio.create_task(live.walk(plan))

            async def restripes() -> bool:
                log = live.store.state.job_log("pollux1", f"{PLAN}-7-mmrestripefs-1")
                return bool(log and log.size and (await sim.control("facts"))["restripe"])

            await until_so(restripes, 100)
            assert kill_runner(sim, f"{PLAN}-7-mmrestripefs-1")
            guide, stop = await asyncio.wait_for(running, 60)
            job = live.store.state.job("pollux1", f"{PLAN}-7-mmrestripefs-1")
        assert job is not None
        assert job.status.state is JobState.LOST
        assert stop is not None
        assert stop.ending in (Ending.FAILED, Ending.UNKNOWN)
        assert guide.status(7) in (StepState.FAILED, StepState.UNKNOWN)
        assert await changed(sim) == list(CHANGING)

        async with session(sim) as live:  # later, from elsewhere

            async def quiet() -> bool:
                return not (await sim.control("facts"))["restripe"]

            await until_so(quiet, 60)
            guide, stop = await live.walk(plan)
            assert (stop, guide.next) == (None, None)
        # the exit code of the first one is lost whatever the tables show, so it was run again, which does no harm
        assert await changed(sim) == [*CHANGING, "mmrestripefs"]
