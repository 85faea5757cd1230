"""Parsers of `mmdiag --waiters` and `mmhealth node show`, human and `-Y`. Both tell of the node they run on."""

from __future__ import annotations

import re

from remote.gpfs import unconfirmed
from remote.gpfs.machine import Table, is_machine, read_machine
from remote.gpfs.models import HealthEvent, HealthState, NodeHealth, Waiter, Waiters
from remote.gpfs.reading import Line, Reading, Steps, decimal, finish, is_rule
from remote.parsed import Parsed

_LONGEST_LINE = 2000
_WAITERS = "=== mmdiag: waiters ==="
_WAITER = re.compile(
    r"Waiting (?P<seconds>[0-9.,]{1,30}) sec since (?P<since>\S+?),"
    r"(?: (?P<watched>monitored|ignored),)? thread (?P<thread>\S+) (?P<name>[^\s:]+): ?(?P<why>.*)\Z"
)
_CONDITION = re.compile(r"on ThCond \S+(?: \((?P<name>[^()]*)\))?(?:, (?P<reason>\S.*))?\Z")
_REASON = re.compile(r"reason '(.*?)'?\Z")
_WAITER_COLUMNS = (
    "threadId", "threadName", "waitTime", "waitStartTime", "isMonitored", "condVarName", "condVarReason", "auxReason",
)  # fmt: skip
_WATCHED = {"monitored": True, "ignored": False}

_NODE_NAME = re.compile(r"Node name:\s+(\S+)\Z")
_NODE_STATUS = re.compile(r"Node status:\s+(\S+)\Z")
_STATUS_CHANGE = re.compile(r"Status Change:\s+\S.*\Z")
_COMPONENT = re.compile(rf"(\S+)\s+([A-Z_]+)(?:\s+({unconfirmed.health_ages()}))?(?:\s+(\S.*))?\Z")
_ENTITY_COLUMNS = ("node", "component", "entityname", "entitytype")
_STATE_COLUMNS = (*_ENTITY_COLUMNS, "status", "laststatuschange")
_EVENT_COLUMNS = (*_ENTITY_COLUMNS, "event", "arguments", "activesince", "identifier", "message", "severity")


def parse_mmdiag_waiters(stdout: str, stderr: str = "") -> Parsed[Waiters]:
    """Parse `mmdiag --waiters`. A node without waiters is an answer."""
    return finish(mmdiag_waiters_steps(stdout, stderr))


def mmdiag_waiters_steps(stdout: str, stderr: str = "") -> Steps[Waiters]:
    """The steps of `parse_mmdiag_waiters`."""
    reading = Reading(stdout, stderr)
    found = _Waiters(reading)
    if is_machine(stdout, "mmdiag"):
        found.headed = True
        yield from read_machine(reading, "mmdiag", {"waiters": Table(_WAITER_COLUMNS, found.record)})
    else:
        yield from reading.each(found.line)
    reading.rest()
    if not found.waiters and not found.headed:
        reading.missing("no word about waiters")
    return reading.result(Waiters(tuple(found.waiters)))


