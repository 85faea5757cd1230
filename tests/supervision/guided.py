"""A walk of the guide over a simulated cluster, recorded once, and then walked again over its recording, bent."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import msgspec

from remote.answering import AnsweringSite
from remote.events import Answered, Asked, Event, Exact, Header, JobChanged, JobsListed, Launching, Reply, StepChanged
from remote.gpfs.commands import mmdiag_waiters, mmhealth
from remote.jobs import JobStatus
from remote.recorder import RecordingSite
from remote.recording import Recording
from remote.site import HostLink
from simulator.client import Simulation
from supervision.guide import Guide
from supervision.journal import Journal
from supervision.migration import Ending, StopError
from supervision.plan import Plan
from supervision.recipes.metadata_to_ssd import RECIPE
from supervision.store import Store
from supervision.supervisor import Supervisor
from supervision.walking import Anything, Given, walk
from tests.supervision.cluster import session
from tests.supervision.seed import CHANGING, of_kind

STEPS = ["look", "devices", "size", *CHANGING, "proof"]


class Walked(msgspec.Struct, frozen=True):
    """A session in which a migration was walked to its end: everything that passed, and its plan."""

    header: Header
    events: tuple[Event, ...]
    plan: Plan


@cache
def walked() -> Walked:
    """One walk on a cluster whose four-hour restripe lasts less than a second. To be called first outside of a loop."""

    async def make(path: Path) -> Plan:
        async with Simulation.start(speed=20_000) as sim:
            async with session(sim) as live:
                plan = await live.plan()
            async with session(sim, record=path) as live:
                await _learn_forms(live.supervisor)
                _, stop = await live.walk(plan)
            assert stop is None, stop
            return plan

    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "walk.jsonl"
        plan = asyncio.run(make(path))
        recording = Recording(path)
        return Walked(recording.header, tuple(recording), plan)


async def _learn_forms(supervisor: Supervisor) -> None:
    """Ask each host in its turn, so that it is known what they speak when all are asked at once.

    A recording answers in its order: a question that is asked again in another form would be answered out of it.
    """
    for host in supervisor.site.hosts:
        assert await supervisor.look_at_devices((host,), mmdiag_waiters(), mmhealth()) == {}


class At(msgspec.Struct, frozen=True):
    """Where in the walk a question was asked: the step and its state; `after` once that had come to `verifying`."""

    step: str
    after: bool

    @property
    def order(self) -> tuple[int, bool]:
        """The order of the walk."""
        return (STEPS.index(self.step) if self.step in STEPS else -1, self.after)


Edit = Callable[[At, str, str, bytes], bytes]
"""(where in the walk, host, command's name, its stdout) -> the stdout that is told instead."""


def bent(edit: Edit) -> tuple[Event, ...]:
    """The walk with some of its answers told otherwise."""
    asked: dict[int, tuple[At, Asked]] = {}
    at = At("", after=False)
    told: list[Event] = []
    for event in walked().events:
        if isinstance(event, StepChanged) and event.state != "waiting":
            at = At(event.name, event.state in ("verifying", "done"))
        if isinstance(event, Asked):
            asked[event.n] = (at, event)
        if isinstance(event, Answered):
            where, question = asked[event.n]
            replies = tuple(_edited(edit, where, question, n, reply) for n, reply in enumerate(event.replies))
            told.append(msgspec.structs.replace(event, replies=replies))
        else:
            told.append(event)
    return tuple(told)


def _edited(edit: Edit, where: At, question: Asked, n: int, reply: Reply) -> Reply:
    if reply.rc:
        return reply
    out = edit(where, question.host, question.commands[n].argv[0], reply.out.data)
    return msgspec.structs.replace(reply, out=Exact(out))


def with_job_ends(change: Callable[[JobStatus], JobStatus], name: str) -> tuple[Event, ...]:
    """The walk with another end of the job whose id holds `name`, in every list as well."""

    def told(status: JobStatus) -> JobStatus:
        return change(status) if name in status.id else status

    found: list[Event] = []
    for event in walked().events:
        if isinstance(event, JobChanged):
            found.append(msgspec.structs.replace(event, status=told(event.status)))
        elif isinstance(event, JobsListed):
            found.append(msgspec.structs.replace(event, jobs=tuple(told(status) for status in event.jobs)))
        else:
            found.append(event)
    return tuple(found)


class Outcome(msgspec.Struct, frozen=True):
    """How a walk ended, and all that passed."""

    guide: Guide
    stop: StopError | None
    events: tuple[Event, ...]

    @property
    def ending(self) -> Ending:
        """How it ended."""
        return self.stop.ending if self.stop else Ending.DONE

    @property
    def why(self) -> str:
        """What a person is told."""
        return str(self.stop or "")

    @property
    def launched(self) -> list[str]:
        """The names of the commands that change something and were launched."""
        names = [event.spec.command.argv[0] for event in of_kind(self.events, Launching)]
        return [name for name in names if name in CHANGING]

    @property
    def states(self) -> dict[str, str]:
        """The last state of each step by its name."""
        return {event.name: event.state for event in of_kind(self.events, StepChanged)}


async def walk_over(events: Iterable[Event] | None = None) -> Outcome:
    """Walk over these events (those of `walked`), strictly: what they do not hold, fails."""
    made = walked()
    told = made.events if events is None else tuple(events)
    store = Store(made.header)
    seen: list[Event] = []
    store.listen(lambda _, event: seen.append(event))
    journal = Journal(store)
    answering = AnsweringSite(made.header, told)
    answering.links = {host: HostLink(host, "up") for host in made.header.hosts}
    site = RecordingSite(answering, journal.emit)
    stop: StopError | None = None
    async with Supervisor(site, journal, fs=made.header.file_system, entry=made.header.entry) as supervisor:
        await _learn_forms(supervisor)
        guide = Guide(supervisor, made.plan, RECIPE, made.header.operator, Given(Anything(), Anything()))
        try:
            await walk(guide)
        except StopError as error:
            stop = error
    return Outcome(guide, stop, tuple(seen))
