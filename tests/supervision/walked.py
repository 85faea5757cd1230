"""A migration walked step by step while things are struck down: sessions come and go, the cluster stays.

What happened is asked of the cluster itself, never of the program that is tested.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import msgspec

from remote.checked import Check
from remote.errors import AnswerLostError, UnreachableError
from remote.events import Event, JobChanged, Launching, StepChanged
from remote.jobs import JobState
from remote.live import LiveOptions
from remote.ssh.settings import SshSettings
from simulator.client import Simulation
from supervision.guide import Guide
from supervision.guide_found import plans_on
from supervision.migration import Ending, StepState, StopError
from supervision.plan import Plan, decode, encode
from supervision.recipe import Act, GuidedStep
from supervision.state import State
from tests.supervision.cluster import Session, session, until_so

CHANGING = ("mmcrnsd", "mmadddisk", "mmchdisk", "mmrestripefs", "mmdeldisk", "mmdelnsd")
POLL = 0.03
"""Real seconds between two looks at a log."""
PATIENCE = 100.0
"""Real seconds within which something must be so, on a machine that others use as well."""


class Step(msgspec.Struct, frozen=True):
    """A step of the walk: its own number, and that of the step that it takes back (0 where it takes none back)."""

    name: str
    number: int
    undoes: int = 0

    @property
    def command(self) -> str:
        """The command that it runs; nothing for a step that only looks."""
        name = self.name.removesuffix("-back")
        return name if name in CHANGING else ""


FORWARD = tuple(
    Step(name, number)
    for number, name in enumerate(
        ("look", "devices", "size", "mmcrnsd", "mmadddisk", "mmchdisk", "mmrestripefs", "proof"), 1
    )
)
BACK = (Step("mmchdisk-back", 9, 7), Step("mmdeldisk", 10, 5), Step("mmdelnsd", 11, 4))
STEPS = (*FORWARD, *BACK)


class FarSide(Protocol):
    """The cluster, and what can befall the way there and its hosts."""

    sim: Simulation
    options: LiveOptions

    async def cut(self) -> None:
        """Reset every connection; new ones are accepted."""

    async def off(self, host: str) -> None:
        """Let a host die with all that runs on it."""

    async def on(self, host: str) -> None:
        """Boot it: in another boot, with other names of its devices."""


class Simulated:
    """The simulator's own servers."""

    def __init__(self, sim: Simulation) -> None:
        self.sim = sim
        self.options = LiveOptions(poll_seconds=POLL * sim.clock.speed, ssh=SshSettings(config_files=(sim.ssh_config,)))

    async def cut(self) -> None:
        await self.sim.control("cut")

    async def off(self, host: str) -> None:
        await self.sim.control("power_off", host=host, disks="stay")

    async def on(self, host: str) -> None:
        await self.sim.control("power_on", host=host)


class OneStep:
    """Says yes to one step at a time, and to every warning."""

    def __init__(self) -> None:
        self.name = ""

    async def acknowledge(self, step: GuidedStep, check: Check) -> bool:
        return True

    async def confirm(self, step: GuidedStep, checks: tuple[Check, ...], act: Act) -> bool:
        return step.spec.name == self.name


