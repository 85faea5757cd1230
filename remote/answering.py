"""A strict Site over a recording: it answers what was recorded, in order, and fails on anything else.

For headless tests and for rehearsing a procedure against a session that really was. Time stands still between
the recorded events: the clock is where the last used event was.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncGenerator, Iterable, Sequence

from remote.clock import SetClock
from remote.command import Command
from remote.errors import NotRecordedError
from remote.events import (
    Answered,
    Asked,
    Event,
    Header,
    JobChanged,
    JobsListed,
    Launching,
    LogRead,
    LogRewound,
    Placed,
    ProcessChanged,
    Reply,
    Signalling,
)
from remote.jobs import JobSpec, JobStatus, Place
from remote.question import Answer
from remote.site import Chunk, FileLog, Followed, JobLog, ProcessSeen, Rewound, Site, StateSeen

Key = tuple[str, tuple[str, ...]]


class AnsweringSite(Site):
    """Answers from `events`. A question gets the first recorded answer that is not before the clock and was not
    given yet, or else the last one there was.
    """

    def __init__(self, header: Header, events: Iterable[Event], *, armed: bool = True) -> None:
        super().__init__(SetClock(header.began), header.hosts, armed=armed)
        self._replies: dict[Key, list[tuple[float, Reply]]] = defaultdict(list)
        self._given: dict[Key, int] = {}
        self._places: dict[str, list[Placed]] = defaultdict(list)
        self._lists: dict[str, list[JobsListed]] = defaultdict(list)
        self._launches: dict[tuple[str, str], Launching] = {}
        self._logs: dict[tuple[str, str], list[Event]] = defaultdict(list)
        self._states: dict[tuple[str, str], list[JobChanged]] = defaultdict(list)
        self._signals: set[tuple[str, str, str]] = set()
        asked: dict[int, Asked] = {}
        for event in events:
            self._index(event, asked)

    def _index(self, event: Event, asked: dict[int, Asked]) -> None:
        match event:
            case Asked():
                asked[event.n] = event
            case Answered():
                question = asked.pop(event.n, None)
                for command, reply in zip(question.commands, event.replies, strict=True) if question else ():
                    self._replies[question.host, command.argv].append((event.t, reply))  # type: ignore[union-attr]
            case Placed():
                self._places[event.host].append(event)
            case JobsListed():
                self._lists[event.host].append(event)
            case Launching():
                self._launches[event.host, event.spec.id] = event
            case JobChanged():
                self._states[event.host, event.status.id].append(event)
                self._logs[event.host, f"job:{event.status.id}"].append(event)
            case LogRead() | LogRewound() | ProcessChanged():
                self._logs[event.host, event.source].append(event)
            case Signalling():
                self._signals.add((event.host, event.id, event.what))
            case _:
                pass

    async def close(self) -> None:
        pass

    @property
    def _now(self) -> float:
        return self.clock.now()

    def _move(self, to: float) -> None:
        assert isinstance(self.clock, SetClock)
        self.clock.at = max(self.clock.at, to)

    async def _query(self, host: str, commands: Sequence[Command]) -> tuple[Answer, ...]:
        answers = []
        for command in commands:
            reply = self._next_reply(host, command)
            answers.append(Answer(command, reply.rc, reply.out.data, reply.err.data))
        return tuple(answers)

    def _next_reply(self, host: str, command: Command) -> Reply:
        key = (host, command.argv)
        held = self._replies.get(key)
        if not held:
            raise NotRecordedError(host, "the recording holds no answer to this", command=command.text)
        index = self._given.get(key, -1) + 1
        while index < len(held) - 1 and held[index][0] < self._now:
            index += 1
        index = min(index, len(held) - 1)
        self._given[key] = index
        self._move(held[index][0])
        return held[index][1]

    async def _place(self, host: str) -> Place:
        for placed in self._places.get(host, ()):
            return placed.place
        raise NotRecordedError(host, "the recording does not say where this host keeps its jobs")

    async def _launch(self, host: str, spec: JobSpec) -> JobStatus:
        recorded = self._launches.get((host, spec.id))
        if recorded is None or recorded.spec != spec:
            raise NotRecordedError(host, f"the recording holds no such job {spec.id}", command=spec.command.text)
        self._move(recorded.t)
        return self._state(host, spec.id)

    async def _stop(self, host: str, job_id: str, *, kill: bool) -> JobStatus:
        return self._signalled(host, job_id, "KILL" if kill else "TERM")

    async def _seal(self, host: str, job_id: str) -> JobStatus:
        return self._signalled(host, job_id, "seal")

    def _signalled(self, host: str, job_id: str, what: str) -> JobStatus:
        if (host, job_id, what) not in self._signals:
            raise NotRecordedError(host, f"the recording holds no {what} for {job_id}")
        return self._state(host, job_id)

    def _state(self, host: str, job_id: str) -> JobStatus:
        for event in self._states.get((host, job_id), ()):
            if event.t >= self._now:
                self._move(event.t)
                return event.status
        raise NotRecordedError(host, f"the recording does not say how it stood with {job_id}")

    async def _jobs(self, host: str) -> tuple[JobStatus, ...]:
        held = self._lists.get(host)
        if not held:
            raise NotRecordedError(host, "the recording holds no list of this host's jobs")
        later = [event for event in held if event.t >= self._now]
        return (later or held)[0 if later else -1].jobs

    async def _follow(self, host: str, source: JobLog | FileLog, offset: int) -> AsyncGenerator[Followed, None]:
        events = [event for event in self._logs.get((host, source.name), ()) if event.t >= self._now]
        if not events:
            raise NotRecordedError(host, f"the recording does not hold {source.name}")
        for event in events:
            self._move(event.t)
            match event:
                case LogRead() if event.offset + len(event.data.data) > offset:
                    skip = max(0, offset - event.offset)
                    yield Chunk(event.offset + skip, event.data.data[skip:])
                case LogRewound():
                    yield Rewound(event.why)
                case ProcessChanged():
                    yield ProcessSeen(event.alive)
                case JobChanged():
                    yield StateSeen(event.status)
                    if event.status.state.settled:
                        return
                case _:
                    pass
        raise NotRecordedError(host, f"the recording ends before {source.name} does")
