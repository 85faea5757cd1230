"""The recorded seed session as a far side that tests can bend, and the recipe run over it without any process."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

import msgspec

from remote.answering import AnsweringSite
from remote.command import Command
from remote.events import (
    Answered,
    Asked,
    Event,
    Exact,
    Header,
    JobChanged,
    Launching,
    LogRead,
    Placed,
    Reply,
    StepChanged,
)
from remote.gpfs.dialects import machine_form
from remote.jobs import JobStatus
from remote.linux.commands import devices, lsblk, lsblk_json, signatures
from remote.recorder import RecordingSite
from remote.recording import Recording, Writer
from supervision.journal import Journal
from supervision.migration import Ending, StopError
from supervision.recipes.metadata_to_ssd import MetadataToSsd
from supervision.store import Store
from supervision.supervisor import Supervisor

SHIPPED = Path(str(files("recordings") / "seed-3.5.jsonl"))
CHANGING = ("mmcrnsd", "mmadddisk", "mmchdisk", "mmrestripefs")
E = TypeVar("E", bound=Event)
Edit = Callable[[str, str, int, bytes], bytes]
"""(host, command's name, which good answer of it counted from 1, its stdout) -> the stdout that is told instead."""
REFUSED = b"Incorrect option: -Y\nUsage: see the manual\n"
NO_JSON = b"lsblk: invalid option -- 'J'\n"
NOT_FOUND = b"sh: not found\n"


@cache
def recorded() -> tuple[Header, tuple[Event, ...]]:
    """The shipped recording."""
    recording = Recording(SHIPPED)
    events = tuple(recording)
    assert (recording.torn, recording.skipped) == (False, 0)
    return recording.header, events


def answers_edited(edit: Edit, events: Iterable[Event] | None = None) -> tuple[Event, ...]:
    """The session with some of its answers told otherwise."""
    asked: dict[int, Asked] = {}
    counts: dict[tuple[str, str], int] = {}
    edited: list[Event] = []
    for event in recorded()[1] if events is None else events:
        told = event
        if isinstance(event, Asked):
            asked[event.n] = event
        elif isinstance(event, Answered):
            question = asked[event.n]
            replies: list[Reply] = []
            for command, reply in zip(question.commands, event.replies, strict=True):
                key = (question.host, command.argv[0])
                if reply.rc:
                    replies.append(reply)
                    continue
                counts[key] = counts.get(key, 0) + 1
                out = edit(*key, counts[key], reply.out.data)
                replies.append(msgspec.structs.replace(reply, out=Exact(out)))
            told = msgspec.structs.replace(event, replies=tuple(replies))
        edited.append(told)
    return tuple(edited)


def without_machine_forms(events: Iterable[Event]) -> list[Event]:
    """What a release without `-Y` and JSON says to each question whose other form the events hold alone.

    And what a host says on which the scripts that look at devices cannot run: older sessions never asked them.
    """
    asked = {
        (event.host, command.argv): command
        for event in events
        if isinstance(event, Asked)
        for command in event.commands
    }
    told: list[tuple[str, Command, Reply]] = []
    for (host, argv), command in asked.items():
        form = lsblk_json() if argv == lsblk().argv else machine_form(command)
        if form:
            words = NO_JSON if argv[0] == "lsblk" else REFUSED
            told.append((host, form, Reply(1, Exact(), Exact(words))))
        if argv == lsblk().argv:
            told += [(host, each, Reply(127, Exact(), Exact(NOT_FOUND))) for each in (devices(), signatures())]
    at = recorded()[0].began
    return [
        event
        for number, (host, command, reply) in enumerate(told, 1_000_000)
        if (host, command.argv) not in asked
        for event in (Asked(at, number, host, (command,)), Answered(at, number, (reply,)))
    ]


def of_kind(events: Iterable[Event], kind: type[E]) -> list[E]:
    """The events of one kind."""
    return [event for event in events if isinstance(event, kind)]


class Outcome:
    """How a run of the recipe over a recording ended, and everything that passed."""

    def __init__(self, recipe: MetadataToSsd, store: Store, events: list[Event]) -> None:
        self.recipe = recipe
        self.store = store
        self.events = events

    @property
    def ending(self) -> Ending:
        """How the migration ended."""
        return self.recipe.steps.ending

    @property
    def why(self) -> str:
        """What a person is told."""
        return self.recipe.steps.why

    @property
    def launched(self) -> list[str]:
        """The names of the commands that were launched."""
        return [event.spec.command.argv[0] for event in of_kind(self.events, Launching)]

    @property
    def steps(self) -> dict[str, str]:
        """The last state of each step by its name."""
        return {event.name: event.state for event in of_kind(self.events, StepChanged)}


async def run_recipe(events: Iterable[Event] | None = None, writer: Writer | None = None) -> Outcome:
    """Perform the whole recipe over these events (the shipped ones), strictly: what they do not hold, fails."""
    header, shipped = recorded()
    told = shipped if events is None else tuple(events)
    store = Store(header)
    seen: list[Event] = []
    store.listen(lambda _, event: seen.append(event))
    journal = Journal(store, writer)
    site = RecordingSite(AnsweringSite(header, (*without_machine_forms(told), *told)), journal.emit, writer)
    async with Supervisor(site, journal, fs=header.file_system, entry=header.entry) as supervisor:
        recipe = MetadataToSsd(supervisor, plan=header.plan, operator=header.operator)
        with contextlib.suppress(StopError):  # told by its step
            await recipe.run()
    return Outcome(recipe, store, seen)


def log_bytes(events: Iterable[Event]) -> dict[str, bytes]:
    """What was read of each log."""
    logs: dict[str, bytes] = {}
    for event in of_kind(events, LogRead):
        before = logs.get(event.source, b"")
        assert event.offset == len(before)
        logs[event.source] = before + event.data.data
    return logs


def with_jobs(change: Callable[[JobStatus], JobStatus], name: str) -> tuple[Event, ...]:
    """The session with another end of the job whose id holds `name`."""
    return tuple(
        msgspec.structs.replace(event, status=change(event.status))
        if isinstance(event, JobChanged) and name in event.status.id
        else event
        for event in recorded()[1]
    )


def with_place(base: str) -> tuple[Event, ...]:
    """The session with the jobs kept elsewhere."""
    return tuple(
        msgspec.structs.replace(event, place=msgspec.structs.replace(event.place, base=base))
        if isinstance(event, Placed)
        else event
        for event in recorded()[1]
    )