class Walk:
    """One migration of one cluster, over as many sessions as it takes."""

    def __init__(self, far: FarSide) -> None:
        self.far = far
        self.sim = far.sim
        self.plan: Plan | None = None
        self._file = ""
        self._stack = AsyncExitStack()
        self._given = OneStep()
        self._came = 0
        self._began = 0
        self._live: Session | None = None
        self._guide: Guide | None = None

    @property
    def live(self) -> Session:
        """The session of now."""
        assert self._live is not None
        return self._live

    @property
    def guide(self) -> Guide:
        """The guide of now."""
        assert self._guide is not None
        return self._guide

    def status(self, step: Step) -> StepState:
        """How the guide of now says that it stands with a step."""
        return self.guide.status(step.number)

    async def leave(self, *tasks: asyncio.Task[Any]) -> None:
        """Be gone at once: what was at work ends where it is, and every connection with it."""
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._stack.aclose()

    async def come(self, *, entry: str = "") -> None:
        """Another session, with the plan's file at first and wherever no job has it; else every other time by what the
        hosts' job directories hold."""
        await self._stack.aclose()
        self._live = await self._stack.enter_async_context(session(self.sim, entry=entry, options=self.far.options))
        if not self._file:
            self._file = encode(await self.live.plan())
        self._came += 1
        found = await plans_on(self.live.supervisor, entry or self.sim.entry) if self._came % 2 == 0 else ()
        self.plan = found[0].plan if found else decode(self._file)
        assert encode(self.plan) == self._file
        self._guide = self.live.guide(self.plan, self._given)

    async def come_back(self, step: Step) -> None:
        """Another session that finds where the migration stands; what only looks, and nothing is built upon yet, is
        done anew in it.
        """
        await self.come()
        await self.guide.find()
        for each in () if step.undoes else FORWARD[: step.number - 1]:
            if not each.command and self.status(each) is not StepState.DONE:
                await self.bring(each)

    def start(self, step: Step) -> asyncio.Task[StopError | None]:
        """Begin to bring a step to its end; what comes of it is why it stopped, if it did."""
        self._given.name = step.name
        self._began = len(self.live.events)

        async def work() -> StopError | None:
            try:
                if step.undoes:
                    assert await self.guide.undo(step.undoes, first_alone=True)
                else:
                    assert await self.guide.run(step.number)
            except StopError as stop:
                return stop
            return None

        return asyncio.create_task(work())

    async def bring(self, step: Step) -> None:
        """Bring a step to its end, undisturbed."""
        stop = await self.start(step)
        assert stop is None, f"{step.name}: {stop}"
        assert self.status(step) is StepState.DONE

    def cancel_at(self, task: asyncio.Task[Any], point: Callable[[Event], bool]) -> None:
        """Cancel a task in the very moment in which an event is told."""

        def strike(_: State, event: Event) -> None:
            if point(event):
                task.cancel()

        self.live.store.listen(strike)

    async def told(self, task: asyncio.Task[StopError | None], point: Callable[[Event], bool]) -> None:
        """Wait until an event has been told since the work began; fail when that ends first."""

        def told() -> bool:
            return any(point(event) for event in self.live.events[self._began :])

        async def there() -> bool:
            return told() or task.done()

        await until_so(there, PATIENCE)
        assert told(), task.result()

    @asynccontextmanager
    async def held(self, step: Step, place: str) -> AsyncIterator[asyncio.Task[StopError | None]]:
        """Begin a step, and let its command stand at its `begin` or `end` until this is left.

        What is given is the work on the step, whose guide has heard that the command runs.
        """
        await self.sim.control("hold", command=step.command, at=place)
        task = self.start(step)

        async def stands() -> bool:
            return step.command in (await self.sim.control("facts"))["held"] or task.done()

        await until_so(stands, PATIENCE)
        if task.done() and _never_started(task.result()):  # cut off before its runner began: sealed, and begun anew
            task = self.start(step)
            await until_so(stands, PATIENCE)
        await self.told(task, is_job(step, JobState.RUNNING))
        yield task
        await self.sim.control("hold", release=True)

    async def runner(self, step: Step) -> int:
        """The process of the newest runner of a step; its process group has all that it started."""
        told = [event for event in self.live.events if is_job(step, JobState.RUNNING)(event)]
        assert isinstance(told[-1], JobChanged)
        place = await self.live.supervisor.site.place(told[-1].host)
        return int(Path(f"{place.base}/{told[-1].status.id}/started").read_text(encoding="ascii").split()[1])

    async def reach(self, host: str) -> None:
        """Wait until a host can be asked again: who was refused before waits a while until it tries anew."""

        async def answers() -> bool:
            with contextlib.suppress(UnreachableError, AnswerLostError):
                await self.live.supervisor.site.place(host)
                return True
            return False

        await until_so(answers, PATIENCE)

    async def ran(self) -> list[tuple[str, int | None]]:
        """Every command that changes something, with its exit code (None: it was killed), as the cluster knows them."""
        commands = (await self.sim.control("history"))["commands"]
        told = [(command["argv"][0], command["rc"]) for command in commands]
        return [(name, rc) for name, rc in told if name in CHANGING]

    async def close(self) -> None:
        """End the session of now."""
        await self._stack.aclose()


def kill_group(pid: int) -> None:
    """Kill a runner with all that it started."""
    os.killpg(pid, signal.SIGKILL)


def is_state(step: Step, state: StepState) -> Callable[[Event], bool]:
    """Whether an event tells that a step is in a state."""
    return lambda event: isinstance(event, StepChanged) and (event.number, event.state) == (step.number, state.value)


def is_launch(step: Step) -> Callable[[Event], bool]:
    """Whether an event tells that a step's command is about to be launched."""
    return lambda event: isinstance(event, Launching) and event.spec.command.argv[0] == step.command


def is_job(step: Step, state: JobState) -> Callable[[Event], bool]:
    """Whether an event tells that a job of a step is in a state."""

    def told(event: Event) -> bool:
        return (
            isinstance(event, JobChanged)
            and event.status.state is state
            and f"-{step.number}-{step.name}-" in event.status.id
        )

    return told


@contextlib.asynccontextmanager
async def walk_of(far: FarSide) -> AsyncIterator[Walk]:
    """A walk, which has come to the cluster for the first time."""
    walk = Walk(far)
    try:
        await walk.come_back(FORWARD[0])
        yield walk
    finally:
        await walk.close()


def _never_started(stop: StopError | None) -> bool:
    return stop is not None and stop.ending is Ending.REFUSED and str(stop).endswith("never will be")