class _Waiters:
    """The waiters read so far."""

    def __init__(self, reading: Reading) -> None:
        self.waiters: list[Waiter] = []
        self.headed = False
        self._reading = reading

    def line(self, line: Line) -> None:
        """Read a line of the human form."""
        text = line.text.strip()
        if text == _WAITERS:
            self.headed = True
        elif len(text) > _LONGEST_LINE:
            self._reading.note(line)
        elif match := _WAITER.match(text):
            thread, seconds, name, since = match.group("thread", "seconds", "name", "since")
            self._add(line, thread, seconds, name, since, match["watched"] or "", match["why"])
        elif old := unconfirmed.old_waiter(text):
            self._add(line, *old[:3], "", "", old[3])
        elif text.startswith("Waiting "):
            self._reading.problem(line, "a waiter needs seconds, a thread and its name")
        else:
            self._reading.note(line)

    def _add(self, line: Line, thread: str, seconds: str, name: str, since: str, watched: str, why: str) -> None:
        condition = reason = ""
        if match := _CONDITION.match(why):
            condition, reason = match["name"] or "", match["reason"] or ""
        else:
            reason = why
        problem = self.record(thread, name, seconds, since, watched, condition, reason, "")
        if problem is not None:
            self._reading.problem(line, problem)

    def record(self, *values: str) -> str | None:
        """Read the values of one waiter."""
        thread, name, seconds_text, since, watched, condition, reason, more = values
        seconds = decimal(seconds_text)
        if seconds is None:
            return "the time of waiting is not a number of seconds"
        if not name:
            return "a waiter needs the name of its thread"
        why = reason or more
        match = _REASON.match(why)
        since = since.replace("_", " ")
        self.waiters.append(
            Waiter(thread, name, seconds, since, _WATCHED.get(watched), condition, match[1] if match else why)
        )
        return None


def parse_mmhealth(stdout: str, stderr: str = "") -> Parsed[NodeHealth]:
    """Parse `mmhealth node show`."""
    return finish(mmhealth_steps(stdout, stderr))


def mmhealth_steps(stdout: str, stderr: str = "") -> Steps[NodeHealth]:
    """The steps of `parse_mmhealth`."""
    reading = Reading(stdout, stderr)
    found = _Health(reading)
    if is_machine(stdout, "mmhealth"):
        tables = {
            "State": Table(_STATE_COLUMNS, found.state_record, exact=True),
            "Event": Table(_EVENT_COLUMNS, found.event_record),
        }
        yield from read_machine(reading, "mmhealth", tables)
    else:
        yield from reading.each(found.line)
    reading.rest()
    if not found.states:
        reading.missing("no component")
    return reading.result(NodeHealth(found.node, found.status, tuple(found.states), tuple(found.events)))


class _Health:
    """What has been read so far."""

    def __init__(self, reading: Reading) -> None:
        self.node = ""
        self.status = ""
        self.states: list[HealthState] = []
        self.events: list[HealthEvent] = []
        self._reading = reading
        self._in_table = False

    def line(self, line: Line) -> None:
        """Read a line of the human form."""
        text = line.text.strip()
        if not text or is_rule(text) or _STATUS_CHANGE.match(text):
            return
        if match := _NODE_NAME.match(text):
            self.node = match[1]
        elif match := _NODE_STATUS.match(text):
            self.status = match[1]
        elif text.split()[:2] == ["Component", "Status"]:
            self._in_table = True
        elif not self._in_table or len(text) > _LONGEST_LINE:
            self._reading.note(line)
        else:
            self._component(line, text)

    def _component(self, line: Line, text: str) -> None:
        if line.text.startswith("        ") and self.states:  # reasons that did not fit on the line before
            self._reasons(self.states[-1].component, text)
        elif match := _COMPONENT.match(text):
            self.states.append(HealthState(self.node, match[1], self.node, "NODE", match[2], match[3] or ""))
            self._reasons(match[1], match[4] or "")
        else:
            self._reading.broken(line, "a component needs a name and a status")

    def _reasons(self, component: str, text: str) -> None:
        for name, about in unconfirmed.health_reasons(text):
            self.events.append(HealthEvent(self.node, component, self.node, "NODE", name, about))

    def state_record(self, *values: str) -> str | None:
        """Read a row of states of `-Y`."""
        node, component, _, _, status, _ = values
        if not node or not component or not status:
            return "a state needs a node, a component and a status"
        self.states.append(HealthState(*values))
        if component == "NODE":
            self.node, self.status = node, status
        return None

    def event_record(self, *values: str) -> str | None:
        """Read a row of events of `-Y`."""
        if not values[0] or not values[1] or not values[4]:
            return "an event needs a node, a component and a name"
        self.events.append(HealthEvent(*values))
        return None
