"""A strict Site over a recording: it answers what was recorded, in order, and fails on anything else.

For headless tests and for rehearsing a procedure against a session that really was. Time stands still between
the recorded events: the clock is where the last used event was.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Iterable, Sequence

import msgspec

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
    """Answers from `events`. A question gets the first recorded answer that is not before the moment when it is
    asked and was not given yet, or else the last one there was.
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
        self._signals: dict[tuple[str, str, str], float] = {}
        asked: dict[int, Asked] = {}
        for event in events:
            self._index(event, asked)

    def _index(self, event: Event, asked: dict[int, Asked]) -> None:
        match event:
            case Asked():
                asked[event.n] = event
            case Answered():
                question = asked.pop(event.n, None)
                if question and len(question.commands) == len(event.replies):
                    for command, reply in zip(question.commands, event.replies, strict=True):
                        self._replies[question.host, command.argv].append((event.t, reply))
            case Placed():
                self._places[event.host].append(event)
            case JobsListed():
                before = {job.id: job for listed in self._lists[event.host][-1:] for job in listed.jobs}
                same = (before[job_id] for job_id in event.same if job_id in before)
                self._lists[event.host].append(msgspec.structs.replace(event, jobs=(*event.jobs, *same), same=()))
            case Launching():
                self._launches[event.host, event.spec.id] = event
            case JobChanged():
                self._states[event.host, event.status.id].append(event)
                self._logs[event.host, f"job:{event.status.id}"].append(event)
            case LogRead() | LogRewound() | ProcessChanged():
                self._logs[event.host, event.source].append(event)
            case Signalling():
                self._signals[event.host, event.id, event.what] = event.t
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
        asked_at = self._now
        await asyncio.sleep(0)  # so that questions asked together have all been asked before time moves on
        answers = []
        for command in commands:
            reply = self._next_reply(host, command, asked_at)
            answers.append(Answer(command, reply.rc, reply.out.data, reply.err.data))
        return tuple(answers)

    def _next_reply(self, host: str, command: Command, asked_at: float) -> Reply:
        key = (host, command.argv)
        held = self._replies.get(key)
        if not held:
            raise NotRecordedError(host, "the recording holds no answer to this", command=command.text)
        index = self._given.get(key, -1) + 1
        while index < len(held) - 1 and held[index][0] < asked_at:
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
        return self._state(host, spec.id, recorded.t)

    async def _stop(self, host: str, job_id: str, *, kill: bool) -> JobStatus:
        return self._signalled(host, job_id, "KILL" if kill else "TERM")

    async def _seal(self, host: str, job_id: str) -> JobStatus:
        return self._signalled(host, job_id, "seal")

    async def _renew(self, host: str, job_id: str) -> JobStatus:
        return self._signalled(host, job_id, "renew")

    def _signalled(self, host: str, job_id: str, what: str) -> JobStatus:
        at = self._signals.get((host, job_id, what))
        if at is None:
            raise NotRecordedError(host, f"the recording holds no {what} for {job_id}")
        self._move(at)
        return self._state(host, job_id, at)

    def _state(self, host: str, job_id: str, since: float) -> JobStatus:
        """The first state that was told after `since`; the clock may be further, since other tasks move it too."""
        for event in self._states.get((host, job_id), ()):
            if event.t >= since:
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
        events = self._logs.get((host, source.name), [])
        # what was read comes whole, wherever the clock is: other tasks move it too
        events = events[next((at for at, event in enumerate(events) if self._is_next(event, offset)), len(events)) :]
        if not events:
            raise NotRecordedError(host, f"the recording does not hold {source.name}")
        last_read = max((at for at, event in enumerate(events) if isinstance(event, LogRead)), default=0)
        for at, event in enumerate(events):
            self._move(event.t)
            match event:
                case LogRead() if event.offset + len(event.data.data) > offset:
                    skip = max(0, offset - event.offset)
                    yield Chunk(event.offset + skip, event.data.data[skip:])
                case LogRewound():
                    offset = 0
                    yield Rewound(event.why)
                case ProcessChanged():
                    yield ProcessSeen(event.alive)
                    if isinstance(source, FileLog) and source.pid and event.alive is False:
                        return
                case JobChanged():
                    yield StateSeen(event.status)
                    # a launch tells of a quick job's end too, before its log was read
                    if event.status.state.settled and at >= last_read:
                        return
                case _:
                    pass
        raise NotRecordedError(host, f"the recording ends before {source.name} does")

    def _is_next(self, event: Event, offset: int) -> bool:
        """Whether a follower who has read up to `offset` begins with this event."""
        return event.t >= self._now or (isinstance(event, LogRead) and event.offset + len(event.data.data) > offset)
