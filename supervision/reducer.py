"""How the state follows from events: one pure function. The same events give the same state, live or replayed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

import msgspec

from remote.command import Command
from remote.events import (
    Acknowledged,
    Adopted,
    Answered,
    Asked,
    Calibrated,
    Checked,
    Closed,
    Decided,
    Event,
    JobChanged,
    JobsListed,
    Launching,
    LinkChanged,
    LogRead,
    LogRewound,
    Marked,
    Placed,
    ProcessChanged,
    Signalling,
    StepChanged,
    Unanswered,
)
from remote.jobs import JobSpec, JobState, JobStatus
from remote.linux.scans import RunningScans
from supervision import adopting, canary, io_history
from supervision.eta_rates import Calibration
from supervision.facts import Ahead, Fact, form_refused, learn, reader
from supervision.forecasts import changed
from supervision.happenings import fresh
from supervision.happenings import noted as happenings_noted
from supervision.logs import Log, append
from supervision.reading import Change, Reading
from supervision.sightings import noted
from supervision.spaces import told as spaces_told
from supervision.state import COMMANDS, DECISIONS, LINK_BACK, Job, Ran, State
from supervision.works import noted as works_noted

K = TypeVar("K")
V = TypeVar("V")
END_LOST = "it has ended, and the recording has lost how"


def reduce(state: State, event: Event, ahead: Ahead | None = None) -> State:
    """The state after `event`. `ahead` only saves time: the state is the same without it."""
    changed = _reduce(state, event, ahead)
    return msgspec.structs.replace(changed, revision=state.revision + 1, at=max(state.at, event.t))


def _reduce(state: State, event: Event, ahead: Ahead | None) -> State:
    replace = msgspec.structs.replace
    match event:
        case LinkChanged():
            return _link_changed(state, event)
        case Asked():
            return replace(state, pending=_with(state.pending, event.n, event))
        case Answered() | Unanswered():
            return _answered(state, event, ahead)
        case Placed():
            return _placed(state, event)
        case Launching():
            return _launching(state, event)
        case JobChanged():
            return _job_changed(state, event.host, (event.status,), event.t)
        case JobsListed():
            state = _job_changed(state, event.host, (*event.jobs, *_as_before(state, event)), event.t)
            return replace(state, listed=_with(state.listed, event.host, event.t))
        case LogRead() | LogRewound():
            return _log_read(state, event)
        case Adopted():
            job = Job(event.host, event.status, event.t, pid=event.pid, start=event.start)
            return replace(state, jobs=_with(state.jobs, (event.host, event.status.id), job))
        case ProcessChanged():
            state = replace(state, alive=_with(state.alive, (event.host, event.source), event.alive))
            return _process_changed(state, event.host, event.source, event.t, alive=event.alive)
        case Decided():
            return replace(state, decisions=(*state.decisions, event)[-DECISIONS:])
        case Signalling() if event.what == "renew":
            return state  # a sign of life every few minutes is no command that anybody looks for
        case Signalling():
            ran = Ran(event.host, f"{event.what} {event.id}", event.t, took=0.0, job=event.id)
            stops = state.stops
            if event.what in ("TERM", "KILL"):
                stops = _with(stops, (event.host, event.id), event.t)
            return replace(state, commands=(*state.commands, ran)[-COMMANDS:], stops=stops)
        case Marked():
            return replace(state, marks=(*state.marks, event)[-DECISIONS:])
        case StepChanged():
            if event.number == 1 and event.state == "waiting":  # steps are announced: those of another migration go
                state = replace(state, steps=MappingProxyType({}), step_times=MappingProxyType({}))
            before = state.steps.get(event.number)
            began = event.t  # a step that waits has not begun
            if before and before.state != "waiting":
                began = state.step_times[event.number][0]
            if before and not event.command:  # what it ran stays worth knowing when it has ended
                event = replace(event, command=before.command, host=event.host or before.host)
            return replace(
                state,
                steps=_with(state.steps, event.number, event),
                step_times=_with(state.step_times, event.number, (began, event.t)),
            )
        case Checked() if event.after:
            return replace(state, proven=_with(state.proven, event.step, event))
        case Checked():
            return replace(state, checked=_with(state.checked, event.step, event))
        case Acknowledged():
            return replace(state, acknowledged=_with(state.acknowledged, (event.step, event.key), event))
        case Calibrated():
            taught = Calibration(event.below, event.above, event.runs)
            return replace(state, calibrations=_with(state.calibrations, event.kind, taught))
        case Closed():
            return replace(state, closed=True)


def _with(mapping: Mapping[K, V], key: K, value: V) -> Mapping[K, V]:
    return MappingProxyType({**mapping, key: value})


def _without(mapping: Mapping[K, V], key: K) -> Mapping[K, V]:
    return MappingProxyType({held: value for held, value in mapping.items() if held != key})


def _answered(state: State, event: Answered | Unanswered, ahead: Ahead | None) -> State:
    asked = state.pending.get(event.n)
    if asked is None:
        return state
    facts, reading = dict(state.facts), state.reading
    ran, sightings = [], state.sightings
    took = event.t - asked.t
    for index, command in enumerate(asked.commands):
        if isinstance(event, Unanswered):
            ran.append(Ran(asked.host, command.text, asked.t, took, failure=event.why))
            _failed(reading, facts, asked.host, command, event)
        elif index < len(event.replies):
            reply = event.replies[index]
            why = form_refused(reading, command, reply)
            ran.append(Ran(asked.host, command.text, asked.t, took, reply.rc, why))
            found = reader(reading, asked.host, command)
            before = facts.get(found[0]) if found else None
            fact = learn(reading, before, asked.host, command, reply, asked.t, event.t, ahead)
            if fact:
                facts[fact.key] = fact
    changes = _changes(state, facts)
    if any(_parsed(facts, key) is not _parsed(state.facts, key) for key in _of_devices(asked.host)):
        history = noted(sightings.get(asked.host, ()), asked.host, facts, asked.t)
        if history is not sightings.get(asked.host, ()):
            sightings = _with(sightings, asked.host, history)
    heard, counters, works = state.heard, state.disk_counters, state.works
    if _parsed(facts, key := f"logs {asked.host}") is not _parsed(state.facts, key):
        listening = canary.noted(heard.get(asked.host), asked.host, state.facts, facts)
        heard = _with(heard, asked.host, listening) if listening else heard
    if _parsed(facts, key := f"io {asked.host}") is not _parsed(state.facts, key):
        counters = _with(counters, asked.host, io_history.noted(counters.get(asked.host, ()), facts[key]))
    if _parsed(facts, key := f"work {asked.host}") is not _parsed(state.facts, key):
        known = works_noted(works.get(asked.host), facts[key])
        works = _with(works, asked.host, known) if known else works
    answered = msgspec.structs.replace(
        state,
        heard=heard,
        works=works,
        disk_counters=counters,
        sightings=sightings,
        spaces=spaces_told(state.spaces, state.facts, facts, reading, state.header.file_system),
        pending=_without(state.pending, event.n),
        facts=MappingProxyType(facts),
        commands=(*state.commands, *ran)[-COMMANDS:],
    )
    if any(command.argv[0] == "restripe-scans" for command in asked.commands):
        answered = _scans_told(answered, asked.host, event.t)
    return _happened(answered, event.t, asked.host, changes)


def _changes(state: State, facts: Mapping[str, Fact]) -> tuple[Change, ...]:
    """What facts tell that was not so before."""
    found: list[Change] = []
    for key, fact in facts.items():
        before = state.facts.get(key)
        if before is None or before is fact or before.parsed is None or before.parsed is fact.parsed:
            continue
        if fact.parsed is not None:
            found += state.reading.happened(key, before.parsed.model, fact.parsed.model)
    return tuple(found)


def _happened(state: State, at: float, host: str, changes: tuple[Change, ...]) -> State:
    """Note changes, and let the forecasts of scans that run know of those that change their rate."""
    changes = fresh(state.happened, changes)
    if not changes:
        return state
    logs = dict(state.logs)
    for change in changes:
        for key, log in logs.items():
            job = state.job(log.host, log.source.removeprefix("job:"))
            if change.rate and log.forecasts.estimator and not (job and job.status.state.settled):
                logs[key] = msgspec.structs.replace(log, forecasts=changed(log.forecasts, change.text))
    return msgspec.structs.replace(
        state, happened=happenings_noted(state.happened, at, host, changes), logs=MappingProxyType(logs)
    )


def _link_changed(state: State, event: LinkChanged) -> State:
    """A connection that is lost, or there again after that, is something that happened."""
    before = state.links.get(event.host)
    state = msgspec.structs.replace(state, links=_with(state.links, event.host, event))
    mine = [each for each in state.happened if each.kind == "link" and each.host == event.host]
    lost = bool(mine) and mine[-1].text != LINK_BACK
    if event.state in ("waiting", "refused") and before and before.state == "up" and not lost:
        text = f"{event.host} cannot be reached: {event.trouble or event.state}"
    elif event.state == "up" and lost:
        text = LINK_BACK
    else:
        return state
    return _happened(state, event.t, event.host, (Change("link", text),))


def _placed(state: State, event: Placed) -> State:
    """A host that tells another boot than before has booted."""
    before = state.places.get(event.host)
    state = msgspec.structs.replace(state, places=_with(state.places, event.host, event.place))
    if before is None or not before.boot_id or not event.place.boot_id or before.boot_id == event.place.boot_id:
        return state
    return _happened(state, event.t, event.host, (Change("node", f"{event.host} has booted", rate=True),))


def _of_devices(host: str) -> tuple[str, ...]:
    """The facts that tell which device is which on a host."""
    return f"devices {host}", f"inventory {host}"


def _parsed(facts: Mapping[str, Fact], key: str) -> object:
    fact = facts.get(key)
    return fact.parsed if fact else None


def _failed(reading: Reading, facts: dict[str, Fact], host: str, command: Command, event: Unanswered) -> None:
    found = reader(reading, host, command)
    if found:
        fact = facts.get(found[0]) or Fact(found[0], host, command.text)
        facts[found[0]] = msgspec.structs.replace(fact, failure=event.why, failed_at=event.t)


def _launching(state: State, event: Launching) -> State:
    spec = event.spec
    ran = Ran(event.host, spec.command.text, event.t, job=spec.id)
    held = state.job(event.host, spec.id) or Job(event.host, _not_known_yet(spec), event.t)
    return msgspec.structs.replace(
        state,
        commands=(*state.commands, ran)[-COMMANDS:],
        jobs=_with(state.jobs, (event.host, spec.id), msgspec.structs.replace(held, spec=spec)),
    )


def _not_known_yet(spec: JobSpec) -> JobStatus:
    """How it stands with a job between its launch and the first word of its host."""
    command = spec.command
    return JobStatus(
        spec.id,
        JobState.UNKNOWN,
        note="it is being launched",
        title=spec.title,
        operator=spec.operator,
        command=command.text,
        effect=command.effect,
        interruptible=command.interruptible,
    )


def _job_changed(state: State, host: str, statuses: Sequence[JobStatus], at: float) -> State:
    """How it stands with jobs of a host that were told of together; hosts keep hundreds that have ended."""
    jobs, commands = dict(state.jobs), state.commands
    unended = {ran.job for ran in commands if ran.took is None and ran.host == host}
    for told in statuses:
        jobs[host, told.id] = _job_after(jobs.get((host, told.id)), host, told, at)
        if told.state.settled and told.id in unended:
            failure = "" if told.rc is not None else told.meaning
            commands = tuple(
                msgspec.structs.replace(ran, rc=told.rc, took=at - ran.asked_at, failure=failure)
                if ran.job == told.id and ran.host == host and ran.took is None
                else ran
                for ran in commands
            )
    return msgspec.structs.replace(state, jobs=MappingProxyType(jobs), commands=commands)


def _as_before(state: State, event: JobsListed) -> Iterator[JobStatus]:
    """The jobs of a list that have ended and are as they were told before, unless a recording has lost how they did."""
    for job_id in event.same:
        if job := state.job(event.host, job_id):
            lost = msgspec.structs.replace(job.status, state=JobState.UNKNOWN, note=END_LOST)
            yield job.status if job.status.state.settled else lost


def _job_after(held: Job | None, host: str, status: JobStatus, at: float) -> Job:
    """A job after its host told of it."""
    if held and not status.command:
        # a look at the log tells the state alone; what the job is was told before
        status = msgspec.structs.replace(
            status,
            title=held.status.title,
            operator=held.status.operator,
            command=held.status.command,
            effect=held.status.effect,
            interruptible=held.status.interruptible,
        )
    settled_at = (held.settled_at if held else None) or at if status.state.settled else None
    if held:
        return msgspec.structs.replace(held, status=status, at=at, settled_at=settled_at)
    return Job(host, status, at, settled_at=settled_at)


def _process_changed(state: State, host: str, job_id: str, at: float, *, alive: bool | None) -> State:
    """How it stands with a process that somebody else started, where it is known which that is."""
    job = state.job(host, job_id)
    if job is None or job.pid is None or not job.adopted:
        return state
    return _job_changed(state, host, (adopting.after_look(job.status, alive),), at)


def _scans_told(state: State, host: str, at: float) -> State:
    """What a look at all scans of a host tells of those whose logs cannot be followed."""
    fact = state.facts.get(f"scans {host}")
    told = fact.parsed.model if fact and fact.parsed and not fact.failure else None
    if not isinstance(told, RunningScans) or fact is None or fact.parsed is None or fact.parsed.problems:
        return state
    jobs = [job for job in state.jobs.values() if job.host == host and not adopting.log_path(job.status.id)]
    held = [(job.status.id, job.pid, job.start) for job in jobs if job.adopted and job.at <= fact.at]
    for job_id in adopting.missing(told, held):
        state = _process_changed(state, host, job_id, at, alive=False)
    return state


def _log_read(state: State, event: LogRead | LogRewound) -> State:
    key = (event.host, event.source)
    before = log = state.logs.get(key, Log(event.host, event.source))
    if isinstance(event, LogRewound):
        log = Log(event.host, event.source)
    else:
        data = event.data.data
        known = log.size - event.offset
        if data and (known < 0 or event.offset == 0):
            log, known = Log(event.host, event.source), 0
        if known < len(data):
            fresh, end = data[max(0, known) :], event.offset + len(data)
            besides = state.known(event.host, event.source)
            log = append(log, fresh, event.t, end=end, reading=state.reading, known=besides)
    state = msgspec.structs.replace(state, logs=_with(state.logs, key, log))
    if log.scan.restarts > before.scan.restarts:
        at = event.t if log.scan.restarted is None else log.scan.restarted
        return _happened(state, at, event.host, (Change("restart", "the scan began again from its first phase"),))
    return state
